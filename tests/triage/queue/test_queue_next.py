"""Which item comes now: order, skipped ones, reservations, filters, and how far one is."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.triage.queue.corpora import (
    BOTH,
    CORPUS,
    ELEA,
    ITEMS,
    LA_ZOUZOU,
    MIDI,
    OK,
    OPEN,
    ROSE,
    SOLVEIG,
    TARD,
    ZOUZOU,
    decided_nta,
    sms,
)
from triage.queue import Answer, Filters, Item, Order, Queue, State

MakeQueue = Callable[..., Queue]
RESERVED_FOR = 600.0


class Clock:
    """A clock that a test winds forward."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watched(queue: Queue, clock: Clock) -> Queue:
    """The queue of the corpus, by that clock."""
    return Queue(queue.connection, queue.path, clock)


def all_that_come(queue: Queue, annotator: str, *more: object) -> list[int]:
    """Decide all that comes, and return it in order."""
    found = []
    while (number := queue.next(annotator, *more)) is not None:  # type: ignore[arg-type]
        queue.decide(annotator, number, Answer.NTA)
        found.append(number)
    return found


def listed(queue: Queue, filters: Filters, annotator: str = "anna") -> set[int]:
    """Return the items that filters let through, once all ways of asking agree."""
    rows = [row.number for row in queue.rows(annotator, filters, limit=99)]
    assert len(rows) == len(set(rows)) == queue.count(annotator, filters)
    assert (queue.next(annotator, filters) in rows) if rows else True
    queue.release(annotator)
    return set(rows)


# Order


@pytest.mark.parametrize("order", Order)
def test_each_open_item_comes_once(order: Order, queue: Queue) -> None:
    found = all_that_come(queue, "anna", Filters(), order)
    assert sorted(found) == sorted(OPEN)


@pytest.mark.parametrize("order", Order)
def test_a_table_has_the_order_in_which_items_come(order: Order, queue: Queue) -> None:
    rows = [row.number for row in queue.rows("anna", Filters(), order)]
    assert all_that_come(queue, "anna", Filters(), order) == rows


@pytest.mark.parametrize("order", Order)
def test_pages_of_a_table_make_the_whole(order: Order, queue: Queue) -> None:
    filters = Filters(state=State.ALL)
    pages = [queue.rows("anna", filters, order, offset=n, limit=4) for n in (0, 4, 8, 12)]
    assert [len(page) for page in pages] == [4, 4, 1, 0]
    assert [row for page in pages for row in page] == queue.rows("anna", filters, order)


def test_items_come_in_the_order_of_the_file(queue: Queue) -> None:
    assert all_that_come(queue, "anna", Filters(), Order.FILE) == sorted(OPEN)


def test_chance_is_the_same_each_time_and_not_the_order_of_the_file(make_queue: MakeQueue) -> None:
    messages = [sms(f"on mange a {n} h", n) for n in range(40)]
    one = make_queue(*messages, name="one")
    other = make_queue(*messages[::-1], name="other")
    orders = [
        [row.text for row in queue.rows("anna", Filters(), Order.RANDOM)] for queue in (one, other)
    ]
    assert orders[0] == orders[1]
    assert orders[0] != [message.text for message in messages]


def test_the_same_item_comes_until_it_is_answered(queue: Queue) -> None:
    number = queue.next("anna")
    assert queue.next("anna") == number
    assert number is not None
    queue.decide("anna", number, Answer.NTA)
    assert queue.next("anna") != number


def test_an_item_that_one_comes_from_does_not_come_again_at_once(queue: Queue) -> None:
    number = queue.next("anna")
    assert queue.next("anna", after=number) not in (number, None)


def test_what_was_skipped_comes_again_behind_all_others_the_oldest_first(queue: Queue) -> None:
    skipped = [TARD, MIDI]
    for number in skipped:
        queue.decide("anna", number, Answer.SKIP)
    found = all_that_come(queue, "anna")
    assert found[-2:] == skipped
    assert sorted(found) == sorted(OPEN)


def test_what_one_skipped_comes_to_another_as_any(queue: Queue) -> None:
    first = all_that_come(queue, "anna")[0]
    while queue.undo("anna"):
        pass
    queue.decide("anna", first, Answer.SKIP)
    assert queue.next("marc") == first


def test_when_all_is_decided_nothing_comes(queue: Queue) -> None:
    queue.decide_all("anna", OPEN, Answer.NTA)
    assert queue.next("anna") is None
    assert queue.next("marc") is None


def test_an_item_that_was_undone_comes_again(queue: Queue) -> None:
    queue.decide_all("anna", OPEN, Answer.NTA)
    queue.undo("anna")
    assert queue.next("anna") in OPEN


# Reservations


def test_two_annotators_get_different_items(queue: Queue) -> None:
    names = [f"annotator {n}" for n in range(len(OPEN))]
    assert sorted(number for name in names if (number := queue.next(name))) == sorted(OPEN)
    assert queue.next("one more") is None


