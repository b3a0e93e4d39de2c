"""The reader, on files of text of every format, case by case; each error has its words."""

import ast
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.files import file_of, read
from triage.data import MISSING, Chunk, DataError, MessageFile, open_messages
from triage.data.errors import words_of

pytestmark = pytest.mark.usefixtures("own_folder")
CHATS = cases_beside(__file__, "chats.toml")["case"]


def of_whatsapp() -> Iterator[dict[str, Any]]:
    """Yield chats whose headers, order of dates, kinds and dated lines stand in tables."""
    tables = cases_beside(__file__, "whatsapp.toml")
    for header, expected in tables["headers"]:
        row = [expected, "Léa", "message", "t où : là ?"]
        yield {"content": f"{header}Léa: t où : là ?\n", "format": "whatsapp", "rows": [row]}
    for case in tables["orders"]:
        content = "".join(f"{date}, 14:05 - Léa: Ok\n" for date in case["dates"])
        facts = [f"dates as {case['form']}", "100% of its lines begin a message"]
        yield {"content": content, "first_date": str(case["first"]), "facts": facts}
    for said, kind in tables["kinds"]:
        yield {"content": f"[31/01/2021 14:05:09] Léa: {said}\n", "kinds": [kind]}
    for line in tables["dated"]["lines"]:
        content, fault = (
            f"{line}\nmdr\noui\nnon\nbof\n" * 3,
            "3 of its first {} lines.*--format whats",
        )
        yield {"content": content, "error": fault.format(15)}
        yield {"content": f"{line}\n" * 3, "error": fault.format(3)}
        yield {"content": content, "options": {"format": "lines"}, "n_rows": 15}
    yield from ({"content": f"{one}\n" * 5, "format": "lines"} for one in tables["dated"]["plain"])


CASES: list[dict[str, Any]] = [
    case
    for name in ("reading", "limits", "objects", "phones", "chats", "whatsapp", "tei")
    for case in cases_beside(__file__, f"{name}.toml")["case"]
] + [{"about": case["content"][:40], "name": "chat.txt"} | case for case in of_whatsapp()]


def what_was_read(messages: MessageFile, chunk: Chunk) -> dict[str, object]:
    facts, doubts = messages.notes()
    roles = messages.dialect.roles
    rows = [[*map(as_in_toml, row)] for row in chunk.rows]
    return {
        "format": messages.format.value,
        "columns": [*messages.columns],
        "text_column": messages.text_column,
        "id_column": messages.id_column or "",
        "sender": roles.get("sender", ""),
        "date": roles.get("date", ""),
        "read_as": messages.dialect.encoding,
        "separator": messages.dialect.separator,
        "line_terminator": messages.dialect.line_terminator,
        "bom": messages.dialect.bom,
        "n_rows": len(rows),
        "rows": rows,
        "dates": [row[0] for row in rows],
        "first_date": str(rows[0][0])[:10] if rows else "",
        "kinds": [row[2] for row in rows if "kind" in messages.columns],
        "texts": chunk.texts,
        "ids": chunk.ids,
        "lines": chunk.lines,
        "rejects": [[*one.cells] for one in messages.rejects],
        "reasons": [[one.line, one.reason] for one in messages.rejects],
        "facts": [*facts],
        "doubts": len(doubts),
    }


def as_in_toml(cell: object) -> object:
    """Return a cell as a case writes it: TOML has no null."""
    if cell is None or cell is MISSING:
        return "<none>" if cell is None else "<missing>"
    return str(cell) if isinstance(cell, datetime) else cell


def content_of(case: dict[str, Any]) -> bytes:
    """Return the bytes of a case, of which a part may be a text and how often it comes."""
    parts = case["content"]
    parts = [parts] if isinstance(parts, str) else parts
    text = "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts)
    return text.encode(case.get("encoding", "utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_a_file_is_read_or_refused(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(content_of(case), case.get("name", "sms.csv"))
    options = case.get("options", {})
    for name, limit in case.get("limits", {}).items():
        monkeypatch.setattr(f"triage.data.limits.{name}", limit)
    if fault := case.get("error"):
        with pytest.raises(DataError, match=fault) as caught:
            read(path, **options)
        assert not re.search("Zoé|Karim|Zéphyrine|Léa", str(caught.value))
        return
    found = what_was_read(*read(path, **options))
    wanted = {key: value for key, value in case.items() if key in found}
    assert wanted
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize("case", [c for c in CHATS if "rows" in c], ids=lambda case: case["about"])
def test_an_export_cut_short_loses_no_message_in_silence(case: dict[str, Any]) -> None:
    path = file_of(case["content"].rstrip()[:-60])
    if case["format"] == "signal":
        assert read(path)[0].rejects[-1].reason == "not JSON"
        return
    with pytest.raises(DataError, match="it is not JSON") as caught:
        open_messages(path)
    assert "Zoé" not in str(caught.value)


@pytest.mark.parametrize("first", [1, 2])
def test_signal_is_known_by_its_first_frame(first: int) -> None:
    [signal] = [case for case in CHATS if case["about"] == "signal"]
    frames = signal["content"].strip().split("\n")[first:]
    with open_messages(file_of("\n".join(frames))) as messages:
        assert messages.format.value == "signal"


ERRORS: dict[str, str] = words_of("errors")
# What makes an error, with the value that it gives without being told.
MAKERS = {"fault": {"file", "instead"}, "refusing": {"file", "error"}}


def _made() -> Iterator[tuple[str, set[str]]]:
    """Yield which error each call in the modules makes, and the values that it gives."""
    for path in sorted(Path(__file__).parents[2].glob("data/*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            maker = getattr(call.func, "id", "")
            # Calls may be made later, with what comes first already.
            first = call.args[1:] if maker == "partial" else call.args
            maker = getattr(call.args[0], "id", "") if maker == "partial" else maker
            if maker in MAKERS:
                which = first[1 if maker == "refusing" else 0]
                if isinstance(which, ast.Constant):
                    given = {str(one.arg) for one in call.keywords}
                    yield str(which.value), MAKERS[maker] | given


@pytest.mark.parametrize(("which", "given"), list(_made()))
def test_its_line_has_the_values_that_are_given(which: str, given: set[str]) -> None:
    assert {*re.findall(r"\{(\w+)", ERRORS[which])} <= given


def test_no_line_is_left_over() -> None:
    # Those that are named by a format or a variable.
    others = {"damaged.xlsx", "damaged.ods", "no_messages.lines", "no_messages.array"}
    others |= {"control_character", "control_character.replacement"}
    assert {*ERRORS} == {which for which, _ in _made()} | others
