"""Random fields find spans of any types, and are measured beside the program's own methods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import Lexicon
from triage.dictionaries.addresses import KnownWords
from triage.evaluation import sources
from triage.evaluation.sources import (
    find_addresses,
    labels_of,
    learn_addresses,
    learn_field,
    made_messages,
    spans_of,
)
from triage.reports.spans import Span

from .conftest import Measure, Row, Rows

# Tokens of three characters with a space between.
TEXT = "lea dit que zoe roy est par ici"
TOKENS = [(at, at + 3) for at in range(0, len(TEXT), 4)]
TYPES = ("PRE", "NOM", "ADR")
RULES, FIELD, CHAINED, UNITED, EVIDENCE = range(5)


@pytest.fixture(scope="module")
def tables(
    french: Lexicon, measure: Measure, few_trees: pytest.MonkeyPatch, rows: Rows
) -> tuple[list[Row], list[Row]]:
    """The tables of words and of addresses, learnt with few trees and few invented messages."""
    few = list(made_messages(french, 200, 200))
    few_trees.setattr(sources, "made_messages", lambda _: few)
    part = measure("sources", first=170)
    return rows(part, "Words that identify"), rows(part, "Postal addresses")


@pytest.mark.slow
def test_the_union_finds_all_that_rules_or_field_find(tables: tuple[list[Row], list[Row]]) -> None:
    words, addresses = tables
    assert len(words) == EVIDENCE + 1
    assert words[CHAINED] != words[FIELD]
    for alone in (RULES, FIELD):
        assert float(str(words[UNITED]["recall"])) >= float(str(words[alone]["recall"]))
    assert [row["found by"] for row in addresses] == ["rules", "random field", "union"]
    recall = [float(str(row["recall"])) for row in addresses]
    assert max(recall) == recall[-1] > 0


def features(text: str) -> list[list[str]]:
    return [[f"is {word}"] for word in text.split()]


def test_a_field_finds_spans_of_several_types_by_the_features_that_it_has_learnt() -> None:
    spans: list[Span] = [(0, 3, "PRE"), (12, 19, "NOM")]
    example = (features(TEXT), labels_of(TOKENS, spans))
    field = learn_field([example] * 5)
    more = [[*names, "is never seen"] for names in features(TEXT)]
    for seen in (features(TEXT), more):
        assert spans_of(field.tag(seen), TOKENS) == spans
    assert spans_of(field.tag([]), []) == []


@given(st.data())
def test_labels_and_spans_are_inverse(data: st.DataObject) -> None:
    spans: list[Span] = []
    token = data.draw(st.integers(0, 3))
    while token < len(TOKENS):
        last = data.draw(st.integers(token, len(TOKENS) - 1))
        spans.append((TOKENS[token][0], TOKENS[last][1], data.draw(st.sampled_from(TYPES))))
        token = last + 1 + data.draw(st.integers(0, 3))
    assert spans_of(labels_of(TOKENS, spans), TOKENS) == spans


@pytest.mark.slow
def test_a_field_that_learnt_from_invented_messages_finds_addresses(french: Lexicon) -> None:
    known = KnownWords(french)
    field = learn_addresses(made_messages(french, n_with=300, n_without=300), known)
    for before, address, after in (
        ("viens au ", "12 rue Foch", " stp"),
        ("j'habite ", "3 bis avenue de Toulouse, 34000 Montpellier", ""),
        ("adresse : ", "7 bd gambetta 30000 nimes", " a demain"),
    ):
        text = before + address + after
        assert [text[a:b] for a, b, _ in find_addresses(text, field, known)] == [address]
    for text in ("", "   ", "coucou", "rue", "on se voit à 18h ?"):
        assert find_addresses(text, field, known) == []
