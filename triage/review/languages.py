"""What the page says, in French and in English, and how each language writes numbers."""

from collections.abc import Mapping
from typing import NamedTuple

DEFAULT = "en"
_NO_BREAK = "\u00a0"

# Keys that end in `.one` and `.many` are of a number: French has the singular below 2.
_BOTH: dict[str, tuple[str, str]] = {
    # Page
    "title.desk": ("Pupitre", "Desk"),
    "title.table": ("Tableau", "Table"),
    "title.status": ("État", "Status"),
    "title.adjudicate": ("Désaccords", "Disagreements"),
    "title.confirm": ("Confirmer", "Confirm"),
    "title.error": ("Refusé", "Refused"),
    "nav": ("Pages", "Pages"),
    "skip_link": ("Aller au contenu", "Skip to content"),
    "annotator": ("Annotateur : {name}", "Annotator: {name}"),
    "language": ("English", "Français"),
    "help": ("Touches", "Keys"),
    "close": ("Fermer", "Close"),
    "cancel": ("Annuler", "Cancel"),
    "retry": ("Réessayer", "Try again"),
    "offline": (
        "Non enregistré : le serveur ne répond pas. Rien n’est perdu sur cette page.",
        "Not saved: the server does not answer. Nothing on this page is lost.",
    ),
    "no_script": (
        "Sans JavaScript, TA prend les mots déjà marqués ; les mots ne se marquent pas un à un.",
        "Without JavaScript, TA takes the words marked already; words cannot be marked one by one.",
    ),
    # Progress
    "progress": ("Avancement", "Progress"),
    "decided.one": ("{n} décidé", "{n} decided"),
    "decided.many": ("{n} décidés", "{n} decided"),
    "left.one": ("{n} restant", "{n} left"),
    "left.many": ("{n} restants", "{n} left"),
    "skipped.one": ("{n} passé", "{n} skipped"),
    "skipped.many": ("{n} passés", "{n} skipped"),
    "per_hour": ("{n} par heure", "{n} an hour"),
    "time_left": ("encore {time}", "{time} to go"),
    "corpus_decided": ("corpus décidé à {share}", "{share} of the corpus decided"),
    # Message
    "message": ("Message {n}", "Message {n}"),
    "message_region": ("Message à lire", "Message to read"),
    "sender": ("expéditeur\u00a0{sender}", "sender\u00a0{sender}"),
    "sender_only": ("Seulement cet expéditeur", "This sender only"),
    "same_text.many": ("{n} messages identiques", "{n} messages read so"),
    "doubled": ("lu par deux annotateurs", "read by two annotators"),
    "model": ("modèle", "model"),
    "score": ("score {n}", "score {n}"),
    "you_said": ("Vous avez répondu {answer}.", "You answered {answer}."),
    "settled": ("Réglé : {answer}.", "Settled: {answer}."),
    "rest.one": ("Encore {n} caractère", "{n} more character"),
    "rest.many": ("Encore {n} caractères", "{n} more characters"),
    "rest_note": (
        "Message très long : les mots d’ici ne se marquent pas.",
        "A very long message: words here cannot be marked.",
    ),
    "context": ("Messages du même expéditeur", "Messages of the same sender"),
    "context.before": ("Avant", "Before"),
    "context.after": ("Après", "After"),
    # Words
    "word": ("Mot", "Word"),
    "word.none": ("Choisissez un mot : flèches ou clic.", "Choose a word: arrows or click."),
    "word.type": ("Type d’identifiant", "Type of identifier"),
    "word.always": ("Toujours un nom", "Always a name"),
    "word.never": ("Jamais un nom", "Never a name"),
    "word.join": ("Joindre au suivant", "Join with next"),
    "word.mark": ("Marquer", "Mark"),
    "word.evidence": ("évidence {n}", "evidence {n}"),
    "word.rule": ("règle : {rule} ({read_as})", "rule: {rule} ({read_as})"),
    "legend": ("Légende", "Legend"),
    "legend.marked": ("marqué comme identifiant", "marked as an identifier"),
    "label.DICTIONARY": ("dictionnaire de noms", "dictionary of names"),
    "label.AMBIGUOUS": ("ambigu : nom ou mot courant", "ambiguous: name or common word"),
    "label.UNKNOWN": ("inconnu", "unknown"),
    "label.ANTI_DICTIONARY": ("mot courant", "common word"),
    "type.PRE": ("prénom", "first name"),
    "type.NOM": ("nom", "last name"),
    "type.SUR": ("surnom", "nickname"),
    "type.ADR": ("adresse", "address"),
    "type.LIE": ("lieu", "place"),
    "type.TEL": ("téléphone", "telephone"),
    "type.COD": ("code", "code"),
    "type.URL": ("lien", "link"),
    "type.MAR": ("marque", "brand"),
    "type.MEL": ("courriel", "e-mail"),
    # Answers
    "answer": ("Réponse", "Answer"),
    "answer.TA": ("À anonymiser", "To anonymise"),
    "answer.NTA": ("Rien à anonymiser", "Nothing to anonymise"),
    "answer.SKIP": ("Passer", "Skip"),
    "answer.undo": ("Défaire", "Undo"),
    "answer.take": ("Prendre", "Take"),
    "answer.no_take": (
        "Un vote dit TA et aucun mot n’est marqué : choisissez vous-même, TA ou NTA.",
        "A vote says TA and no word is marked: choose yourself, TA or NTA.",
    ),
    "answer.later": ("Plus tard", "Later"),
    "answer.none": ("ouvert", "open"),
    "marked.one": ("{n} identifiant", "{n} identifier"),
    "marked.many": ("{n} identifiants", "{n} identifiers"),
    # What was done
    "said.TA": ("TA noté.", "TA noted."),
    "said.NTA": ("NTA noté.", "NTA noted."),
    "said.SKIP": ("Passé.", "Skipped."),
    "said.same": ("C’était déjà noté.", "That was noted already."),
    "said.all": ("{answer} noté pour {items}.", "{answer} noted for {items}."),
    "said.adjudicated": ("Désaccord réglé : {answer}.", "Disagreement settled: {answer}."),
    "said.always": (
        "« {word} » est toujours un nom : {items}.",
        "“{word}” is always a name: {items}.",
    ),
    "said.never": (
        "« {word} » n’est jamais un nom : {items}.",
        "“{word}” is never a name: {items}.",
    ),
    "said.undone": ("Défait : {answer}.", "Undone: {answer}."),
    "said.undone_all": ("Défait : {answer} pour {items}.", "Undone: {answer} for {items}."),
    "said.undone_word": (
        "Défait : la règle de « {word} », et {items}.",
        "Undone: the rule of “{word}”, and {items}.",
    ),
    "said.undone_import": ("Défait : l’import, {items}.", "Undone: the import, {items}."),
    "said.nothing_to_undo": ("Rien à défaire.", "Nothing to undo."),
    "said.stale_undo": (
        "Rien n’a été défait : cette page n’était plus à jour.",
        "Nothing was undone: this page was out of date.",
    ),
    "said.stale_word": (
        "Rien n’a été fait : cette page n’était plus à jour.",
        "Nothing was done: this page was out of date.",
    ),
    "items.one": ("{n} texte", "{n} text"),
    "items.many": ("{n} textes", "{n} texts"),
    "messages.one": ("{n} message", "{n} message"),
    "messages.many": ("{n} messages", "{n} messages"),
    # Empty
    "done": ("Rien d’autre à décider.", "Nothing else to decide."),
    "done.filtered": (
        "Rien d’ouvert sous ce filtre.",
        "Nothing is open under this filter.",
    ),
    "done.skipped": ("Revoir les messages passés", "See the skipped messages"),
    "done.adjudicate": ("Aucun désaccord à régler.", "No disagreement to settle."),
    # Filters
    "filters": ("Chercher et filtrer", "Search and filter"),
    "filters.word": ("Mots", "Words"),
    "filters.sender": ("Expéditeur", "Sender"),
    "filters.state": ("État", "State"),
    "filters.seek_hide": ("Seek&Hide", "Seek&Hide"),
    "filters.model": ("Modèle", "Model"),
    "filters.order": ("Ordre", "Order"),
    "filters.any": ("tous", "all"),
    "filters.apply": ("Appliquer", "Apply"),
    "filters.clear": ("Enlever le filtre", "Remove the filter"),
    "state.open": ("à décider", "open"),
    "state.decided": ("décidés", "decided"),
    "state.skipped": ("passés", "skipped"),
    "state.disagreed": ("désaccords", "disagreements"),
    "state.all": ("tous", "all"),
    "order.learning": ("les plus instructifs d’abord", "most instructive first"),
    "order.doubt": ("les plus douteux d’abord", "most doubtful first"),
    "order.file": ("du fichier", "as in the file"),
    "order.random": ("au hasard", "random"),
    # Rule of a word
    "confirm.always": ("« {word} », toujours un nom ?", "“{word}”, always a name?"),
    "confirm.never": ("« {word} », jamais un nom ?", "“{word}”, never a name?"),
    "confirm.held.one": (
        "{n} texte ouvert ({messages}) contient ce mot.",
        "{n} open text ({messages}) holds this word.",
    ),
    "confirm.held.many": (
        "{n} textes ouverts ({messages}) contiennent ce mot.",
        "{n} open texts ({messages}) hold this word.",
    ),
    "confirm.settled_ta.one": (
        "{n} serait décidé TA, ce mot marqué {type}.",
        "{n} would be decided TA, with this word marked {type}.",
    ),
    "confirm.settled_ta.many": (
        "{n} seraient décidés TA, ce mot marqué {type}.",
        "{n} would be decided TA, with this word marked {type}.",
    ),
    "confirm.settled_nta.one": ("{n} serait décidé NTA.", "{n} would be decided NTA."),
    "confirm.settled_nta.many": ("{n} seraient décidés NTA.", "{n} would be decided NTA."),
    "confirm.open.one": (
        "{n} reste ouvert, sans cette suggestion.",
        "{n} stays open, without this suggestion.",
    ),
    "confirm.open.many": (
        "{n} restent ouverts, sans cette suggestion.",
        "{n} stay open, without this suggestion.",
    ),
    "confirm.kept": (
        "Le mot entre dans les listes de ce corpus. Cela se défait.",
        "The word goes to the lists of this corpus. This can be undone.",
    ),
    "confirm.yes": ("Oui, appliquer", "Yes, apply"),
    # Table
    "table.choose_row": ("Choisir le message {n}", "Choose message {n}"),
    "table.choose_all": ("Choisir toute la page", "Choose the whole page"),
    "table.number": ("N°", "No."),
    "table.text": ("Message", "Message"),
    "table.votes": ("Votes", "Votes"),
    "table.suggestion": ("Suggestion", "Suggestion"),
    "table.no_suggestion": ("aucune", "none"),
    "table.answer": ("Votre réponse", "Your answer"),
    "table.chosen": ("Pour les messages choisis", "For the chosen messages"),
    "table.ta_note": (
        "TA prend les mots suggérés de chaque message, encadrés ici.",
        "TA takes the words suggested in each message, framed here.",
    ),
    "table.range": ("{first} à {last} sur {n}", "{first} to {last} of {n}"),
    "table.empty": ("Aucun message sous ce filtre.", "No message under this filter."),
    "table.previous": ("Page précédente", "Previous page"),
    "table.next": ("Page suivante", "Next page"),
    "table.settled": ("réglé : {answer}", "settled: {answer}"),
    # Status
    "status.corpus": ("Corpus", "Corpus"),
    "status.file": ("Fichier", "File"),
    "status.messages": ("Messages", "Messages"),
    "status.expert": ("Messages pour l’expert", "Messages for the expert"),
    "status.items": ("Textes distincts pour l’expert", "Distinct texts for the expert"),
    "status.final": ("Textes réglés", "Texts settled"),
    "status.disagreed": ("Textes en désaccord", "Texts in disagreement"),
    "status.doubled": ("Textes lus par deux", "Texts read by two"),
    "status.decided": ("Messages décidés", "Messages decided"),
    "status.annotators": ("Annotateurs", "Annotators"),
    "status.annotator": ("Annotateur", "Annotator"),
    "status.texts_decided": ("Textes décidés", "Texts decided"),
    "status.agreement": ("Accord", "Agreement"),
    "status.pair": ("Annotateurs", "Annotators"),
    "status.both": ("Lus par les deux", "Read by both"),
    "status.kappa": ("Kappa de Cohen", "Cohen’s kappa"),
    "status.interval": ("Intervalle à 95 %", "95% interval"),
    "status.no_kappa": ("non défini", "not defined"),
    "status.disagreements": ("Désaccords", "Disagreements"),
    "status.none": ("aucun", "none"),
    "status.nobody": ("Personne n’a encore décidé.", "Nobody has decided yet."),
    "status.lists": ("Listes de ce corpus", "Lists of this corpus"),
    "status.always": ("Toujours un nom", "Always a name"),
    "status.never": ("Jamais un nom", "Never a name"),
    "status.empty_list": ("liste vide", "empty list"),
    "status.add_word": ("Ajouter un mot", "Add a word"),
    "status.recent": ("Décisions récentes", "Recent decisions"),
    "status.when": ("Quand", "When"),
    "status.what": ("Quoi", "What"),
    "status.hidden": (
        "caché tant qu’un des messages est ouvert",
        "hidden while one of its messages is open",
    ),
    "status.undone": ("défait", "undone"),
    "kind.message": ("réponse", "answer"),
    "kind.word": ("règle d’un mot", "rule of a word"),
    "kind.undo": ("défaire", "undo"),
    "kind.import": ("import", "import"),
    "kind.adjudication": ("désaccord réglé", "disagreement settled"),
    # Adjudication
    "adjudicate.answers": ("Ce que chacun a répondu", "What each answered"),
    "adjudicate.take": ("Prendre la réponse de {name}", "Take the answer of {name}"),
    "adjudicate.other": ("Ou une autre réponse", "Or another answer"),
    "adjudicate.no_spans": ("aucun mot marqué", "no word marked"),
    "adjudicate.settled": ("Ce désaccord est réglé.", "This disagreement is settled."),
    "adjudicate.left.one": ("{n} désaccord", "{n} disagreement"),
    "adjudicate.left.many": ("{n} désaccords", "{n} disagreements"),
    # Keys
    "keys.take": (
        "Prendre la suggestion, avec les mots marqués",
        "Take the suggestion, with the words marked",
    ),
    "keys.ta": ("À anonymiser, avec les mots marqués", "To anonymise, with the words marked"),
    "keys.nta": ("Rien à anonymiser", "Nothing to anonymise"),
    "keys.skip": ("Passer ; le message revient à la fin", "Skip; the message comes back last"),
    "keys.undo": ("Défaire la dernière décision", "Undo the last decision"),
    "keys.arrows": ("Mot précédent, mot suivant", "Previous word, next word"),
    "keys.space": ("Marquer le mot, ou le démarquer", "Mark the word, or unmark it"),
    "keys.types": (
        "Type du mot : PRE, NOM, SUR, ADR, LIE, TEL, COD, URL, MAR, MEL",
        "Type of the word: PRE, NOM, SUR, ADR, LIE, TEL, COD, URL, MAR, MEL",
    ),
    "keys.join": ("Joindre le mot au suivant", "Join the word with the next one"),
    "keys.always": ("Ce mot est toujours un nom", "This word is always a name"),
    "keys.never": ("Ce mot n’est jamais un nom", "This word is never a name"),
    "keys.search": ("Chercher et filtrer", "Search and filter"),
    "keys.help": ("Cette aide", "This help"),
    "keys.on": ("Touches actives", "Keys active"),
    "key.enter": ("Entrée", "Enter"),
    "key.space": ("Espace", "Space"),
    # Errors
    "error.token": (
        "Cette page demande l’adresse entière que « triage review » a affichée, avec son jeton. "
        "Si le serveur a été relancé, ouvrez la nouvelle adresse.",
        "This page needs the whole address that “triage review” printed, with its token. "
        "If the server was started again, open the new address.",
    ),
    "error.again": ("Essayer encore", "Try again"),
    "error.host": (
        "Ce serveur ne répond pas à ce nom d’hôte : ouvrez l’adresse que « triage review » a "
        "affichée.",
        "This server does not answer to this host name: open the address that “triage review” "
        "printed.",
    ),
    "error.origin": (
        "La demande ne vient pas de cette page : rien n’a été fait.",
        "The request does not come from this page: nothing was done.",
    ),
    "error.form": (
        "Le formulaire est incomplet ou mal formé : rien n’a été fait. Rechargez la page.",
        "The form is incomplete or malformed: nothing was done. Reload the page.",
    ),
    "error.large": (
        "Le formulaire est trop grand : rien n’a été fait.",
        "The form is too large: nothing was done.",
    ),
    "error.method": ("Cette page ne permet pas cela.", "This page does not allow that."),
    "error.gone": (
        "Il n’y a pas de telle page, ou pas de tel message dans cette file.",
        "There is no such page, or no such message in this queue.",
    ),
    "error.stale": (
        "Ce message a été décidé entre-temps, ailleurs : rien n’a été noté. Rechargez la page.",
        "This message was decided elsewhere in the meantime: nothing was noted. Reload the page.",
    ),
    "error.no_dispute": (
        "Les annotateurs ne sont pas en désaccord sur ce message.",
        "Annotators do not differ on this message.",
    ),
    "error.own_dispute": (
        "Vous avez répondu à ce message : quelqu’un d’autre règle ce désaccord, sauf si "
        "« triage review » est lancé avec --adjudicate-own.",
        "You have answered this message: somebody else settles this disagreement, unless "
        "“triage review” is started with --adjudicate-own.",
    ),
    "error.word": (
        "Une règle vaut pour un seul mot : marquez plusieurs mots message par message.",
        "A rule is of one word: mark several words message by message.",
    ),
    "error.refused": (
        "La file a refusé : rien n’a été noté. Rechargez la page.",
        "The queue refused this: nothing was noted. Reload the page.",
    ),
    "error.disk": (
        "Non enregistré : le fichier de la file ne se laisse pas lire ou écrire (disque plein, "
        "fichier occupé ?).",
        "Not saved: the queue’s file cannot be read or written (disk full, file busy?).",
    ),
    "error.server": (
        "Une erreur du programme. Les décisions déjà notées sont sur le disque.",
        "An error of the program. What was noted before is on the disk.",
    ),
    "error.back": ("Retour au pupitre", "Back to the desk"),
    "login": ("Ouvrir le pupitre", "Open the desk"),
    # Lists, as a label's reason names them
    "list.brands": ("marques", "brands"),
    "list.calendar": ("calendrier", "calendar"),
    "list.cities": ("villes", "towns"),
    "list.common_first_names": ("prénoms courants", "common first names"),
    "list.commonest_first_names": ("prénoms très courants", "very common first names"),
    "list.commonest_forms": ("mots les plus fréquents", "most frequent words"),
    "list.countries": ("pays", "countries"),
    "list.dicollecte_forms": ("formes du français (Dicollecte)", "forms of French (Dicollecte)"),
    "list.famous_names": ("noms célèbres", "famous names"),
    "list.first_names": ("prénoms", "first names"),
    "list.foreign_words": ("mots anglais et espagnols", "English and Spanish words"),
    "list.frequent_forms": ("formes fréquentes", "frequent forms"),
    "list.further_first_names": ("autres prénoms", "further first names"),
    "list.inflected_forms": ("formes fléchies (LEFFF)", "inflected forms (LEFFF)"),
    "list.languages": ("langues et gentilés", "languages and demonyms"),
    "list.last_names": ("noms de famille", "last names"),
    "list.nicknames": ("diminutifs", "pet names"),
    "list.places": ("lieux", "places"),
    "list.pronouns": ("pronoms", "pronouns"),
    "list.public_persons": ("personnes publiques", "public persons"),
    "list.sms_forms": ("formes du SMS", "text-message forms"),
    "list.in no list": ("dans aucune liste", "in no list"),
    "rule.missing_accents": ("accents manquants", "missing accents"),
    "rule.misplaced_accents": ("accents mal placés", "misplaced accents"),
    "rule.letter_repetitions": ("lettres répétées", "repeated letters"),
    "rule.onomatopoeia": ("onomatopée", "onomatopoeia"),
    "rule.apostrophe_omitted": ("apostrophe omise", "apostrophe left out"),
    "rule.concatenation": ("mots collés", "words run together"),
    "rule.parts": ("mot composé", "compound"),
    "rule.number_and_word": ("nombre et mot", "number and word"),
    "rule.misspelling": ("faute de frappe", "misspelling"),
    "rule.swapped_letters": ("lettres interverties", "swapped letters"),
    "rule.cut_short": ("mot coupé", "word cut short"),
    "form.TEL": ("forme d’un numéro de téléphone", "form of a telephone number"),
    "form.MEL": ("forme d’un courriel", "form of an e-mail address"),
    "form.URL": ("forme d’un lien", "form of a link"),
    "form.COD": ("forme d’un code", "form of a code"),
    "form.ADR": ("forme d’une adresse", "form of an address"),
    "form.MASKED": ("déjà masqué", "masked already"),
    "form.NUMBER": ("nombre", "number"),
    "form.HOUR": ("heure", "hour"),
    "form.SMILEY": ("émoticône", "smiley"),
    "form.EMOJI": ("emoji", "emoji"),
    "form.PUNCTUATION": ("ponctuation", "punctuation"),
}


