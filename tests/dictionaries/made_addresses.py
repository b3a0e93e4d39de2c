"""Five hundred invented messages with an address each, and messages that only look so.

The streets, towns and sentences are none of those that the statistical model is made from
(`triage.build_addresses`). What a message leaves out of its address, and how it writes it, is
drawn: a seed gives the same messages everywhere.
"""

import random
from typing import NamedTuple

from triage.dictionaries.normal import fold

SEED = 2018


class Made(NamedTuple):
    """A message and where its address stands."""

    text: str
    start: int
    end: int


_STREETS = (
    ("rue", "des Glycines"),
    ("rue", "du Four à Chaux"),
    ("rue", "Émile Zola"),
    ("rue", "de l'Aiguillerie"),
    ("rue", "Saint-Guilhem"),
    ("rue", "Lakanal"),
    ("rue", "du Général Campredon"),
    ("rue", "de la Croix Rouge"),
    ("rue", "du 11 Novembre"),
    ("rue", "Neuve"),
    ("rue", "Marie Curie"),
    ("rue", "d'Assas"),
    ("rue", "du Docteur Roux"),
    ("rue", "de Substantion"),
    ("rue", "Frédéric Bazille"),
    ("rue", "du Pont de Lattes"),
    ("avenue", "du Pont Trinquat"),
    ("avenue", "de Toulouse"),
    ("avenue", "Georges Clemenceau"),
    ("avenue", "Bouisson Bertrand"),
    ("avenue", "de l'Europe"),
    ("avenue", "du Père Soulas"),
    ("avenue", "Villeneuve d'Angoulême"),
    ("boulevard", "Louis Blanc"),
    ("boulevard", "des Arceaux"),
    ("boulevard", "de Strasbourg"),
    ("boulevard", "Henri IV"),
    ("boulevard", "Rabelais"),
    ("allée", "des Mimosas"),
    ("allée", "Jean de la Fontaine"),
    ("impasse", "des Cigales"),
    ("impasse", "Molière"),
    ("chemin", "de Moularès"),
    ("chemin", "du Mas de Rochet"),
    ("chemin", "des Barques"),
    ("place", "de la Canourgue"),
    ("place", "Albert Ier"),
    ("place", "du Marché aux Fleurs"),
    ("route", "de Mende"),
    ("route", "de Lavérune"),
    ("quai", "du Verdanson"),
    ("quai", "Laurens"),
    ("cours", "Gambetta"),
    ("square", "Planchon"),
    ("lotissement", "les Oliviers"),
    ("résidence", "le Clos des Vignes"),
    ("faubourg", "de Nîmes"),
    ("esplanade", "Charles de Gaulle"),
    ("passage", "Lonjon"),
    ("montée", "des Capucins"),
)

_ABBREVIATIONS = {
    "rue": ("r.", "r", "rue", "rue"),
    "avenue": ("av.", "av", "ave"),
    "boulevard": ("bd", "bvd", "bd.", "blvd"),
    "allée": ("all.", "all", "allee"),
    "impasse": ("imp.", "imp"),
    "chemin": ("ch.", "chem.", "ch"),
    "place": ("pl.", "pl"),
    "route": ("rte", "rte."),
    "square": ("sq.", "square"),
    "lotissement": ("lot.", "lot"),
    "résidence": ("rés.", "res", "rés"),
    "faubourg": ("fbg", "fg"),
}
_NAME_ABBREVIATIONS = {
    "Saint": "St",
    "Général": "Gal",
    "Docteur": "Dr",
    "Georges": "G.",
    "Émile": "E.",
    "Frédéric": "F.",
}

_TOWNS = (
    ("34000", "Montpellier"),
    ("34070", "Montpellier"),
    ("34170", "Castelnau-le-Lez"),
    ("34430", "Saint-Jean-de-Védas"),
    ("34920", "Le Crès"),
    ("34200", "Sète"),
    ("34500", "Béziers"),
    ("30000", "Nîmes"),
    ("30100", "Alès"),
    ("11000", "Carcassonne"),
    ("11100", "Narbonne"),
    ("66000", "Perpignan"),
    ("31400", "Toulouse"),
    ("13005", "Marseille"),
    ("13100", "Aix-en-Provence"),
    ("69007", "Lyon"),
    ("75011", "Paris"),
    ("33800", "Bordeaux"),
    ("44100", "Nantes"),
    ("67000", "Strasbourg"),
    ("59800", "Lille"),
    ("35000", "Rennes"),
    ("38100", "Grenoble"),
    ("42000", "Saint-Étienne"),
    ("95270", "Viarmes"),
    ("12000", "Rodez"),
    ("48000", "Mende"),
    ("26000", "Valence"),
    ("34130", "Mauguio"),
    ("92100", "Boulogne-Billancourt"),
)