def test_a_reservation_is_kept_for_ten_minutes(watched: Queue, clock: Clock) -> None:
    first = watched.next("anna")
    clock.now += RESERVED_FOR - 1
    assert watched.next("marc") != first
    clock.now += 2
    watched.release("marc")
    assert watched.next("marc") == first


def test_who_looks_again_keeps_an_item_for_longer(watched: Queue, clock: Clock) -> None:
    first = watched.next("anna")
    clock.now += RESERVED_FOR - 1
    assert watched.next("anna") == first
    clock.now += RESERVED_FOR - 1
    assert watched.next("marc") != first


def test_a_reservation_can_be_given_back(queue: Queue) -> None:
    first = queue.next("anna")
    queue.release("anna")
    assert queue.next("marc") == first


def test_one_item_at_a_time_is_reserved(queue: Queue) -> None:
    first = queue.next("anna")
    second = queue.next("anna", after=first)
    assert queue.next("marc") == first
    assert queue.next("carl") not in (first, second)


def test_an_answer_ends_the_reservation(queue: Queue) -> None:
    first = queue.next("anna")
    assert first is not None
    queue.decide("anna", first, Answer.SKIP)
    assert queue.next("marc") == first


def test_what_another_has_reserved_can_be_decided_nevertheless(queue: Queue) -> None:
    first = queue.next("anna")
    assert first is not None
    queue.decide("marc", first, Answer.NTA)
    assert queue.next("anna") != first


def test_what_two_must_answer_two_get_and_no_third(make_queue: MakeQueue) -> None:
    queue = make_queue(sms("zouzou", 1))
    queue.double(1.0)
    assert [queue.next(name) for name in ("anna", "marc", "carl")] == [1, 1, None]
    queue.decide("anna", 1, Answer.TA)
    assert [queue.next(name) for name in ("anna", "marc", "carl")] == [None, 1, None]


# Filters


@pytest.fixture(params=["rare", "frequent"])
def spoken(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, make_queue: MakeQueue
) -> Queue:
    """A queue in which any word counts as rare, or as frequent."""
    if request.param == "frequent":
        monkeypatch.setattr("triage.queue.listing._RARE", 0)
    return make_queue(*CORPUS, sms("l’Eléa d'hier", 20, "9"))


LATER = len(ITEMS) + 1


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("zouzou", {ZOUZOU, LA_ZOUZOU, BOTH}),
        ("ZOUZOU", {ZOUZOU, LA_ZOUZOU, BOTH}),
        ("elea", {ELEA, BOTH, LATER}),
        ("ÉLÉA", {ELEA, BOTH, LATER}),
        ("E\u0301lea", {ELEA, BOTH, LATER}),
        ("d’", {LATER}),
        ("d'", {LATER}),
        (" zouzou  eléa ", {BOTH}),
        ("😀", {ELEA}),
        ("zou", set()),
        ("%", set()),
        ("solveig", set()),
    ],
)
def test_items_are_found_by_their_words_however_written(
    word: str, found: set[int], spoken: Queue
) -> None:
    assert listed(spoken, Filters(word=word)) == found


def test_among_all_are_those_that_the_machine_decided(spoken: Queue) -> None:
    assert listed(spoken, Filters(state=State.ALL, word="solveig")) == {SOLVEIG}


@pytest.mark.parametrize(
    ("sender", "found"), [("8", {ROSE, BOTH}), ("9", {MIDI, LA_ZOUZOU}), ("88", set())]
)
def test_items_are_found_by_a_sender(sender: str, found: set[int], queue: Queue) -> None:
    assert listed(queue, Filters(sender=sender)) == found


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (("TA", "NTA"), {ROSE}),
        (("NTA", "TA"), {BOTH}),
        (("UNTAGGED", "TA"), {LA_ZOUZOU, ELEA}),
        (("UNTAGGED", ""), {ZOUZOU, MIDI, LA_ZOUZOU, ELEA, TARD}),
        (("", "TA"), {LA_ZOUZOU, ELEA, BOTH}),
        (("TA", "TA"), set()),
    ],
)
def test_items_are_found_by_their_cell(
    cell: tuple[str, str], found: set[int], queue: Queue
) -> None:
    assert listed(queue, Filters(seek_hide=cell[0], model=cell[1])) == found


def test_filters_hold_together(queue: Queue) -> None:
    filters = Filters(word="zouzou", sender="8", seek_hide="NTA", model="TA")
    assert listed(queue, filters) == {BOTH}
    assert listed(queue, Filters(word="zouzou", sender="8", model="NTA")) == set()


def test_each_state_has_its_items(queue: Queue) -> None:
    queue.double(1.0)
    queue.decide("anna", ZOUZOU, Answer.TA)
    queue.decide("marc", ZOUZOU, Answer.NTA)
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("anna", ROSE, Answer.SKIP)
    assert listed(queue, Filters()) == set(OPEN) - {ZOUZOU, MIDI}
    assert listed(queue, Filters(), "marc") == set(OPEN) - {ZOUZOU}
    assert listed(queue, Filters(state=State.DECIDED)) == {ZOUZOU, MIDI}
    assert listed(queue, Filters(state=State.DECIDED), "marc") == {ZOUZOU}
    assert listed(queue, Filters(state=State.SKIPPED)) == {ROSE}
    assert listed(queue, Filters(state=State.DISAGREED)) == {ZOUZOU}
    assert listed(queue, Filters(state=State.ALL)) == set(ITEMS.values())


