"""Chats of Google Takeout."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

LEA = {"name": "Léa Martin", "email": "lea@exemple.fr", "user_type": "Human"}
MESSAGES: list[dict[str, Any]] = [
    {
        "creator": LEA,
        "created_date": "Sunday, January 31, 2021 at 2:05:09\u202fPM UTC",
        "text": "Coucou Zoé",
        "topic_id": "t1",
        "message_id": "g/t1/m1",
    },
    {
        "creator": {"email": "zoe@exemple.fr"},
        "created_date": "dimanche 31 janvier 2021 à 14:06:00 UTC",
        "attached_files": [{"original_name": "a.jpg", "export_name": "File-a.jpg"}],
        "message_id": "g/t1/m2",
    },
    {"creator": LEA, "message_state": "DELETED", "message_id": "g/t1/m3"},
]


def file_of(folder: Path, found: object, name: str = "messages.json") -> Path:
    content = json.dumps(found, ensure_ascii=False, indent=1)
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def test_a_chat_is_a_table_of_messages(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, {"messages": MESSAGES}))
    assert messages.format is Format.GOOGLE_CHAT
    assert messages.columns == ("id", "sent_at", "sender", "kind", "text")
    assert chunk.rows == [
        ["g/t1/m1", "2021-01-31T14:05:09", "Léa Martin", "message", "Coucou Zoé"],
        ["g/t1/m2", "dimanche 31 janvier 2021 à 14:06:00 UTC", "zoe@exemple.fr", "media", ""],
        ["g/t1/m3", "", "Léa Martin", "deleted", ""],
    ]
    assert chunk.lines == [3, 14, 27]


@pytest.mark.parametrize("date", ["Sunday, February 31, 2021 at 2:05:09 PM UTC", 7])
def test_a_date_of_another_form_stays_as_it_is(date: object, tmp_path: Path, read: Read) -> None:
    messages = [{**MESSAGES[0], "created_date": date, "creator": {}}]
    assert read(file_of(tmp_path, {"messages": messages}))[1].rows[0][1:3] == [str(date), ""]


def test_a_text_of_another_form_is_rejected(tmp_path: Path, read: Read) -> None:
    found = {"messages": [{**MESSAGES[0], "text": ["Zoé"]}, 7, MESSAGES[0]]}
    messages, chunk = read(file_of(tmp_path, found))
    reasons = [reject.reason for reject in messages.rejects]
    assert reasons == ["a text of another form", "not a JSON object"]
    assert chunk.texts == ["Coucou Zoé"]


def test_an_export_cut_short_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, {"messages": MESSAGES})
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(DataError, match="it is not JSON") as caught:
        open_messages(path)
    assert "Zoé" not in str(caught.value)


def test_an_export_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no messages of a chat of google-chat"):
        open_messages(file_of(tmp_path, {"messages": []}), format="google-chat")
