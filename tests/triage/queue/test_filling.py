"""From a triaged file to a queue, and its file: who may read it, its version, what is added."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from tests.triage.test_safe import umask
from triage import Triage
from triage.decide.source import Source
from triage.errors import TriageError
from triage.queue import Answer, Filters, Queue, Reason, Task, WordRule
from triage.queue.fill import add_to_queue, create_queue
from triage.queue.store import SQL, VERSION

CASES = cases_beside(__file__)
STRANGE = [*CASES["strange"], f"Coucou zouzou {'ha' * 500} ? \n" * 1_000]


def test_strange_texts_are_kept_to_the_letter_and_can_be_decided(make_queue: c.MakeQueue) -> None:
    queue = make_queue(*(c.sms(text, n) for n, text in enumerate(STRANGE)), c.sms("", 99))
    for number, text in enumerate(STRANGE, 1):
        item = queue.item(number)
        assert item.text == text
        assert [text[w.start : w.end] for w in item.words] == [w.text for w in item.words]
        queue.decide("anna", number, Answer.TA, c.marked(text, text))
        assert queue.item(number).standing[0].spans == c.marked(text, text)
    assert queue.item(len(STRANGE) + 1).text == ""


def test_chunks_are_filled_alike(make_queue: c.MakeQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = make_queue(*c.CORPUS, name="whole.queue")
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    parts = make_queue(*c.CORPUS, name="parts.queue")
    assert c.everything(parts.connection) == c.everything(whole.connection)


def test_a_file_is_read_once(queue: Queue, shipped: Triage, reads: list[str]) -> None:
    create_queue(Path("q"), Source(str(c.write(Path("a.csv"), c.CORPUS))), shipped)
    add_to_queue(queue, Source(str(c.write(Path("b.csv"), c.CORPUS))), shipped)
    assert reads == ["a.csv", "b.csv"]


def test_of_two_creations_at_once_the_first_is_kept(tmp_path: Path, shipped: Triage) -> None:
    """The second one has begun before the first is there, and ends after a decision in it."""
    source = Source(str(c.write(Path("a.csv"), c.CORPUS)))

    def meanwhile(_rows: int | None, _work: str) -> Callable[[int], None]:
        if not Path("q").exists():
            create_queue(Path("q"), source, shipped)
            with Queue.open(Path("q")) as first:
                first.decide("anna", c.MIDI, Answer.NTA)
        return lambda _: None

    for progress in (meanwhile, None):
        with pytest.raises(TriageError, match=r"q is there already.*triage queue add"):
            create_queue(Path("q"), source, shipped, progress)
    with Queue.open(Path("q")) as kept:
        assert kept.item(c.MIDI).final is Answer.NTA
    assert not list(tmp_path.glob(".unfinished*"))


def test_what_is_added_gets_new_votes_and_decisions_of_words(queue: Queue, add: c.Add) -> None:
    queue.decide_word("anna", "namrata", WordRule.ALWAYS)
    again = c.sms(c.TEXTS[c.ROSE], 3, "8", model="TA", score=0.45, evidence="rose: AMBIGUOUS")
    text = "namrata a pris le train"
    add(queue, again, c.sms(text, 60))
    votes = queue.item(c.ROSE).votes
    assert (votes.model, votes.score) == ("TA", 0.45)
    [row] = queue.rows("anna", Filters(word="namrata"))
    assert row.suggested_spans == c.marked(text, "namrata")


def test_the_promise_of_a_queue_is_of_the_run_of_all(queue: Queue, shipped: Triage) -> None:
    said = "program language model dictionaries weights features corpus_evidence strict policy"
    record: dict[str, object] = {"lists": [], "recognisers": [], "find": []}
    record |= dict.fromkeys(said.split(), "") | {"promise": ["Of all."]}
    more = c.write(Path("more.csv"), [c.sms("tu dors ?", 60)])
    every = c.write(Path("every.csv"), [*c.CORPUS, c.sms("tu dors ?", 60)])
    for source, is_kept in ((more, False), (every, True)):
        source.with_name(f"{source.stem}.run.json").write_text(json.dumps(record))
        add_to_queue(queue, Source(str(source)), shipped)
        assert ("Of all." in queue.about.run) is is_kept


def test_a_queue_and_what_stands_beside_it_at_work_is_the_owner_s_alone(shipped: Triage) -> None:
    (folder := Path("work")).mkdir()
    path, source = folder / "sms.queue", Source(str(c.write(Path("a.csv"), c.CORPUS)))
    # New files are readable by everybody, unless who makes them says otherwise.
    with umask(0):
        create_queue(path, source, shipped)
        assert [path.name for path in folder.iterdir()] == ["sms.queue"]
        with Queue.open(path) as queue:
            queue.decide("anna", c.MIDI, Answer.NTA)
            assert len([*folder.iterdir()]) == 3
            assert {one.stat().st_mode & 0o777 for one in folder.iterdir()} == {0o600}


@pytest.fixture(params=[3, 4, 5])
def older(request: pytest.FixtureRequest, queue: Queue) -> Queue:
    """A queue of an earlier version, closed, in which something was handed over and decided."""
    queue.add_items([Task(Reason.LEAK, "4", start=0, end=2)])
    queue.decide("anna", c.ROSE, Answer.NTA)
    before = CASES["words_before"] + (CASES["older"] if request.param < 5 else "")
    queue.connection.executescript(f"{before} PRAGMA user_version = {request.param};")
    queue.connection.close()
    return queue


def test_a_queue_of_an_earlier_version_opens_whole(older: Queue, open_queue: c.OpenQueue) -> None:
    with closing(sqlite3.connect(older.path)) as connection:
        before = c.recorded(connection)
    again = open_queue(older.path)
    assert c.recorded(again.connection) == before
    assert c.is_whole(again)
    again.decide("anna", c.OK, Answer.NTA)
    assert c.is_whole(again)
    assert c.everything(open_queue(older.path).connection) == c.everything(again.connection)


def test_a_queue_of_an_earlier_version_stays_as_it_was_if_that_is_interrupted(
    older: Queue, open_queue: c.OpenQueue, monkeypatch: pytest.MonkeyPatch
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
    queue.connection.close()
    before = queue.path.read_bytes()
    with pytest.raises(TriageError, match=f"its tables are of version {version}, these of"):
        Queue.open(queue.path)
    assert queue.path.read_bytes() == before
