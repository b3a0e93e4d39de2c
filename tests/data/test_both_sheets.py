"""Cells that XLSX and ODS write in two ways are read alike."""

from pathlib import Path

import pytest

from tests.data.conftest import Read
from tests.data.sheet_files import cell, inline, ods, xlsx


@pytest.mark.parametrize("text", ["", "<text:p/>"])
def test_a_formula_of_ods_without_a_value_is_no_empty_message(
    text: str, tmp_path: Path, read: Read
) -> None:
    formula = f'<table:table-cell table:formula="of:=-Patrice">{text}</table:table-cell>'
    messages, chunk = read(ods(tmp_path / "sms.ods", cell("text"), formula, cell("Ok")))
    assert (chunk.texts, messages.rows_read) == (["Ok"], 2)
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (2, "the message is a formula that failed: #FORMULA")


@pytest.mark.parametrize("number", [5, -5, 612345678901234, 1152921504606846977, 0.1])
def test_a_number_keeps_its_digits(number: float, tmp_path: Path, read: Read) -> None:
    value = cell("vu", attributes=f'office:value-type="float" office:value="{number}"')
    path = ods(tmp_path / "sms.ods", cell("text") + cell("id"), cell("Ok") + value)
    rows = inline("text") + inline("id"), f"{inline('Ok')}<c><v>{number}</v></c>"
    assert (
        read(path)[1].rows == read(xlsx(tmp_path / "sms.xlsx", *rows))[1].rows == [["Ok", number]]
    )
