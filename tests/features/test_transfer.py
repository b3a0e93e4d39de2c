"""What learning takes over from another language."""

import numpy as np

from triage.features.learn_words import Start, folds_by_group, learn_words, translated
from triage.features.word_evidence import WordScorer, WordWeights

from .samples import LEXICON, label, texts

FRENCH = WordWeights(
    -4.0,
    {
        "ends in -ice": 3.0,
        "DICTIONARY, Capital inside": 2.0,
        "after: chez": 1.0,
        "after: avec": 2.0,
        "after: avec | DICTIONARY": 0.5,
        "before: «!»": 0.25,
    },
)


def test_what_is_of_letters_stays_behind() -> None:
    assert "ends in -ice" not in translated(FRENCH, {}).weights


def test_what_is_of_no_word_is_kept() -> None:
    kept = translated(FRENCH, {})
    assert kept.weights == {"DICTIONARY, Capital inside": 2.0, "before: «!»": 0.25}
    assert kept.intercept == FRENCH.intercept


def test_a_neighbour_has_the_mean_weight_of_those_that_it_stands_for() -> None:
    found = translated(FRENCH, {"chez": ["with"], "avec": ["with", "wif"]}).weights
    assert found["after: with"] == 1.5
    assert found["after: wif"] == 2.0
    assert found["after: wif | DICTIONARY"] == 0.5


def test_learning_keeps_given_weights_where_messages_say_nothing() -> None:
    corpus = label(*("je vois Zorbulina", "je mange bcp", "je vois Patrice", "slt, je mange") * 3)
    senders = np.array([*"aabb" * 3])
    is_ta = np.array([True, False] * 6)
    start = WordWeights(-4.0, {"after: wif": 2.0, "after: je": -1.0})
    marked = np.array([text in ("Zorbulina", "Patrice") for text in texts(corpus)])
    learnt = learn_words(corpus, is_ta, marked, folds_by_group(is_ta, senders, 0), Start(start))
    assert learnt.weights.weights["after: wif"] == 2.0
    evidence = WordScorer(LEXICON, learnt.weights).score(corpus).log_odds
    assert evidence[marked].min() > evidence[~marked].max()
