"""Formulas of sheets whose results no program has computed."""

from pathlib import Path

import pytest

from tests.data.conftest import Read
from tests.data.sheet_files import cell, ods


@pytest.mark.parametrize("text", ["", "<text:p/>"])
def test_a_formula_of_ods_without_a_value_is_no_empty_message(
    text: str, tmp_path: Path, read: Read
) -> None:
    formula = f'<table:table-cell table:formula="of:=-Patrice">{text}</table:table-cell>'
    messages, chunk = read(ods(tmp_path / "sms.ods", cell("text"), formula, cell("Ok")))
    assert (chunk.texts, messages.rows_read) == (["Ok"], 2)
    [reject] = messages.rejects
    assert (reject.line, reject.reason) == (2, "the message is a formula that failed: #FORMULA")
