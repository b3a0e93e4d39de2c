"""TEI documents as tables of messages, read and written.

Messages are posts, as in the chapter on computer-mediated communication and in the older form of
the CoMeRe corpora, else utterances of transcriptions, else paragraphs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from html import escape
from itertools import chain, pairwise
from typing import IO, Literal
from urllib.parse import quote, unquote

from triage.data.columns import find_id, guess_column, guess_sender, guess_text
from triage.data.errors import LONGEST_CELL, DataError, as_text, fault, refusing
from triage.data.markup import (
    FORBIDDEN,
    Handler,
    LongCellError,
    MarkupError,
    attribute_xml,
    parse,
    root_of,
)
from triage.data.table import Dialect, Row, Source, Table, Writer
from triage.settings import Reading

COLUMNS = ("id", "sender", "sent_at", "text")
_ROOTS = {"TEI", "teiCorpus", "TEI.2", "teiCorpus.2"}
# Elements that are messages: the first of which there is any.
_UNITS = ("post", "u", "p")
_BLOCKS = {"p", "ab", "lg", "l", "list", "item", "head", "opener", "closer", "div"}
_ENDS_OF_LINES = _BLOCKS | {"lb"}
# What an editor added, and what stands beside the words that were written.
_LEFT_OUT = {"note", "fs", "spanGrp", "interpGrp", "index", "figDesc", "desc"}
_LEFT_OUT |= {"corr", "reg", "expan"}
_XML = "http://www.w3.org/XML/1998/namespace "
_KEEP_SPACE = f"{_XML}space"
IDS = (f"{_XML}id", "id", "n")
"""The attributes that may be the id of a message, the likeliest first."""
DATES = ("when", "when-iso", "when-custom", "notBefore")
MOMENTS = ("synch", "start")
# While a text is collected, a character that XML cannot hold stands for the end of a line.
LINE_END = "\0"
_SPACE = f" \t\r\n{LINE_END}"
_SPACES = re.compile(f"[{_SPACE}]+")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_LINE_ENDS = re.compile(f" ?{LINE_END}[{LINE_END} ]*+")


def is_tei(head: bytes) -> bool:
    """Return whether a file begins like a TEI document."""
    return _local(root_of(head)) in _ROOTS


def open_tei(source: Source, options: Reading) -> Table:
    """Find out which elements of a document are its messages."""
    name, encoding = source.name, options.encoding
    unit, n_messages = unit_of(name, source.blocks(), encoding)

    def rows() -> Iterator[Row]:
        with parsing(name):
            reader = Reader(unit)
            for message in parse(source.blocks(), reader, encoding=encoding, may_have_type=True):
                yield message.line, message.cells

    return Table(COLUMNS, Dialect(source.format), n_messages, rows)


def unit_of(name: str, blocks: Iterable[bytes], encoding: str | None = None) -> tuple[str, int]:
    """Return the element that is a message in the document `name`, and how many there are."""
    with parsing(name):
        counts = Counter(parse(blocks, _Units(), encoding=encoding, may_have_type=True))
    unit = next((unit for unit in _UNITS if unit in counts), None)
    if unit is None:
        raise fault(name, "no_tei", " holds no TEI text with post, u or p")
    return unit, counts[unit]


class _Units(Handler[str]):
    """Handler that collects the names of elements of the text that may be messages."""

    _text = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self.depth += 1
        local = _local(name)
        if local == "text":
            self._text = self._text or self.depth
        elif self._text and local in _UNITS:
            self.found.append(local)

    def end(self, name: str) -> None:  # noqa: ARG002
        if self.depth == self._text:
            self._text = 0
        self.depth -= 1


def parsing(name: str) -> AbstractContextManager[None]:
    """Raise errors of the parser of the document `name` as `DataError`."""
    line = " is not a readable TEI document ({error}): mend it, or name its encoding"
    return refusing(MarkupError, name, "unreadable_tei", line)


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


@dataclass(slots=True, eq=False)
class Event:
    """A tag, with the local name of its element, or text, from one byte to another.

    Others are comments, instructions, the borders of CDATA and the like. Of what stands in a
    message, `Reader` notes the element that it is within, and its outermost `choice`.
    """

    kind: Literal["start", "end", "text", "other"]
    value: str
    attributes: dict[str, str]
    start: int
    end: int = 0
    is_cdata: bool = False
    inner: str = ""
    choice: int = -1


class _Events(Handler[Event]):
    """Handler that collects all events, as they begin."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.found.append(Event("start", _local(name), attributes, self.byte()))

    def end(self, name: str) -> None:
        self.depth -= 1
        self.found.append(Event("end", _local(name), {}, self.byte()))

    def text(self, text: str) -> None:
        self.found.append(Event("text", text, {}, self.byte()))

    def other(self, markup: str) -> None:
        self.found.append(Event("other", markup, {}, self.byte()))


