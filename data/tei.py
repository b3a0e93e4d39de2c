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
from enum import StrEnum
from html import escape
from typing import NamedTuple
from urllib.parse import quote, unquote

from triage.data.columns import guess_column
from triage.data.errors import as_text, fault, refusing
from triage.data.limits import LONGEST_CELL
from triage.data.markup import (
    LongCellError,
    MarkupError,
    Token,
    attribute_xml,
    check_characters,
    tokens,
)
from triage.data.table import Dialect, Page, Row, Source, Table, Writer
from triage.errors import DataError
from triage.settings import Reading

COLUMNS = ("id", "sender", "sent_at", "text")
ROOTS = {"TEI", "teiCorpus", "TEI.2", "teiCorpus.2"}
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


class Place(StrEnum):
    """The places of a document where words stand; those of messages are read."""

    HEADER = "header"
    TEXT = "text between the messages"
    MESSAGE = "messages"
    NOTE = "notes and readings within messages"
    ATTRIBUTE = "attributes"
    COMMENT = "comments and instructions"


def open_tei(source: Source, options: Reading) -> Table:
    """Find out which elements of a document are its messages."""
    name, encoding = source.name, options.encoding
    unit, n_messages = unit_of(name, source.blocks(), encoding)

    def rows() -> Iterator[Row]:
        with parsing(name):
            reader = Reader(unit)
            for token in tokens(source.blocks(), encoding=encoding, may_have_type=True):
                if message := reader.read(token):
                    yield message.line, message.cells

    def persons() -> Iterator[tuple[str, str, str]]:
        with parsing(name):
            yield from persons_of(tokens(source.blocks(), encoding=encoding, may_have_type=True))

    return Table(COLUMNS, Dialect(source.format), n_messages, rows, persons=persons)


# Elements of the name of a person, and the type of what stands in them; others are whole names.
_NAMES = {"persName": "", "name": "", "forename": "PRE", "surname": "NOM", "addName": "SUR"}
_NAMES |= {"email": "MEL"}


def persons_of(tokens: Iterable[Token]) -> Iterator[tuple[str, str, str]]:
    """Yield the names of the persons of a header: id, type (empty for a whole name), spelling."""
    entity, opened, text, n_seen = "", list[str](), "", 0
    for token in tokens:
        if token.kind == "text":
            text += token.value if entity and opened and opened[-1] in _NAMES else ""
            continue
        if name := " ".join(text.split()):
            yield entity, _NAMES[opened[-1]], name
        text = ""
        if token.kind == "start" and token.local == "person":
            n_seen += 1
            entity = _first(token.attributes, IDS) or f"person {n_seen}"
        elif token.kind == "end" and token.local == "person":
            entity = ""
        elif entity and token.kind == "start":
            opened.append(token.local)
        elif entity and token.kind == "end":
            opened.pop()


def unit_of(name: str, blocks: Iterable[bytes], encoding: str | None = None) -> tuple[str, int]:
    """Return the element that is a message in the document `name`, and how many there are."""
    counts = Counter[str]()
    n_texts = 0
    with parsing(name):
        for token in tokens(blocks, encoding=encoding, may_have_type=True):
            if token.kind in ("start", "end") and token.local == "text":
                n_texts += 1 if token.kind == "start" else -1
            elif n_texts and token.kind == "start" and token.local in _UNITS:
                counts[token.local] += 1
    unit = next((unit for unit in _UNITS if unit in counts), None)
    if unit is None:
        raise fault(name, "no_messages", " holds no TEI text with post, u or p")
    return unit, counts[unit]


def parsing(name: str) -> AbstractContextManager[None]:
    line = " is not a readable TEI document ({error}): mend it, or name its encoding"
    return refusing(MarkupError, name, "damaged", line)


class Element(NamedTuple):
    """An element that is open: its name, its place, and where its outermost `choice` begins."""

    name: str
    place: Place
    choice: int = -1


class Part(NamedTuple):
    """A piece of a text as the parser tells it, its token, and what it stands in."""

    text: str
    token: Token
    within: Element
    is_cdata: bool


@dataclass
class Message:
    """A message: its id, sender, date and text, its tags, and the parts that its text has.

    `raw` is the text of the parts, with the ends of lines, before white space collapses.
    """

    line: int
    cells: list[object]
    is_exact: bool
    tag: Token
    end: Token = field(init=False)
    raw: str = ""
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    beside: list[Part] = field(default_factory=list)

    def close(self, end: Token) -> None:
        """Read the text: without white space that lays XML out, unless it is exact."""
        self.end, self.raw = end, "".join([part.text for part in self.parts])
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


