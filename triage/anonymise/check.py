"""Look for what an anonymised file still holds: in messages, other columns and its document.

Words of messages are graded as mining grades them (`grading`): by the probability that a word that
stands there identifies somebody, as measured on what really stands (docs/laboratory/results.md).
*Certain* is said of what was true in four of five cases at least.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from html import unescape
from itertools import accumulate, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from triage.data import MessageFile, as_text
from triage.dictionaries import Kind, Label, LabelledWord
from triage.dictionaries.addresses import KnownWords, street_types
from triage.dictionaries.normal import Legible, folded
from triage.reports.page import printable

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.people import Account, People
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
    NAMES,
    NO_NAME,
    TYPES,
    Corpus,
    Kin,
    Kinship,
    Known,
    Reason,
    Round,
    Weighed,
    evidence_of,
    joined,
    key_of,
    read_corpus,
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


# Bounds on the probability that a word identifies somebody. Of the words that stand in 88milSMS out
# of fold, one of eight from LIKELY on identifies somebody where .2 % of the messages keep an
# identifier, one of five where 1 % do. From CERTAIN on none stands in what this program writes; in
# messages where nothing is replaced, 99 of 100 are true.
_CERTAIN, _LIKELY, _POSSIBLE = 0.95, 0.1, 0.02
_CLEAN = frozenset({Certainty.LIKELY, Certainty.POSSIBLE, Certainty.PLANNED})
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


@dataclass(frozen=True)
class LeftSpelling:
    """A possible leak of one spelling, for one reason: at least one place."""

    places: tuple[Left, ...]

    @property
    def first(self) -> Left:
        """The first place, which tells what all have in common."""
        return self.places[0]

    @property
    def title(self) -> str:
        """The spelling as it is written first, how often it stands and was replaced, and why."""
        one = self.first
        sure = " ".join(filter(None, (one.certainty, one.severity)))
        replaced = f", {one.replaced:,} replaced" if one.replaced else ""
        text = printable(" ".join(one.text.split()))
        return f"{sure}: {text} ({len(self.places):,} left{replaced}): {one.reason}"


@dataclass
class Checked:
    """Findings in a file, the number of spellings looked for, and the residue to be expected."""

    rows: int = 0
    replaced: int | None = None
    left: list[Left] = field(default_factory=list)
    expected: str = ""

    @property
    def is_clean(self) -> bool:
        """True if nothing certain is left, and each message was decided and has an original."""
        return all(one.certainty in _CLEAN for one in self.left)

    @property
    def result(self) -> str:
        """The verdict, with the residue that is to be expected where nothing certain is left."""
        if not self.is_clean:
            return "NOT clean: something certain is left, or a message that nobody decided"
        expected = f"; to be expected: {self.expected}" if self.expected else ""
        return f"nothing known is left{expected}"

    def spellings(self) -> list[LeftSpelling]:
        """Return the findings in words by spelling, the most certain and most frequent first."""

        def alike(one: Left) -> tuple[int, str, str, str]:
            severity = one.severity.value if one.severity else ""
            return _ORDER[one.certainty], folded(one.text), one.reason, severity

        words = sorted((one for one in self.left if one.text), key=alike)
        found = [LeftSpelling((*places,)) for _, places in groupby(words, key=alike)]
        return sorted(found, key=lambda one: (_ORDER[one.first.certainty], -len(one.places)))

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
        """Return how many findings of a certainty there are."""
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
) -> Checked:
    """Look for what an anonymised file still holds: what ``triage check`` does.

    With a key table the originals tell its people alone.
    """
    for other in (against.path if against else None, key_table):
        if other is not None:
            _check_other(output.path, other)
    with output.open() as file:
        after = read_messages(file)
        held = read_held(output.path)
        undecided = after.undecided | written_undecided(held, after)
        added: dict[int, str] = {}
        sought, people, before = None, triage.known_people, None
        if against is not None:
            with against.open() as originals:
                account = Account.of(triage, originals)
                before = read_messages(originals, account)
                people = account.people() if account else None
        if key_table is not None:
            rows = read_key_table(key_table)
            check_key_table(key_table, rows, after)
            sought = sought_in_key_table(rows)
        elif before is not None:
            pairing = pair(before, after, held)
            compared = compare(before, after, pairing, triage.labeller)
            sought, added = compared.sought, compared.added
            undecided |= pairing.became(before.undecided)
        checked = check(file, sought, triage, treating, jobs, people)
    whole = [(Certainty.UNDECIDED, _UNDECIDED, number) for number in sorted(undecided)]
    whole += [(Certainty.ADDED, reason, number) for number, reason in sorted(added.items())]
    checked.left[:0] = [
        Left(certainty, reason, None, number + 1) for certainty, reason, number in whole
    ]
    checked.expected = _expected(output.path)
    return checked


def _check_other(path: str, other: str) -> None:
    # A file that is not there is an error when it is opened.
    with suppress(OSError):
        if Path(path).samefile(other):
            raise TriageError(
                f"{other} is the same file as {path}: name the anonymised file first, then the "
                "messages before with --against, or the table of replacements with --key-table"
            )


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
    look = _Look(people, file.text_position)
    corpus = CorpusPass(whole_chunks(file, None), file.lines, as_whole=False, jobs=jobs)
    with used_chunks(triage, corpus, look) as chunks:
        parts = [*chunks]
    search = _Search(sought or Sought(), triage, people)
    texts = [text for part in parts for text in part.texts]
    found = [*search.in_messages(texts, parts)]
    names, columns = [*file.columns], [f"column {n}" for n, _ in enumerate(file.columns, 1)]
    for one in search.in_cells({name: [at] for at, name in enumerate(file.columns)}):
        names[one.row] = columns[one.row]
        found.append(one._replace(row=0, column=columns[one.row]))
    for at, name in enumerate(names):
        if at != file.text_position:
            cells: dict[str, list[int]] = {}
            for part in parts:
                for cell, rows in part.cells[at].items():
                    cells.setdefault(cell, []).extend(rows)
            seen = [one._replace(column=name) for one in search.in_cells(cells)]
            numbers = [one for one in seen if one.reason is Reason.NUMBER]
            if at == file.id_position and is_run(telephone_in(one.text) for one in numbers):
                seen = [one for one in seen if one.reason is not Reason.NUMBER]
            found += seen
    cells_seen = {cell for part in parts for of in part.cells for cell in of}
    found += search.in_document(file.name, {*texts, *cells_seen, *file.columns})
    found.sort(key=lambda one: (one.row, one.column == "", one.start))
    left = [search.left(one, treating, file.columns[file.text_position]) for one in found]
    replaced = None if sought is None else sought.n_spellings
    return Checked(sum(part.n_rows for part in parts), replaced, left)


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


@dataclass(frozen=True)
class _Part:
    """A chunk: messages, evidence of their words, what is known by its form, and other cells."""

    n_rows: int
    texts: list[str]
    weighed: Weighed
    forms: list[tuple[int, int, str, IdentifierType]]
    numbers: list[tuple[int, int, str]]
    cells: list[dict[str, list[int]]]


@dataclass(frozen=True)
class _Look:
    """Reads the rows of a chunk, perhaps in a worker process."""

    people: People | None
    text_position: int

    def __call__(self, chunk_seen: ScoredChunk) -> _Part:
        chunk, scored = chunk_seen
        if self.people:
            scored = self.people.raised(scored)
        labelled, table = scored.labelled, scored.labelled.words
        is_form = labelled.of_form(_is_form)[table.form] > 0
        forms = []
        for at in np.flatnonzero(is_form).tolist():
            word = labelled.labels[table.form[at]]
            type_ = long_number(word) or likely_type(word, labelled.lexicon)
            forms.append((int(table.message[at]), int(table.start[at]), word.text, type_))
        numbers = [
            (number, *found) for number, text in enumerate(chunk.texts) for found in _numbers(text)
        ]
        cells: list[dict[str, list[int]]] = [{} for _ in chunk.rows[0]] if chunk.rows else []
        for at, of in enumerate(cells):
            if at != self.text_position:
                for number, row in enumerate(chunk.rows, chunk.first + 1):
                    if _MAY_IDENTIFY.search(cell := as_text(row[at])):
                        of.setdefault(cell, []).append(number)
        return _Part(chunk.n_rows, chunk.texts, evidence_of(scored), forms, numbers, cells)


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


def _is_form(word: LabelledWord) -> int:
    return int(word.kind.is_identifier or long_number(word) is not None)


def _numbers(text: str) -> Iterator[tuple[int, str]]:
    """Yield the long numbers of a text, in any spacing, and where each starts."""
    if len(_ANY_DIGITS.findall(text)) >= _FEWEST_DIGITS:
        legible = Legible.of(text)
        for found in _SEPARATED.finditer(legible.text):
            start, end = legible.span(*found.span())
            yield start, text[start:end]


def _may_be_dialled(written: str, digits: str) -> bool:
    """Return whether a number begins as those that are dialled do, and is no date."""
    if len(digits) not in _DIALLED or digits[0] not in "03" or _DATE.search(written):
        return False
    return bool(telephone_in(digits))


def _ends(words: Iterable[str]) -> set[str]:
    """Return the last digits of long numbers, which telephone numbers have in common."""
    numbers = (_NO_DIGITS.sub("", word) for word in words)
    return {digits[-_END:] for digits in numbers if len(digits) >= _FEWEST_DIGITS}


class _Search:
    """Searches messages, cells and documents for what was replaced, and for people."""

    def __init__(self, sought: Sought, triage: Triage, people: People | None) -> None:
        self._sought, self._triage = sought, triage
        self._lexicon = triage.lexicon
        self._ends = _ends(one.spelling for one in sought.known)
        self._put_in = _ends(sought.replacements)
        # Names of people count in messages by their evidence, which they have raised.
        self._people = [
            Known(one.text, one.type, one.entity, 0, everywhere=False)
            for one in (people.spellings() if people else [])
        ]
        streets = self._street_words = _Streets(KnownWords.of(self._lexicon))
        self._streets = {
            word: one for one in sought.known for word in streets.words(key_of(one.spelling))
        }

    @cached_property
    def _kinship(self) -> Kinship:
        short = short_forms(self._lexicon.pack)
        return Kinship([*self._sought.known, *self._people], frozenset(), short, self._streets)

    def in_messages(self, texts: Sequence[str], parts: Sequence[_Part]) -> Iterator[_Found]:
        weighed = joined([(len(part.texts), part.weighed) for part in parts])
        corpus = self._as_put_in(read_corpus(texts, evidence=weighed))
        taken: set[tuple[int, int]] = set()
        first = [*accumulate((len(part.texts) for part in parts), initial=0)]
        self._put_in |= _ends(self._written(parts, first))
        for at, part in zip(first, parts, strict=False):
            for one in self._forms(part, at):
                taken |= {(one.row - 1, one.start + i) for i in range(len(one.text))}
                yield one
        yield from self._long_numbers(parts, taken)
        beside = [*self._initials(corpus, texts, taken), *self._addresses(corpus, texts, taken)]
        for one in beside:
            taken |= {(one.row - 1, one.start + at) for at in range(len(one.text))}
            yield one
        short = short_forms(self._lexicon.pack)
        known = [*self._sought.known, *self._people]
        judged = Round(corpus, known, short_forms=short, streets=self._streets)
        p = judged.probability
        for word in np.flatnonzero(p >= _POSSIBLE).tolist():
            message, start, end = corpus.place(word)
            if (message, start) not in taken and not self._is_part(texts[message], start, message):
                is_person = self._names.get(corpus.forms[corpus.form[word]], _NOBODY)[0]
                reason = next(judged.reasons(word), Reason.CONTEXT)
                reason = is_person if is_person is Reason.PERSON else reason
                yield _Found(
                    *(message + 1, start, texts[message][start:end], reason),
                    _of_word(p[word], reason),
                    judged.type_of([word]),
                    judged.replaced(word),
                    texts[message],
                )

    def _written(self, parts: Sequence[_Part], first: Sequence[int]) -> Iterator[str]:
        """Yield the forms and numbers that replacements wrote."""
        for at, part in zip(first, parts, strict=False):
            found = [(at + n, text) for n, _, text, _ in part.forms]
            found += [(at + n, text) for n, _, text in part.numbers]
            for message, text in found:
                if text not in self._sought.originals.get(message, text):
                    yield text

    def _forms(self, part: _Part, first: int) -> Iterator[_Found]:
        for number, start, text, type_ in part.forms:
            if not self._is_put_in(text, first + number):
                row, whole = first + number + 1, part.texts[number]
                yield _Found(row, start, text, Reason.FORM, _of_form(type_), type_, 0, whole)

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
        first = np.searchsorted(corpus.message, np.arange(len(corpus.texts) + 1))
        for message, put_in in self._sought.put_in.items():
            left = Counter(put_in)
            last = int(first[message + 1]) if message + 1 < len(first) else 0
            for word in range(int(first[message]) if last else 0, last):
                form = corpus.forms[corpus.form[word]]
                if left[form] > 0:
                    left[form] -= 1
                    types[word] = first_name
        return replace(corpus, replaced=np.where(corpus.is_tag, corpus.replaced, types))

    def _is_put_in(self, text: str, message: int = -1) -> bool:
        """Return whether a replacement wrote something."""
        original = self._sought.originals.get(message)
        if original is not None and text not in original:
            return True
        digits = _NO_DIGITS.sub("", text)
        is_number = len(digits) >= _FEWEST_DIGITS and digits[-_END:] in self._put_in
        return is_number or folded(text) in self._sought.replacements or self._is_new(text)

    def _is_part(self, text: str, start: int, message: int) -> bool:
        """Return whether the word around a place, hyphens and all, is not in the original."""
        original = self._sought.originals.get(message)
        if original is None:
            return False
        begin = max(text.rfind(space, 0, start) for space in " \n") + 1
        whole = _SPACE.split(text[begin:], maxsplit=1)[0]
        return whole.strip('.,;:!?()"') not in original

    def _is_new(self, text: str) -> bool:
        words = key_of(text)
        return bool(words) and self._sought.inserted.issuperset(words)

    def _long_numbers(
        self, parts: Sequence[_Part], taken: Set[tuple[int, int]]
    ) -> Iterator[_Found]:
        first = 0
        for part in parts:
            for number, start, text in part.numbers:
                digits = _NO_DIGITS.sub("", text)
                end = digits[-_END:]
                is_new = _may_be_dialled(text, digits)
                is_taken = any((first + number, start + at) in taken for at in range(len(text)))
                is_left = end in self._ends or is_new
                if is_left and not (is_taken or self._is_put_in(text, first + number)):
                    type_, whole = IdentifierType.TEL, part.texts[number]
                    sure = Certainty.CERTAIN
                    row = first + number + 1
                    yield _Found(row, start, text, Reason.NUMBER, sure, type_, 0, whole)
            first += len(part.texts)

    def _initials(
        self, corpus: Corpus, texts: Sequence[str], taken: Set[tuple[int, int]]
    ) -> Iterator[_Found]:
        """Yield the initials of full names that were replaced, or one beside a tag."""
        known = {
            (key[0][0], key[-1][0])
            for key in (key_of(one.spelling) for one in self._sought.known if one.type in NAMES)
            if len(key) > 1
        }
        if not known:
            return
        firsts, lasts = ({pair[at] for pair in known} - _LITTLE for at in (0, 1))
        is_letter = np.array([len(form) == 1 and form.isalpha() for form in corpus.forms])
        places = is_letter[corpus.form] & corpus.is_capital
        is_name, n_words = corpus.replaced != NO_NAME, len(corpus.form)
        for word in np.flatnonzero(places).tolist():
            message, start, end = corpus.place(word)
            text, letter = texts[message], corpus.forms[corpus.form[word]]
            if (message, start) in taken or text[max(0, start - 1) : start].strip("\n ,'’"):
                continue
            behind = _INITIAL.match(text, end)
            is_last = is_name[word - 1] and letter in lasts and _ENDS.match(text, end)
            is_first = text[end : end + 2] == ". " and letter in firsts
            is_first = is_first and bool(is_name[min(word + 2, n_words - 1)])
            if behind and (letter, folded(behind[1])) in known:
                end = behind.end(1)
            elif not (is_last or is_first):
                continue
            yield _Found(
                *(message + 1, start, text[start:end], Reason.INITIALS),
                *(Certainty.LIKELY, IdentifierType.PRE, 0, text),
            )

    def _addresses(
        self, corpus: Corpus, texts: Sequence[str], taken: Set[tuple[int, int]]
    ) -> Iterator[_Found]:
        """Yield words of replaced addresses behind a kind of street or a number, and postcodes."""
        for form, one in self._streets.items():
            for word in corpus.words_of(form).tolist():
                message, start, end = corpus.place(word)
                before = (corpus.forms[n] for n in corpus.form[word - 1 : word - 4 : -1].tolist())
                if (message, start) not in taken and (form.isdecimal() or self._in_street(before)):
                    yield _Found(
                        *(message + 1, start, texts[message][start:end], Reason.ADDRESS),
                        *(Certainty.LIKELY, IdentifierType.ADR, one.replaced, texts[message]),
                    )

    def _in_street(self, before: Iterable[str]) -> bool:
        """Return whether a kind of street or a number stands before, links between them aside."""
        words = self._street_words
        for form in before:
            if form in words.types or form.isdecimal():
                return True
            if form not in words.links:
                return False
        return False

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
                reason, certainty, type_, replaced = hit
                # Nothing else stands there to make another thing of it.
                if text == texts[message].strip() and certainty is Certainty.LIKELY:
                    certainty = Certainty.CERTAIN if reason in _SPELT else certainty
                for row in cells[texts[message]]:
                    whole = texts[message]
                    yield _Found(row, start, text, reason, certainty, type_, replaced, whole)
        for number, cell in enumerate(texts):
            if number not in done and telephone_in(cell.strip()) and not self._is_put_in(cell):
                type_, sure = IdentifierType.TEL, Certainty.CERTAIN
                yield from (
                    _Found(row, 0, cell, Reason.NUMBER, sure, type_, 0, cell) for row in cells[cell]
                )

    def _of_word(self, word: LabelledWord) -> "_Hit | None":
        """Return what a word tells by itself; words of the language tell nothing."""
        if self._is_put_in(word.text) or word.kind is Kind.MASKED:
            return None
        if word.kind.is_identifier:
            type_ = likely_type(word, self._lexicon)
            return _Hit(Reason.FORM, _of_form(type_), type_)
        is_word = word.label in (Label.ANTI_DICTIONARY, Label.AMBIGUOUS)
        if word.kind not in (Kind.WORD, Kind.NAME, Kind.PUBLIC) or is_word:
            return None
        keys, names = key_of(word.text), self._names
        kin = [Kin(names[key][0], names[key][1]) for key in keys if key in names]
        kin += [one for key in keys for one in self._kinship(key) if one.reason in _AKIN]
        return next((_Hit(why, Certainty.LIKELY, one.type, one.replaced) for why, one in kin), None)

    @cached_property
    def _names(self) -> dict[str, tuple[Reason, Known]]:
        """The words of names, those of people first."""
        known = [(Reason.REPLACED, one) for one in self._sought.known if one.replaced]
        return {
            key: (reason, one)
            for reason, one in [*known, *((Reason.PERSON, one) for one in self._people)]
            for key in key_of(one.spelling)
            if one.type is not IdentifierType.ADR and not key.isdecimal()
        }

    def in_document(self, path: str, seen: Set[str]) -> Iterator[_Found]:
        """Yield what stands in a document beside the messages and cells that were read."""
        strings = {one: [0] for one in document_strings(path) if one not in seen}
        inside: list[str] = []
        for one in self.in_cells(strings):
            # Parts of a message that markup divides are read with it.
            inside = inside or ["\n".join(seen)]
            if one.whole not in inside[0]:
                yield one._replace(column="document")

    def left(self, one: _Found, treating: Treating | None, column: str) -> Left:
        start, end = one.start, one.start + len(one.text)
        planned = treating is not None and treating.stays(
            start, end, one.type if one.reason in _BY_TYPE else None, one.whole
        )
        return Left(
            Certainty.PLANNED if planned else one.certainty,
            one.reason.value,
            one.type.severity,
            one.row,
            one.column or column,
            start,
            one.replaced,
            one.whole[max(0, start - _CONTEXT) : start],
            one.text,
            one.whole[end : end + _CONTEXT],
        )


class _Hit(NamedTuple):
    reason: Reason
    certainty: Certainty
    type: IdentifierType
    replaced: int = 0


# The second of two initials; what stands behind an initial alone; letters that are words.
_INITIAL = re.compile(r"\.? ?([A-ZÀ-Þ])(?![^\W_]|\.[^\W\d_])")
_ENDS = re.compile(r"\.|$|[ ,;!?)]")
_LITTLE = frozenset("amy")
_NOBODY = (Reason.CONTEXT, Known("", IdentifierType.PRE))
_SPACE = re.compile(r"\s")
_SPELT = frozenset({Reason.PERSON, Reason.REPLACED})
_AKIN = frozenset({Reason.STRETCHED, Reason.GLUED, Reason.HANDLE})


def _of_word(p: float, reason: Reason) -> Certainty:
    if p >= _LIKELY:
        # How much parts of addresses weigh is not measured.
        is_measured = reason is not Reason.ADDRESS
        return Certainty.CERTAIN if p >= _CERTAIN and is_measured else Certainty.LIKELY
    return Certainty.POSSIBLE


def _of_form(type_: IdentifierType) -> Certainty:
    """Return how sure an identifier of a form is: links, ages and dates are often everybody's."""
    return Certainty.CERTAIN if type_.severity is Severity.DIRECT else Certainty.LIKELY


