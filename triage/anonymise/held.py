"""Messages that are held back, and the list of them beside an output."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, islice
from pathlib import Path

from ..errors import TriageError
from ..safe import STANDARD_STREAM
from ..settings import Hold
from ..vocabulary import Action
from .filled import read_rows

COLUMNS = ("row", "id", "reason", "written")
_YES, _NO = "yes", "no"


class Reason(StrEnum):
    """The reasons for which nobody can answer for a message as it would be written."""

    WAITS = "waits for the expert"
    NOTHING_FOUND = "TA in which nothing was found to replace"
    IN_DOUBT = "TA with a word in doubt"
    ASKED = "holds an identifier of a type that the plan asks about"


def holds(hold: Hold, reason: Reason) -> bool:
    return hold is Hold.UNDECIDED or (hold is Hold.TA and reason is Reason.NOTHING_FOUND)


def reason_of(
    action: Action, *, anything_found: bool, in_doubt: bool, is_asked: bool = False
) -> Reason | None:
    """Return why a message should not be written; None where it may be."""
    if action is Action.EXPERT:
        return Reason.WAITS
    if is_asked:
        return Reason.ASKED
    if action is Action.NTA:
        return None
    if not anything_found:
        return Reason.NOTHING_FOUND
    return Reason.IN_DOUBT if in_doubt else None


@dataclass(frozen=True)
class HeldMessage:
    """A message that was held back, or written although it should have been."""

    row: int
    id: str
    reason: Reason
    written: bool

    def cells(self) -> list[object]:
        return [self.row, self.id, self.reason.value, _YES if self.written else _NO]


def held_path(output: str) -> Path:
    """Return the path of the list of what is held back: beside the output, always CSV."""
    return Path("held.csv") if output == STANDARD_STREAM else beside(output, "held.csv")


def beside(output: str, ending: str) -> Path:
    path = Path(output)
    # Outputs of one name in several formats have files of their own.
    return path.with_name(f"{path.name.removesuffix('.csv')}.{ending}")


def read_held(output: str) -> list[HeldMessage]:
    """Return the messages that were held back from an output, or written all the same."""
    path = held_path(output)
    if output == STANDARD_STREAM or not path.exists():
        return []
    no_list = f"{path} is no list of messages held back: move it away, or anonymise the file again"
    try:
        return read_rows(path, COLUMNS, _held)
    except TriageError:
        raise TriageError(no_list) from None


def _held(cells: Mapping[str, str]) -> HeldMessage:
    row, id_, reason, written = (cells[name] for name in COLUMNS)
    return HeldMessage(int(row), id_, Reason(reason), written == _YES)


def input_rows(held: Iterable[HeldMessage], n: int) -> list[int]:
    """Return the row in the input, from 1, of each of the first messages of an output."""
    missing = {one.row for one in held if not one.written}
    return [*islice((row for row in count(1) if row not in missing), n)]
