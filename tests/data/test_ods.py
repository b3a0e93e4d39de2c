"""How the cells of ODS files of any program are read."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.data.sheet_files import cell, ods, ods_of
from triage.data import Chunk, DataError, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
HEADER = cell("text")


@pytest.mark.parametrize(
    ("paragraphs", "message"),
    [
        (["Salut<text:tab/>Marie"], "Salut\tMarie"),
        (['Salut<text:s text:c="3"/>Marie'], "Salut   Marie"),
        (["Salut<text:s/>Marie"], "Salut Marie"),
        (["Salut<text:line-break/>Marie"], "Salut\nMarie"),
        (["Salut", "Marie"], "Salut\nMarie"),
        (["Salut", "", "Marie"], "Salut\n\nMarie"),
        (["Salut <text:span>Ma<text:span>ri</text:span></text:span>e"], "Salut Marie"),
        (["Voir <text:a>www.marie.fr</text:a>"], "Voir www.marie.fr"),
        (["\n  Salut\n  Marie  "], "Salut Marie"),
        (["Salut \u00a0Marie"], "Salut \u00a0Marie"),
        (["&lt;3 &#x1F600; &amp;"], "<3 😀 &"),
        (["Salut<text:note><text:p>Zoé</text:p></text:note> Marie"], "Salut Marie"),
        (["Salut<draw:frame><text:p>Zoé</text:p></draw:frame> Marie"], "Salut Marie"),
    ],
)
def test_text_is_read_as_the_standard_says(
    paragraphs: list[str], message: str, tmp_path: Path, read: Read
) -> None:
    path = ods(tmp_path / "sms.ods", HEADER, cell(*paragraphs))
    assert read(path)[1].texts == [message]


def test_a_comment_is_not_part_of_the_message(tmp_path: Path, read: Read) -> None:
    comment = "<office:annotation><text:p>vu par Zoé</text:p></office:annotation>"
    commented = cell("Salut").replace("<text:p>", comment + "<text:p>")
    assert read(ods(tmp_path / "sms.ods", HEADER, commented))[1].texts == ["Salut"]


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
        ('office:value-type="string"', "vu"),
        ('office:value-type="date" office:date-value="hier"', "hier"),
        ('office:value-type="float" office:value="deux"', "vu"),
        ("", "vu"),
    ],
)
def test_a_cell_is_read_as_it_is_typed(
    attributes: str, value: object, tmp_path: Path, read: Read
) -> None:
    typed = cell("vu", attributes=attributes)
    path = ods(tmp_path / "sms.ods", HEADER + cell("x"), cell("Ok") + typed)
    assert read(path)[1].rows == [["Ok", value]]


def test_rows_and_cells_may_stand_for_several(tmp_path: Path, read: Read) -> None:
    twice = cell("Ok", attributes='table:number-columns-repeated="2"')
    header = cell("id") + HEADER
    xml = (
        f"<table:table-row>{header}</table:table-row>"
        '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
        f'<table:table-row table:number-rows-repeated="2">{twice}</table:table-row>'
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell'
        ' table:number-columns-repeated="16384"/></table:table-row>'
    )
    _, chunk = read(ods_of(tmp_path / "sms.ods", xml))
    assert (chunk.rows, chunk.lines) == ([["Ok", "Ok"]] * 2, [5, 6])


def test_a_formula_that_failed_is_no_empty_message(tmp_path: Path, read: Read) -> None:
    failed = cell(
        "#NAME?",
        attributes='table:formula="of:=-Patrice" office:value-type="string"'
        ' office:string-value="" calcext:value-type="error"',
    )
    messages, chunk = read(ods(tmp_path / "sms.ods", HEADER, failed, cell("Ok")))
    assert chunk.texts == ["Ok"]
    [reject] = messages.rejects
    assert (reject.line, reject.raw, messages.rows_read) == (2, "#NAME?", 2)
    assert reject.reason == "the message is a formula that failed: #NAME?"


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]>',
        '<!DOCTYPE a SYSTEM "file:///etc/hostname">',
        "<!DOCTYPE a>",
    ],
)
def test_a_document_type_is_refused(doctype: str, tmp_path: Path) -> None:
    path = ods(tmp_path / "sms.ods", HEADER, cell("Ok"), doctype=doctype)
    with pytest.raises(DataError, match=r"not a readable \.ods file"):
        open_messages(path)


@pytest.mark.parametrize("encoding", ["UTF-99", "shift_jis", "hex"])
def test_an_encoding_that_cannot_be_read_is_refused(encoding: str, tmp_path: Path) -> None:
    path = ods(tmp_path / "sms.ods", HEADER, cell("Ok"), encoding=encoding)
    with pytest.raises(DataError, match=r"not a readable \.ods file"):
        open_messages(path)
