"""Make the conditional random field that finds addresses, from invented messages.

Addresses are made with Faker, varied as Lecointe (2018, section 3.1.2) varied hers: types
abbreviated, case changed, punctuation put in or left out, parts left out; and set into invented
messages: templates, and sentences of Markov chains over them and over the sample messages, as she
made hers. Needs the packages Faker and python-crfsuite; a seed gives the same weights everywhere::

    python -m triage.build_addresses weights.csv.gz
"""

import csv
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from triage.dictionaries import Lexicon, load_lexicon
from triage.dictionaries.address_words import KnownWords, Tokens
from triage.dictionaries.normal import fold
from triage.features.address_crf import LABELS, AddressCrf, labels_of, word_features

SEED = 88
_N_WITH = 5000
_N_WITHOUT = 9000
# Lecointe took L-BFGS with c1 = 0 and c2 = 0.01; a little of c1 leaves out what tells nothing.
_PARAMETERS = {"c1": 0.05, "c2": 0.01, "max_iterations": 150}
_DIGITS = 4
_SHARE_OF_CHAINS = 0.6

_CARRIERS = """
{a}
{a}
{a} !
coucou voila {a}
Mon adresse c'est {a}
voici l'adresse {a} a demain
L'adresse : {a}.
adresse {a}
c'est au {a} tu peux pas te tromper
Je suis au {a}, dépêche toi
on habite {a} depuis septembre
j'habite au {a} tu vois où c'est
jabite {a} c pres du tram
tu passes me chercher {a} ?
Rendez-vous au {a} à {h}
rdv {h} {a}
on se retrouve {h} devant le {a} ok ?
{h} {a} ça te va ?
Bonjour, je vous attends demain au {a} pour la livraison
le colis est à livrer {a} merci
Envoyez le courrier au {a}, merci
Merci d'envoyer le chèque à l'adresse suivante : {a}
Visite de l'appart demain {h}, {a}
Appart à louer, {a}, {n} euros cc
slt tfk? nou on è o {a} vien si tu veu
chui au {a} jtattend
viens vite {a} y a tout le monde
tu viens au {a} ce soir ou pas ?
la soirée est au {a}, code {n}A
C'est {a} puis tu sonnes chez nous
Prends le tram jusqu'au terminus puis {a}
Note bien : {a}
le medecin est au {a} ouvert jusqua {h}
La boutique se trouve {a} je crois
Je te laisse les clés au {a} bisous
tu peux garer la voiture {a} c'est gratuit
nouvelle adresse {a} a partir du {d}
Je déménage le {d} au {a}
c bon j'ai trouvé {a} :)
{a} et toi t'es où
{a} stp viens
{a} jarrive ds {m} min
{a} si tu veux passer
({a})
Hello ! Tu te souviens de l'adresse ? {a} je crois. Biz
salut, je te confirme {a} pour samedi
mon oncle habite {a}
Salut c moi! {a} dans {m} min
{a} mais je sais plus le code
{a} pas loin de la gare
taxi pour {a} à {h} svp
""".strip().split("\n")

