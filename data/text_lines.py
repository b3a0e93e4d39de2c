"""The physical lines of a text file, numbered and able to be read again."""

import io
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

from triage.data.encoding import Decoding
from triage.data.errors import DataError
from triage.data.limits import LONGEST_ROW
from triage.data.source import Source

_BYTE_ORDER_MARK = "\ufeff"
# Programs that write text twice translated end lines with \r\r\n.
_LINE_END = re.compile("\r*(\r\n)|\n|\r")
_UNDECODED = re.compile("[\udc80-\udcff]")


class Lines:
    """Physical lines without byte order mark; those of the last record can be read again.

    Parameters
    ----------
    lines : iterator of str
    name : str
        How errors call the file.

    Attributes
    ----------
    first : int
        The number of the record's first line, from 1.
    taken : list of str
        The lines of the record.
    """

    def __init__(self, lines: Iterator[str], name: str) -> None:
        self.first = 1
        self.taken: list[str] = []
        start = (line.removeprefix(_BYTE_ORDER_MARK) for line in islice(lines, 1))
        self._again = deque(start)
        self._lines = lines
        self._name = name
        self._length = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.taken.append(line)
        self._length += len(line)
        if self._length > LONGEST_ROW:
            raise DataError(
                f"{self._name}, line {self.first}: a row of more than {LONGEST_ROW:,} characters:"
                " a line that never ends, or a quote that is never closed"
            )
        return line

    def start(self) -> None:
        """Begin a record at the next line."""
        self.first += len(self.taken)
        self.taken.clear()
        self._length = 0

    def keep_first(self) -> None:
        """Give back all lines of this record but the first."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]
        self._length = len(self.taken[0])

    def raw(self) -> str:
        """Return the record as it stands in the file, without its last line end."""
        return "".join(self.taken).rstrip("\r\n")

    def has_undecoded(self) -> bool:
        """Return whether the record has bytes that could not be decoded."""
        return any(_UNDECODED.search(line) for line in self.taken)


def line_terminator(source: Source, decoding: Decoding) -> str:
    r"""Return how the first line ends: a lone ``"\r"`` inside a message ends no line."""
    end = _LINE_END.search(source.head().decode(decoding.encoding, "ignore"))
    return (end[1] or end[0]) if end else "\n"


@contextmanager
def open_lines(source: Source, decoding: Decoding, terminator: str) -> Iterator[Lines]:
    """Read the lines of a file from its start."""
    source.file.seek(0)
    newline = "\r" if terminator == "\r" else "\n"
    text = io.TextIOWrapper(
        source.file, encoding=decoding.encoding, errors=decoding.errors, newline=newline
    )
    try:
        # No line is read to its end before it is known to have one.
        yield Lines(iter(partial(text.readline, LONGEST_ROW + 1), ""), source.name)
    finally:
        # The file outlives this reading of it, unless it was closed half-way.
        if not text.closed:
            text.detach()
