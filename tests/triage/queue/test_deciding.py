"""Decisions of one and of several: on items and words, undone, overtaken, refused, compared.

A story of decided.toml has steps: what somebody does (decide, rule, word, undo, hand_over), and
what then holds. Items are named by their texts, by default those of `corpora.CORPUS`.
"""

import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from triage.errors import TriageError
from triage.queue import (
    Answer,
    Filters,
    Queue,
    Reason,
    Span,
    StaleAnswerError,
    State,
    Task,
    WordRule,
)
from triage.queue.apply import Applied, exported_rows, final_rows
from triage.queue.store import SQL
from triage.vocabulary import IdentifierType

Act = Callable[[Queue], object]
ALWAYS, NEVER = WordRule.ALWAYS, WordRule.NEVER
CASES, DECIDED = cases_beside(__file__), cases_beside(__file__, "decided.toml")
Marks = list[list[Any]]


def test_a_decision_says_who_when_and_what(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.queue.queue._now", lambda: "2011-09-15T08:30:00+00:00")
    spans = c.marked(c.TEXTS[c.ZOUZOU], "Zouzou", type_="SUR")
    number = queue.decide("anna", c.ZOUZOU, Answer.TA, spans)
    [done] = queue.history()
    assert (done.number, done.annotator, done.at) == (number, "anna", "2011-09-15T08:30:00+00:00")
    assert (done.kind, done.answer, done.items) == ("message", Answer.TA, (c.ZOUZOU,))
    [said] = queue.item(c.ZOUZOU).standing
    assert (said.annotator, said.answer, said.spans) == ("anna", Answer.TA, spans)


def test_answers_types_and_rules_may_be_given_by_their_names(queue: Queue) -> None:
    plain: Any = queue
    plain.decide("anna", c.ROSE, "TA", iter([(0, 4, "SUR")]))
    [said] = queue.item(c.ROSE).standing
    assert (said.answer, said.spans) == (Answer.TA, (Span(0, 4, IdentifierType.SUR),))
    plain.decide_all("anna", [c.MIDI], "NTA")
    assert queue.item(c.MIDI).standing[0].answer is Answer.NTA
    effect = queue.effect_of_word("anna", "Zouzou", WordRule.ALWAYS)
    assert plain.effect_of_word("anna", "Zouzou", "always") == effect
    plain.decide_word("anna", "Zouzou", "always", "SUR")
    assert queue.word_rules()["zouzou"] == (WordRule.ALWAYS, IdentifierType.SUR)


@pytest.mark.parametrize(("name", "ends", "problem"), CASES["marks"])
def test_marks_that_cannot_be_are_refused_and_show_no_message(
    name: str, ends: list[list[int]], problem: str, queue: Queue
) -> None:
    spans = [Span(start, end, c.PRE) for start, end in ends]
    with c.nothing_changes(queue), pytest.raises(TriageError, match=problem) as refused:
        queue.decide("anna", c.ROSE, Answer(name), spans)
    assert "rose" not in str(refused.value).lower()


@pytest.mark.parametrize(("act", "given", "problem"), CASES["acts"])
def test_refusals_change_nothing(act: str, given: list[object], problem: str, queue: Queue) -> None:
    with c.nothing_changes(queue), pytest.raises(TriageError, match=problem):
        getattr(queue, act)(*given)


FOUND = (Task(Reason.FINDING, "8", start=7, end=14, type=c.NOM),)
NO_TYPE = Span(0, 4, "XYZ")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda q: q.decide("anna", c.ROSE, Answer.TA, [NO_TYPE]), "a type cannot be 'XYZ'"),
        (lambda q: q.decide("a\ud83d", c.MIDI, Answer.NTA), "1 to 60 printable charac"),
        (lambda q: q.add_items([*FOUND, Task(Reason.LEAK, "77")]), "no message"),
        (lambda q: q.add_items([*FOUND, Task(Reason.LEAK, row=12)]), "no message"),
        (lambda q: q.add_items([*FOUND, FOUND[0]._replace(end=99)]), "not within"),
    ],
)
def test_tasks_types_and_names_may_be_refused(act: Act, problem: str, queue: Queue) -> None:
    with c.nothing_changes(queue), pytest.raises(TriageError, match=problem):
        act(queue)


@pytest.fixture
def overtaken(queue: Queue, open_queue: c.OpenQueue) -> Queue:
    """A queue in which Anna has answered in another window."""
    open_queue(queue.path).decide("anna", c.MIDI, Answer.NTA)
    return queue


