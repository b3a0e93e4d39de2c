"""Chats and backups of phones: WhatsApp, SMS Backup & Restore, and iMessage (phones.toml)."""

import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache, partial
from typing import NamedTuple

from triage.data import limits
from triage.data.dates import WrittenDate, existing, read_date, read_epoch
from triage.data.errors import compiled, fault, refusing, words_of
from triage.data.table import HEAD, OWNER, Content, Dialect, Notes, OpenTable, Row
from triage.data.tables import BAD_ZIP, is_zip
from triage.data.text import TextFile, head_text, open_text, records
from triage.data.xml_stream import MarkupError, Token, root_of, tokens
from triage.settings import Reading

_COLUMNS = ("sent_at", "sender", "kind", "text")
_WORDS = words_of("phones")
_MARKS, _START, _DATED, IMESSAGE_HEADER = (
    compiled(_WORDS["forms"][name], _WORDS["parts"])
    for name in ("marks", "start", "dated", "imessage_header")
)
_NO_DATE = "a date that does not exist"
_ONE_IN = 5
# The program is of 2009, so that greater numbers are years of the Buddhist calendar.
_LAST_OF_CENTURY = 50
_BUDDHIST, _PERSIAN, _ISLAMIC = range(2400, 2700), range(1300, 1430), range(1430, 1500)
# A date that does not exist tells more than any that goes back in time.
_IMPOSSIBLE = 10**9

BACKUP_ROOT = "smses"
_PIECE = 1 << 20
_REFERENCES = re.compile(rb"(?:&#(?:[0-9]{1,7}|x[0-9A-Fa-f]{1,6});)++")
_REFERENCE = re.compile(rb"&#(?:([0-9]+)|x([0-9A-Fa-f]+));")
_OF_REFERENCES = b"&#;xX0123456789ABCDEFabcdef"
_LONGEST_REFERENCES = 64
_QUARTER, _FARTHEST_ZONE = timedelta(minutes=15), timedelta(hours=14, minutes=15)


class Header(NamedTuple):
    """The beginning of a message: its date, and where it ends."""

    date: WrittenDate
    start: re.Match[str]

    @property
    def style(self) -> tuple[object, ...]:
        """The end of the date, its place, and its form: the same for all headers of a chat."""
        return self.start.lastgroup, self.start["end"], self.date.match.re, self.date.match["sep"]

    def body(self, text: str) -> str:
        """Return what stands behind the date, the sender first."""
        who, body = self.start["who"], text[self.start.end() :]
        return f"{who}: {body}" if who else body


def header_of(line: str) -> Header | None:
    match = _START.match(line)
    dated = read_date(_plain(match["boxed"] or match["plain"] or match["last"])) if match else None
    return Header(dated, match) if match and dated and dated.time else None


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
    n_with_sender = sum(": " in header.body(line) for header, line in headers)
    if lines and header_of(lines[0]):
        return n_with_sender > 0 or len(headers) > 1 or len(lines) == 1
    return n_with_sender > 1 and n_with_sender * _ONE_IN >= len(lines)


def undated(text: str) -> str:
    """Return lines without the dates that begin them."""
    headers = ((header_of(line), line) for line in text.splitlines())
    return "\n".join(header.body(line) if header else line for header, line in headers)


