"""The file of a queue: who may read it, its version, and what opening it refuses."""

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
from triage.queue import Answer, Queue, Span, WordRule, schema
from triage.queue.fill import create_queue

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
    """Take from a queue what version 2 of its tables has added."""
    with closing(sqlite3.connect(path)) as connection, connection:
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
        patch.setattr("triage.queue.schema.unpack", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Queue.open(queue.path)
    with closing(sqlite3.connect(queue.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert open_queue(queue.path).notes(c.ROSE, "anna") == []


@pytest.mark.parametrize("version", [schema.VERSION + 1, 0])
def test_a_queue_of_another_version_is_refused_and_stays(version: int, queue: Queue) -> None:
    queue.connection.execute(f"PRAGMA user_version = {version}")
    queue.close()
    before = queue.path.read_bytes()
    with pytest.raises(TriageError, match=f"its tables are of version {version}, these of"):
        Queue.open(queue.path)
    assert queue.path.read_bytes() == before


@pytest.mark.parametrize("kept", [100, 4096, 0.5])
def test_a_queue_that_was_cut_off_is_refused(kept: float, queue: Queue) -> None:
    queue.close()
    whole = queue.path.read_bytes()
    queue.path.write_bytes(whole[: int(kept * len(whole)) if kept < 1 else int(kept)])
    with pytest.raises(TriageError, match="cannot be read as a queue"):
        Queue.open(queue.path)


@pytest.mark.parametrize("name", ["absent.queue", "."])
def test_where_there_is_no_queue_none_is_opened_and_none_is_made(name: str, tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=r"there is no queue .*: make one with"):
        Queue.open(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"id,text\n1,coucou\n", b"SQLite format 3\0" + b"x" * 99, None]
)
def test_another_file_is_no_queue_and_stays_as_it_is(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "sms.csv"
    if content is None:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE decisions (decision)")
        content = path.read_bytes()
    path.write_bytes(content)
    with pytest.raises(TriageError, match=r"is no queue|cannot be read as a queue"):
        Queue.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_already_is_never_written_over(tmp_path: Path, queue: Queue) -> None:
    (tmp_path / "taken").write_text("hands off")
    with pytest.raises(TriageError, match="is there already: choose another name"):
        Queue.create(tmp_path / "taken", queue.about)
    assert (tmp_path / "taken").read_text() == "hands off"
