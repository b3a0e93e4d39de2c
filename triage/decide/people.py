"""The account of people: who the file and the user name, how each is spelt, where it counts.

Whoever passes over a corpus makes an `Account` of its file, hands it on, and asks it afterwards for
its `People`::

    account = Account.of(triage, file)
    with used_chunks(triage, file, use, account=account) as results:
        ...
    people = account.people
    for one in people.spellings():      # what check and mining look for
        one.entity, one.type, one.text, one.is_word

A `NameReader` takes whole names in cells apart into given names and surnames. A spelling that is
also a common word (`is_word`: *Petit*, *Rose*) names somebody only where its place reads as a name;
one that is a town or a brand alone is none. Initials are not among the spellings; the article of a
surname is (*Le Goff*), and the surname without it. A table of people, which a user may edit, has an
`Entry` for each spelling.
"""

import json
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.data.columns import guess_column, named_columns
from triage.data.errors import as_text, whole_characters
from triage.data.table import CONTACT
from triage.dictionaries import Label, LabelledWord, Lexicon
from triage.dictionaries.lexicon import ALL_LAST_NAMES, FIRST_NAMES, LAST_NAMES, PERSON_NAMES
from triage.dictionaries.normal import folded, normal, without_runs
from triage.dictionaries.phrases import phrase_key
from triage.features.word_evidence import Habit, Places

from ..vocabulary import CERTAIN_FROM, IdentifierType
from .find import PARTICLE, POSSESSIVE, Neighbours, ScoredMessages
from .source import SAID, read_rows

if TYPE_CHECKING:
    from triage.data import MessageFile

    from .pipeline import Triage

Fact = tuple[str, str, str]
"""An entity, a type of identifier (empty: a whole name; `CONTACT`: perhaps one) and a spelling."""
PRE, NOM, SUR = IdentifierType.PRE, IdentifierType.NOM, IdentifierType.SUR
_TEL, _MEL, _PSD = IdentifierType.TEL, IdentifierType.MEL, IdentifierType.PSD
NAMES = frozenset({PRE, NOM, SUR})
Named = tuple[IdentifierType, str]
"""A name, a number or an address of a person, with its type."""
# A cell of more words, or of longer ones, is no name.
MOST_WORDS, LONGEST = 5, 60
_LETTERS = r"[^\W\d_]"
_LETTERS_RUN = re.compile(f"{_LETTERS}+")
_NAME_WORD = re.compile(rf"{_LETTERS}(?:(?:\.?-|['’.])?{_LETTERS})*\.?")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_TELEPHONE = re.compile(
    r"(?<![\w+.-])(?!\d{4}-\d\d-\d\d)\(?\+?[0-9][0-9 ().\u00a0\u202f-]{6,22}[0-9](?!\w)"
)
_HANDLE = re.compile(rf"@?(?={_LETTERS})[\w.-]{{3,30}}")
# *solveig.kerbrat*
_JOINED = re.compile(rf"{_LETTERS}{{2,30}}(?:[._]{_LETTERS}{{2,30}}){{1,2}}")
ELIDED = re.compile(r"^[dlDL]['’](?=.)")
_BRACKETS = re.compile(r"[(\[{][^)\]}]{0,60}[)\]}]")
_SIGNS = re.compile(r"[^\w\s.,'’@+-]+")
# *SolveigKerbrat*
_HUMP = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]{2,30}")
_INITIALS = re.compile(rf"(?:-?{_LETTERS}\.){{1,3}}|{_LETTERS}")
_APART = re.compile(r"\s[-–—/|:·•]\s")
SHORTEST, _OPENS = 3, ("{", "[")
# Lists of names of things: what they alone hold is no common word.
_PROPER = ("cities", "places", "countries", "brands", "public_persons", "famous_names")


def _words_joined(text: str) -> list[str]:
    if _JOINED.fullmatch(text):
        return re.split("[._]", text.title())
    humps = _HUMP.findall(text)
    return humps if len(humps) > 1 and "".join(humps) == text else []


