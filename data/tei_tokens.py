"""TEI documents as their messages and the bytes between them, so that parts can be exchanged."""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import partial
from io import BytesIO
from typing import NamedTuple, TypeAlias
from xml.parsers import expat

from triage.data.errors import DataError
from triage.data.markup import Handler, Pieces, parse
from triage.data.tei import LINE_END, Messages, local_name, parsing, unit_of

_BLOCK = 1 << 18
_BYTE_ORDERS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SPACE = f" \t\r\n{LINE_END}"
_RUN = re.compile(f"[{_SPACE}]+|[^{_SPACE}]+")
_PREFIX = re.compile(r"<([^\s:/>]+:)?")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"


class TokenKind(Enum):
    """The kinds of tokens of a document; OTHER are comments, instructions and the like."""

    START = "start"
    END = "end"
    TEXT = "text"
    OTHER = "other"


class Place(StrEnum):
    """The places of a document whose words are not read as messages."""

    HEADER = "header"
    TEXT = "text between the messages"
    NOTE = "notes and readings within messages"
    ATTRIBUTE = "attributes"
    COMMENT = "comments and instructions"


class Token(NamedTuple):
    """A part of a document from one byte to another: a tag, text or something else."""

    kind: TokenKind
    start: int
    end: int
    value: str
    attributes: dict[str, str]


class Part(NamedTuple):
    """Text of a message, or the end of a line, which has no token."""

    text: str
    token: Token | None
    is_cdata: bool
    inner: str
    choice: int


@dataclass(frozen=True)
class Message:
    """A message with the bytes that it consists of."""

    cells: list[object]
    tag: Token
    end: Token
    parts: list[Part]
    beside: list[Part]
    is_exact: bool

    @property
    def text(self) -> str:
        """The message as it is read."""
        return str(self.cells[-1])

    @property
    def places(self) -> list[range]:
        """For each character of the message, where it stands in the text of its parts."""
        raw = "".join(part.text for part in self.parts)
        if self.is_exact:
            first = raw.startswith(LINE_END)
            return [range(first + at, first + at + 1) for at in range(len(self.text))]
        found: list[range] = []
        for run in _RUN.finditer(raw):
            if run[0][0] not in _SPACE:
                found += [range(at, at + 1) for at in range(*run.span())]
            elif found:
                found.append(range(*run.span()))
        return found[: len(self.text)]


