"""Messages in their conversations, and queues that were made before there were any."""

import csv
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.triage.queue.corpora import ROSE, everything
from triage import Triage
from triage.decide.pipeline import COLUMNS
from triage.decide.source import Source
from triage.queue import Answer, Queue
from triage.queue.fill import create_queue

VOTES = ("UNTAGGED", "NTA", "0.2", "EXPERT", "")
Make = Callable[..., Queue]


@pytest.fixture
def make(tmp_path: Path, shipped: Triage, open_queue: Callable[[Path], Queue]) -> Make:
    """Make a queue of rows with columns of their own."""

    def make_it(columns: Sequence[str], *rows: Sequence[str]) -> Queue:
        triaged = tmp_path / "sms.triage.csv"
        with triaged.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([(*columns, *COLUMNS), *((*row, *VOTES) for row in rows)])
        create_queue(tmp_path / "own.queue", Source(str(triaged)), shipped)
        return open_queue(tmp_path / "own.queue")

    return make_it


def _around(queue: Queue, message: int) -> list[list[str]]:
    return [[one.text for one in part] for part in queue.context(message)]


def test_messages_of_a_conversation_come_by_date_whoever_sent_them(make: Make) -> None:
    queue = make(
        ("sender", "thread", "date", "text"),
        ("7", "a", "17/09/2011 10h15", "et toi ?"),
        ("9", "b", "17/09/2011 10h13", "autre fil"),
        ("8", "a", "17/09/2011 9h55", "salut"),
        ("8", "a", "18/09/2011", "ça va"),
    )
    assert _around(queue, 1) == [["salut"], ["ça va"]]
    assert queue.context(1)[0][0].sent == "2011-09-17 09:55:00"


def test_without_a_column_of_conversations_they_are_those_of_the_sender(make: Make) -> None:
    queue = make(
        ("sender", "sent_at", "text"),
        ("7", "2011-09-17T10:15:00", "deux"),
        ("8", "2011-09-17T10:14:00", "ailleurs"),
        ("7", "2011-09-17T10:12:25", "un"),
    )
    assert _around(queue, 1) == [["un"], []]


def test_an_export_of_a_chat_is_one_conversation(make: Make) -> None:
    queue = make(
        ("sent_at", "sender", "kind", "text"),
        ("2011-09-17T10:12:25", "Léa", "text", "tu viens ?"),
        ("2011-09-17T10:13:00", "Zoé", "text", "oui"),
    )
    assert _around(queue, 1) == [[], ["oui"]]


def test_without_dates_the_order_is_that_of_the_file(make: Make) -> None:
    queue = make(("sender", "text"), ("7", "un"), ("7", "deux"), ("7", "trois"))
    assert _around(queue, 2) == [["un"], ["trois"]]


def _make_older(path: Path) -> None:
    """Take from a queue what version 2 of its tables has added."""
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE notes")
        connection.execute("DROP INDEX messages_of_thread")
        for column in ("thread", "sent"):
            connection.execute(f"ALTER TABLE messages DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_a_queue_of_an_earlier_version_opens_with_all_that_it_held(
    queue: Queue, open_queue: Callable[[Path], Queue]
) -> None:
    queue.decide("anna", ROSE, Answer.NTA)
    before = everything(queue.connection)
    queue.close()
    _make_older(queue.path)
    again = open_queue(queue.path)
    assert everything(again.connection) == before
    assert again.note("anna", ROSE, "une fleur")
    assert [m.number for m in again.context(7)[0]] == [1, 2]


def test_a_queue_of_an_earlier_version_stays_as_it_was_if_that_is_interrupted(
    queue: Queue, open_queue: Callable[[Path], Queue], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.close()
    _make_older(queue.path)

    def interrupted(_: str) -> list[object]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("triage.queue.migrate.unpack", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Queue.open(queue.path)
    with sqlite3.connect(queue.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()
    assert open_queue(queue.path).notes(ROSE, "anna") == []
