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
# XML, which spreadsheets are made of, has no control characters but tab and line ends.
not_in_xml = [*map(chr, {*range(32)} - {9, 10, 13}), "\ufffe", "\uffff"]
sheet_characters = st.characters(exclude_categories=["Cs"], exclude_characters=not_in_xml)
sheet_hostile = st.text(alphabet=",;\"'\r\n\t=+-@ <>&]é😀a_x0D", max_size=12)
sheet_texts = st.text(sheet_characters, max_size=30) | sheet_hostile


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


@given(rows=tables(sheet_texts, 1))
def test_text_in_sheets(rows: list[list[str]], scratch: Path, read: Read, write: Write) -> None:
    numbered = [[n, *row] for n, row in enumerate(rows)]
    path = write(scratch / "sms.xlsx", ["id", "text"], numbered, overwrite=True)
    assert read(path)[1].texts == [r[0] for r in rows]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(value=json_values)
def test_json_values(value: object, scratch: Path, read: Read, write: Write) -> None:
    path = write(scratch / "sms.jsonl", ["text", "valeur"], [["Coucou", value]], overwrite=True)
    [[_, found]] = read(path)[1].rows
    assert found == value
    assert type(found) is type(value)
