"""Several annotators: sharing out, doubling, agreement, adjudication, notes."""

import sqlite3

import pytest

from tests.triage.queue import corpora as c
from triage.errors import TriageError
from triage.queue import Answer, Filters, Queue, Span


def final(queue: Queue, item: int) -> Answer | None:
    return queue.item(item).final


def test_sharing_out_again_gives_the_same(many: Queue, make_queue: c.MakeQueue) -> None:
    first = many.assign(["anna", "marc"])
    texts = {row.text for row in many.rows("anna", Filters(), limit=999)}
    assert many.assign([]) == {}
    assert len(c.open_to(many, "lou")) == 300
    assert many.assign(["anna", "marc"]) == first
    other = make_queue(*c.MANY[::-1], name="other")
    other.assign(["anna", "marc"])
    assert {row.text for row in other.rows("anna", Filters(), limit=999)} == texts


def test_about_the_share_is_doubled_and_a_greater_one_holds_the_smaller(many: Queue) -> None:
    before: set[int] = set()
    for share, least, most in [(0, 0, 0), (0.1, 15, 45), (0.2, 40, 80), (1, 300, 300)]:
        many.double(share)
        doubled = {n for n in range(1, 301) if many.item(n).wanted == 2}
        assert least <= len(doubled) == many.status().doubled <= most
        assert before <= doubled
        before = doubled


@pytest.mark.parametrize(
    ("names", "double", "problem"),
    [
        (["anna", " anna"], None, "named twice"),
        (["anna"], 1.0, "name a second one with --to"),
        (["a" * 61], None, "1 to 60 printable characters"),
    ],
)
def test_what_cannot_be_shared_out_changes_nothing(
    names: list[str], double: float | None, problem: str, queue: Queue
) -> None:
    with c.nothing_changes(queue), pytest.raises(TriageError, match=problem):
        queue.assign(names, double)


def test_what_is_one_s_alone_cannot_be_doubled(queue: Queue) -> None:
    queue.assign(["anna"])
    problem = "all are assigned to anna: share them out"
    with c.nothing_changes(queue), pytest.raises(TriageError, match=problem):
        queue.double(1.0)


def test_agreement_is_told_beyond_chance(many: Queue) -> None:
    many.double(1.0)
    for number in range(1, 21):
        many.decide("anna", number, Answer.TA if number <= 10 else Answer.NTA)
        many.decide("marc", number, Answer.TA if number <= 8 else Answer.NTA)
    [pair] = many.status().pairs
    assert (pair.first, pair.second, pair.n_items) == ("anna", "marc", 20)
    # They agree on 18 of 20; chance alone would give 0.5 * 0.4 + 0.5 * 0.6 = 0.5.
    assert pair.kappa == pytest.approx((0.9 - 0.5) / (1 - 0.5))
    assert (pair.low or 0) < (pair.kappa or 0) < (pair.high or 0) <= 1
    assert pair.disagreements == (9, 10)
    assert pair.marks is None


def test_agreement_on_marks_is_the_share_that_both_made(many: Queue) -> None:
    many.double(1.0)
    for number in (1, 2):
        text = many.item(number).text
        many.decide("anna", number, Answer.TA, [Span(0, 3, c.PRE)])
        many.decide("marc", number, Answer.TA, [Span(0, 3 if number == 1 else len(text), c.PRE)])
    [pair] = many.status().pairs
    assert pair.marks == pytest.approx(2 / 4)


def test_what_is_adjudicated_is_no_more_to_adjudicate_but_counts_for_agreement(
    queue: Queue,
) -> None:
    queue.double(1.0)
    for name, answer in (("anna", Answer.TA), ("marc", Answer.NTA)):
        queue.decide(name, c.ZOUZOU, answer)
        queue.decide(name, c.ROSE, Answer.TA)
    [before] = queue.status().pairs
    queue.decide("lou", c.ZOUZOU, Answer.TA, rules=True)
    [after] = queue.status().pairs
    assert (before.disagreements, after.disagreements) == ((c.ZOUZOU,), ())
    assert (before.kappa, before.n_items) == (after.kappa, after.n_items)


def test_pairs_are_those_with_an_item_in_common(queue: Queue) -> None:
    queue.decide("anna", c.MIDI, Answer.NTA)
    queue.decide("marc", c.ROSE, Answer.NTA)
    queue.decide("marc", c.MIDI, Answer.SKIP)
    assert queue.status().pairs == ()
    for name in ("marc", "lou"):
        queue.decide(name, c.MIDI, Answer.NTA)
    pairs = queue.status().pairs
    names = [(pair.first, pair.second) for pair in pairs]
    assert names == [("anna", "lou"), ("anna", "marc"), ("lou", "marc")]
    # Who both gave one answer only have no kappa.
    assert (pairs[0].n_items, pairs[0].kappa, pairs[0].low, pairs[0].high) == (1, None, None, None)


def test_the_last_note_of_each_annotator_counts_and_questions_come_with_their_texts(
    queue: Queue,
) -> None:
    def said() -> list[tuple[str, str, bool]]:
        notes = queue.notes("anna", c.ROSE)
        return [(note.annotator, note.text, bool(note.asks)) for note in notes]

    assert queue.note("anna", c.ROSE, " prénom ou fleur ? ", asks=True)
    assert said() == [("anna", "prénom ou fleur ?", True)]
    [question] = queue.notes("marc")
    assert (question.item, question.item_text) == (c.ROSE, "Rose est fanée")
    assert question.at.endswith("+00:00")
    queue.note("marc", c.ROSE, "fleur")
    queue.note("anna", c.ROSE, "une\r\nfleur")
    assert said() == [("marc", "fleur", False), ("anna", "une\nfleur", False)]
    assert not queue.note("anna", c.ROSE, "une\nfleur")
    assert not queue.note("lou", c.ROSE, "")
    queue.note("anna", c.ROSE, "")
    assert said() == [("marc", "fleur", False)]
    with pytest.raises(TriageError, match="2,000 characters"):
        queue.note("anna", c.ROSE, "x" * 2_001)


@pytest.mark.parametrize("table", ["decisions", "answers", "notes"])
@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM {}", "UPDATE {} SET rowid = 9", "INSERT OR REPLACE INTO {0} SELECT * FROM {0}"],
)
def test_the_file_itself_refuses_to_change_what_was_said(
    table: str, statement: str, queue: Queue
) -> None:
    queue.decide("anna", c.MIDI, Answer.NTA)
    queue.note("anna", c.MIDI, "à midi")
    statement = statement.replace("rowid", "annotator" if table != "answers" else "answer")
    with (
        c.nothing_changes(queue),
        sqlite3.connect(queue.path) as anybody,
        pytest.raises(sqlite3.IntegrityError, match=r"is never (changed|deleted)"),
    ):
        anybody.execute(statement.format(table))
    anybody.close()


def test_a_decision_is_undone_once_and_its_number_never_comes_again(queue: Queue) -> None:
    number = queue.decide("anna", c.MIDI, Answer.NTA)
    queue.undo("anna")
    again = "INSERT INTO decisions (at, annotator, kind, undoes) VALUES ('', 'anna', 'undo', ?)"
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        queue.connection.execute(again, (number,))
    assert (queue.decide("anna", c.MIDI, Answer.NTA) or 0) > (number or 0) + 1
