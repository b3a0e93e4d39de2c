"""XLSX and ODS files."""

import tempfile
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from pathlib import Path

import openpyxl
import pytest

from tests.data.sheet_files import cell, ods_of
from triage.data import Chunk, DataError, MessageFile, create_output, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

both = pytest.mark.parametrize("name", ["sms.xlsx", "sms.ods"])


@both
def test_cells_keep_their_types(name: str, tmp_path: Path, read: Read, write: Write) -> None:
    row: list[object] = [
        *(7, "Coucou Zoé", 1.5, True, None),
        *(datetime(2011, 9, 15, 7, 28, 55), date(2011, 9, 15), time(7, 28, 55)),
    ]
    columns = ["id", "text", "x", "vrai", "rien", "moment", "jour", "heure"]
    messages, chunk = read(write(tmp_path / name, columns, [row]))
    assert messages.columns == tuple(columns)
    assert chunk.rows == [row]
    assert [type(cell) for cell in chunk.rows[0]] == [type(cell) for cell in row]


@both
def test_a_message_that_looks_like_a_number_is_text(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / name, ["id", "text"], [[1, 118218], [2, "0612"], [3, None]])
    _, chunk = read(path)
    assert chunk.texts == ["118218", "0612", ""]
    assert chunk.ids == ["1", "2", "3"]


