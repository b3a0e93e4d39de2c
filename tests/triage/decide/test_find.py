"""Identifiers of a message, the rules that find them, and the risk of what stays."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from triage import Triage
from triage.decide.find import Found, Judged, Neighbours, Rule, ScoredMessages, find
from triage.decide.pipeline import with_user_lists
from triage.decide.policy import coverage, standing
from triage.dictionaries import Lexicon, label_messages
from triage.settings import Ambiguous
from triage.vocabulary import SUSPECT_FROM, Action, IdentifierType, Span

TA, NTA = Action.TA, Action.NTA
CERTAIN, DOUBTED, NOTHING = 0.9, 0.1, 0.01
CASES = tomllib.loads(Path(__file__).with_name("find.toml").read_text(encoding="utf-8"))


def weighed(triage: Triage, text: str, evidence: Mapping[str, float]) -> ScoredMessages:
    scored = triage.weighed([text])
    labelled = scored.labelled
    assert scored.words is not None
    words = [labelled.labels[form].text for form in labelled.words.form.tolist()]
    assert set(evidence) <= set(words)
    p = np.array([evidence.get(word, NOTHING) for word in words])
    return replace(scored, words=replace(scored.words, log_odds=np.log(p / (1 - p))))


def search(
    triage: Triage,
    text: str,
    evidence: Mapping[str, float],
    judged: Judged | Action = TA,
    ambiguous: Ambiguous = Ambiguous.MASK,
) -> Found:
    one = Judged(judged) if isinstance(judged, Action) else judged
    [found] = find(weighed(triage, text, evidence), [one], ambiguous)
    return found


def rules(text: str, found: Found) -> str:
    return ", ".join(f"{text[i.start : i.end]} {i.rule}" for i in found.identifiers)


@pytest.mark.parametrize(
    ("ambiguous", "case"),
    [
        *((Ambiguous.MASK, case) for case in CASES["found"]),
        *((Ambiguous.KEEP, case) for case in CASES["kept"]),
    ],
)
def test_identifiers_are_found_in_order_each_by_its_rule(
    ambiguous: Ambiguous, case: dict[str, Any], shipped: Triage
) -> None:
    by_people, action = "people" in case, case.get("people", case.get("action", "TA"))
    spans = (
        Span(start, end, IdentifierType(type_)) for start, end, type_ in case.get("marked", ())
    )
    judged = Judged(Action(action), by_people, tuple(spans))
    found = search(shipped, case["text"], case.get("evidence", {}), judged, ambiguous)
    assert rules(case["text"], found) == case["found"]
    assert found.ambiguous == case.get("in_doubt", 0)


@pytest.mark.parametrize(("written", "types"), CASES["forms"].items())
@pytest.mark.parametrize("action", Action)
def test_what_is_known_by_its_form_is_found_whatever_the_action(
    written: str, types: str, action: Action, shipped: Triage
) -> None:
    found = search(shipped, written, {}, action).identifiers
    assert " ".join(one.type for one in found) == types
    assert {one.rule for one in found} <= {Rule.PATTERN, Rule.ADDRESS}


@pytest.mark.parametrize(
    ("evidence", "action", "expected"),
    [(DOUBTED, TA, "zelda list"), (CERTAIN, NTA, "zelda list"), (DOUBTED, NTA, "")],
)
def test_a_word_of_the_users_own_list_is_not_in_doubt(
    evidence: float, action: Action, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "ours.txt").write_text("zelda\n")
    ours = Triage.load("fr", names=[tmp_path / "ours.txt"])
    text = "jramene zelda"
    found = search(ours, text, {"zelda": evidence}, action, Ambiguous.KEEP)
    assert (rules(text, found), found.ambiguous) == (expected, 0)


def test_where_words_are_not_weighed_the_dictionaries_say_of_each_message(shipped: Triage) -> None:
    texts = ["Oui", "Coucou Patrice, la rose", "Slt Karim"]
    counted = ScoredMessages(shipped.labeller.label(texts), [""] * 3, None)
    found = find(counted, [Judged(NTA), Judged(TA), Judged(TA)], Ambiguous.KEEP)
    assert [rules(*both) for both in zip(texts, found, strict=True)] == [
        "",
        "Patrice evidence",
        "Karim evidence",
    ]


@pytest.mark.parametrize(("message", "expected"), CASES["last_names"])
def test_a_last_name_is_found_beside_a_first_name_or_a_title(
    message: str, expected: dict[str, str], shipped: Triage
) -> None:
    [found] = shipped.identifiers([message])
    assert {message[one.start : one.end]: one.type.value for one in found} == expected


@pytest.mark.parametrize(("message", "evidence", "is_found"), CASES["in_doubt"])
def test_beside_a_first_name_in_doubt_only_what_is_no_word_is_a_last_name(
    french: Lexicon, message: str, evidence: float, is_found: bool
) -> None:
    near = Neighbours(label_messages([message], french))
    found = near.last_names(np.array([0.0, evidence, 0.0]))
    assert found == ([(2, 2, 1)] if is_found else [])


def test_what_is_replaced_bears_no_risk_and_doubtful_words_do(shipped: Triage) -> None:
    messages = ("Coucou Patrice", "ok a plus", "appelle le 06 39 98 12 34", "tu viens avec perle?")
    by_place = "reserve au nom de charpentier pour 20h"
    scored = shipped.weighed([*messages, "vu poilpray hier", "vu lucas poilpray hier", by_place])
    assert scored.words is not None
    of = coverage(scored.labelled, scored.words)
    assert of.found.tolist()[:3] == [1, 0, 2]
    surely, none, _, doubtful, alone, beside_first_name, named_by_place = of.risk
    assert none < 0.01
    assert max(surely, named_by_place) < 0.05 < doubtful
    assert beside_first_name < alone


def test_a_word_in_no_list_is_read_where_names_stand(shipped: Triage) -> None:
    for of, (where, elsewhere) in CASES["where_names_stand"].items():
        triage = shipped if of == "fr" else Triage.load(of)
        scored = triage.weighed([*where, *elsewhere])
        assert scored.words is not None
        of_all = coverage(scored.labelled, scored.words)
        is_read = ((of_all.found > 0) | (of_all.risk >= SUSPECT_FROM)).tolist()
        assert is_read == [True] * len(where) + [False] * len(elsewhere)


def test_a_word_of_the_users_list_is_replaced_or_read(shipped: Triage, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("cahier\n", encoding="utf-8")
    lexicon = with_user_lists(shipped.lexicon, [tmp_path / "names.txt"], [])
    [action] = Triage(lexicon, shipped.model).decide(["j'ai oublié mon cahier"]).action
    [without] = shipped.decide(["j'ai oublié mon cahier"]).action
    assert (action is Action.NTA, without) == (False, Action.NTA)


@pytest.mark.parametrize("text", ["李明 arrive", "نوح lol", "salut נועה"])
def test_a_word_in_writing_without_capitals_is_read(text: str, shipped: Triage) -> None:
    assert shipped.decide([text, "nº 3 ok"]).action == [Action.EXPERT, Action.NTA]


@pytest.mark.parametrize(
    ("marked", "stands"), [((7, 14), False), ((0, 6), True), ((7, 7), False), ((12, 20), False)]
)
def test_an_identifier_stands_if_none_of_its_characters_is_replaced(
    shipped: Triage, marked: tuple[int, int], stands: bool
) -> None:
    of = shipped.weighed(["Coucou Patrice, ça va ?", "Coucou Patrice, ça va ?"])
    assert standing(of, [[(*marked, "PRE")], []]).tolist() == [stands, False]
