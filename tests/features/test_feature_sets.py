"""Feature sets are named and say what their columns are."""

import numpy as np
import pytest

from triage.dictionaries import Lexicon, Role, WordList, label_messages
from triage.features import FEATURE_SETS, feature_set
from triage.features.evidence import evidence
from triage.features.word_evidence import WordScorer, WordWeights

LEXICON = Lexicon([WordList("first_names", Role.DICTIONARY, ("zoé",))])
SCORER = WordScorer(LEXICON, WordWeights(-3.0, {"starts with zoe-": 5.0, "ends in -ok": -1.0}))
COUNTING = ("patel2013", "patel2013-normalised")


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_a_set_is_found_by_its_name(name: str) -> None:
    assert feature_set(name) is FEATURE_SETS[name]
    assert feature_set(name).name == name


@pytest.mark.parametrize("name", FEATURE_SETS)
@pytest.mark.parametrize("messages", [[], [""], ["Coucou Zoé"], ["", "Zoé", "ok"]])
def test_a_set_computes_a_row_for_each_message(name: str, messages: list[str]) -> None:
    features = feature_set(name)
    labelled = label_messages(messages, LEXICON)
    table = features.compute(labelled, SCORER.score(labelled))
    assert table.shape == (len(messages), len(features.features))


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_the_columns_of_a_set_have_different_names(name: str) -> None:
    features = feature_set(name).features
    assert len(set(features)) == len(features)


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_monotonic_columns_and_the_strongest_word_are_columns_of_the_set(name: str) -> None:
    features = feature_set(name)
    assert {*features.monotonic, features.strongest} - {""} <= set(features.features)


def test_the_set_evidence_weighs_words() -> None:
    features, labelled = feature_set("evidence"), label_messages(["Coucou Zoé", "ok"], LEXICON)
    scored = SCORER.score(labelled)
    assert features.weighs_words
    assert features.monotonic
    assert np.array_equal(features.compute(labelled, scored), evidence(labelled, scored))


def test_the_strongest_column_is_the_probability_of_the_likeliest_word() -> None:
    features, labelled = feature_set("evidence"), label_messages(["Coucou Zoé ok"], LEXICON)
    table = features.compute(labelled, SCORER.score(labelled))
    strongest = table[0, features.features.index(features.strongest)]
    assert strongest == pytest.approx(1 / (1 + np.exp(-2.0)))


def test_a_set_that_weighs_words_refuses_messages_whose_words_are_not_scored() -> None:
    labelled = label_messages(["Coucou Zoé"], LEXICON)
    with pytest.raises(ValueError, match="the feature set 'evidence' wants the evidence of words"):
        feature_set("evidence").compute(labelled)


@pytest.mark.parametrize("name", COUNTING)
def test_a_set_that_counts_needs_no_scored_words(name: str) -> None:
    features, labelled = feature_set(name), label_messages(["Coucou Zoé"], LEXICON)
    assert not features.weighs_words
    with_scores = features.compute(labelled, SCORER.score(labelled))
    assert np.array_equal(features.compute(labelled), with_scores)


def test_the_normalised_set_divides_counts_by_the_length() -> None:
    labelled = label_messages(["Coucou Zoé"], LEXICON)
    counts = feature_set("patel2013").compute(labelled)
    shares = feature_set("patel2013-normalised").compute(labelled)
    column = feature_set("patel2013").features.index("FirstName")
    assert (counts[0, column], shares[0, column]) == (1, 0.1)
    assert not np.array_equal(counts, shares)


def test_both_counting_sets_have_the_columns_of_table_5() -> None:
    assert feature_set("patel2013").features == feature_set("patel2013-normalised").features
    assert len(set(feature_set("patel2013").features)) == 12


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    known = "evidence, patel2013, patel2013-normalised"
    with pytest.raises(ValueError, match=f"no feature set is called 'patel'; there are: {known}"):
        feature_set("patel")