def events(blocks: Iterable[bytes]) -> Iterator[Event]:
    """Yield the whole of a document, without a byte in between."""
    found = parse(blocks, _Events(), may_have_type=True, tells_all=True)
    for event, following in pairwise(chain(found, [Event("other", "", {}, 0)])):
        event.end = following.start
        yield event


@dataclass
class Message:
    """A message: its id, sender, date and text, its tags, and the parts that its text has.

    `raw` is the text of the parts, with the ends of lines, before white space collapses.
    """

    line: int
    cells: list[object]
    is_exact: bool
    tag: Event
    end: Event = field(init=False)
    raw: str = ""
    text: str = ""
    parts: list[tuple[str, Event]] = field(default_factory=list)
    beside: list[tuple[str, Event]] = field(default_factory=list)

    def close(self, end: Event) -> None:
        """Read the text: without white space that lays XML out, unless it is exact."""
        self.end, self.raw = end, "".join([text for text, _ in self.parts])
        if self.is_exact:
            whole = self.raw.removeprefix(LINE_END).removesuffix(LINE_END)
            self.text = whole.replace(LINE_END, "\n")
        else:
            self.text = _LINE_ENDS.sub("\n", _WHITE_SPACE.sub(" ", self.raw)).strip(" \n")
        self.cells.append(self.text)

    def starts(self) -> list[int]:
        """Return where in `raw` each character of the text begins, and where the last ends."""
        raw, found = self.raw, []
        at = int(raw.startswith(LINE_END)) if self.is_exact else len(raw) - len(raw.lstrip(_SPACE))
        for _ in self.text:
            found.append(at)
            run = None if self.is_exact else _SPACES.match(raw, at)
            at = run.end() if run else at + 1
        return [*found, at]


class Reader(Handler[Message]):
    """Handler that collects messages."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit
        # The depths at which the text, a message and something left out began.
        self.text_depth = self.message_depth = self.left_out_depth = 0
        self._open = [("", -1)]
        self._is_cdata = False
        self._event = Event("other", "", {}, 0)
        self._message = Message(0, [], False, self._event)
        self._length = 0
        self._moments: dict[str, str] = {}

    def read(self, event: Event) -> Message | None:
        self._event = event
        event.is_cdata, (event.inner, event.choice) = self._is_cdata, self._open[-1]
        match event.kind:
            case "start":
                self.start(event.value, event.attributes)
            case "end":
                self.end(event.value)
            case "text":
                self.text(event.value)
            case "other":
                self.other(event.value)
        return self.found.pop() if self.found else None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element, perhaps a message."""
        self.depth += 1
        local, choice = _local(name), self._open[-1][1]
        if self.message_depth:
            if local == "choice" and choice < 0:
                choice = self._event.start
            if local in _LEFT_OUT:
                self.left_out_depth = self.left_out_depth or self.depth
            elif local in _ENDS_OF_LINES:
                self._message.is_exact |= attributes.get(_KEEP_SPACE) == "preserve"
                self._add(LINE_END, self._message.parts)
        elif self.text_depth and local == self._unit:
            self.message_depth, self._length = self.depth, 0
            is_exact = attributes.get(_KEEP_SPACE) == "preserve"
            self._message = Message(self.line(), self._facts(attributes), is_exact, self._event)
        elif local == "text":
            self.text_depth = self.text_depth or self.depth
        elif local == "when" and (moment := _first(attributes, IDS)):
            self._moments[moment] = attributes.get("absolute", "")
        self._open.append((local, choice))

    def _facts(self, attributes: dict[str, str]) -> list[object]:
        """Return the id, the sender and the date of a message."""
        moment = _first(attributes, MOMENTS).lstrip("#")
        sent_at = _first(attributes, DATES) or self._moments.get(moment, "")
        return [_first(attributes, IDS), unquote(attributes.get("who", "").lstrip("#")), sent_at]

    def end(self, name: str) -> None:  # noqa: ARG002
        local, _ = self._open.pop()
        if self.depth == self.left_out_depth:
            self.left_out_depth = 0
        elif self.depth == self.message_depth:
            self.message_depth = 0
            self._message.close(self._event)
            self.found.append(self._message)
        elif self.message_depth and not self.left_out_depth and local in _BLOCKS:
            self._add(LINE_END, self._message.parts)
        elif self.depth == self.text_depth:
            self.text_depth = 0
        self.depth -= 1

    def text(self, text: str) -> None:
        """Take text, if it is of a message or beside it."""
        if self.message_depth:
            message = self._message
            self._add(text, message.beside if self.left_out_depth else message.parts)

    def other(self, markup: str) -> None:
        """Take the borders of CDATA."""
        if markup in ("<![CDATA[", "]]>"):
            self._is_cdata = markup == "<![CDATA["

    def _add(self, text: str, parts: list[tuple[str, Event]]) -> None:
        self._length += len(text)
        if self._length > LONGEST_CELL:
            raise LongCellError
        parts.append((text, self._event))


