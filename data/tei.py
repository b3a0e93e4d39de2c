"""TEI documents, read: posts as its chapter on computer-mediated communication has them.

Also read are the older form of the CoMeRe corpora, utterances of transcriptions, and paragraphs of
documents that have neither.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from urllib.parse import unquote

from triage.data.errors import DataError
from triage.data.markup import Handler, LongCellError, MarkupError, Pieces, parse, root_of
from triage.data.table import Dialect, Row, Source, Table
from triage.settings import Reading

COLUMNS = ("id", "sender", "sent_at", "text")
_ROOTS = {"TEI", "teiCorpus", "TEI.2", "teiCorpus.2"}
_UNITS = ("post", "u", "p")
"""Elements that are messages: the first of which there is any."""

_BLOCKS = {"p", "ab", "lg", "l", "list", "item", "head", "opener", "closer", "div"}
# What an editor added, and what stands beside the words that were written.
_LEFT_OUT = {
    "note",
    "fs",
    "spanGrp",
    "interpGrp",
    "index",
    "figDesc",
    "desc",
    "corr",
    "reg",
    "expan",
}
_XML = "http://www.w3.org/XML/1998/namespace "
IDS = (f"{_XML}id", "id", "n")
"""The attributes that may be the id of a message, the likeliest first."""
_SPACE = f"{_XML}space"
DATES = ("when", "when-iso", "when-custom", "notBefore")
MOMENTS = ("synch", "start")
_BLOCK = 1 << 18
# While a text is collected, a character that XML cannot hold stands for the end of a line.
LINE_END = "\0"
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_LINE_ENDS = re.compile(f" ?{LINE_END}[{LINE_END} ]*+")


def is_tei(head: bytes) -> bool:
    """Return whether a file begins like a TEI document."""
    return local_name(root_of(head)) in _ROOTS


def open_tei(source: Source, options: Reading) -> Table:
    """Find out which elements of a document are its messages."""
    unit, n_messages = unit_of(source.name, _blocks(source), options.encoding)
    rows = partial(_rows, source, unit, options.encoding)
    return Table(COLUMNS, Dialect(source.format), n_messages, rows)


def unit_of(name: str, blocks: Iterable[bytes], encoding: str | None) -> tuple[str, int]:
    """Return the element that is a message in the document `name`, and how many there are."""
    counts = Counter[str]()
    with parsing(name):
        for found in parse(blocks, _Units(), encoding=encoding, may_have_type=True):
            counts[found] += 1
    unit = next((unit for unit in _UNITS if counts[unit]), None)
    if unit is None:
        raise DataError(f"{name} holds no TEI text with post, u or p", "no_tei", file=name)
    return unit, counts[unit]


def _rows(source: Source, unit: str, encoding: str | None) -> Iterator[Row]:
    with parsing(source.name):
        handler = Messages(unit)
        yield from parse(_blocks(source), handler, encoding=encoding, may_have_type=True)


@contextmanager
def parsing(name: str) -> Iterator[None]:
    """Raise errors of the parser of the document `name` as `DataError`."""
    try:
        yield
    except (MarkupError, LongCellError) as error:
        raise DataError(
            f"{name} is not a readable TEI document ({error}): mend it, or name its encoding",
            "unreadable_tei",
            file=name,
        ) from error


def _blocks(source: Source) -> Iterator[bytes]:
    source.file.seek(0)
    return iter(partial(source.file.read, _BLOCK), b"")


def local_name(name: str) -> str:
    """Return the name of an element without its namespace."""
    return name.rpartition(" ")[2]


class _Units(Handler[str]):
    """Handler that collects the names of the elements of the text that may be messages."""

    def __init__(self) -> None:
        super().__init__()
        self._text = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self.depth += 1
        local = local_name(name)
        if local == "text" and not self._text:
            self._text = self.depth
        elif self._text and local in _UNITS:
            self.found.append(local)

    def end(self, name: str) -> None:  # noqa: ARG002
        if self.depth == self._text:
            self._text = 0
        self.depth -= 1


class Messages(Handler[Row]):
    """Handler that collects the messages of the text."""

    def __init__(self, unit: str, pieces: Pieces | None = None) -> None:
        super().__init__()
        self._unit = unit
        # The depths at which the text, a message and something left out began.
        self._text = self._message = self._left_out = 0
        self._first = 0
        self.is_exact = False
        self._about: list[object] = []
        self._moments: dict[str, str] = {}
        self._pieces = pieces or Pieces()

    @property
    def is_in_text(self) -> bool:
        """Return whether the text, which follows the header, has begun."""
        return self._text > 0

    @property
    def is_within(self) -> bool:
        """Return whether a message is open: begun, and not ended."""
        return self._message > 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element, perhaps a message."""
        self.depth += 1
        local = local_name(name)
        if self._message:
            if local in _LEFT_OUT and not self._left_out:
                self._left_out = self.depth
            elif local == "lb" or local in _BLOCKS:
                self._pieces.add(LINE_END)
                self.is_exact |= attributes.get(_SPACE) == "preserve"
        elif self._text and local == self._unit:
            self._message, self._first = self.depth, self.line()
            self._about = self._facts(attributes)
            self.is_exact = attributes.get(_SPACE) == "preserve"
            self._pieces.clear()
        elif local == "text" and not self._text:
            self._text = self.depth
        elif local == "when" and (moment := _first(attributes, IDS)):
            self._moments[moment] = attributes.get("absolute", "")

    def _facts(self, attributes: dict[str, str]) -> list[object]:
        """Return the id, the sender and the date of a message."""
        moment = _first(attributes, MOMENTS).lstrip("#")
        date = _first(attributes, DATES) or self._moments.get(moment, "")
        return [_first(attributes, IDS), unquote(attributes.get("who", "").lstrip("#")), date]

    def text(self, text: str) -> None:
        """Take text, if it is of a message."""
        if self._message and not self._left_out:
            self._pieces.add(text)

    def end(self, name: str) -> None:
        """End an element, perhaps a message."""
        if self.depth == self._left_out:
            self._left_out = 0
        elif self.depth == self._message:
            read = _exact if self.is_exact else _collapsed
            self.found.append((self._first, [*self._about, read(self._pieces.take())]))
            self._message = 0
        elif self._message and not self._left_out and local_name(name) in _BLOCKS:
            self._pieces.add(LINE_END)
        elif self.depth == self._text:
            self._text = 0
        self.depth -= 1


def _first(attributes: dict[str, str], names: tuple[str, ...]) -> str:
    return next((attributes[name] for name in names if name in attributes), "")


def _exact(text: str) -> str:
    """Return text with all its white space, without the ends of its first and last block."""
    return text.removeprefix(LINE_END).removesuffix(LINE_END).replace(LINE_END, "\n")


def _collapsed(text: str) -> str:
    r"""Return text without the white space by which XML is laid out."""
    one_line = _WHITE_SPACE.sub(" ", text)
    return _LINE_ENDS.sub("\n", one_line).strip(" \n")
