"""The account of people: those whom the file and the user name, and the spellings of each.

A pass over a corpus makes an `Account` of its file, adds its rows, and then reads its `People`. A
spelling that is also a common word (`is_word`: *Petit*, *Rose*) names somebody only where its place
reads as a name; one that is a town or a brand alone is none. Initials are not among the spellings;
the article of a surname is (*Le Goff*), and the surname without it.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.data.columns import KINDS_OF_NAMES, columns_of_things, guess_column, named_columns
from triage.data.errors import as_text, whole_characters
from triage.data.table import CONTACT
from triage.dictionaries import Kind, Label, LabelledWord, Lexicon
from triage.dictionaries.normal import folded, normal, without_runs
from triage.dictionaries.pack import any_of, pairs
from triage.dictionaries.phrases import phrase_key
from triage.features.word_evidence import Habit, Places

from ..vocabulary import CERTAIN_FROM, IdentifierType
from .find import PARTICLE, POSSESSIVE, Neighbours, ScoredMessages, around
from .names import ELIDED, LONGEST, MAX_WORDS, NOM, PRE, SHORTEST, Named, NameReader
from .record import read_record
from .source import YES_OR_NO, read_rows
from .tables import TAKEN

if TYPE_CHECKING:
    from triage.data import MessageFile

    from .pipeline import Triage

Fact = tuple[str, str, str]
"""An entity, a type of identifier (empty: a whole name; `CONTACT`: perhaps one) and a spelling."""
SUR = IdentifierType.SUR
NAMES = frozenset({PRE, NOM, SUR})


def bare(name: str, particles: Container[str]) -> str:
    """Return a surname without the particles before it: *Goff*, *Anna*."""
    words = name.split()
    while len(words) > 1 and folded(words[0]) in particles:
        del words[0]
    return ELIDED.sub("", " ".join(words)) or name


# Of the table of people that a user writes or edits.
_PERSONAL = NAMES | {IdentifierType.TEL, IdentifierType.MEL, IdentifierType.PSD}
TABLE_COLUMNS = (
    *("entity", "type", "spellings", "count", "replace", "replacement"),
    *("sender", "name_of", "confirmed"),
)
_NEEDED, _MAY = (", ".join(some) for some in (TABLE_COLUMNS[:3], TABLE_COLUMNS[3:]))
_USAGE = f"a table of people has the columns {_NEEDED}, and may have {_MAY}"
# Spellings of a row are separated by semicolons; one within a spelling has a backslash before it.
_BETWEEN = re.compile(r"(?<!\\);")


@dataclass(frozen=True)
class Entry:
    """A spelling and its replacement; entries of one entity are one real thing."""

    spelling: str
    entity: str
    type: IdentifierType
    count: int = 0
    replace: bool = True
    replacement: str = ""
    sender: str = ""
    name_of: str = ""
    confirmed: bool = False

    def cells(self) -> list[object]:
        """Return the cells of a row, in the order of `TABLE_COLUMNS`."""
        texts = self.entity, self.spelling.replace(";", "\\;"), self.replacement, self.sender
        entity, spelling, *rest = map(whole_characters, (*texts, self.name_of))
        answers = "yes" if self.replace else "no", "yes" if self.confirmed else ""
        return [entity, self.type.value, spelling, self.count, answers[0], *rest, answers[1]]


def read_people(path: str | Path) -> list[Entry]:
    """Read a table that a person wrote or may have changed."""
    needed, known, key = ("spellings", "entity", "type"), TABLE_COLUMNS, "names_table"
    rows = read_rows(path, needed, _entries, strip=False, usage=_USAGE, known=known, key=key)
    return [one for entries in rows for one in entries]


def _entries(cells: Mapping[str, str]) -> list[Entry]:
    """Return the entries of a row, one for each spelling; a ValueError says what is wrong."""
    written = _BETWEEN.split(cells["spellings"])
    texts = [one.strip() for one in written] if len(written) > 1 else written
    if not texts[0]:
        raise ValueError("it has no spelling; write it, or remove the row")
    type_ = type_in(cells["type"])
    # An empty cell says nothing else than that the row is there.
    is_replaced = YES_OR_NO.get((cells.get("replace", "").strip() or "yes").lower())
    is_confirmed = YES_OR_NO.get((cells.get("confirmed", "").strip() or "no").lower())
    if is_replaced is None or is_confirmed is None:
        cell = "whether to replace" if is_replaced is None else "whether it is the sender's name"
        raise ValueError(f"{cell} is neither yes nor no")
    if is_confirmed and not cells.get("name_of"):
        raise ValueError("it confirms whose name it is, but name_of is empty")
    if is_confirmed and not is_replaced:
        raise ValueError("a name that stays cannot stand for its sender")
    try:
        count = int(float(cells.get("count", "").strip() or 0))
    except (ValueError, OverflowError):
        raise ValueError("its count is no number") from None
    names = [one.replace("\\;", ";") for one in texts if one]
    fields = type_, count, is_replaced, cells.get("replacement", "")
    sender = cells.get("sender", ""), cells.get("name_of", ""), is_confirmed
    return [Entry(name, cells["entity"].strip() or names[0], *fields, *sender) for name in names]


def type_in(cell: str) -> IdentifierType:
    if (name := cell.strip().upper()) not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    return IdentifierType(name)


def kind_of(type_: IdentifierType) -> IdentifierType:
    """Return the type that entities differ by: nicknames are with first names."""
    return PRE if type_ is SUR else type_


def facts_of(entries: Iterable[Entry]) -> list[Fact]:
    """Return the people whom a user lists; rows with a count are of what was found."""
    return [
        (one.entity, one.type.value, one.spelling)
        for one in entries
        if one.replace and one.type in _PERSONAL and not one.count
    ]


def facts_of_senders(senders: Iterable[str]) -> list[Fact]:
    """Return who sent messages: each is a name perhaps, but for numbers that stand for people."""
    return [(one, CONTACT, one) for one in senders if one and not one.isdecimal()]


Names = tuple[Named, ...]
Read = tuple[str, ...]
"""A cell, or a pair of cells: given name and surname."""


class Cell(NamedTuple):
    """A cell of the file that names a person: the names in their order, or one of them."""

    entity: str
    names: Names
    is_whole: bool = True


class Spelt(NamedTuple):
    """A spelling of a person, its type, and whether it is a common word of the language, too."""

    entity: str
    type: IdentifierType
    text: str
    is_word: bool = False


# The properties of a word that is a name, as bits: its types in the lowest two.
_TYPES, _IS_WORD, _IS_LETTER, _IS_TOWN, _HAS_PARTICLES, _IS_FREQUENT = 3, 4, 8, 16, 32, 64
_IS_CUT = 128
_CODES = {PRE: 1, SUR: 1, NOM: 2}
# Log odds of a name of somebody here, and of a word that is also such a name and has a capital
# inside a sentence, or begins one in which it reads so.
_SURE, _DOUBT = 5.0, 0.0
_CERTAIN = math.log(CERTAIN_FROM / (1 - CERTAIN_FROM))
_LAST_LINE = re.compile(r"\n\s{0,3}[-–—]?\s{0,2}$")
_NOTHING = re.compile(r"[\s.]{0,4}")
_GOES_ON = re.compile(r"\.,? {1,2}(?=[^\W\d_A-ZÀ-Þ])")
_SPACED = re.compile(r"(?:^|[\s(,])$")
# *bisousSolveig*
_GLUED = re.compile(r"[a-zß-ÿ](?=([A-ZÀ-Þ][a-zß-ÿ]{2,60})$)")


def _spellings(facts: Iterable[Fact], reader: NameReader) -> list[Spelt]:
    """Return the spellings of people, by entity; a name has a letter."""
    parts: dict[str, dict[Named, None]] = defaultdict(dict)
    for entity, type_, text in facts:
        if type_ in ("", CONTACT):
            parts[entity] |= dict.fromkeys(reader.read(text, "" if type_ else "name"))
        elif type_ not in NAMES or _letters(text):
            parts[entity][IdentifierType(type_), text] = None
    spelt = list[Spelt]()
    for entity in sorted(parts):
        for kind, text in parts[entity]:
            name = bare(text, reader.particles) if kind is NOM else text
            for spelling in dict.fromkeys((text, name)):
                is_word = kind in NAMES and all(map(reader.is_common, spelling.split()))
                spelt.append(Spelt(entity, kind, spelling, is_word))
    return spelt


def _unpossessed(word: str) -> str:
    return folded(POSSESSIVE.sub("", word))


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, folded(text)))


def _words_of(type_: IdentifierType, name: str, particles: Container[str]) -> Iterator[str]:
    """Yield the words by which a name is met in messages, also the parts of a compound surname."""
    words = name.split() if type_ in NAMES else []
    yield from (word for word in words if len(words) == 1 or folded(word) not in particles)
    if type_ is NOM:
        parts = (part for word in words for part in re.split("[-'’]", word)[:MAX_WORDS])
        yield from (one for one in parts if len(one) >= SHORTEST and folded(one) not in particles)


def _cuts(name: str) -> Iterator[str]:
    """Yield the beginnings and the ends of a given name that are short for it: *sego*, *nouk*."""
    for n in range(SHORTEST, min(len(name), LONGEST)):
        yield name[:n]
        if n > SHORTEST:
            yield name[-n:]


class People:
    """The people of a corpus; their names raise the evidence of words in their places."""

    def __init__(
        self, facts: Iterable[Fact], lexicon: Lexicon, cells: Mapping[str, Cell] | None = None
    ) -> None:
        reader, pack, self._cells = NameReader(lexicon), lexicon.pack, dict(cells or {})
        self._titles, self._towards = reader.titles, frozenset(pack.addresses.towards)
        is_sure = re.compile(rf"{any_of(pack.signatures.titles)}|\w{{3,}}").fullmatch
        self._sure_titles = {*filter(is_sure, reader.titles)}  # not *m*, *me*, *pr*: other words
        self._before_names, self.spellings = pack.spelling.before_names, _spellings(facts, reader)
        self._of_nicknames = tuple(pack.entities.of_nicknames)
        # By folded word: the entities with it in a name, its properties, the entities by initial,
        # and the particles before a surname.
        self._persons: dict[str, set[str]] = defaultdict(set)
        self._types: dict[str, int] = defaultdict(int)
        self._initials: dict[str, set[str]] = defaultdict(set)
        self._particles: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        abbreviated = {full: short for short, full in pairs(pack.addresses.saints).items()}
        for entity, type_, text, _ in self.spellings:
            for word in map(folded, _words_of(type_, text, reader.particles)):
                self._persons[word].add(entity)
                self._types[word] |= _CODES[type_]
                self._initials[word[:1]].add(entity)
            spaced, has_parts = text.replace("-", " "), type_ in NAMES and not text.isalpha()
            short = " ".join(abbreviated.get(folded(word), word) for word in spaced.split())
            for whole in dict.fromkeys((text, spaced, short)) if has_parts else ():
                self._types[_letters(whole)] |= _CODES[type_]  # *legall*, *stprix*, *jeanlou*
                name = bare(whole, reader.particles) if type_ is NOM else whole
                for word in (name, re.split("[-'’ ]", name)[0]) if name != whole else ():
                    self._particles[folded(word)].add(phrase_key(whole.removesuffix(name)))
        for word in self._types:
            lists = reader.lists_of(word)
            self._types[word] |= _IS_WORD * reader.is_common(word)
            self._types[word] |= _IS_FREQUENT * bool(lists & reader.commonest)
            self._types[word] |= _IS_TOWN * bool(lists & reader.towns)
            self._types[word] |= _HAS_PARTICLES * (word in self._particles)
        # *Đức* and *Tú* are no words, but *duc* and *tu* are: the commonest, *tu*, are no names.
        words = {normal(one.text) for one in self.spellings if one.is_word}
        for own in words:
            plain = folded(own)
            if own != plain and not reader.words_of(own):
                self._types[own] = self._types[plain] & _TYPES
                self._types[plain] *= plain in words or not self._types[plain] & _IS_FREQUENT
        particles = chain.from_iterable(chain(*self._particles.values()))
        self._telling = {one for one in particles if not reader.lists_of(one) & reader.commonest}
        self._telling -= {*abbreviated.values()}  # *on va à ste rose*
        given_names = [word for word in self._persons if self._types[word] & _CODES[PRE]]
        cuts = (one for word in given_names for one in _cuts(word) if not reader.is_word(one))
        self._codes = dict.fromkeys(cuts, _CODES[PRE] | _IS_CUT) | self._types
        self._without_runs = {without_runs(word): code for word, code in self._codes.items()}
        self._known: dict[LabelledWord, int] = {}

    def __bool__(self) -> bool:
        return bool(self.spellings)

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The cells of the file that name people, and each entity with its names, surnames last."""
        cells: dict[str, Cell] = {}
        for spelt in sorted(self.spellings, key=lambda one: one.type is NOM):
            if spelt.type in (PRE, NOM):
                names = cells[spelt.entity].names if spelt.entity in cells else ()
                # A surname without its particles stands behind the whole one.
                if not (spelt.type is NOM and names and names[-1][1].endswith(spelt.text)):
                    cells[spelt.entity] = Cell(spelt.entity, (*names, (spelt.type, spelt.text)))
        return cells | self._cells

    @cached_property
    def _wholes(self) -> dict[str, set[str]]:
        """The entities by each of their names, written as one word of two letters or more."""
        entities: dict[str, set[str]] = defaultdict(set)
        for one in self.spellings:
            if one.type in NAMES and len(one.text) >= SHORTEST and len(_letters(one.text)) > 1:
                entities[_letters(one.text)].add(one.entity)
        return entities

    def is_whole_name(self, cell: str) -> bool:
        """Return whether a cell holds two names of somebody as one word."""
        word = "" if " " in cell or len(cell) > LONGEST else _letters(cell)
        wholes, n = self._wholes, len(word)
        return any(
            word[i:j] != word[j:k] and not wholes[word[i:j]].isdisjoint(wholes[word[j:k]])
            for i, j in combinations(range(n - 1), 2)
            if word[i:j] in wholes
            for k in range(j + 2, n + 1)
            if word[j:k] in wholes
        )

    def names_somebody(self, cell: str) -> bool:
        """Return whether a cell holds a name of somebody that is neither a word nor a town."""
        codes = (self._types.get(folded(word), 0) for word in re.findall(r"[^\W\d_]+", cell))
        is_name = any(code and not code & (_IS_WORD | _IS_TOWN) for code in codes)
        return is_name or self.is_whole_name(cell)

    def type_of(self, word: LabelledWord) -> IdentifierType | None:
        """Return the type of a word that names somebody wherever it stands: *bisousSolveig*."""
        code = self._code(word)
        is_doubtful = code & (_IS_WORD | _IS_LETTER | _IS_TOWN | _IS_CUT)
        return None if is_doubtful or not code else PRE if code & _CODES[PRE] else NOM

    def raised(self, scored: ScoredMessages) -> ScoredMessages:
        """Return messages with more evidence where the name of somebody here stands."""
        words, labelled = scored.words, scored.labelled
        if words is None or not self._types:
            return scored
        self._known |= {word: self._code(word) for word in {*labelled.labels} - self._known.keys()}
        code_of = np.array([*map(self._known.__getitem__, labelled.labels)], dtype=np.uint8)
        code = code_of.take(labelled.words.form)
        if not code.any():
            return scored
        log_odds, types, near = words.log_odds.copy(), code & _TYPES, Neighbours(labelled)
        for place in np.flatnonzero(code).tolist():
            least = self._log_odds(near, words.places, place, int(code[place]))
            log_odds[place] = max(log_odds[place], least)
        for place in np.flatnonzero(code & (_IS_WORD | _IS_LETTER | _HAS_PARTICLES)).tolist():
            least = -math.inf
            n = self._n_particles(near, place) if code[place] & _HAS_PARTICLES else 0
            if code[place] & _IS_LETTER:
                is_initial = self._is_initial(near, place)
                types[place] *= is_initial
                least = _SURE if is_initial else least
            elif code[place] & _IS_WORD:
                least = self._log_odds_beside(near, place, n, log_odds)
            if n:
                types[place - n : place] = PARTICLE
                before = place - n - 1
                # *Marie de la haye*
                is_behind_name = near.gap(before) == " " and log_odds[before] >= _CERTAIN
                least = _SURE if is_behind_name or near.text(place)[0].isupper() else least
            log_odds[place] = max(log_odds[place], least)
        return replace(scored, words=replace(words, log_odds=log_odds), name_codes=types)

    def _code(self, word: LabelledWord) -> int:
        """Return the properties of a word as a name; 0 of none."""
        own, types, codes = normal(word.text), self._types, self._codes
        text = own if own in types else _unpossessed(word.text)
        text = text.replace(" ", "-")  # *Saint Martin*
        if len(text) == 1:
            return _IS_LETTER if word.text.isupper() and text in self._initials else 0
        if text not in types and re.search(r"(.)\1\1", text):
            return self._without_runs.get(without_runs(text), 0)
        if text in types or word.label in (Label.AMBIGUOUS, Label.ANTI_DICTIONARY):
            # *Omar Sy* may be a namesake, or *Saint Martin* a place.
            persons = [self._persons.get(part, set()) for part in text.split("-")]
            is_public = word.kind is Kind.PUBLIC and "-" in text
            code = types.get(text, _CODES[NOM] if is_public and set.intersection(*persons) else 0)
            return code and code | _IS_TOWN * is_public
        # *solveig34*, *les Kerbrats*, *Sol-veig*
        plain = text.strip("0123456789_-.")
        for form in (plain, plain.removesuffix("s"), plain.replace("-", "")):
            if code := codes.get(form, 0):
                return code
        whole = word.text.strip("0123456789_-.")
        if not _GLUED.search(whole) and self.is_whole_name(whole):  # *constantboulanger*
            return _CODES[PRE] | _CODES[NOM]
        if name := self.name_behind(whole):
            return (codes.get(name, 0) or self._without_runs.get(without_runs(name), 0)) & ~_IS_WORD
        # *kevindu34*, and of a name cut short what ends as nicknames do: *moniquette*
        names = codes if plain.endswith(self._of_nicknames) else types
        stems = [plain[:-n] for n in range(1, 8)] if word.label is Label.UNKNOWN else []
        found = (names.get(one, 0) for one in stems if len(one) > 4)
        return next((code | _IS_CUT for code in found if code & _CODES[PRE]), 0)

    def name_behind(self, word: str) -> str:
        """Return what is glued to the word before it: *avecSolveig*, *avecsolveigkerbrat*."""
        if glued := _GLUED.search(word):
            return folded(glued[1])
        text, codes = folded(word), self._codes
        for i in range(1, len(text) - SHORTEST) if len(text) <= LONGEST else ():
            is_sure = codes.get(text[i:], 0) and not codes[text[i:]] & _IS_WORD
            if is_sure and (text[:i] in self._before_names or text[:i] in self._types):
                return text[i:]
        return ""

    def _log_odds(self, near: Neighbours, places: Places, place: int, code: int) -> float:
        """Return the lowest log odds, by its place, of a word that is a name of somebody here."""
        if code & _IS_LETTER:
            return -math.inf
        if not code & _IS_WORD:
            is_place = near.gap(place - 1) == " " and folded(near.text(place - 1)) in self._towards
            return _DOUBT if code & _IS_CUT or (code & _IS_TOWN and is_place) else _SURE
        # A common word reads as a name if its capital may be that of one, or it is a town.
        is_capital, is_frequent = bool(places.is_capital[place]), bool(code & _IS_FREQUENT)
        if code & _IS_TOWN and not is_frequent:
            return _DOUBT
        if places.starts[place]:
            # Frequent words begin too many sentences.
            may_be = places.habit[place] != Habit.ALL_CAPITALS and not is_frequent
        else:
            may_be = places.habit[place] == Habit.SOME_INSIDE
        reads_so = is_capital and may_be
        n = self._n_particles(near, place) if code & _HAS_PARTICLES else 0
        if any(folded(near.text(at)) in self._telling for at in range(place - n, place)):
            return _SURE  # *van der berg*
        # Frequent words stand where names do without a capital, too: *merci gros bisous*.
        if is_capital or n or not is_frequent:
            reads_so = reads_so or near.stands_as_name(place, n, may_be_alone=is_capital)
        # *La photo de la tour m'a plu*: inside a sentence, what stands behind particles is a noun.
        is_subject = near.is_subject(place, n) and (not n or bool(places.starts[place - n]))
        is_owner = POSSESSIVE.search(near.text(place)) and near.stands_as_owner(place)
        return _DOUBT if reads_so or is_subject or is_owner else -math.inf

    def _n_particles(self, near: Neighbours, place: int) -> int:
        """Return how many particles of a surname stand before it."""
        n_particles = 0
        for particles in self._particles.get(_unpossessed(near.text(place)), ()):
            for n, particle in enumerate(reversed(particles)):
                before = folded(near.text(place - 1 - n)).rstrip("'")
                if before != particle or near.gap(place - 1 - n) not in ("", " ", "-"):
                    break
                n_particles = max(n_particles, n + 1)
        return n_particles

    def _log_odds_beside(
        self, near: Neighbours, place: int, n_particles: int, log_odds: NDArray[np.float64]
    ) -> float:
        """Return the lowest log odds of a word by what stands beside it: a name of the person."""
        word, first = near.text(place), place - n_particles
        persons = self._persons.get(_unpossessed(word), set())
        sides = ((first - 1, first - 1), (place + 1, place))
        beside = [neighbour for neighbour, gap in sides if near.gap(gap) in (" ", "-")]
        for at in {first, place}:
            beside += near.listed_with(at, "+/&._", apart=False)  # *petit.rose*
        least = -math.inf
        for neighbour in beside:
            other = near.text(neighbour)
            if self._are(persons, other):
                is_named = word[0].isupper() and other[0].isupper()
                if is_named or log_odds[neighbour] >= _CERTAIN:
                    return _SURE
                # *On voit constant boulanger*
                least = _DOUBT if folded(other) != folded(word) else least
        previous = place - 1 - (near.text(place - 1) == ".")
        before, gap = near.text(previous), near.gap(place - 1)
        is_capital, initials = word[0].isupper(), self._initials.get(folded(before), set())
        is_initial = len(before) == 1 and before.isupper() and not initials.isdisjoint(persons)
        if is_initial and is_capital and gap == " ":  # *T. Blanc*
            return _SURE
        is_title = folded(before) in (self._titles if is_capital else self._sure_titles)
        by_title = _SURE if is_capital or len(before) >= SHORTEST else _DOUBT  # *dr bien sur*
        return max(least, by_title) if is_title and gap in (" ", "") else least

    def _are(self, persons: set[str], name: str) -> bool:
        return not self._persons.get(folded(name), set()).isdisjoint(persons)

    def _is_initial(self, near: Neighbours, place: int) -> bool:
        """Return whether a letter stands for a name: *on voit J. demain*, *Marie D.*, a last line.

        A title (*M.*) is none but there.
        """
        letter, (text, start, end) = folded(near.text(place)), near.span(place)
        before, behind = around(text, start, end)
        if before[-1:].isalnum() or behind[:1].isalnum():
            return False
        if _LAST_LINE.search(before) and _NOTHING.fullmatch(behind):
            return True
        if behind[:1] != "." or letter in self._titles:
            return False
        if _SPACED.search(before) and _GOES_ON.match(behind):
            return True
        neighbours = [place - 1] * (near.gap(place - 1) == " ")
        neighbours += [place + 2] * (near.text(place + 1) == "." and near.gap(place + 1) == " ")
        return any(self._are(self._initials[letter], near.text(i)) for i in neighbours)