def _texts_in(cell: str) -> list[str]:
    """Return the texts in an object written as JSON, ``{"name": "Zoé"}``; none of another cell."""
    left, texts = list[object](), list[str]()
    if cell[:1] in _OPENS:
        with suppress(ValueError, RecursionError):
            left.append(json.loads(cell))
    while left:
        one = left.pop()
        if isinstance(one, dict | list):
            left += reversed([*one.values()] if isinstance(one, dict) else one)
        elif isinstance(one, str):
            texts.append(one)
    return texts


class NameReader:
    """Reads the names in cells: whole names into given names and surnames."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, bits = lexicon, lexicon.bits
        self._first, self._persons = bits(*FIRST_NAMES), bits(*PERSON_NAMES)
        self._last = bits(*LAST_NAMES, ALL_LAST_NAMES)
        # Towns among the commonest words stand for themselves more often than for a person.
        self._common = lexicon.anti_dictionary & ~bits(*_PROPER)
        self.commonest, self.towns = bits("commonest_forms"), bits("cities", "places")
        titles = lexicon.pack.titles
        self.titles, self.particles = frozenset(titles.persons), frozenset(titles.particles)

    def held(self, word: str) -> int:
        return self._lexicon.exact.get(normal(word)) | self._lexicon.held(folded(word))

    def is_word(self, word: str) -> bool:
        """Return whether a name is also a word of the language."""
        label = self._lexicon.label(self.held(word))
        return len(word) < SHORTEST or label in (Label.AMBIGUOUS, Label.ANTI_DICTIONARY)

    def is_common(self, word: str) -> bool:
        """Return whether a name is a common word of the language, not the name of a thing alone."""
        if len(word) < SHORTEST:
            return True
        held = self.held(word)
        is_proper = held & self._lexicon.anti_dictionary and held & self.commonest
        return bool(held & self._common or is_proper)

    def is_first(self, word: str) -> bool:
        return bool(self.held(word) & self._first)

    def read(self, cell: str, *, is_name: bool = False) -> list[Named]:
        """Return what a cell says of a person, by type; nothing where it does not read as a name.

        A column of names, `is_name`, holds nothing else.
        """
        if texts := _texts_in(cell):
            return [part for text in texts for part in self._read(text)]
        return self._read(cell, is_name=is_name)

    def read_cells(self, cells: Sequence[str], kinds: Sequence[str]) -> list[Named]:
        """Return what a cell of a column, or a pair of cells, says of a person."""
        if kinds[0] not in (PRE, NOM):
            is_read = cells[0] and not cells[0].isdecimal()
            return self.read(cells[0], is_name=kinds[0] == "name") if is_read else []
        parts = list[Named]()
        for cell, kind in zip(cells, kinds, strict=True):
            words = [word for word in cell.split() if len(word) > 1 and _NAME_WORD.fullmatch(word)]
            names = words[:MOST_WORDS]
            names = self.with_particles(names) if kind == NOM else names
            parts += [(IdentifierType(kind), name) for name in names]
        return parts

    def _read(self, cell: str, *, is_name: bool = False) -> list[Named]:
        if len(cell) > LONGEST:
            return []
        whole, found = unicodedata.normalize("NFC", cell), list[Named]()
        for type_, form in ((_MEL, _MAIL), (_TEL, _TELEPHONE)):
            found += [(type_, one[0]) for one in form.finditer(whole)]
            whole = form.sub(" ", whole)
        apart = _APART.split(_BRACKETS.sub(" ", whole))
        parts = [_SIGNS.sub(" ", one).strip(" ,") for one in apart]
        text = " ".join(filter(None, parts))
        names = self._names(text, is_name=is_name) if text else []
        if len(parts) > 1:  # *Solveig Kerbrat - Mairie*
            of_part = (self._names(one, is_name=is_name) for one in parts if one)
            names = next((one for one in of_part if len(one) > 1), names)
        if not names and found and found[0][0] is _MEL:
            names = self._read(found[0][1].partition("@")[0])
        return found + names

    def _names(self, text: str, *, is_name: bool) -> list[Named]:
        """Return the names in a text: all of it, or those among other words."""
        if joined := _words_joined(text):
            return self._parts(joined, 0) if self._reads_as_name(joined) else self._handle(text)
        before, comma, behind = text.partition(",")
        words = [*before.split(), *behind.split()]
        if len(words) > 1:
            words = [word for word in words if not word.isdecimal()]
        main = [word for word in words if folded(word) not in self.particles]
        if not words or len(main) > MOST_WORDS or not all(map(_NAME_WORD.fullmatch, words)):
            return self._handle(text)
        bare = [folded(word).removesuffix(".") for word in words[:-1]]
        n_titles = max((at for at, one in enumerate(bare, 1) if one in self.titles), default=0)
        words, n_last = words[n_titles:], len(before.split()) - n_titles if comma else 0
        is_initial = len(words) > 1 and _INITIALS.fullmatch(words[0])
        words = [word.rstrip(".") for word in words if not _INITIALS.fullmatch(word)]
        if not words:
            return []
        if not (is_name or n_titles or self._reads_as_name(words)):
            return self._among_words(words)
        if (n_titles or is_initial) and len(words) == 1:
            return [(NOM, words[0])]
        return self._parts(words, max(0, n_last))

    def _among_words(self, words: Sequence[str]) -> list[Named]:
        """Return the names among words of the language: *tata Solveig*, *Solveig et Yorick*."""

        def is_other(word: str) -> bool:
            return self.is_word(word) and (word.islower() or not self._is_known(word))

        runs = [(other, [*run]) for other, run in groupby(words, is_other)]
        others = [word for other, run in runs if other for word in run]
        sure = [run for other, run in runs if not other and self._reads_as_name(run)]
        if any(word[0].isupper() for word in others):  # *Famille Kerbrat*, but *Pizza Hut*
            sure = [run for run in sure if any(map(self._is_known, run))]
        return [part for run in sure for part in self._parts(run, 0)] if others else []

    def _is_known(self, word: str) -> bool:
        return bool(self.held(word) & (self._persons | self._last))

    def _handle(self, text: str) -> list[Named]:
        """Return a name of a user; a number behind a word is a code."""
        word = re.match(rf"@?({_LETTERS}*)", text)
        is_handle = _HANDLE.fullmatch(text) and word and len(word[1]) >= SHORTEST
        if is_handle and word and (text[0] == "@" or not self.is_word(word[1])):
            return [(_PSD, text.removeprefix("@"))]
        return []

    def _reads_as_name(self, words: Sequence[str]) -> bool:
        if len(words) == 1:
            [word], held = words, self.held(words[0])
            if held & (self._persons | self._last) and not self.is_word(word):
                return word[0].isupper() or bool(held & self._persons)
            if held & self._persons:
                return word[0].isupper() and not word.isupper()
            return not held and word.istitle() and len(word) >= SHORTEST
        main = [word for word in words if folded(word) not in self.particles]
        # Not every script has capitals.
        have_capitals = not any(ELIDED.sub("", word)[0].islower() for word in main)
        if have_capitals and any(map(self.is_first, main)):
            return True
        if main and self.is_first(main[0]) and not self.is_word(main[0]):
            return not have_capitals and not any(word[0].isupper() for word in main)
        if have_capitals and main and not self.held(main[0]):  # *Ysoline Petit*
            return not any(self.is_word(word) and not self._is_known(word) for word in main[1:])
        if have_capitals:
            return not any(map(self.is_word, main))
        return all(word.islower() and not self.held(word) for word in main)

    def with_particles(self, words: Iterable[str]) -> list[str]:
        """Return names, each with the particles before it; particles alone where there is none."""
        names, before = list[str](), list[str]()
        for word in words:
            before.append(word)
            if folded(word) not in self.particles:
                names.append(" ".join(before))
                before = []
        return names or before

    def _parts(self, words: list[str], n_last: int) -> list[Named]:
        """Return given names and surnames; those in capitals, or before a comma, are surnames."""
        last, others = self.with_particles(words[:n_last]), self.with_particles(words[n_last:])
        wholes, n_last = [*last, *others], len(last)
        words = [whole.split()[-1] for whole in wholes]
        if len(words) == 1:
            is_last = self.held(words[0]) & self._last and not self.is_first(words[0])
            is_last = is_last or wholes != words
            return [(NOM if is_last else PRE, wholes[0])]
        capitals = [word.isupper() for word in words]
        places = range(len(words))
        if n_last and n_last < len(words):
            are_last = [at < n_last for at in places]
        elif any(capitals) and not all(capitals):
            are_last = capitals
        elif not self.is_first(words[0]) and self.is_first(words[-1]):
            # *Taxi Paul* is no Mr. Taxi.
            last = [
                whole
                for whole, one in zip(wholes[:-1], words, strict=False)
                if not self.is_word(one) or self.held(one) & self._last
            ]
            return [*((NOM, one) for one in last), (PRE, words[-1])]
        else:
            several = len(words) > 2 and self.is_first(words[1]) and not self.is_word(words[1])
            are_last = [at > several for at in places]
        return [
            (NOM, whole) if is_last else (PRE, word)
            for whole, word, is_last in zip(wholes, words, are_last, strict=True)
        ]


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
_WHAT = f"a table of people has the columns {_NEEDED}, and may have {_MAY}"
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
        said = "yes" if self.replace else "no", "yes" if self.confirmed else ""
        return [entity, self.type.value, spelling, self.count, said[0], *rest, said[1]]


def read_people(path: str | Path) -> list[Entry]:
    """Read a table that a person wrote or may have changed."""
    columns, key = ("spellings", "entity", "type"), "names_table"
    rows = read_rows(path, columns, _entries, strip=False, what=_WHAT, known=TABLE_COLUMNS, key=key)
    return [one for entries in rows for one in entries]


def _entries(cells: Mapping[str, str]) -> list[Entry]:
    """Return the entries of a row, one for each spelling; a ValueError says what is wrong."""
    written = _BETWEEN.split(cells["spellings"])
    texts = [one.strip() for one in written] if len(written) > 1 else written
    if not texts[0]:
        raise ValueError("it has no spelling; write it, or remove the row")
    type_ = type_in(cells["type"])
    # An empty cell says nothing else than that the row is there.
    is_replaced = SAID.get((cells.get("replace", "").strip() or "yes").lower())
    is_confirmed = SAID.get((cells.get("confirmed", "").strip() or "no").lower())
    if is_replaced is None or is_confirmed is None:
        what = "whether to replace" if is_replaced is None else "whether it is the sender's name"
        raise ValueError(f"{what} is neither yes nor no")
    if is_confirmed and not cells.get("name_of"):
        raise ValueError("it confirms whose name it is, but name_of is empty")
    if is_confirmed and not is_replaced:
        raise ValueError("a name that stays cannot stand for its sender")
    try:
        count = int(float(cells.get("count", "").strip() or 0))
    except (ValueError, OverflowError):
        raise ValueError("its count is no number") from None
    names = [one.replace("\\;", ";") for one in texts if one]
    about = type_, count, is_replaced, cells.get("replacement", "")
    of = cells.get("sender", ""), cells.get("name_of", ""), is_confirmed
    return [Entry(name, cells["entity"].strip() or names[0], *about, *of) for name in names]


def type_in(cell: str) -> IdentifierType:
    if (named := cell.strip().upper()) not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    return IdentifierType(named)


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


Names = tuple[tuple[IdentifierType, str], ...]
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


# What is told of a word that is a name, as bits: its types in the lowest two.
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


class People:
    """The people of a corpus, and what their names tell of words in their places."""

    def __init__(
        self, facts: Iterable[Fact], lexicon: Lexicon, cells: Mapping[str, Cell] | None = None
    ) -> None:
        reader, pack, self.cells = NameReader(lexicon), lexicon.pack, dict(cells or {})
        self._titles, self._towards = reader.titles, frozenset(pack.addresses.towards)
        self._before_names = pack.spelling.before_names
        parts = _parts_of(facts, reader)
        # Of each folded word: who has it in a name, the types of these, whether it is a word; and
        # of a surname the particles before it.
        self._spelt: list[Spelt] = []
        self._persons: dict[str, set[str]] = defaultdict(set)
        self._types: dict[str, int] = defaultdict(int)
        self._initials: dict[str, set[str]] = defaultdict(set)
        self._particles: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for entity in sorted(parts):
            for type_, text in parts[entity]:
                name = bare(text, reader.particles) if type_ is NOM else text
                for one in dict.fromkeys((text, name)):
                    is_word = type_ in NAMES and all(map(reader.is_common, one.split()))
                    self._spelt.append(Spelt(entity, type_, one, is_word))
                    for word in map(folded, _words_of(type_, one, reader.particles)):
                        self._persons[word].add(entity)
                        self._types[word] |= _CODES[type_]
                        self._initials[word[:1]].add(entity)
                if name != text:
                    before = phrase_key(text.removesuffix(name))
                    for word in (name, re.split("[-'’ ]", name)[0]):
                        self._particles[folded(word)].add(before)
        for word in self._types:
            held = reader.held(word)
            self._types[word] |= (
                _IS_WORD * reader.is_common(word)
                | _IS_FREQUENT * bool(held & reader.commonest)
                | _IS_TOWN * bool(held & reader.towns)
                | _HAS_PARTICLES * (word in self._particles)
            )
        given = [word for word, code in self._types.items() if code & _CODES[PRE]]
        short = (one for word in given for one in _cuts(word) if not reader.is_word(one))
        self._cut = dict.fromkeys(short, _CODES[PRE] | _IS_CUT)
        self._without_runs = {
            without_runs(word): code for word, code in (self._cut | self._types).items()
        }
        self._known: dict[LabelledWord, int] = {}

    def __bool__(self) -> bool:
        return bool(self._spelt)

    def spellings(self) -> list[Spelt]:
        """Return the spellings of all people, in the order of their entities."""
        return [*self._spelt]

    def cell(self, text: str) -> Cell | None:
        """Return whom a cell of the file names, or calls as the user's table or its header do."""
        return self.cells.get(text) or self._named.get(text)

    @cached_property
    def _named(self) -> dict[str, Cell]:
        """Each entity with its names, surnames behind given names."""
        found: dict[str, Cell] = {}
        for one in sorted(self._spelt, key=lambda one: one.type is NOM):
            if one.type in (PRE, NOM):
                names = found[one.entity].names if one.entity in found else ()
                # A surname without its particles stands behind the whole one.
                if not (one.type is NOM and names and names[-1][1].endswith(one.text)):
                    found[one.entity] = Cell(one.entity, (*names, (one.type, one.text)))
        return found

    @cached_property
    def _glued(self) -> dict[int, set[str]]:
        """Given names and surnames of the same people as one word, in both orders, by length."""
        of: dict[str, dict[bool, list[str]]] = defaultdict(lambda: {True: [], False: []})
        for one in self._spelt:
            if one.type in NAMES and len(one.text) >= SHORTEST:
                of[one.entity][one.type is NOM].append(_letters(one.text))
        found: dict[int, set[str]] = defaultdict(set)
        for names in of.values():
            for first, last in product(names[False], names[True]):
                found[len(first + last)] |= {first + last, last + first}
        return found

    def is_whole_name(self, cell: str) -> bool:
        """Return whether a cell holds the given name and the surname of somebody, as one word."""
        glued = self._glued
        if not glued or " " in cell or len(cell) > LONGEST:
            return False
        word = _letters(cell)
        return any(word[at : at + n] in of for n, of in glued.items() for at in range(len(word)))

    def names_somebody(self, cell: str) -> bool:
        """Return whether a cell holds a name of somebody that is neither a word nor a town."""
        codes = (self._types.get(folded(word), 0) for word in _LETTERS_RUN.findall(cell))
        other = _IS_WORD | _IS_TOWN
        return any(code and not code & other for code in codes) or self.is_whole_name(cell)

    def raised(self, scored: ScoredMessages) -> ScoredMessages:
        """Return messages with more evidence where the name of somebody here stands."""
        words, labelled = scored.words, scored.labelled
        if words is None or not self._types:
            return scored
        for word in {*labelled.labels} - self._known.keys():
            self._known[word] = self._code(word)
        met = np.array([*map(self._known.__getitem__, labelled.labels)], dtype=np.uint8)
        code = met.take(labelled.words.form)
        if not code.any():
            return scored
        log_odds, named, near = words.log_odds.copy(), code & _TYPES, Neighbours(labelled)
        for place in np.flatnonzero(code).tolist():
            by_itself = self._log_odds(near, words.places, place, int(code[place]))
            log_odds[place] = max(log_odds[place], by_itself)
        for place in np.flatnonzero(code & (_IS_WORD | _IS_LETTER | _HAS_PARTICLES)).tolist():
            if code[place] & _IS_LETTER:
                is_name = self._is_initial(near, place)
                named[place] *= is_name
            else:
                is_name = bool(code[place] & _IS_WORD) and self._is_name(near, place, log_odds)
                if code[place] & _HAS_PARTICLES and (n := self._n_particles(near, place)):
                    named[place - n : place] = PARTICLE
                    is_name |= near.text(place)[0].isupper()
            if is_name:
                log_odds[place] = max(log_odds[place], _SURE)
        return replace(scored, words=words.weighed_anew(log_odds), named=named)

    def _log_odds(self, near: Neighbours, places: Places, place: int, code: int) -> float:
        """Return the least log odds of a word that is a name of somebody here, by its place."""
        if code & _IS_WORD:
            return _DOUBT if self._reads_as_name(near, places, place, code) else -math.inf
        if code & _IS_LETTER:
            return -math.inf
        if code & _IS_CUT:
            return _DOUBT
        is_place = near.gap(place - 1) == " " and folded(near.text(place - 1)) in self._towards
        return _DOUBT if code & _IS_TOWN and is_place else _SURE

    def _reads_as_name(self, near: Neighbours, places: Places, place: int, code: int) -> bool:
        """Return whether a common word has a capital that may be that of a name, or is a town."""
        is_capital, is_frequent = bool(places.is_capital[place]), bool(code & _IS_FREQUENT)
        if code & _IS_TOWN and not is_frequent:
            return True
        if places.starts[place]:
            # Frequent words begin too many sentences.
            may_be = places.habit[place] != Habit.ALL_CAPITALS and not is_frequent
        else:
            may_be = places.habit[place] == Habit.SOME_INSIDE
        # Frequent words stand where names do without a capital, too: *merci gros bisous*.
        may_stand = is_capital or not is_frequent
        return bool(is_capital and may_be) or (
            may_stand and near.stands_as_name(place, may_be_alone=is_capital)
        )

    def _n_particles(self, near: Neighbours, place: int) -> int:
        """Return how many particles of a surname stand before it."""
        found = [0]
        for particles in self._particles[folded(near.text(place))]:
            n = 0
            while n < len(particles) and near.gap(place - 1 - n) in ("", " ", "-"):
                if folded(near.text(place - 1 - n)).rstrip("'") != particles[-1 - n]:
                    break
                n += 1
            found.append(n)
        return max(found)

    def _code(self, word: LabelledWord) -> int:
        """Return what a word is in the names."""
        text = folded(POSSESSIVE.sub("", word.text))
        if len(text) == 1:
            is_initial = word.text.isupper() and text in self._initials
            return _IS_LETTER if is_initial else 0
        if text in self._types or word.label in (Label.AMBIGUOUS, Label.ANTI_DICTIONARY):
            return self._types.get(text, 0)
        if re.search(r"(.)\1\1", text):
            return self._without_runs.get(without_runs(text), 0)
        # *solveig34*, *les Kerbrats*, *Sol-veig*
        plain = text.strip("0123456789_-.")
        for one in (plain, plain.removesuffix("s"), plain.replace("-", "")):
            if code := self._types.get(one, 0) or self._cut.get(one, 0):
                return code
        return self._code_of_glued(word.text.strip("0123456789_-."))

    def _code_of_glued(self, word: str) -> int:
        """Return the code of a name at the end of a word: *bisousSolveig*, *avecsolveigkerbrat*."""
        if glued := _GLUED.search(word):
            name = folded(glued[1])
            code = self._types.get(name, 0) or self._without_runs.get(without_runs(name), 0)
            return code & ~_IS_WORD
        text = folded(word)
        if len(text) <= LONGEST:
            for at in range(1, len(text) - SHORTEST):
                name, before = text[at:], text[:at]
                code = self._types.get(name, 0) or self._cut.get(name, 0)
                is_sure = code and not code & _IS_WORD
                if is_sure and (before in self._before_names or before in self._types):
                    return code
        return 0

    def _is_name(self, near: Neighbours, place: int, log_odds: NDArray[np.float64]) -> bool:
        """Return whether a word is a name by what stands beside it: a name of the same person."""
        word = near.text(place)
        persons = self._persons[folded(word)]
        for beside in (place - 1, place + 1):
            other = near.text(beside)
            if near.gap(min(place, beside)) in (" ", "-") and self._are(persons, other):
                is_sure = log_odds[beside] >= _CERTAIN
                if is_sure or (word[0].isupper() and other[0].isupper()):
                    return True
        at = place - 1 - (near.text(place - 1) == ".")
        before, gap = near.text(at), near.gap(place - 1)
        is_capital, initials = word[0].isupper(), self._initials.get(folded(before), set())
        is_initial = len(before) == 1 and before.isupper() and not initials.isdisjoint(persons)
        if is_initial and is_capital and gap == " ":  # *T. Blanc*
            return True
        is_title = folded(before) in self._titles and (is_capital or len(before) >= SHORTEST)
        return is_title and gap in (" ", "")

    def _are(self, persons: set[str], name: str) -> bool:
        return not self._persons.get(folded(name), set()).isdisjoint(persons)

    def _is_initial(self, near: Neighbours, place: int) -> bool:
        """Return whether a letter stands for a name: *on voit J. demain*, *Marie D.*, a last line.

        A title (*M.*) is none but there.
        """
        letter, (before, behind) = folded(near.text(place)), near.around(place)
        if before[-1:].isalnum() or behind[:1].isalnum():
            return False
        if _LAST_LINE.search(before) and _NOTHING.fullmatch(behind):
            return True
        if behind[:1] != "." or letter in self._titles:
            return False
        if _SPACED.search(before) and _GOES_ON.match(behind):
            return True
        beside = [place - 1] * (near.gap(place - 1) == " ")
        beside += [place + 2] * (near.text(place + 1) == "." and near.gap(place + 1) == " ")
        return any(self._are(self._initials[letter], near.text(at)) for at in beside)