class Language(NamedTuple):
    """How a language writes numbers."""

    code: str
    thousands: str
    point: str
    percent: str
    singular_below: int


_FRENCH = Language("fr", "\u202f", ",", "\u202f%", 2)
_ENGLISH = Language("en", ",", ".", "%", 2)
STRINGS: dict[str, dict[str, str]] = {
    "fr": {key: french for key, (french, _) in _BOTH.items()},
    "en": {key: english for key, (_, english) in _BOTH.items()},
}


class Speech:
    r"""What the page says in one language; templates know it as ``t``.

    Parameters
    ----------
    language : Language
    strings : mapping of str to str

    Examples
    --------
    >>> french = speech("fr")
    >>> french("message", n=3), french.count("left", 1200), french.decimal(0.5)
    ('Message 3', '1\u202f200 restants', '0,50')
    """

    def __init__(self, language: Language, strings: Mapping[str, str]) -> None:
        self._language = language
        self._strings = strings

    @property
    def code(self) -> str:
        """``fr`` or ``en``."""
        return self._language.code

    def __call__(self, key: str, **values: object) -> str:
        """Return what a key says; KeyError where there is no such key."""
        return self._strings[key].format(**values)

    def known(self, key: str, otherwise: str) -> str:
        """Return what a key says, or something else where there is no such key."""
        return self._strings.get(key, otherwise)

    def count(self, key: str, n: int, **values: object) -> str:
        """Return what a key says of a number of things."""
        one = n < self._language.singular_below and (n == 1 or self.code == "fr")
        return self(f"{key}.{'one' if one else 'many'}", n=self.number(n), **values)

    def number(self, n: int) -> str:
        """Return a whole number as it is written."""
        return f"{n:,}".replace(",", self._language.thousands)

    def decimal(self, value: float) -> str:
        """Return a number with two decimals."""
        return f"{value:.2f}".replace(".", self._language.point).replace("-", "\u2212")

    def share(self, part: int, whole: int) -> str:
        """Return a share in percent, rounded down, so that 100 % is all."""
        tenths = part * 1000 // whole if whole else 1000
        return f"{tenths / 10:.1f}".replace(".", self._language.point) + self._language.percent

    def duration(self, seconds: float) -> str:
        r"""Return a time that something takes, in minutes or hours.

        Examples
        --------
        >>> speech("en").duration(30), speech("fr").duration(5400)
        ('1\xa0min', '1\xa0h\xa030')
        """
        minutes = max(1, round(seconds / 60))
        shown = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
        return shown.replace(" ", _NO_BREAK)


_SPEECHES = {
    language.code: Speech(language, STRINGS[language.code]) for language in (_FRENCH, _ENGLISH)
}


def speech(code: str) -> Speech:
    """Return what the page says in a language."""
    return _SPEECHES[code]


def chosen(cookie: str, default: str | None, accepted: str) -> Speech:
    """Return the language of a page.

    Parameters
    ----------
    cookie : str
        What a switch on the page has set; empty if nothing.
    default : str, optional
        What the server was told.
    accepted : str
        The browser's ``Accept-Language``.

    Examples
    --------
    >>> chosen("", None, "de,fr;q=0.8,en;q=0.5").code, chosen("en", None, "fr").code
    ('fr', 'en')
    """
    for code in (cookie, default or "", *_by_preference(accepted)):
        if code in _SPEECHES:
            return _SPEECHES[code]
    return _SPEECHES[DEFAULT]


def _by_preference(accepted: str) -> list[str]:
    ranked = []
    for part in accepted.split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), tag.partition("-")[0].lower()))
        except ValueError:
            continue
    return [code for _, code in sorted(ranked, key=lambda rank: rank[0])]
