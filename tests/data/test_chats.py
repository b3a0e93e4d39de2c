"""Chats that programs export as JSON."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.conftest import Read, file_of
from triage.data import DataError, open_messages

CASES: dict[str, list[dict[str, Any]]] = cases_beside(__file__)
by_name = pytest.mark.parametrize("case", CASES["exports"], ids=lambda case: case["name"])


@by_name
def test_an_export_is_a_table_of_messages(case: dict[str, Any], tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, case["content"]))
    assert messages.format.value == case["format"]
    assert messages.columns == (*case["columns"],)
    rows = [
        [str(cell) if isinstance(cell, datetime) else cell for cell in row] for row in chunk.rows
    ]
    assert rows == json.loads(case["rows"], strict=False)
    assert chunk.lines == case["lines"]
    assert [reject.reason for reject in messages.rejects] == case.get("rejects", [])


@by_name
def test_an_export_cut_short_loses_no_message_in_silence(
    case: dict[str, Any], tmp_path: Path, read: Read
) -> None:
    path = file_of(tmp_path, case["content"].rstrip()[:-60])
    if case["format"] == "signal":
        assert read(path)[0].rejects[-1].reason == "not JSON"
        return
    with pytest.raises(DataError, match="it is not JSON") as caught:
        open_messages(path)
    assert "Zoé" not in str(caught.value)


@pytest.mark.parametrize("first", [0, 1, 2])
def test_signal_is_known_by_its_first_frame(first: int, tmp_path: Path) -> None:
    [signal] = [case for case in CASES["exports"] if case["name"] == "signal"]
    frames = signal["content"].strip().split("\n")[first:]
    with open_messages(file_of(tmp_path, "\n".join(frames))) as messages:
        assert messages.format.value == "signal"


@pytest.mark.parametrize("case", CASES["empty"], ids=lambda case: case["format"])
def test_an_export_without_messages_is_refused(case: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"no messages of a chat of {case['format']}"):
        open_messages(file_of(tmp_path, case["content"]), format=case["format"])
