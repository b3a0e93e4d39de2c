"""Chats and backups of phones: WhatsApp, SMS Backup & Restore, and iMessage.

Of *WhatsApp*, phones export the text alone, or the zip that holds it. Android and iOS write a date
in the form of the phone's region before each message, iOS in brackets. Only the whole file tells
whether the day or the month comes first. A line without a date, or with one in another form,
continues a message.

The fields of a *backup* are those of its documentation, https://synctech.com.au/sms-backup-restore/.
Emojis are written there as two references that XML forbids, which are mended before it is parsed.

Of *iMessage*, the program imessage-exporter writes text: before each message stand its date, in
English, and its sender, on a line each. Replies are written twice, also indented below what they
answer, where they are left out.
"""

import re
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache, partial
from typing import NamedTuple

from triage.data import limits
from triage.data.dates import WrittenDate, existing, read_date, read_epoch
from triage.data.errors import fault, refusing, words_of
from triage.data.markup import MarkupError, Token, root_of, tokens
from triage.data.sheets import is_zip
from triage.data.table import OWNER, Dialect, Reject, Row, Source, Table, Told
from triage.data.text import TextFile, head_text, open_text, records
from triage.settings import Reading

COLUMNS = ("sent_at", "sender", "kind", "text")
# Marks of direction, which the program adds around names and before its own texts.
_MARK = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_MARKS = re.compile(f"[{_MARK}]")
# A date is in brackets, or a dash or a colon ends it.
_START = re.compile(
    rf"[{_MARK} ]{{0,4}}"
    r"(?:\[(?P<bracketed>[^\[\]\n]{6,70})\](?: -)?"
    r"|(?P<plain>\w[^\n\]]{5,70}?)(?P<end> [-–] |: ))\s?"
)
# What begins with a date or a time and has a colon behind both may be a message of a chat.
_WORD = r"[^\W\d_]{3,10}"
_GAP = r"(?:\W{1,3}|[年月년월] ?)"
_NUMBERS = rf"\d{{1,4}}{_GAP}\d{{1,2}}{_GAP}\d{{1,4}}"
_DAY = rf"(?:{_NUMBERS}|\d{{1,2}}\W{{1,2}}{_WORD}|{_WORD}\W{{1,2}}\d{{1,2}})"
_HOUR = r"\d{1,2}[:.h]\d\d"
_DATED = re.compile(
    rf"[\W_]{{0,5}}(?:{_DAY}[^\n]{{0,30}}?{_HOUR}|{_HOUR}[^\n]{{0,20}}?{_DAY})[^\n]{{0,80}}?: ?\S"
)
_QUOTES = re.compile('["“«]')
_AMERICAN = re.compile(r"[AP]M")
_NO_CHAT = (
    " holds no WhatsApp chat: no line of it begins with a date in a form that is known; name the "
    "format of the file with --format"
)
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OverflowError)
_LEAST_SHARE = 5
# The program is of 2009, so that greater numbers are years of the Buddhist calendar.
_LAST_OF_CENTURY = 50
_BUDDHIST, _PERSIAN, _ISLAMIC = range(2400, 2700), range(1300, 1430), range(1430, 1500)
# A date that does not exist tells more than any that goes back in time.
_IMPOSSIBLE = 10**9
_ERAS = {"H": 1988, "R": 2018}

_BACKUP_COLUMNS = ("sent_at", "sender", "recipient", "contact", "kind", "text")
BACKUP_ROOT = "smses"
_KINDS = {"1": "received", "2": "sent", "3": "draft", "4": "outbox", "5": "failed", "6": "queued"}
_RECEIVED = "received"
_FROM = "137"
_OWN_NUMBER = "insert-address-token"
_NOTHING = ("null", "(Unknown)")
_PIECE = 1 << 20
_REFERENCES = re.compile(rb"(?:&#(?:[0-9]{1,7}|x[0-9A-Fa-f]{1,6});)++")
_REFERENCE = re.compile(rb"&#(?:([0-9]+)|x([0-9A-Fa-f]+));")
_OF_REFERENCES = b"&#;xX0123456789ABCDEFabcdef"
_LONGEST_REFERENCES = 64
_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_QUARTER = timedelta(minutes=15)
_FARTHEST = timedelta(hours=14)

