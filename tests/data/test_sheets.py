"""XLSX files, read and written, and ODS files, read."""

import tempfile
import zipfile
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.data.conftest import Read, Write
from tests.data.sheet_files import SHEET, cell, inline, ods, ods_of, workbook, xlsx
from triage.data import DataError, create_output, open_messages, sheet_names

Rows = list[list[object]]

both = pytest.mark.parametrize("name", ["sms.xlsx", "sms.ods"])
HEADER = cell("text") + cell("x")
TABLE: Rows = [["id", "text"], ["a1", "Coucou Zoé"], ["a2", "Ok"]]

# What is written


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *((value, value) for value in (7, "Coucou", 1.5, 0.1 + 0.2, 1e-300, True, None, 2**53)),
        *((value, value) for value in (date(2011, 9, 15), time(7, 28, 55), date(1900, 3, 1))),
        *((value, value) for value in (datetime(2011, 9, 15, 7, 28, 55), "0612")),
        # Beyond what a spreadsheet can tell: as text.
        (2**60 + 1, str(2**60 + 1)),
        (date(1880, 7, 14), "1880-07-14"),
        (datetime(2011, 9, 15, 7, 28, tzinfo=UTC), "2011-09-15 07:28:00+00:00"),
        (float("inf"), "inf"),
    ],
)
def test_a_value_is_read_as_it_was_written(
    written: object, expected: object, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / "sms.xlsx", ["text", "x", "y"], [["Ok", written, 1]])
    [[_, found, _]] = read(path)[1].rows
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    "message",
    [
        *("=1+1", "=HYPERLINK(A1)", "-Patrice", "+33 6", "@Hugo", "#N/A", "'=1", "118218"),
        *("_x000D_", "<r>oui</r>", "a & b <b>", "a\rb", "a\r\nb\n", "  a   b  ", "\ta\t"),
        *(" ", "   ", "\n", "\t", "\u00a0", "h" * 32_767),
    ],
)
def test_a_message_is_text_and_never_a_formula(
    message: str, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / "sms.xlsx", ["text"], [[message]])
    assert read(path)[1].texts == [message]
    assert openpyxl.load_workbook(path).active["A2"].data_type == "s"


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        *((f"Coucou{sign}", "a control character.*write CSV") for sign in "\0\x1b\uffff\ud83d"),
        *((long, "more than the 32,767") for long in ("h" * 32_768, "😀" * 16_384)),
    ],
)
def test_a_message_that_a_sheet_cannot_hold_is_an_error_that_names_the_row(
    message: str, problem: str, tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match=f"row 2 h.*{problem}"):
        write(tmp_path / "sms.xlsx", ["text"], [["Ok"], [message]])
    assert list(tmp_path.iterdir()) == []


def test_rows_lie_in_the_private_folder_of_the_output_alone_and_no_time_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with create_output(tmp_path / "sms.xlsx", ["text"]) as output:
        output.write([["Coucou Zoé"]] * 9)
        [hidden] = tmp_path.glob(".unfinished-*")
        assert (len([*hidden.iterdir()]), hidden.stat().st_mode & 0o077) == (2, 0)
        output.commit()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["sms.xlsx", "tmp"]
    with zipfile.ZipFile(tmp_path / "sms.xlsx") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert b">1980-01-01T" in archive.read("docProps/core.xml")


# Which sheet, and which of its rows


@both
@pytest.mark.parametrize(
    ("wanted", "texts"),
    [(None, ["non"]), ("Messages", ["Coucou Zoé", "Ok"]), ("2", ["Coucou Zoé", "Ok"])],
)
def test_the_first_sheet_is_read_or_the_one_of_a_name_or_a_number(
    wanted: str | None, texts: list[str], name: str, tmp_path: Path, read: Read
) -> None:
    path = workbook(tmp_path / name, {"Notes": [["text"], ["non"]], "Messages": TABLE})
    assert read(path, sheet=wanted)[1].texts == texts
    assert sheet_names(path) == ("Notes", "Messages")


OTHERS = "; this is the first sheet, --sheet names another: Notes, Messages$"


@both
@pytest.mark.parametrize(
    ("sheets", "options", "problem"),
    [
        ([TABLE, TABLE], {"sheet": "notes"}, r"no sheet 'notes'; there are: Notes, Messages$"),
        ([[["Projet"]], TABLE], {}, f"no column has a usual name.*{OTHERS}"),
        ([TABLE, TABLE], {"text_column": "sms"}, f"has no column 'sms'.*{OTHERS}"),
        ([[], TABLE], {}, f"the sheet is empty{OTHERS}"),
        ([[], TABLE], {"sheet": "Notes"}, "the sheet is empty$"),
        ([[["Projet", "Année"]]], {}, "^(?!.*first sheet).*no column has a usual name"),
    ],
)
def test_a_sheet_without_messages_is_an_error_that_names_the_others(
    sheets: list[Rows], options: dict[str, Any], problem: str, name: str, tmp_path: Path
) -> None:
    path = workbook(tmp_path / name, dict(zip(("Notes", "Messages"), sheets, strict=False)))
    with pytest.raises(DataError, match=problem):
        open_messages(path, **options)


