"""The store: one file, its schema, what is in it, and what opening it refuses."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.triage.queue.corpora import (
    BOTH,
    CORPUS,
    ITEMS,
    MIDI,
    OK,
    ROSE,
    SOLVEIG,
    TARD,
    ZOUZOU,
    marked,
    recorded,
    sms,
    write,
)
from triage import Triage
from triage.decide.source import Source
from triage.errors import TriageError
from triage.queue import Answer, Filters, ItemWord, Queue, Span, State, WordRule, schema
from triage.queue.fill import create_queue
from triage.vocabulary import CERTAIN_FROM, IdentifierType

MakeQueue = Callable[..., Queue]
OpenQueue = Callable[[Path], Queue]
PRE = IdentifierType.PRE


@contextmanager
def any_mode() -> Iterator[None]:
    """Let new files be readable by everybody, unless who makes them says otherwise."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


# The file


def test_a_queue_is_one_file_that_only_its_owner_may_read(tmp_path: Path, shipped: Triage) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    with any_mode():
        create_queue(folder / "sms.queue", Source(str(write(tmp_path / "a.csv", CORPUS))), shipped)
    assert [path.name for path in folder.iterdir()] == ["sms.queue"]
    assert (folder / "sms.queue").stat().st_mode & 0o777 == 0o600


def test_what_stands_beside_it_at_work_is_the_owner_s_alone(make_queue: MakeQueue) -> None:
    with any_mode():
        queue = make_queue(*CORPUS)
        queue.decide("anna", MIDI, Answer.NTA)
        beside = [Path(f"{queue.path}-wal"), Path(f"{queue.path}-shm")]
        assert [path.stat().st_mode & 0o777 for path in beside] == [0o600, 0o600]


def test_it_has_a_write_ahead_log_that_is_synchronised(queue: Queue) -> None:
    assert queue.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert queue.connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_its_schema_has_a_version(queue: Queue) -> None:
    assert queue.connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


def test_a_queue_says_where_its_messages_came_from(queue: Queue, shipped: Triage) -> None:
    about = queue.about
    assert about.name == "work.queue.csv"
    assert (about.text_column, about.id_column, about.sender_column) == ("text", "id", "sender")
    assert about.columns[-2:] == ("action", "evidence")
    assert about.ta_from == shipped.model.manifest.ta_from


# What is in it


def test_an_item_holds_its_text_its_messages_and_the_votes(queue: Queue) -> None:
    item = queue.item(MIDI)
    assert item is not None
    assert item.text == "on mange a midi"
    assert [(m.number, m.id, m.sender) for m in item.messages] == [(2, "2", "7"), (6, "6", "9")]
    assert item.n_messages == 2
    votes = item.votes
    assert (votes.seek_hide, votes.model, votes.score) == ("UNTAGGED", "NTA", 0.05)
    assert (votes.action, item.final, item.standing) == ("EXPERT", None, ())


@pytest.mark.parametrize("text", ITEMS)
def test_words_stand_where_their_offsets_say(text: str, queue: Queue) -> None:
    item = queue.item(ITEMS[text])
    assert item is not None
    assert [text[w.start : w.end] for w in item.words] == [w.text for w in item.words]
    assert "".join(w.text for w in item.words) == text.replace(" ", "")


def test_a_word_has_its_label_its_lists_its_evidence_and_its_type(queue: Queue) -> None:
    item = queue.item(ZOUZOU)
    assert item is not None
    coucou, zouzou, *_ = item.words
    assert (coucou.label, coucou.suggested) == ("ANTI_DICTIONARY", False)
    assert (zouzou.kind, zouzou.label, zouzou.type) == ("WORD", "DICTIONARY", "SUR")
    assert "nicknames" in zouzou.reason
    assert zouzou.evidence is not None
    assert zouzou.evidence > 0.5 > (coucou.evidence or 0.0)


def test_what_may_well_be_an_identifier_is_suggested(queue: Queue) -> None:
    item, nothing = queue.item(ZOUZOU), queue.item(MIDI)
    assert item is not None
    assert nothing is not None
    assert item.suggested_spans == marked(item.text, "Zouzou", type_="SUR")
    assert (item.suggestion, nothing.suggestion) == (Answer.TA, Answer.NTA)


@pytest.mark.parametrize("votes", [{"model": "TA"}, {"seek_hide": "TA"}])
def test_where_a_vote_says_ta_the_strongest_word_is_suggested(
    make_queue: MakeQueue, votes: dict[str, str]
) -> None:
    queue = make_queue(sms("on mange a midi", 1, **votes))
    item = queue.item(1)
    assert item is not None
    strongest = max(item.words, key=lambda word: word.evidence or 0.0)
    assert (strongest.evidence or 0.0) < CERTAIN_FROM
    assert item.suggested_spans == (Span(strongest.start, strongest.end, strongest.type),)
    assert item.suggestion is Answer.TA
    [row] = queue.rows("anna", Filters())
    assert (row.suggested_spans, row.suggestion) == (item.suggested_spans, Answer.TA)
    queue.decide_all("anna", [1], Answer.TA)
    [said] = queue.item(1).standing  # type: ignore[union-attr]
    assert said.spans == item.suggested_spans


