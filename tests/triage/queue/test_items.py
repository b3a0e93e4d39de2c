"""Content of an item: its words and what is suggested, its messages and those around them."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.queue.corpora import ITEMS, MIDI, ZOUZOU, MakeQueue, marked, sms
from triage.decide.tables import COLUMNS
from triage.queue import Answer, Filters, Queue, Span, WordRule
from triage.vocabulary import CERTAIN_FROM

CASES = cases_beside(__file__)

VOTES = ("UNTAGGED", "NTA", "0.2", "EXPERT", "")


@pytest.mark.parametrize("text", ITEMS)
def test_words_stand_where_their_offsets_say(text: str, queue: Queue) -> None:
    words = queue.item(ITEMS[text]).words
    assert [text[w.start : w.end] for w in words] == [w.text for w in words]
    assert "".join(w.text for w in words) == text.replace(" ", "")


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
def test_where_a_vote_says_ta_the_strongest_word_is_suggested(
    make_queue: MakeQueue, votes: dict[str, str]
) -> None:
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
def test_messages_of_a_conversation_stand_around_one(
    case: str, create: Callable[..., Queue]
) -> None:
    columns, rows, around = CONVERSATIONS[case]
    with Path("sms.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([(*columns, *COLUMNS), *((*row, *VOTES) for row in rows)])
    queue = create(Path("sms.csv"))
    assert [[one.text for one in part] for part in queue.context(1)] == around
    assert queue.context(99) == ([], [])
