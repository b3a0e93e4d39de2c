"""Look for what an anonymised file still holds of what was replaced, and of names at all."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from triage.data import MessageFile, as_text
from triage.dictionaries.normal import folded
from triage.reports.page import printable

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.pipeline import Triage
from ..decide.source import Source, whole_chunks
from ..errors import TriageError
from ..vocabulary import CERTAIN_FROM, IdentifierType, Severity
from .columns import is_date
from .comparison import (
    Sought,
    check_key_table,
    compare,
    pair,
    read_messages,
    sought_in_key_table,
    written_undecided,
)
from .held import read_held
from .plan import Treating
from .record import Record
from .restore import read_key_table
from .search import Match, Search, Seen, Trace
from .survey import is_run, telephone_in


class Certainty(StrEnum):
    """Degrees of certainty that something was left."""

    UNDECIDED = "undecided"
    ADDED = "added"
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"
    PLANNED = "planned"


# Bounds on the evidence where a word stands, and on the share of its occurrences replaced: chosen
# on the first 4,000 messages of 88milSMS, anonymised by models learnt from other senders, with
# leaks planted (`tests/benchmarks/leaks.py`).
_STRONG, _SOME, _WEAK, _NONE = 0.5, 0.2, 0.05, 0.01
_MOSTLY, _OFTEN, _SELDOM = 0.6, 0.4, 0.1
_SHORT_NAME = 5
_TWICE, _FREQUENT = 2, 3


def grade(seen: Seen, replaced: int, standing: int) -> Certainty:
    # What was replaced once may have been a mistake: one is added to what stands.
    share = replaced / (replaced + standing + 1)
    p = seen.evidence
    match seen.match.trace:
        case Trace.SAME:
            return _of_common(share, p) if seen.is_common else _of_same(share, p)
        case Trace.VARIANT | Trace.GLUED | Trace.MISSPELT | Trace.ALIKE:
            return _of_like(seen, p, replaced, standing)
        case Trace.HANDLE:
            is_long = len(seen.match.spelling) >= _SHORT_NAME
            return Certainty.CERTAIN if is_long else Certainty.LIKELY
        case Trace.ADDRESS:
            is_certain = seen.is_in_place and not seen.is_common
            return Certainty.CERTAIN if is_certain else Certainty.LIKELY
        case Trace.FORM | Trace.NUMBER:
            return Certainty.CERTAIN
        case Trace.INITIALS | Trace.EVIDENCE:
            return Certainty.LIKELY
        case Trace.NAME:
            return Certainty.POSSIBLE


def _of_same(share: float, p: float | None) -> Certainty:
    if p is None:
        return Certainty.CERTAIN
    if (p >= _SOME and share >= _SELDOM) or (p >= _WEAK and share >= _MOSTLY):
        return Certainty.CERTAIN
    return Certainty.LIKELY if p >= _WEAK or share >= _OFTEN else Certainty.POSSIBLE


def _of_common(share: float, p: float | None) -> Certainty:
    p = p or 0.0
    if p >= _STRONG and share >= _SELDOM:
        return Certainty.CERTAIN
    is_likely = p >= _SOME or (p >= _NONE and share >= _OFTEN)
    return Certainty.LIKELY if is_likely else Certainty.POSSIBLE


def _of_like(seen: Seen, p: float | None, replaced: int, standing: int) -> Certainty:
    """Grade a spelling that is like one that was replaced."""
    if p is None:
        return Certainty.POSSIBLE if seen.is_common else Certainty.LIKELY
    # Short words are one letter from some name; those of a frequent name are rather meant.
    is_short = len(seen.text) < _SHORT_NAME
    is_doubtful = seen.is_common or replaced < (_FREQUENT if is_short else _TWICE)
    certain = _STRONG if seen.is_common else CERTAIN_FROM
    # A slip is rarer than the name.
    if standing > replaced and p < _SOME:
        return Certainty.POSSIBLE
    match seen.match.trace:
        case Trace.ALIKE:
            certain, likely = _STRONG, _SOME
        case Trace.MISSPELT:
            likely = _WEAK if is_doubtful else _NONE
        case _:
            likely = _NONE if seen.is_common else 0.0
    if p >= certain:
        return Certainty.CERTAIN
    return Certainty.LIKELY if p >= likely else Certainty.POSSIBLE


_CLEAN = frozenset({Certainty.LIKELY, Certainty.POSSIBLE, Certainty.PLANNED})
_UNDECIDED = "a message that waits for the expert, and that nobody decided"
_A_NAME = frozenset({Trace.NAME, Trace.EVIDENCE})
# What is found without anything that was replaced stays where the plan keeps its type.
_BY_TYPE = _A_NAME | {Trace.FORM, Trace.NUMBER}
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
    """Findings in a file, and the number of distinct spellings that were looked for."""

    rows: int = 0
    replaced: int | None = None
    left: list[Left] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """True if nothing certain is left, and each message was decided and has an original."""
        if self.replaced is None and any(
            one.reason in _A_NAME and one.certainty is not Certainty.PLANNED for one in self.left
        ):
            return False
        return all(one.certainty in _CLEAN for one in self.left)

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
    """Look for what an anonymised file still holds: what ``triage check`` does."""
    for other in (against.path if against else None, key_table):
        if other is not None:
            _check_other(output.path, other)
    with output.open() as file:
        after = read_messages(file)
        held = read_held(output.path)
        undecided = after.undecided | written_undecided(held, after)
        added: dict[int, str] = {}
        sought = None
        if key_table is not None:
            rows = read_key_table(key_table)
            check_key_table(key_table, rows, after, triage.lexicon.pack)
            sought = sought_in_key_table(rows, triage.lexicon.pack)
        elif against is not None:
            with against.open() as originals:
                before = read_messages(originals)
            pairing = pair(before, after, held)
            compared = compare(before, after, pairing, triage.labeller)
            sought, added = compared.sought, compared.added
            undecided |= pairing.became(before.undecided)
        checked = check(file, sought, triage, treating, jobs)
    whole = [(Certainty.UNDECIDED, _UNDECIDED, number) for number in sorted(undecided)]
    whole += [(Certainty.ADDED, reason, number) for number, reason in sorted(added.items())]
    checked.left[:0] = [
        Left(certainty, reason, None, number + 1) for certainty, reason, number in whole
    ]
    return checked


def _check_other(path: str, other: str) -> None:
    # A file that is not there is an error when it is opened.
    with suppress(OSError):
        if Path(path).samefile(other):
            raise TriageError(
                f"{other} is the same file as {path}: name the anonymised file first, then the "
                "messages before with --against, or the table of replacements with --key-table"
            )


def check(
    file: MessageFile,
    sought: Sought | None,
    triage: Triage,
    treating: Treating | None = None,
    jobs: int = 1,
) -> Checked:
    """Look for words that an anonymised file still holds, in its header and in each column."""
    search = Search(sought or Sought(), triage)
    found, columns = _search_header(file, search, treating)
    look = _Look(search, treating, columns, file.text_position, file.id_position)
    corpus = CorpusPass(whole_chunks(file, None), file.lines, as_whole=False, jobs=jobs)
    ids: list[_Found] = []
    n_rows = 0
    with used_chunks(triage, corpus, look) as chunks:
        for of_chunk in chunks:
            found += of_chunk.found
            ids += of_chunk.ids
            n_rows += of_chunk.n_rows
    if not is_run(telephone_in(one.seen.text.strip()) for one in ids):
        found += ids
    replaced = None if sought is None else len(sought.spellings)
    return Checked(n_rows, replaced, [*_graded(found, search)])


_Place = tuple[int, str]


class _Found(NamedTuple):
    """A trace in a cell: its row and column, the characters around it, if it is planned."""

    place: _Place
    seen: Seen
    before: str = ""
    behind: str = ""
    is_planned: bool = False


def _search_header(
    file: MessageFile, search: Search, treating: Treating | None
) -> tuple[list[_Found], list[str]]:
    """Return what the names of columns hold, and how these may be called: those by numbers."""
    columns, names = file.columns, [*file.columns]
    places = [(0, f"column {number}") for number in range(1, len(columns) + 1)]
    seen = search.in_cells(columns)
    for one in seen:
        _, names[one.message] = places[one.message]
    return [*_found(seen, columns, places, treating)], names


class _OfChunk(NamedTuple):
    """Finds in some rows; those in ids count unless the ids are numbers in order."""

    found: list[_Found]
    ids: list[_Found]
    n_rows: int


@dataclass(frozen=True)
class _Look:
    """Searches the rows of a chunk, perhaps in a worker process."""

    search: Search
    treating: Treating | None
    columns: Sequence[str]
    text_position: int
    id_position: int | None

    def __call__(self, chunk_seen: ScoredChunk) -> _OfChunk:
        chunk, scored = chunk_seen
        result = _OfChunk([], [], chunk.n_rows)
        for position, column in enumerate(self.columns):
            places = [(chunk.first + i, column) for i in range(1, chunk.n_rows + 1)]
            if position == self.text_position:
                seen = self.search.in_messages(scored, chunk.first)
                result.found.extend(_found(seen, chunk.texts, places, self.treating))
                continue
            cells = [as_text(row[position]) for row in chunk.rows]
            seen = self.search.in_cells(cells)
            result.found.extend(_found(seen, cells, places, self.treating))
            taken = {one.message for one in seen}
            into = result.ids if position == self.id_position else result.found
            into.extend(one for i, one in _telephones(cells, places) if i not in taken)
        return result


def _found(
    seen: Iterable[Seen],
    texts: Sequence[str],
    places: Sequence[_Place],
    treating: Treating | None,
) -> Iterator[_Found]:
    """Yield what was seen in cells, with the characters around it."""
    for one in seen:
        text, start, end = texts[one.message], one.start, one.start + len(one.text)
        around = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
        yield _Found(places[one.message], one, *around, _is_planned(one, text, treating))


def _is_planned(seen: Seen, text: str, treating: Treating | None) -> bool:
    if treating is None:
        return False
    type_ = seen.type if seen.match.trace in _BY_TYPE else None
    return treating.stays(seen.start, seen.start + len(seen.text), type_, text)


def _graded(found: Sequence[_Found], search: Search) -> Iterator[Left]:
    """Yield the findings of a whole file, in their order."""
    standing = Counter(folded(one.seen.text) for one in found)
    for place, seen, before, behind, is_planned in found:
        replaced = search.replaced(seen)
        certainty = grade(seen, replaced, standing[folded(seen.text)])
        if is_planned:
            certainty = Certainty.PLANNED
        yield Left(
            *(certainty, seen.match.trace.value, seen.severity, *place, seen.start),
            *(replaced, before, seen.text, behind),
        )


def _telephones(cells: Sequence[str], places: Sequence[_Place]) -> Iterator[tuple[int, _Found]]:
    """Yield which cells may be telephone numbers by themselves, and these."""
    for i, (cell, place) in enumerate(zip(cells, places, strict=True)):
        if telephone_in(cell.strip()) and not is_date(cell):
            type_ = IdentifierType.TEL
            seen = Seen(i, 0, cell, Match(Trace.NUMBER), type_.severity, type_)
            yield i, _Found(place, seen)
