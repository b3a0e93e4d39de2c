"""How sure a finding is: by its evidence, by how often it was replaced, and by its form."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.anonymise.grading import Certainty, grade
from triage.anonymise.search import Seen
from triage.anonymise.traces import Match, Trace
from triage.vocabulary import IdentifierType, Severity

CERTAIN, LIKELY, POSSIBLE = Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE
_ORDER = [CERTAIN, LIKELY, POSSIBLE]


@dataclass(frozen=True)
class Finding:
    """A finding as its evidence and its form make it."""

    trace: Trace
    evidence: float | None = 0.0
    is_common: bool = False
    is_in_place: bool = False
    text: str = "patrice"

    def graded(self, replaced: int = 1, standing: int = 1) -> Certainty:
        seen = Seen(
            *(0, 0, self.text, Match(self.trace, "patrice"), Severity.DIRECT),
            *(IdentifierType.PRE, self.evidence, self.is_common, self.is_in_place),
        )
        return grade(seen, replaced, standing)


@pytest.mark.parametrize(
    ("evidence", "replaced", "standing", "certainty"),
    [
        (0.9, 1, 1, CERTAIN),
        (0.1, 40, 1, CERTAIN),
        (0.1, 1, 1, LIKELY),
        (0.0, 40, 1, LIKELY),
        (0.0, 1, 1, POSSIBLE),
        (0.9, 1, 189, LIKELY),
        (0.1, 1, 189, LIKELY),
        (0.0, 1, 189, POSSIBLE),
    ],
)
def test_a_replaced_spelling_needs_evidence_or_to_be_mostly_replaced(
    evidence: float, replaced: int, standing: int, certainty: Certainty
) -> None:
    assert Finding(Trace.SAME, evidence).graded(replaced, standing) is certainty


@pytest.mark.parametrize(
    ("evidence", "replaced", "standing", "certainty"),
    [
        (0.6, 1, 1, CERTAIN),
        (0.3, 9, 1, LIKELY),
        (0.02, 9, 1, LIKELY),
        (0.02, 1, 9, POSSIBLE),
        (0.0, 9, 1, POSSIBLE),
    ],
)
def test_a_common_word_needs_more(
    evidence: float, replaced: int, standing: int, certainty: Certainty
) -> None:
    finding = Finding(Trace.SAME, evidence, is_common=True)
    assert finding.graded(replaced, standing) is certainty


def test_a_misspelling_that_stands_more_often_than_the_name_is_none() -> None:
    finding = Finding(Trace.MISSPELT, 0.1)
    assert finding.graded(replaced=2, standing=1) is LIKELY
    assert finding.graded(replaced=2, standing=5) is POSSIBLE


def test_a_short_word_is_a_misspelling_of_a_frequent_name_rather() -> None:
    finding = Finding(Trace.MISSPELT, 0.02, text="jaen")
    assert [finding.graded(replaced) for replaced in (1, 2, 3)] == [POSSIBLE, POSSIBLE, LIKELY]


@pytest.mark.parametrize("trace", [Trace.FORM, Trace.NUMBER])
def test_forms_and_numbers_are_certain(trace: Trace) -> None:
    assert Finding(trace).graded() is CERTAIN


@pytest.mark.parametrize("trace", [Trace.INITIALS, Trace.EVIDENCE])
def test_initials_and_words_in_the_place_of_names_are_likely(trace: Trace) -> None:
    assert Finding(trace, 0.9).graded() is LIKELY


def test_a_word_of_a_street_is_certain_behind_its_kind_unless_it_is_common() -> None:
    assert Finding(Trace.ADDRESS, is_in_place=True).graded() is CERTAIN
    assert Finding(Trace.ADDRESS, is_in_place=True, is_common=True).graded() is LIKELY
    assert Finding(Trace.ADDRESS).graded() is LIKELY


def test_without_evidence_the_spelling_alone_tells() -> None:
    assert Finding(Trace.SAME, None).graded() is CERTAIN
    assert Finding(Trace.SAME, None, is_common=True).graded() is POSSIBLE
    assert Finding(Trace.VARIANT, None).graded() is LIKELY


@given(
    st.sampled_from(Trace),
    st.booleans(),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(1, 50),
    st.integers(1, 50),
)
def test_more_evidence_never_makes_a_finding_less_sure(
    trace: Trace, is_common: bool, one: float, other: float, replaced: int, standing: int
) -> None:
    less, more = (
        Finding(trace, p, is_common).graded(replaced, standing) for p in sorted((one, other))
    )
    assert _ORDER.index(more) <= _ORDER.index(less)