def _parts_of(facts: Iterable[Fact], reader: NameReader) -> dict[str, dict[Named, None]]:
    """Return what facts say of each entity, by type; what has no letter is no name."""
    parts: dict[str, dict[Named, None]] = defaultdict(dict)
    for entity, type_, spelling in facts:
        if type_ in ("", CONTACT):
            parts[entity] |= dict.fromkeys(reader.read(spelling, is_name=type_ != CONTACT))
        elif type_ not in NAMES or _letters(spelling):
            parts[entity][IdentifierType(type_), spelling] = None
    return parts


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, folded(text)))


def _cuts(name: str) -> Iterator[str]:
    """Yield the beginnings and the ends of a given name that are short for it: *sego*, *nouk*."""
    for n in range(SHORTEST, min(len(name), LONGEST)):
        yield name[:n]
        if n > SHORTEST:
            yield name[-n:]


def _words_of(type_: IdentifierType, name: str, particles: Container[str]) -> Iterator[str]:
    """Yield the words by which a name is met in messages, also the parts of a compound surname."""
    words = name.split() if type_ in NAMES else []
    yield from (word for word in words if len(words) == 1 or folded(word) not in particles)
    if type_ is NOM:
        parts = (part for word in words for part in re.split("[-'’]", word)[:MOST_WORDS])
        yield from (part for part in parts if len(part) >= SHORTEST)


