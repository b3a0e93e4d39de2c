"""Look for what an anonymised file still holds: in messages, other columns and its document.

Words of messages are graded as mining grades them (`grading`): by the probability that a word that
stands there identifies somebody, as measured on what really stands (docs/anonymise.md). *Certain*
is said of what was true in four of five cases at least.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from triage.data import MessageFile, as_text
from triage.dictionaries import Kind, Label, LabelledWord
from triage.dictionaries.addresses import KnownWords, street_types
from triage.dictionaries.normal import Legible, folded
from triage.dictionaries.phrases import phrase_key
from triage.reports.page import printable

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.people import NAMES, Account, People
from ..decide.pipeline import Triage
from ..decide.source import Source, whole_chunks
from ..errors import TriageError
from ..model.find import likely_type, long_number
from ..vocabulary import IdentifierType, Severity
from .columns import is_date, is_run, telephone_in
from .comparison import (
    Sought,
    check_key_table,
    compare,
    pair,
    read_messages,
    sought_in_key_table,
    written_undecided,
)
from .entity import short_forms
from .grading import (
    NO_NAME,
    TYPES,
    Corpus,
    Floats,
    Kinship,
    Known,
    Reason,
    Round,
    evidence_of,
    read_corpus,
    without_particles,
)
from .held import read_held
from .plan import Treating
from .record import Record, read_record
from .restore import read_key_table


class Certainty(StrEnum):
    """Degrees of certainty that something was left."""

    UNDECIDED = "undecided"
    ADDED = "added"
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"
    PLANNED = "planned"


# Nothing is published while there is something of these.
OPEN = frozenset({Certainty.UNDECIDED, Certainty.ADDED, Certainty.CERTAIN})
# Bounds on the probability that a word identifies somebody. Of the words that stand in 88milSMS out
# of fold, one of eight from LIKELY on identifies somebody where .2 % of the messages keep an
# identifier, one of five where 1 % do. From CERTAIN on none stands in what this program writes; in
# messages where nothing is replaced, 99 of 100 are true.
_CERTAIN, _LIKELY, _POSSIBLE = 0.95, 0.1, 0.02
_UNDECIDED = "a message that waits for the expert, and that nobody decided"
# What is found without anything that was replaced stays where the plan keeps its type.
_BY_TYPE = frozenset({Reason.FORM, Reason.NUMBER, Reason.EVIDENCE, Reason.CONTEXT, Reason.CAPITAL})
_CONTEXT = 40
# What of a finding identifies somebody.
SHOWN = ("before", "text", "behind")


@dataclass(frozen=True)
class Left:
    """Something that may have been left."""

    certainty: Certainty
    reason: str
    severity: Severity | None
    row: int
    column: str = ""
    start: int = 0
    replaced: int = 0
    before: str = ""
    text: str = ""
    behind: str = ""


def title_of(places: Sequence[Left]) -> str:
    """Return a spelling as it is written first, how often it stands and was replaced, and why."""
    one = places[0]
    sure = " ".join(filter(None, (one.certainty, one.severity)))
    replaced = f", {one.replaced:,} replaced" if one.replaced else ""
    text = printable(" ".join(one.text.split()))
    return f"{sure}: {text} ({len(places):,} left{replaced}): {one.reason}"


@dataclass
class Checked:
    """Findings in a file, the number of spellings looked for, and the residue to be expected."""

    rows: int = 0
    replaced: int | None = None
    left: list[Left] = field(default_factory=list)
    expected: str = ""
    is_compared: bool = False

    @property
    def sought(self) -> str:
        if self.is_compared:
            return "messages that are in no table"
        if self.replaced is None:
            return "names and forms alone: there is nothing to compare with"
        return f"{self.replaced:,} spellings that were replaced"

    @property
    def is_clean(self) -> bool:
        """True if nothing certain is left, and each message was decided and has an original."""
        return all(one.certainty not in OPEN for one in self.left)

    @property
    def result(self) -> str:
        """The verdict, with the residue that is to be expected where nothing certain is left."""
        if not self.is_clean:
            return "NOT clean: something certain is left, or a message that nobody decided"
        expected = f"; to be expected: {self.expected}" if self.expected else ""
        known = any(one.certainty is not Certainty.PLANNED for one in self.left)
        return f"nothing {'certain' if known else 'known'} is left{expected}"

    def spellings(self) -> list[list[Left]]:
        """Return the places of each spelling, the most certain and most frequent one first."""

        def alike(one: Left) -> tuple[int, str, str, str]:
            return _ORDER[one.certainty], folded(one.text), one.reason, one.severity or ""

        words = sorted((one for one in self.left if one.text), key=alike)
        found = [[*places] for _, places in groupby(words, key=alike)]
        return sorted(found, key=lambda places: (_ORDER[places[0].certainty], -len(places)))

    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many findings there are, by certainty, severity and reason."""
        found = Counter(
            (one.certainty.value, one.severity.value if one.severity else "", one.reason)
            for one in self.left
        )
        return dict(sorted(found.items(), key=lambda pair: (_ORDER[pair[0][0]], pair[0])))

    def facts(self) -> Record:
        """Return what a record tells of it: counts alone."""
        return {
            "rows": self.rows,
            "spellings": self.replaced,
            "clean": self.is_clean,
            "found": [
                {"certainty": sure, "severity": grave, "reason": reason, "findings": n}
                for (sure, grave, reason), n in self.counts().items()
            ],
        }

    def n_of(self, certainty: Certainty) -> int:
        return sum(one.certainty is certainty for one in self.left)