IMESSAGE_HEADER = re.compile(
    r"(?P<date>[A-Z][a-z]{2} \d\d, \d{4} [ \d]\d:\d\d:\d\d [AP]M)(?P<rest> [^\r\n]{1,1000})?[\r\n]*"
)
_INDENT = "    "
_REACTIONS = ("Tapbacks:", "Reactions:")
_DELETED = "This message was deleted from the conversation!"
_LEFT_OUT = re.compile(
    r"This message responded to an earlier message\.|Sent with (?:Confetti|Echo|Fireworks|Balloons"
    r"|Heart|Lasers|Shooting Start?|Sparkles|Spotlight|Slam|Loud|Gentle|Invisible Ink)"
)
_FILE = re.compile(r"(?:~?/|attachments/)[^\n]{1,1000}\.\w{2,5}|Attachment missing!")


class Header(NamedTuple):
    """The beginning of a message: its date, and where it ends."""

    date: WrittenDate
    start: re.Match[str]

    @property
    def style(self) -> tuple[object, ...]:
        """The end of the date, and its form: the same for all headers of a chat."""
        return self.start["end"], self.date.found.re, self.date.found["sep"]


def header_of(line: str) -> Header | None:
    """Return the header of a line; None of one that has none."""
    found = _START.match(line)
    written = read_date(_plain(found["bracketed"] or found["plain"])) if found else None
    return Header(written, found) if found and written and written.time else None


def _plain(stamp: str) -> str:
    """Return a date without marks, with digits and spaces of ASCII."""
    if stamp.isascii():
        return stamp
    letters = unicodedata.normalize("NFKC", _MARKS.sub("", stamp))
    return "".join(str(int(one)) if one.isdecimal() else one for one in letters)


def is_dated(line: str) -> bool:
    """Return whether a line begins like a message of a chat, with a date and a sender."""
    return _DATED.match(_plain(line[:200])) is not None


def is_chat(head: bytes) -> bool:
    """Return whether the first lines begin messages, or a fifth of them with a sender."""
    lines = [line for line in head_text(head).splitlines() if line.strip()]
    headers = [(header, line) for line in lines if (header := header_of(line))]
    n_said = sum(": " in line[header.start.end() :] for header, line in headers)
    if lines and header_of(lines[0]):
        return n_said > 0 or len(headers) > 1 or len(lines) == 1
    return n_said > 1 and n_said * _LEAST_SHARE >= len(lines)


def undated(text: str) -> str:
    """Return lines without the dates that begin them."""
    headers = ((header_of(line), line) for line in text.splitlines())
    return "\n".join(line[header.start.end() :] if header else line for header, line in headers)


def open_whatsapp(source: Source, reading: Reading) -> Table:
    """Find out in which form a chat is written."""
    with _unpacking(source.name):
        if is_zip(source.head()):
            source = _unpacked(source)
        chat = _Chat(open_text(source, reading.encoding))
    return Table(COLUMNS, chat.text.dialect, chat.n_messages, chat.rows, chat.told)


def _unpacking(name: str) -> AbstractContextManager[None]:
    line = " is not a readable zip file (damaged, or with a password): export the chat again"
    return refusing(_UNREADABLE, name, "damaged", line)


def _unpacked(source: Source) -> Source:
    """Return the chat within an archive, where texts that were sent may lie beside it."""
    source.file.seek(0)
    archive = zipfile.ZipFile(source.file)
    texts = [part for part in archive.infolist() if part.filename.lower().endswith(".txt")]
    for part in sorted(texts, key=lambda part: part.filename != "_chat.txt"):
        found = replace(source, file=archive.open(part))
        if is_chat(found.head()):
            if part.file_size > limits.LARGEST_PART:
                raise fault(source.name, "large", ": the chat is too large: unpack it")
            return found
    raise fault(source.name, "no_messages", _NO_CHAT)