class Reader:
    """Finds the messages among the tokens of a document."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._open = [Element("", Place.HEADER)]
        self._is_cdata = False
        self._message: Message
        self._length = 0
        self._moments: dict[str, str] = {}

    @property
    def place(self) -> Place:
        return self._open[-1].place

    def read(self, token: Token) -> Message | None:
        """Take the next token, and return the message that ends with it, if one does."""
        if token.kind == "start":
            self._start(token, token.local)
        elif token.kind == "end":
            return self._end(token)
        elif token.kind == "text" and self.place is Place.MESSAGE:
            self._add(token.value, token, self._message.parts)
        elif token.kind == "text" and self.place is Place.NOTE:
            self._add(token.value, token, self._message.beside)
        elif token.kind == "other" and token.value in ("<![CDATA[", "]]>"):
            self._is_cdata = token.value == "<![CDATA["
        return None

    def _start(self, token: Token, local: str) -> None:
        _, place, choice = self._open[-1]
        attributes = token.attributes
        if place in (Place.MESSAGE, Place.NOTE):
            if local == "choice" and choice < 0:
                choice = token.start
            if local in _LEFT_OUT:
                place = Place.NOTE
            elif local in _ENDS_OF_LINES:
                self._message.is_exact |= attributes.get(_KEEP_SPACE) == "preserve"
                self._add(LINE_END, token, self._message.parts)
        elif place is Place.TEXT and local == self._unit:
            place, self._length = Place.MESSAGE, 0
            is_exact = attributes.get(_KEEP_SPACE) == "preserve"
            self._message = Message(token.line, self._facts(attributes), is_exact, token)
        elif local == "text":
            place = Place.TEXT
        elif local == "when" and (moment := _first(attributes, IDS)):
            self._moments[moment] = attributes.get("absolute", "")
        self._open.append(Element(local, place, choice))

    def _facts(self, attributes: dict[str, str]) -> list[object]:
        moment = _first(attributes, MOMENTS).lstrip("#")
        sent_at = _first(attributes, DATES) or self._moments.get(moment, "")
        return [_first(attributes, IDS), unquote(attributes.get("who", "").lstrip("#")), sent_at]

    def _end(self, token: Token) -> Message | None:
        ended = self._open.pop()
        if ended.place is not Place.MESSAGE:
            return None
        if self.place is not Place.MESSAGE:
            self._message.close(token)
            return self._message
        if ended.name in _BLOCKS:
            self._add(LINE_END, token, self._message.parts)
        return None

    def _add(self, text: str, token: Token, parts: list[Part]) -> None:
        self._length += len(text)
        if self._length > LONGEST_CELL:
            raise LongCellError
        parts.append(Part(text, token, self._open[-1], self._is_cdata))


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
# White space that readers of XML would change.
_UNSTABLE = re.compile(r"^\s|\s\s|[\t\r]|\s$")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_W3C_DATE = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?"
)


class TeiWriter(Writer):
    """Writer of each row as a post with its id, sender and date; others have no place in TEI."""

    def begin(self) -> None:
        columns = self._columns
        text, *self._places = (
            columns.index(name) if name in columns else guess_column(columns, role)
            for role in ("text", "id", "sender", "date")
            for name in [self._dialect.roles.get(role)]
        )
        others = [name for at, name in enumerate(columns) if at not in (text, *self._places)]
        if text is None or others:
            raise DataError(
                "TEI has a place for text, id, sender and sent_at (or date) alone"
                + (f", not for {', '.join(others)}" if others else "")
                + ": write CSV or JSON Lines",
                "tei_columns",
                columns=", ".join(others),
            )
        self._text = text
        self._ids: set[str] = set()
        self._file.write(_OPENING.encode())

    def add(self, page: Page, first: int) -> None:
        for number, row in enumerate(page.rows or (), first):
            self._file.write(self._post(row, number).encode())

    def finish(self) -> None:
        self._file.write(_CLOSING.encode())

    def _post(self, row: Sequence[object], number: int) -> str:
        id_, sender, sent = (row[at] if at is not None else None for at in self._places)
        who, text = as_text(sender), as_text(row[self._text])
        attributes = {}
        if label := as_text(id_):
            # A label, unless it is a name of XML that is new.
            is_name = _NAME.fullmatch(label) and label not in self._ids
            attributes["xml:id" if is_name else "n"] = label
            self._ids.add(label)
        attributes |= ({"who": who} if who else {}) | _date(sent)
        check_characters([text, *attributes.values()], f"row {number}")
        if who:
            attributes["who"] = f"#{quote(who, safe='')}"
        shown = "".join(f' {name}="{attribute_xml(value)}"' for name, value in attributes.items())
        space = ' xml:space="preserve"' if _UNSTABLE.search(text) else ""
        inner = escape(text, quote=False).replace("\n", "<lb/>").replace("\r", "&#13;")
        return f"<post{shown}><p{space}>{inner}</p></post>\n"


def _date(sent: object) -> dict[str, str]:
    """Return the attribute of a date; one in another form than that of XML is kept as it is."""
    text = sent.isoformat() if isinstance(sent, date) else as_text(sent)
    as_w3c = text.replace(" ", "T", 1)
    if _W3C_DATE.fullmatch(as_w3c):
        return {"when": as_w3c}
    return {"when-custom": text} if text else {}