_WITHOUT = """
on est en route, on arrive dans {m} min
je suis en cours jusqu'à {h}
j'ai {m} cours aujourd'hui
il reste {m} places pour le concert
{m} places de ciné à {n} euros
tu me gardes une place en cours ?
le train part quai {m} à {h}
rdv sur la place à {h}
place {x} c'est trop bondé
on se voit place de la république vers {h}
à la place de {f} je viendrais pas
je suis rue {x} tkt
on est dans la rue de {f}
la rue est barrée fais le tour
tu prends la {m}e rue à droite puis tout droit
j'ai marché {m} km sur la route de {t}
la route de {t} est fermée
{n} euros le lot de {m}
jsuis allée chez {f} hier soir
une allée et un boulevard plus loin
chemin faisant j'ai vu {f}
on fait un bout de chemin ensemble ?
ma bd préférée c'est {f} et compagnie
{m} bd à rendre à la médiathèque
c le bat de qui ? jcomprend rien
{m} étages sans ascenseur mdr
au {m}e étage de la fac
je cherche un appart à {t} vers {n} euros
j'habite à {t} depuis {m} ans
elle habite chez {f} à {t}
{t} c'est loin de {t} ?
départ {h} de {t} arrivée {h} à {t}
mon adresse mail marche plus
c'est quoi ton adresse ?
tu m'envoies l'adresse stp
résidence universitaire ou coloc je sais pas
salut {f} ça va ? rdv {h}
le code c'est {n}
{n} personnes dans la rue hier à {t}
{p} euros pour une voiture jamais
le numéro {p} a gagné le lot
appelle au bureau {n} pour {f}
en {y} j'étais à {t}
dans {m} min au quai
ya {m} rues entre toi et moi lol
il y a {m} allées dans le magasin
j'ai fait {m} h de route
on prend la route à {h}
cours de {f} à {h} salle {m}
av les cours on mange ?
ch suis pas là
r de neuf ?
c pas ma place
all inclusive pour {n} euros à {t}
quel bd ?
il a pas pris la bonne avenue
cc {f} tu fais quoi ce soir
oui à {h} devant le ciné
ok pour moi
jtm bisous
{h} au parc avec {f} et {f}
bon anniversaire {f} {m} ans deja
j'ai eu {m} en maths
le bus {m} passe à {h}
t'as vu le match {t} {m} à {m}
vous êtes combien ? nous {m}
c'est le {d} ou le {d} ?
{m} bis repetita
la porte {m} est fermée
porte de {t} à {h}
y a {m} rue comme ça
{m} rue plus loin c'est là
c'est à {m} rues d'ici
{m} route possible
j'ai une place {m} rang {m}
il a pris {m} place de parking
j'ai {m} chemin différents
l'impasse totale pour {f}
le square est fermé
le lot {m} est vendu
tour {m} du match
bloc de {m} pages
la résidence est calme
l'entrée {n} euros
{m} cité dans le texte
appelle moi au {tel}
mon num c'est le {tel} a plus
c'est {f} au {tel}
{n}€ de charges
les exos {m} {n} et {n} page {n}
pages {n} {n} et {n} à apprendre
{n} euros d'inscription c'est abusé
prends le {p} à {h}
chapitre {m}, exercice {m}, page {n}
{h}... {h} max
{t} ({t})
il a fait {m} contres et {m} passes
{n} g de farine, {m} oeufs, {n} ml de lait
ça fait {n} + {n} = {p}
{d} {y} c'est ma date de naissance
tram {m} puis bus {m}
j'ai mis {n} dans la boite
salle {n} bat {m}
amphi {m} bâtiment {m}
chambre {m} hôtel à {t}
score final {m}-{m} pour {t}
{f} {f}, {f} et {f}... la totale
cordialement, {f} {f}
{f} a {m} ans et habite {t}
je suis à {t}, {f} est à {t}
<3<3<3 {f}
""".strip().split("\n")

_STREET_NAMES = (
    """
des Lilas|de la République|Jean Jaurès|Victor Hugo|des Acacias|Pasteur|de la Gare|du Moulin
de la Paix|des Écoles|du Château|Foch|Jules Ferry|du 8 Mai 1945|du 14 Juillet|de Verdun
Voltaire|Saint-Michel|du Maréchal Leclerc|du Général de Gaulle|de l'Église|des Rosiers
Léon Blum|du Port|de la Loge|Sainte-Anne|des Tilleuls|du Lavoir|Antoine de Saint-Exupéry
des Prés|de l'Abbé Grégoire|Pierre et Marie Curie|Haute|du Stade|de la Fontaine|Boieldieu
Chaptal|Proudhon|du Faubourg Boutonnet|de la Vieille Poste|Basse
""".strip()
    .replace("\n", "|")
    .split("|")
)