def test_a_row_says_what_one_answered_and_what_is_final(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("anna", ROSE, Answer.SKIP)
    rows = {row.number: row for row in queue.rows("anna", Filters(state=State.ALL))}
    assert (answer_of(rows[MIDI]), rows[MIDI].final) == (Answer.NTA, Answer.NTA)
    assert (answer_of(rows[ROSE]), rows[ROSE].final) == (Answer.SKIP, None)
    assert (answer_of(rows[OK]), rows[OK].final, rows[OK].votes.action) == (None, None, "NTA")
    [of_another] = [r for r in queue.rows("marc", Filters(state=State.ALL)) if r.number == MIDI]
    assert (answer_of(of_another, "marc"), of_another.final) == (None, Answer.NTA)


# How far


def test_progress_adds_up(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("anna", ZOUZOU, Answer.TA)
    queue.decide("anna", ROSE, Answer.SKIP)
    queue.decide("marc", TARD, Answer.NTA)
    anna, marc = queue.progress("anna"), queue.progress("marc")
    assert (anna.decided, anna.open, anna.skipped) == (2, 4, 1)
    assert (marc.decided, marc.open, marc.skipped) == (1, 4, 0)
    assert anna.decided + marc.decided + anna.open == len(OPEN)
    # Two of the machine's, and 2 + 1 + 2 that people decided.
    assert (anna.messages, anna.messages_decided) == (11, 7)
    assert marc.messages_decided == anna.messages_decided


def test_what_one_skipped_and_another_decided_is_no_more_skipped(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.SKIP)
    queue.decide("marc", MIDI, Answer.NTA)
    assert (queue.progress("anna").skipped, queue.progress("anna").open) == (0, 6)


def test_messages_that_the_machine_decided_of_an_expert_s_item_count_as_decided(
    make_queue: MakeQueue,
) -> None:
    queue = make_queue(sms("oui", 1), decided_nta("oui", 2), sms("non", 3))
    assert queue.progress("anna").messages_decided == 1
    queue.decide("anna", 1, Answer.NTA)
    assert queue.progress("anna").messages_decided == 2


def test_what_annotators_disagree_on_is_not_decided(queue: Queue) -> None:
    queue.double(1.0)
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("marc", MIDI, Answer.TA)
    progress = queue.progress("anna")
    assert (progress.decided, progress.open, progress.messages_decided) == (1, 6, 2)


@pytest.fixture
def decide_at(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[float]], None]:
    """Decide an item at each of some seconds."""

    def decide(seconds: list[float]) -> None:
        start = datetime(2011, 9, 15, tzinfo=UTC)
        for second in seconds:
            at = (start + timedelta(seconds=second)).isoformat(timespec="milliseconds")
            monkeypatch.setattr("triage.queue.queue._now", lambda at=at: at)
            queue.decide("anna", MIDI, Answer.NTA)

    return decide


DecideAt = Callable[[list[float]], None]


def test_the_rate_is_of_decisions_an_hour(queue: Queue, decide_at: DecideAt) -> None:
    decide_at([10.0 * n for n in range(11)])
    progress = queue.progress("anna")
    assert progress.per_hour == pytest.approx(360)
    assert progress.seconds_left == pytest.approx(progress.open * 10)


def test_breaks_do_not_count_for_the_rate(queue: Queue, decide_at: DecideAt) -> None:
    decide_at([*(10.0 * n for n in range(6)), *(3_600 + 10.0 * n for n in range(6))])
    assert queue.progress("anna").per_hour == pytest.approx(360)


def test_the_rate_is_of_the_last_decisions(queue: Queue, decide_at: DecideAt) -> None:
    decide_at([*(100.0 * n for n in range(30)), *(3_000 + 5.0 * n for n in range(60))])
    assert queue.progress("anna").per_hour == pytest.approx(720)


def test_of_few_decisions_there_is_no_rate(queue: Queue, decide_at: DecideAt) -> None:
    decide_at([0, 10, 20, 30, 40])
    progress = queue.progress("anna")
    assert (progress.per_hour, progress.seconds_left) == (None, None)


def test_decisions_at_one_moment_give_no_rate(queue: Queue, decide_at: DecideAt) -> None:
    decide_at([0] * 9)
    assert queue.progress("anna").per_hour is None


def test_a_clock_that_was_set_back_does_not_count(queue: Queue, decide_at: DecideAt) -> None:
    decide_at([*(10.0 * n for n in range(6)), *(-5_000 + 10.0 * n for n in range(6))])
    assert queue.progress("anna").per_hour == pytest.approx(360)


def answer_of(item: Item, name: str = "anna") -> Answer | None:
    said = item.standing_of(name)
    return said.answer if said else None
