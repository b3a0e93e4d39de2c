"""TEI documents as tables of messages.

Messages are posts, as in the chapter on computer-mediated communication and in the older form of
the CoMeRe corpora, else utterances of transcriptions, else paragraphs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from triage.data import limits
from triage.data.errors import fault, refusing, words_of
from triage.data.table import Content, Dialect, OpenTable, Row
from triage.data.xml_stream import LINE_END, LongCellError, MarkupError, Token, tokens
from triage.settings import Reading

_UNITS: list[str] = words_of("tei")["units"]
_NAMES: dict[str, str] = words_of("tei")["names"]
ELEMENTS = {kind: frozenset[str](names) for kind, names in words_of("tei").items()}
ROOTS, CODES = ELEMENTS["roots"], ELEMENTS["codes"]
_XML = "http://www.w3.org/XML/1998/namespace "
IDS = (f"{_XML}id", "id", "n")
"""The attributes that may be the id of a message, the likeliest first."""
DATES = ("when", "when-iso", "when-custom", "notBefore")
TIMES = ("synch", "start")
_SPACE = f" \t\r\n{LINE_END}"
_SPACES = re.compile(f"[{_SPACE}]+")
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_LINE_ENDS = re.compile(f" ?{LINE_END}[{LINE_END} ]*+")


def open_tei(source: Content, options: Reading) -> OpenTable:
    """Find out which elements of a document are its messages."""

    def found() -> Iterator[Token]:
        yield from told(source.name, source.blocks(), encoding=options.encoding)

    def rows() -> Iterator[Row]:
        for message in messages_of(source.name, found(), unit):
            yield message.tag.line, message.cells, "", ""

    unit, n_messages = unit_of(source.name, found())
    columns = ("id", "sender", "sent_at", "text")
    persons = lambda: persons_of(found())  # noqa: E731
    return OpenTable(columns, Dialect(source.format), n_messages, rows, persons=persons)


def told(name: str, blocks: Iterable[bytes], **how: Any) -> Iterator[Token]:  # noqa: ANN401
    with refusing(MarkupError, "damaged.tei", name):
        yield from tokens(blocks, may_have_type=True, **how)


def persons_of(tokens: Iterable[Token]) -> Iterator[tuple[str, str, str]]:
    """Yield the names of the persons of a header: id, type (empty for a whole name), spelling."""
    entity, text, n_seen = "", "", 0
    for token in tokens:
        if token.kind == "text":
            text += token.value if entity and token.within.local in _NAMES else ""
            continue
        if name := " ".join(text.split()):
            yield entity, _NAMES[token.within.local], name
        text = ""
        if token.kind == "start" and token.local == "person":
            n_seen += 1
            entity = _first(token.attributes, IDS) or f"person {n_seen}"
        elif token.kind == "end" and token.local == "person":
            entity = ""


def unit_of(name: str, tokens: Iterable[Token]) -> tuple[str, int]:
    """Return the element that is a message in the document `name`, and how many there are."""
    counts = Counter(
        token.local
        for token in tokens
        if token.kind == "start" and token.local in _UNITS and token.is_within({"text"})
    )
    unit = next((unit for unit in _UNITS if unit in counts), None)
    if unit is None:
        raise fault("no_messages.tei", name)
    return unit, counts[unit]


@dataclass
class Message:
    """A message: its tags, its id, sender, date and text, and the parts that its text has.

    `raw` is the text of the parts, with the ends of lines, before white space collapses.
    """

    tag: Token
    cells: list[object]
    end: Token = field(init=False)
    raw: str = ""
    text: str = ""
    parts: list[Token] = field(default_factory=list)
    beside: list[Token] = field(default_factory=list)
    is_exact: bool = False
    length: int = 0

    def add(self, part: Token) -> None:
        self.length += len(part.text)
        if self.length > limits.LONGEST_CELL:
            raise LongCellError
        is_beside = part.within.holds == "note" and part.kind == "text"
        (self.beside if is_beside else self.parts).append(part)

    def close(self, end: Token) -> "Message":
        """Read the text: without white space that lays XML out, unless it is exact."""
        self.end, self.raw = end, "".join([part.text for part in self.parts])
        self.text = self.read(self.raw)
        self.cells.append(self.text)
        return self

    def read(self, raw: str) -> str:
        if self.is_exact:
            return raw.removeprefix(LINE_END).removesuffix(LINE_END).replace(LINE_END, "\n")
        return _LINE_ENDS.sub("\n", _WHITE_SPACE.sub(" ", raw)).strip(" \n")

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
        self._unit, self._is_cdata = unit, False
        self._message: Message
        self._moments: dict[str, str] = {}

    def read(self, token: Token) -> Message | None:
        """Take the next token, and return the message that ends with it, if one does."""
        if token.kind == "start":
            self._open(token)
        elif token.kind == "text" and token.within.holds in ("message", "note"):
            token.is_cdata = self._is_cdata
            self._message.add(token)
        elif token.kind == "other" and token.value in ("<![CDATA[", "]]>"):
            self._is_cdata = token.value == "<![CDATA["
        elif token.kind == "end" and token.in_message:
            if token.within is self._message.tag:
                return self._message.close(token)
            if token.local in ELEMENTS["blocks"]:
                self._message.add(token)
        return None

    def _open(self, tag: Token) -> None:
        attributes = tag.attributes
        is_exact = (f"{_XML}space", "preserve") in attributes.items()
        tag.holds, tag.choice = tag.within.holds, tag.within.choice
        if tag.holds in ("message", "note"):
            if tag.local == "choice" and tag.choice < 0:
                tag.choice = tag.start
            if tag.local in ELEMENTS["left_out"]:
                tag.holds = "note"
            elif tag.local in ELEMENTS["blocks"] or tag.local == "lb":
                self._message.is_exact |= is_exact
                self._message.add(tag)
        elif tag.holds == "text" and tag.local == self._unit:
            moment = self._moments.get(_first(attributes, TIMES).lstrip("#"), "")
            sender = unquote(attributes.get("who", "").lstrip("#"))
            sent_at = _first(attributes, DATES) or moment
            self._message = Message(tag, [_first(attributes, IDS), sender, sent_at])
            self._message.is_exact, tag.holds = is_exact, "message"
        elif tag.local == "text":
            tag.holds = "text"
        elif tag.local == "when" and (name := _first(attributes, IDS)):
            self._moments[name] = attributes.get("absolute", "")


def messages_of(name: str, tokens: Iterable[Token], unit: str) -> Iterator[Message]:
    with refusing(MarkupError, "damaged.tei", name):
        yield from filter(None, map(Reader(unit).read, tokens))


def _first(attributes: dict[str, str], names: Iterable[str]) -> str:
    return next((attributes[name] for name in names if name in attributes), "")