def test_a_vote_on_any_message_of_a_text_counts(make_queue: MakeQueue) -> None:
    queue = make_queue(
        sms("on mange a midi", 1), sms("on mange a midi", 2, model="TA", action="TA", score=0.9)
    )
    item = queue.item(1)
    assert item is not None
    assert item.votes.model == "NTA"
    assert item.suggestion is Answer.TA


@pytest.mark.parametrize("text", ["😀 !!", "…"])
def test_where_a_vote_says_ta_and_no_word_can_be_suggested_there_is_no_suggestion(
    make_queue: MakeQueue, text: str
) -> None:
    queue = make_queue(sms(text, 1, seek_hide="TA"))
    item = queue.item(1)
    assert item is not None
    assert (item.suggested_spans, item.suggestion) == ((), None)
    assert queue.rows("anna", Filters())[0].suggestion is None


def test_a_word_that_never_is_a_name_is_not_suggested_for_a_vote(make_queue: MakeQueue) -> None:
    queue = make_queue(sms("on mange a midi", 1, model="TA"))
    [strongest] = [word.text for word in words_of(queue, 1) if word.suggested]
    queue.decide_word("anna", strongest, WordRule.NEVER)
    [next_strongest] = [word.text for word in words_of(queue, 1) if word.suggested]
    assert next_strongest != strongest


def words_of(queue: Queue, number: int) -> tuple[ItemWord, ...]:
    item = queue.item(number)
    assert item is not None
    return item.words


def test_there_is_no_item_of_another_number(queue: Queue) -> None:
    assert queue.item(0) is None
    assert queue.item(len(ITEMS) + 1) is None


def test_of_thousands_of_messages_of_an_item_twenty_are_shown(make_queue: MakeQueue) -> None:
    queue = make_queue(*(sms("j'arrive", n) for n in range(25)))
    item = queue.item(1)
    assert item is not None
    assert (len(item.messages), item.n_messages) == (20, 25)


def test_the_context_of_a_message_is_what_its_sender_wrote_around_it(queue: Queue) -> None:
    before, after = queue.context(7)
    assert [m.number for m in before] == [1, 2]
    assert [m.number for m in after] == [10, 11]
    assert [m.text for m in after] == ["je rentre tard"] * 2


def test_the_context_is_as_long_as_asked(queue: Queue) -> None:
    assert [[m.number for m in part] for part in queue.context(7, n=1)] == [[2], [10]]


@pytest.mark.parametrize("message", [1, 99])
def test_where_no_sender_is_known_there_is_no_context(message: int, make_queue: MakeQueue) -> None:
    queue = make_queue(sms("j'arrive", 1, ""), sms("oui", 2, ""))
    assert queue.context(message) == ([], [])


# Deciding