_ORDER: dict[str, int] = {certainty.value: place for place, certainty in enumerate(Certainty)}


def check_output(
    output: Source,
    triage: Triage,
    *,
    against: Source | None = None,
    key_table: str | None = None,
    treating: Treating | None = None,
    jobs: int = 1,
    listed: str = "",
) -> Checked:
    """Look for what an anonymised file still holds: what ``triage check`` does.

    With a key table the originals tell its people alone. The list of what is held back is beside
    the output, or beside `listed`.
    """
    for other in filter(None, (against.path if against else "", key_table)):
        # A file that is not there is an error when it is opened.
        with suppress(OSError):
            if Path(output.path).samefile(other):
                raise TriageError(
                    f"{other} is the same file as {output.path}: name the anonymised file first, "
                    "then the messages before with --against, or the table of replacements with "
                    "--key-table"
                )
    with output.open() as file:
        after = read_messages(file)
        held = read_held(listed or output.path)
        undecided = after.undecided | written_undecided(held, after)
        added: dict[int, str] = {}
        sought, people, before = None, triage.known_people, None
        if against is not None:
            with against.open() as file_before:
                account = Account.of(triage, file_before)
                before = read_messages(file_before, account)
                people = account.people() if account else None
        if key_table is not None:
            rows = read_key_table(key_table)
            check_key_table(key_table, rows, after)
            sought = sought_in_key_table(rows)
        elif before is not None:
            originals, by_ids = pair(before, after, held)
            sought, added = compare(before, after, originals, triage.labeller, by_ids=by_ids)
            undecided |= {n for n, one in enumerate(originals) if one in before.undecided}
        checked = check(file, sought, triage, treating, jobs, people)
    whole = [(Certainty.UNDECIDED, _UNDECIDED, number) for number in sorted(undecided)]
    whole += [(Certainty.ADDED, reason, number) for number, reason in sorted(added.items())]
    checked.left[:0] = [Left(sure, reason, None, number + 1) for sure, reason, number in whole]
    checked.expected = _expected(output.path)
    return checked


def _expected(output: str) -> str:
    """Return what the record of an output says of the residue that is to be expected."""
    said: list[str] = []
    with suppress(TriageError, KeyError, TypeError, ValueError):
        record = read_record(output) or {}
        for promised in record["decisions"]["promise"][:1]:
            residue = str(promised).partition(", precision")[0]
            said.append(f"{residue[:1].lower()}{residue[1:]}")
        if sample := record.get("sample"):
            at_most, n = sample["at_most"], sample["answered"]
            said.append(f"somebody is recognised in at most {at_most:.1%}, by a sample of {n:,}")
    return "; ".join(said)