_CARRIERS = (
    "{a}",
    "{a}",
    "Alors mon adresse : {a}",
    "Coucou, c'est {a}. A tout de suite",
    "je te redonne l'adresse {a}",
    "Tu peux passer me prendre au {a} vers 20h ?",
    "slt c ou deja ? {a} nn ?",
    "J'habite {a}, sonne deux fois",
    "jhabite {a} mtn",
    "Rdv {a} à 14h30 pour la visite",
    "On a trouvé un appart !! {a}, 45m2, 520 euros",
    "{a} c'est là qu'on se retrouve",
    "Envoie le colis au {a} stp merci bcp",
    "Bonjour, le cabinet est situé {a}. Cordialement",
    "ouais c bon jte rejoins au {a} jarrive ds 5 min",
    "le resto c'est {a}, résa pour 4 à 21h",
    "Mets dans ton gps {a} et appelle qd t'es en bas",
    "Tkt c facile : {a} juste après le feu",
    "Je suis garé devant le {a} tu me vois ?",
    "salut ma belle tu viens ? {a} bisous",
    "La fête est chez nous ({a}), ramène à boire",
    "On déménage samedi, nouvelle adresse: {a}!",
    "Dsl j'avais oublié de te dire, {a} 😉",
    "mon adresse\n{a}\nmerci d'avance",
    "Le garage est au {a}, il ferme à 18h",
    "pr le courrier mets {a} mais pas avant lundi",
    "jsuis o {a} depuis 10 min tes ou",
    "Mamie loge {a} depuis un an",
    "Tu sonnes {a} 2eme bouton",
    "T'as noté ? {a} Je répète pas !",
)

_TRICKY = (
    "t'es en cours ? g pas pris de place pour toi",
    "J'ai 2 places pour le concert de samedi, 25 euros la place",
    "On est en route, on arrive dans 12 minutes",
    "Le train est quai 12 à 18h45",
    "A la place de Lola j'aurais dit non",
    "3 cours de maths demain c'est trop",
    "il reste 1 place dans la voiture pour Toulouse",
    "2 rues plus loin tu tournes à gauche",
    "je suis dans la rue devant le cinéma",
    "C'est à 5 min à pied, 2e rue à droite",
    "j'ai payé 34000 euros ma voiture lol",
    "Le vol 12345 arrive à 15h",
    "jsuis allée au ciné hier c t bien",
    "Rendez-vous place de la comédie à 20h",
    "On se retrouve au bout de la rue",
    "12 boulevards à traverser pour venir te voir",
    "T'as fait 12 km de route aujourd'hui ?",
    "j'ai reçu 3 BD pour mon anniv",
    "Un lot de 12 verres à vendre 10 euros",
    "je monte au 3e étage de la bu",
    "Le bâtiment 4 est fermé, cours annulé",
    "on a 4 h de cours et après chemin de croix lol",
    "chemin faisant j'ai croisé ton frère",
    "jai av 12 en anglais et toi ?",
    "15 av jc c'est la date non ?",
    "c'est 15 r 20 je sais plus mdr",
    "On y va à 8 place assises ou debout ?",
    "il est 18 h rue bondée je serai en retard",
    "Je prends le 12 direction Grammont",
    "ligne 4 arrêt place Carnot puis tu marches",
    "14 rue ? je crois que c'est pas le bon numéro",
    "Les 24 cours du semestre sont en ligne",
    "faut 10 all me dit pas non",
    "Au 12 route barrée prends à droite",
    "ma note : 12 route du rhum c'était le sujet",
    "1 place de ciné offerte pour 1 achetée",
    "j'ai fait 2 allées et retour dans le magasin",
    "Tu montes le boulevard et tu prends la rue à gauche",
    "Il habite loin de tout, au bout du chemin",
    "Montpellier 3 Lyon 1 quel match",
    "départ 7h de Nîmes, 12h à Paris",
    "Je cherche un appt sur Toulouse ou Albi",
    "le 11 novembre c'est férié ?",
    "elle habite à Lille avec ses 2 chats",
    "l'adresse du site c'est pas la bonne",
    "Ton adresse mail stp ?",
    "Impasse totale sur le chapitre 12 lol",
    "jai 12 ch de plus ds mon moteur",
    "75000 personnes au stade de France hier",
    "10200 pas aujourd'hui je suis morte",
    "Tu me gardes une place ? j'arrive dans 10 min",
    "cours toujours ! 12 minutes de retard",
    "le prix est passé de 12 a 15 pl par litre",
    "4 quai occupés sur 5, on attend",
    "résidence d'artistes du 12 au 15 mars",
    "3 square de chocolat et au lit",
    "5 lot gagnés à la tombola",
    "j'hab pas loin, 10 min en tram",
    "on fait le pont du 8 mai à Sète ?",
    "12 rue ou 12 bis je sais plus",
)


