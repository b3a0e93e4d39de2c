"""Notes on items: whose they are, who sees them, and that none is ever lost."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.triage.queue.corpora import LA_ZOUZOU, MIDI, ROSE
from triage.errors import TriageError
from triage.queue import Answer, NoSuchItemError, Queue, State
from triage.queue.trade import export_queue

OpenQueue = Callable[[Path], Queue]


def _texts(queue: Queue, item: int, reader: str) -> list[tuple[str, str, bool]]:
    return [(note.annotator, note.text, note.asks) for note in queue.notes(item, reader)]


def test_a_note_has_its_author_and_time(queue: Queue) -> None:
    assert queue.note("anna", ROSE, " prénom ou fleur ? ", asks=True)
    [note] = queue.notes(ROSE, "anna")
    assert (note.annotator, note.text, note.asks) == ("anna", "prénom ou fleur ?", True)
    assert note.at.endswith("+00:00")


def test_the_last_note_of_each_annotator_counts(queue: Queue) -> None:
    queue.note("anna", ROSE, "prénom ?")
    queue.note("marc", ROSE, "fleur")
    queue.note("anna", ROSE, "fleur, d'accord")
    assert _texts(queue, ROSE, "anna") == [
        ("marc", "fleur", False),
        ("anna", "fleur, d'accord", False),
    ]


def test_the_same_note_again_is_not_recorded(queue: Queue) -> None:
    assert queue.note("anna", ROSE, "une\r\nfleur")
    assert not queue.note("anna", ROSE, "une\nfleur")
    assert not queue.note("marc", ROSE, "")


def test_an_empty_note_withdraws_the_last_one(queue: Queue) -> None:
    queue.note("anna", ROSE, "prénom ?", asks=True)
    queue.note("anna", ROSE, "")
    assert queue.notes(ROSE, "anna") == []
    assert queue.questions("anna") == []


def test_questions_come_with_the_texts_of_their_items(queue: Queue) -> None:
    queue.note("anna", ROSE, "prénom ?", asks=True)
    queue.note("marc", MIDI, "rien")
    assert [(q.item, q.item_text) for q in queue.questions("marc")] == [(ROSE, "Rose est fanée")]


def test_of_an_item_that_two_answer_each_sees_their_own_notes_while_it_is_open(
    queue: Queue,
) -> None:
    queue.double(1.0)
    queue.note("anna", ROSE, "TA pour moi", asks=True)
    queue.decide("anna", ROSE, Answer.TA)
    assert _texts(queue, ROSE, "anna") == [("anna", "TA pour moi", True)]
    for reader in ("marc", ""):
        assert queue.notes(ROSE, reader) == []
        assert queue.questions(reader) == []
    queue.decide("marc", ROSE, Answer.NTA)
    assert _texts(queue, ROSE, "marc") == [("anna", "TA pour moi", True)]


def test_notes_are_never_changed(queue: Queue) -> None:
    queue.note("anna", ROSE, "prénom ?")
    for statement in (
        "UPDATE notes SET text = ''",
        "DELETE FROM notes",
        "INSERT OR REPLACE INTO notes SELECT * FROM notes",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="note is never"):
            queue.connection.execute(statement)


def test_a_note_is_of_an_item_and_not_too_long(queue: Queue) -> None:
    with pytest.raises(NoSuchItemError):
        queue.note("anna", 99, "?")
    with pytest.raises(TriageError, match="2,000 characters"):
        queue.note("anna", ROSE, "x" * 2_001)


def test_notes_are_exported(queue: Queue, tmp_path: Path) -> None:
    queue.note("anna", ROSE, "prénom ?", asks=True)
    queue.note("marc", ROSE, "fleur")
    export_queue(queue, tmp_path / "tasks.json", annotator="anna")
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    [notes] = [task["data"]["notes"] for task in tasks if "notes" in task["data"]]
    assert [(n["annotator"], n["text"], n["asks"]) for n in notes] == [
        ("anna", "prénom ?", True),
        ("marc", "fleur", False),
    ]
    export_queue(queue, tmp_path / "sheet.csv", annotator="anna", state=State.ALL)
    assert "anna (?): prénom ? | marc: fleur" in (tmp_path / "sheet.csv").read_text("utf-8-sig")


def test_an_export_for_one_of_two_annotators_has_none_of_the_other(
    queue: Queue, tmp_path: Path
) -> None:
    queue.double(1.0)
    queue.note("anna", ROSE, "secret d'anna")
    queue.decide("anna", LA_ZOUZOU, Answer.NTA)
    for name, annotator in (("marc", "marc"), ("anybody", "")):
        path = tmp_path / f"{name}.csv"
        export_queue(queue, path, annotator=annotator, state=State.ALL)
        assert "secret" not in path.read_text("utf-8-sig")
        assert ",NTA,," not in path.read_text("utf-8-sig")
