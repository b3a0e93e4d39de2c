"""The next item: order, skipped ones, reservations, filters, and how far one is."""

from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from triage import Triage
from triage.queue import Answer, Filters, Order, Queue, State

CASES = cases_beside(__file__)


def first(queue: Queue, annotator: str = "anna") -> int:
    """Return what comes first, which is reserved."""
    number = queue.next(annotator)
    assert number is not None
    return number


def all_that_come(queue: Queue, annotator: str, order: Order = Order.LEARNING) -> list[int]:
    found = []
    while (number := queue.next(annotator, Filters(), order)) is not None:
        queue.decide(annotator, number, Answer.NTA)
        found.append(number)
    return found


def listed(queue: Queue, filters: Filters, annotator: str = "anna") -> set[int]:
    """Return the items that filters let through, once all ways of asking agree."""
    rows = [row.number for row in queue.rows(annotator, filters, limit=99)]
    assert len(rows) == len(set(rows)) == queue.count(annotator, filters)
    assert sorted(rows) == queue.numbers(annotator, filters)
    assert (queue.next(annotator, filters) in rows) if rows else True
    queue.release(annotator)
    return set(rows)


@pytest.mark.parametrize("order", Order)
def test_each_open_item_comes_once_in_the_order_of_the_table(order: Order, queue: Queue) -> None:
    every = Filters(state=State.ALL)
    pages = [queue.rows("anna", every, order, offset=n, limit=4) for n in (0, 4, 8, 12)]
    assert [len(page) for page in pages] == [4, 4, 1, 0]
    assert [row for page in pages for row in page] == queue.rows("anna", every, order)
    rows = [row.number for row in queue.rows("anna", Filters(), order)]
    assert sorted(rows) == sorted(c.OPEN)
    assert all_that_come(queue, "anna", order) == rows
    assert (queue.next("anna"), queue.next("marc")) == (None, None)


def test_chance_is_the_same_each_time_and_not_the_order_of_the_file(
    make_queue: c.MakeQueue,
) -> None:
    messages = c.MANY[:40]
    queues = make_queue(*messages, name="one"), make_queue(*messages[::-1], name="other")
    one, other = (
        [row.text for row in queue.rows("anna", Filters(), Order.RANDOM)] for queue in queues
    )
    assert one == other != [message.text for message in messages]
    assert all_that_come(queues[0], "anna", Order.FILE) == [*range(1, 41)]


@pytest.mark.parametrize(
    ("above", "n_messages", "ranked"),
    [
        ([-0.25, 0.6, -0.01, -0.1, 0, -0.2], [1] * 6, [2, 3, 5, 4, 6, 1]),
        ([0.2, 0.2, 0.2], [1, 7, 2], [2, 3, 1]),
        ([0.2, 0.2, 0.2], [1, 1, 1], [1, 2, 3]),
    ],
)
def test_both_votes_come_in_turn_the_highest_scores_and_most_messages_first(
    above: list[float],
    n_messages: list[int],
    ranked: list[int],
    make_queue: c.MakeQueue,
    shipped: Triage,
) -> None:
    scores = [shipped.model.manifest.ta_from + one for one in above]
    texts = [f"on mange a {n} h" for n in range(len(above))]
    made = [[c.sms(t, "", score=s)] * n for t, s, n in zip(texts, scores, n_messages, strict=True)]
    queue = make_queue(*chain.from_iterable(made))
    assert [row.number for row in queue.rows("anna", Filters())] == ranked


def test_what_somebody_looks_at_comes_to_nobody_else_for_ten_minutes(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr("triage.queue.queue.time.time", lambda: now)
    held, other = first(queue), first(queue, "marc")
    assert held != other
    assert first(queue) == held
    assert first(queue, "lou") not in (held, other)
    queue.release("anna")
    assert first(queue, "lou") == held
    now += 601
    assert first(queue) == held
    queue.decide("anna", held, Answer.NTA)
    assert first(queue) == other
    queue.double(1.0)
    assert first(queue, "marc") == other
    assert first(queue, "lou") not in (held, other)


def test_skipped_items_come_last_in_the_order_in_which_they_were(queue: Queue) -> None:
    skipped = []
    for _ in c.OPEN:
        skipped.append(first(queue))
        queue.decide("anna", skipped[-1], Answer.SKIP)
    assert sorted(skipped) == sorted(c.OPEN)
    assert first(queue) == skipped[0]
    assert queue.next("anna", after=skipped[0]) == skipped[1]
    assert queue.progress("anna").skipped == len(skipped)


def test_assigned_items_come_to_their_annotators_alone(queue: Queue) -> None:
    assert queue.assign(["anna", "marc"]) == queue.assigned()
    anna, marc = (c.open_to(queue, name) for name in ("anna", "marc"))
    assert (anna | marc, anna & marc, c.open_to(queue, "lou")) == (set(c.OPEN), set(), set())
    assert [len(anna), len(marc)] == [*queue.assigned().values()]
    queue.double(1.0)
    assert c.open_to(queue, "anna") == c.open_to(queue, "marc") == set(c.OPEN)


def test_items_are_found_by_words_however_written_senders_and_votes(
    make_queue: c.MakeQueue,
) -> None:
    queue = make_queue(*c.CORPUS, c.sms("l’Eléa d'hier", 20, "9"))
    items = c.ITEMS | {"l’Eléa d'hier": len(c.ITEMS) + 1}
    for asked, texts in CASES["filters"]:
        assert listed(queue, Filters(**asked)) == {items[text] for text in texts}, asked
    everywhere = Filters(state=State.ALL, word="solveig")
    assert listed(queue, everywhere) == {c.SOLVEIG}


@pytest.mark.parametrize(
    ("seconds", "per_hour"),
    [
        ([10 * n for n in range(11)], 360),
        ([*(10 * n for n in range(6)), *(3_600 + 10 * n for n in range(6))], 360),
        ([*(100 * n for n in range(30)), *(3_000 + 5 * n for n in range(60))], 720),
        ([*(10 * n for n in range(6)), *(-5_000 + 10 * n for n in range(6))], 360),
        ([0, 10, 20, 30, 40], None),
        ([0] * 9, None),
    ],
    ids=["steady", "a break", "the last ones", "a clock set back", "few", "at one moment"],
)
def test_the_rate_is_of_decisions_an_hour(
    seconds: list[int], per_hour: float | None, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = datetime(2011, 9, 15, tzinfo=UTC)
    times = ((start + timedelta(seconds=second)).isoformat() for second in seconds)
    monkeypatch.setattr("triage.queue.queue._now", times.__next__)
    for _ in seconds:
        queue.decide("anna", c.MIDI, Answer.NTA)
    progress = queue.progress("anna")
    assert progress.per_hour == (per_hour and pytest.approx(per_hour))
    assert progress.seconds_left == (per_hour and pytest.approx(progress.open * 3600 / per_hour))
