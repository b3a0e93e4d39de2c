"""How the cells of XLSX files of any program are read."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from tests.data.sheet_files import inline, xlsx
from triage.data import Chunk, DataError, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
HEADER = inline("text")


@pytest.mark.parametrize("failed", ['<c t="e"><v>#NAME?</v></c>', "<c><f>-Patrice</f><v></v></c>"])
def test_a_formula_that_failed_is_no_empty_message(failed: str, tmp_path: Path, read: Read) -> None:
    path = xlsx(tmp_path / "sms.xlsx", HEADER, failed, inline("Ok"))
    messages, chunk = read(path)
    assert chunk.texts == ["Ok"]
    assert [(r.line, r.reason[:36]) for r in messages.rejects] == [
        (2, "the message is a formula that failed")
    ]
    assert messages.rows_read == 2


def test_a_formula_that_failed_beside_the_message_is_kept_as_it_shows(
    tmp_path: Path, read: Read
) -> None:
    path = xlsx(
        tmp_path / "sms.xlsx", HEADER + inline("x"), inline("Ok") + '<c t="e"><v>#N/A</v></c>'
    )
    assert read(path)[1].rows == [["Ok", "#N/A"]]


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
    path = xlsx(tmp_path / "sms.xlsx", HEADER, '<c t="s"><v>0</v></c>', strings=[string])
    assert read(path)[1].texts == [message]


def test_cells_stand_where_they_say_or_one_behind_the_other(tmp_path: Path, read: Read) -> None:
    path = xlsx(
        tmp_path / "sms.xlsx",
        HEADER + inline("x") + inline("y"),
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


def test_a_document_type_is_refused(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE a [<!ENTITY b "ha">]>'
    path = xlsx(tmp_path / "sms.xlsx", HEADER, inline("&b;"), doctype=doctype)
    with pytest.raises(DataError, match=r"not a readable \.xlsx file"):
        open_messages(path)