def made_messages(n: int = 500, seed: int = SEED) -> list[Made]:
    """Make messages with an address each."""
    draw = random.Random(seed)  # noqa: S311
    return [_message(draw) for _ in range(n)]


def tricky_messages() -> list[str]:
    """Messages without an address, as written and in lower case without accents."""
    return [*_TRICKY, *(fold(message) for message in _TRICKY)]


def _message(draw: random.Random) -> Made:
    before, after = draw.choice(_CARRIERS).split("{a}")
    before, address, after = _in_a_hand(draw, before, _address(draw), after)
    return Made(before + address + after, len(before), len(before) + len(address))


def _address(draw: random.Random) -> str:
    shape = draw.choices(
        ("full", "no town", "no postcode", "no number", "behind", "complement", "box"),
        (30, 20, 20, 8, 8, 10, 4),
    )[0]
    kind, name = draw.choice(_STREETS)
    number, street = _number(draw), f"{_kind(draw, kind)} {_name(draw, name)}"
    comma = draw.choices((" ", ", ", ","), (6, 3, 1))[0]
    place = _place(draw)
    match shape:
        case "full":
            return f"{number} {street}{comma}{place}"
        case "no town":
            return f"{number} {street}"
        case "no postcode":
            town = draw.choice(_TOWNS)[1]
            return f"{number} {street}{draw.choice((comma, comma, ' à '))}{town}"
        case "no number":
            return f"{street}{comma}{place}"
        case "behind":
            behind = draw.choice((" {}", ", {}", " au {}", " n°{}", " numéro {}")).format(
                draw.randint(1, 150)
            )
            return f"{street}{behind}" + draw.choice(("", f"{comma}{place}"))
        case "complement":
            return _with_complement(draw, f"{number} {street}", comma, place)
        case _:
            box = f"BP {draw.randint(10, 9999)}"
            town = place if draw.random() < 0.5 else f"{place} cedex {draw.randint(1, 9)}"
            return f"{number} {street}{comma}{box}{comma}{town}"


def _with_complement(draw: random.Random, street: str, comma: str, place: str) -> str:
    what = draw.choice(
        ("bât {l}", "bat {l}", "appt {n}", "appart {n}", "étage {n}", "esc {l}", "Bâtiment {l}")
    ).format(l=draw.choice("ABCD"), n=draw.randint(1, 60))
    if draw.random() < 0.4:
        home = draw.choice(("résidence Les Aubes", "rés. Le Triolet", "Résidence Voltaire"))
        return f"{home}{comma}{what}{comma}{street}{comma}{place}"
    return f"{street}{comma}{what}" + draw.choice(("", f"{comma}{place}"))


def _number(draw: random.Random) -> str:
    number = str(draw.choice((draw.randint(1, 60), draw.randint(1, 999))))
    suffix = draw.choices(("", " bis", "bis", " ter", "B", " quater"), (70, 10, 6, 5, 5, 1))[0]
    return number + suffix + draw.choices(("", ","), (4, 1))[0]


def _kind(draw: random.Random, kind: str) -> str:
    if draw.random() < 0.35:
        return draw.choice(_ABBREVIATIONS.get(kind, (kind,)))
    return kind.capitalize() if draw.random() < 0.1 else kind


def _name(draw: random.Random, name: str) -> str:
    if draw.random() < 0.15:
        for long, short in _NAME_ABBREVIATIONS.items():
            name = name.replace(long, short)
    return name


def _place(draw: random.Random) -> str:
    postcode, town = draw.choice(_TOWNS)
    if draw.random() < 0.1:
        postcode = f"{postcode[:2]} {postcode[2:]}"
        return f"{postcode} {town}" if draw.random() < 0.9 else f"{postcode} {town.upper()}"
    return f"{postcode} {town.replace('-', ' ') if draw.random() < 0.5 else town}"


def _in_a_hand(draw: random.Random, *parts: str) -> list[str]:
    """Write all parts as one hand would: as they are, in lower case, in capitals."""
    hand = draw.choices(("as it is", "lower", "no accents", "folded", "capitals"), (4, 2, 1, 4, 1))
    match hand[0]:
        case "lower":
            return [part.lower() for part in parts]
        case "no accents":
            return [_without_accents(part) for part in parts]
        case "folded":
            return [fold(part) for part in parts]
        case "capitals":
            return [parts[0], parts[1].upper(), *parts[2:]]
    return list(parts)


def _without_accents(text: str) -> str:
    folded = ((char, fold(char)) for char in text)
    return "".join(low.upper() if char.isupper() else low for char, low in folded)
