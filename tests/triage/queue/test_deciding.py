"""Decisions on items and words, undoing them, and answers that another page has overtaken."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.triage.queue import corpora as c
from triage.errors import TriageError
from triage.queue import (
    Answer,
    NoSuchItemError,
    Queue,
    Span,
    StaleAnswerError,
    WordRule,
)

OpenQueue = Callable[[Path], Queue]
Act = Callable[[Queue], object]
ALWAYS, NEVER = WordRule.ALWAYS, WordRule.NEVER


def test_a_decision_says_who_when_what_and_which_words(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.queue.queue._now", lambda: "2011-09-15T08:30:00+00:00")
    spans = c.marked(c.TEXTS[c.ZOUZOU], "Zouzou", type_="SUR")
    number = queue.decide("anna", c.ZOUZOU, Answer.TA, spans)
    [done] = queue.history()
    assert (done.number, done.annotator, done.at) == (number, "anna", "2011-09-15T08:30:00+00:00")
    assert (done.kind, done.answer, done.items) == ("message", Answer.TA, (c.ZOUZOU,))
    [said] = queue.item(c.ZOUZOU).standing
    assert (said.annotator, said.answer, said.spans) == ("anna", Answer.TA, spans)


@pytest.mark.parametrize(
    ("answer", "spans", "problem"),
    [
        (Answer.TA, [Span(0, 99, c.PRE)], "is not within the text, which has 14 characters"),
        (Answer.TA, [Span(-1, 3, c.PRE)], "is not within the text"),
        (Answer.TA, [Span(4, 4, c.PRE)], "is not within the text"),
        (Answer.TA, [Span(0, 4, c.PRE), Span(3, 8, c.PRE)], "overlap at 3: mark each once"),
        (Answer.TA, [Span(0, 4, c.PRE), Span(0, 4, c.PRE)], "overlap at 0"),
        (Answer.TA, [Span(0, 4, "PRE")], "must be an IdentifierType.*and not 'PRE'"),  # type: ignore[arg-type]
        (Answer.NTA, [Span(0, 4, c.PRE)], "only a message that is TA has identifiers"),
        (Answer.SKIP, [Span(0, 4, c.PRE)], "only a message that is TA has identifiers"),
    ],
)
def test_spans_that_do_not_fit_are_refused_and_nothing_is_recorded(
    answer: Answer, spans: list[Span], problem: str, queue: Queue
) -> None:
    with c.nothing_changes(queue), pytest.raises(TriageError, match=problem) as refused:
        queue.decide("anna", c.ROSE, answer, spans)
    assert "Rose" not in str(refused.value)


@pytest.mark.parametrize(
    "act",
    [
        lambda queue: queue.decide("anna", 999, Answer.NTA),
        lambda queue: queue.decide_all("anna", [c.MIDI, 999], Answer.NTA),
        lambda queue: queue.note("anna", 999, "?"),
    ],
)
def test_an_item_that_is_not_there_is_named_by_its_number(act: Act, queue: Queue) -> None:
    with c.nothing_changes(queue), pytest.raises(NoSuchItemError, match="is no item 999 in this"):
        act(queue)


@pytest.mark.parametrize("name", ["", "  ", "a" * 61, "an\nna", "\x1b[31m", "a\ud83d", "=1"])
def test_an_annotator_has_a_printable_name(name: str, queue: Queue) -> None:
    with pytest.raises(TriageError, match="1 to 60 printable characters"):
        queue.decide(name, c.MIDI, Answer.NTA)


@pytest.fixture
def overtaken(queue: Queue, open_queue: OpenQueue) -> Queue:
    """A queue in which Anna has answered in another window."""
    open_queue(queue.path).decide("anna", c.MIDI, Answer.NTA)
    return queue


@pytest.mark.parametrize(
    "act",
    [
        lambda queue: queue.decide("anna", c.MIDI, Answer.TA, seen=0),
        lambda queue: queue.undo("anna", last=0),
        lambda queue: queue.decide_all("anna", [c.ROSE], Answer.NTA, last=0),
        lambda queue: queue.decide_word("anna", "rose", NEVER, last=0),
    ],
    ids=["one", "undo", "many", "word"],
)
def test_what_follows_from_an_older_page_is_refused(act: Act, overtaken: Queue) -> None:
    with c.nothing_changes(overtaken), pytest.raises(StaleAnswerError):
        act(overtaken)


def test_the_same_answer_is_recorded_once_and_what_was_seen_is_replaced(overtaken: Queue) -> None:
    with c.nothing_changes(overtaken):
        assert overtaken.decide("anna", c.MIDI, Answer.NTA, seen=0) is None
    # Others are not overtaken.
    assert overtaken.decide("marc", c.MIDI, Answer.TA, seen=0) is not None
    overtaken.decide("anna", c.MIDI, Answer.TA, seen=overtaken.last_decision("anna"))
    assert overtaken.history("anna", 1)[0].answer is Answer.TA


def test_a_message_that_comes_again_may_be_skipped_again(queue: Queue) -> None:
    first = queue.decide("anna", c.ROSE, Answer.SKIP, seen=0)
    assert queue.decide("anna", c.ROSE, Answer.SKIP, seen=0) is None
    assert queue.decide("anna", c.ROSE, Answer.SKIP, seen=first) is not None


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


def test_a_ruling_is_not_repeated_nor_replaced_unseen(queue: Queue, open_queue: OpenQueue) -> None:
    queue.decide("anna", c.ZOUZOU, Answer.TA)
    queue.decide("marc", c.ZOUZOU, Answer.NTA)
    ruling = open_queue(queue.path).decide("lou", c.ZOUZOU, Answer.TA, rules=True)
    assert queue.decide("lou", c.ZOUZOU, Answer.TA, seen=0, rules=True) is None
    with pytest.raises(StaleAnswerError):
        queue.decide("lou", c.ZOUZOU, Answer.NTA, seen=0, rules=True)
    assert queue.decide("lou", c.ZOUZOU, Answer.NTA, seen=ruling, rules=True) is not None


def test_a_word_that_never_is_a_name_releases_what_holds_no_other(queue: Queue) -> None:
    queue.decide_word("anna", "zouzou", NEVER)
    finals = [queue.item(item).final for item in (c.ZOUZOU, c.LA_ZOUZOU, c.BOTH)]
    assert finals == [Answer.NTA, Answer.NTA, None]
    assert queue.item(c.BOTH).suggested_spans == c.marked(c.TEXTS[c.BOTH], "eléa")


def test_of_several_rules_of_a_word_the_last_in_force_counts(queue: Queue) -> None:
    queue.decide_word("anna", "zouzou", ALWAYS)
    queue.decide_word("marc", "Zouzou", NEVER)
    assert queue.word_lists() == ([], ["Zouzou"])
    queue.undo("marc")
    assert queue.word_lists() == (["zouzou"], [])
    # Of a word that no open item holds, too.
    queue.decide_word("anna", " Timothée ", ALWAYS)
    assert queue.history()[0].items == ()
    assert queue.word_lists() == (["Timothée", "zouzou"], [])


@pytest.mark.parametrize("word", ["", "  ", "chez rose", "a\nb"])
def test_a_rule_is_of_one_word(word: str, queue: Queue) -> None:
    for act in (queue.decide_word, queue.effect_of_word):
        with pytest.raises(TriageError, match="a rule is of one word") as refused:
            act("anna", word, ALWAYS)
        assert "rose" not in str(refused.value)
    assert c.recorded(queue.connection) == [[], []]
