"""The strings of a document, whatever its format, as a search for names needs them."""

import re
import zipfile
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path

from triage.data.xml_stream import encoding_of

_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.S)
# Between paragraphs and the like several tags stand, or white space.
_MARKUP, _ELEMENTS = re.compile(r"<[^<>]*>"), re.compile(r"(?:<[^<>]*>){3,}")
_XML_STRINGS = re.compile(
    r"<!--(.*?)(?:-->|\Z)|<!DOCTYPE([^>]*)|<\?(.*?)(?:\?>|\Z)|=\s*\"([^\"<]*)\"|=\s*'([^'<]*)'|>([^<]+)",
    re.S,
)
# The place of a cell of a sheet, or of several, as an attribute.
_CELL_REFERENCE = re.compile(
    r'\b(?:r|ref|sqref|activeCell)="\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::[^"<]{0,12})?"'
)
# What the forms of documents are called, as addresses that are nobody's.
_NAMESPACE = re.compile(
    r"http://(?:schemas\.(?:openxmlformats|microsoft)\.(?:org|com)|www\.w3\.org|purl\.org/dc"
    r"|www\.tei-c\.org/ns)/\S*"
)


def document_strings(path: str) -> Iterator[str]:
    """Yield each string of a document: text, attributes, comments, properties, metadata."""
    file = Path(path)
    if not file.is_file():
        return
    with file.open("rb") as opened:
        head = opened.read(512)
    texts: list[str] = []
    is_xml = head.decode(encoding_of(head), "ignore").lstrip("\ufeff \t\r\n").startswith("<")
    if head.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        metadata = pq.read_schema(path).metadata or {}
        yield from (part.decode("utf-8", "replace") for pair in metadata.items() for part in pair)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
            texts = [_CELL_REFERENCE.sub("", _text(archive.read(name))) for name in members]
    elif is_xml:
        texts = [_text(file.read_bytes())]
        # What markup divides in the header; that of messages is read with them.
        header = _ELEMENTS.sub("\n", texts[0].partition("</teiHeader")[0])
        yield unescape(_MARKUP.sub("", header)).strip()
    for text in texts:
        values = (next(filter(None, one.groups()), "") for one in _XML_STRINGS.finditer(text))
        strings = dict.fromkeys(unescape(one).strip() for one in values if one.strip())
        yield from (one for one in strings if not _NAMESPACE.fullmatch(one))


def _text(document: bytes) -> str:
    """Return a document as text, whose sections of CDATA are written as all else."""
    text = document.decode(encoding_of(document), "replace")
    return _CDATA.sub(lambda section: escape(section[1]), text)
