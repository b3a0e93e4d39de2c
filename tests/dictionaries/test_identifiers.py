"""Identifiers are found whole where they stand, by their form, and what looks like one is not."""

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.dictionaries.cases import Case, read, read_cases, unmarked
from triage.dictionaries.build_pack import problems
from triage.dictionaries.recognisers import Recogniser, Recognisers, available, chosen, shipped

FORMS = read("identifiers")
CASES, IN_ENGLISH = read_cases(), read_cases("cases_en")
ALL = chosen("fr", ["all"])
FEWEST = 20


def of_kinds(table: str) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in FORMS[table].items() for text in texts]


def found_by_default(message: str) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.kind.value) for span in shipped("fr").find(message)]


def wrong(cases: Sequence[Case], recognisers: Recognisers) -> list[Case]:
    """Return the cases of which what is found is not what stands there."""
    found = recognisers.find_each([case.text for case in cases])
    return [
        case
        for case, spans in zip(cases, found, strict=True)
        if tuple((one.start, one.end) for one in spans if one.kind == case.type) != case.spans
    ]


@pytest.mark.parametrize("kind", sorted({case.type for case in CASES}))
def test_identifiers_are_found_whole_but_for_what_is_known_to_go_wrong(kind: str) -> None:
    cases = [case for case in CASES if case.type == kind]
    known = [case for case in cases if case.goes_wrong]
    assert wrong(cases, ALL) == known, "what is mended belongs to found or not_found"


@pytest.mark.parametrize("kind", sorted({case.type for case in IN_ENGLISH}))
def test_identifiers_of_english_messages_are_found(kind: str) -> None:
    assert wrong([case for case in IN_ENGLISH if case.type == kind], shipped("en")) == []


def test_there_are_enough_cases_of_each_type() -> None:
    with_one = Counter(case.type for case in CASES if case.spans)
    without = Counter(case.type for case in CASES if not case.spans)
    assert {kind for kind, n in with_one.items() if n < FEWEST or without[kind] < FEWEST} == set()


@pytest.mark.parametrize("recogniser", available("fr"), ids=lambda one: one.name)
def test_the_examples_of_a_recogniser_are_true(recogniser: Recogniser) -> None:
    find = ALL.find
    assert recogniser.examples
    for text in recogniser.examples:
        assert recogniser.kind in {span.kind for span in find(text)}
    for text in recogniser.counterexamples:
        assert recogniser.kind not in {span.kind for span in find(text)}


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_examples_of_a_pack_are_true(language: str) -> None:
    assert problems(language) == []


PAIRS = ("06", "39", "98", "12", "34")
WHOLE = [*of_kinds("whole"), *((kind, sign.join(PAIRS)) for kind, sign in of_kinds("between"))]


@pytest.mark.parametrize(("kind", "text"), WHOLE, ids=ascii)
def test_an_identifier_is_found_whole_alone_in_a_sentence_and_in_brackets(
    kind: str, text: str
) -> None:
    for before, behind in (("", ""), ("Oui, ", " stp"), ("Oui (", ").")):
        start = len(before)
        message = before + text + behind
        assert found_by_default(message) == [(start, start + len(text), kind)]


@pytest.mark.parametrize(("kind", "marked"), of_kinds("marked"))
def test_nothing_else_is_found(kind: str, marked: str) -> None:
    message, spans = unmarked(marked)
    assert found_by_default(message) == [(*span, kind) for span in spans]


@pytest.mark.parametrize(("kind", "message"), of_kinds("none"))
def test_what_looks_like_an_identifier_is_none(kind: str, message: str) -> None:
    kinds = {kind for *_, kind in found_by_default(message)}
    assert kind not in kinds if kind != "any" else not kinds