def test_a_decision_says_who_when_what_and_which_words(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.queue.queue._now", lambda: "2011-09-15T08:30:00+00:00")
    spans = marked("Coucou Zouzou tu viens ?", "Zouzou", type_="SUR")
    number = queue.decide("anna", ZOUZOU, Answer.TA, spans)
    [done] = queue.history()
    assert (done.number, done.annotator, done.at) == (number, "anna", "2011-09-15T08:30:00+00:00")
    assert (done.kind, done.answer, done.items) == ("message", Answer.TA, (ZOUZOU,))
    assert not done.undone
    item = queue.item(ZOUZOU)
    assert item is not None
    assert [(s.annotator, s.answer, s.spans) for s in item.standing] == [("anna", Answer.TA, spans)]


@pytest.mark.parametrize("answer", [Answer.TA, Answer.NTA])
def test_one_answer_settles_an_item(answer: Answer, queue: Queue) -> None:
    queue.decide("anna", MIDI, answer)
    item = queue.item(MIDI)
    assert item is not None
    assert item.final is answer


def test_a_skip_settles_nothing(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.SKIP)
    item = queue.item(MIDI)
    assert item is not None
    assert item.final is None
    assert queue.count("anna", Filters(state=State.SKIPPED)) == 1


def test_a_second_thought_is_a_further_decision(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.TA)
    queue.decide("anna", MIDI, Answer.NTA)
    item = queue.item(MIDI)
    assert item is not None
    assert [s.answer for s in item.standing] == [Answer.NTA]
    assert item.final is Answer.NTA
    assert len(queue.history()) == 2


def test_what_the_machine_decided_can_be_decided_otherwise(queue: Queue) -> None:
    queue.decide("anna", OK, Answer.TA, [Span(0, 2, PRE)])
    item = queue.item(OK)
    assert item is not None
    assert item.final is Answer.TA


def test_several_spans_are_kept_in_order(queue: Queue) -> None:
    text = "zouzou et eléa arrivent"
    spans = marked(text, "zouzou", "eléa")
    queue.decide("anna", BOTH, Answer.TA, spans[::-1])
    item = queue.item(BOTH)
    assert item is not None
    assert item.standing[0].spans == spans


@pytest.mark.parametrize(
    ("answer", "spans", "problem"),
    [
        (Answer.TA, [Span(0, 99, PRE)], "is not within the text, which has 14 characters"),
        (Answer.TA, [Span(-1, 3, PRE)], "is not within the text"),
        (Answer.TA, [Span(4, 4, PRE)], "is not within the text"),
        (Answer.TA, [Span(4, 2, PRE)], "is not within the text"),
        (Answer.TA, [Span(0, 4, PRE), Span(3, 8, PRE)], "overlap at 3: mark each once"),
        (Answer.TA, [Span(0, 4, PRE), Span(0, 4, PRE)], "overlap at 0"),
        (Answer.TA, [Span(0, 4, "PRE")], "must be an IdentifierType.*and not 'PRE'"),  # type: ignore[arg-type]
        (Answer.NTA, [Span(0, 4, PRE)], "only a message that is TA has identifiers"),
        (Answer.SKIP, [Span(0, 4, PRE)], "only a message that is TA has identifiers"),
    ],
)
def test_spans_that_do_not_fit_are_refused_and_nothing_is_recorded(
    answer: Answer, spans: list[Span], problem: str, queue: Queue
) -> None:
    with pytest.raises(TriageError, match=problem) as refused:
        queue.decide("anna", ROSE, answer, spans)
    assert "Rose" not in str(refused.value)
    assert queue.history() == []


def test_an_item_that_is_not_there_is_refused(queue: Queue) -> None:
    with pytest.raises(TriageError, match="there is no item 999 in this queue"):
        queue.decide("anna", 999, Answer.NTA)
    with pytest.raises(TriageError, match="there is no item 999 in this queue"):
        queue.decide_all("anna", [MIDI, 999], Answer.NTA)
    assert recorded(queue.connection) == [[], []]


@pytest.mark.parametrize("name", ["", "  ", "a" * 61, "an\nna", "\x1b[31m", "a\ud83d"])
def test_an_annotator_has_a_printable_name(name: str, queue: Queue) -> None:
    with pytest.raises(TriageError, match="1 to 60 printable characters"):
        queue.decide(name, MIDI, Answer.NTA)


def test_several_items_get_one_answer_with_what_is_suggested_in_each(queue: Queue) -> None:
    number = queue.decide_all("anna", [ZOUZOU, MIDI, BOTH, MIDI], Answer.TA)
    [done] = queue.history()
    assert (done.number, done.answer, done.items) == (number, Answer.TA, (ZOUZOU, MIDI, BOTH))
    for number in done.items:
        item = queue.item(number)
        assert item is not None
        assert item.standing[0].spans == item.suggested_spans


def test_several_items_that_are_released_have_no_spans(queue: Queue) -> None:
    queue.decide_all("anna", [ZOUZOU, MIDI], Answer.NTA)
    item = queue.item(ZOUZOU)
    assert item is not None
    assert (item.final, item.standing[0].spans) == (Answer.NTA, ())


# Undoing


def test_undo_takes_the_last_decision_back_and_keeps_it(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    last = queue.decide("anna", ROSE, Answer.TA)
    done = queue.undo("anna")
    assert done is not None
    assert (done.number, done.items, done.undone) == (last, (ROSE,), True)
    kinds = [(entry.kind, entry.undone) for entry in queue.history()]
    assert kinds == [("undo", False), ("message", True), ("message", False)]
    rose = queue.item(ROSE)
    assert rose is not None
    assert (rose.final, rose.standing) == (None, ())


def test_undo_once_more_takes_back_the_one_before(queue: Queue) -> None:
    first = queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("anna", ROSE, Answer.TA)
    queue.undo("anna")
    done = queue.undo("anna")
    assert done is not None
    assert done.number == first
    assert queue.undo("anna") is None


def test_undo_brings_back_what_was_said_before(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.SKIP)
    queue.decide("anna", MIDI, Answer.NTA)
    queue.undo("anna")
    item = queue.item(MIDI)
    assert item is not None
    assert [s.answer for s in item.standing] == [Answer.SKIP]
    assert queue.count("anna", Filters(state=State.SKIPPED)) == 1


def test_undo_brings_back_the_last_of_several_thoughts(queue: Queue) -> None:
    for answer in (Answer.TA, Answer.SKIP, Answer.NTA, Answer.TA):
        queue.decide("anna", MIDI, answer)
    queue.undo("anna")
    item = queue.item(MIDI)
    assert item is not None
    assert ([s.answer for s in item.standing], item.final) == ([Answer.NTA], Answer.NTA)


def test_undo_is_one_s_own(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    assert queue.undo("marc") is None
    item = queue.item(MIDI)
    assert item is not None
    assert item.final is Answer.NTA


def test_several_items_are_undone_together(queue: Queue) -> None:
    queue.decide_all("anna", [ZOUZOU, MIDI, TARD], Answer.NTA)
    queue.undo("anna")
    assert queue.count("anna", Filters(state=State.DECIDED)) == 0
    assert queue.count("anna", Filters()) == 7


def test_the_history_is_the_newest_first_of_one_or_of_all(queue: Queue) -> None:
    numbers = [queue.decide(name, MIDI, Answer.NTA) for name in ("anna", "marc", "anna")]
    assert [done.number for done in queue.history()] == numbers[::-1]
    assert [done.number for done in queue.history("anna")] == [numbers[2], numbers[0]]
    assert [done.number for done in queue.history(limit=1)] == [numbers[2]]


# What was decided stays


@pytest.mark.parametrize("table", ["decisions", "answers"])
@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM {}", "never deleted"),
        ("UPDATE {} SET answer = 'TA'", "never changed"),
        ("INSERT OR REPLACE INTO {0} SELECT * FROM {0}", "never changed"),
    ],
)
def test_the_file_itself_refuses_to_change_a_decision(
    table: str, statement: str, problem: str, queue: Queue
) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    before = recorded(queue.connection)
    with (
        closing(sqlite3.connect(queue.path)) as anybody,
        pytest.raises(sqlite3.IntegrityError, match=problem),
    ):
        anybody.execute(statement.format(table))
    assert recorded(queue.connection) == before


def test_a_decision_is_undone_once(queue: Queue) -> None:
    number = queue.decide("anna", MIDI, Answer.NTA)
    queue.undo("anna")
    again = "INSERT INTO decisions (at, annotator, kind, undoes) VALUES ('', 'anna', 'undo', ?)"
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        queue.connection.execute(again, (number,))


def test_numbers_of_decisions_never_come_again(queue: Queue) -> None:
    first = queue.decide("anna", MIDI, Answer.NTA)
    with pytest.raises(TriageError):
        queue.decide("anna", MIDI, Answer.NTA, [Span(0, 2, PRE)])
    assert (queue.decide("anna", MIDI, Answer.NTA) or 0) > (first or 0)


def test_a_queue_that_is_opened_again_holds_all(queue: Queue, open_queue: OpenQueue) -> None:
    queue.decide("anna", ZOUZOU, Answer.TA, [Span(7, 13, PRE)])
    queue.decide("anna", MIDI, Answer.SKIP)
    queue.decide_word("anna", "eléa", WordRule.ALWAYS)
    before = queue.history(), queue.item(ZOUZOU), queue.status()
    queue.close()
    again = open_queue(queue.path)
    assert (again.history(), again.item(ZOUZOU), again.status()) == before


# What is no queue


def test_a_queue_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=r"there is no queue .*absent.queue: make one with"):
        Queue.open(tmp_path / "absent.queue")