class _Chat:
    """A chat in the form of its first message, and the order in which most dates make sense."""

    def __init__(self, text: TextFile) -> None:
        self.text = text
        self.n_messages = self._n_lines = self._n_otherwise = 0
        first: Header | None = None
        faults: Counter[bool] = Counter()
        latest: dict[bool, date] = {}
        lines = text.lines()
        for line in lines:
            lines.start()
            self._n_lines += bool(line.strip())
            header = header_of(line)
            if header is None:
                continue
            first = first or header
            if header.style != first.style:
                self._n_otherwise += 1
                continue
            self.n_messages += 1
            for one in _orders(header.date):
                day = _day(one)
                is_back = day is not None and day < latest.get(one.is_swapped, day)
                faults[one.is_swapped] += is_back if day else _IMPOSSIBLE
                latest[one.is_swapped] = day or latest.get(one.is_swapped, date.min)
        if first is None:
            raise fault(text.source.name, "no_messages", _NO_CHAT)
        self._style = first.style
        self._first = min(_orders(first.date), key=lambda one: faults[one.is_swapped])
        # As in early exports of the same year.
        self._is_yearless = not self._first.part("year")

    def told(self) -> Told:
        """Tell how dates were read, and which lines might be messages of another chat."""
        left_out = ", left out for want of a year" if self._is_yearless else ""
        share = self.n_messages / self._n_lines
        facts = (
            f"dates as {self._first.form}{left_out}",
            f"{share:.0%} of its lines begin a message",
        )
        doubt = (
            f"{self._n_otherwise:,} lines begin with a date in another form than the first message "
            "and were read as parts of messages: if the file holds several chats, divide it"
        )
        is_much = self._n_otherwise * _LEAST_SHARE * 4 > self.n_messages
        return Told(facts, (doubt,) if is_much else ())

    def rows(self) -> Iterator[Row | Reject]:
        with _unpacking(self.text.source.name):
            for record in records(self.text.lines(), self._header):
                header, moment, body = record.header, None, ""
                if header:
                    written = header.date._replace(is_swapped=self._first.is_swapped)
                    day, body = _day(written), record.raw()[header.start.end() :]
                    moment = datetime.combine(day, written.time or time()) if day else None
                row: Row = record.first, [moment, *_parts(body.replace("\r\n", "\n"))]
                yield record.reject(moment or self._is_yearless or None) or row

    def _header(self, line: str) -> Header | None:
        """Return the header of a message; None in a line that continues one."""
        found = header_of(line)
        return found if found and found.style == self._style else None


def _orders(written: WrittenDate) -> list[WrittenDate]:
    """Return a date in the orders that it may have, the likelier first: as with AM and PM."""
    if not written.is_open:
        return [written]
    both = [written, written.swapped()]
    return both[::-1] if _AMERICAN.search(written.found.string) else both


def _day(written: WrittenDate) -> date | None:
    month = written.part("month")
    if not month.isdecimal():
        return written.day
    return _gregorian(written.part("year"), int(month), int(written.part("day")))


@lru_cache(10_000)
def _gregorian(year: str, month: int, day: int) -> date | None:
    """Return a day of any calendar in the Gregorian one; an Islamic one to within a day."""
    if not year.isdecimal():
        return existing(_ERAS[year[0]] + int(year[1:]), month, day)
    number = int(year)
    if len(year) < len("2009"):
        number += 2000 if number <= _LAST_OF_CENTURY else 2500
    if number in _BUDDHIST:
        number -= 543
    if number in _PERSIAN:
        return _from_persian(number, month, day)
    if number in _ISLAMIC:
        return _from_islamic(number, month, day)
    return existing(number, month, day)


