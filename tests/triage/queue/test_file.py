"""The file of a queue: who may read it, its version, and what opening it refuses."""

import gzip
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.triage.queue import corpora as c
from triage import Triage
from triage.decide.source import Source
from triage.errors import TriageError
from triage.queue import Answer, Queue, Reason, Span, Task, WordRule
from triage.queue.fill import create_queue
from triage.queue.queue import VERSION

OpenQueue = Callable[[Path], Queue]


@contextmanager
def any_mode() -> Iterator[None]:
    """Let new files be readable by everybody, unless who makes them says otherwise."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def test_a_queue_is_one_file_that_only_its_owner_may_read(tmp_path: Path, shipped: Triage) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    with any_mode():
        create_queue(
            folder / "sms.queue", Source(str(c.write(tmp_path / "a.csv", c.CORPUS))), shipped
        )
    assert [path.name for path in folder.iterdir()] == ["sms.queue"]
    assert (folder / "sms.queue").stat().st_mode & 0o777 == 0o600


def test_what_stands_beside_it_at_work_is_the_owner_s_alone(make_queue: c.MakeQueue) -> None:
    with any_mode():
        queue = make_queue(*c.CORPUS)
        queue.decide("anna", c.MIDI, Answer.NTA)
        beside = [Path(f"{queue.path}-wal"), Path(f"{queue.path}-shm")]
        assert [path.stat().st_mode & 0o777 for path in beside] == [0o600, 0o600]


def test_a_queue_that_is_opened_again_or_twice_holds_all(
    queue: Queue, open_queue: OpenQueue
) -> None:
    queue.decide("anna", c.ZOUZOU, Answer.TA, [Span(7, 13, c.PRE)])
    queue.decide_word("anna", "eléa", WordRule.ALWAYS)
    before = queue.history(), queue.item(c.ZOUZOU), queue.status()
    other = open_queue(queue.path)
    queue.close()
    again = open_queue(queue.path)
    assert (again.history(), again.item(c.ZOUZOU), again.status()) == before
    number = again.decide("marc", c.SOLVEIG, Answer.TA)
    assert other.history("marc")[0].number == number


def make_older(path: Path) -> None:
    """Take from a queue what versions 2 and 3 of its tables have added."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for view in ("handed_over", "notes_in_force", "in_force"):
            connection.execute(f"DROP VIEW {view}")
        for trigger in ("items_are_counted", "items_are_recounted"):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("DROP TABLE reasons")
        connection.execute("ALTER TABLE items DROP COLUMN since")
        connection.execute("DROP TABLE notes")
        connection.execute("DROP INDEX messages_of_thread")
        for column in ("thread", "sent"):
            connection.execute(f"ALTER TABLE messages DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 1")


def test_a_queue_of_an_earlier_version_opens_with_all_that_it_held(
    queue: Queue, open_queue: OpenQueue
) -> None:
    queue.decide("anna", c.ROSE, Answer.NTA)
    before = c.everything(queue.connection)
    queue.close()
    make_older(queue.path)
    again = open_queue(queue.path)
    assert c.everything(again.connection) == before
    assert again.note("anna", c.ROSE, "une fleur")
    assert [m.number for m in again.context(7)[0]] == [1, 2]


def test_a_queue_of_an_earlier_version_stays_as_it_was_if_that_is_interrupted(
    queue: Queue, open_queue: OpenQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.close()
    make_older(queue.path)

    def interrupted(_: str) -> list[object]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("triage.queue.queue.unpack", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Queue.open(queue.path)
    with closing(sqlite3.connect(queue.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert open_queue(queue.path).notes(c.ROSE, "anna") == []


def test_a_queue_that_version_2_has_made_opens_with_all_that_it_held(
    tmp_path: Path, open_queue: OpenQueue
) -> None:
    path, made = tmp_path / "work.queue", Path(__file__).with_name("version_2.queue.gz")
    path.write_bytes(gzip.decompress(made.read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        before = c.recorded(connection), c.derived(connection)
    queue = open_queue(path)
    assert (c.recorded(queue.connection), c.derived(queue.connection)) == before
    assert queue.about.columns == c.COLUMNS
    assert queue.notes(c.ROSE, "anna")[0].text == "prénom ou fleur ?"
    queue.undo("marc")
    assert queue.add_items([Task(Reason.LEAK, "4", start=0, end=2)]) == 1
    queue.decide("anna", c.OK, Answer.NTA)
    assert c.is_whole(queue)
    assert c.everything(open_queue(path).connection) == c.everything(queue.connection)


@pytest.mark.parametrize("version", [VERSION + 1, 0])
def test_a_queue_of_another_version_is_refused_and_stays(version: int, queue: Queue) -> None:
    queue.connection.execute(f"PRAGMA user_version = {version}")
    queue.close()
    before = queue.path.read_bytes()
    with pytest.raises(TriageError, match=f"its tables are of version {version}, these of"):
        Queue.open(queue.path)
    assert queue.path.read_bytes() == before
