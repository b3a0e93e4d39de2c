"""Exports of Signal."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from triage.data import Chunk, DataError, Format, MessageFile, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]

# Frames of Signal's Backup.proto, as JSON.
PEOPLE: list[dict[str, Any]] = [
    {"version": "1", "backupTimeMs": "1612098309000"},
    {"account": {"givenName": "Karim"}},
    {"recipient": {"id": "1", "self": {}}},
    {"recipient": {"id": "2", "contact": {"e164": "33639981234", "systemGivenName": "Léa"}}},
    {"recipient": {"id": "3", "contact": {"e164": "33639981235", "nickname": {"given": "Zo"}}}},
    {"recipient": {"id": "4", "group": {"snapshot": {"title": {"title": "Les copines"}}}}},
    {"chat": {"id": "7", "recipientId": "2"}},
    {"chat": {"id": "8", "recipientId": "4"}},
]


def item(chat: int, author: int, **content: object) -> dict[str, Any]:
    found = {"chatId": str(chat), "authorId": str(author), "dateSent": "1612101909000"}
    return {"chatItem": found | content}


def said(text: object, **content: object) -> dict[str, object]:
    return {"standardMessage": {"text": {"body": text}} | content}


ITEMS = [
    item(7, 2, **said("Coucou Zoé"), incoming={"dateReceived": "1612101909100"}),
    item(7, 1, **said("slt\nça va ?"), revisions=[{"chatId": "7"}]),
    item(8, 3, **said("à Sète", attachments=[{"pointer": {}}])),
    item(8, 3, updateMessage={"simpleUpdate": {"type": "IDENTITY_UPDATE"}}),
    item(8, 9, remoteDeletedMessage={}, dateSent="x"),
]


def file_of(folder: Path, frames: list[Any], name: str = "main.jsonl") -> Path:
    lines = [f if isinstance(f, str) else json.dumps(f, ensure_ascii=False) for f in frames]
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder / name


def test_an_export_is_a_table_of_messages(tmp_path: Path, read: Read) -> None:
    messages, chunk = read(file_of(tmp_path, [*PEOPLE, *ITEMS]))
    assert messages.format is Format.SIGNAL
    assert messages.columns == ("sent_at", "chat", "sender", "kind", "text")
    sent = datetime(2021, 1, 31, 14, 5, 9)
    assert chunk.rows == [
        [sent, "Léa", "Léa", "message", "Coucou Zoé"],
        [sent, "Léa", "me", "edited", "slt\nça va ?"],
        [sent, "Les copines", "Zo", "media", "à Sète"],
        [sent, "Les copines", "Zo", "system", ""],
        [None, "Les copines", "", "deleted", ""],
    ]
    assert chunk.lines[0] == 9


@pytest.mark.parametrize("first", [0, 1, 2])
def test_it_is_known_by_its_first_frame(first: int, tmp_path: Path) -> None:
    with open_messages(file_of(tmp_path, [*PEOPLE[first:], *ITEMS])) as messages:
        assert messages.format is Format.SIGNAL


def test_frames_that_are_damaged_are_rejected(tmp_path: Path, read: Read) -> None:
    frames = [*PEOPLE, '{"chatItem": {"chatId"', item(7, 2, **said(7)), "[1]", ITEMS[0]]
    messages, chunk = read(file_of(tmp_path, frames))
    assert [(reject.line, reject.reason) for reject in messages.rejects] == [
        (9, "not JSON"),
        (10, "a text of another form"),
        (11, "not a JSON object"),
    ]
    assert chunk.texts == ["Coucou Zoé"]


@pytest.mark.parametrize(
    "frame",
    [
        {"recipient": {"id": "1", "contact": 7, "group": {"snapshot": []}}},
        {"recipient": 3},
        {"chat": {"id": None}},
        {"chatItem": []},
        {"chatItem": {"standardMessage": {"text": "x"}, "authorId": {}, "dateSent": {}}},
    ],
)
def test_frames_of_another_form_stop_nothing(frame: object, tmp_path: Path, read: Read) -> None:
    assert "Coucou Zoé" in read(file_of(tmp_path, [PEOPLE[0], frame, ITEMS[0]]))[1].texts


def test_an_export_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no messages of Signal"):
        open_messages(file_of(tmp_path, PEOPLE))
