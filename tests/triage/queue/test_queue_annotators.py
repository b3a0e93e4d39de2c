"""Several annotators: sharing out, doubling, agreement, adjudication."""

from collections.abc import Callable
from itertools import combinations

import pytest

from tests.triage.queue.corpora import (
    CORPUS,
    MIDI,
    OK,
    OPEN,
    ROSE,
    TARD,
    ZOUZOU,
    derived,
    everything,
    marked,
    sms,
)
from triage.errors import TriageError
from triage.queue import Answer, Filters, Item, Queue, State
from triage.queue.fill import Filled

MakeQueue = Callable[..., Queue]
Add = Callable[..., Filled]
MANY = [sms(f"on mange a {n} h", n) for n in range(300)]


def item_of(queue: Queue, number: int) -> Item:
    item = queue.item(number)
    assert item is not None
    return item


def open_to(queue: Queue, annotator: str) -> set[int]:
    return {row.number for row in queue.rows(annotator, Filters(), limit=999)}


def is_settled_right(queue: Queue) -> bool:
    before = derived(queue.connection)
    queue.resettle()
    return derived(queue.connection) == before


@pytest.fixture
def many(make_queue: MakeQueue) -> Queue:
    """A queue of 300 items."""
    return make_queue(*MANY)


# Sharing out


def test_without_sharing_every_open_item_is_anybody_s(queue: Queue) -> None:
    assert open_to(queue, "anna") == open_to(queue, "marc") == set(OPEN)
    assert queue.assigned() == {}


def test_each_open_item_is_one_annotator_s(many: Queue) -> None:
    shares = many.assign(["anna", "marc", "lou"])
    held = {name: open_to(many, name) for name in shares}
    assert {name: len(items) for name, items in held.items()} == shares == many.assigned()
    assert not any(one & other for one, other in combinations(held.values(), 2))
    assert set.union(*held.values()) == set(range(1, 301))
    assert all(75 <= n <= 125 for n in shares.values())
    assert open_to(many, "somebody else") == set()


def test_sharing_out_again_gives_the_same(many: Queue, make_queue: MakeQueue) -> None:
    first = many.assign(["anna", "marc"])
    texts = {row.text for row in many.rows("anna", Filters(), limit=999)}
    many.assign([])
    assert many.assign(["anna", "marc"]) == first
    other = make_queue(*MANY[::-1], name="other")
    other.assign(["anna", "marc"])
    assert {row.text for row in other.rows("anna", Filters(), limit=999)} == texts


def test_what_is_shared_out_can_be_given_back(queue: Queue) -> None:
    queue.assign(["anna", "marc"])
    assert queue.assign([]) == {}
    assert open_to(queue, "lou") == set(OPEN)


def test_what_is_decided_is_not_shared_out(queue: Queue) -> None:
    queue.decide("marc", MIDI, Answer.NTA)
    assert queue.assign(["anna"]) == {"anna": 6}


def test_only_one_s_own_items_come(many: Queue) -> None:
    many.assign(["anna", "marc"])
    assert many.next("anna") in open_to(many, "anna")
    assert many.next("lou") is None


def test_an_annotator_is_named_once(queue: Queue) -> None:
    with pytest.raises(TriageError, match="named twice"):
        queue.assign(["anna", " anna"])


def test_items_that_come_later_are_anybody_s(queue: Queue, add: Add) -> None:
    queue.assign(["anna"])
    add(queue, sms("tu dors ?", 50))
    assert len(open_to(queue, "marc")) == 1
    assert len(open_to(queue, "anna")) == 8


# Doubling


@pytest.mark.parametrize(("share", "least", "most"), [(0, 0, 0), (0.2, 40, 80), (1, 300, 300)])
def test_about_the_share_is_doubled(share: float, least: int, most: int, many: Queue) -> None:
    doubled = many.double(share)
    assert least <= doubled <= most
    assert many.status().doubled == doubled


