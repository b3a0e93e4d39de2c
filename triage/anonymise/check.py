"""Look for what an anonymised file still holds of what was replaced, and of names at all."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from triage.data import MessageFile, as_text
from triage.dictionaries.normal import folded
from triage.reports.document import printable

from ..decide.pipeline import Triage
from ..decide.source import Source, check_rejects
from ..errors import TriageError
from ..vocabulary import IdentifierType, Severity
from .cells import is_date, is_run, telephone_in
from .comparison import Sought, check_key_table, compare, sought_in_key_table
from .grading import Certainty, grade
from .held import read_held
from .key_table import read_key_table
from .pairing import pair, read_messages, written_undecided
from .record import CheckFacts
from .search import Search, Seen
from .traces import Match, Trace

_CLEAN = frozenset({Certainty.LIKELY, Certainty.POSSIBLE})
_UNDECIDED = "a message that waits for the expert, and that nobody decided"
_A_NAME = frozenset({Trace.NAME, Trace.EVIDENCE})
_CONTEXT = 40
# What of a finding identifies somebody.
SHOWN = ("before", "text", "behind")


@dataclass(frozen=True)
class Left:
    """Something that may have been left.

    Parameters
    ----------
    certainty : Certainty
    reason : str
    severity : Severity or None
        That of its likely type; None for a whole message.
    row : int
        Of the anonymised file, from 1; 0 is the header.
    column : str
        Its name, or its number where something was found in its name.
    start : int
        Where it stands there, in characters.
    replaced : int
        How often the spelling that was found was replaced elsewhere.
    before, text, behind : str
        What stands there, and around it; these and the column are empty for a whole message.
    """

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
    """What may have been left of one spelling, for one reason: at least one place."""

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
    """Findings in a file, and the number of distinct spellings that were looked for.

    The number is None where nothing says what was replaced.
    """

    rows: int = 0
    replaced: int | None = None
    left: list[Left] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Return whether nothing certain is left, and each message was decided and has an original.

        Where nothing says what was replaced, a name is one that was left.
        """
        if self.replaced is None and any(one.reason in _A_NAME for one in self.left):
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

    def facts(self) -> CheckFacts:
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
) -> Checked:
    """Look for what an anonymised file still holds: what ``triage check`` does.

    Parameters
    ----------
    output : Source
        What ``triage anonymise`` wrote.
    triage : Triage
        Its dictionaries say what is a name and what a common word; its model weighs words.
    against : Source, optional
        The messages before they were anonymised.
    key_table : str, optional
        The table of replacements, instead. Without both, names and patterns alone are looked for.

    Raises
    ------
    DataError
        If a file cannot be read.
    TriageError
        If a row cannot be read, or the other file cannot be what it is said to be.
    """
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
        checked = check(file, sought, triage)
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


def check(file: MessageFile, sought: Sought | None, triage: Triage) -> Checked:
    """Look for words that an anonymised file still holds, in its header and in each column.

    Without `sought`, nothing says what was replaced.
    """
    found = _Findings(Search(sought or Sought(), triage))
    columns = [*file.columns]
    places = [(0, f"column {number}") for number in range(1, len(columns) + 1)]
    for position in found.add(file.columns, places, in_text=False):
        _, columns[position] = places[position]
    ids: list[_Found] = []
    n_rows = 0
    for chunk in file.chunks():
        for position, column in enumerate(columns):
            texts = [as_text(row[position]) for row in chunk.rows]
            places = [(n_rows + i, column) for i in range(1, len(texts) + 1)]
            in_text = position == file.text_position
            seen = found.add(texts, places, in_text=in_text)
            if not in_text:
                into = ids if position == file.id_position else found.found
                into += (one for i, one in _telephones(texts, places) if i not in seen)
        n_rows += len(chunk.rows)
    check_rejects(file)
    if not is_run(telephone_in(one.seen.text.strip()) for one in ids):
        found.found += ids
    replaced = None if sought is None else len(sought.spellings)
    return Checked(n_rows, replaced, [*found.graded()])


_Place = tuple[int, str]


class _Found(NamedTuple):
    """What was seen in a cell: its row and column, and the characters around it."""

    place: _Place
    seen: Seen
    before: str = ""
    behind: str = ""


class _Findings:
    """All that is found in a file; how sure each is can be told when the whole file was seen."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.found: list[_Found] = []

    def add(self, texts: Sequence[str], places: Sequence[_Place], *, in_text: bool) -> set[int]:
        """Search cells; return the numbers of those in which something was found."""
        first = places[0][0] - 1 if places else 0
        seen = self._search.see(texts, in_text=in_text, first=first)
        for one in seen:
            text, start, end = texts[one.message], one.start, one.start + len(one.text)
            around = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
            self.found.append(_Found(places[one.message], one, *around))
        return {one.message for one in seen}

    def graded(self) -> Iterator[Left]:
        """Yield the findings, in the order in which they were added."""
        standing = Counter(folded(one.seen.text) for one in self.found)
        for place, seen, before, behind in self.found:
            replaced = self._search.replaced(seen)
            certainty = grade(seen, replaced, standing[folded(seen.text)])
            yield Left(
                *(certainty, seen.match.trace.value, seen.severity, *place, seen.start),
                *(replaced, before, seen.text, behind),
            )


def _telephones(cells: Sequence[str], places: Sequence[_Place]) -> Iterator[tuple[int, _Found]]:
    """Yield which cells may be telephone numbers by themselves, and these."""
    for i, (cell, place) in enumerate(zip(cells, places, strict=True)):
        if telephone_in(cell.strip()) and not is_date(cell):
            seen = Seen(i, 0, cell, Match(Trace.NUMBER), IdentifierType.TEL.severity)
            yield i, _Found(place, seen)
