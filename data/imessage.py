"""Chats of iMessage as the program imessage-exporter writes them as text; read alone.

Before each message stand its date, in English, and its sender, on a line each. Replies are written
twice, also indented below what they answer, where they are left out.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from triage.data.chat import Record, records
from triage.data.errors import DataError
from triage.data.table import Options, Reject, Row, Source, Table
from triage.data.text import TextFile, head_text, open_text

COLUMNS = ("sent_at", "sender", "kind", "text")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HEADER = re.compile(
    r"(?P<month>[A-Z][a-z]{2}) (?P<day>\d\d), (?P<year>\d{4}) (?P<hour>[ \d]\d):(?P<minute>\d\d):"
    r"(?P<second>\d\d) (?P<half>[AP])M(?P<rest> [^\r\n]{1,1000})?[\r\n]*"
)
_INDENT = "    "
_REACTIONS = ("Tapbacks:", "Reactions:")
_DELETED = "This message was deleted from the conversation!"
_LEFT_OUT = re.compile(
    r"This message responded to an earlier message\.|Sent with (?:Confetti|Echo|Fireworks|Balloons"
    r"|Heart|Lasers|Shooting Start?|Sparkles|Spotlight|Slam|Loud|Gentle|Invisible Ink)"
)
_FILE = re.compile(r"(?:~?/|attachments/)[^\n]{1,1000}\.\w{2,5}|Attachment missing!")


def is_imessage(head: bytes) -> bool:
    """Return whether a file begins with a message of a chat."""
    return _HEADER.match(head_text(head).lstrip("\r\n")) is not None


def open_imessage(source: Source, options: Options) -> Table:
    """Check that a file holds a chat."""
    text = open_text(source, options.encoding)
    n_messages = sum(1 for _ in _rows(text))
    if not n_messages:
        raise DataError(
            f"{source.name} holds no chat of imessage-exporter: name its format with --format",
            "no_chat",
            file=source.name,
        )
    return Table(COLUMNS, text.dialect, n_messages, partial(_rows, text))


def _rows(text: TextFile) -> Iterator[Row | Reject]:
    with text.lines() as lines:
        for record in records(lines, _Headers()):
            date = record.header and _date(record.header)
            yield record.reject(date) or (record.first, [date, *_parts(record)])


class _Headers:
    """Matches lines that are dates, at the start of a file or after a blank line."""

    def __init__(self) -> None:
        self._is_after_blank = True

    def __call__(self, line: str) -> re.Match[str] | None:
        header = _HEADER.fullmatch(line) if self._is_after_blank else None
        self._is_after_blank = line.isspace()
        return header


def _parts(record: Record) -> tuple[str, str, str]:
    """Return the sender, the kind and the text of a message."""
    rest = ((record.header and record.header["rest"]) or "").strip()
    if rest and not rest.startswith("("):
        return "", "system", rest
    _, *lines = record.raw().replace("\r\n", "\n").split("\n")
    return (lines or [""])[0], *_content(lines[1:])


def _date(header: re.Match[str]) -> datetime | None:
    """Return the date of a header; None where there is none such."""
    year, day, hour, minute, second = (
        int(header[part]) for part in ("year", "day", "hour", "minute", "second")
    )
    try:
        month = _MONTHS.index(header["month"]) + 1
        return datetime(year, month, day, hour % 12 + 12 * (header["half"] == "P"), minute, second)
    except ValueError:
        return None


def _content(body: list[str]) -> tuple[str, str]:
    r"""Return the kind and the text of a message, without what the program says of it."""
    kind, kept, is_beside = "message", [], False
    for line in body:
        is_indented = line.startswith(_INDENT)
        if line in _REACTIONS or (is_indented and _HEADER.fullmatch(line.strip())):
            is_beside = True
        elif is_beside and (is_indented or not line):
            continue
        elif line == _DELETED:
            kind = "deleted"
        elif _FILE.fullmatch(line):
            kind = "media"
        else:
            is_beside = False
            if not _LEFT_OUT.fullmatch(line):
                kept.append(line)
    return kind, "\n".join(kept).strip("\n")