def test_a_greater_share_holds_the_smaller_one(many: Queue) -> None:
    def doubled(share: float) -> set[int]:
        many.double(share)
        return {n for n in range(1, 301) if item_of(many, n).wanted == 2}

    assert doubled(0.1) < doubled(0.3) < doubled(0.9)
    assert doubled(0.1) == doubled(0.1)


def test_of_messages_added_later_the_same_share_is_doubled(queue: Queue, add: Add) -> None:
    queue.double(1.0)
    add(queue, *MANY[:10])
    assert queue.status().doubled == len(OPEN) + 10


def test_a_doubled_item_is_settled_by_two_who_agree(queue: Queue) -> None:
    queue.double(1.0)
    queue.decide("anna", MIDI, Answer.NTA)
    assert item_of(queue, MIDI).final is None
    queue.decide("anna", MIDI, Answer.NTA)
    assert item_of(queue, MIDI).final is None
    queue.decide("marc", MIDI, Answer.NTA)
    assert item_of(queue, MIDI).final is Answer.NTA


def test_a_doubled_item_is_assigned_to_two(many: Queue) -> None:
    shares = many.assign(["anna", "marc", "lou"], 0.5)
    doubled = {n for n in range(1, 301) if item_of(many, n).wanted == 2}
    assert sum(shares.values()) == 300 + len(doubled)
    held = [open_to(many, name) for name in shares]
    assert all(sum(n in items for items in held) == 1 + (n in doubled) for n in range(1, 301))


def test_what_is_doubled_wants_two_annotators(queue: Queue) -> None:
    before = everything(queue.connection)
    with pytest.raises(TriageError, match="name a second one with --to"):
        queue.assign(["anna"], 1.0)
    assert everything(queue.connection) == before


def test_what_is_doubled_when_it_is_assigned_gets_a_second_annotator(many: Queue) -> None:
    before = many.assign(["anna", "marc", "lou"])
    owned = {name: open_to(many, name) for name in before}
    many.double(1.0)
    after = {name: open_to(many, name) for name in before}
    assert all(owned[name] < after[name] for name in before)
    assert sum(map(len, after.values())) == 600
    assert is_settled_right(many)


def test_what_is_one_s_alone_cannot_be_doubled(queue: Queue) -> None:
    queue.assign(["anna"])
    before = everything(queue.connection)
    with pytest.raises(TriageError, match="all are assigned to anna: share them out"):
        queue.double(1.0)
    assert everything(queue.connection) == before


def test_what_one_has_answered_is_settled_when_one_is_enough_again(queue: Queue) -> None:
    queue.double(1.0)
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("anna", TARD, Answer.SKIP)
    queue.double(0.0)
    assert item_of(queue, MIDI).final is Answer.NTA
    assert item_of(queue, TARD).final is None
    assert is_settled_right(queue)


