"""Which identifiers of a message are found, and by which rule."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from triage import Triage
from triage.decide.find import Found, Judged, find
from triage.decide.pipeline import ScoredMessages
from triage.decide.precedence import Rule
from triage.settings import Ambiguous
from triage.vocabulary import Action, IdentifierType, Span

TA, NTA, EXPERT = Action.TA, Action.NTA, Action.EXPERT
PRE, NOM = IdentifierType.PRE, IdentifierType.NOM
Search = Callable[..., Found]
CERTAIN, DOUBTED, NOTHING = 0.9, 0.1, 0.01


@pytest.fixture(scope="session")
def found_in(shipped: Triage) -> Search:
    """Find the identifiers of a message of which the words have the evidence that is said."""

    def search(
        text: str,
        evidence: Mapping[str, float] | None = None,
        judged: Judged | Action = TA,
        ambiguous: Ambiguous = Ambiguous.MASK,
    ) -> Found:
        weighed = _weighed(shipped, text, evidence or {})
        one = Judged(judged) if isinstance(judged, Action) else judged
        [found] = find(weighed, [one], ambiguous)
        return found

    return search


def _weighed(triage: Triage, text: str, evidence: Mapping[str, float]) -> ScoredMessages:
    scored = triage.score(triage.labeller.label([text]), [""])
    labelled = scored.labelled
    assert scored.words is not None
    words = [labelled.labels[form].text for form in labelled.words.form.tolist()]
    assert set(evidence) <= set(words)
    p = np.array([evidence.get(word, NOTHING) for word in words])
    return replace(scored, words=scored.words.weighed_anew(np.log(p / (1 - p))))


def _rules(text: str, found: Found) -> list[tuple[str, str]]:
    return [(text[i.start : i.end], i.rule) for i in found.identifiers]


def _types(found: Found) -> list[str]:
    return [i.type.value for i in found.identifiers]


@pytest.mark.parametrize(
    ("text", "action", "in_doubt"),
    [
        ("avec Julie Rose", TA, 1),
        ("Rose Julie", TA, 1),
        ("Julie et Rose", TA, 0),
        ("Julie Rose", NTA, 0),
    ],
)
def test_an_ambiguous_word_beside_a_certain_name_is_in_doubt(
    found_in: Search, text: str, action: Action, in_doubt: int
) -> None:
    assert found_in(text, {"Julie": CERTAIN, "Rose": DOUBTED}, action).ambiguous == in_doubt


@pytest.mark.parametrize("action", list(Action))
def test_a_word_of_much_evidence_is_found_whatever_the_action(
    action: Action, found_in: Search
) -> None:
    text = "Coucou Patrice, ça va ?"
    assert _rules(text, found_in(text, {"Patrice": CERTAIN}, action)) == [("Patrice", "evidence")]


@pytest.mark.parametrize("action", list(Action))
@pytest.mark.parametrize(
    ("written", "type_"),
    [
        ("06 39 98 12 34", "TEL"),
        ("zoe@example.org", "MEL"),
        ("http://example.org/zoe", "URL"),
        ("0639981234", "TEL"),
    ],
)
def test_what_is_known_by_its_form_is_found_whatever_the_action(
    written: str, type_: str, action: Action, found_in: Search
) -> None:
    text = f"voila {written} bisous"
    found = found_in(text, {}, action)
    assert _rules(text, found) == [(written, "pattern")]
    assert _types(found) == [type_]


@pytest.mark.parametrize(
    ("number", "type_"),
    [
        ("39981234", "NUM"),
        ("10639981234", "NUM"),
        ("979267245091035159", "NUM"),
        ("439981234", "TEL"),
        ("063998123", "TEL"),
        ("06399812345", "TEL"),
    ],
)
def test_a_long_number_is_one_of_a_telephone_if_it_nearly_is(
    number: str, type_: str, found_in: Search
) -> None:
    text = f"c {number} vite"
    found = found_in(text, {}, NTA)
    assert _rules(text, found) == [(number, "pattern")]
    assert _types(found) == [type_]


def test_a_number_of_eight_digits_behind_its_trigger_is_one_of_a_telephone(
    found_in: Search,
) -> None:
    assert _types(found_in("appelle 39981234 vite", {}, NTA)) == ["TEL"]


@pytest.mark.parametrize(
    "number",
    ["3998123", "3,14159265", "43.61076923", "12.500.000", "1.500.000,50", "1000000000000"],
)
def test_a_short_number_a_decimal_and_a_round_amount_stay(number: str, found_in: Search) -> None:
    assert found_in(f"il a gagné {number} je crois", {}, NTA).identifiers == []


def test_a_name_of_little_evidence_is_found_by_the_dictionary(found_in: Search) -> None:
    text = "jramene Patrice et Karim"
    found = found_in(text, {"Patrice": DOUBTED, "Karim": CERTAIN})
    assert _rules(text, found) == [("Patrice", "dictionary"), ("Karim", "evidence")]
    assert found.ambiguous == 1


def test_a_name_without_evidence_is_nobody(found_in: Search) -> None:
    found = found_in("jramene Patrice demain", {"Patrice": NOTHING})
    assert (found.identifiers, found.ambiguous) == ([], 0)


def test_a_common_word_of_little_evidence_is_not_ambiguous(found_in: Search) -> None:
    found = found_in("jramene Patrice et la table", {"Patrice": CERTAIN, "table": DOUBTED})
    assert (len(found.identifiers), found.ambiguous) == (1, 0)


def test_in_a_message_that_is_nta_an_ambiguous_word_stays(found_in: Search) -> None:
    assert found_in("jramene Patrice", {"Patrice": DOUBTED}, NTA).identifiers == []


def test_in_a_message_for_the_expert_an_ambiguous_word_goes(found_in: Search) -> None:
    text = "jramene Patrice"
    found = found_in(text, {"Patrice": DOUBTED}, EXPERT)
    assert _rules(text, found) == [("Patrice", "dictionary")]


@pytest.mark.parametrize(
    ("evidence", "action", "rules"),
    [
        (DOUBTED, TA, [("zelda", "list")]),
        (CERTAIN, NTA, [("zelda", "list")]),
        (DOUBTED, NTA, []),
    ],
)
def test_a_word_of_the_users_own_list_is_not_in_doubt(
    evidence: float, action: Action, rules: list[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "ours.txt").write_text("zelda\n")
    ours = Triage.load("fr", names=[tmp_path / "ours.txt"])
    text = "jramene zelda"
    weighed = _weighed(ours, text, {"zelda": evidence})
    [found] = find(weighed, [Judged(action)], Ambiguous.KEEP)
    assert (_rules(text, found), found.ambiguous) == (rules, 0)


@pytest.mark.parametrize(
    ("evidence", "rule"), [({"Patrice": DOUBTED}, "dictionary"), ({"jramene": 0.25}, "carried")]
)
def test_in_a_message_that_people_said_is_ta_no_word_is_in_doubt(
    evidence: Mapping[str, float], rule: str, found_in: Search
) -> None:
    text = "jramene Patrice"
    found = found_in(text, evidence, Judged(TA, by_people=True), Ambiguous.KEEP)
    assert _rules(text, found) == [(*evidence, rule)]
    assert found.ambiguous == 0


@pytest.mark.parametrize("ambiguous", [Ambiguous.HOLD, Ambiguous.MASK, Ambiguous.ASK])
def test_words_in_doubt_are_found_unless_they_are_to_stay(
    ambiguous: Ambiguous, found_in: Search
) -> None:
    found = found_in("jramene Patrice", {"Patrice": DOUBTED}, TA, ambiguous)
    assert (len(found.identifiers), found.ambiguous) == (1, 1)


@pytest.mark.parametrize("action", [TA, EXPERT])
def test_keep_leaves_words_in_doubt_and_counts_them(action: Action, found_in: Search) -> None:
    text = "jramene Patrice et Karim"
    evidence = {"Patrice": DOUBTED, "Karim": CERTAIN}
    found = found_in(text, evidence, action, Ambiguous.KEEP)
    assert _rules(text, found) == [("Karim", "evidence")]
    assert found.ambiguous == 1


def test_where_nothing_is_found_the_strongest_word_carried_ta(found_in: Search) -> None:
    text = "la table de rose"
    found = found_in(text, {"table": 0.21, "rose": 0.25})
    assert _rules(text, found) == [("rose", "carried")]


def test_what_carried_is_in_doubt(found_in: Search) -> None:
    assert found_in("la table de rose", {"rose": 0.25}).ambiguous == 1
    kept = found_in("la table de rose", {"rose": 0.25}, TA, Ambiguous.KEEP)
    assert (kept.identifiers, kept.ambiguous) == ([], 1)


def test_a_weak_word_carried_nothing(found_in: Search) -> None:
    assert found_in("la table de rose", {"rose": 0.19}).identifiers == []


def test_in_a_message_that_is_nta_nothing_carried(found_in: Search) -> None:
    assert found_in("la table de rose", {"rose": 0.25}, NTA).identifiers == []


def test_what_carries_counts_only_where_nothing_else_is_found(found_in: Search) -> None:
    text = "Patrice et la rose"
    found = found_in(text, {"Patrice": CERTAIN, "rose": 0.25})
    assert _rules(text, found) == [("Patrice", "evidence")]


def test_in_a_message_that_people_said_is_nta_nothing_is_found(found_in: Search) -> None:
    text = "Coucou Patrice au 06 39 98 12 34"
    judged = Judged(NTA, by_people=True, spans=(Span(7, 14, PRE),))
    found = found_in(text, {"Patrice": CERTAIN}, judged)
    assert (found.identifiers, found.ambiguous) == ([], 0)


def test_what_people_marked_is_found_and_nothing_else(found_in: Search) -> None:
    text = "Coucou Patrice et la table"
    judged = Judged(TA, by_people=True, spans=(Span(21, 26, NOM),))
    found = found_in(text, {"Patrice": CERTAIN}, judged)
    assert _rules(text, found) == [("table", "expert")]
    assert _types(found) == ["NOM"]


def test_what_people_marked_comes_in_order(found_in: Search) -> None:
    text = "Coucou Patrice et Karim"
    judged = Judged(TA, by_people=True, spans=(Span(18, 23, PRE), Span(7, 14, PRE)))
    found = found_in(text, {}, judged)
    assert _rules(text, found) == [("Patrice", "expert"), ("Karim", "expert")]


def test_where_people_marked_nothing_it_is_searched(found_in: Search) -> None:
    text = "Coucou Patrice"
    found = found_in(text, {"Patrice": CERTAIN}, Judged(TA, by_people=True))
    assert _rules(text, found) == [("Patrice", "evidence")]


def test_what_people_left_to_the_expert_is_searched(found_in: Search) -> None:
    text = "Coucou Patrice"
    found = found_in(text, {"Patrice": CERTAIN}, Judged(EXPERT, by_people=True))
    assert _rules(text, found) == [("Patrice", "evidence")]


def test_a_word_that_stands_twice_is_found_twice(found_in: Search) -> None:
    found = found_in("Patrice oh Patrice", {"Patrice": CERTAIN})
    assert [(i.start, i.end) for i in found.identifiers] == [(0, 7), (11, 18)]


def test_offsets_are_characters(found_in: Search) -> None:
    text = "👨‍👩‍👧‍👦 Cou\u0301cou Patrice 👍🏽"
    assert _rules(text, found_in(text, {"Patrice": CERTAIN})) == [("Patrice", "evidence")]


def test_a_message_that_holds_tags_keeps_them(found_in: Search) -> None:
    text = "Coucou <PRE_7>, tu viens avec Patrice ?"
    assert _rules(text, found_in(text, {"Patrice": CERTAIN})) == [("Patrice", "evidence")]


def test_where_words_are_not_weighed_the_dictionaries_say(shipped: Triage) -> None:
    text = "Coucou Patrice, la rose"
    weighed = replace(_weighed(shipped, text, {}), words=None)
    [found] = find(weighed, [Judged(TA)], Ambiguous.KEEP)
    assert _rules(text, found) == [("Patrice", "evidence")]


def test_each_message_has_its_own_identifiers(shipped: Triage) -> None:
    texts = ["Oui", "Coucou Patrice", "Slt Karim"]
    weighed = ScoredMessages(shipped.labeller.label(texts), [""] * 3, None)
    found = find(weighed, [Judged(NTA), Judged(TA), Judged(TA)], Ambiguous.MASK)
    assert [[(i.start, i.end) for i in one.identifiers] for one in found] == [
        [],
        [(7, 14)],
        [(4, 9)],
    ]


def test_identifiers_come_in_order_and_apart(found_in: Search) -> None:
    text = "06 39 98 12 34 Patrice et zoe@example.org, Karim"
    found = found_in(text, {"Patrice": DOUBTED, "Karim": CERTAIN})
    assert [rule for _, rule in _rules(text, found)] == [
        Rule.PATTERN,
        Rule.DICTIONARY,
        Rule.PATTERN,
        Rule.EVIDENCE,
    ]
    ends = [0, *(i.end for i in found.identifiers)]
    assert all(end <= i.start for end, i in zip(ends, found.identifiers, strict=False))


def test_an_address_is_one_identifier_whatever_the_action(found_in: Search) -> None:
    text = "c'est 12 rue des Lilas 34000 Montpellier ok"
    for action in Action:
        found = found_in(text, {}, action)
        assert _rules(text, found) == [("12 rue des Lilas 34000 Montpellier", "address")]
        assert _types(found) == ["ADR"]


def test_a_name_in_an_address_is_not_found_by_itself(found_in: Search) -> None:
    text = "Patrice habite 12 rue Patrice Lumière"
    found = found_in(text, {"Patrice": CERTAIN})
    assert [rule for _, rule in _rules(text, found)] == ["evidence", "address"]


def test_what_people_marked_goes_before_addresses(found_in: Search) -> None:
    text = "Patrice habite 12 rue des Lilas"
    judged = Judged(TA, by_people=True, spans=(Span(0, 7, PRE),))
    assert _rules(text, found_in(text, {}, judged)) == [("Patrice", "expert")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "stretch",
    ["Coucou Patrice, ça va ? ", "06 39 98 12 34 ", "chez moi 12 rue des Lilas 34000 Nîmes ok "],
)
def test_a_long_message_takes_a_time_in_proportion(stretch: str, shipped: Triage) -> None:
    text = stretch * (200_000 // len(stretch))
    weighed = ScoredMessages(shipped.labeller.label([text]), [""], None)
    start = time.process_time()
    [found] = find(weighed, [Judged(TA)], Ambiguous.MASK)
    assert time.process_time() - start < 5
    assert len(found.identifiers) >= 200_000 // len(stretch)
