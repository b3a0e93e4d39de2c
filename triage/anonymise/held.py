"""Tables beside an output: messages that are held back, what people fill in, a sample to answer.

Of each message of a sample a person says whether they recognise somebody. The question is that of
Grouin (2013): no search finds who is recognised by what is told.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

from triage.data import OutputFile, create_output
from triage.data.errors import whole_characters
from triage.data.output import beside
from triage.reports.measures import upper_bound

from ..decide.entries import SAID, read_rows
from ..errors import TriageError
from ..safe import STANDARD_STREAM
from ..settings import Hold
from ..vocabulary import Action
from .keys import digest

# Of its owner alone; no spreadsheet runs what stands in it.
private_output = partial(create_output, private=True, guard_formulas=True)


@contextmanager
def private_table(
    path: str | Path,
    columns: Sequence[str],
    rows: Iterable[Iterable[object]],
    *,
    overwrite: bool = False,
) -> Iterator[OutputFile]:
    """Write a table of rows for its owner alone, ready to be committed."""
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    with private_output(path, columns, bom=True, overwrite=overwrite) as output:
        output.write(
            [whole_characters(cell) if isinstance(cell, str) else cell for cell in row]
            for row in rows
        )
        yield output


COLUMNS = ("row", "id", "reason", "written")
_YES, _NO = "yes", "no"


class HeldFor(StrEnum):
    """The reasons for which nobody can answer for a message as it would be written."""

    WAITS = "waits for the expert"
    NOTHING_FOUND = "TA in which nothing was found to replace"
    IN_DOUBT = "TA with a word in doubt"
    ASKED = "holds an identifier of a type that the plan asks about"


def holds(hold: Hold, reason: HeldFor) -> bool:
    return hold is Hold.UNDECIDED or (hold is Hold.TA and reason is HeldFor.NOTHING_FOUND)


def reason_of(
    action: Action, *, anything_found: bool, in_doubt: bool, is_asked: bool = False
) -> HeldFor | None:
    """Return why a message should not be written; None where it may be."""
    if action is Action.EXPERT:
        return HeldFor.WAITS
    if is_asked:
        return HeldFor.ASKED
    if action is Action.NTA:
        return None
    if not anything_found:
        return HeldFor.NOTHING_FOUND
    return HeldFor.IN_DOUBT if in_doubt else None


@dataclass(frozen=True)
class HeldMessage:
    """A message that was held back, or written although it should have been."""

    row: int
    id: str
    reason: HeldFor
    written: bool

    def cells(self) -> list[object]:
        return [self.row, self.id, self.reason.value, _YES if self.written else _NO]


def held_path(output: str) -> Path:
    return Path("held.csv") if output == STANDARD_STREAM else beside(output, "held.csv")


def read_held(output: str) -> list[HeldMessage]:
    path = held_path(output)
    if output == STANDARD_STREAM or not path.exists():
        return []

    def held(cells: Mapping[str, str]) -> HeldMessage:
        row, id_, reason, written = (cells[name] for name in COLUMNS)
        return HeldMessage(int(row), id_, HeldFor(reason), written == _YES)

    try:
        return read_rows(path, COLUMNS, held)
    except TriageError:
        line = f"{path} is no list of messages held back: move it away, or anonymise the file again"
        raise TriageError(line) from None


def input_rows(held: Iterable[HeldMessage], n: int) -> list[int]:
    """Return the row in the input, from 1, of each of the first messages of an output."""
    missing = {one.row for one in held if not one.written}
    return [*islice((row for row in count(1) if row not in missing), n)]


SAMPLE = ("row", "text", "recognised")
_DIGITS = 6


def facts_of_sample(seed: int, drawn: int, answers: Sequence[bool]) -> dict[str, Any]:
    """Return what a record tells of a sample: in how many of its messages one is recognised.

    `at_most` is the exact one-sided upper bound of their share in the file, with 95 % confidence.
    """
    told = {"seed": seed, "drawn": drawn, "answered": len(answers), "recognised": sum(answers)}
    return told | {"at_most": round(upper_bound(sum(answers), len(answers)), _DIGITS)}


def draw(texts: Sequence[str], n: int, seed: int) -> list[tuple[int, str]]:
    """Draw `n` messages, or all if there are fewer, in random order; with their rows, from 1."""
    key, rows = str(seed).encode(), range(1, len(texts) + 1)
    drawn = heapq.nsmallest(n, rows, key=lambda row: digest(key, "sample", str(row)))
    return [(row, texts[row - 1]) for row in drawn]


def read_sample(path: Path, drawn: Iterable[tuple[int, str]]) -> list[bool]:
    """Read the answers to a sample; those that are empty are left out."""
    texts = {str(row): whole_characters(text).strip() for row, text in drawn}

    def answer(cells: Mapping[str, str]) -> bool | None:
        if texts.get(cells["row"]) != cells["text"]:
            raise ValueError(
                "not a message of this sample; the file checked, --sample and --seed must be those "
                "that it was made with"
            )
        said = SAID.get(cells["recognised"].lower())
        if said is None and cells["recognised"]:
            raise ValueError("recognised is neither yes nor no")
        return said

    said = read_rows(path, ("text", "row", "recognised"), answer)
    if answers := [one for one in said if one is not None]:
        return answers
    raise TriageError(f"{path} holds no answer")