@both
@pytest.mark.parametrize(
    "message",
    ["=1+1", "=HYPERLINK(A1)", "#N/A", "'=1", "_x000D_", "a\rb", "a\r\nb\n", "  a   b  ", "\ta\t"],
)
def test_a_message_is_text_and_never_a_formula(
    message: str, name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    assert read(write(tmp_path / name, ["text"], [[message]]))[1].texts == [message]


def test_a_formula_in_a_message_is_text_to_other_readers_too(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.xlsx", ["text"], [["=1+1"]])
    cell = openpyxl.load_workbook(path).active["A2"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")


@pytest.mark.parametrize("message", ["=1+1", "-Patrice", "+33 6", "@Hugo", "#NAME?"])
def test_a_formula_in_a_message_is_a_string_of_the_sheet(
    message: str, tmp_path: Path, write: Write
) -> None:
    for name, inner, sign in (
        ("sms.xlsx", "xl/worksheets/sheet1.xml", b't="inlineStr"'),
        ("sms.ods", "content.xml", b'office:value-type="string"'),
    ):
        with zipfile.ZipFile(write(tmp_path / name, ["text"], [[message]])) as archive:
            content = archive.read(inner)
        assert content.count(sign) == 2
        assert b"<f>" not in content
        assert b"table:formula" not in content


def test_a_sheet_of_many_columns_names_them_all(tmp_path: Path, write: Write) -> None:
    names = ["text", *(f"c{number}" for number in range(1, 800))]
    path = write(tmp_path / "sms.xlsx", names, [["Ok", *range(1, 800)]])
    sheet = openpyxl.load_workbook(path).active
    assert [cell.value for cell in sheet[1]] == names
    assert (sheet["Z2"].value, sheet["AA2"].value, sheet["ADT2"].value) == (25, 26, 799)


def test_other_readers_see_the_same_types(tmp_path: Path, write: Write) -> None:
    row: list[object] = ["Ok", 7, 1.5, True, None, datetime(2011, 9, 15, 7, 28, 55)]
    path = write(tmp_path / "sms.xlsx", list("abcdef"), [row])
    assert [cell.value for cell in openpyxl.load_workbook(path).active[2]] == row


def test_a_day_before_the_calendar_of_xlsx_is_text(
    tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / "sms.xlsx", ["text", "jour"], [["Ok", date(1880, 7, 14)]])
    assert read(path)[1].rows == [["Ok", "1880-07-14"]]


def test_an_xlsx_file_leaves_no_rows_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with create_output(tmp_path / "sms.xlsx", ["text"]) as output:
        output.write([["Coucou Zoé"]] * 9)
        assert list((tmp_path / "tmp").iterdir()) == []
        output.commit()
    assert list((tmp_path / "tmp").iterdir()) == []


@both
def test_digits_that_a_number_would_lose_are_written_as_text(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / name, ["id", "text"], [[2**60 + 1, "Ok"]])
    assert read(path)[1].rows == [[str(2**60 + 1), "Ok"]]


@both
def test_what_has_no_cell_type_is_written_as_text(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    moment = datetime(2011, 9, 15, 7, 28, tzinfo=UTC)
    path = write(tmp_path / name, ["text", "a", "b"], [["Ok", moment, float("inf")]])
    assert read(path)[1].rows == [["Ok", "2011-09-15 07:28:00+00:00", "inf"]]


@both
def test_lines_are_sheet_rows_and_blank_rows_are_none(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / name, ["id", "text"], [[1, "Coucou"], [None, None], [3, "Ok"]])
    messages, chunk = read(path)
    assert chunk.lines == [2, 4]
    assert messages.rows_read == 2


def test_a_header_below_the_top_is_found(tmp_path: Path, read: Read) -> None:
    book = openpyxl.Workbook()
    book.active["B3"], book.active["B4"] = "text", "Coucou"
    book.save(tmp_path / "sms.xlsx")
    messages, chunk = read(tmp_path / "sms.xlsx")
    assert (messages.columns, chunk.texts, chunk.lines) == (("text",), ["Coucou"], [4])


def test_only_the_first_sheet_is_read(tmp_path: Path, read: Read) -> None:
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.active.append(["Coucou"])
    book.create_sheet().append(["Autre"])
    book.save(tmp_path / "sms.xlsx")
    assert read(tmp_path / "sms.xlsx")[1].texts == ["Coucou"]


def test_an_empty_sheet_is_an_error(tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "sms.xlsx")
    with pytest.raises(DataError, match="first sheet is empty"):
        open_messages(tmp_path / "sms.xlsx")


@both
@pytest.mark.parametrize("character", ["\0", "\x1b", "\uffff", "\ud83d"])
def test_a_character_that_a_sheet_cannot_hold_is_an_error_that_names_the_row(
    character: str, name: str, tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match=r"row 2 holds a control character.*write CSV"):
        write(tmp_path / name, ["text"], [["Ok"], [f"Coucou{character}"]])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("message", ["h" * 32_768, "😀" * 16_384])
def test_a_message_too_long_for_xlsx_is_an_error_that_names_the_row(
    message: str, tmp_path: Path, write: Write
) -> None:
    with pytest.raises(DataError, match="row 1 has a cell of more than the 32,767 characters"):
        write(tmp_path / "sms.xlsx", ["text"], [[message]])


@both
def test_the_longest_message_of_xlsx_fits(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    message = "h" * 32_767
    assert read(write(tmp_path / name, ["text"], [[message]]))[1].texts == [message]


def test_ods_holds_a_million_of_a_letter(tmp_path: Path, read: Read, write: Write) -> None:
    message = "h" * 1_000_000
    assert read(write(tmp_path / "sms.ods", ["text"], [[message]]))[1].texts == [message]


@both
def test_an_archive_holds_no_time_of_writing(name: str, tmp_path: Path, write: Write) -> None:
    with zipfile.ZipFile(write(tmp_path / name, ["text"], [["Coucou"]])) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        parts = b"".join(archive.read(entry) for entry in archive.namelist())
    assert str(datetime.now(UTC).date()).encode() not in parts


def test_an_ods_file_says_first_what_it_is(tmp_path: Path, write: Write) -> None:
    # The OpenDocument standard wants this entry first and uncompressed.
    head = write(tmp_path / "sms.ods", ["text"], [["Coucou"]]).read_bytes()[:90]
    assert head[30:].startswith(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet")


@both
@pytest.mark.parametrize("message", [" ", "   ", "\n", "\t", "\u00a0"])
def test_a_message_of_white_space_alone_is_kept(
    message: str, name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    assert read(write(tmp_path / name, ["text"], [[message]]))[1].texts == [message]


def workbook(folder: Path, sheets: dict[str, list[list[object]]], name: str) -> Path:
    """Write a workbook of several sheets, as other programs do."""
    if name.endswith(".ods"):
        xml = "</table:table>".join(
            f'<table:table table:name="{sheet}">'
            + "".join(
                f"<table:table-row>{''.join(cell(str(value)) for value in row)}</table:table-row>"
                for row in rows
            )
            for sheet, rows in sheets.items()
        )
        # The template opens a table of its own, and closes one.
        return ods_of(folder / name, f"</table:table>{xml}")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for sheet, rows in sheets.items():
        of_book = book.create_sheet(sheet)
        for row in rows:
            of_book.append(row)
    book.save(folder / name)
    return folder / name


TABLE: list[list[object]] = [["id", "text"], ["a1", "Coucou Zoé"], ["a2", "Ok"]]


@pytest.mark.parametrize("wanted", ["Messages", "2"])
def test_a_sheet_is_chosen_by_name_or_number(wanted: str, tmp_path: Path, read: Read) -> None:
    sheets: dict[str, list[list[object]]] = {
        "Notes": [["vide"]],
        "Messages": TABLE,
        "Autre": [["text"], ["non"]],
    }
    assert read(workbook(tmp_path, sheets, "sms.xlsx"), sheet=wanted)[1].texts == [
        "Coucou Zoé",
        "Ok",
    ]


@pytest.mark.parametrize("wanted", ["Messages", "3"])
def test_a_sheet_of_ods_is_chosen_likewise(wanted: str, tmp_path: Path, read: Read) -> None:
    # The empty table of the template is the first.
    sheets: dict[str, list[list[object]]] = {"Notes": [["vide"]], "Messages": TABLE}
    assert read(workbook(tmp_path, sheets, "sms.ods"), sheet=wanted)[1].texts == [
        "Coucou Zoé",
        "Ok",
    ]


@both
def test_a_sheet_that_is_not_there_lists_those_that_are(name: str, tmp_path: Path) -> None:
    path = workbook(tmp_path, {"Notes": TABLE, "Messages": TABLE}, name)
    with pytest.raises(DataError, match=r"has no sheet 'notes'; there are: .*Notes, Messages"):
        open_messages(path, sheet="notes")


@both
def test_rows_above_the_header_are_a_title(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    above: list[list[object]] = [["Corpus de Léa", None, None], [None, "recueilli en", 2011]]
    rows = [*above, ["N°", "Expéditeur", "Contenu"], [1, "Zoé", "Coucou Zoé"], [2, "Léa", "text"]]
    messages, chunk = read(write(tmp_path / name, ["Universités", "", ""], rows))
    assert messages.columns == ("N°", "Expéditeur", "Contenu")
    assert chunk.texts == ["Coucou Zoé", "text"]
    assert chunk.lines == [5, 6]


@both
def test_a_named_column_finds_the_header_too(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / name, ["Titre", ""], [["num", "corps"], [1, "Coucou"]])
    assert read(path, text_column="corps")[1].texts == ["Coucou"]


@both
def test_a_row_as_wide_as_the_header_is_none(name: str, tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / name, ["jour", "corps"], [["message", "lundi"]])
    with pytest.raises(DataError, match="no column has a usual name"):
        open_messages(path)


@both
def test_without_header_the_first_row_is_a_message(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    path = write(tmp_path / name, ["1", "Coucou"], [[2, "Ok"]])
    messages, chunk = read(path, no_header=True, text_column="2")
    assert messages.columns == ("1", "2")
    assert (chunk.texts, chunk.lines) == (["Coucou", "Ok"], [1, 2])


def test_a_first_sheet_without_messages_says_that_another_can_be_named(
    tmp_path: Path, read: Read
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Projet"])
    book.create_sheet("Données").append(["N°", "Contenu"])
    book["Données"].append([1, "Coucou Zoé"])
    book.save(tmp_path / "sms.xlsx")
    with pytest.raises(DataError, match="this is the first sheet: --sheet names another"):
        open_messages(tmp_path / "sms.xlsx")
    assert read(tmp_path / "sms.xlsx", sheet="Données")[1].texts == ["Coucou Zoé"]
