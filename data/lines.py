"""Plain text, a message a line; read alone."""

from collections.abc import Iterator
from functools import partial

from triage.data.limits import LONGEST_CELL
from triage.data.table import Options, Reject, Row, Source, Table
from triage.data.text import UNDECODED, TextFile, open_text

COLUMNS = ("text",)


def open_lines(source: Source, options: Options) -> Table:
    """Find out the encoding of a file of lines."""
    text = open_text(source, options.encoding)
    return Table(COLUMNS, text.dialect, text.n_lines, partial(_rows, text))


def _rows(text: TextFile) -> Iterator[Row | Reject]:
    """Yield the lines that are not blank."""
    with text.lines() as lines:
        for line in lines:
            if len(line) > LONGEST_CELL:
                yield Reject(
                    lines.first, f"a line of more than {LONGEST_CELL:,} characters", lines.raw()
                )
            elif text.damaged and lines.has_undecoded():
                yield Reject(lines.first, UNDECODED, lines.raw())
            elif line.strip():
                yield lines.first, [line.rstrip("\r\n")]
            lines.start()
