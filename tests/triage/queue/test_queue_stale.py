"""An answer to a page that another one has overtaken changes nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.triage.queue.corpora import MIDI, ROSE, ZOUZOU, everything
from triage.queue import Answer, NoSuchItemError, Queue, StaleAnswerError, WordRule

OpenQueue = Callable[[Path], Queue]


@pytest.fixture
def overtaken(queue: Queue, open_queue: OpenQueue) -> Queue:
    """A queue in which Anna has answered in another window."""
    open_queue(queue.path).decide("anna", MIDI, Answer.NTA)
    return queue


def test_an_answer_that_was_not_seen_is_not_replaced(overtaken: Queue) -> None:
    before = everything(overtaken.connection)
    with pytest.raises(StaleAnswerError):
        overtaken.decide("anna", MIDI, Answer.TA, seen=0)
    assert everything(overtaken.connection) == before


def test_an_answer_that_was_seen_is_replaced(overtaken: Queue) -> None:
    seen = overtaken.last_decision("anna")
    overtaken.decide("anna", MIDI, Answer.TA, seen=seen)
    assert overtaken.history("anna", 1)[0].answer is Answer.TA


def test_the_same_answer_is_recorded_once(overtaken: Queue) -> None:
    before = everything(overtaken.connection)
    assert overtaken.decide("anna", MIDI, Answer.NTA, seen=0) is None
    assert everything(overtaken.connection) == before


def test_other_annotators_are_not_overtaken(overtaken: Queue) -> None:
    assert overtaken.decide("marc", MIDI, Answer.TA, seen=0) is not None


def test_a_message_that_comes_again_may_be_skipped_again(queue: Queue) -> None:
    first = queue.decide("anna", ROSE, Answer.SKIP, seen=0)
    assert queue.decide("anna", ROSE, Answer.SKIP, seen=0) is None
    assert queue.decide("anna", ROSE, Answer.SKIP, seen=first) is not None


def test_of_answers_at_the_same_time_one_stands(queue: Queue) -> None:
    start = Barrier(4)

    def answer(answer: Answer) -> bool:
        with Queue.open(queue.path) as own:
            start.wait()
            try:
                return own.decide("anna", MIDI, answer, seen=0) is not None
            except StaleAnswerError:
                return False

    with ThreadPoolExecutor(4) as threads:
        recorded = list(threads.map(answer, [Answer.TA, Answer.NTA] * 2))
    assert recorded.count(True) == 1
    assert len(queue.history("anna")) == 1


@pytest.mark.parametrize(
    "act",
    [
        lambda queue: queue.undo("anna", last=0),
        lambda queue: queue.decide_all("anna", [ROSE], Answer.NTA, last=0),
        lambda queue: queue.decide_word("anna", "rose", WordRule.NEVER, last=0),
    ],
    ids=["undo", "many", "word"],
)
def test_what_follows_from_an_older_page_is_refused(
    act: Callable[[Queue], object], overtaken: Queue
) -> None:
    before = everything(overtaken.connection)
    with pytest.raises(StaleAnswerError):
        act(overtaken)
    assert everything(overtaken.connection) == before


def test_a_ruling_is_not_repeated_nor_replaced_unseen(queue: Queue, open_queue: OpenQueue) -> None:
    queue.decide("anna", ZOUZOU, Answer.TA)
    queue.decide("marc", ZOUZOU, Answer.NTA)
    ruling = open_queue(queue.path).adjudicate("lou", ZOUZOU, Answer.TA)
    assert queue.adjudicate("lou", ZOUZOU, Answer.TA, seen=0) is None
    with pytest.raises(StaleAnswerError):
        queue.adjudicate("lou", ZOUZOU, Answer.NTA, seen=0)
    assert queue.adjudicate("lou", ZOUZOU, Answer.NTA, seen=ruling) is not None


def test_an_item_that_is_not_there_is_named_by_its_number(queue: Queue) -> None:
    with pytest.raises(NoSuchItemError, match="no item 999"):
        queue.decide("anna", 999, Answer.NTA, seen=0)