def _first(attributes: dict[str, str], names: Iterable[str]) -> str:
    return next((attributes[name] for name in names if name in attributes), "")


_OPENING = """\
<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader>
<fileDesc>
<titleStmt><title>Messages</title></titleStmt>
<publicationStmt><p>Unpublished.</p></publicationStmt>
<sourceDesc><p>A table of messages.</p></sourceDesc>
</fileDesc>
</teiHeader>
<text><body><div>
"""
_CLOSING = "</div></body></text>\n</TEI>\n"
_DATE_COLUMNS = ("sent_at", "date", "datetime", "timestamp", "horodatage")
# White space that readers of XML would change.
_UNSTABLE = re.compile(r"^\s|\s\s|[\t\r]|\s$")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_W3C_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?"
)


class TeiWriter(Writer):
    """Writer of each row as a post with its id, sender and date; others have no place in TEI."""

    def __init__(self, file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> None:
        super().__init__(file, columns, dialect)
        text = guess_text(columns)
        self._places = [
            find_id(columns, None, "TEI"),
            guess_sender(columns),
            guess_column(columns, _DATE_COLUMNS),
        ]
        others = [name for at, name in enumerate(columns) if at not in (text, *self._places)]
        if text is None or others:
            raise DataError(
                "TEI has a place for text, id, sender and sent_at (or date) alone"
                + (f", not for {', '.join(others)}" if others else "")
                + ": write CSV or JSON Lines"
            )
        self._text = text
        self._ids: set[str] = set()
        file.write(_OPENING.encode())

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        for number, row in enumerate(rows, first):
            self._file.write(self._post(row, number).encode())

    def finish(self) -> None:
        self._file.write(_CLOSING.encode())

    def _post(self, row: Sequence[object], number: int) -> str:
        id_, sender, sent = (row[at] if at is not None else None for at in self._places)
        who, text = as_text(sender), as_text(row[self._text])
        attributes = self._id(as_text(id_)) | ({"who": who} if who else {}) | _date(sent)
        if any(map(FORBIDDEN.search, [text, *attributes.values()])):
            raise DataError(
                f"row {number} holds a control character, which XML can't hold: write CSV"
            )
        if who:
            attributes["who"] = f"#{quote(who, safe='')}"
        shown = "".join(f' {name}="{attribute_xml(value)}"' for name, value in attributes.items())
        space = ' xml:space="preserve"' if _UNSTABLE.search(text) else ""
        inner = escape(text, quote=False).replace("\n", "<lb/>").replace("\r", "&#13;")
        return f"<post{shown}><p{space}>{inner}</p></post>\n"

    def _id(self, id_: str) -> dict[str, str]:
        """Return the attribute of an id: a label, unless it is a name of XML that is new."""
        if not id_:
            return {}
        is_name = _NAME.fullmatch(id_) and id_ not in self._ids
        self._ids.add(id_)
        return {"xml:id" if is_name else "n": id_}


def _date(sent: object) -> dict[str, str]:
    """Return the attribute of a date; one in another form than that of XML is kept as it is."""
    text = sent.isoformat() if isinstance(sent, date) else as_text(sent)
    as_w3c = text.replace(" ", "T", 1)
    if _W3C_DATE.fullmatch(as_w3c):
        return {"when": as_w3c}
    return {"when-custom": text} if text else {}
