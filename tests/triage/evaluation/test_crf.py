"""A random field over any features finds spans of any types; labels and spans are one another's."""

from itertools import islice, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.evaluation.crf import Crf, labels_of, spans_of
from triage.reports.span_measures import Span

# Tokens of three characters with a space between.
TEXT = "lea dit que zoe roy est par ici"
TOKENS = [(at, at + 3) for at in range(0, len(TEXT), 4)]
TYPES = ("PRE", "NOM", "ADR")
LABELS = ("O", *(f"{place}-{type_}" for place in "BILU" for type_ in TYPES))


def features(text: str) -> list[list[str]]:
    return [[f"is {word}"] for word in text.split()]


@pytest.fixture(scope="module")
def crf() -> Crf:
    spans: list[Span] = [(0, 3, "PRE"), (12, 19, "NOM")]
    return Crf.learn([(features(TEXT), labels_of(TOKENS, spans))] * 5)


def test_spans_of_several_types_are_found_at_once(crf: Crf) -> None:
    assert crf.spans(features(TEXT), TOKENS) == [(0, 3, "PRE"), (12, 19, "NOM")]


def test_features_that_were_not_learnt_say_nothing(crf: Crf) -> None:
    more = [[*names, "is never seen"] for names in features(TEXT)]
    assert crf.spans(more, TOKENS) == crf.spans(features(TEXT), TOKENS)


def test_message_without_tokens_has_no_spans(crf: Crf) -> None:
    assert crf.spans([], []) == []


def test_same_examples_give_the_same_spans() -> None:
    texts = [" ".join(words) for words in islice(permutations(TEXT.split()), 0, 40_000, 800)]
    # They contradict one another, so that a small difference would show.
    examples = [(features(text), LABELS[: len(TOKENS)]) for text in texts]

    def found(crf: Crf) -> list[list[Span]]:
        return [crf.spans(features(text), TOKENS) for text in texts]

    assert found(Crf.learn(examples)) == found(Crf.learn(examples))


def test_strong_regularisation_leaves_out_every_feature() -> None:
    example = (features(TEXT), labels_of(TOKENS, [(12, 15, "PRE")]))
    assert Crf.learn([example]).spans(features(TEXT), TOKENS) == [(12, 15, "PRE")]
    assert Crf.learn([example], c1=1000.0).spans(features(TEXT), TOKENS) == []


@given(st.data())
def test_labels_and_spans_are_inverse(data: st.DataObject) -> None:
    spans: list[Span] = []
    token = data.draw(st.integers(0, 3))
    while token < len(TOKENS):
        last = data.draw(st.integers(token, len(TOKENS) - 1))
        spans.append((TOKENS[token][0], TOKENS[last][1], data.draw(st.sampled_from(TYPES))))
        token = last + 1 + data.draw(st.integers(0, 3))
    assert spans_of(labels_of(TOKENS, spans), TOKENS) == spans


def test_token_that_a_span_cuts_belongs_to_it() -> None:
    assert labels_of([(0, 5), (5, 9)], [(2, 6, "ADR")]) == ["B-ADR", "L-ADR"]


def test_span_between_tokens_labels_none() -> None:
    assert labels_of([(0, 3), (4, 7)], [(3, 4, "ADR")]) == ["O", "O"]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["B-ADR", "L-ADR", "B-ADR", "I-ADR", "L-ADR", "U-ADR"], [2, 3, 1]),
        (["I-ADR", "I-ADR", "O", "L-ADR"], [2, 1]),
        (["B-ADR", "O", "B-ADR", "B-ADR", "L-ADR"], [1, 1, 2]),
        (["B-PRE", "L-NOM"], [1, 1]),
        (["U-PRE", "I-PRE", "I-PRE", "U-PRE"], [1, 2, 1]),
        (["L-PRE", "L-PRE"], [1, 1]),
    ],
)
def test_impossible_labels_are_read_as_spans(labels: list[str], words: list[int]) -> None:
    found = spans_of(labels, TOKENS[: len(labels)])
    assert [(end - start + 1) // 4 for start, end, _ in found] == words


@given(st.lists(st.sampled_from(LABELS), max_size=len(TOKENS)))
def test_each_labelled_token_is_in_one_span_of_its_type(labels: list[str]) -> None:
    spans = spans_of(labels, TOKENS[: len(labels)])
    for (start, end), label in zip(TOKENS, labels, strict=False):
        around = [type_ for first, last, type_ in spans if first <= start and end <= last]
        assert around == ([] if label == "O" else [label[2:]])
    assert spans == sorted(spans)