def _from_persian(year: int, month: int, day: int) -> date | None:
    """Return a date of the Solar Hijri calendar, by the rule of 33 years."""
    if not (1 <= month <= 12 and 1 <= day <= (31 if month <= 6 else 30)):
        return None
    before = 31 * (month - 1) - max(0, month - 7)
    return date.fromordinal(226_894 + 365 * (year - 1) + (8 * year + 21) // 33 + before + day)


def _from_islamic(year: int, month: int, day: int) -> date | None:
    """Return a date of the Islamic calendar, by its rule of 30 years."""
    if not (1 <= month <= 12 and 1 <= day <= 30):
        return None
    before = (59 * (month - 1) + 1) // 2
    return date.fromordinal(227_014 + 354 * (year - 1) + (11 * year + 3) // 30 + before + day)


def _parts(body: str) -> tuple[str, str, str]:
    """Return the sender, the kind and the text of a message."""
    first, _, _ = body.partition("\n")
    sender, colon, _ = first.partition(": ")
    if not colon and first.endswith(":"):
        sender, colon = first[:-1], ":"
    text = body[len(sender) + len(colon) :]
    sender = " ".join(_MARKS.sub("", sender).split())
    if not colon or _QUOTES.search(sender):
        # The name of a group, in quotes, may hold a colon.
        return "", "system", _MARKS.sub("", body)
    is_marked = bool(_MARKS.match(text))
    text = _MARKS.sub("", text)
    if _said("deleted").match(text):
        return sender, "deleted", text
    if _said("media").match(text) or (is_marked and _said("marked_media").match(text)):
        return sender, "media", text
    if _said("edited").search(text):
        return sender, "edited", _said("edited").sub("", text)
    # What is said of the chat itself.
    return sender, "system" if is_marked else "message", text


@cache
def _said(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(words_of("whatsapp")[kind]), re.IGNORECASE)


def open_sms_backup(source: Source, reading: Reading) -> Table:
    if root_of(source.head()) != BACKUP_ROOT:
        line = " holds no backup of SMS Backup & Restore: name its format with --format"
        raise fault(source.name, "no_messages", line)
    n_messages = sum(block.count(b"<sms ") + block.count(b"<mms ") for block in source.blocks())
    # Dates in the time of the phone, and others.
    zones: Counter[bool] = Counter()

    def told() -> Told:
        if not zones[True]:
            return Told(("dates in UTC",))
        unread = f", {zones[False]:,} in UTC for want of a readable_date" if zones[False] else ""
        return Told((f"dates in the time of the phone{unread}",))

    rows = partial(_backup_rows, source, reading.encoding, zones)
    return Table(_BACKUP_COLUMNS, Dialect(source.format), n_messages, rows, told)


def _backup_rows(
    source: Source, encoding: str | None, zones: Counter[bool]
) -> Iterator[Row | Reject]:
    zones.clear()
    line = " is not a readable backup ({error}): it is damaged or cut short"
    mms, texts, sender = Token("start", "mms", {}, 0, 0), list[str](), ""
    with refusing(MarkupError, source.name, "damaged", line):
        blocks, longest = _mended(source), 2 * limits.LONGEST_ROW
        for token in tokens(blocks, encoding=encoding, longest=longest):
            found = token.attributes
            match token.kind, token.value:
                case "start", "sms":
                    yield _message(token, found.get("type"), "", found.get("body"), zones)
                case "start", "mms":
                    mms, texts, sender = token, [], ""
                case "start", "part" if found.get("ct") == "text/plain":
                    texts.append(found.get("text", ""))
                case "start", "addr" if found.get("type") == _FROM:
                    sender = found.get("address", "").replace(_OWN_NUMBER, "")
                case "end", "mms":
                    box, text = mms.attributes.get("msg_box"), "\n".join(texts)
                    yield _message(mms, box, sender, text, zones)


def _mended(source: Source) -> Iterator[bytes]:
    """Yield the content with references that XML allows; none is cut."""
    source.file.seek(0)
    while piece := source.file.readline(_PIECE):
        for _ in range(_LONGEST_REFERENCES):
            if piece[-1] not in _OF_REFERENCES:
                break
            piece += source.file.read(1)
        yield _REFERENCES.sub(_allowed, piece)


def _allowed(references: re.Match[bytes]) -> bytes:
    """Return references with one for each pair of surrogates, and none that XML forbids."""
    numbers = [int(n or h, 10 if n else 16) for n, h in _REFERENCE.findall(references[0])]
    text = "".join(chr(n) if n <= 0x10FFFF else "\ufffd" for n in numbers)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    known = _NOT_IN_XML.sub("\ufffd", whole)
    return "".join(f"&#{ord(character)};" for character in known).encode()


def _message(
    tag: Token, box: str | None, sender: str, text: str | None, zones: Counter[bool]
) -> Row | Reject:
    """Return a message as a row; `sender` is the one of a group, if known."""
    if text is None:
        return Reject(tag.line, "a message without a body", "")
    if len(text) > limits.LONGEST_CELL:
        return Reject(tag.line, limits.LONG_MESSAGE, "")
    kind, address = _KINDS.get(box or "", ""), tag.attributes.get("address", "")
    parties = [sender or address, OWNER] if kind == _RECEIVED else [OWNER, address]
    contact = tag.attributes.get("contact_name", "")
    moment = read_epoch(tag.attributes.get("date", ""))
    if moment is not None:
        offset = _offset(moment, tag.attributes.get("readable_date", ""))
        zones[offset is not None] += 1
        moment += offset or timedelta()
    return tag.line, [moment, *parties, "" if contact in _NOTHING else contact, kind, text]


def _offset(moment: datetime, readable: str) -> timedelta | None:
    """Return by how much a readable date is ahead of UTC, to a quarter of an hour."""
    written = read_date(readable.strip())
    for one in (written, written and written.is_open and written.swapped()):
        local = one.moment if one and one.time else None
        if local:
            ahead = local.replace(tzinfo=None) - moment
            if abs(ahead) <= _FARTHEST + _QUARTER:
                return round(ahead / _QUARTER) * _QUARTER
    return None


def open_imessage(source: Source, reading: Reading) -> Table:
    text = open_text(source, reading.encoding)
    n_messages = sum(1 for _ in _chat_rows(text))
    if not n_messages:
        line = " holds no chat of imessage-exporter: name its format with --format"
        raise fault(source.name, "no_messages", line)
    return Table(COLUMNS, text.dialect, n_messages, partial(_chat_rows, text))


def _chat_rows(text: TextFile) -> Iterator[Row | Reject]:
    for record in records(text.lines(), _Headers()):
        written = read_date(record.header["date"]) if record.header else None
        date = written and written.moment
        rest = ((record.header and record.header["rest"]) or "").strip()
        parts = ["", "system", rest]
        if not rest or rest.startswith("("):
            _, *lines = record.raw().replace("\r\n", "\n").split("\n")
            parts = [(lines or [""])[0], *_content(lines[1:])]
        yield record.reject(date) or (record.first, [date, *parts])


class _Headers:
    """Matches lines that are dates, at the start of a file or after a blank line."""

    def __init__(self) -> None:
        self._is_after_blank = True

    def __call__(self, line: str) -> re.Match[str] | None:
        header = IMESSAGE_HEADER.fullmatch(line) if self._is_after_blank else None
        self._is_after_blank = line.isspace()
        return header


def _content(body: list[str]) -> tuple[str, str]:
    r"""Return the kind and the text of a message, without what the program says of it."""
    kind, kept, is_beside = "message", [], False
    for line in body:
        is_indented = line.startswith(_INDENT)
        if line in _REACTIONS or (is_indented and IMESSAGE_HEADER.fullmatch(line.strip())):
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
