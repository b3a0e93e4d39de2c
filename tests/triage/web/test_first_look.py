"""The first look at the spellings of a queue: once kept, the page need not read all messages."""

import json
from pathlib import Path

import pytest

from tests.triage.web.queues import make_queue
from triage import Triage
from triage.queue import Queue, WordRule
from triage.vocabulary import IdentifierType
from triage.web import spellings
from triage.web.forms import translator
from triage.web.spellings import Spellings, first_look, likeliest

T = translator("en")
NOBODY: frozenset[str] = frozenset()


def test_a_first_look_shows_what_the_messages_would_without_reading_them(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = json.loads(json.dumps(first_look(queue)))
    shown = Spellings(queue).next("anna", NOBODY, T)
    assert shown
    monkeypatch.setattr(spellings, "MinedQueue", None)
    kept = Spellings(queue, lambda: first).next("anna", NOBODY, T)
    assert kept == json.loads(json.dumps(shown))


@pytest.mark.parametrize("is_put_off", [True, False])
def test_a_spelling_that_was_answered_or_put_off_is_left_out(
    queue: Queue, is_put_off: bool
) -> None:
    first = first_look(queue)
    look = first["looks"][0]
    if not is_put_off:
        queue.decide_word("anna", look["spelling"], WordRule.NEVER, IdentifierType.PRE)
    shown = likeliest(first, queue, {look["key"]} if is_put_off else NOBODY)
    assert shown == first["looks"][1]


def test_of_other_messages_or_once_a_rule_was_undone_a_first_look_holds_no_more(
    queue: Queue, tmp_path: Path, shipped: Triage
) -> None:
    first = first_look(queue)
    other = make_queue(tmp_path / "b.queue", shipped, [("1", "slt Zorguinette, sa va ?")])
    assert likeliest(first, Queue.open(other), NOBODY) is None
    queue.decide_word("anna", first["looks"][0]["spelling"], WordRule.NEVER, IdentifierType.PRE)
    with_rule = first_look(queue)
    queue.undo("anna")
    assert likeliest(with_rule, queue, NOBODY) is None