class TeiDocument:
    """A TEI document in memory."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._codec = _codec_of(content)
        try:
            self.content = content.decode(self._codec).encode()
            is_same = self.encoded(self.content) == content
        except (LookupError, UnicodeError) as error:
            raise DataError(
                f"{name} is not in the encoding that it declares: mend it, or declare another"
            ) from error
        if not is_same:
            raise DataError(f"{name} cannot be written in its encoding: convert it to UTF-8")
        self.unit, _ = unit_of(name, self._blocks(), "utf-8")

    def encoded(self, content: bytes) -> bytes:
        """Return bytes in the encoding of the document; references stand for what it lacks."""
        return content.decode().encode(self._codec, "xmlcharrefreplace")

    def tokens(self) -> Iterator[Token]:
        """Yield all tokens, without a byte in between."""
        with parsing(self.name):
            handler = _Tokens()
            found = parse(
                self._blocks(), handler, encoding="utf-8", may_have_type=True, tells_all=True
            )
            kind, _, value, attributes = next(found)
            # A byte order mark is no token of the parser.
            start = 0
            for following in found:
                yield Token(kind, start, following[1], value, attributes)
                kind, start, value, attributes = following
            yield Token(kind, start, len(self.content), value, attributes)

    def messages(self) -> Iterator[Message]:
        """Yield the messages, in order."""
        reader = _Reader(self.unit)
        with parsing(self.name):
            for token in self.tokens():
                if message := reader.read(token):
                    yield message

    def beside(self) -> Iterator[tuple[Place, str]]:
        """Yield whatever words the document holds beside its messages."""
        reader, words, place = _Reader(self.unit), "", Place.HEADER
        for token in self.tokens():
            reader.read(token)
            if token.kind is TokenKind.TEXT and not reader.has_taken:
                # References stand in the midst of words.
                words, place = words + token.value, reader.place
                continue
            if words:
                yield place, words
                words = ""
            if token.kind is TokenKind.START:
                yield from ((Place.ATTRIBUTE, value) for value in token.attributes.values())
            elif token.kind is TokenKind.OTHER:
                yield Place.COMMENT, token.value

    @property
    def prefix(self) -> str:
        """The prefix of the namespace of the root, with its colon."""
        root = next(token for token in self.tokens() if token.kind is TokenKind.START)
        return self.prefix_of(root)

    def prefix_of(self, tag: Token) -> str:
        """Return the prefix of the namespace of a tag, with its colon."""
        match = _PREFIX.match(self.source(tag))
        return (match[1] or "") if match else ""

    def source(self, token: Token) -> str:
        """Return a token as it stands in the document."""
        return self.content[token.start : token.end].decode()

    def _blocks(self) -> Iterator[bytes]:
        return iter(partial(BytesIO(self.content).read, _BLOCK), b"")


def _codec_of(content: bytes) -> str:
    """Return the encoding of a document: of its first bytes, or as it declares, or UTF-8."""
    for mark, codec in _BYTE_ORDERS.items():
        first = "<".encode(codec)
        if content.startswith((mark, first)):
            return codec
    declared: list[str | None] = []
    parser = expat.ParserCreate()
    parser.XmlDeclHandler = lambda _version, encoding, _alone: declared.append(encoding)
    # It fails at an encoding that it does not know, and then has told it.
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(content[: content.find(b">") + 1], False)
    return next(filter(None, declared), "utf-8")


_Begun: TypeAlias = tuple[TokenKind, int, str, dict[str, str]]
"""A token without its end."""
_NO_ATTRIBUTES: dict[str, str] = {}


class _Tokens(Handler[_Begun]):
    """Handler that collects all tokens as they begin."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.found.append((TokenKind.START, self.byte(), name, attributes))

    def end(self, name: str) -> None:
        self.depth -= 1
        self.found.append((TokenKind.END, self.byte(), name, _NO_ATTRIBUTES))

    def text(self, text: str) -> None:
        self.found.append((TokenKind.TEXT, self.byte(), text, _NO_ATTRIBUTES))

    def other(self, markup: str) -> None:
        self.found.append((TokenKind.OTHER, self.byte(), markup, _NO_ATTRIBUTES))


class _Reader(Pieces):
    """Reads messages token by token as `triage.data.tei` does, and notes what is read."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._reading = Messages(unit, self)
        self._tag: Token | None = None
        self._parts: list[Part] = []
        self._beside: list[Part] = []
        self._token: Token | None = None
        self._is_cdata = False
        # The elements of the message that are open, each with the outermost choice.
        self._inside = [(unit, -1)]
        self.has_taken = False
        self.place = Place.HEADER

    def read(self, token: Token) -> Message | None:
        """Read a token; return the message that it ends."""
        self._token = token if token.kind is TokenKind.TEXT else None
        self.has_taken = False
        match token.kind:
            case TokenKind.START:
                self._start(token)
            case TokenKind.TEXT:
                self._text(token)
            case TokenKind.END:
                return self._end(token)
            case TokenKind.OTHER if token.value in (_CDATA, _CDATA_END):
                self._is_cdata = token.value == _CDATA
        return None

    def add(self, piece: str) -> None:
        super().add(piece)
        self._parts.append(self._part(piece))

    def _start(self, token: Token) -> None:
        if self._reading.is_within:
            name, choice = local_name(token.value), self._inside[-1][1]
            is_choice = name == "choice" and choice < 0
            self._inside.append((name, token.start if is_choice else choice))
        self._reading.start(token.value, token.attributes)
        if self._reading.is_within and not self._tag:
            self._tag = token

    def _text(self, token: Token) -> None:
        self.place = Place.TEXT if self._reading.is_in_text else Place.HEADER
        if not self._tag:
            return
        n_parts = len(self._parts)
        self._reading.text(token.value)
        self.has_taken = len(self._parts) > n_parts
        if not self.has_taken:
            self.place = Place.NOTE
            self._beside.append(self._part(token.value))

    def _end(self, token: Token) -> Message | None:
        self._reading.end(token.value)
        if not self._tag:
            return None
        if self._reading.is_within:
            self._inside.pop()
            return None
        [(_, cells)] = self._reading.found
        is_exact = self._reading.is_exact
        message = Message(cells, self._tag, token, self._parts, self._beside, is_exact)
        self._reading.found.clear()
        self._tag, self._parts, self._beside = None, [], []
        return message

    def _part(self, text: str) -> Part:
        return Part(text, self._token, self._is_cdata, *self._inside[-1])
