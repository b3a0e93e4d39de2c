"""XLSX files, read and written, and ODS files, read."""

import json
import tempfile
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.cases import cases_beside
from tests.data.files import PARTS, SHEET, cell, inline, ods, ods_of, read, workbook, write, xlsx
from triage.data import DataError, create_output, open_messages

pytestmark = pytest.mark.usefixtures("own_folder")
both = pytest.mark.parametrize("name", ["sms.xlsx", "sms.ods"])
HEADER = cell("text") + cell("x")
CASES = cases_beside(__file__)


@pytest.mark.parametrize(
    ("written", "expected"), [*CASES["values"], *((one, one) for one in (None, 1e-300, 0.1 + 0.2))]
)
def test_a_value_is_read_as_it_was_written(written: object, expected: object) -> None:
    path = write("sms.xlsx", ["text", "x", "y"], [["Ok", written, 1]])
    [[_, found, _]] = read(path)[1].rows
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize("message", [*CASES["messages"], "h" * 32_767])
def test_a_message_is_text_and_never_a_formula(message: str) -> None:
    path = write("sms.xlsx", ["text"], [[message]])
    assert read(path)[1].texts == [message]
    assert openpyxl.load_workbook(path).active["A2"].data_type == "s"


@pytest.mark.parametrize("message", ["h" * 32_768, "😀" * 16_384])
def test_a_message_that_is_too_long_for_a_cell_is_an_error_that_names_the_row(message: str) -> None:
    with pytest.raises(DataError, match="row 2 has a cell of more than the 32,767"):
        write("sms.xlsx", ["text"], [["Ok"], [message]])
    assert list(Path().iterdir()) == []


def test_rows_lie_in_a_private_folder_and_no_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", "tmp")
    with create_output("sms.xlsx", ["text"]) as output:
        output.write([["Coucou Zoé"]] * 9)
        [hidden] = Path().glob(".unfinished-*")
        assert (len([*hidden.iterdir()]), hidden.stat().st_mode & 0o077) == (2, 0)
        output.commit()
    assert sorted(path.name for path in Path().rglob("*")) == ["sms.xlsx", "tmp"]
    with zipfile.ZipFile("sms.xlsx") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert b">1980-01-01T" in archive.read("docProps/core.xml")


@both
@pytest.mark.parametrize("case", CASES["workbook"], ids=lambda case: case["about"])
def test_a_sheet_is_read_or_refused(case: dict[str, Any], name: str) -> None:
    sheets = dict(zip(("Notes", "Messages"), map(json.loads, case["sheets"]), strict=False))
    path, options = workbook(name, sheets), case.get("options", {})
    if problem := case.get("error"):
        with pytest.raises(DataError, match=problem):
            open_messages(path, **options)
        return
    messages, chunk = read(path, **options)
    with open_messages(path, **options) as opened:
        assert opened.parts == (*sheets,)
    assert [*messages.columns] == case.get("columns", [*messages.columns])
    assert chunk.texts == case["texts"]
    assert chunk.lines == case.get("lines", chunk.lines)
    assert messages.rows_read == len(chunk.lines)


@pytest.mark.parametrize(("xml", "value"), [*CASES["xlsx"], (inline("z", "C2"), None)])
def test_a_cell_of_xlsx_is_read_as_it_is_written_by_others(xml: str, value: object) -> None:
    rows = inline("text") + inline("x"), inline("Ok") + xml
    path = xlsx("sms.xlsx", *rows, strings=CASES["strings"])
    assert read(path)[1].rows[0][:2] == ["Ok", value]


ELAPSED = cell("30", attributes='office:value-type="time" office:time-value="PT30H00M00S"')


@pytest.mark.parametrize(("xml", "value"), [*CASES["ods"], (ELAPSED, timedelta(hours=30))])
def test_a_cell_of_ods_is_read_as_the_standard_says(xml: str, value: object) -> None:
    path = ods("sms.ods", HEADER, cell("Ok") + xml)
    [[_, found]] = read(path)[1].rows
    assert (found, type(found)) == (value, type(value))


def test_rows_and_cells_of_ods_may_stand_for_several() -> None:
    twice = cell("Ok", attributes='table:number-columns-repeated="2"')
    rows = PARTS["repeated"].format(beside=cell("Zoé"), header=HEADER, twice=twice)
    _, chunk = read(ods_of("sms.ods", {"un": rows}))
    assert (chunk.rows, chunk.lines) == ([["Ok", "Ok"]] * 2, [5, 6])


