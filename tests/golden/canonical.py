"""The part of an output that is hashed: its bytes, its cells, or text without what changes."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq

from tests.cases import cases_beside

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


_CELLS: dict[str, Callable[[Path], Iterator[str]]] = {".xlsx": _xlsx, ".parquet": _parquet}