_TYPES = {
    "rue": (14, ("r.", "r", "rue", "rue", "Rue")),
    "avenue": (6, ("av.", "av", "ave", "aven.", "Av")),
    "boulevard": (5, ("bd", "bvd", "blvd", "bd.", "Bd", "boulvard")),
    "chemin": (4, ("ch.", "ch", "chem.", "Chemin")),
    "allée": (3, ("all.", "all", "allee", "allées")),
    "impasse": (3, ("imp.", "imp", "Impasse")),
    "place": (4, ("pl.", "pl", "Place")),
    "route": (3, ("rte", "rte.", "Route")),
    "quai": (1, ("qu.", "Quai")),
    "cours": (2, ("cours", "Cours")),
    "square": (1, ("sq.", "sq")),
    "lotissement": (1, ("lot.", "lot")),
    "résidence": (2, ("rés.", "res", "residence")),
    "faubourg": (1, ("fbg", "fg")),
    "passage": (1, ("pass.", "pge")),
    "esplanade": (1, ("espl.",)),
    "montée": (1, ("mtée",)),
    "traverse": (1, ("trav.",)),
}
_COMPLEMENTS = (
    "bât {l}|bat {l}|appt {n}|appart {n}|apt {n}|étage {n}|{n}e étage|{n}eme etage|esc {l}"
)
_COMPLEMENTS += (
    "|porte {n}|bâtiment {l}|entrée {l}|hall {n}|bloc {l}|immeuble {l}|chambre {n}|studio {n}"
)


