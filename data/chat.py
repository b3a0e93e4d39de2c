"""Chats written as text: a message begins with a line of a certain form, and others continue it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from triage.data.limits import LONGEST_CELL
from triage.data.table import Reject
from triage.data.text import UNDECODED, Lines


@dataclass
class Record:
    """The lines of a message, from line `first` of the file on, and the header of the first."""

    first: int
    header: re.Match[str] | None
    lines: list[str] = field(default_factory=list)
    length: int = 0
    is_undecoded: bool = False

    def add(self, line: str, *, is_undecoded: bool) -> None:
        """Add a line; what is beyond the longest message is counted and left out."""
        self.length += len(line)
        self.is_undecoded |= is_undecoded
        if self.length <= LONGEST_CELL:
            self.lines.append(line)

    def raw(self) -> str:
        """Return the message as it stands in the file, without its last line end."""
        return "".join(self.lines).rstrip("\r\n")

    def reject(self, date: datetime | None) -> Reject | None:
        """Return what is wrong with the message, if anything, given its date."""
        if self.header is None:
            fault = "a line before the first message"
        elif self.is_undecoded:
            fault = UNDECODED
        elif self.length > LONGEST_CELL:
            fault = f"a message of more than {LONGEST_CELL:,} characters"
        elif date is None:
            fault = "a date that does not exist"
        else:
            return None
        return Reject(self.first, fault, self.raw())


def records(lines: Lines, header_of: Callable[[str], re.Match[str] | None]) -> Iterator[Record]:
    """Yield messages; `header_of` matches each line, in order, that begins one."""
    record: Record | None = None
    for line in lines:
        header = header_of(line)
        if header or record is None:
            if record and not _is_blank(record):
                yield record
            record = Record(lines.first, header)
        record.add(line, is_undecoded=lines.has_undecoded())
        lines.start()
    if record and not _is_blank(record):
        yield record


def _is_blank(record: Record) -> bool:
    return record.header is None and "".join(record.lines).isspace()