@pytest.mark.parametrize(("act", "given", "seen"), CASES["older"])
def test_what_follows_from_an_older_page_is_refused(
    act: str, given: list[object], seen: dict[str, int], overtaken: Queue
) -> None:
    with c.nothing_changes(overtaken), pytest.raises(StaleAnswerError):
        getattr(overtaken, act)(*given, **seen)


def test_of_answers_at_the_same_time_one_stands(queue: Queue) -> None:
    start = Barrier(4)

    def answer(answer: Answer) -> bool:
        with Queue.open(queue.path) as own:
            start.wait()
            try:
                return own.decide("anna", c.MIDI, answer, seen=0) is not None
            except StaleAnswerError:
                return False

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(answer, [Answer.TA, Answer.NTA] * 2))
    assert (made.count(True), len(queue.history("anna"))) == (1, 1)


def test_rules_are_read_once_for_all_items_until_anybody_makes_another(queue: Queue) -> None:
    queue.decide_word("anna", "zouzou", NEVER)
    statements = list[str]()
    with Queue.open(queue.path) as other:
        other.connection.set_trace_callback(statements.append)
        assert len([*exported_rows(other, state=State.ALL)]) > 2
        assert sum(one.startswith(SQL["rules"][:40]) for one in statements) == 1
        queue.decide_word("marc", "midi", ALWAYS)
        assert other.word_rules().keys() == {"zouzou", "midi"}


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
    assert (pair.disagreements, pair.marks) == ((9, 10), None)
    # What is adjudicated is no more to adjudicate, but counts for agreement.
    many.decide("lou", 9, Answer.TA, rules=True)
    [after] = many.status().pairs
    assert (after.disagreements, after.kappa, after.n_items) == ((10,), pair.kappa, 20)


def test_agreement_on_marks_is_the_share_that_both_made(many: Queue) -> None:
    many.double(1.0)
    for number in (1, 2):
        text = many.item(number).text
        many.decide("anna", number, Answer.TA, [Span(0, 3, c.PRE)])
        many.decide("marc", number, Answer.TA, [Span(0, 3 if number == 1 else len(text), c.PRE)])
    [pair] = many.status().pairs
    assert pair.marks == pytest.approx(2 / 4)


@pytest.mark.parametrize("table", ["decisions", "answers", "notes"])
@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM {}", "UPDATE {} SET rowid = 9", "INSERT OR REPLACE INTO {0} SELECT * FROM {0}"],
)
def test_the_file_refuses_to_change_answers(table: str, statement: str, queue: Queue) -> None:
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