class Account:
    """Gathers the people of a corpus from the cells of its rows, each distinct one once."""

    def __init__(
        self,
        lexicon: Lexicon,
        columns: Sequence[str] = (),
        text: int | None = None,
        sender: int | None = None,
        facts: Iterable[Fact] = (),
        file: "MessageFile | None" = None,
    ) -> None:
        self._lexicon, self._facts, self._file = lexicon, [*facts], file
        self._reader = NameReader(lexicon)
        given_names, surnames, wholes = (named_columns(columns, kind) for kind in KINDS_OF_NAMES)
        pairs = [*zip(given_names, [*surnames, *wholes], strict=False)]
        senders = {sender, guess_column(columns, "sender"), guess_column(columns, "thread")}
        senders |= {*named_columns(columns, "recipient")}
        # Columns by what they hold: pairs of a given name and a surname, names, whatever; and the
        # distinct cells of each.
        self._columns: list[tuple[tuple[int, ...], tuple[str, ...], dict[Read, None]]]
        self._columns = [(pair, (PRE, NOM), {}) for pair in pairs]
        for places, kind in ((given_names, PRE), (surnames, NOM), (wholes, "name")):
            self._columns += [((i,), (kind,), {}) for i in places if i not in chain(*pairs)]
        self._columns += [((i,), ("",), {}) for i in sorted(i for i in senders if i is not None)]
        taken = {text, *columns_of_things(columns)}.union(*(one for one, _, _ in self._columns))
        # Who decided is nobody of the corpus.
        taken |= {i for i, name in enumerate(columns) if name in TAKEN}
        self._columns += [((i,), _OTHER, {}) for i in range(len(columns)) if i not in taken]
        kinds = named_columns(columns, "kind")
        self._events = (kinds[0], text) if kinds and text is not None else None
        self._event_texts: dict[str, None] = {}

    @classmethod
    def of(
        cls, triage: "Triage", file: "MessageFile", senders: Iterable[str] = ()
    ) -> "Account | None":
        """Return an account of an open file, and senders elsewhere; None where none is wanted."""
        if triage.people is None:
            return None
        run = read_record(file.name)
        recorded = [(entity, type_, name) for entity, type_, name in run["people"]] if run else []
        facts = [*triage.people, *recorded, *facts_of_senders(senders)]
        places = file.text_position, file.sender_position
        return cls(triage.lexicon, file.columns, *places, facts, file)

    def add(self, rows: Sequence[Sequence[object]]) -> None:
        self.add_columns(lambda column: [row[column] for row in rows])

    def add_columns(self, column: Callable[[int], Sequence[object]]) -> None:
        """Add columns of rows; `column` returns the cells of one by its position."""
        for entry in [*self._columns]:
            positions, kinds, cells = entry
            rows, n_before = [*zip(*map(column, positions), strict=True)], len(cells)
            cells.update((tuple(map(_as_read, row)), None) for row in _distinct(rows))
            # The first cells of most columns show that they hold no names.
            is_judged = n_before < _LOOKED_AT <= len(cells) or len(cells) > _MAX_PEOPLE
            if kinds == _OTHER and is_judged and not _are_names(cells, self._reader):
                self._columns.remove(entry)
        if self._events:
            events = zip(*map(column, self._events), strict=True)
            texts = (as_text(text) for kind, text in events if as_text(kind) in EVENTS)
            self._event_texts |= dict.fromkeys(texts)

    @cached_property
    def facts_outside(self) -> list[Fact]:
        """The people whom the user, or the file outside its rows, names."""
        return [*self._facts, *(self._file.persons() if self._file else ())]

    @cached_property
    def people(self) -> People:
        """The people of all rows that were added, and those of `facts_outside`.

        The same names are one entity; a single name is that of its bearer.
        """
        bearers: dict[str, set[str]] = defaultdict(set)
        for entity, _, spelling in self.facts_outside:
            for word in (spelling, *spelling.split()):
                bearers[folded(word)].add(entity)
        by_names: dict[frozenset[str], str] = {}
        facts: dict[Fact, None] = {}
        cells: dict[str, Cell] = {}
        for cell, parts in self._known():
            key = frozenset(folded(text) for _, text in parts)
            common = set[str].intersection(*(bearers[word] for word in key))
            usual = " ".join(text for _, text in parts)
            entity = common.pop() if len(common) == 1 else by_names.setdefault(key, usual)
            for word in key:
                bearers[word].add(entity)
            facts.update(dict.fromkeys((entity, type_.value, text) for type_, text in parts))
            if len(cell) == 1:
                cells.setdefault(cell[0], Cell(entity, parts))
                continue
            for text, kind in zip(cell[::-1], (NOM, PRE), strict=True):
                of_kind = tuple(part for part in parts if part[0] is kind)
                cells.setdefault(text, Cell(entity, of_kind, is_whole=False))
        return People([*self.facts_outside, *facts], self._lexicon, cells)

    def _known(self) -> list[tuple[Read, Names]]:
        """Return the cells that name somebody, and their names; those of most names first."""
        reader, names_of = self._reader, dict[Read, Names]()
        for _, kinds, cells in self._columns:
            if kinds == _OTHER and not _are_names(cells, reader):
                continue
            for cell in cells:
                texts = zip(cell, kinds, strict=True)
                readings = (reader.read(text, kind) for text, kind in texts if not text.isdecimal())
                if parts := tuple(part for names in readings for part in names):
                    names_of[cell] = parts
        # Runs of capitals in the events of a chat may be names of people.
        particle = "|".join(map(re.escape, sorted(reader.particles)))
        names = re.compile(rf"{_CAPITAL}(?:(?: (?:{particle}))* {_CAPITAL}){{0,3}}")
        for event in self._event_texts:
            for match in names.finditer(_QUOTED.sub(" ", event)):
                if parts := tuple(reader.read(match[0])):
                    names_of[match[0],] = parts
        first = {cell: cell[0] if len(cell) == 1 else str(cell) for cell in names_of}
        return sorted(names_of.items(), key=lambda one: (-len(one[1]), first[one[0]]))


def _distinct(rows: list[tuple[object, ...]]) -> Iterable[tuple[object, ...]]:
    try:
        return dict.fromkeys(rows)
    except TypeError:  # objects among the cells
        return rows


def _as_read(cell: object) -> str:
    return as_text(cell) if isinstance(cell, str | dict | list) else ""


def _are_names(cells: Collection[Read], reader: NameReader) -> bool:
    first = (cell for (cell,) in islice(cells, _LOOKED_AT))
    return len(cells) <= _MAX_PEOPLE and reader.are_names(first)


# The kind of a column of any other name, such as *Élève (NOM Prénom)*: it is read if most of its
# first cells are names. With more different cells it holds something else.
_OTHER, _MAX_PEOPLE, _LOOKED_AT = ("other",), 20_000, 200
EVENTS = frozenset({"system", "service"})
_QUOTED = re.compile(r"“[^”]{0,200}”|«[^»]{0,200}»|\"[^\"]{0,200}\"|‘[^’]{0,200}’")
_CAPITAL = r"[A-ZÀ-Þ][\w'’-]*"