def test_what_is_settled_stays_when_more_is_doubled(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    queue.double(1.0)
    assert (item_of(queue, MIDI).final, item_of(queue, MIDI).wanted) == (Answer.NTA, 1)


# Disagreement and adjudication


@pytest.fixture
def disagreed(queue: Queue) -> Queue:
    """The queue of the corpus; Anna and Marc differ on one item and agree on two."""
    queue.double(1.0)
    text = "Coucou Zouzou tu viens ?"
    queue.decide("anna", ZOUZOU, Answer.TA, marked(text, "Zouzou"))
    queue.decide("marc", ZOUZOU, Answer.NTA)
    for name in ("anna", "marc"):
        queue.decide(name, MIDI, Answer.NTA)
        queue.decide(name, ROSE, Answer.TA)
    return queue


def test_annotators_who_differ_settle_nothing(disagreed: Queue) -> None:
    assert item_of(disagreed, ZOUZOU).final is None
    assert disagreed.disagreements() == [ZOUZOU]
    assert disagreed.status().items_disagreed == 1


def test_a_third_one_does_not_settle_it(disagreed: Queue) -> None:
    disagreed.decide("lou", ZOUZOU, Answer.TA)
    assert item_of(disagreed, ZOUZOU).final is None


def test_a_second_thought_may_settle_it(disagreed: Queue) -> None:
    disagreed.decide("marc", ZOUZOU, Answer.TA)
    assert item_of(disagreed, ZOUZOU).final is Answer.TA
    assert disagreed.disagreements() == []


def test_a_skip_agrees_with_nobody_and_differs_from_nobody(disagreed: Queue) -> None:
    disagreed.decide("marc", ZOUZOU, Answer.SKIP)
    assert item_of(disagreed, ZOUZOU).final is None
    assert disagreed.disagreements() == []
    assert ZOUZOU in open_to(disagreed, "marc")


@pytest.mark.parametrize("answer", [Answer.TA, Answer.NTA])
def test_an_adjudication_settles_it(answer: Answer, disagreed: Queue) -> None:
    disagreed.adjudicate("lou", ZOUZOU, answer)
    assert item_of(disagreed, ZOUZOU).final is answer
    assert disagreed.disagreements() == []
    assert disagreed.history()[0].kind == "adjudication"


def test_the_last_adjudication_counts(disagreed: Queue) -> None:
    disagreed.adjudicate("lou", ZOUZOU, Answer.TA)
    disagreed.adjudicate("zoé", ZOUZOU, Answer.NTA)
    assert item_of(disagreed, ZOUZOU).final is Answer.NTA
    disagreed.undo("zoé")
    assert item_of(disagreed, ZOUZOU).final is Answer.TA
    disagreed.undo("lou")
    assert disagreed.disagreements() == [ZOUZOU]


def test_who_has_answered_adjudicates_only_where_that_is_said(disagreed: Queue) -> None:
    with pytest.raises(TriageError, match=r"marc has answered it.*--adjudicate-own"):
        disagreed.adjudicate("marc", ZOUZOU, Answer.NTA)
    assert disagreed.disagreements() == [ZOUZOU]
    disagreed.adjudicate("marc", ZOUZOU, Answer.NTA, own=True)
    assert item_of(disagreed, ZOUZOU).final is Answer.NTA


def test_who_has_only_skipped_it_may_adjudicate(disagreed: Queue) -> None:
    disagreed.decide("lou", ZOUZOU, Answer.SKIP)
    disagreed.adjudicate("lou", ZOUZOU, Answer.TA)
    assert item_of(disagreed, ZOUZOU).final is Answer.TA


def test_who_adjudicates_keeps_their_own_answer(disagreed: Queue) -> None:
    disagreed.adjudicate("marc", ZOUZOU, Answer.TA, own=True)
    said = [(s.annotator, s.answer) for s in item_of(disagreed, ZOUZOU).standing]
    assert said == [("anna", Answer.TA), ("marc", Answer.NTA), ("marc", Answer.TA)]
    disagreed.undo("marc")
    said = [(s.annotator, s.answer) for s in item_of(disagreed, ZOUZOU).standing]
    assert said == [("anna", Answer.TA), ("marc", Answer.NTA)]


def test_an_adjudication_outweighs_what_comes_later(disagreed: Queue) -> None:
    disagreed.adjudicate("lou", ZOUZOU, Answer.NTA)
    disagreed.decide("marc", ZOUZOU, Answer.TA)
    assert item_of(disagreed, ZOUZOU).final is Answer.NTA


# Blind


def test_an_answer_to_an_open_item_is_withheld_from_others(queue: Queue) -> None:
    queue.double(1.0)
    queue.decide("marc", ROSE, Answer.TA, marked("Rose est fanée", "Rose"))
    [done] = queue.history(reader="anna")
    assert (done.annotator, done.hidden) == ("marc", True)
    assert (done.answer, done.items, done.spans) == (None, (), ())
    assert queue.history(reader="marc")[0].answer is Answer.TA
    queue.decide("anna", ROSE, Answer.NTA)
    assert [done.answer for done in queue.history(reader="anna")] == [Answer.NTA, Answer.TA]


def test_so_is_one_that_was_taken_back_and_one_among_many(queue: Queue) -> None:
    queue.decide("marc", ROSE, Answer.TA)
    queue.undo("marc")
    queue.double(1.0)
    queue.decide_all("marc", [MIDI, TARD], Answer.NTA)
    queue.decide("anna", MIDI, Answer.NTA)
    assert [done.hidden for done in queue.history(reader="anna")] == [False, True, False, True]


def test_annotators_can_differ_on_what_the_machine_decided(queue: Queue) -> None:
    queue.decide("anna", OK, Answer.TA)
    queue.decide("marc", OK, Answer.NTA)
    status = queue.status()
    assert (status.items, status.items_final, status.items_disagreed) == (8, 0, 1)
    assert queue.disagreements() == [OK]


# Agreement


def test_agreement_is_told_beyond_chance(make_queue: MakeQueue) -> None:
    queue = make_queue(*MANY[:20])
    queue.double(1.0)
    for number in range(1, 21):
        queue.decide("anna", number, Answer.TA if number <= 10 else Answer.NTA)
        queue.decide("marc", number, Answer.TA if number <= 8 else Answer.NTA)
    [pair] = queue.status().pairs
    assert (pair.first, pair.second, pair.n_items) == ("anna", "marc", 20)
    # They agree on 18 of 20; chance alone would give 0.5 * 0.4 + 0.5 * 0.6 = 0.5.
    assert pair.kappa == pytest.approx((0.9 - 0.5) / (1 - 0.5))
    assert pair.kappa is not None
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low < pair.kappa < pair.high <= 1
    assert pair.disagreements == (9, 10)


def test_what_is_adjudicated_is_no_more_to_adjudicate_but_counts_for_agreement(
    disagreed: Queue,
) -> None:
    [before] = disagreed.status().pairs
    disagreed.adjudicate("lou", ZOUZOU, Answer.TA)
    [after] = disagreed.status().pairs
    assert (before.disagreements, after.disagreements) == ((ZOUZOU,), ())
    assert (before.kappa, before.n_items) == (after.kappa, after.n_items)


def test_who_both_gave_one_answer_only_have_no_kappa(queue: Queue) -> None:
    queue.double(1.0)
    for name in ("anna", "marc"):
        queue.decide(name, MIDI, Answer.NTA)
    [pair] = queue.status().pairs
    assert (pair.n_items, pair.kappa, pair.low, pair.high) == (1, None, None, None)


def test_who_have_no_item_in_common_are_no_pair(queue: Queue) -> None:
    queue.decide("anna", MIDI, Answer.NTA)
    queue.decide("marc", ROSE, Answer.NTA)
    queue.decide("marc", MIDI, Answer.SKIP)
    assert queue.status().pairs == ()


def test_each_two_of_three_are_a_pair(queue: Queue) -> None:
    for name in ("marc", "anna", "lou"):
        queue.decide(name, MIDI, Answer.NTA)
    pairs = [(pair.first, pair.second) for pair in queue.status().pairs]
    assert pairs == [("anna", "lou"), ("anna", "marc"), ("lou", "marc")]


def test_the_status_adds_up(disagreed: Queue) -> None:
    disagreed.decide("anna", TARD, Answer.SKIP)
    status = disagreed.status()
    assert (status.messages, status.expert_messages, status.items) == (len(CORPUS), 9, 7)
    assert (status.items_final, status.items_disagreed, status.doubled) == (2, 1, 7)
    assert status.messages_decided == 2 + 2 + 1
    assert status.annotators == {"anna": 3, "marc": 3}
    assert disagreed.count("lou", Filters()) == 7 - 2 - 1
    assert disagreed.count("lou", Filters(state=State.DISAGREED)) == 1