_SHORTEST_STREET = 3
_POSTCODE = 5


class _Streets:
    """Tells the words of an address that say which one it is."""

    def __init__(self, known: KnownWords) -> None:
        words = known.words
        self._known_words, self.types = known, street_types(words)
        self.links = words.links | words.titles
        self._no_names = self.types | words.links | words.titles
        self._no_names |= words.complements | words.residences

    def words(self, whole: Sequence[str]) -> Iterator[str]:
        """Yield the words of an address that tell which one it is, its postcode among them."""
        if not self.types.intersection(whole):
            return
        codes = (i for i, word in enumerate(whole) if word.isdecimal() and len(word) == _POSTCODE)
        postcode = next(codes, None)
        telling = [w for w in whole[:postcode] if w.isalpha() and w not in self._no_names]
        if postcode is not None:
            yield whole[postcode]
        elif len(telling) > 1 and self._known_words.is_town(telling[-1]):
            telling.pop()
        yield from (word for word in telling if len(word) >= _SHORTEST_STREET)


_XML_STRINGS = re.compile(
    r"<!--(.*?)(?:-->|\Z)|<\?(.*?)(?:\?>|\Z)|=\s*\"([^\"<]*)\"|=\s*'([^'<]*)'|>([^<]+)", re.S
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
        yield from dict.fromkeys(unescape(one).strip() for one in found if one.strip())