def test_looking_for_a_queue_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(TriageError):
        Queue.open(tmp_path / "absent.queue")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_queue(tmp_path: Path) -> None:
    with pytest.raises(TriageError, match="there is no queue"):
        Queue.open(tmp_path)


@pytest.mark.parametrize("content", [b"", b"id,text\n1,coucou\n", b"SQLite format 3\0" + b"x" * 99])
def test_another_file_is_no_queue_and_stays_as_it_is(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "sms.csv"
    path.write_bytes(content)
    with pytest.raises(TriageError, match=r"is no queue|cannot be read as a queue"):
        Queue.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_the_database_of_another_program_is_no_queue(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE decisions (decision)")
    with pytest.raises(TriageError, match="is no queue"):
        Queue.open(path)


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


def test_a_file_that_is_there_already_is_never_written_over(tmp_path: Path, queue: Queue) -> None:
    about = queue.about
    (tmp_path / "taken").write_text("hands off")
    with pytest.raises(TriageError, match="is there already: choose another name"):
        Queue.create(tmp_path / "taken", about)
    assert (tmp_path / "taken").read_text() == "hands off"


def test_two_queues_may_have_the_same_file_open(queue: Queue, open_queue: OpenQueue) -> None:
    other = open_queue(queue.path)
    queue.decide("anna", MIDI, Answer.NTA)
    item = other.item(MIDI)
    assert item is not None
    assert item.final is Answer.NTA
    assert other.decide("marc", SOLVEIG, Answer.TA) == 2