def open_whatsapp(source: Content, options: Reading) -> OpenTable:
    """Open a chat; its first header and its dates tell the form of the others."""
    unpacking = partial(refusing, BAD_ZIP, "damaged.zip", source.name)
    with unpacking():
        chat, n_chats = _unpacked(source) if is_zip(source.head()) else (source, 1)
        text = open_text(chat, options.encoding)
        first, order, n_messages, (facts, doubts) = _chat_form(text)
    if n_chats > 1:
        doubts.append(f"the first of {n_chats} chats was read: unpack them, and read each")

    def header_alike(line: str) -> Header | None:
        header = header_of(line)
        return header if header and header.style == first.style else None

    def rows() -> Iterator[Row]:
        # As in early exports of the same year.
        is_yearless = not order.part("year")
        with unpacking():
            for line, header, raw, problem in records(text, header_alike):
                moment, body = None, ""
                if header:
                    written = header.date._replace(is_swapped=order.is_swapped)
                    day, body = _day(written), header.body(raw)
                    moment = datetime.combine(day, written.time or time()) if day else None
                fault_of_row = problem or ("" if moment or is_yearless else _NO_DATE)
                yield line, [moment, *_message_parts(body)], fault_of_row, raw

    return OpenTable(_COLUMNS, text.dialect, n_messages, rows, lambda: (facts, doubts))


def _unpacked(source: Content) -> tuple[Content, int]:
    """Return the likeliest chat in an archive, and how many: texts that were sent may be some."""
    source.file.seek(0)
    archive, chats = zipfile.ZipFile(source.file), list[zipfile.ZipInfo]()
    parts = [part for part in archive.infolist() if part.filename.lower().endswith(".txt")]
    for part in sorted(parts, key=lambda part: not part.filename.endswith("_chat.txt")):
        try:
            with archive.open(part) as text:
                chats += [part] if is_chat(text.read(HEAD)) else []
        except BAD_ZIP:
            # What was sent may be damaged, or have a password.
            if not chats:
                raise
    if not chats:
        raise fault("no_messages.archive", source.name)
    if chats[0].file_size > limits.LARGEST_PART:
        raise fault("large.chat", source.name)
    return replace(source, file=archive.open(chats[0])), len(chats)


def _chat_form(text: TextFile) -> tuple[Header, WrittenDate, int, Notes]:
    """Return the first header of a chat, its date in the likeliest order, how many, notes."""
    n_lines = n_messages = n_other_style = 0
    first: Header | None = None
    faults, latest = Counter[bool](), dict[bool, date]()
    for line in text.lines():
        n_lines += bool(line.strip())
        if (header := header_of(line)) is None:
            continue
        first = first or header
        if header.style != first.style:
            n_other_style += 1
            continue
        n_messages += 1
        for written in header.date.orders:
            day = _day(written)
            is_back = day is not None and day < latest.get(written.is_swapped, day)
            faults[written.is_swapped] += is_back if day else _IMPOSSIBLE
            latest[written.is_swapped] = day or latest.get(written.is_swapped, date.min)
    if first is None:
        raise fault("no_messages.whatsapp", text.source.name)
    # The month comes first rather with AM and PM.
    is_likely = bool(re.search("[AP]M", first.date.match.string))
    order = min(
        first.date.orders, key=lambda one: (faults[one.is_swapped], one.is_swapped != is_likely)
    )
    omitted = "" if order.part("year") else ", left out for want of a year"
    share = f"{n_messages / n_lines:.0%} of its lines begin a message"
    doubt = (
        f"{n_other_style:,} lines begin with a date in another form than the first message "
        "and were read as parts of messages: if the file holds several chats, divide it"
    )
    doubts = [doubt] if n_other_style * _ONE_IN * 4 > n_messages else []
    notes = [f"dates as {order.form}{omitted}", share], doubts
    return first, order, n_messages, notes


def _day(written: WrittenDate) -> date | None:
    month = written.part("month")
    if not month.isdecimal():
        return written.day
    return _gregorian(written.part("year"), int(month), int(written.part("day")))