@dataclass(frozen=True)
class Example:
    """A made message and where its addresses stand, in characters."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


class Maker:
    """Makes messages.

    Parameters
    ----------
    lexicon : Lexicon
        Towns are taken from its lists.
    seed : int
    """

    def __init__(self, lexicon: Lexicon, seed: int = SEED) -> None:
        self._draw = random.Random(seed)  # noqa: S311
        self._faker: Any = import_module("faker").Faker("fr_FR")
        self._faker.seed_instance(seed)
        self._chain = _Chain(_invented(), self._draw)
        cities = next(words for words in lexicon.lists if words.name == "cities")
        self._towns = sorted(cities.entries)

    def with_address(self) -> Example:
        """Make a message that holds an address."""
        before, after = self._around()
        parts = self._in_a_hand(before, self._address(), after)
        start = len(parts[0])
        return Example("".join(parts), ((start, start + len(parts[1])),))

    def without(self) -> Example:
        """Make a message without an address."""
        if self._draw.random() < _SHARE_OF_CHAINS:
            return Example("".join(self._in_a_hand(self._sentence())))
        return Example("".join(self._in_a_hand(self._fill(self._draw.choice(_WITHOUT)))))

    def _around(self) -> list[str]:
        """Return what stands before and behind an address."""
        before, after = self._fill(self._draw.choice(_CARRIERS)).split("{a}")
        if self._draw.random() < _SHARE_OF_CHAINS:
            before = self._sentence() + self._draw.choice((" ", ". ", " : ", ", ", "... ")) + before
        if self._draw.random() < _SHARE_OF_CHAINS:
            after += self._draw.choice((" ", ". ", ", ", "... ", " :) ", "! ")) + self._sentence()
        return [before, after]

    def _sentence(self) -> str:
        return self._fill(self._chain.sentence())

    def _fill(self, carrier: str) -> str:
        fillers: dict[str, Callable[[], str]] = {
            "{h}": lambda: f"{self._one_to(23)}h{self._draw.choice(('', '30', '15'))}",
            "{m}": lambda: str(self._one_to(30)),
            "{n}": lambda: str(self._one_to(999)),
            "{p}": lambda: str(self._draw.randint(1000, 99999)),
            "{d}": lambda: f"{self._one_to(31)} {self._draw.choice(('mars', 'juin', 'mai'))}",
            "{y}": lambda: str(self._draw.randint(1950, 2012)),
            "{tel}": self._telephone,
            "{f}": lambda: str(self._faker.first_name()),
            "{t}": self._town,
            "{x}": lambda: self._draw.choice(_STREET_NAMES),
        }
        for slot, filler in fillers.items():
            while slot in carrier:
                carrier = carrier.replace(slot, filler(), 1)
        return carrier

    def _telephone(self) -> str:
        pairs = ["06", *(f"{self._draw.randint(0, 99):02}" for _ in range(4))]
        return self._draw.choice((" ", "-", ".", "")).join(pairs)

    def _one_to(self, most: int) -> int:
        return self._draw.randint(1, most)

    def _address(self) -> str:
        comma = self._draw.choices((" ", ", ", ",", " - ", "\n"), (60, 25, 6, 3, 3))[0]
        parts = [part for part in self._parts(comma) if part]
        return comma.join(parts)

    def _parts(self, comma: str) -> list[str]:
        """Return the parts of an address, some of them left out."""
        street, chance = self._street(), self._draw.random()
        number = self._number()
        inside, place = self._inside(comma), self._place()
        if chance < 0.08:  # the number stands behind
            behind = self._draw.choice((" {}", ", {}", " au {}", " n°{}", " numero {}"))
            return [street + behind.format(number), place]
        if chance < 0.16:
            return [street, place or f"{self._postcode()} {self._town()}"]
        if chance < 0.19:
            return [f"{self._postcode()} {self._town()}"]
        first = f"{number}{self._draw.choices((' ', ', '), (8, 2))[0]}{street}"
        home = self._home() if self._draw.random() < 0.06 else ""
        return [home, *([inside] if home else []), first, *([] if home else [inside]), place]

    def _number(self) -> str:
        number = self._one_to(self._draw.choice((30, 99, 350, 999)))
        suffix = self._draw.choices(
            ("", " bis", "bis", " ter", " b", "A", "-12"), (80, 8, 4, 3, 2, 2, 1)
        )
        return f"{number}{suffix[0]}"

    def _street(self) -> str:
        kind = self._draw.choices([*_TYPES], [weight for weight, _ in _TYPES.values()])[0]
        if self._draw.random() < 0.4:
            kind = self._draw.choice(_TYPES[kind][1])
        return f"{kind} {self._street_name()}"

    def _street_name(self) -> str:
        chance = self._draw.random()
        if chance < 0.45:
            return self._draw.choice(_STREET_NAMES)
        if chance < 0.75:
            return str(self._faker.street_name()).split(" ", 1)[1]
        if chance < 0.85:
            return f"{self._draw.choice(('de', 'du', 'des', 'de la'))} {self._faker.last_name()}"
        return f"de {self._town()}"

    def _inside(self, comma: str) -> str:
        if self._draw.random() > 0.18:
            return ""
        some = self._draw.sample(_COMPLEMENTS.split("|"), self._draw.choice((1, 1, 2)))
        return comma.join(
            one.format(l=self._draw.choice("ABCDEF"), n=self._one_to(40)) for one in some
        )

    def _home(self) -> str:
        kind = self._draw.choice(("résidence", "rés.", "Résidence", "res", "cité", "lotissement"))
        name = self._draw.choice(("Les Pins", "Le Parc", "Les Cèdres", "Bellevue", "La Colline"))
        return f"{kind} {name}"

    def _postcode(self) -> str:
        ends = ("000", "100", "200", "340", "770")
        code = f"{self._draw.randint(1, 95):02}{self._draw.choice(ends)}"
        return f"{code[:2]} {code[2:]}" if self._draw.random() < 0.07 else code

    def _place(self) -> str:
        chance = self._draw.random()
        if chance < 0.3:
            return ""
        if chance < 0.37:
            return self._postcode()
        if chance < 0.55:
            return self._draw.choice(("", "", "à ")) + self._town()
        cedex = f" cedex {self._one_to(9)}" if self._draw.random() < 0.05 else ""
        box = f"BP {self._one_to(9999)} " if self._draw.random() < 0.03 else ""
        return f"{box}{self._postcode()} {self._town()}{cedex}"

    def _town(self) -> str:
        if self._draw.random() < 0.3:
            return str(self._faker.city())
        town = self._draw.choice(self._towns).title()
        return town.replace("-", " ") if self._draw.random() < 0.4 else town

    def _in_a_hand(self, *parts: str) -> list[str]:
        """Write all parts as one hand would."""
        hands: tuple[Callable[[str], str], ...] = (str, str.lower, fold, str.upper)
        hand = self._draw.choices(hands, (45, 20, 32, 3))[0]
        return [hand(part) for part in parts]


class _Chain:
    """A Markov chain of words, of the second order.

    Parameters
    ----------
    texts : iterable of str
    draw : random.Random
    """

    def __init__(self, texts: Iterable[str], draw: random.Random) -> None:
        self._draw = draw
        self._next: dict[tuple[str, str], list[str]] = {}
        for text in texts:
            words = ["", "", *text.split(" "), ""]
            for one, two, three in zip(words, words[1:], words[2:], strict=False):
                self._next.setdefault((one, two), []).append(three)
                self._next.setdefault(("*", two), []).append(three)

    def sentence(self) -> str:
        """Return a sentence of at most forty words."""
        words = ["", ""]
        while len(words) < _LONGEST_SENTENCE:
            order = self._draw.choice((words[-2], "*")) if words[-1] else words[-2]
            word = self._draw.choice(self._next[order, words[-1]])
            if not word:
                break
            words.append(word)
        return " ".join(words[2:])


_LONGEST_SENTENCE = 40


def _invented() -> list[str]:
    """Return the invented messages without an address that sentences are made of."""
    with (Path(__file__).parents[1] / "data" / "sample_fr.csv").open(encoding="utf-8") as file:
        rows = [row["text"] for row in csv.DictReader(file) if "ADR" not in row["spans"]]
    return rows + _WITHOUT + [carrier.split("{a}")[0].strip() for carrier in _CARRIERS]


def examples(maker: Maker, n_with: int, n_without: int) -> Iterator[Example]:
    """Yield made messages, first those with an address."""
    for _ in range(n_with):
        yield maker.with_address()
    for _ in range(n_without):
        yield maker.without()


def learn(made: Iterator[Example], known: KnownWords) -> AddressCrf:
    """Learn from made messages.

    Parameters
    ----------
    made : iterator of Example
    known : KnownWords

    Returns
    -------
    AddressCrf
    """
    pycrfsuite: Any = import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(_PARAMETERS)
    for example in made:
        tokens = Tokens(example.text)
        if len(tokens):
            trainer.append(word_features(tokens, known), labels_of(tokens, example.spans))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        return _weights(tagger.info())


def _weights(info: Any) -> AddressCrf:  # noqa: ANN401 (no types)
    states: dict[str, list[float]] = {}
    for (name, label), weight in info.state_features.items():
        rounded = round(weight, _DIGITS)
        if rounded:
            states.setdefault(name, [0.0] * len(LABELS))[LABELS.index(label)] = rounded
    transitions = {pair: round(weight, _DIGITS) for pair, weight in info.transitions.items()}
    return AddressCrf({name: tuple(row) for name, row in states.items()}, transitions)


def make(lexicon: Lexicon) -> AddressCrf:
    """Make the random field.

    Parameters
    ----------
    lexicon : Lexicon

    Returns
    -------
    AddressCrf
        The same for the same lists and versions of the packages.
    """
    made = examples(Maker(lexicon), _N_WITH, _N_WITHOUT)
    return learn(made, KnownWords.of(lexicon))


def main(path: str) -> None:
    """Write the weights."""
    make(load_lexicon("fr")).write(Path(path))


if __name__ == "__main__":
    main(sys.argv[1])