class Story:
    """A queue in which something is decided, and what is asked of it."""

    def __init__(self, queue: Queue, texts: list[str]) -> None:
        self._queue, self._texts = queue, texts
        self._rules: dict[str, int | None] = {}

    def _item(self, text: str) -> int:
        return self._texts.index(text) + 1

    def _numbers(self, who: str, **filters: Any) -> list[str]:
        return [self._texts[n - 1] for n in self._queue.numbers(who, Filters(**filters))]

    def double(self, share: float) -> None:
        self._queue.double(share)

    def decide(self, who: str, text: str, answer: str, spans: Marks = (), **how: bool) -> None:  # type: ignore[assignment]
        marks = [Span(start, end, IdentifierType(of)) for start, end, of in spans]
        self._queue.decide(who, self._item(text), Answer(answer), marks, **how)

    def rule(self, who: str, text: str, answer: str, spans: Marks) -> None:
        self.decide(who, text, answer, spans, rules=True)

    def word(self, who: str, word: str, rule: str, of: str = "PRE") -> None:
        number = self._queue.decide_word(who, word, WordRule(rule), IdentifierType(of))
        self._rules.setdefault(word, number)

    def answer(self, seen: str, who: str, text: str, answer: str, found: str, **how: Any) -> None:
        """Answer as somebody does who has seen nothing of it, or the last decision."""
        last = self._queue.last_decision(who) if seen == "last" else 0
        try:
            made = self._queue.decide(who, self._item(text), Answer(answer), seen=last, **how)
        except StaleAnswerError:
            assert found == "stale"
        else:
            assert found == ("recorded" if made else "same")

    def ruling(self, seen: str, who: str, text: str, answer: str, found: str) -> None:
        self.answer(seen, who, text, answer, found, rules=True)

    def refused(self, problem: str, verb: str, *given: Any) -> None:
        with c.nothing_changes(self._queue), pytest.raises(TriageError, match=problem):
            getattr(self, verb)(*given)

    def pairs(self, pairs: list[list[Any]]) -> None:
        """Tell who has items in common, and how many, of whose one answer no kappa follows."""
        found = self._queue.status().pairs
        assert [[one.first, one.second, one.n_items] for one in found] == pairs
        assert {(one.kappa, one.low, one.high) for one in found} <= {(None, None, None)}

    def note(self, who: str, text: str, said: str, asks: bool, is_new: bool) -> None:
        assert bool(self._queue.note(who, self._item(text), said, asks=asks)) is is_new

    def notes(self, who: str, text: str, notes: list[list[Any]]) -> None:
        found = self._queue.notes(who, self._item(text))
        assert [[one.annotator, one.text, bool(one.asks)] for one in found] == notes

    def asked(self, who: str, text: str) -> None:
        [question] = self._queue.notes(who)
        assert (question.item_text, question.at[-6:]) == (text, "+00:00")

    def undo(self, who: str, word: str = "") -> None:
        self._queue.undo(who, decision=self._rules[word] if word else None)

    def _task(self, reason: str, id_: str | int, *place: Any) -> Task:
        task = Task(Reason(reason), **{"row" if isinstance(id_, int) else "id": id_})  # type: ignore[arg-type]
        if not place:
            return task
        return task._replace(start=place[0], end=place[1], type=IdentifierType(place[2]))

    def hand_over(self, n: int, *task: Any) -> None:
        assert self._queue.add_items([self._task(*task)]) == n

    def hand_over_again(self, n: int, *task: Any) -> None:
        assert self._queue.add_items([self._task(*task)], again=True) == n

    def unanswered(self, n: int, *task: Any) -> None:
        assert len(self._queue.unanswered([self._task(*task)])) == n

    def final(self, text: str, action: str, by: str, spans: Marks) -> None:
        rows = [row for row in final_rows(self._queue, Applied("")) if row[2] == text]
        found = {(row[-3], row[-2], row[-1]) for row in rows}
        assert [[*said, json.loads(str(marks))] for *said, marks in found] == [[action, by, spans]]

    def state(self, text: str, state: str, answer: str = "") -> None:
        select = "SELECT state FROM items WHERE item = ?"
        [found] = self._queue.connection.execute(select, (self._item(text),)).fetchone()
        assert (found, self._queue.item(self._item(text)).final or "") == (state, answer)

    def standing(self, text: str, names: list[str]) -> None:
        assert [one.annotator for one in self._queue.item(self._item(text)).standing] == names

    def earlier(self, text: str, name: str, answer: str) -> None:
        [before] = self._queue.item(self._item(text)).earlier
        assert (before.annotator, before.answer, bool(before.at)) == (name, answer, True)

    def suggested(self, text: str, spans: Marks) -> None:
        assert [[*one] for one in self._queue.item(self._item(text)).suggested_spans] == spans

    def next(self, who: str, text: str) -> None:
        assert self._queue.next(who) == self._item(text)

    def waits(self, who: str, reason: str, texts: list[str]) -> None:
        assert self._numbers(who, reason=Reason(reason)) == texts

    def waits_under(self, who: str, text: str, reasons: list[str]) -> None:
        assert [one for one in Reason if text in self._numbers(who, reason=one)] == reasons

    def waiting(self, who: str, rules: bool, counts: dict[str, int]) -> None:
        assert self._queue.waiting(who, rules=rules) == counts

    def handed_over(self, counts: dict[str, int]) -> None:
        assert self._queue.status().handed_over == counts
        assert len(self._queue.handed_over()) == sum(counts.values())

    def asks_again(self, who: str, word: str, n: int) -> None:
        assert self._queue.effect_of_word(who, word, WordRule.ALWAYS).n_asked_again == n

    def lists(self, names: list[str], words: list[str]) -> None:
        assert self._queue.word_lists() == (names, words)

    def settled(self, n: int) -> None:
        assert self._queue.status().settled_by_words == n

    def unmarked(self, texts: list[str]) -> None:
        assert self._numbers("", state=State.UNMARKED) == texts
        assert self._queue.status().unmarked == len(texts)


@pytest.mark.parametrize("story", DECIDED.values(), ids=DECIDED)
def test_what_is_decided_has_the_consequences_that_are_told(
    story: dict[str, Any], queue: Queue, make_queue: c.MakeQueue
) -> None:
    own = c.invented(story.get("messages", ()))
    asked = make_queue(*own, name="own.queue") if own else queue
    told = Story(asked, [*dict.fromkeys(one.text for one in own or c.CORPUS)])
    for verb, *given in story["steps"]:
        getattr(told, verb)(*given)
    assert c.is_whole(asked)
