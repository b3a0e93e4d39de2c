"""XLSX files, read and written, and ODS files, read."""

import tempfile
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from tests.data.sheet_files import cell, inline, ods, ods_of, workbook, xlsx
from triage.data import Chunk, DataError, MessageFile, create_output, open_messages, sheet_names

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

both = pytest.mark.parametrize("name", ["sms.xlsx", "sms.ods"])
HEADER = cell("text")
TABLE: list[list[object]] = [["id", "text"], ["a1", "Coucou Zoé"], ["a2", "Ok"]]

# What is written


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *((value, value) for value in (7, "Coucou Zoé", 1.5, 0.1 + 0.2, 1e-300, True, None)),
        *((value, value) for value in (date(2011, 9, 15), time(7, 28, 55), 2**53, "0612")),
        *((value, value) for value in (datetime(2011, 9, 15, 7, 28, 55), date(1900, 3, 1))),
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
    with zipfile.ZipFile(path) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


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


def test_a_sheet_of_many_columns_names_them_all(tmp_path: Path, write: Write) -> None:
    names = ["text", *(f"c{number}" for number in range(1, 800))]
    path = write(tmp_path / "sms.xlsx", names, [["Ok", *range(1, 800)]])
    sheet = openpyxl.load_workbook(path).active
    assert [cell.value for cell in sheet[1]] == names
    assert (sheet["Z2"].value, sheet["AA2"].value, sheet["ADT2"].value) == (25, 26, 799)


def test_rows_lie_in_the_private_folder_of_the_output_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with create_output(tmp_path / "sms.xlsx", ["text"]) as output:
        output.write([["Coucou Zoé"]] * 9)
        [hidden] = tmp_path.glob(".unfinished-*")
        assert len([*hidden.iterdir()]) == 2
        assert hidden.stat().st_mode & 0o077 == 0
        output.commit()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["sms.xlsx", "tmp"]