class Account:
    """Gathers the people of a corpus from the cells of its rows, each distinct one once."""

    def __init__(
        self,
        lexicon: Lexicon,
        columns: Sequence[str] = (),
        sender: int | None = None,
        facts: Iterable[Fact] = (),
        beside: "MessageFile | None" = None,
    ) -> None:
        self._lexicon, self._given, self._beside = lexicon, [*facts], beside
        given, family = (named_columns(columns, kind) for kind in ("given_name", "family_name"))
        named = named_columns(columns, "person_name")
        pairs = [*zip(given, [*family, *named], strict=False)]
        paired = {at for pair in pairs for at in pair}
        free = {sender, guess_column(columns, "sender"), guess_column(columns, "thread")} - {None}
        free |= {*named_columns(columns, "recipient")}
        # Columns by what they hold: pairs of a given name and a surname, names, whatever; and the
        # distinct cells of each.
        self._read: list[tuple[tuple[int, ...], tuple[str, ...], dict[Read, None]]]
        self._read = [(pair, (PRE, NOM), {}) for pair in pairs]
        for places, kind in ((given, PRE), (family, NOM), (named, "name")):
            self._read += [((at,), (kind,), {}) for at in places if at not in paired]
        self._read += [((at,), ("",), {}) for at in sorted(one for one in free if one is not None)]
        text, kinds = guess_column(columns, "text"), named_columns(columns, "kind")
        self._events = (kinds[0], text) if kinds and text is not None else None
        self._said: dict[str, None] = {}

    @classmethod
    def of(
        cls,
        triage: "Triage",
        file: "MessageFile",
        sender: int | None = None,
        senders: Iterable[str] = (),
    ) -> "Account | None":
        """Return an account of an open file, and senders elsewhere; None where none is wanted."""
        if triage.people is None:
            return None
        from .run import read_record  # which knows the pipeline

        run = read_record(file.name)
        told = [(entity, type_, name) for entity, type_, name in run["people"]] if run else []
        facts = [*triage.people, *told, *facts_of_senders(senders)]
        return cls(triage.lexicon, file.columns, sender, facts, file)

    def add(self, rows: Sequence[Sequence[object]]) -> None:
        """Take rows of the file."""
        self.add_columns(lambda at: [row[at] for row in rows])

    def add_columns(self, column: Callable[[int], Sequence[object]]) -> None:
        """Take columns of rows, which are told by their positions."""
        for at, _, cells in self._read:
            texts = (
                [as_text(one) if isinstance(one, str | dict | list) else "" for one in column(p)]
                for p in at
            )
            cells.update(dict.fromkeys(zip(*texts, strict=True)))
        if self._events:
            said = zip(*map(column, self._events), strict=True)
            is_event = (as_text(text) for kind, text in said if as_text(kind) in EVENTS)
            self._said |= dict.fromkeys(is_event)

    @cached_property
    def beside(self) -> list[Fact]:
        """The people whom the file and the user name beside its rows."""
        return [*self._given, *(self._beside.persons() if self._beside else ())]

    @cached_property
    def people(self) -> People:
        """The people of all rows that were added, and of what is given beside them.

        The same names are one entity; a single name is that of its bearer.
        """
        bearers: dict[str, set[str]] = defaultdict(set)
        for entity, _, spelling in self.beside:
            for word in (spelling, *spelling.split()):
                bearers[folded(word)].add(entity)
        by_names: dict[frozenset[str], str] = {}
        facts: dict[Fact, None] = {}
        cells: dict[str, Cell] = {}
        for cell, parts in self._known():
            key = frozenset(folded(text) for _, text in parts)
            of_all = set[str].intersection(*(bearers[word] for word in key))
            usual = " ".join(text for _, text in parts)
            entity = of_all.pop() if len(of_all) == 1 else by_names.setdefault(key, usual)
            for word in key:
                bearers[word].add(entity)
            facts.update(dict.fromkeys((entity, type_.value, text) for type_, text in parts))
            if len(cell) == 1:
                cells.setdefault(cell[0], Cell(entity, parts))
                continue
            for one, kind in zip(cell[::-1], (NOM, PRE), strict=True):
                of_one = tuple(part for part in parts if part[0] is kind)
                cells.setdefault(one, Cell(entity, of_one, is_whole=False))
        return People([*self.beside, *facts], self._lexicon, cells)

    def _known(self) -> list[tuple[Read, Names]]:
        """Return the cells that name somebody and what they say, those of most names first."""
        reader = NameReader(self._lexicon)
        known = {
            cell: tuple(parts)
            for _, kinds, cells in self._read
            for cell in cells
            if (parts := reader.read_cells(cell, kinds))
        }
        # What may be names of people in what a chat says of itself: runs of capitals.
        particle = "|".join(map(re.escape, sorted(reader.particles)))
        names = re.compile(rf"{_CAPITAL}(?:(?: (?:{particle}))* {_CAPITAL}){{0,3}}")
        for event in self._said:
            for found in names.finditer(_QUOTED.sub(" ", event)):
                if parts := reader.read(found[0]):
                    known[found[0],] = tuple(parts)
        first = {cell: cell[0] if len(cell) == 1 else str(cell) for cell in known}
        return sorted(known.items(), key=lambda one: (-len(one[1]), first[one[0]]))


EVENTS = frozenset({"system", "service"})
_QUOTED = re.compile(r"“[^”]*”|«[^»]*»|\"[^\"]*\"|‘[^’]*’")
_CAPITAL = r"[A-ZÀ-Þ][\w'’-]*"
