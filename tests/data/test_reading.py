"""The reader, on files of every format, case by case."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.conftest import Read
from triage.data import Chunk, DataError, MessageFile, guess_sender

CASES: list[dict[str, Any]] = cases_beside(__file__)["case"]


def what_was_read(messages: MessageFile, chunk: Chunk) -> dict[str, object]:
    facts, doubts = messages.told()
    sender = guess_sender(messages.columns)
    return {
        "format": messages.format.value,
        "columns": [*messages.columns],
        "text_column": messages.text_column,
        "id_column": messages.id_column or "",
        "sender": "" if sender is None else messages.columns[sender],
        "separator": messages.dialect.separator,
        "line_terminator": messages.dialect.line_terminator,
        "bom": messages.dialect.bom,
        "rows": [[str(c) if isinstance(c, datetime) else c for c in row] for row in chunk.rows],
        "texts": chunk.texts,
        "ids": chunk.ids,
        "lines": chunk.lines,
        "rejects": [[one.line, one.reason, one.raw] for one in messages.rejects],
        "facts": [*facts],
        "doubts": len(doubts),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_a_file_is_read_or_refused(case: dict[str, Any], tmp_path: Path, read: Read) -> None:
    path, options = tmp_path / case.get("name", "sms.csv"), case.get("options", {})
    path.write_bytes(case["content"].encode(case.get("encoding", "utf-8")))
    if fault := case.get("error"):
        with pytest.raises(DataError, match=fault) as caught:
            read(path, **options)
        assert not re.search("Zoé|Karim", str(caught.value))
        return
    found = what_was_read(*read(path, **options))
    wanted = {key: value for key, value in case.items() if key in found}
    assert wanted
    assert {key: found[key] for key in wanted} == wanted
