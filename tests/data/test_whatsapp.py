"""WhatsApp chats, as phones of many regions export them."""

import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.data.conftest import Read
from triage.data import DataError, Format, open_messages

CASES: dict[str, Any] = cases_beside(__file__)
ANDROID = "31/01/2021, 14:05 - Léa Martin: Coucou Zoé !\n31/01/2021, 14:06 - Zoé: slt\n"


def chat(folder: Path, content: str) -> Path:
    (folder / "chat.txt").write_text(content, encoding="utf-8", newline="")
    return folder / "chat.txt"


def zipped(path: Path, parts: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(("header", "expected"), CASES["headers"])
def test_every_form_of_date_is_read(header: str, expected: str, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(chat(tmp_path, f"{header}Léa: t où : là ?\n"))
    assert messages.format is Format.WHATSAPP
    assert [str(cell) for cell in chunk.rows[0]] == [expected, "Léa", "message", "t où : là ?"]


@pytest.mark.parametrize("case", CASES["orders"])
def test_the_whole_file_tells_whether_the_day_comes_first(
    case: dict[str, Any], tmp_path: Path, read: Read
) -> None:
    content = "".join(f"{date}, 14:05 - Léa: Ok\n" for date in case["dates"])
    messages, chunk = read(chat(tmp_path, content))
    sent = chunk.rows[0][0]
    assert isinstance(sent, datetime)
    assert sent.date() == case["first"]
    assert messages.told()[0][0] == f"dates as {case['form']}"


@pytest.mark.parametrize(("said", "kind"), CASES["kinds"])
def test_what_the_program_put_in_the_place_of_a_message_has_a_kind(
    said: str, kind: str, tmp_path: Path, read: Read
) -> None:
    _, chunk = read(chat(tmp_path, f"[31/01/2021 14:05:09] Léa: {said}\n"))
    assert [row[2] for row in chunk.rows] == [kind]


@pytest.mark.parametrize("line", CASES["dated"]["lines"])
def test_a_chat_in_a_form_that_is_not_known_is_not_read_in_silence(
    line: str, tmp_path: Path, read: Read
) -> None:
    content = f"{line}\nmdr\noui\nnon\nbof\n" * 3
    for one, n_lines in ((content, 15), (f"{line}\n" * 3, 3)):
        fault = rf"3 of its first {n_lines} lines.*--format whatsapp"
        with pytest.raises(DataError, match=fault) as caught:
            open_messages(chat(tmp_path, one))
        assert "Léa" not in str(caught.value)
    assert len(read(chat(tmp_path, content), format="lines")[1].rows) == 15


@pytest.mark.parametrize("line", CASES["dated"]["plain"])
def test_messages_that_tell_a_date_are_no_chat(line: str, tmp_path: Path, read: Read) -> None:
    assert read(chat(tmp_path, f"{line}\n" * 5))[0].format is Format.LINES


@pytest.mark.parametrize("name", ["_chat.txt", "Discussion WhatsApp avec Léa.txt"])
def test_the_zip_is_read_as_it_was_exported(name: str, tmp_path: Path, read: Read) -> None:
    others: dict[str, str | bytes] = {"PHOTO-2021-01-31.jpg": b"\xff\xd8", "notes.txt": "Coucou"}
    path = zipped(tmp_path / "Discussion WhatsApp.zip", others | {name: ANDROID})
    messages, chunk = read(path)
    assert messages.format is Format.WHATSAPP
    assert chunk.texts == ["Coucou Zoé !", "slt"]
    with open_messages(path) as again:
        assert list(again.chunks()) == list(again.chunks())


@pytest.mark.parametrize("kept", [40, 200, -60, None])
def test_a_damaged_zip_is_said_to_be_damaged(kept: int | None, tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"_chat.txt": ANDROID * 50})
    content = path.read_bytes()
    within = content[:60] + b"\xff" * 60 + content[120:]
    path.write_bytes(content[:kept] if kept else within)
    with pytest.raises(DataError, match="not a readable zip file"):
        open_messages(path)


said = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), min_size=1, max_size=40)


@given(texts=st.lists(said.filter(lambda text: text.strip() == text), min_size=1, max_size=5))
def test_what_was_said_is_read_as_it_was(texts: list[str], scratch: Path, read: Read) -> None:
    content = "".join(f"31/01/2021, 14:05 - Léa: {text}\n" for text in texts)
    assert read(chat(scratch, content))[1].texts == texts


def test_a_zip_without_a_chat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no WhatsApp chat"):
        open_messages(zipped(tmp_path / "chat.zip", {"_chat.txt": "id,text\n1,Coucou\n"}))