TITLES: Rows = [["Universités"], ["Corpus de Léa"], [None, "recueilli en", 2011]]
NUMBERED: Rows = [["N°", "Nom", "Contenu"], [1, "Zoé", "Coucou"], [2, "Léa", "text"]]


@both
@pytest.mark.parametrize(
    ("rows", "options", "columns", "texts", "lines"),
    [
        ([["id", "text"], [], [1, 18], [None, None]], {}, "id text", "18", [3]),
        ([*TITLES, *NUMBERED], {}, "N° Nom Contenu", "Coucou text", [5, 6]),
        ([["Un"], ["num", "corps"], [1, "Ok"]], {"text_column": "corps"}, "num corps", "Ok", [3]),
        ([[], [], [None, "text"], [None, "Ok"]], {}, "text", "Ok", [4]),
        ([["text"], ["Ok", "vu"]], {}, "text ", "Ok", [2]),
        (
            [["1", "Oui"], [2, "Ok"]],
            {"no_header": True, "text_column": "2"},
            "1 2",
            "Oui Ok",
            [1, 2],
        ),
    ],
)
def test_rows_above_the_header_are_a_title_and_blank_rows_are_none(
    rows: Rows,
    options: dict[str, Any],
    columns: str,
    texts: str,
    lines: list[int],
    name: str,
    tmp_path: Path,
    read: Read,
) -> None:
    messages, chunk = read(workbook(tmp_path / name, {"un": rows}), **options)
    assert (" ".join(messages.columns), " ".join(chunk.texts)) == (columns, texts)
    assert (chunk.lines, messages.rows_read) == (lines, len(lines))


@both
def test_a_row_as_wide_as_the_header_is_none(name: str, tmp_path: Path) -> None:
    rows = [["jour", "corps"], ["message", "lundi"]]
    with pytest.raises(DataError, match="no column has a usual name"):
        open_messages(workbook(tmp_path / name, {"un": rows}))


# Cells


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        ('<c t="s"><v>0</v></c>', "a\rb_x😀"),
        ('<c t="s"><v>1</v></c>', "Zoé"),
        (inline("z", "C2"), None),
        ('<c t="e"><v>#N/A</v></c>', "#N/A"),
        ('<c s="0"><v>5</v></c>', 5),
    ],
)
def test_a_cell_of_xlsx_is_read_as_it_is_written_by_others(
    xml: str, value: object, tmp_path: Path, read: Read
) -> None:
    strings = [
        "<t>a_x000D_b_x005F_x_xD83D__xDE00_</t>",
        '<r><t>Z</t></r><r><rPr><b/></rPr><t>oé</t></r><rPh sb="0" eb="1"><t>dit zo-é</t></rPh>',
    ]
    path = xlsx(
        tmp_path / "sms.xlsx", inline("text") + inline("x"), inline("Ok") + xml, strings=strings
    )
    assert read(path)[1].rows[0][:2] == ["Ok", value]


ELAPSED = 'office:value-type="time" office:time-value="PT'


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        (cell("Salut<text:tab/>Marie"), "Salut\tMarie"),
        (cell('Salut<text:s text:c="3"/>Marie<text:s/>'), "Salut   Marie "),
        (cell("Salut<text:line-break/>Marie", "", "Ok"), "Salut\nMarie\n\nOk"),
        (cell("Salut <text:span>Ma<text:a>ri</text:a></text:span>e"), "Salut Marie"),
        (cell("\n  Salut\n \u00a0Marie  "), "Salut \u00a0Marie"),
        (cell("&lt;3 &#x1F600; &amp;"), "<3 😀 &"),
        (cell("Salut<text:note><text:p>Zoé</text:p></text:note> Marie"), "Salut Marie"),
        (cell("Salut<draw:frame><text:p>Zoé</text:p></draw:frame> Marie"), "Salut Marie"),
        (cell("<office:annotation><text:p>vu</text:p></office:annotation>Salut"), "Salut"),
        (cell("h" * 1_000_000), "h" * 1_000_000),
        *(
            (cell("vu", attributes=attributes), value)
            for attributes, value in (
                ('office:value-type="float" office:value="7"', 7),
                ('office:value-type="percentage" office:value="0.5"', 0.5),
                ('office:value-type="currency" office:value="1.5"', 1.5),
                ('office:value-type="boolean" office:boolean-value="false"', False),
                ('office:value-type="date" office:date-value="2011-09-15"', date(2011, 9, 15)),
                (
                    'office:value-type="date" office:date-value="2011-09-15T07:28:55"',
                    datetime(2011, 9, 15, 7, 28, 55),
                ),
                (f'{ELAPSED}07H28M55.5S"', time(7, 28, 55, 500_000)),
                (f'{ELAPSED}30H00M00S"', timedelta(hours=30)),
                ('office:value-type="string" office:string-value="a&#9;b"', "a\tb"),
                ('office:value-type="date"', "vu"),
                ('office:value-type="float" office:value="deux"', "vu"),
                (f'{ELAPSED}hier"', "vu"),
                ("", "vu"),
            )
        ),
    ],
)
def test_a_cell_of_ods_is_read_as_the_standard_says(
    xml: str, value: object, tmp_path: Path, read: Read
) -> None:
    path = ods(tmp_path / "sms.ods", HEADER, cell("Ok") + xml)
    [[_, found]] = read(path)[1].rows
    assert (found, type(found)) == (value, type(value))


