"""Identifiers of messages: found by their rules, never released where their form is known."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.data.files import csv_of
from triage import Triage
from triage.anonymise.keys import read_key_table
from triage.decide.find import (
    Found,
    Identifier,
    Judged,
    Neighbours,
    Rule,
    ScoredMessages,
    find,
    likely_type,
    without_overlaps,
)
from triage.decide.pipeline import with_user_lists
from triage.decide.policy import Finds, coverage, standing
from triage.dictionaries import Kind, Labeller, Lexicon, label_messages
from triage.dictionaries.recognisers import Recogniser, Recognisers
from triage.queue.fill import read_words
from triage.settings import Ambiguous, Policy, PolicyName
from triage.vocabulary import SUSPECT_FROM, Action, IdentifierType, Span

TA, NTA = Action.TA, Action.NTA
CERTAIN, DOUBTED, NOTHING = 0.9, 0.1, 0.01
CASES, WHOLE = cases_beside(__file__), cases_beside(__file__, "identifiers.toml")


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
def test_forms_are_always_found(written: str, types: str, action: Action, shipped: Triage) -> None:
    found = search(shipped, written, {}, action).identifiers
    assert " ".join(one.type for one in found) == types
    assert {one.rule for one in found} <= {Rule.PATTERN, Rule.ADDRESS}


@pytest.mark.parametrize(
    ("evidence", "action", "expected"),
    [(DOUBTED, TA, "zelda list"), (CERTAIN, NTA, "zelda list"), (DOUBTED, NTA, "")],
)
def test_own_words_are_sure(evidence: float, action: Action, expected: str, tmp_path: Path) -> None:
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


LAST_NAMES = [
    *(("fr", *case) for case in CASES["last_names"]),
    *(("en", *case) for case in CASES["titles_in_english"]),
]


@pytest.mark.parametrize(("language", "message", "expected"), LAST_NAMES)
def test_last_names_are_found_nearby(language: str, message: str, expected: dict[str, str]) -> None:
    [found] = Triage.load(language).identifiers([message])
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
    ("marked", "stands"), [((7, 14), False), ((0, 7), True), ((7, 7), False), ((12, 20), False)]
)
def test_what_is_untouched_stands(shipped: Triage, marked: tuple[int, int], stands: bool) -> None:
    of = shipped.weighed(["Coucou Patrice, ça va ?", "Coucou Patrice, ça va ?"])
    assert standing(of, [[(*marked, "PRE")], []]).tolist() == [stands, False]


FIVE_MESSAGES: list[str] = CASES["five_messages"]


def test_a_name_has_its_evidence_and_a_telephone_number_a_score_of_one(shipped: Triage) -> None:
    [[name, telephone]] = shipped.identifiers(FIVE_MESSAGES[:1])
    assert (name.type, name.rule) == ("PRE", "evidence")
    assert 0.3 <= name.score < 1
    assert (telephone.type, telephone.rule, telephone.score) == ("TEL", "pattern", 1.0)


def test_they_are_what_anonymise_replaces(shipped: Triage, run: Callable[..., object]) -> None:
    run("classify", csv_of(*FIVE_MESSAGES), "-o", Path("out.csv"))
    table = Path("keys.csv")
    options = ["--ambiguous", "mask", "--hold", "none", "--key-table"]
    run("anonymise", Path("out.csv"), "-o", Path("anon.csv"), *options, table)
    replaced = [(row["identifier"], row["type"]) for row in read_key_table(str(table))]
    found = shipped.identifiers(FIVE_MESSAGES, corpus_evidence=True)
    assert [
        (text[one.start : one.end], one.type.value)
        for text, of_message in zip(FIVE_MESSAGES, found, strict=True)
        for one in of_message
    ] == replaced


def test_evidence_of_the_corpus_may_be_used(shipped: Triage) -> None:
    messages = ["vois avec Namrata", "Namrata arrive", "chez Namrata ce soir"]
    alone = shipped.identifiers(messages)
    together = shipped.identifiers(messages, ["ana", "bob", "ana"], corpus_evidence=True)
    assert together[0][0].score != alone[0][0].score


def test_a_name_at_one_place_of_a_message_is_one_at_its_others(shipped: Triage) -> None:
    text = "c est qui ki vient? moi, seb,alex+ la cops a alex"
    [found] = shipped.identifiers([text])
    assert [text[one.start : one.end] for one in found] == ["seb", "alex", "alex"]


KINDS = [kind for kind in Kind if kind.is_identifier]
# The shipped weights know no codes: what stands around one decides.
WEIGHED = [kind for kind in KINDS if kind is not Kind.COD]
MARK = "§"
AROUND: list[str] = WHOLE["around"]


def triage_that_finds(kind: Kind, policy: PolicyName, *, strict: bool = False) -> Triage:
    triage = Triage.load("fr", policy=Policy(policy), strict=strict)
    marks = Recogniser("marks", kind, re.compile(f"{MARK}+"))
    triage.labeller = Labeller(triage.lexicon, Recognisers([marks]))
    return triage


@pytest.mark.parametrize("kind", KINDS)
def test_its_kind_is_its_type_wherever_it_is_suggested(kind: Kind) -> None:
    triage = triage_that_finds(kind, PolicyName.AGREEMENT)
    scored = triage.weighed([AROUND[1]])
    [words] = read_words(scored, 1, {})
    suggested = [type_.value for *_, type_ in words if type_]
    found = find(scored, [Judged(Action.TA)], Ambiguous.MASK)[0].identifiers
    assert suggested == [one.type.value for one in found] == [kind.value]


def test_a_name_is_suggested_as_the_type_that_it_has_in_its_place(shipped: Triage) -> None:
    scored = shipped.weighed(["T'as vu Odile Charpentier hier ?"])
    [words] = read_words(scored, 1, {})
    assert [type_.value for *_, type_ in words if type_] == ["PRE", "NOM"]


@pytest.mark.parametrize(("expected", "words"), CASES["type_by_form"].items())
def test_a_name_in_no_list_has_the_type_of_its_form(
    expected: str, words: str, shipped: Triage
) -> None:
    for word in words.split():
        labelled = shipped.labeller.label([word])
        one = labelled.labels[labelled.words.form[0]]
        assert likely_type(one, labelled.lexicon) == expected, word


@pytest.mark.parametrize("kind", WEIGHED)
@pytest.mark.parametrize("corpus_evidence", [False, True])
def test_both_votes_are_ta(kind: Kind, corpus_evidence: bool) -> None:
    triage = triage_that_finds(kind, PolicyName.AGREEMENT)
    decided = triage.decide(AROUND, corpus_evidence=corpus_evidence)
    votes = [*decided.seek_hide, *decided.model, *decided.action]
    assert {str(vote) for vote in votes} == {"TA"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", PolicyName)
@pytest.mark.parametrize("strict", [False, True])
def test_no_policy_releases_it_not_even_if_both_votes_would(
    kind: Kind, policy: PolicyName, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    triage = triage_that_finds(kind, policy, strict=strict)
    assert Action.NTA not in triage.decide(AROUND).action
    monkeypatch.setattr("triage.model.learnt.mixed_score", lambda _, values, __: 0 * values[:, 0])
    decided = triage.decide(AROUND)
    assert {*decided.model} == {"NTA"}
    assert Action.NTA not in decided.action


@pytest.mark.parametrize(("message", "finds"), WHOLE["sure"])
def test_a_form_that_tells_of_somebody_is_sure(message: str, finds: str, shipped: Triage) -> None:
    scored = shipped.weighed([message])
    assert scored.words is not None
    assert coverage(scored.labelled, scored.words).found.tolist() == [Finds[finds]]


@pytest.mark.parametrize("case", WHOLE["apart"], ids=lambda case: case["about"])
def test_the_surer_of_two_finds_stands(case: dict[str, Any]) -> None:
    text = case["text"]
    found = [
        Identifier(start, end, IdentifierType(of), Rule(by)) for start, end, of, by in case["found"]
    ]
    kept = without_overlaps(found, text)
    assert [[text[one.start : one.end], one.rule] for one in kept] == case["kept"]


spans = st.tuples(st.integers(0, 19), st.integers(1, 8), st.sampled_from([*Rule]))


@given(st.lists(spans, max_size=6))
def test_every_character_that_was_found_is_covered_once(drawn: list[tuple[int, int, Rule]]) -> None:
    found = [
        Identifier(start, min(20, start + n), IdentifierType.PRE, rule) for start, n, rule in drawn
    ]
    kept = without_overlaps(found, "x" * 20)
    for at in range(20):
        here = [Rule(one.rule) for one in found if one.start <= at < one.end]
        stands = [Rule(one.rule) for one in kept if one.start <= at < one.end]
        assert stands == ([min(here, key=[*Rule].index)] if here else [])
