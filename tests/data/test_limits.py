"""Files that would fill the memory: refused or rejected with what is too much of them."""

import json
import tracemalloc
from pathlib import Path

import pytest

from tests.data.conftest import Read
from tests.data.sheet_files import cell, inline, ods, ods_of, xlsx
from triage.data import DataError, open_messages
from triage.data.limits import MOST_COLUMNS


@pytest.mark.parametrize("start", ["text\n", "text\nOk\n", "", '{"text": "'])
def test_a_line_without_end_is_refused_before_it_is_read_to_its_end(
    start: str, tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_ROW", 100_000)
    path = tmp_path / ("sms.jsonl" if start.startswith("{") else "sms.csv")
    path.write_text(start + "Zéphyrine " * 100_000)
    tracemalloc.start()
    with pytest.raises(DataError, match=r"line .: a row of more than 100,000") as caught:
        read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "Zéphyrine" not in str(caught.value)
    # The blocks in which its encoding is found out, as bytes and as characters, and no more.
    assert most < 6_000_000


def test_a_row_of_very_many_lines_is_refused(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_ROW", 1000)
    (tmp_path / "sms.csv").write_text('text,x\nOk,"' + "ha\n" * 500 + '"\n')
    with pytest.raises(DataError, match="line 2: a row of more than"):
        read(tmp_path / "sms.csv")


def test_lines_are_counted_one_by_one(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_ROW", 100)
    (tmp_path / "sms.csv").write_text("id,text\n" + f"1,{'ha' * 40}\n" * 50)
    assert len(read(tmp_path / "sms.csv")[1].rows) == 50


def test_a_cell_that_is_too_long_costs_its_row(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_CELL", 1000)
    (tmp_path / "sms.csv").write_text(f"id,text\n1,{'h' * 1001}\n2,{'h' * 1000}\n")
    messages, chunk = read(tmp_path / "sms.csv")
    assert (chunk.ids, [reject.line for reject in messages.rejects]) == (["2"], [2])


@pytest.mark.parametrize("name", ["sms.ods", "sms.xlsx"])
def test_a_cell_of_a_sheet_that_is_too_long_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_CELL", 1000)
    long = "h" * 1001
    path = tmp_path / name
    if name == "sms.ods":
        ods(path, cell("text"), cell(long))
    else:
        xlsx(path, inline("text"), inline(long))
    with pytest.raises(DataError, match=f"{name}: a cell has more than 1,?000 characters"):
        open_messages(path)


def test_spaces_that_a_sheet_only_counts_are_limited_too(tmp_path: Path) -> None:
    path = ods(tmp_path / "sms.ods", cell("text"), cell('<text:s text:c="999999999"/>' * 9))
    with pytest.raises(DataError, match="a cell has more than 16,777,216 characters"):
        open_messages(path)


@pytest.mark.parametrize("name", ["sms.csv", "sms.jsonl"])
def test_too_many_columns_are_refused(name: str, tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(MOST_COLUMNS)]
    path = tmp_path / name
    if name == "sms.csv":
        path.write_text(f"text,{','.join(names)}\n")
    else:
        path.write_text("".join(f'{{"text": "Ok", "{key}": 1}}\n' for key in names))
    with pytest.raises(DataError, match=f"{name} has more than 16,384 columns"):
        open_messages(path)


def test_rows_of_many_columns_are_read_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.CHUNK_CELLS", 10)
    (tmp_path / "sms.csv").write_text("id,text,a,b\n" + "1,Ok,,\n" * 5)
    with open_messages(tmp_path / "sms.csv") as messages:
        assert [len(chunk.rows) for chunk in messages.chunks()] == [2, 2, 1]


@pytest.mark.parametrize(("depth", "rejected"), [(50, 0), (99, 0), (101, 1), (600, 1), (9000, 1)])
def test_json_that_is_nested_too_deeply_is_rejected(
    depth: int, rejected: int, tmp_path: Path, read: Read
) -> None:
    nested = "[" * depth + "]" * depth
    (tmp_path / "sms.jsonl").write_text(f'{{"text": "Ok", "x": {nested}}}\n{{"text": "Oui"}}\n')
    messages, chunk = read(tmp_path / "sms.jsonl")
    assert (len(chunk.rows), len(messages.rejects)) == (2 - rejected, rejected)
    json.dumps(chunk.rows, default=str)


def test_a_cell_in_the_last_row_of_a_sheet_is_a_row(tmp_path: Path, read: Read) -> None:
    xml = (
        f"<table:table-row>{cell('text')}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1048574"/>'
        f"<table:table-row>{cell('Ok')}</table:table-row>"
    )
    _, chunk = read(ods_of(tmp_path / "sms.ods", {"un": xml}))
    assert (chunk.texts, chunk.lines) == (["Ok"], [1_048_576])


def test_a_notes_column_without_a_name_is_kept(tmp_path: Path, read: Read) -> None:
    path = ods(tmp_path / "sms.ods", cell("text"), cell("Ok") + cell("vu"))
    messages, chunk = read(path)
    assert (messages.columns, chunk.rows) == (("text", ""), [["Ok", "vu"]])


def test_few_words_that_stand_for_a_million_cells_are_refused(tmp_path: Path) -> None:
    wide = cell("Ok", attributes='table:number-columns-repeated="100"')
    xml = (
        f"<table:table-row>{cell('text')}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="1048000">{wide}</table:table-row>'
    )
    with pytest.raises(DataError, match="more than 50,000,000 cells: save it as CSV"):
        open_messages(ods_of(tmp_path / "sms.ods", {"un": xml}))


def test_a_sheet_whose_markup_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    deep = "<text:span>" * 100_000
    path = ods(tmp_path / "sms.ods", cell("text"), cell(deep + deep.replace("<", "</")))
    with pytest.raises(DataError, match=r"not a readable \.ods file"):
        open_messages(path)


def test_of_rows_that_cannot_be_read_only_so_much_is_kept(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.data.limits.LONGEST_REJECT", 10)
    monkeypatch.setattr("triage.data.limits.MOST_REJECTED", 15)
    (tmp_path / "sms.csv").write_text("id,text\n" + "1,abcdefghijkl,x\n" * 3)
    messages, _ = read(tmp_path / "sms.csv")
    assert [r.raw for r in messages.rejects] == ["1,abcdefgh…", "1,abc…", "…"]
    assert [r.line for r in messages.rejects] == [2, 3, 4]
