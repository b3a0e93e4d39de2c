"""The part of an output that is hashed: its bytes, its cells, or text without what changes."""

import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pyarrow.parquet as pq

from tests.cases import cases_beside

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_VOLATILE = [(re.compile(one), name) for one, name in cases_beside(__file__)["volatile"]]


def blanked(text: str, folder: Path, root: Path) -> str:
    for path, name in ((folder, "FOLDER"), (root, "ROOT"), (Path(sys.prefix), "PREFIX")):
        text = text.replace(str(path.resolve()), name).replace(str(path), name)
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return text


def canonical(path: Path, folder: Path, root: Path) -> bytes:
    """Return what is hashed of a file."""
    if path.suffix in _CELLS:
        return "".join(f"{line}\n" for line in _CELLS[path.suffix](path)).encode()
    if path.suffix in (".html", ".json", ".md") or path.name == "log.jsonl":
        return blanked(path.read_text(encoding="utf-8"), folder, root).encode()
    return path.read_bytes()


def _xlsx(path: Path) -> Iterator[str]:
    for sheet in openpyxl.load_workbook(path):
        yield f"sheet {sheet.title}"
        for row in sheet.iter_rows():
            yield repr([(cell.data_type, cell.number_format, cell.value) for cell in row])


def _parquet(path: Path) -> Iterator[str]:
    table = pq.read_table(path)
    yield from map(str, table.schema.remove_metadata())
    yield from map(repr, table.to_pylist())


def _ods(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as archive:
        content = ElementTree.fromstring(archive.read("content.xml"))
    for table in content.iter(f"{_TABLE}table"):
        yield f"sheet {table.get(f'{_TABLE}name')}"
        for row in table.iter(f"{_TABLE}table-row"):
            yield repr([_ods_cell(cell) for cell in row])


def _ods_cell(cell: ElementTree.Element) -> tuple[object, ...]:
    values = sorted((name.partition("}")[2], value) for name, value in cell.items())
    marks = [part.tag.partition("}")[2] for part in cell.iter() if part.tag.startswith(_TEXT)]
    return values, marks, "".join(cell.itertext())


_CELLS: dict[str, Callable[[Path], Iterator[str]]] = {
    ".xlsx": _xlsx,
    ".ods": _ods,
    ".parquet": _parquet,
}