def check(
    file: MessageFile,
    sought: Sought | None,
    triage: Triage,
    treating: Treating | None = None,
    jobs: int = 1,
    people: People | None = None,
) -> Checked:
    """Look for words that an anonymised file still holds, in its header and in each column."""
    read = partial(read_chunk, people, file.text_position)
    corpus = CorpusPass(whole_chunks(file, None), file.lines, as_whole=False, jobs=jobs)
    with used_chunks(triage, corpus, read) as chunks:
        parts = [*chunks]
    search = _Search(sought or Sought(), triage, people)
    texts = [text for part in parts for text in part.texts]
    found = [*search.in_messages(texts, parts)]
    names, columns = [*file.columns], [f"column {n}" for n, _ in enumerate(file.columns, 1)]
    for one in search.in_cells({name: [at] for at, name in enumerate(file.columns)}):
        names[one.row] = columns[one.row]
        found.append(one._replace(row=0, column=columns[one.row]))
    for at, name in enumerate(names):
        if at == file.text_position:
            continue
        cells: dict[str, list[int]] = {}
        for part in parts:
            for cell, rows in part.cells[at].items():
                cells.setdefault(cell, []).extend(rows)
        seen = [one._replace(column=name) for one in search.in_cells(cells)]
        numbers = [one.text for one in seen if one.reason is Reason.NUMBER]
        if at == file.id_position and is_run(map(telephone_in, numbers)):
            seen = [one for one in seen if one.reason is not Reason.NUMBER]
        found += seen
    cells_seen = {cell for part in parts for of in part.cells for cell in of}
    found += search.in_document(file.name, {*texts, *cells_seen, *file.columns})
    found.sort(key=lambda one: (one.row, one.column == "", one.start))
    text_column = file.columns[file.text_position]
    left = [_left(one, treating, one.column or text_column) for one in found]
    return Checked(len(texts), None if sought is None else sought.n_spellings, left)


class _Found(NamedTuple):
    """Something in a cell, whose text is `whole`."""

    row: int
    start: int
    text: str
    reason: Reason
    certainty: Certainty
    type: IdentifierType
    replaced: int = 0
    whole: str = ""
    column: str = ""


def _left(one: _Found, treating: Treating | None, column: str) -> Left:
    start, end = one.start, one.start + len(one.text)
    type_ = one.type if one.reason in _BY_TYPE else None
    is_planned = treating is not None and treating.stays(start, end, type_, one.whole)
    return Left(
        Certainty.PLANNED if is_planned else one.certainty,
        *(one.reason.value, one.type.severity, one.row, column, start, one.replaced),
        one.whole[max(0, start - _CONTEXT) : start],
        one.text,
        one.whole[end : end + _CONTEXT],
    )


class _Part(NamedTuple):
    """A chunk: messages, evidence of their words, what is known by its form, and other cells.

    Forms and numbers are told by message, from 0 in the file, start and text.
    """

    texts: list[str]
    weighed: Floats
    forms: list[tuple[int, int, str, IdentifierType]]
    numbers: list[tuple[int, int, str]]
    cells: list[dict[str, list[int]]]


# A letter, or as many digits as a long number has, whatever stands between them.
_MAY_IDENTIFY = re.compile(r"[^\W\d_]|(?:[0-9][^0-9]*){8}")
_FEWEST_DIGITS = 8
_DIALLED = range(10, 15)
# The end of a number, whatever stands before it: a zero, the code of the country.
_END = 8
_SEPARATED = re.compile(r"(?<![0-9])[0-9](?:[ .,/_()\-]{0,3}+[0-9]){7,20}+(?![0-9])")
_DATE = re.compile(r"[0-3]?[0-9]([ ./-])[01]?[0-9]\1(?:19|20)[0-9]{2}(?![0-9])")
_NO_DIGITS = re.compile("[^0-9]+")
_ANY_DIGITS = re.compile(r"\d")


def read_chunk(people: People | None, text_position: int, chunk_seen: ScoredChunk) -> _Part:
    """Read the rows of a chunk, perhaps in a worker process."""
    chunk, scored = chunk_seen
    if people:
        scored = people.raised(scored)
    labelled, table = scored.labelled, scored.labelled.words
    forms = []
    is_form = labelled.of_form(
        lambda word: int(word.kind.is_identifier or long_number(word) is not None)
    )
    for at in np.flatnonzero(is_form[table.form] > 0).tolist():
        word = labelled.labels[table.form[at]]
        type_ = long_number(word) or likely_type(word, labelled.lexicon)
        message = chunk.first + int(table.message[at])
        forms.append((message, int(table.start[at]), word.text, type_))
    numbers = [
        (message, *found)
        for message, text in enumerate(chunk.texts, chunk.first)
        for found in _numbers(text)
    ]
    cells: list[dict[str, list[int]]] = [{} for _ in chunk.rows[0]] if chunk.rows else []
    for at, of in enumerate(cells):
        if at != text_position:
            for number, row in enumerate(chunk.rows, chunk.first + 1):
                if _MAY_IDENTIFY.search(cell := as_text(row[at])):
                    of.setdefault(cell, []).append(number)
    return _Part(chunk.texts, evidence_of(scored, chunk.first), forms, numbers, cells)


