"""The random field decodes labels into addresses; its weights come back as they were written."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from triage.dictionaries.address_words import NOTHING_KNOWN, Tokens
from triage.features.address_crf import (
    LABELS,
    AddressCrf,
    labels_of,
    spans_of,
    viterbi,
    word_features,
)

B, I, L, O, U = range(5)  # noqa: E741


def row(**weights: float) -> tuple[float, ...]:
    return tuple(weights.get(label, 0.0) for label in LABELS)


# Knows an address as a number, a type of street, and a word with a capital.
CRF = AddressCrf(
    {
        "word": row(O=1.0),
        "+1 street type": row(B=4.0),
        "street type": row(I=4.0),
        "-1 street type": row(L=4.0),
    },
    {("B", "I"): 1.0, ("I", "L"): 1.0, ("O", "O"): 0.5},
)


def test_finds_an_address() -> None:
    text = "viens au 12 rue Foch stp"
    (span,) = CRF.addresses(text, NOTHING_KNOWN)
    assert text[span.start : span.end] == "12 rue Foch"


@pytest.mark.parametrize("text", ["", "   ", "coucou", "rue"])
def test_finds_none(text: str) -> None:
    assert CRF.addresses(text, NOTHING_KNOWN) == []


def test_weights_are_written_and_read(tmp_path: Path) -> None:
    path, again = tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"
    CRF.write(path)
    AddressCrf.read(path).write(again)
    assert AddressCrf.read(path) == CRF
    assert path.read_bytes() == again.read_bytes()


def test_features_are_named() -> None:
    features = word_features(Tokens("au 12bis, rue"), NOTHING_KNOWN)
    assert {"code ca", "+1 is ,", "-1 is au", "+2 street type", "+3 beyond"} <= set(features[1])
    assert "glued" in features[2]


def test_words_of_names_are_no_features() -> None:
    names = {
        name for names in word_features(Tokens("12 rue Zanzibar"), NOTHING_KNOWN) for name in names
    }
    assert not any("zanzibar" in name for name in names)


@given(st.integers(1, 5).flatmap(lambda n: arrays(float, (n, 3), elements=st.integers(-9, 9))))
def test_viterbi_finds_the_best_path(emissions: np.ndarray) -> None:
    transitions = np.array([[0.0, 2.0, -np.inf], [1.0, -1.0, 0.0], [3.0, 0.0, -2.0]])

    def score(path: tuple[int, ...]) -> float:
        steps = sum(transitions[a, b] for a, b in pairwise(path))
        return float(steps + sum(emissions[i, label] for i, label in enumerate(path)))

    best = max(score(path) for path in product(range(3), repeat=len(emissions)))
    assert score(tuple(viterbi(emissions, transitions))) == best


@given(
    st.lists(st.sampled_from(["12", "rue", "Foch", ",", "ok"]), min_size=1, max_size=8),
    st.data(),
)
def test_labels_and_spans_are_inverse(words: list[str], data: st.DataObject) -> None:
    tokens = Tokens(" ".join(words))
    start = data.draw(st.integers(0, len(tokens) - 1))
    end = data.draw(st.integers(start + 1, len(tokens)))
    labels = labels_of(tokens, [(tokens.start(start), tokens.end(end - 1))])
    assert spans_of(labels) == [(start, end)]


def test_addresses_side_by_side() -> None:
    assert spans_of(["B", "L", "B", "I", "L", "U"]) == [(0, 2), (2, 5), (5, 6)]


def test_a_label_that_may_not_follow_does_not() -> None:
    crf = AddressCrf({"word": row(I=5.0)}, {})
    text = "a b c"
    (span,) = crf.addresses(text, NOTHING_KNOWN)
    assert text[span.start : span.end] == text
