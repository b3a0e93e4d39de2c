"""The file of a queue: who may read it, its version, and what opening it refuses."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.triage.queue import corpora as c
from triage import Triage
from triage.decide.source import Source
from triage.errors import TriageError
from triage.queue import Answer, Queue, Reason, Task
from triage.queue.fill import create_queue
from triage.queue.store import SQL, VERSION

OpenQueue = Callable[[Path], Queue]


def test_a_queue_and_what_stands_beside_it_at_work_is_the_owner_s_alone(shipped: Triage) -> None:
    (folder := Path("work")).mkdir()
    path, source = folder / "sms.queue", Source(str(c.write(Path("a.csv"), c.CORPUS)))
    # New files are readable by everybody, unless who makes them says otherwise.
    before = os.umask(0)
    try:
        create_queue(path, source, shipped)
        assert [path.name for path in folder.iterdir()] == ["sms.queue"]
        with Queue.open(path) as queue:
            queue.decide("anna", c.MIDI, Answer.NTA)
            assert len([*folder.iterdir()]) == 3
            assert {one.stat().st_mode & 0o777 for one in folder.iterdir()} == {0o600}
    finally:
        os.umask(before)


# What files of versions 3 and 4 have that is told by views now.
OLDER = """
DROP VIEW tally;
DROP INDEX items_counted;
CREATE TABLE tally AS SELECT state, owner, second, count(*) AS n_items FROM items GROUP BY 1, 2, 3;
CREATE TRIGGER items_are_counted AFTER INSERT ON items
BEGIN INSERT INTO tally VALUES (NEW.state, NEW.owner, NEW.second, 1); END;
CREATE TRIGGER items_are_recounted AFTER UPDATE OF state ON items
BEGIN UPDATE tally SET n_items = n_items - 1 WHERE state = OLD.state; END;
DROP VIEW handed_over;
CREATE VIEW handed_over AS SELECT * FROM reasons;
"""

# Until version 5 a word was suggested as the type of its form.
WORDS_BEFORE = """
ALTER TABLE words ADD COLUMN suggested INTEGER NOT NULL DEFAULT 0;
UPDATE words SET suggested = type IS NOT NULL;
ALTER TABLE words DROP COLUMN type;
"""


@pytest.fixture(params=[3, 4, 5])
def older(request: pytest.FixtureRequest, queue: Queue) -> Queue:
    """A queue of an earlier version, closed, in which something was handed over and decided."""
    queue.add_items([Task(Reason.LEAK, "4", start=0, end=2)])
    queue.decide("anna", c.ROSE, Answer.NTA)
    before = WORDS_BEFORE + (OLDER if request.param < 5 else "")
    queue.connection.executescript(f"{before} PRAGMA user_version = {request.param};")
    queue.close()
    return queue


def test_a_queue_of_an_earlier_version_opens_with_all_that_it_held(
    older: Queue, open_queue: OpenQueue
) -> None:
    with closing(sqlite3.connect(older.path)) as connection:
        before = c.recorded(connection)
    again = open_queue(older.path)
    assert c.recorded(again.connection) == before
    assert c.is_whole(again)
    again.decide("anna", c.OK, Answer.NTA)
    assert c.is_whole(again)
    assert c.everything(open_queue(older.path).connection) == c.everything(again.connection)


def test_a_queue_of_an_earlier_version_stays_as_it_was_if_that_is_interrupted(
    older: Queue, open_queue: OpenQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(SQL, "typed words", "DROP VIEW handed_over;\nDROP VIEW no_view;\n")
        with pytest.raises(TriageError, match="no such view"):
            Queue.open(older.path)
    with closing(sqlite3.connect(older.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() < (VERSION,)
        assert connection.execute("SELECT count(*) FROM handed_over").fetchone() == (1,)
    assert len(open_queue(older.path).handed_over()) == 1


@pytest.mark.parametrize("version", [VERSION + 1, 2, 0])
def test_a_queue_of_another_version_is_refused_and_stays(version: int, queue: Queue) -> None:
    queue.connection.execute(f"PRAGMA user_version = {version}")
    queue.close()
    before = queue.path.read_bytes()
    with pytest.raises(TriageError, match=f"its tables are of version {version}, these of"):
        Queue.open(queue.path)
    assert queue.path.read_bytes() == before
