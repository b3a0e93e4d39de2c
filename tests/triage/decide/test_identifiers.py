"""The identifiers of messages: found, never released where their form is known, apart."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage import Triage
from triage.anonymise.keys import read_key_table
from triage.decide.find import Identifier, Judged, Rule, apart, find
from triage.decide.policy import Finds, coverage
from triage.dictionaries import Kind, Labeller
from triage.dictionaries.recognisers import Recogniser, Recognisers
from triage.queue.fill import read_words
from triage.settings import Ambiguous, Policy, PolicyName
from triage.vocabulary import Action, IdentifierType

CASES = cases_beside(__file__)
MESSAGES = [
    "Coucou Patrice, appelle moi au 06 39 98 12 34",
    "j'arrive dans 5 minutes",
    "on mange chez Nico ce soir ?",
    "",
    "je suis au 12 rue des Lilas a Nantes",
]


def test_a_name_has_its_evidence_and_a_telephone_number_a_score_of_one(shipped: Triage) -> None:
    [[name, telephone]] = shipped.identifiers(MESSAGES[:1])
    assert (name.type, name.rule) == ("PRE", "evidence")
    assert 0.3 <= name.score < 1
    assert (telephone.type, telephone.rule, telephone.score) == ("TEL", "pattern", 1.0)


def test_they_are_what_anonymise_replaces(
    shipped: Triage, run: Callable[..., object], csv_of: Callable[..., Path]
) -> None:
    run("classify", csv_of(*MESSAGES), "-o", Path("out.csv"))
    table = Path("keys.csv")
    options = ["--ambiguous", "mask", "--hold", "none", "--key-table"]
    run("anonymise", Path("out.csv"), "-o", Path("anon.csv"), *options, table)
    replaced = [(row["identifier"], row["type"]) for row in read_key_table(str(table))]
    found = shipped.identifiers(MESSAGES, corpus_evidence=True)
    assert [
        (text[one.start : one.end], one.type.value)
        for text, of_message in zip(MESSAGES, found, strict=True)
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
FOUND = "§§§§"
FORMS = (
    f"coucou, envoie moi ca sur {FOUND} stp merci",
    f"voila {FOUND}",
    f"{FOUND}",
    f"on se voit demain ? au fait {FOUND} bisous",
    f"Zorvanelle kelyo {FOUND}",
)


def triage_that_finds(kind: Kind, policy: PolicyName, *, strict: bool = False) -> Triage:
    triage = Triage.load("fr", policy=Policy(policy), strict=strict)
    marks = Recogniser("marks", kind, re.compile(f"{FOUND[0]}+"))
    triage.labeller = Labeller(triage.lexicon, Recognisers([marks]))
    return triage


@pytest.mark.parametrize("kind", KINDS)
def test_its_kind_is_its_type_wherever_it_is_suggested(kind: Kind) -> None:
    triage = triage_that_finds(kind, PolicyName.AGREEMENT)
    scored = triage.weighed([FORMS[1]])
    [words] = read_words(scored, 1, {})
    suggested = [type_.value for *_, type_ in words if type_]
    found = find(scored, [Judged(Action.TA)], Ambiguous.MASK)[0].identifiers
    assert suggested == [one.type.value for one in found] == [kind.value]


def test_a_name_is_suggested_as_the_type_that_it_has_in_its_place(shipped: Triage) -> None:
    scored = shipped.weighed(["T'as vu Odile Charpentier hier ?"])
    [words] = read_words(scored, 1, {})
    assert [type_.value for *_, type_ in words if type_] == ["PRE", "NOM"]


@pytest.mark.parametrize("kind", WEIGHED)
@pytest.mark.parametrize("corpus_evidence", [False, True])
def test_both_votes_are_ta(kind: Kind, corpus_evidence: bool) -> None:
    triage = triage_that_finds(kind, PolicyName.AGREEMENT)
    decided = triage.decide(FORMS, corpus_evidence=corpus_evidence)
    votes = [*decided.seek_hide, *decided.model, *decided.action]
    assert {str(vote) for vote in votes} == {"TA"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", PolicyName)
@pytest.mark.parametrize("strict", [False, True])
def test_no_policy_releases_it_not_even_if_both_votes_would(
    kind: Kind, policy: PolicyName, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    triage = triage_that_finds(kind, policy, strict=strict)
    assert Action.NTA not in triage.decide(FORMS).action
    monkeypatch.setattr("triage.model.learnt.voted", lambda _forest, values, _: 0 * values[:, 0])
    decided = triage.decide(FORMS)
    assert {*decided.model} == {"NTA"}
    assert Action.NTA not in decided.action


@pytest.mark.parametrize(("message", "finds"), CASES["sure"])
def test_a_form_that_tells_of_somebody_is_sure(message: str, finds: str, shipped: Triage) -> None:
    scored = shipped.weighed([message])
    assert scored.words is not None
    assert coverage(scored.labelled, scored.words).found.tolist() == [Finds[finds]]


ADR, PRE = IdentifierType.ADR, IdentifierType.PRE
TEXT = "chez moi 12 rue Jean Moulin ok"
HOME = Identifier(9, 27, ADR, Rule.ADDRESS)


NAME = Identifier(16, 20, PRE, Rule.LIST)
LEFT, RIGHT = Identifier(0, 4, PRE, Rule.LIST), Identifier(2, 6, PRE, Rule.LIST)


@pytest.mark.parametrize(
    ("text", "found", "kept"),
    [
        # A word of a list within an address leaves the rest of it.
        (TEXT, [HOME, NAME], [("12 rue ", "address"), ("Jean", "list"), (" Moulin", "address")]),
        # Nothing is left where signs alone remain.
        (
            "avec Léo. ok",
            [Identifier(5, 8, PRE, Rule.EVIDENCE), Identifier(5, 9, PRE, Rule.CARRIED)],
            [("Léo", "evidence")],
        ),
        # Of one rule the longer stands, then the earlier.
        (TEXT, [Identifier(9, 15, ADR, Rule.ADDRESS), HOME], [(TEXT[9:27], "address")]),
        ("abcdef", [RIGHT, LEFT], [("abcd", "list"), ("ef", "list")]),
    ],
)
def test_the_surer_of_two_finds_stands(
    text: str, found: list[Identifier], kept: list[tuple[str, str]]
) -> None:
    assert [(text[one.start : one.end], one.rule) for one in apart(found, text)] == kept


spans = st.tuples(st.integers(0, 19), st.integers(1, 8), st.sampled_from([*Rule]))


@given(st.lists(spans, max_size=6))
def test_every_character_that_was_found_is_covered_once_by_the_first_rule(
    drawn: list[tuple[int, int, Rule]],
) -> None:
    found = [Identifier(start, min(20, start + n), PRE, rule) for start, n, rule in drawn]
    kept = apart(found, "x" * 20)
    for at in range(20):
        here = [Rule(one.rule) for one in found if one.start <= at < one.end]
        stands = [Rule(one.rule) for one in kept if one.start <= at < one.end]
        assert stands == ([min(here, key=[*Rule].index)] if here else [])
