"""Weights of word evidence change by what is marked, and by nothing else."""

import numpy as np
import pytest
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, label_messages
from triage.features.learn_words import adapt_words, folds_by_group, learn_words, marked_words
from triage.features.word_evidence import WordScorer, WordWeights, probability

from .samples import LEXICON

TA = ["Coucou Patrice", "je vois Lola demain", "chez Mathilde", "slt Zoé", "avec Lola demain"]
NTA = ["je mange demain", "coucou bcp", "je vois demain", "avec crayon", "slt je mange"]
OTHERS = ["coucou je vois", "Patrice mange demain", "slt bcp", "je vois Mathilde"] * 10


def labelled(texts: list[str]) -> LabelledMessages:
    return label_messages(texts, LEXICON)


def marks(texts: list[str], *names: str) -> NDArray[np.bool_]:
    spans = [
        [(text.index(name), text.index(name) + len(name), "PRE") for name in names if name in text]
        for text in texts
    ]
    return marked_words(labelled(texts), spans)


def likely(weights: WordWeights, text: str) -> list[float]:
    scored = WordScorer(LEXICON, weights).score(labelled([text]))
    return [round(p, 3) for p in probability(scored.log_odds).tolist()]


@pytest.fixture(scope="module")
def weights() -> WordWeights:
    """Weights that know first names of lists, and nothing of the word doudou."""
    texts = (TA + NTA) * 4
    is_ta = np.array(([True] * len(TA) + [False] * len(NTA)) * 4)
    marked = marks(texts, "Patrice", "Lola", "Mathilde", "Zoé")
    folds = folds_by_group(is_ta, np.arange(len(texts)), 0)
    return learn_words(labelled(texts), is_ta, marked, folds).weights


DOUDOU = ["coucou doudou", "je vois doudou demain", "doudou mange", "chez doudou"]


def test_a_marked_word_becomes_likelier_and_an_unmarked_one_less_so(weights: WordWeights) -> None:
    texts = [*DOUDOU, "je vois pierre", "coucou pierre", "avec pierre", "slt pierre"]
    adapted = adapt_words(weights, labelled(texts), marks(texts, "doudou"), labelled(OTHERS))
    assert likely(adapted, "slt doudou")[1] > likely(weights, "slt doudou")[1] + 0.1
    assert likely(adapted, "bcp pierre")[1] < likely(weights, "bcp pierre")[1]


def test_what_is_known_already_stays(weights: WordWeights) -> None:
    adapted = adapt_words(weights, labelled(DOUDOU), marks(DOUDOU, "doudou"), labelled(OTHERS))
    for text in ("coucou Patrice", "je vois Lola demain", "je mange demain"):
        assert likely(adapted, text) == pytest.approx(likely(weights, text), abs=0.1)


def test_nothing_told_changes_nothing(weights: WordWeights) -> None:
    adapted = adapt_words(weights, labelled([]), marks([]), labelled(OTHERS))
    assert adapted.intercept == pytest.approx(weights.intercept, abs=1e-3)
    assert adapted.weights == weights.weights


def test_the_same_messages_give_the_same_weights(weights: WordWeights) -> None:
    first, second = (
        adapt_words(weights, labelled(DOUDOU), marks(DOUDOU, "doudou"), labelled(OTHERS))
        for _ in range(2)
    )
    assert first == second
    assert list(first.weights) == list(second.weights)
