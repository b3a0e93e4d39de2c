"""Whatever is written is read back unchanged."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.conftest import Read, Write
from triage.data import Dialect, Format

hostile = st.text(alphabet=",;|\t\"'\r\n\0=+-@ \\é😀a_x0D\ufeff", max_size=12)
texts = st.text(max_size=30) | hostile


def tables(
    cells: st.SearchStrategy[str], width: int, least: int = 0
) -> st.SearchStrategy[list[list[str]]]:
    row = st.lists(cells, min_size=width, max_size=width)
    return st.lists(row, min_size=least, max_size=5)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@given(
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    rows=tables(texts, 3),
    bom=st.booleans(),
    guarded=st.booleans(),
)
def test_csv(
    separator: str,
    end: str,
    rows: list[list[str]],
    bom: bool,
    guarded: bool,
    scratch: Path,
    read: Read,
    write: Write,
) -> None:
    like = Dialect(Format.CSV, separator=separator, bom=bom, line_terminator=end)
    columns = ["id", "text", "jour"]
    path = write(
        scratch / "sms.csv", columns, rows, like=like, guard_formulas=guarded, overwrite=True
    )
    messages, chunk = read(path, guarded=guarded)
    assert chunk.rows == rows
    assert chunk.texts == [row[1] for row in rows]
    assert (messages.dialect, messages.rejects) == (replace(like, guarded=guarded), [])


@pytest.mark.parametrize("name", ["sms.tsv", "sms.csv.gz", "sms.jsonl", "sms.json", "sms.parquet"])
@pytest.mark.parametrize("width", [1, 2])
@given(data=st.data())
def test_all_text(
    name: str, width: int, data: st.DataObject, scratch: Path, read: Read, write: Write
) -> None:
    # Without rows, JSON has no columns either.
    rows = data.draw(tables(texts, width, least=1 if "json" in name else 0))
    messages, chunk = read(write(scratch / name, ["text", "jour"][:width], rows, overwrite=True))
    assert chunk.rows == rows
    assert messages.rejects == []