def _numbers(text: str) -> Iterator[tuple[int, str]]:
    """Yield the long numbers of a text, in any spacing, and where each starts."""
    if len(_ANY_DIGITS.findall(text)) >= _FEWEST_DIGITS:
        legible = Legible.of(text)
        for found in _SEPARATED.finditer(legible.text):
            start, end = legible.span(*found.span())
            yield start, text[start:end]


def _ends(words: Iterable[str]) -> set[str]:
    """Return the last digits of long numbers, which telephone numbers have in common."""
    numbers = (_NO_DIGITS.sub("", word) for word in words)
    return {digits[-_END:] for digits in numbers if len(digits) >= _FEWEST_DIGITS}


# The second of two initials; what stands behind an initial alone; letters that are words.
_INITIAL = re.compile(r"\.? ?([A-ZÀ-Þ])(?![^\W_]|\.[^\W\d_])")
_ENDING = re.compile(r"\.|$|[ ,;!?)]")
_LITTLE = frozenset("amy")
_SPACE = re.compile(r"\s")
_AKIN = frozenset({Reason.STRETCHED, Reason.GLUED, Reason.HANDLE})
_SHORTEST_STREET = 3
_MOST_PARTICLES = 2
_POSTCODE = 5
_Hit = tuple[Reason, Certainty, IdentifierType, int]


