"""Backups of the Android app SMS Backup & Restore: XML, an element for each message; read alone.

The fields are those of its documentation, https://synctech.com.au/sms-backup-restore/. Emojis are
written there as two references that XML forbids, which are mended before the XML is parsed.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from triage.data.errors import DataError
from triage.data.limits import LONGEST_CELL, LONGEST_ROW
from triage.data.markup import Handler, LongCellError, MarkupError, parse, root_of
from triage.data.table import Dialect, Options, Reject, Row, Source, Table

COLUMNS = ("sent_at", "sender", "recipient", "contact", "kind", "text")
OWNER = "me"
"""The sender, or the recipient, whose phone it is: the backup holds only the other one's number."""

_ROOT = "smses"
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


def is_sms_backup(head: bytes) -> bool:
    """Return whether a file begins like a backup of messages."""
    return root_of(head) == _ROOT


def open_sms_backup(source: Source, options: Options) -> Table:
    """Check that a file is a backup."""
    if not is_sms_backup(source.head()):
        raise DataError(
            f"{source.name} holds no backup of SMS Backup & Restore: name its format with --format",
            "no_chat",
            file=source.name,
        )
    n_messages = sum(block.count(b"<sms ") + block.count(b"<mms ") for block in source.blocks())
    rows = partial(_rows, source, options.encoding)
    return Table(COLUMNS, Dialect(source.format), n_messages, rows)


def _rows(source: Source, encoding: str | None) -> Iterator[Row | Reject]:
    try:
        yield from parse(_mended(source), _Messages(), encoding=encoding, longest=2 * LONGEST_ROW)
    except (MarkupError, LongCellError) as error:
        raise DataError(
            f"{source.name} is not a readable backup ({error}): it is damaged or cut short",
            "unreadable_backup",
            file=source.name,
        ) from error


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
    r"""Return references with one for each pair of surrogates, and none that XML forbids."""
    numbers = [int(n or h, 10 if n else 16) for n, h in _REFERENCE.findall(references[0])]
    text = "".join(chr(n) if n <= 0x10FFFF else "\ufffd" for n in numbers)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    known = _NOT_IN_XML.sub("\ufffd", whole)
    return "".join(f"&#{ord(character)};" for character in known).encode()


class _Messages(Handler[Row | Reject]):
    """Handler that collects SMS, and MMS with the text of their parts."""

    def __init__(self) -> None:
        super().__init__()
        self._mms: dict[str, str] = {}
        self._first = 0
        self._texts: list[str] = []
        self._sender = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        match name:
            case "sms":
                kind = _KINDS.get(attributes.get("type", ""), "")
                text = attributes.get("body")
                self.found.append(_row(self.line(), attributes, kind, "", text))
            case "mms":
                self._mms, self._first, self._texts, self._sender = attributes, self.line(), [], ""
            case "part" if attributes.get("ct") == "text/plain":
                self._texts.append(attributes.get("text", ""))
            case "addr" if attributes.get("type") == _FROM:
                self._sender = attributes.get("address", "")

    def end(self, name: str) -> None:
        self.depth -= 1
        if name == "mms":
            kind = _KINDS.get(self._mms.get("msg_box", ""), "")
            sender = "" if self._sender == _OWN_NUMBER else self._sender
            text = "\n".join(self._texts)
            self.found.append(_row(self._first, self._mms, kind, sender, text))


def _row(
    line: int, attributes: dict[str, str], kind: str, sender: str, text: str | None
) -> Row | Reject:
    """Return a message as a row; `sender` is the one of a group, if known."""
    if text is None:
        return Reject(line, "a message without a body", "")
    if len(text) > LONGEST_CELL:
        return Reject(line, f"a message of more than {LONGEST_CELL:,} characters", "")
    address, contact = attributes.get("address", ""), attributes.get("contact_name", "")
    parties = [sender or address, OWNER] if kind == _RECEIVED else [OWNER, address]
    contact = "" if contact in _NOTHING else contact
    return line, [_date(attributes.get("date", "")), *parties, contact, kind, text]


def _date(milliseconds: str) -> datetime | None:
    """Return a date in UTC, which the phone keeps; None where it is unknown."""
    try:
        return datetime.fromtimestamp(int(milliseconds) // 1000, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
