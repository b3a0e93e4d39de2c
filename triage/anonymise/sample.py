"""A sample of anonymised messages, of each of which a person says whether they recognise somebody.

The question is that of Grouin (2013): no search finds who is recognised by what is told.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from triage.data.errors import whole_characters
from triage.reports.measures import upper_bound

from ..decide.people import SAID
from ..errors import TriageError
from .filled import private_table, read_rows
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
    with private_table(path, COLUMNS, ((*one, "") for one in drawn)) as output:
        output.commit()


def read_answers(path: Path, drawn: Iterable[Drawn]) -> tuple[bool, ...]:
    """Read the answers to a sample; those that are empty are left out."""
    texts = {str(one.row): whole_characters(one.text).strip() for one in drawn}

    def answer(cells: Mapping[str, str]) -> bool | None:
        if texts.get(cells["row"]) != cells["text"]:
            raise ValueError(
                "not a message of this sample; the file checked, --sample and --seed must be those "
                "that it was made with"
            )
        said = parse_answer(cells["recognised"])
        if said is None and cells["recognised"]:
            raise ValueError("recognised is neither yes nor no")
        return said

    answers = read_rows(path, ("text", "row", "recognised"), answer)
    if answers.count(None) == len(answers):
        raise TriageError(f"{path} holds no answer")
    return tuple(one for one in answers if one is not None)
