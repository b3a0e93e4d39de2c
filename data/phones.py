"""Messages of phones: backups of the Android app SMS Backup & Restore, and chats of iMessage.

The fields of a *backup* are those of its documentation, https://synctech.com.au/sms-backup-restore/.
Emojis are written there as two references that XML forbids, which are mended before it is parsed.
Of *iMessage*, the program imessage-exporter writes text: before each message stand its date, in
English, and its sender, on a line each. Replies are written twice, also indented below what they
answer, where they are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from triage.data import limits
from triage.data.dates import read_date, read_epoch
from triage.data.errors import fault, refusing
from triage.data.markup import MarkupError, Token, root_of, tokens
from triage.data.table import OWNER, Dialect, Reject, Row, Source, Table, Told
from triage.data.text import TextFile, open_text, records
from triage.settings import Reading

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

_CHAT_COLUMNS = ("sent_at", "sender", "kind", "text")
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
    return Table(_CHAT_COLUMNS, text.dialect, n_messages, partial(_chat_rows, text))


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
