"""Which encoding a text file is in, found out by reading it once."""

import codecs
import io
import re
from dataclasses import dataclass

from triage.data.errors import DataError
from triage.data.source import Source

UTF8 = "utf-8"
_WINDOWS = "cp1252"
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: UTF8,
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}

_LINE_END = re.compile(b"[\r\n]")


@dataclass(frozen=True)
class Decoding:
    """How a text file's bytes become text.

    Attributes
    ----------
    encoding : str
    bom : bool
        Whether the file begins with a byte order mark.
    damaged : bool
        Whether it is UTF-8 with some bytes that are not.
    lines : int
        How many lines it has, approximately.
    """

    encoding: str
    bom: bool
    damaged: bool
    lines: int

    @property
    def errors(self) -> str:
        """Return how undecodable bytes are met: only damaged UTF-8 has any left."""
        return "surrogateescape" if self.encoding == UTF8 else "strict"


@dataclass
class _Census:
    """Counts over the bytes of a file read as UTF-8."""

    multibyte: int = 0
    invalid: int = 0
    line_feeds: int = 0
    carriage_returns: int = 0

    def add(self, block: bytes, text: str) -> None:
        self.line_feeds += block.count(b"\n")
        self.carriage_returns += block.count(b"\r")
        if not text.isascii():
            valid = len(text.encode(UTF8, "ignore").decode(UTF8))
            self.invalid += len(text) - valid
            self.multibyte += valid - len(text.encode("ascii", "ignore"))


def find_decoding(source: Source, encoding: str | None = None) -> Decoding:
    """Find out the encoding of a text file, or check the one that its user names.

    A byte order mark decides; else valid UTF-8 is UTF-8. Where some bytes are not UTF-8, the
    file is UTF-8 with damaged rows if more characters are UTF-8 than not, else Windows-1252.

    Raises
    ------
    DataError
        No encoding fits, or the named one is unknown or doesn't fit.
    """
    bom = _byte_order_mark(source.head())
    asked = _known(encoding) if encoding else None
    if not (asked or bom):
        _check_no_utf16(source)
    census = _census(source)
    found = asked or _BYTE_ORDER_MARKS.get(bom) or _guess(census)
    if found != UTF8:
        _check_decodes(source, found)
    lines = max(census.line_feeds, census.carriage_returns)
    return Decoding(found, bool(bom), found == UTF8 and census.invalid > 0, lines)


def _byte_order_mark(head: bytes) -> bytes:
    return next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), b"")


def _known(encoding: str) -> str:
    try:
        # Unlike the lookup, this refuses codecs that are no text encodings, such as hex.
        io.TextIOWrapper(io.BytesIO(), encoding)
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise DataError(
            f"--encoding {encoding!r} is unknown: try utf-8, cp1252, latin-1 or utf-16"
        ) from error
    return UTF8 if name == "utf-8-sig" else name


def _check_no_utf16(source: Source) -> None:
    header = _LINE_END.split(source.head(), maxsplit=1)[0]
    if b"\0" in header:
        order = "be" if header.startswith(b"\0") else "le"
        raise DataError(
            f"{source.name} looks like UTF-16 without a byte order mark:"
            f" say --encoding utf-16-{order}"
        )


def _census(source: Source) -> _Census:
    decoder = codecs.getincrementaldecoder(UTF8)("surrogateescape")
    census = _Census()
    for block in source.blocks():
        census.add(block, decoder.decode(block))
    census.add(b"", decoder.decode(b"", final=True))
    return census


def _guess(census: _Census) -> str:
    return UTF8 if census.multibyte > census.invalid or not census.invalid else _WINDOWS


def _check_decodes(source: Source, encoding: str) -> None:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        for block in source.blocks():
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeError as error:
        raise DataError(
            f"{source.name} is neither UTF-8 nor {encoding}: name its encoding with --encoding"
        ) from error