class _Search:
    """Searches messages, cells and documents for what was replaced, and for people."""

    def __init__(self, sought: Sought, triage: Triage, people: People | None) -> None:
        self._sought, self._triage = sought, triage
        self._lexicon = triage.lexicon
        self._short = short_forms(triage.lexicon.pack)
        self._ends = _ends(one.spelling for one in sought.known)
        self._put_in = _ends(sought.replacements)
        particles = frozenset(self._lexicon.pack.titles.particles)
        self._particles = [*dict.fromkeys(key for one in particles for key in phrase_key(one))]
        # Names of people count in messages by their evidence, which they have raised.
        spelt = people.spellings() if people else []
        named = [Known(one.text, one.type, one.entity, 0, everywhere=False) for one in spelt]
        self._common = {key for one in spelt if one.is_word for key in phrase_key(one.text)}
        self._people, self._replaced = (
            without_particles(known, self._lexicon.pack) for known in (named, sought.known)
        )
        words = KnownWords.of(self._lexicon).words
        self._links, self._street_types = words.links | words.titles, street_types(words)
        self._streets = {
            word: one
            for one in sought.known
            for word in self._street_words(phrase_key(one.spelling))
        }

    def _street_words(self, whole: Sequence[str]) -> Iterator[str]:
        """Yield the words of an address that tell which one it is, its postcode among them."""
        if not self._street_types.intersection(whole):
            return
        known = KnownWords.of(self._lexicon)
        no_names = self._street_types | self._links | known.words.complements
        no_names |= known.words.residences
        codes = (i for i, word in enumerate(whole) if word.isdecimal() and len(word) == _POSTCODE)
        postcode = next(codes, None)
        telling = [word for word in whole[:postcode] if word.isalpha() and word not in no_names]
        if postcode is not None:
            yield whole[postcode]
        elif len(telling) > 1 and known.is_town(telling[-1]):
            telling.pop()
        yield from (word for word in telling if len(word) >= _SHORTEST_STREET)

    @cached_property
    def _kinship(self) -> Kinship:
        known = [*self._replaced, *self._people]
        return Kinship(known, frozenset(), self._short, self._streets)

    @cached_property
    def _names(self) -> dict[str, tuple[Reason, Known]]:
        """The words of names, those of people first."""
        known = [(Reason.REPLACED, one) for one in self._replaced if one.replaced]
        return {
            key: (reason, one)
            for reason, one in [*known, *((Reason.PERSON, one) for one in self._people)]
            for key in phrase_key(one.spelling)
            if one.type is not IdentifierType.ADR and not key.isdecimal()
        }

    def in_messages(self, texts: Sequence[str], parts: Sequence[_Part]) -> Iterator[_Found]:
        weighed = np.concatenate([np.empty((3, 0)), *(part.weighed for part in parts)], axis=1)
        corpus = self._as_put_in(read_corpus(texts, evidence=weighed))
        written = [(at, text) for part in parts for at, _, text, _ in part.forms]
        written += [(at, text) for part in parts for at, _, text in part.numbers]
        originals = self._sought.originals
        self._put_in |= _ends(text for at, text in written if text not in originals.get(at, text))
        found = [
            _Found(at + 1, start, text, Reason.FORM, _of_form(type_), type_, 0, texts[at])
            for part in parts
            for at, start, text, type_ in part.forms
            if not self._is_put_in(text, at)
        ]
        taken = {(one.row - 1, one.start + i) for one in found for i in range(len(one.text))}
        for at, start, text in (one for part in parts for one in part.numbers):
            is_taken = any((at, start + i) in taken for i in range(len(text)))
            if self._is_left(text) and not (is_taken or self._is_put_in(text, at)):
                type_, sure = IdentifierType.TEL, Certainty.CERTAIN
                found.append(_Found(at + 1, start, text, Reason.NUMBER, sure, type_, 0, texts[at]))
        beside = [*self._initials(corpus, taken), *self._addresses(corpus, taken)]
        taken |= {(one.row - 1, one.start + i) for one in beside for i in range(len(one.text))}
        yield from (*found, *beside)
        known = [*self._replaced, *self._people]
        judged = Round(corpus, known, short_forms=self._short, streets=self._streets)
        is_left = judged.probability >= _POSSIBLE
        for form in {form for form, (reason, _) in self._names.items() if reason is Reason.PERSON}:
            words = corpus.words_of(form)
            # A common word in lower case is that word.
            counts = corpus.is_capital[words] | (form not in self._common)
            is_left[words[counts & (corpus.replaced[words] == NO_NAME)]] = True
        for word in np.flatnonzero(is_left).tolist():
            at, start, end = corpus.place(word)
            if (at, start) not in taken and not self._is_part(texts[at], start, at):
                reason = next(judged.reasons(word), Reason.CONTEXT)
                name = self._names.get(corpus.forms[corpus.form[word]])
                if name and name[0] is Reason.PERSON:
                    reason = Reason.PERSON
                sure = _of_word(judged.probability[word], reason)
                type_, kin = judged.type_of([word]), judged.akin(word)
                replaced = kin.replaced if kin else 0
                text = texts[at][start:end]
                yield _Found(at + 1, start, text, reason, sure, type_, replaced, texts[at])

    def _as_put_in(self, corpus: Corpus) -> Corpus:
        """Mark the words that replacements put there, as tags are."""
        types = corpus.replaced.copy()
        first_name = TYPES.index(IdentifierType.PRE)
        came = sorted(self._sought.inserted & corpus.number.keys())
        labelled = self._triage.labeller.label(came)
        for at, message in zip(labelled.words.form, labelled.words.message, strict=True):
            # Common words of a replacement, such as "rue", stand elsewhere as themselves.
            if labelled.labels[at].label is not Label.ANTI_DICTIONARY:
                types[corpus.words_of(came[message])] = first_name
        first = np.searchsorted(corpus.message, np.arange(len(corpus.texts) + 1)).tolist()
        for message, put_in in self._sought.put_in.items():
            left = Counter(put_in)
            for word in range(*first[message : message + 2]) if message + 1 < len(first) else ():
                form = corpus.forms[corpus.form[word]]
                if left[form] > 0:
                    left[form] -= 1
                    types[word] = first_name
        # A surrogate keeps the particles of its name: *Le Goff*, *Le Godet*.
        is_none = np.append(corpus.is_tag | (types == NO_NAME), [True])
        kept = [corpus.words_of(one) for one in self._particles]
        for particle in kept * _MOST_PARTICLES:
            inside = particle[~is_none[particle + 1]]
            types[inside], is_none[inside] = first_name, False
        return replace(corpus, replaced=np.where(corpus.is_tag, corpus.replaced, types))

    def _is_put_in(self, text: str, message: int = -1) -> bool:
        """Return whether a replacement wrote something."""
        original = self._sought.originals.get(message)
        if original is not None and text not in original:
            return True
        digits = _NO_DIGITS.sub("", text)
        is_number = len(digits) >= _FEWEST_DIGITS and digits[-_END:] in self._put_in
        words = phrase_key(text)
        is_new = bool(words) and self._sought.inserted.issuperset(words)
        return is_number or folded(text) in self._sought.replacements or is_new

    def _is_part(self, text: str, start: int, message: int) -> bool:
        """Return whether the word around a place, hyphens and all, is not in the original."""
        original = self._sought.originals.get(message)
        if original is None:
            return False
        begin = max(text.rfind(space, 0, start) for space in " \n") + 1
        whole = _SPACE.split(text[begin:], maxsplit=1)[0]
        return whole.strip('.,;:!?()"') not in original

    def _is_left(self, number: str) -> bool:
        """Return whether a number was replaced, or may be dialled and is no date."""
        digits = _NO_DIGITS.sub("", number)
        if digits[-_END:] in self._ends:
            return True
        if len(digits) not in _DIALLED or digits[0] not in "03" or _DATE.search(number):
            return False
        return bool(telephone_in(digits))

    def _initials(self, corpus: Corpus, taken: Set[tuple[int, int]]) -> Iterator[_Found]:
        """Yield the initials of full names that were replaced, or one beside a tag."""
        keys = (phrase_key(one.spelling) for one in self._sought.known if one.type in NAMES)
        known = {(key[0][0], key[-1][0]) for key in keys if len(key) > 1}
        if not known:
            return
        firsts, lasts = ({pair[at] for pair in known} - _LITTLE for at in (0, 1))
        is_letter = np.array([len(form) == 1 and form.isalpha() for form in corpus.forms])
        places = is_letter[corpus.form] & corpus.is_capital
        is_name, n_words = corpus.replaced != NO_NAME, len(corpus.form)
        for word in np.flatnonzero(places).tolist():
            at, start, end = corpus.place(word)
            text, letter = corpus.texts[at], corpus.forms[corpus.form[word]]
            if (at, start) in taken or text[max(0, start - 1) : start].strip("\n ,'’"):
                continue
            behind = _INITIAL.match(text, end)
            is_last = is_name[word - 1] and letter in lasts and _ENDING.match(text, end)
            is_first = text[end : end + 2] == ". " and letter in firsts
            is_first = is_first and bool(is_name[min(word + 2, n_words - 1)])
            if behind and (letter, folded(behind[1])) in known:
                end = behind.end(1)
            elif not (is_last or is_first):
                continue
            sure, type_ = Certainty.LIKELY, IdentifierType.PRE
            yield _Found(at + 1, start, text[start:end], Reason.INITIALS, sure, type_, 0, text)

    def _addresses(self, corpus: Corpus, taken: Set[tuple[int, int]]) -> Iterator[_Found]:
        """Yield words of replaced addresses behind a kind of street or a number, and postcodes."""
        sure, type_ = Certainty.LIKELY, IdentifierType.ADR
        for form, one in self._streets.items():
            for word in corpus.words_of(form).tolist():
                at, start, end = corpus.place(word)
                before = (corpus.forms[n] for n in corpus.form[word - 1 : word - 4 : -1].tolist())
                # Links may stand between them.
                first = next((word for word in before if word not in self._links), "")
                in_street = first in self._street_types or first.isdecimal()
                if (at, start) not in taken and (form.isdecimal() or in_street):
                    text, why = corpus.texts[at], Reason.ADDRESS
                    yield _Found(
                        at + 1, start, text[start:end], why, sure, type_, one.replaced, text
                    )

    def in_cells(self, cells: Mapping[str, Sequence[int]]) -> Iterator[_Found]:
        """Yield what stands in cells that are no messages, each told by its rows."""
        texts = [cell for cell in cells if not is_date(cell)]
        labelled = self._triage.labeller.label(texts)
        table = labelled.words
        hits = [self._of_word(word) for word in labelled.labels]
        is_hit = np.array([hit is not None for hit in hits], dtype=np.bool_)
        done: set[int] = set()
        for at in np.flatnonzero(is_hit[table.form]).tolist():
            message, start = int(table.message[at]), int(table.start[at])
            hit, text = hits[table.form[at]], labelled.labels[table.form[at]].text
            if hit:
                done.add(message)
                whole, (reason, sure, type_, replaced) = texts[message], hit
                # Nothing else stands there to make another thing of it.
                if text == whole.strip() and reason in (Reason.PERSON, Reason.REPLACED):
                    sure = Certainty.CERTAIN
                for row in cells[whole]:
                    yield _Found(row, start, text, reason, sure, type_, replaced, whole)
        type_, sure = IdentifierType.TEL, Certainty.CERTAIN
        for number, cell in enumerate(texts):
            if number not in done and telephone_in(cell.strip()) and not self._is_put_in(cell):
                for row in cells[cell]:
                    yield _Found(row, 0, cell, Reason.NUMBER, sure, type_, 0, cell)

    def _of_word(self, word: LabelledWord) -> _Hit | None:
        """Return what a word tells by itself; words of the language tell nothing."""
        if self._is_put_in(word.text) or word.kind is Kind.MASKED:
            return None
        if word.kind.is_identifier:
            type_ = likely_type(word, self._lexicon)
            return Reason.FORM, _of_form(type_), type_, 0
        is_word = word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
        if word.kind not in (Kind.WORD, Kind.NAME, Kind.PUBLIC) or is_word:
            return None
        keys = phrase_key(word.text)
        kin = [self._names[key] for key in keys if key in self._names]
        kin += [(*one,) for key in keys for one in self._kinship(key) if one.reason in _AKIN]
        if not kin:
            return None
        why, one = kin[0]
        return why, Certainty.LIKELY, one.type, one.replaced

    def in_document(self, path: str, seen: Set[str]) -> Iterator[_Found]:
        """Yield what stands in a document beside the messages and cells that were read."""
        strings = {one: [0] for one in document_strings(path) if one not in seen}
        inside: list[str] = []
        for one in self.in_cells(strings):
            # Parts of a message that markup divides are read with it.
            inside = inside or ["\n".join(seen)]
            if one.whole not in inside[0]:
                yield one._replace(column="document")