@pytest.mark.parametrize("failed", CASES["failed"])
def test_a_formula_that_failed_is_no_empty_message(failed: str) -> None:
    if failed.startswith("<c"):
        path = xlsx("sms.xlsx", inline("text"), failed, inline("Ok"))
    else:
        path = ods("sms.ods", HEADER, failed, cell("Ok"))
    messages, chunk = read(path)
    [reject] = messages.rejects
    assert (chunk.texts, messages.rows_read, reject.line) == (["Ok"], 2, 2)
    sign = "#NAME?" if "#NAME?" in failed else "#FORMULA"
    assert reject.reason == f"the message is a formula that failed: {sign}"


@both
def test_the_name_of_a_sheet_outweighs_the_number_of_another(name: str) -> None:
    path = workbook(name, {"2": [["text"], ["deux"]], "1": [["text"], ["un"]]})
    assert read(path, sheet="1")[1].texts == ["un"]


@both
def test_a_message_whose_cell_is_merged_with_another_is_no_empty_message(name: str) -> None:
    rows: list[list[object]] = [["Corpus", None], ["id", "text"], [1, "Coucou Zoé"], [2, None]]
    rows += [[None, None], [3, "Ok"], [None, "Oui"], [4, None]]
    if name == "sms.ods":
        path = ods_of(name, {"un": PARTS["merged"]})
    else:
        path = workbook(name, {"un": rows}, ("A1:B1", "B3:B5", "A6:A7", "A8:B8"))
    messages, chunk = read(path)
    assert (chunk.texts, chunk.ids) == (["Coucou Zoé", "Ok", "Oui"], ["1", "3", ""])
    reason = "the cell of the message is merged with another one: split them"
    assert [(one.line, one.reason) for one in messages.rejects] == [(4, reason), (8, reason)]
    assert [one.raw for one in messages.rejects] == ["2", "4"]


@both
@pytest.mark.parametrize("doctype", CASES["doctypes"])
def test_a_document_type_is_refused(doctype: str, name: str) -> None:
    if name == "sms.ods":
        path = ods(name, HEADER, cell("Ok"), doctype=doctype)
    else:
        path = xlsx(name, inline("text"), inline("Ok"), doctype=doctype)
    with pytest.raises(DataError, match=r"not a readable \.\w+ file"):
        open_messages(path)


@pytest.mark.parametrize("part", ["[Content_Types].xml", "xl/workbook.xml", SHEET])
@pytest.mark.parametrize("content", ["", "<a", "<a/>", "<a><b></a>", " " * (1 << 26) + " "])
def test_a_part_that_is_damaged_or_packs_too_well_is_refused(part: str, content: str) -> None:
    path = xlsx("sms.xlsx", inline("text"), inline("Ok"), **{part: content})
    with pytest.raises(DataError, match=r"not a readable \.xlsx file|the sheet is empty"):
        open_messages(path)


def test_a_cell_in_the_last_corner_of_a_sheet_costs_its_row_alone() -> None:
    book = openpyxl.Workbook()
    for text in ("text", "Coucou Zoé", "Ok"):
        book.active.append([text])
    book.active["XFD1048576"] = "x"
    book.save("sms.xlsx")
    messages, chunk = read("sms.xlsx")
    assert chunk.texts == ["Coucou Zoé", "Ok"]
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (1_048_576, "a cell far to the right of the table")
    with pytest.raises(DataError, match="the sheet is empty"):
        open_messages(xlsx("beyond.xlsx", inline("text", "XFE1")))


@both
def test_a_cell_too_long_costs_its_row_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(name, {"un": [["text"], ["h" * 1001], ["Ok"]]})
    monkeypatch.setattr("triage.data.limits.LONGEST_CELL", 1000)
    messages, chunk = read(path)
    assert (chunk.texts, [one.line for one in messages.rejects]) == (["Ok"], [2])


def test_what_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "<text:span>" * 100_000
    wide = cell("Ok", attributes='table:number-columns-repeated="100"')
    many = PARTS["many"].format(header=cell("text"), wide=wide)
    long = "a cell has more than 1,?000 characters"
    spaces = cell('<text:s text:c="900"/>')
    again = cell("h" * 900, attributes='table:number-columns-repeated="40"')
    for path, problem in (
        (ods("f.ods", cell("text"), *[spaces] * 4), long),
        (ods("g.ods", cell("text"), again), "line 2: a row of more than 32,000 char"),
        (ods_of("d.ods", {"un": many}), "more than 50,000,000 cells: save it as CSV"),
        (
            ods("e.ods", cell("text"), cell(deep + deep.replace("<", "</"))),
            "not a readable",
        ),
    ):
        is_long = problem == long
        monkeypatch.setattr("triage.data.limits.LONGEST_CELL", 1000 if is_long else 1 << 24)
        monkeypatch.setattr("triage.data.limits.LARGE_PART", 3000 if path.stem == "f" else 1 << 26)
        monkeypatch.setattr("triage.data.limits.LONGEST_ROW", 32_000)
        with pytest.raises(DataError, match=f"{path.name}.*{problem}"):
            open_messages(path)
