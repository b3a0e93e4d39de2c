"""Identifiers are found whole where they stand, and what looks like one is not."""

from collections import Counter

import pytest

from tests.dictionaries.recognisers.case_files import Case, read_cases
from triage.dictionaries.recognisers import Recogniser, available, chosen

CASES = read_cases()
FEWEST = 20


def found(case: Case) -> tuple[tuple[int, int], ...]:
    spans = chosen("fr", ["all"]).find(case.text)
    return tuple((span.start, span.end) for span in spans if span.kind == case.type)


@pytest.mark.parametrize("case", [c for c in CASES if not c.goes_wrong], ids=str)
def test_identifiers_are_found_whole_and_nothing_else(case: Case) -> None:
    assert found(case) == case.spans


@pytest.mark.parametrize("case", [c for c in CASES if c.goes_wrong], ids=str)
def test_what_is_known_to_go_wrong_still_does(case: Case) -> None:
    assert found(case) != case.spans, "mended: move it to found or not_found"


def test_there_are_enough_cases_of_each_type() -> None:
    with_one = Counter(case.type for case in CASES if case.spans)
    without = Counter(case.type for case in CASES if not case.spans)
    assert {kind for kind, n in with_one.items() if n < FEWEST or without[kind] < FEWEST} == set()


@pytest.mark.parametrize("recogniser", available("fr"), ids=lambda one: one.name)
def test_the_examples_of_a_recogniser_are_true(recogniser: Recogniser) -> None:
    find = chosen("fr", ["all"]).find
    assert recogniser.examples
    for text in recogniser.examples:
        assert recogniser.kind in {span.kind for span in find(text)}
    for text in recogniser.counterexamples:
        assert recogniser.kind not in {span.kind for span in find(text)}
