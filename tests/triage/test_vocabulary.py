"""Spans as JSON text or lists, parsed strictly where none may be lost; the names of types."""

import json
import re
from pathlib import Path

import pytest

from tests.cases import cases_beside
from triage import vocabulary
from triage.errors import TriageError
from triage.vocabulary import TYPE_NAMES, IdentifierType, Span, parse_spans, parse_triples

CASES = cases_beside(__file__)
TWO = [[7, 14, "PRE"], (0, 3, "LIE")]
NONE = [*CASES["none"], "[" * 100_000, None, 7]


@pytest.mark.parametrize("cell", [TWO, json.dumps(TWO)])
def test_spans_are_parsed_as_they_come(cell: object) -> None:
    assert parse_spans(cell) == (Span(7, 14, IdentifierType.PRE), Span(0, 3, IdentifierType.LIE))
    assert parse_triples(cell, strict=False) == [(7, 14, "PRE"), (0, 3, "LIE")]


NO_SPANS = [(cell, "no JSON list of") for cell in NONE]
NO_SPANS += [(cell, "whole numbers") for cell in CASES["no_whole_numbers"]]


@pytest.mark.parametrize(("cell", "problem"), NO_SPANS)
def test_what_is_no_list_of_spans_is_an_error(cell: object, problem: str) -> None:
    with pytest.raises(TriageError, match=problem):
        parse_spans(cell)


@pytest.mark.parametrize("kind", ["CITY", "pre", ""])
def test_another_type_is_an_error_where_none_may_be_lost(kind: str) -> None:
    cell = json.dumps([[0, 7, kind]])
    with pytest.raises(TriageError, match="none of PRE, NOM"):
        parse_spans(cell)
    assert parse_triples(cell) == parse_triples(cell, strict=False) == [(0, 7, kind)]


@pytest.mark.parametrize(("cell", "found"), [*((cell, []) for cell in NONE), *CASES["lenient"]])
def test_a_lenient_reading_finds_what_can_be_read(cell: object, found: list[object]) -> None:
    assert [[*one] for one in parse_triples(cell, strict=False)] == found


@pytest.mark.parametrize("ends", [(-1, 3), (3, 3), (4, 3), (10, 13)])
def test_spans_are_within_their_text(ends: tuple[int, int]) -> None:
    with pytest.raises(TriageError, match="not within the text, which has 12 characters"):
        vocabulary.check_spans([Span(*ends, IdentifierType.PRE)], 12)


def test_spans_do_not_overlap() -> None:
    touching = [Span(4, 8, IdentifierType.NOM), Span(0, 4, IdentifierType.PRE)]
    assert vocabulary.check_spans(touching, 8) == (touching[1], touching[0])
    with pytest.raises(TriageError, match="overlap at 3"):
        vocabulary.check_spans([*touching[1:], Span(3, 8, IdentifierType.NOM)], 8)


TYPES = Path(__file__).parents[2] / "docs" / "reference" / "types.md"


def test_every_type_has_names_of_its_own_which_the_documentation_shows() -> None:
    assert [*TYPE_NAMES] == [*IdentifierType]
    shown = TYPES.read_text(encoding="utf-8")
    for type_, names in TYPE_NAMES.items():
        assert (names.presidio in CASES["presidio"]) != (names.presidio in CASES["ours"])
        assert re.fullmatch(r'<[a-zA-Z]+(?: type="[A-Za-z]+")?>', names.tei)
        ours = " *" if names.presidio in CASES["ours"] else ""
        assert f"| {type_.value} | {names.one} | {names.presidio}{ours} | `{names.tei}` |" in shown
    for called in ("one", "several"):
        assert len({getattr(one, called) for one in TYPE_NAMES.values()}) == len(IdentifierType)
