"""A sample of anonymised messages, of each of which a person says whether they recognise somebody.

The question is that of Grouin (2013): no search finds who is recognised by what is told.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from triage.data import Dialect, Format, as_text, create_output
from triage.data.errors import whole_characters
from triage.reports.measures import upper_bound

from ..decide.people import SAID
from ..errors import TriageError
from .columns import open_table
from .keys import digest
from .record import Record

COLUMNS = ("row", "text", "recognised")
_DIGITS = 6


class Drawn(NamedTuple):
    """A message of a sample, and its row in the file, from 1."""

    row: int
    text: str


@dataclass(frozen=True)
class Answered:
    """A sample, of `drawn` messages, and whether somebody was recognised in those answered."""

    seed: int
    drawn: int
    answers: tuple[bool, ...]

    @property
    def recognised(self) -> int:
        """The number of messages in which somebody was recognised."""
        return sum(self.answers)

    @property
    def at_most(self) -> float:
        """The exact one-sided upper bound of their share in the file, with 95 % confidence."""
        return upper_bound(self.recognised, len(self.answers)) if self.answers else 1.0

    def facts(self) -> Record:
        return {
            "seed": self.seed,
            "drawn": self.drawn,
            "answered": len(self.answers),
            "recognised": self.recognised,
            "at_most": round(self.at_most, _DIGITS),
        }


def draw(texts: Sequence[str], n: int, seed: int) -> list[Drawn]:
    """Draw `n` messages, or all if there are fewer, in random order."""
    key = str(seed).encode()
    rows = heapq.nsmallest(
        n, range(1, len(texts) + 1), key=lambda row: digest(key, "sample", str(row))
    )
    return [Drawn(row, texts[row - 1]) for row in rows]


def parse_answer(said: str) -> bool | None:
    """Return what a person said, in English or French; None where it is neither yes nor no."""
    return SAID.get(said.strip().lower())


def write_questions(path: Path, drawn: Iterable[Drawn]) -> None:
    """Write a sample to be answered, for its owner alone."""
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    with create_output(path, COLUMNS, like=like, private=True, guard_formulas=True) as output:
        output.write([one.row, whole_characters(one.text), ""] for one in drawn)
        output.commit()


def read_answers(path: Path, drawn: Iterable[Drawn]) -> tuple[bool, ...]:
    """Read the answers to a sample; those that are empty are left out."""
    texts = {str(one.row): whole_characters(one.text) for one in drawn}
    answers = []
    with open_table(path, "text", f"{path} is no file of answers: it has no column 'text'") as file:
        for chunk in file.chunks():
            for line, text, row in zip(chunk.lines, chunk.texts, chunk.rows, strict=True):
                cells = dict(zip(file.columns, map(as_text, row), strict=True))
                if texts.get(cells.get("row", "")) != text:
                    raise TriageError(
                        f"{path}, line {line}: not a message of this sample; the file checked, "
                        "--sample and --seed must be those that it was made with"
                    )
                answer = parse_answer(said := cells.get("recognised", ""))
                if answer is not None:
                    answers.append(answer)
                elif said.strip():
                    raise TriageError(f"{path}, line {line}: recognised is neither yes nor no")
        if file.rejects or not answers:
            raise TriageError(f"{path} holds no answer, or rows that cannot be read")
    return tuple(answers)
