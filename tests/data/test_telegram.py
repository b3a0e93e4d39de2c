"""Exports of Telegram Desktop."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

MESSAGES: list[dict[str, Any]] = [
    {
        "id": 1,
        "type": "service",
        "date": "2021-01-31T14:05:00",
        "actor": "Léa Martin",
        "actor_id": "user11",
        "action": "create_group",
        "text": "",
    },
    {
        "id": 2,
        "type": "message",
        "date": "2021-01-31T14:05:09",
        "date_unixtime": "1612098309",
        "from": "Léa Martin",
        "from_id": "user11",
        "text": "Coucou Zoé",
        "text_entities": [{"type": "plain", "text": "Coucou Zoé"}],
    },
    {
        "id": 3,
        "type": "message",
        "date": "2021-01-31T14:06:00",
        "from": None,
        "from_id": "user12",
        "text": ["regarde ", {"type": "link", "text": "https://exemple.fr"}, " @", "karim"],
    },
    {
        "id": 4,
        "type": "message",
        "date": "2021-01-31T14:07:00",
        "from": "Zoé",
        "photo": "photos/photo_1.jpg",
        "text": "moi à Sète",
    },
]
CHAT = {"name": "Les copines", "type": "private_group", "id": 77, "messages": MESSAGES}


def file_of(folder: Path, found: object, name: str = "result.json") -> Path:
    content = json.dumps(found, ensure_ascii=False, indent=1)
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def test_a_chat_is_a_table_of_messages(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, CHAT))
    assert messages.format is Format.TELEGRAM
    assert messages.columns == ("id", "sent_at", "sender", "kind", "text")
    assert chunk.rows == [
        [1, "2021-01-31T14:05:00", "Léa Martin", "service", ""],
        [2, "2021-01-31T14:05:09", "Léa Martin", "message", "Coucou Zoé"],
        [3, "2021-01-31T14:06:00", "user12", "message", "regarde https://exemple.fr @karim"],
        [4, "2021-01-31T14:07:00", "Zoé", "media", "moi à Sète"],
    ]
    assert chunk.lines[:2] == [6, 15]


def test_all_chats_of_an_export_are_read(tmp_path: Path, read: Read) -> None:
    whole = {
        "about": "Here is the data you requested.",
        "personal_information": {"first_name": "Léa"},
        "chats": {"about": "…", "list": [CHAT, {"name": None, "messages": []}, CHAT]},
        "left_chats": {"list": [CHAT]},
    }
    assert read(file_of(tmp_path, whole))[1].ids == ["1", "2", "3", "4"] * 2


@pytest.mark.parametrize("text", [7, [["Zoé"]], [{"type": "link"}], {"a": 1}])
def test_a_text_of_another_form_is_rejected(text: object, tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, {**CHAT, "messages": [{"text": text}, MESSAGES[1]]}))
    assert [reject.reason for reject in messages.rejects] == ["a text of another form"]
    assert chunk.texts == ["Coucou Zoé"]


def test_an_export_cut_short_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, CHAT)
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(DataError, match="it is not JSON") as caught:
        open_messages(path)
    assert "Zoé" not in str(caught.value)


def test_an_export_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no messages of a chat of telegram"):
        open_messages(file_of(tmp_path, {**CHAT, "messages": []}))
