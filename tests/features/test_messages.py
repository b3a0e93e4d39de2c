"""The sets of features: the evidence of the words of a message, and the twelve of the paper."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.dictionaries import Lexicon, label_messages
from triage.errors import TriageError
from triage.features import feature_set
from triage.features.corpus_evidence import COLUMNS, CorpusEvidence
from triage.features.messages import (
    MONOTONIC,
    NAMES,
    PAPER_NAMES,
    evidence,
    patel2013,
    per_character,
    weighed,
)
from triage.features.second_stage import WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import NO_CANDIDATE, WordScorer, WordWeights

from .samples import HOSTILE, LEXICON, MESSAGES, label, scored

CASES = cases_beside(__file__)


def of(message: str, *log_odds: float) -> dict[str, float]:
    labelled = label(message)
    (row,) = evidence(labelled, scored(labelled, log_odds))
    return dict(zip(NAMES, row.tolist(), strict=True))


@pytest.mark.parametrize(("message", "label_name"), CASES["strongest"])
def test_strongest_is_the_label_of_the_likeliest_word(message: str, label_name: str) -> None:
    found = of(message, 2.0, -2.0)
    strongest = {name: value for name, value in found.items() if name.startswith("Strongest")}
    assert strongest == {name: float(name == f"Strongest{label_name}") for name in strongest}


@given(MESSAGES, st.data())
def test_weighed_features_are_those_of_a_plain_computation(
    messages: list[str], data: st.DataObject
) -> None:
    labelled = label(*messages)
    n_words = len(labelled.words.form)
    drawn = data.draw(st.lists(st.floats(-12, 12), min_size=n_words, max_size=n_words))
    # Weights have four decimals.
    log_odds = np.array(drawn, dtype=np.float64).round(4)
    expected = []
    for i in range(len(messages)):
        here = np.flatnonzero(labelled.words.message == i)
        ranked = sorted((1 / (1 + math.exp(-log_odds[k])) for k in here), reverse=True)
        none = math.prod(1 - value for value in ranked)
        above = [sum(value > level for value in ranked) for level in (0.05, 0.2, 0.5, 0.8)]
        expected.append([*[*ranked, 0, 0, 0][:3], 1 - none, *above])
    found = weighed(labelled, log_odds)[:, : len(MONOTONIC)]
    assert np.allclose(found, np.array(expected).reshape(-1, len(MONOTONIC)))


@given(MESSAGES)
def test_features_are_the_same_alone_and_among_others(messages: list[str]) -> None:
    scorer = WordScorer(LEXICON, WordWeights(-1.0, {"starts with zor-": 2.5, "ends in -ice": 1.5}))
    together = evidence(label(*messages), scorer.score(label(*messages)))
    alone = [evidence(label(message), scorer.score(label(message))) for message in messages]
    assert np.array_equal(together, np.concatenate([np.empty((0, 30)), *alone]))


@pytest.mark.parametrize(("message", "expected"), CASES["counted"])
def test_labels_capitals_and_identifiers_are_counted(
    message: str, expected: dict[str, float]
) -> None:
    found = of(message)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_hostile_messages_are_seen_counted_and_weighed(messages: list[str]) -> None:
    labelled, senders = label(*messages), ["a"] * len(messages)
    first = WordScorer(LEXICON, WordWeights(-1.0, {})).score(labelled)
    expected = np.where(first.places.is_candidate, -1.0, NO_CANDIDATE)
    assert first.log_odds.tolist() == expected.tolist()
    corpus = CorpusEvidence()
    corpus.add(first, senders)
    columns = corpus.columns(first, senders)
    assert columns.shape == (len(expected), len(COLUMNS))
    assert np.isfinite(columns).all()
    leaf = np.array([True]), np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1), np.ones(1)
    trees = WordTrees(WordWeights(0.0, {}), *[Forest.joined([leaf])] * 2)
    again = replace(first, log_odds=trees.log_odds(labelled, first, senders, corpus))
    table = evidence(labelled, again)
    assert table.shape == (len(messages), 30)
    assert (np.isfinite(table) & (table >= 0)).all()


@pytest.mark.parametrize(("name", "message", "count"), CASES["paper"])
def test_a_feature_counts_what_its_name_says(
    name: str, message: str, count: float, french: Lexicon
) -> None:
    [values] = patel2013(label_messages([message], french))
    assert values[PAPER_NAMES.index(name)] == count


def test_per_character_divides_counts_by_the_length(french: Lexicon) -> None:
    labelled = label_messages(["Coucou Patrice, ça va ?", ""], french)
    values, normalised = patel2013(labelled), per_character(labelled)
    for name, count, share in zip(PAPER_NAMES, values[0], normalised[0], strict=True):
        assert share == (count if name in ("SMSLength", "WordLength") else count / 23)
    assert normalised[1].tolist() == [0.0] * 12


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    known = "evidence, patel2013, patel2013-normalised"
    with pytest.raises(TriageError, match=f"no feature set is called 'patel'; there are: {known}"):
        feature_set("patel")