def test_an_archive_holds_no_time_of_writing(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.xlsx", ["text"], [["Coucou"]])
    with zipfile.ZipFile(path) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        parts = b"".join(archive.read(entry) for entry in archive.namelist())
    assert str(datetime.now(UTC).date()).encode() not in parts


# Which sheet, and which of its rows


@both
def test_lines_are_sheet_rows_and_blank_rows_are_none(
    name: str, tmp_path: Path, read: Read
) -> None:
    rows: list[list[object]] = [["id", "text"], [1, "Coucou"], [None, None], [3, 118218]]
    messages, chunk = read(workbook(tmp_path / name, {"un": rows}))
    assert (chunk.lines, chunk.texts, chunk.ids) == ([2, 4], ["Coucou", "118218"], ["1", "3"])
    assert messages.rows_read == 2


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


@both
@pytest.mark.parametrize(
    ("first", "options", "problem"),
    [
        (TABLE, {"sheet": "notes"}, r"has no sheet 'notes'; there are: Notes, Messages$"),
        ([["Projet"]], {}, r"this is the first sheet, --sheet names another: Notes, Messages$"),
        (TABLE, {"text_column": "sms"}, r"this is the first sheet, --sheet names another: Notes"),
        ([], {}, r"the sheet is empty; this is the first sheet, --sheet names another: Notes"),
        ([], {"sheet": "Notes"}, r"the sheet is empty$"),
    ],
)
def test_a_sheet_without_messages_is_an_error_that_names_the_others(
    first: list[list[object]], options: dict[str, Any], problem: str, name: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=problem):
        open_messages(workbook(tmp_path / name, {"Notes": first, "Messages": TABLE}), **options)


@both
def test_an_only_sheet_has_no_others(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"hidden lest they be a message$|columns: [^;]*$"):
        open_messages(workbook(tmp_path / name, {"Notes": [["Projet", "Année"]]}))


TITLES: list[list[object]] = [["Universités"], ["Corpus de Léa"], [None, "recueilli en", 2011]]


@both
@pytest.mark.parametrize(
    ("rows", "options", "columns", "texts", "lines"),
    [
        (
            [*TITLES, ["N°", "Nom", "Contenu"], [1, "Zoé", "Coucou"], [2, "Léa", "text"]],
            {},
            ("N°", "Nom", "Contenu"),
            ["Coucou", "text"],
            [5, 6],
        ),
        (
            [["Titre"], ["num", "corps"], [1, "Ok"]],
            {"text_column": "corps"},
            ("num", "corps"),
            ["Ok"],
            [3],
        ),
        ([[], [], [None, "text"], [None, "Ok"]], {}, ("text",), ["Ok"], [4]),
        ([["text"], ["Ok", "vu"]], {}, ("text", ""), ["Ok"], [2]),
        (
            [["1", "Coucou"], [2, "Ok"]],
            {"no_header": True, "text_column": "2"},
            ("1", "2"),
            ["Coucou", "Ok"],
            [1, 2],
        ),
    ],
)
def test_rows_above_the_header_are_a_title(
    rows: list[list[object]],
    options: dict[str, object],
    columns: tuple[str, ...],
    texts: list[str],
    lines: list[int],
    name: str,
    tmp_path: Path,
    read: Read,
) -> None:
    messages, chunk = read(workbook(tmp_path / name, {"un": rows}), **options)
    assert (messages.columns, chunk.texts, chunk.lines) == (columns, texts, lines)


@both
def test_a_row_as_wide_as_the_header_is_none(name: str, tmp_path: Path) -> None:
    rows = [["jour", "corps"], ["message", "lundi"]]
    with pytest.raises(DataError, match="no column has a usual name"):
        open_messages(workbook(tmp_path / name, {"un": rows}))


# Cells of XLSX


@pytest.mark.parametrize(
    "failed",
    ['<c t="e"><v>#NAME?</v></c>', "<c><f>-Patrice</f><v></v></c>", "<c><f>-Patrice</f></c>"],
)
def test_a_formula_that_failed_is_no_empty_message(failed: str, tmp_path: Path, read: Read) -> None:
    ok = inline("Ok") + '<c t="e"><v>#N/A</v></c>'
    path = xlsx(tmp_path / "sms.xlsx", inline("text") + inline("x"), failed, ok)
    messages, chunk = read(path)
    assert chunk.rows == [["Ok", "#N/A"]]
    [reject] = messages.rejects
    assert (reject.line, reject.reason[:36]) == (2, "the message is a formula that failed")


@pytest.mark.parametrize(
    ("string", "message"),
    [
        ("<t>Coucou</t>", "Coucou"),
        ('<t xml:space="preserve">  Coucou </t>', "  Coucou "),
        ("<r><t>Cou</t></r><r><rPr><b/></rPr><t>cou</t></r>", "Coucou"),
        ('<t>Zoé</t><rPh sb="0" eb="1"><t>dit zo-é</t></rPh>', "Zoé"),
        ("<t>a_x000D_b_x005F_x_xD83D__xDE00_</t>", "a\rb_x😀"),
    ],
)
def test_shared_strings(string: str, message: str, tmp_path: Path, read: Read) -> None:
    path = xlsx(tmp_path / "sms.xlsx", inline("text"), '<c t="s"><v>0</v></c>', strings=[string])
    assert read(path)[1].texts == [message]


def test_cells_stand_where_they_say_or_one_behind_the_other(tmp_path: Path, read: Read) -> None:
    path = xlsx(
        tmp_path / "sms.xlsx",
        inline("text") + inline("x") + inline("y"),
        inline("Ok", "A2") + inline("z", "C2"),
        inline("Oui") + "<c><v>5</v></c>",
    )
    assert read(path)[1].rows == [["Ok", None, "z"], ["Oui", 5, None]]


VALUES = [
    *(7, -1.5, True, "Coucou", date(2011, 9, 15), datetime(2011, 9, 15, 7, 28, 55)),
    *(time(7, 28, 55), timedelta(hours=30), date(1900, 1, 5), date(1900, 3, 1)),
    *(datetime(2011, 9, 15, 7, 28, 55, 123_000), 1e300, "=1", "0612"),
]
FORMATS = ["[h]:mm", "[mm]:ss", '0.0" days"', "[$-40C]d mmmm yyyy", "[Red]0", "General", "@"]


def test_values_are_read_as_another_reader_reads_them(tmp_path: Path, read: Read) -> None:
    book = openpyxl.Workbook()
    book.active.append(["text", "x"])
    for value in VALUES:
        book.active.append(["Ok", value])
    for form in FORMATS:
        book.active.append(["Ok", 40801.25])
        book.active.cell(book.active.max_row, 2).number_format = form
    book.save(tmp_path / "sms.xlsx")
    own = [row[1] for row in read(tmp_path / "sms.xlsx")[1].rows]
    with CalamineWorkbook.from_path(str(tmp_path / "sms.xlsx")) as other:
        expected = [row[1] for row in other.get_sheet_by_index(0).to_python()[1:]]
    # The other reader has no formula without a value.
    assert own[: len(VALUES) - 2] == expected[: len(VALUES) - 2]
    assert own[len(VALUES) :] == expected[len(VALUES) :]


# Cells of ODS


@pytest.mark.parametrize(
    ("paragraphs", "message"),
    [
        (["Salut<text:tab/>Marie"], "Salut\tMarie"),
        (['Salut<text:s text:c="3"/>Marie'], "Salut   Marie"),
        (["Salut<text:s/>Marie"], "Salut Marie"),
        (["Salut<text:line-break/>Marie"], "Salut\nMarie"),
        (["Salut", "", "Marie"], "Salut\n\nMarie"),
        (["Salut <text:span>Ma<text:span>ri</text:span></text:span>e"], "Salut Marie"),
        (["Voir <text:a>www.marie.fr</text:a>"], "Voir www.marie.fr"),
        (["\n  Salut\n  Marie  "], "Salut Marie"),
        (["Salut \u00a0Marie"], "Salut \u00a0Marie"),
        (["&lt;3 &#x1F600; &amp;"], "<3 😀 &"),
        (["Salut<text:note><text:p>Zoé</text:p></text:note> Marie"], "Salut Marie"),
        (["Salut<draw:frame><text:p>Zoé</text:p></draw:frame> Marie"], "Salut Marie"),
        (["<office:annotation><text:p>vu par Zoé</text:p></office:annotation>Salut"], "Salut"),
        (["h" * 1_000_000], "h" * 1_000_000),
    ],
)
def test_text_of_ods_is_read_as_the_standard_says(
    paragraphs: list[str], message: str, tmp_path: Path, read: Read
) -> None:
    assert read(ods(tmp_path / "sms.ods", HEADER, cell(*paragraphs)))[1].texts == [message]


@pytest.mark.parametrize(
    ("attributes", "value"),
    [
        ('office:value-type="float" office:value="7"', 7),
        ('office:value-type="percentage" office:value="0.5"', 0.5),
        ('office:value-type="currency" office:value="1.5"', 1.5),
        ('office:value-type="boolean" office:boolean-value="false"', False),
        ('office:value-type="date" office:date-value="2011-09-15"', date(2011, 9, 15)),
        (
            'office:value-type="date" office:date-value="2011-09-15T07:28:55"',
            datetime(2011, 9, 15, 7, 28, 55),
        ),
        ('office:value-type="time" office:time-value="PT07H28M55.5S"', time(7, 28, 55, 500_000)),
        ('office:value-type="time" office:time-value="PT30H00M00S"', timedelta(hours=30)),
        ('office:value-type="string" office:string-value="a&#9;b"', "a\tb"),
        *((f'office:value-type="{kind}"', "vu") for kind in ("string", "date", "other")),
        ('office:value-type="float" office:value="deux"', "vu"),
        ("", "vu"),
    ],
)
def test_a_cell_of_ods_is_read_as_it_is_typed(
    attributes: str, value: object, tmp_path: Path, read: Read
) -> None:
    typed = cell("vu", attributes=attributes)
    path = ods(tmp_path / "sms.ods", HEADER + cell("x"), cell("Ok") + typed)
    assert read(path)[1].rows == [["Ok", value]]


def test_rows_and_cells_of_ods_may_stand_for_several(tmp_path: Path, read: Read) -> None:
    twice = cell("Ok", attributes='table:number-columns-repeated="2"')
    rows = (
        f"<table:table-row>{cell('id')}{HEADER}</table:table-row>"
        '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
        f'<table:table-row table:number-rows-repeated="2">{twice}</table:table-row>'
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell'
        ' table:number-columns-repeated="16384"/></table:table-row>'
    )
    _, chunk = read(ods_of(tmp_path / "sms.ods", {"un": rows}))
    assert (chunk.rows, chunk.lines) == ([["Ok", "Ok"]] * 2, [5, 6])


def test_a_formula_of_ods_that_failed_is_no_empty_message(tmp_path: Path, read: Read) -> None:
    attributes = 'office:value-type="string" office:string-value="" calcext:value-type="error"'
    failed = cell("#NAME?", attributes=attributes)
    messages, chunk = read(ods(tmp_path / "sms.ods", HEADER, failed, cell("Ok")))
    assert chunk.texts == ["Ok"]
    [reject] = messages.rejects
    assert (reject.line, reject.raw, messages.rows_read) == (2, "#NAME?", 2)
    assert reject.reason == "the message is a formula that failed: #NAME?"


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


def test_a_part_that_packs_too_well_is_refused_unread(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "sms.xlsx", inline("text"), inline("Ok"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/styles.xml", " " * (1 << 26) + " ")
    with pytest.raises(DataError, match=r"not a readable \.xlsx file"):
        open_messages(path)


@pytest.mark.parametrize(
    "part", ["[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/one.xml"]
)
@pytest.mark.parametrize("content", ["", "<a", "<a/>", "<a><b></a>"])
def test_an_archive_with_a_damaged_part_is_refused(part: str, content: str, tmp_path: Path) -> None:
    whole = xlsx(tmp_path / "whole.xlsx", inline("text"), inline("Ok"))
    with (
        zipfile.ZipFile(whole) as archive,
        zipfile.ZipFile(tmp_path / "sms.xlsx", "w") as damaged,
    ):
        for name in archive.namelist():
            damaged.writestr(name, content if name == part else archive.read(name))
    with pytest.raises(DataError, match=r"not a readable \.xlsx file|the sheet is empty"):
        open_messages(tmp_path / "sms.xlsx")


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
    assert [(r.line, r.reason) for r in messages.rejects] == [
        (1_048_576, "a cell far to the right of the table")
    ]
