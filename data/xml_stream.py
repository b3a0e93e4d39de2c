"""XML as a stream of its tags and texts; limits keep a hostile file from filling the memory."""

import codecs
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import chain
from typing import Literal, TypeAlias
from xml.parsers import expat

from triage.data import limits
from triage.data.errors import fault

_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)""")
# By the first bytes of a document, whatever it declares.
_BYTE_ORDERS = {
    **dict.fromkeys((b"\xff\xfe", b"<\0"), "utf-16-le"),
    **dict.fromkeys((b"\xfe\xff", b"\0<"), "utf-16-be"),
}
_IN_ATTRIBUTE = str.maketrans({"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})
_PIECE = 1 << 16
_Kind: TypeAlias = Literal["start", "end", "text", "other"]
_Place: TypeAlias = Literal["header", "text", "message", "note"]
"""Parts of a document: `text` stands between messages, `note` within, beside what was written."""
# While a text is collected, a character that XML cannot hold stands for the end of a line.
LINE_END = "\0"
_NO_ATTRIBUTES: dict[str, str] = {}


class MarkupError(Exception):
    """XML is damaged, or breaks the rules of its format."""


class LongCellError(MarkupError):
    """A cell has more characters than is reasonable."""

    def __init__(self) -> None:
        super().__init__(f"a cell has more than {limits.LONGEST_CELL:,} characters")


@dataclass(slots=True, eq=False)
class Token:
    """A tag or a text, from one byte to another; others are comments, instructions and the like.

    The value is the text, or the name of the element with its namespace first. The parent is the
    tag that opened the element in which it stands, and that an end tag closes. The last three are
    of TEI: what a tag holds, where the outermost `choice` around it begins, and whether a text
    stands in CDATA.
    """

    kind: _Kind
    value: str
    attributes: dict[str, str]
    parent: "Token | None" = None
    line: int = 0
    start: int = 0
    end: int = 0
    holds: _Place = "header"
    choice: int = -1
    is_cdata: bool = False

    @property
    def local(self) -> str:
        return self.value.rpartition(" ")[2]

    @property
    def within(self) -> "Token":
        """The tag that opened the element in which it stands; one without a name for the root."""
        return self.parent or _OUTSIDE

    @property
    def text(self) -> str:
        """Return its text in a message, where a tag ends a line."""
        return self.value if self.kind == "text" else LINE_END

    @property
    def in_message(self) -> bool:
        return self.within.holds == "message"

    def is_within(self, names: Collection[str]) -> bool:
        parent = self.parent
        while parent and parent.local not in names:
            parent = parent.parent
        return parent is not None


_OUTSIDE = Token("start", "", {})


def check_characters(
    texts: Iterable[str], holder: str, format_: str = "XML", key: str = "control_character"
) -> None:
    """Raise `DataError` if XML could not hold a character of a text."""
    if any(map(_FORBIDDEN.search, texts)):
        raise fault(key, where=holder, format=format_)


def attribute_xml(text: str) -> str:
    """Return text as the value of an attribute, which readers take for the same text."""
    return escape(text).translate(_IN_ATTRIBUTE)


def tokens(
    blocks: Iterable[bytes],
    *,
    encoding: str | None = None,
    longest: int = limits.LONGEST_CELL,
    may_have_type: bool = False,
    keep_all: bool = False,
) -> Iterator[Token]:
    """Yield the tags and texts of XML; if all is told, no byte is in between, nor before an end."""
    parser = _parser(encoding, may_have_type=may_have_type)
    pending: list[Token] = []
    opened: list[Token | None] = [None]

    def add(kind: _Kind, value: str, attributes: dict[str, str] = _NO_ATTRIBUTES) -> None:
        start = parser.CurrentByteIndex
        if pending:
            pending[-1].end = start
        token = Token(kind, value, attributes, opened[-1], parser.CurrentLineNumber, start)
        pending.append(token)
        if kind == "start":
            opened.append(token)
            if len(opened) > limits.DEEPEST + 1:
                raise MarkupError("nested too deeply")
        elif kind == "end":
            opened.pop()

    parser.StartElementHandler = partial(add, "start")
    parser.EndElementHandler = partial(add, "end")
    parser.CharacterDataHandler = partial(add, "text")
    if keep_all:
        parser.buffer_text = False
        parser.DefaultHandler = partial(add, "other")
    n_read = 0
    pieces = (block[i : i + _PIECE] for block in blocks for i in range(0, len(block), _PIECE))
    for piece in chain(pieces, [b""]):
        n_read += len(piece)
        try:
            parser.Parse(piece, not piece)
        except (expat.ExpatError, LookupError, ValueError) as error:
            # The last two mean an encoding that is unknown, or that the parser cannot read.
            raise MarkupError("not well formed") from error
        # What is not finished, such as a value of an attribute, is kept by the parser.
        if piece and n_read - parser.CurrentByteIndex > longest:
            raise MarkupError("markup without end")
        # The end of the last one is known when another begins.
        finished, pending[:] = (pending[:-1], pending[-1:]) if piece else (pending[:], [])
        yield from finished


def _parser(encoding: str | None = None, *, may_have_type: bool = True) -> expat.XMLParserType:
    """Return a parser that declares no entities; a document type may name a file, not loaded."""

    def refuse(problem: str, *details: object) -> None:
        is_type = problem == "a document type"
        if not is_type or details[-1] or not may_have_type:
            raise MarkupError(problem)

    parser = expat.ParserCreate(encoding, " ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = partial(refuse, "a document type")
    parser.SkippedEntityHandler = partial(refuse, "an entity that is not declared")
    return parser


def encoding_of(content: bytes) -> str:
    declared = _DECLARED.match(content)
    name = _BYTE_ORDERS.get(content[:2], declared[1].decode() if declared else "utf-8")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


def root_of(head: bytes) -> str:
    """Return the name of the root of XML by its first bytes; empty where they are none."""
    names: list[str] = []
    parser = _parser()
    parser.StartElementHandler = lambda name, _: names.append(name)
    with suppress(MarkupError, expat.ExpatError, LookupError, ValueError):
        parser.Parse(head, False)
    return names[0] if names else ""
