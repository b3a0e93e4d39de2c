"""Spellings of which a rule would settle open items, and what rules have settled."""

import random
from collections.abc import Callable

import pytest

from tests.triage.queue import corpora as c
from triage.dictionaries.normal import folded
from triage.queue import Answer, Queue, WordRule

NAMES = ("Lola", "tarek", "Solveig", "MAELLE")
WITH = ("Lola", "lola", "LOLA", "tarek", "Tarek", "Solveig", "solveig et lola", "Tarek et Lola")
TEXTS = [
    *(f"on mange avec {who} a {hour} h" for who in WITH for hour in (9, 12, 20)),
    "on mange avec Maëlle",
    "maelle mange a midi",
    "on mange a midi",
]


@pytest.fixture
def asked(make_queue: c.MakeQueue) -> Queue:
    """A queue of names that are in doubt wherever they stand, and of words that never are."""
    return make_queue(*(c.sms(text, n) for n, text in enumerate(TEXTS)))


def _found(queue: Queue, annotator: str = "anna") -> dict[str, int]:
    return {folded(one.spelling): one.n_settled for one in queue.in_doubt(annotator)}


def _expected(queue: Queue, annotator: str) -> dict[str, int]:
    """Return what each name would settle, by what its rule would do."""
    effects = {
        folded(name): queue.effect_of_word(annotator, name, WordRule.NEVER) for name in NAMES
    }
    return {
        name: effect.n_settled
        for name, effect in effects.items()
        if name not in queue.word_rules() and effect.n_items >= 3 and effect.n_settled
    }


def _anything(queue: Queue, chance: random.Random) -> None:
    """Do one of the things by which items are settled, opened, shared or put off."""
    who, item = chance.choice(["anna", "marc"]), chance.randint(1, len(TEXTS))
    acts: list[Callable[[], object]] = [
        lambda: queue.decide(who, item, chance.choice([*Answer])),
        lambda: queue.decide(who, item, chance.choice([*Answer])),
        lambda: queue.decide_word(who, chance.choice(NAMES), chance.choice([*WordRule])),
        lambda: queue.undo(who),
        lambda: queue.undo(who),
        lambda: queue.assign(["anna", "marc"], chance.random()),
    ]
    chance.choice(acts)()


@pytest.mark.parametrize("seed", range(4))
def test_a_spelling_settles_what_its_rule_would(seed: int, asked: Queue) -> None:
    chance, seen = random.Random(seed), set()  # noqa: S311
    for _ in range(40):
        for name in ("anna", "marc"):
            found = _found(asked, name)
            assert found == _expected(asked, name)
            seen.add(tuple(found.values()))
        _anything(asked, chance)
    assert len(seen) > 5


def test_what_settles_most_comes_first_and_what_a_rule_leaves_alone_in_doubt_counts(
    asked: Queue, add: c.Add
) -> None:
    # What is in fewer than three items is not asked.
    assert list(_found(asked).items()) == [("lola", 9), ("tarek", 6), ("solveig", 3)]
    add(asked, c.sms("on mange avec MAËLLE", 99))
    assert _found(asked)["maelle"] == 3
    asked.decide_word("marc", "lola", WordRule.NEVER)
    assert _found(asked) == {"tarek": 9, "solveig": 6, "maelle": 3}


def test_a_number_in_parts_is_no_spelling(make_queue: c.MakeQueue) -> None:
    number = "06 39 98 12 34"
    queue = make_queue(*(c.sms(f"{number} a {hour} h", hour) for hour in range(5)))
    assert queue.item(1).suggested_spans
    assert _found(queue) == {}


def test_places_of_a_word_are_one_of_each_open_item(asked: Queue, add: c.Add) -> None:
    add(asked, c.sms("Maëlle ou maelle", 99))
    asked.decide("anna", TEXTS.index("maelle mange a midi") + 1, Answer.NTA)
    places = asked.places("anna", "maëlle", 5)
    assert [text[start:end] for _, start, end, text in places] == ["Maëlle", "Maëlle"]
    assert asked.places("anna", "maëlle", 1) == places[:1]


def test_messages_that_rules_settled_are_counted_until_they_are_undone(asked: Queue) -> None:
    asked.decide("anna", len(TEXTS), Answer.NTA)
    asked.decide_word("anna", "solveig", WordRule.ALWAYS)
    asked.decide_word("marc", "tarek", WordRule.NEVER)
    assert asked.status().settled_by_words == 6 + 6
    asked.undo("marc")
    assert asked.status().settled_by_words == 6


def test_what_waits_for_a_second_annotator_is_not_settled(asked: Queue) -> None:
    asked.double(1.0)
    asked.decide_word("anna", "solveig", WordRule.ALWAYS)
    assert asked.status().settled_by_words == 0
    asked.decide_word("marc", "solveig", WordRule.ALWAYS)
    assert asked.status().settled_by_words == 6
