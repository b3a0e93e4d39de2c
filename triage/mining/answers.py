"""Answers to candidates: a file that a person fills in, and from which mining goes on.

It holds names: only its owner may read it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..vocabulary import IdentifierType
from .corpus import key_of
from .tables import number_of, read_rows, type_of


class Said(StrEnum):
    """The answers to a candidate."""

    ALWAYS = "always"
    NEVER = "never"
    HERE = "here"
    LATER = "later"


@dataclass(frozen=True)
class Answer:
    """An answer to a spelling."""

    spelling: str
    said: Said
    type: IdentifierType = IdentifierType.PRE
    entity: str = ""
    places: frozenset[tuple[int, int]] = frozenset()
    likelihood: float | None = None
    stands: int = 0

    @property
    def n_identifiers(self) -> int:
        """How many of the places where it stood hold an identifier, as far as it is known."""
        return {Said.ALWAYS: self.stands, Said.HERE: len(self.places)}.get(self.said, 0)

    @property
    def key(self) -> str:
        """The folded words of the spelling."""
        return " ".join(key_of(self.spelling))


_PLACE = re.compile(r"([0-9]{1,12}):([0-9]{1,12})")


def places_cell(places: Iterable[tuple[int, int]]) -> str:
    """Return places as a cell holds them."""
    return " ".join(f"{row}:{start}" for row, start in sorted(places))


def read_answers(path: str | Path) -> dict[str, Answer]:
    """Read answers by their keys; rows without one are left out."""
    found = read_rows(path, ("spelling", "answer"), _answer)
    return {one.key: one for one in found if one}


def _answer(cells: Mapping[str, str]) -> Answer | None:
    said = cells["answer"].lower()
    if not said:
        return None
    if said not in [*Said]:
        raise ValueError(f"the answer is none of {', '.join(Said)}")
    if not key_of(cells["spelling"]):
        raise ValueError("it has no spelling; write it, or remove the row")
    places = frozenset((int(row), int(at)) for row, at in _PLACE.findall(cells.get("places", "")))
    if said == Said.HERE and not places:
        raise ValueError("of an answer 'here' the places are needed, such as 12:0 for row:start")
    return Answer(
        cells["spelling"],
        Said(said),
        type_of(cells.get("type", "")),
        cells.get("entity", ""),
        places,
        number_of(cells.get("likelihood", "")),
        int(number_of(cells.get("stands", "")) or 0),
    )
