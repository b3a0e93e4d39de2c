"""Items: their words and messages, which comes next to whom, and spellings that are in doubt."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.data.files import write
from tests.triage.queue import corpora as c
from tests.triage.queue.corpora import MIDI, ZOUZOU, MakeQueue, marked, sms
from triage import Triage
from triage.decide.tables import COLUMNS
from triage.dictionaries.normal import folded
from triage.queue import Answer, Filters, Order, Queue, Reason, Span, State, Task, WordRule
from triage.vocabulary import CERTAIN_FROM

CASES = cases_beside(__file__)

VOTES = ("UNTAGGED", "NTA", "0.2", "EXPERT", "")


def test_a_word_has_its_label_its_lists_its_evidence_and_its_type(queue: Queue) -> None:
    coucou, zouzou, *_ = queue.item(ZOUZOU).words
    assert (coucou.label, coucou.suggested) == ("ANTI_DICTIONARY", False)
    assert (zouzou.kind, zouzou.label, zouzou.type) == ("WORD", "DICTIONARY", "SUR")
    assert "nicknames" in zouzou.reason
    assert (zouzou.evidence or 0.0) > 0.5 > (coucou.evidence or 0.0)
    # What may well be an identifier is suggested.
    item, nothing = queue.item(ZOUZOU), queue.item(MIDI)
    assert item.suggested_spans == marked(item.text, "Zouzou", type_="SUR")
    assert (item.suggestion, nothing.suggestion) == (Answer.TA, Answer.NTA)


@pytest.mark.parametrize("votes", [{"model": "TA"}, {"seek_hide": "TA"}])
def test_a_vote_suggests_the_strongest_word(make_queue: MakeQueue, votes: dict[str, str]) -> None:
    queue = make_queue(sms("on mange a midi", 1, **votes))
    item = queue.item(1)
    strongest = max(item.words, key=lambda word: word.evidence or 0.0)
    assert (strongest.evidence or 0.0) < CERTAIN_FROM
    assert item.suggested_spans == (Span(strongest.start, strongest.end, strongest.type),)
    assert item.suggestion is Answer.TA
    assert queue.rows("anna", Filters()) == [item]
    queue.decide_word("anna", strongest.text, WordRule.NEVER)
    assert strongest.text not in [w.text for w in queue.item(1).words if w.suggested]


def test_a_vote_on_any_message_of_a_text_counts_but_suggests_no_sign(make_queue: MakeQueue) -> None:
    midi, signs = "on mange a midi", ("😀 !!", "…")
    later = sms(midi, 2, model="TA", action="TA", score=0.9)
    queue = make_queue(sms(midi, 1), later, *(sms(text, 3, seek_hide="TA") for text in signs))
    assert (queue.item(1).votes.model, queue.item(1).suggestion) == ("NTA", Answer.TA)
    assert [queue.item(n).suggested_spans for n in (2, 3)] == [(), ()]
    assert [queue.item(n).suggestion for n in (2, 3)] == [None, None]


CONVERSATIONS: dict[str, Any] = CASES["conversations"]


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_messages_of_a_chat_stand_around_one(case: str, create: Callable[..., Queue]) -> None:
    columns, rows, around = CONVERSATIONS[case]
    queue = create(write("sms.csv", (*columns, *COLUMNS), ((*row, *VOTES) for row in rows)))
    assert [[one.text for one in part] for part in queue.context(1)] == around
    assert queue.context(99) == ([], [])


NEXT = cases_beside(__file__, "next.toml")


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


def listed(queue: Queue, filters: Filters) -> set[int]:
    """Return the items that filters let through, once all ways of asking agree."""
    rows = [row.number for row in queue.rows("anna", filters, limit=99)]
    assert len(rows) == len(set(rows)) == queue.count("anna", filters)
    assert sorted(rows) == queue.numbers("anna", filters)
    assert (queue.next("anna", filters) in rows) if rows else True
    queue.release("anna")
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


def test_chance_is_the_same_each_time_but_not_the_files_order(make_queue: c.MakeQueue) -> None:
    messages = c.MANY[:40]
    queues = make_queue(*messages, name="one"), make_queue(*messages[::-1], name="other")
    one, other = (
        [row.text for row in queue.rows("anna", Filters(), Order.RANDOM)] for queue in queues
    )
    assert one == other != [message.text for message in messages]
    assert all_that_come(queues[0], "anna", Order.FILE) == [*range(1, 41)]


@pytest.mark.parametrize(("above", "n_messages", "ranked"), NEXT["ranked"])
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


def test_what_is_read_comes_to_nobody_else(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_items_are_found_by_words_senders_and_votes(make_queue: c.MakeQueue) -> None:
    queue = make_queue(*c.CORPUS, c.sms("l’Eléa d'hier", 20, "9"))
    items = c.ITEMS | {"l’Eléa d'hier": len(c.ITEMS) + 1}
    for asked, texts in NEXT["filters"]:
        assert listed(queue, Filters(**asked)) == {items[text] for text in texts}, asked
    everywhere = Filters(state=State.ALL, word="solveig")
    assert listed(queue, everywhere) == {c.SOLVEIG}


@pytest.mark.parametrize("case", NEXT["rates"], ids=lambda case: case["about"])
def test_the_rate_is_of_decisions_an_hour(
    case: dict[str, Any], queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [first + step * n for first, step, times in case["seconds"] for n in range(times)]
    per_hour = case.get("per_hour")
    start = datetime(2011, 9, 15, tzinfo=UTC)
    times = ((start + timedelta(seconds=second)).isoformat() for second in seconds)
    monkeypatch.setattr("triage.queue.queue._now", times.__next__)
    for _ in seconds:
        queue.decide("anna", c.MIDI, Answer.NTA)
    progress = queue.progress("anna")
    assert progress.per_hour == (per_hour and pytest.approx(per_hour))
    assert progress.seconds_left == (per_hour and pytest.approx(progress.open * 3600 / per_hour))


DOUBTFUL: list[str] = CASES["doubtful"]


@pytest.fixture
def asked(make_queue: c.MakeQueue) -> Queue:
    """A queue of names that are in doubt wherever they stand, and of words that never are."""
    return make_queue(*(c.sms(text, n) for n, text in enumerate(DOUBTFUL)))


def in_doubt(queue: Queue) -> dict[str, int]:
    return {folded(one.spelling): one.n_settled for one in queue.in_doubt("anna")}


def test_what_settles_most_comes_first_and_rules_leave_the_rest(asked: Queue, add: c.Add) -> None:
    # What is in fewer than three items is not asked.
    assert list(in_doubt(asked).items()) == [("lola", 9), ("tarek", 6), ("solveig", 3)]
    add(asked, c.sms("on mange avec MAËLLE", 99))
    assert in_doubt(asked)["maelle"] == 3
    asked.decide_word("marc", "lola", WordRule.NEVER)
    assert in_doubt(asked) == {"tarek": 9, "solveig": 6, "maelle": 3}


def test_what_was_handed_over_is_settled_by_the_rule_of_its_word_alone(asked: Queue) -> None:
    place = asked.item(1).suggested_spans[0]
    of_word = Task(Reason.FINDING, row=1, start=place.start, end=place.end, type=place.type)
    asked.add_items([of_word])
    assert in_doubt(asked) == {"lola": 9, "tarek": 6, "solveig": 3}
    asked.add_items([Task(Reason.LEAK, row=1)])
    assert in_doubt(asked) == {"lola": 8, "tarek": 6, "solveig": 3}


def test_a_number_in_parts_is_no_spelling(make_queue: c.MakeQueue) -> None:
    number = "06 39 98 12 34"
    queue = make_queue(*(c.sms(f"{number} a {hour} h", hour) for hour in range(5)))
    assert queue.item(1).suggested_spans
    assert in_doubt(queue) == {}


def test_places_of_a_word_are_one_of_each_open_item(asked: Queue, add: c.Add) -> None:
    add(asked, c.sms("Maëlle ou maelle", 99))
    asked.decide("anna", DOUBTFUL.index("maelle mange a midi") + 1, Answer.NTA)
    places = asked.places("anna", "maëlle", 5)
    assert [text[start:end] for _, start, end, text in places] == ["Maëlle", "Maëlle"]
    assert asked.places("anna", "maëlle", 1) == places[:1]
