"""XML, parsed as a stream; limits keep a hostile file from filling the memory."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from html import escape
from itertools import chain
from typing import Generic, TypeVar
from xml.parsers import expat

from triage.data.errors import DEEPEST, LONGEST_CELL

_T = TypeVar("_T")
FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold."""
_IN_ATTRIBUTE = str.maketrans({"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


class MarkupError(ValueError):
    """XML is damaged, or breaks the rules of its format."""


class LongCellError(MarkupError):
    """A cell has more characters than is reasonable."""

    def __init__(self) -> None:
        super().__init__(f"a cell has more than {LONGEST_CELL:,} characters")


def attribute_xml(text: str) -> str:
    """Return text as the value of an attribute, which readers take for the same text."""
    return escape(text).translate(_IN_ATTRIBUTE)


class Handler(Generic[_T]):
    """Base of XML handlers, which collect results in `found`; names have their namespace first."""

    def __init__(self) -> None:
        self.found: list[_T] = []
        self.depth = 0
        self.is_over = False
        self.line: Callable[[], int] = int
        self.byte: Callable[[], int] = int

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        """Begin an element."""
        self.depth += 1

    def end(self, name: str) -> None:  # noqa: ARG002
        """End an element."""
        self.depth -= 1

    def text(self, text: str) -> None:
        """Take text."""

    def other(self, markup: str) -> None:
        """Take comments, instructions and whatever else is no text: if `parse` tells all."""


def parse(
    blocks: Iterable[bytes],
    handler: Handler[_T],
    *,
    encoding: str | None = None,
    longest: int = LONGEST_CELL,
    may_have_type: bool = False,
    tells_all: bool = False,
) -> Iterator[_T]:
    """Parse XML and yield what `handler` finds; if all is told, text comes in its pieces."""
    parser = _parser(encoding, may_have_type=may_have_type)
    handler.line = lambda: parser.CurrentLineNumber
    handler.byte = lambda: parser.CurrentByteIndex
    if tells_all:
        parser.buffer_text = False
        parser.DefaultHandler = handler.other
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    n_read = 0
    for block in chain(blocks, [b""]):
        n_read += len(block)
        _feed(parser, block)
        # What is not finished, such as a value of an attribute, is kept by the parser.
        if block and n_read - parser.CurrentByteIndex > longest:
            raise MarkupError("markup without end")
        if handler.depth > DEEPEST:
            raise MarkupError("nested too deeply")
        yield from handler.found
        handler.found.clear()
        if handler.is_over:
            break


def _parser(encoding: str | None = None, *, may_have_type: bool = True) -> expat.XMLParserType:
    """Return a parser that declares no entities; a document type may name a file, not loaded."""

    def refuse_type(_name: str, _system: str | None, _public: str | None, has_own: bool) -> None:
        if has_own or not may_have_type:
            raise MarkupError("a document type")

    def refuse_entity(*_: object) -> None:
        raise MarkupError("an entity that is not declared")

    parser = expat.ParserCreate(encoding, " ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse_type
    parser.SkippedEntityHandler = refuse_entity
    return parser


def _feed(parser: expat.XMLParserType, block: bytes) -> None:
    try:
        parser.Parse(block, not block)
    except MarkupError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        # The last two mean an encoding that is unknown, or that the parser cannot read.
        raise MarkupError("not well formed") from error


def root_of(head: bytes) -> str:
    """Return the name of the root of XML by its first bytes; empty where they are none."""
    found: list[str] = []
    parser = _parser()
    parser.StartElementHandler = lambda name, _: found.append(name)
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(head, False)
    return found[0] if found else ""


class Pieces:
    """The text of a cell, which comes in pieces."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    def add(self, piece: str) -> None:
        """Add a piece, or raise `LongCellError`."""
        self._length += len(piece)
        if self._length > LONGEST_CELL:
            raise LongCellError
        self._pieces.append(piece)

    def take(self) -> str:
        """Return what was added since the last time."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def clear(self) -> None:
        self._pieces.clear()
        self._length = 0
