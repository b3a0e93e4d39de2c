"""WhatsApp chats as phones export them: the text alone, or the zip that holds it.

Android and iOS write a date in the form of the phone's language before each message. Only the whole
file tells whether the day or the month comes first. A line without a date continues a message.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from functools import partial
from operator import itemgetter

from triage.data.chat import records
from triage.data.errors import DataError
from triage.data.limits import LARGEST_PART
from triage.data.sheets import is_flat_zip, is_zip
from triage.data.table import Options, Reject, Row, Source, Table
from triage.data.text import Lines, TextFile, head_text, open_text

COLUMNS = ("sent_at", "sender", "kind", "text")
# Marks of direction, which the program adds around names and before its own texts.
_MARK = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_MARKS = re.compile(f"[{_MARK}]")
_HEADER = re.compile(
    rf"[{_MARK}]{{0,3}}(?P<bracket>\[)?"
    r"(?P<one>\d{1,4})(?P<between>[-./])(?P<two>\d{1,2})(?P=between)(?P<three>\d{2,4})"
    r"(?:,|\s(?:à|at))?\s{1,2}"
    r"(?P<hour>\d{1,2})(?:[:.h]|\sh\s)(?P<minute>\d\d)(?:(?:[:.]|\smin\s)(?P<second>\d\d)(?:\ss)?)?"
    r"(?:\s?(?P<half>[ap])\.?\s?m\.?)?"
    r"(?(bracket)\]\s?|(?:(?P<dash>\s[-–]\s)|:\s))",
    re.IGNORECASE,
)
_PHRASE = r"[^\n<>]{1,300}"
_MEDIA = re.compile(
    r"<(?:m[ée]dias?|fichier) (?:omitted|omis)>|<(?:attached|pièce jointe)\s?: "
    rf"{_PHRASE}>|{_PHRASE} \((?:file attached|fichier joint)\)(?:\n|$)",
    re.IGNORECASE,
)
# iOS puts a mark before these, and before what is said of a group.
_MARKED_MEDIA = re.compile(rf"{_PHRASE} (?:omitted|omise?|absente?)$", re.IGNORECASE | re.MULTILINE)
_DELETED = re.compile(
    r"(?:this message was deleted|you deleted this message|ce message a été supprimé"
    r"|vous avez supprimé ce message)(?: (?:by|par) [^\n]{1,100})?\.?",
    re.IGNORECASE,
)
_EDITED = re.compile(r"\s?<(?:this message was edited|ce message a été modifié)>\Z", re.IGNORECASE)
_QUOTES = re.compile('["“«]')
_CENTURY = 2000
_NO_CHAT = "holds no WhatsApp chat: name the format of the file with --format"


class Kind(StrEnum):
    """A kind of message of a chat; SYSTEM is what the program says of the chat itself."""

    MESSAGE = "message"
    EDITED = "edited"
    DELETED = "deleted"
    MEDIA = "media"
    SYSTEM = "system"


class _Order(Enum):
    """An order of the parts of a date, as a function that brings them to year, month, day."""

    DAY_FIRST = itemgetter(2, 1, 0)
    MONTH_FIRST = itemgetter(2, 0, 1)
    YEAR_FIRST = itemgetter(0, 1, 2)

    def date(self, header: re.Match[str]) -> datetime | None:
        """Return the date of a header; None where there is none such."""
        year, month, day = map(int, self.value(header.group("one", "two", "three")))
        hour, minute = int(header["hour"]), int(header["minute"])
        if header["half"]:
            hour = hour % 12 + 12 * (header["half"] in "pP")
        year += _CENTURY if year < 100 else 0
        try:
            return datetime(year, month, day, hour, minute, int(header["second"] or 0))
        except ValueError:
            return None


@dataclass(frozen=True)
class _Layout:
    """The form in which a phone writes dates."""

    style: tuple[bool, str, bool]
    order: _Order = _Order.DAY_FIRST

    def header(self, line: str) -> re.Match[str] | None:
        """Return the beginning of a message; None in a line that continues one."""
        found = _HEADER.match(line)
        return found if found and _style(found) == self.style else None


def _style(header: re.Match[str]) -> tuple[bool, str, bool]:
    return bool(header["bracket"]), header["between"], bool(header["dash"])


def is_whatsapp(head: bytes) -> bool:
    """Return whether a file begins with a message of a chat, or is a zip without folders."""
    return is_flat_zip(head) or _first_header(head_text(head)) is not None


def _first_header(text: str) -> re.Match[str] | None:
    return _HEADER.match(text.lstrip().partition("\n")[0])


def open_whatsapp(source: Source, options: Options) -> Table:
    """Find out in which form a chat is written."""
    with _unpacking(source.name):
        if is_zip(source.head()):
            source = _unpacked(source)
        text = open_text(source, options.encoding)
        layout, n_messages = _layout(text)
    return Table(COLUMNS, text.dialect, n_messages, partial(_rows, text, layout))


@contextmanager
def _unpacking(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OverflowError) as error:
        raise DataError(
            f"{name} is not a readable zip file (damaged, or with a password): export the chat"
            " again",
            "unreadable_zip",
            file=name,
        ) from error


def _unpacked(source: Source) -> Source:
    """Return the chat within an archive, where texts that were sent may lie beside it."""
    source.file.seek(0)
    archive = zipfile.ZipFile(source.file)
    texts = [part for part in archive.infolist() if part.filename.lower().endswith(".txt")]
    for part in sorted(texts, key=lambda part: part.filename != "_chat.txt"):
        found = replace(source, file=archive.open(part))
        if _first_header(head_text(found.head())):
            if part.file_size > LARGEST_PART:
                raise DataError(
                    f"{source.name}: the chat is too large: unpack it",
                    "large_chat",
                    file=source.name,
                )
            return found
    raise DataError(f"{source.name} {_NO_CHAT}", "no_chat", file=source.name)


def _layout(text: TextFile) -> tuple[_Layout, int]:
    """Return the form of the first message, and the order in which most dates make sense."""
    with text.lines() as lines:
        first = next(filter(None, map(_HEADER.match, _single(lines))), None)
    if first is None:
        raise DataError(f"{text.source.name} {_NO_CHAT}", "no_chat", file=text.source.name)
    layout = _Layout(_style(first))
    trials = [_Trial(order) for order in _orders(first)]
    n_messages = 0
    with text.lines() as lines:
        for header in filter(None, map(layout.header, _single(lines))):
            n_messages += 1
            for trial in trials:
                trial.add(header)
    best = min(trials, key=lambda trial: (trial.n_impossible, trial.n_backwards))
    return replace(layout, order=best.order), n_messages


def _orders(header: re.Match[str]) -> tuple[_Order, ...]:
    """Return the orders that the date of a message may have, the likeliest first."""
    if len(header["one"]) > len("31"):
        return (_Order.YEAR_FIRST,)
    if header["half"]:
        return _Order.MONTH_FIRST, _Order.DAY_FIRST
    return _Order.DAY_FIRST, _Order.MONTH_FIRST


def _single(lines: Lines) -> Iterator[str]:
    for line in lines:
        lines.start()
        yield line


@dataclass
class _Trial:
    """Counts against an order of day and month: impossible dates, and dates that go back."""

    order: _Order
    n_impossible: int = 0
    n_backwards: int = 0
    latest: datetime = datetime.min

    def add(self, header: re.Match[str]) -> None:
        """Try the order on a message."""
        date = self.order.date(header)
        if date is None:
            self.n_impossible += 1
        else:
            self.n_backwards += date < self.latest
            self.latest = date


def _rows(text: TextFile, layout: _Layout) -> Iterator[Row | Reject]:
    with _unpacking(text.source.name), text.lines() as lines:
        for record in records(lines, layout.header):
            date = record.header and layout.order.date(record.header)
            body = record.raw()[record.header.end() :] if record.header else ""
            row: Row = record.first, [date, *_parts(body.replace("\r\n", "\n"))]
            yield record.reject(date) or row


def _parts(body: str) -> tuple[str, str, str]:
    r"""Return the sender, the kind and the text of a message."""
    first, _, _ = body.partition("\n")
    sender, colon, _ = first.partition(": ")
    if not colon and first.endswith(":"):
        sender, colon = first[:-1], ":"
    text = body[len(sender) + len(colon) :]
    sender = " ".join(_MARKS.sub("", sender).split())
    if not colon or _QUOTES.search(sender):
        # The name of a group, in quotes, may hold a colon.
        return "", Kind.SYSTEM.value, _MARKS.sub("", body)
    is_marked = bool(_MARKS.match(text))
    text = _MARKS.sub("", text)
    kind = _kind(text, is_marked=is_marked)
    return sender, kind.value, _EDITED.sub("", text) if kind is Kind.EDITED else text


def _kind(text: str, *, is_marked: bool) -> Kind:
    if _DELETED.fullmatch(text):
        return Kind.DELETED
    if _MEDIA.match(text) or (is_marked and _MARKED_MEDIA.match(text)):
        return Kind.MEDIA
    if _EDITED.search(text):
        return Kind.EDITED
    return Kind.SYSTEM if is_marked else Kind.MESSAGE