def _of_word(p: float, reason: Reason) -> Certainty:
    if p < _LIKELY:
        return Certainty.POSSIBLE
    # How much parts of addresses weigh is not measured.
    return Certainty.CERTAIN if p >= _CERTAIN and reason is not Reason.ADDRESS else Certainty.LIKELY


def _of_form(type_: IdentifierType) -> Certainty:
    """Return how sure an identifier of a form is: links, ages and dates are often everybody's."""
    return Certainty.CERTAIN if type_.severity is Severity.DIRECT else Certainty.LIKELY


_XML_STRINGS = re.compile(
    r"<!--(.*?)(?:-->|\Z)|<\?(.*?)(?:\?>|\Z)|=\s*\"([^\"<]*)\"|=\s*'([^'<]*)'|>([^<]+)", re.S
)


# What the forms of documents are called, as addresses that are nobody's.
_NAMESPACE = re.compile(
    r"http://(?:schemas\.(?:openxmlformats|microsoft)\.(?:org|com)|www\.w3\.org|purl\.org/dc"
    r"|www\.tei-c\.org/ns)/\S*"
)


def document_strings(path: str) -> Iterator[str]:
    """Yield each string of a document: text, attributes, comments, properties, metadata."""
    file = Path(path)
    if not file.is_file():
        return
    with file.open("rb") as opened:
        head = opened.read(512)
    texts: list[str] = []
    if head.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        metadata = pq.read_schema(path).metadata or {}
        yield from (part.decode("utf-8", "replace") for pair in metadata.items() for part in pair)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
            texts = [archive.read(name).decode("utf-8", "replace") for name in members]
    elif head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        texts = [file.read_bytes().decode("utf-8", "replace")]
    for text in texts:
        found = (next(filter(None, one.groups()), "") for one in _XML_STRINGS.finditer(text))
        strings = dict.fromkeys(unescape(one).strip() for one in found if one.strip())
        yield from (one for one in strings if not _NAMESPACE.fullmatch(one))
