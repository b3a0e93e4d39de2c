"""A message that holds an identifier known by its form is never released by the machine."""

import re

import pytest

from triage import Triage
from triage.dictionaries import Kind, Labeller
from triage.dictionaries.recognisers import Recogniser, Recognisers
from triage.model.coverage import Finds, coverage
from triage.model.find import Judged, find
from triage.queue.fill import WordReader
from triage.settings import Ambiguous, Policy, PolicyName
from triage.vocabulary import Action, IdentifierType

KINDS = [kind for kind in Kind if kind.is_identifier]
# The shipped weights know no codes: what stands around one decides.
WEIGHED = [kind for kind in KINDS if kind is not Kind.COD]
FOUND = "§§§§"
MESSAGES = (
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


def test_every_kind_of_identifier_is_a_type() -> None:
    assert {kind.value for kind in KINDS} <= {*IdentifierType}


@pytest.mark.parametrize("kind", KINDS)
def test_its_kind_is_its_type_wherever_it_is_suggested(kind: Kind) -> None:
    triage = triage_that_finds(kind, PolicyName.AGREEMENT)
    scored = triage.score(triage.labeller.label([MESSAGES[1]]), [""])
    [words] = WordReader().read(scored)
    suggested = [form.type for _, _, form, _, is_suggested in words if is_suggested]
    found = find(scored, [Judged(Action.TA)], Ambiguous.MASK)[0].identifiers
    assert suggested == [one.type.value for one in found] == [kind.value]


@pytest.mark.parametrize("kind", WEIGHED)
@pytest.mark.parametrize("corpus_evidence", [False, True])
def test_both_votes_are_ta(kind: Kind, corpus_evidence: bool) -> None:
    triage = triage_that_finds(kind, PolicyName.AGREEMENT)
    decided = triage.decide(MESSAGES, corpus_evidence=corpus_evidence)
    votes = [*decided.seek_hide, *decided.model, *decided.action]
    assert {str(vote) for vote in votes} == {"TA"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", PolicyName)
@pytest.mark.parametrize("strict", [False, True])
def test_no_policy_releases_it(kind: Kind, policy: PolicyName, strict: bool) -> None:
    decided = triage_that_finds(kind, policy, strict=strict).decide(MESSAGES)
    assert Action.NTA not in decided.action


@pytest.mark.parametrize("policy", PolicyName)
def test_not_even_if_both_votes_would(policy: PolicyName, monkeypatch: pytest.MonkeyPatch) -> None:
    triage = triage_that_finds(Kind.URL, policy, strict=True)
    monkeypatch.setattr("triage.model.learnt.voted", lambda _forest, values, _: 0 * values[:, 0])
    decided = triage.decide(MESSAGES)
    assert {*decided.model} == {"NTA"}
    assert {*decided.action} == {"EXPERT"}


@pytest.mark.parametrize(
    ("message", "finds"),
    [
        ("le digicode c'est 4512", Finds.SURE),
        ("va voir www.exemple.fr", Finds.IN_DOUBT),
        ("rien du tout", Finds.NOTHING),
    ],
)
def test_a_form_that_tells_of_somebody_is_sure(message: str, finds: Finds) -> None:
    triage = Triage.load("fr")
    covered = coverage(triage.score(triage.labeller.label([message]), [""]))
    assert covered is not None
    assert covered.found.tolist() == [finds]