@lru_cache(10_000)
def _gregorian(year: str, month: int, day: int) -> date | None:
    """Return a day of any calendar in the Gregorian one; an Islamic one to within a day."""
    if not year.isdecimal():
        return existing({"H": 1988, "R": 2018}[year[0]] + int(year[1:]), month, day)
    number, longest = int(year), 30
    if len(year) < len("2009"):
        number += 2000 if number <= _LAST_OF_CENTURY else 2500
    if number in _BUDDHIST:
        number -= 543
    if number in _PERSIAN:
        # By the rule of 33 years.
        longest = 31 if month <= 6 else 30
        before = 226_894 + 365 * (number - 1) + (8 * number + 21) // 33
        before += 31 * (month - 1) - max(0, month - 7)
    elif number in _ISLAMIC:
        # By the rule of 30 years.
        before = 227_014 + 354 * (number - 1) + (11 * number + 3) // 30
        before += (59 * (month - 1) + 1) // 2
    else:
        return existing(number, month, day)
    return date.fromordinal(before + day) if month in range(1, 13) and 0 < day <= longest else None


def _message_parts(body: str) -> tuple[str, str, str]:
    """Return the sender, the kind and the text of a message."""
    first, _, _ = body.partition("\n")
    sender, colon, _ = first.partition(": ")
    if not colon and first.endswith(":"):
        sender, colon = first[:-1], ":"
    text = body[len(sender) + len(colon) :]
    sender = " ".join(_MARKS.sub("", sender).split())
    if not colon or re.search('["“«]', sender):
        # The name of a group, in quotes, may hold a colon.
        event = _MARKS.sub("", body)
        return "", "media" if _expression("media").match(event) else "system", event
    is_marked = bool(_MARKS.match(text))
    text = _MARKS.sub("", text)
    if _expression("deleted").match(text):
        return sender, "deleted", text
    if _expression("media").match(text) or (is_marked and _expression("marked_media").match(text)):
        return sender, "media", text
    if _expression("edited").search(text):
        return sender, "edited", _expression("edited").sub("", text)
    # What is said of the chat itself.
    return sender, "system" if is_marked else "message", text


@cache
def _expression(kind: str, program: str = "whatsapp") -> re.Pattern[str]:
    return compiled("|".join(_WORDS[program][kind]), _WORDS["parts"], re.IGNORECASE)


def are_of_nobody(texts: Iterable[str]) -> list[bool]:
    """Return whether each message stands for a file or is a notice, which names nobody."""
    matches = _expression("of_nobody").fullmatch
    return [matches(text) is not None for text in texts]


def open_sms_backup(source: Content, options: Reading) -> OpenTable:
    if root_of(source.head()) != BACKUP_ROOT:
        raise fault("no_messages.backup", source.name)
    n_messages = sum(block.count(b"<sms ") + block.count(b"<mms ") for block in source.blocks())
    # Dates in the time of the phone, and others.
    zones = Counter[bool]()

    def rows() -> Iterator[Row]:
        zones.clear()
        words, texts, sender = _WORDS["sms-backup"], list[str](), ""
        with refusing(MarkupError, "damaged.backup", source.name):
            blocks, longest = _mended(source), 2 * limits.LONGEST_ROW
            for token in tokens(blocks, encoding=options.encoding, longest=longest):
                attributes = token.attributes
                match token.kind, token.value:
                    case "start", "part" if attributes.get("ct") == "text/plain":
                        texts.append(attributes.get("text", ""))
                    case "start", "addr" if attributes.get("type") == words["from"]:
                        sender = attributes.get("address", "").replace(words["own_number"], "")
                    case "end", "sms" | "mms":
                        if token.value == "mms":
                            mms = token.within.attributes
                            mms |= {"type": mms.get("msg_box", ""), "body": "\n".join(texts)}
                        yield _message(token.within, sender, zones)
                        texts, sender = [], ""

    def notes() -> Notes:
        in_utc = f", {zones[False]:,} in UTC for want of a readable_date" if zones[False] else ""
        return [f"dates in the time of the phone{in_utc}" if zones[True] else "dates in UTC"], []

    columns = ("sent_at", "sender", "recipient", "contact", "kind", "text")
    return OpenTable(columns, Dialect(source.format), n_messages, rows, notes)