def test_rows_and_cells_of_ods_may_stand_for_several(tmp_path: Path, read: Read) -> None:
    twice = cell("Ok", attributes='table:number-columns-repeated="2"')
    rows = (
        f"<table:table-row>{HEADER}</table:table-row>"
        '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
        f'<table:table-row table:number-rows-repeated="2">{twice}</table:table-row>'
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell'
        ' table:number-columns-repeated="16384"/></table:table-row>'
    )
    _, chunk = read(ods_of(tmp_path / "sms.ods", {"un": rows}))
    assert (chunk.rows, chunk.lines) == ([["Ok", "Ok"]] * 2, [5, 6])


OF_ODS = 'office:value-type="string" office:string-value="" calcext:value-type="error"'


@pytest.mark.parametrize(
    "failed",
    [
        '<c t="e"><v>#NAME?</v></c>',
        "<c><f>-Patrice</f><v></v></c>",
        "<c><f>-Patrice</f></c>",
        cell("#NAME?", attributes=OF_ODS),
    ],
)
def test_a_formula_that_failed_is_no_empty_message(failed: str, tmp_path: Path, read: Read) -> None:
    if failed.startswith("<c"):
        path = xlsx(tmp_path / "sms.xlsx", inline("text"), failed, inline("Ok"))
    else:
        path = ods(tmp_path / "sms.ods", HEADER, failed, cell("Ok"))
    messages, chunk = read(path)
    [reject] = messages.rejects
    assert (chunk.texts, messages.rows_read, reject.line) == (["Ok"], 2, 2)
    sign = "#NAME?" if "#NAME?" in failed else "#FORMULA"
    assert reject.reason == f"the message is a formula that failed: {sign}"


# What is damaged, or there to fill the memory


@both
@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]>',
        '<!DOCTYPE a SYSTEM "file:///etc/hostname">',
        "<!DOCTYPE a>",
    ],
)
def test_a_document_type_is_refused(doctype: str, name: str, tmp_path: Path) -> None:
    if name == "sms.ods":
        path = ods(tmp_path / name, HEADER, cell("Ok"), doctype=doctype)
    else:
        path = xlsx(tmp_path / name, inline("text"), inline("Ok"), doctype=doctype)
    with pytest.raises(DataError, match=r"not a readable \.\w+ file"):
        open_messages(path)


@pytest.mark.parametrize("encoding", ["UTF-99", "shift_jis", "hex"])
def test_an_encoding_that_cannot_be_read_is_refused(encoding: str, tmp_path: Path) -> None:
    path = ods(tmp_path / "sms.ods", HEADER, cell("Ok"), encoding=encoding)
    with pytest.raises(DataError, match=r"not a readable \.ods file"):
        open_messages(path)


@pytest.mark.parametrize("part", ["[Content_Types].xml", "xl/workbook.xml", SHEET])
@pytest.mark.parametrize("content", ["", "<a", "<a/>", "<a><b></a>", " " * (1 << 26) + " "])
def test_a_part_that_is_damaged_or_packs_too_well_is_refused(
    part: str, content: str, tmp_path: Path
) -> None:
    path = xlsx(tmp_path / "sms.xlsx", inline("text"), inline("Ok"), **{part: content})
    with pytest.raises(DataError, match=r"not a readable \.xlsx file|the sheet is empty"):
        open_messages(path)


def test_a_cell_in_the_last_corner_of_a_sheet_costs_its_row_alone(
    tmp_path: Path, read: Read
) -> None:
    book = openpyxl.Workbook()
    for row in TABLE:
        book.active.append(row)
    book.active["XFD1048576"] = "x"
    book.save(tmp_path / "sms.xlsx")
    messages, chunk = read(tmp_path / "sms.xlsx")
    assert chunk.texts == ["Coucou Zoé", "Ok"]
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (1_048_576, "a cell far to the right of the table")


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


def test_a_cell_in_the_last_row_of_a_sheet_is_a_row(tmp_path: Path, read: Read) -> None:
    xml = (
        f"<table:table-row>{cell('text')}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1048574"/>'
        f"<table:table-row>{cell('Ok')}</table:table-row>"
    )
    _, chunk = read(ods_of(tmp_path / "sms.ods", {"un": xml}))
    assert (chunk.texts, chunk.lines) == (["Ok"], [1_048_576])


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