def _mended(source: Content) -> Iterator[bytes]:
    """Yield the content with references that XML allows; none is cut."""

    def allowed(references: re.Match[bytes]) -> bytes:
        """Return references with one for each pair of surrogates, and none that XML forbids."""
        numbers = [int(n or h, 10 if n else 16) for n, h in _REFERENCE.findall(references[0])]
        text = "".join(chr(n) if n <= 0x10FFFF else "\ufffd" for n in numbers)
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        valid = re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", whole)
        return "".join(f"&#{ord(character)};" for character in valid).encode()

    source.file.seek(0)
    while piece := source.file.readline(_PIECE):
        for _ in range(_LONGEST_REFERENCES):
            if piece[-1] not in _OF_REFERENCES:
                break
            piece += source.file.read(1)
        yield _REFERENCES.sub(allowed, piece)


def _message(tag: Token, sender: str, zones: Counter[bool]) -> Row:
    """Return a message as a row; `sender` is the one of a group, if known."""
    sms, words, text = tag.attributes, _WORDS["sms-backup"], tag.attributes.get("body")
    kind, address = words["kinds"].get(sms.get("type", ""), ""), sms.get("address", "")
    parties = [sender or address, OWNER] if kind == "received" else [OWNER, address]
    contact = "" if sms.get("contact_name") in words["nothing"] else sms.get("contact_name", "")
    moment = read_epoch(sms.get("date", ""))
    if moment is not None and text is not None:
        # By how much a readable date is ahead of UTC, to a quarter of an hour.
        written = read_date(sms.get("readable_date", "").strip())
        local = [one.moment for one in written.orders if one.time] if written else []
        ahead = [one.replace(tzinfo=None) - moment for one in local if one]
        zone = next((one for one in ahead if abs(one) <= _FARTHEST_ZONE), None)
        zones[zone is not None] += 1
        moment += round((zone or timedelta()) / _QUARTER) * _QUARTER
    problem = "a message without a body" if text is None else ""
    return tag.line, [moment, *parties, contact, kind, text], problem, ""


def open_imessage(source: Content, options: Reading) -> OpenTable:
    text = open_text(source, options.encoding)

    def rows() -> Iterator[Row]:
        is_after_blank = True

        def header_of(line: str) -> re.Match[str] | None:
            """Match lines that are dates, at the start of a file or after a blank line."""
            nonlocal is_after_blank
            header = IMESSAGE_HEADER.fullmatch(line) if is_after_blank else None
            is_after_blank = line.isspace()
            return header

        for line, header, raw, problem in records(text, header_of):
            written = read_date(header["date"]) if header else None
            date = written and written.moment
            remainder = ((header and header["rest"]) or "").strip()
            parts = ["", "system", remainder]
            if not remainder or remainder.startswith("("):
                _, sender, *lines = [*raw.split("\n"), ""]
                parts = [sender, *_imessage_parts(lines)]
            yield line, [date, *parts], problem or ("" if date else _NO_DATE), raw

    n_messages = sum(1 for _ in rows())
    if not n_messages:
        raise fault("no_messages.imessage", source.name)
    return OpenTable(_COLUMNS, text.dialect, n_messages, rows)


def _imessage_parts(body: list[str]) -> tuple[str, str]:
    r"""Return the kind and the text of a message, without the notices of the program."""
    words = _WORDS["imessage"]
    kind, lines, in_reaction = "message", [], False
    for line in body:
        is_indented = line.startswith(words["indent"])
        is_reply = is_indented and IMESSAGE_HEADER.fullmatch(line.strip())
        if line in words["reactions"] or is_reply:
            in_reaction = True
        elif in_reaction and (is_indented or not line):
            continue
        elif line == words["deleted"]:
            kind = "deleted"
        elif _expression("file", "imessage").fullmatch(line):
            kind = "media"
        else:
            in_reaction = False
            if not _expression("left_out", "imessage").fullmatch(line):
                lines.append(line)
    return kind, "\n".join(lines).strip("\n")
