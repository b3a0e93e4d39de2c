"""Learning how corpus evidence weighs beside the evidence of a word in its place."""

from collections.abc import Collection

import numpy as np
import pytest
from numpy.typing import NDArray

from triage.features.corpus_evidence import COLUMNS, FAMILIES, CorpusEvidence, CorpusWeights
from triage.features.learn_words import (
    Folds,
    LearntWords,
    folds_by_group,
    learn_corpus,
    learn_words,
)
from triage.features.word_evidence import NO_CANDIDATE

from .samples import label, texts

Learnt = tuple[CorpusWeights, NDArray[np.float64]]
SENDERS = tuple("abcdefgh")
FRAMES = (
    ("je vois {} demain !", True),
    ("coucou {}, slt", True),
    ("demain chez {} 18h30", True),
    ("je vois demain avec kfé !", False),
    ("coucou, je mange bcp", False),
    ("slt, je vois un crayon chez Durax", False),
)
CALLED = ("Zorbulina", "Patrice", "lola", "zorbulina", "Patrixe", "Zoé")
ROWS = [
    (frame.format(CALLED[(i + j) % len(CALLED)]), is_ta, sender)
    for i, sender in enumerate(SENDERS)
    for j, (frame, is_ta) in enumerate(FRAMES)
]
CORPUS = label(*(text for text, _, _ in ROWS))
IS_TA = np.array([is_ta for _, is_ta, _ in ROWS])
OF_SENDERS = [sender for _, _, sender in ROWS]
FOLDS = folds_by_group(IS_TA, np.array(OF_SENDERS), seed=0)
IS_NAME = np.array([text in CALLED for text in texts(CORPUS)])


@pytest.fixture(scope="module")
def words() -> LearntWords:
    """Word evidence that was learnt from marked words."""
    return learn_words(CORPUS, IS_TA, IS_NAME, FOLDS)


@pytest.fixture(scope="module")
def learnt(words: LearntWords) -> Learnt:
    """Corpus evidence that was learnt on top of it."""
    return learn_corpus(CORPUS, words, OF_SENDERS, FOLDS)


def marked_by(words: LearntWords, marked: NDArray[np.bool_]) -> LearntWords:
    """Return the same evidence of words with other words marked."""
    without = [marked for _ in FOLDS]
    return LearntWords(words.weights, words.held_out, words.held_out_lowered, marked, without)


def test_every_column_has_a_weight(learnt: Learnt) -> None:
    assert tuple(learnt[0].weights) == COLUMNS


def test_weights_are_rounded(learnt: Learnt) -> None:
    values = [learnt[0].intercept, *learnt[0].weights.values()]
    assert values == [round(value, 4) for value in values]


def test_the_evidence_of_the_word_itself_tells_for_it(learnt: Learnt) -> None:
    assert learnt[0].weights["word evidence"] > 0


def test_names_are_likelier_than_other_words(learnt: Learnt) -> None:
    log_odds, is_candidate = learnt[1], learnt[1] != NO_CANDIDATE
    assert log_odds[IS_NAME].min() > log_odds[~IS_NAME & is_candidate].max()


def test_signs_and_pictures_stay_no_candidates(learnt: Learnt, words: LearntWords) -> None:
    is_candidate = words.held_out.places.is_candidate
    assert np.array_equal(learnt[1] == NO_CANDIDATE, ~is_candidate)
    assert np.isfinite(learnt[1]).all()


def test_learning_twice_gives_the_same(learnt: Learnt, words: LearntWords) -> None:
    weights, held_out = learn_corpus(CORPUS, words, OF_SENDERS, FOLDS)
    assert weights == learnt[0]
    assert np.array_equal(held_out, learnt[1])


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_left_out_weighs_nothing(column: str, words: LearntWords) -> None:
    weights, _ = learn_corpus(CORPUS, words, OF_SENDERS, FOLDS, [column])
    assert weights.weights[column] == 0
    assert any(weights.weights.values())


@pytest.mark.parametrize("without", [FAMILIES[family] for family in FAMILIES], ids=FAMILIES)
def test_a_family_left_out_weighs_nothing(without: Collection[str], words: LearntWords) -> None:
    weights, _ = learn_corpus(CORPUS, words, OF_SENDERS, FOLDS, without)
    assert {weights.weights[name] for name in without} == {0}


def test_without_any_column_all_words_are_alike(words: LearntWords) -> None:
    weights, held_out = learn_corpus(CORPUS, words, OF_SENDERS, FOLDS, COLUMNS)
    assert set(weights.weights.values()) == {0}
    in_first_fold = np.isin(CORPUS.words.message, FOLDS[0][1]) & (held_out != NO_CANDIDATE)
    assert len(set(held_out[in_first_fold])) == 1


@pytest.mark.parametrize("marked", [np.zeros_like(IS_NAME), np.ones_like(IS_NAME)])
def test_with_nothing_to_tell_apart_the_word_itself_stays(
    marked: NDArray[np.bool_], words: LearntWords
) -> None:
    weights, held_out = learn_corpus(CORPUS, marked_by(words, marked), OF_SENDERS, FOLDS)
    assert {name: weight for name, weight in weights.weights.items() if weight} == {
        "word evidence": 1.0
    }
    assert weights.intercept == 0
    assert np.allclose(held_out, np.maximum(words.held_out.log_odds, NO_CANDIDATE))


def test_with_nothing_to_tell_apart_a_column_left_out_weighs_nothing(words: LearntWords) -> None:
    nothing = marked_by(words, np.zeros_like(IS_NAME))
    weights, _ = learn_corpus(CORPUS, nothing, OF_SENDERS, FOLDS, ["word evidence"])
    assert weights.weights["word evidence"] == 0


@pytest.mark.parametrize("fold", range(len(FOLDS)))
def test_held_out_evidence_does_not_change_with_the_marks_of_held_out_words(
    fold: int, words: LearntWords, learnt: Learnt
) -> None:
    here = np.isin(CORPUS.words.message, FOLDS[fold][1])
    other = marked_by(words, np.where(here, ~IS_NAME, IS_NAME))
    _, held_out = learn_corpus(CORPUS, other, OF_SENDERS, FOLDS)
    assert np.array_equal(held_out[here], learnt[1][here])
    assert not np.array_equal(held_out[~here], learnt[1][~here])


def test_the_columns_learnt_from_are_those_that_are_told_later(
    words: LearntWords, learnt: Learnt
) -> None:
    corpus = CorpusEvidence()
    corpus.add(CORPUS, words.held_out, OF_SENDERS)
    columns = corpus.columns(CORPUS, words.held_out, OF_SENDERS)
    log_odds = learnt[0].log_odds(columns, words.held_out.places.is_candidate)
    assert log_odds[IS_NAME].min() > log_odds[~IS_NAME].max()


TWO_FOLDS: Folds = [
    (np.array([0, 1]), np.array([2, 3])),
    (np.array([2, 3]), np.array([0, 1])),
]


def test_nothing_is_learnt_of_messages_without_words() -> None:
    labelled, is_ta = label("", " ", "", "\n"), np.array([True, False, True, False])
    words = learn_words(labelled, is_ta, np.zeros(0, dtype=np.bool_), TWO_FOLDS)
    weights, held_out = learn_corpus(labelled, words, list("aabb"), TWO_FOLDS)
    assert weights.weights["word evidence"] == 1
    assert held_out.shape == (0,)


def test_signs_alone_are_no_candidates() -> None:
    labelled, is_ta = label("!", "", "😂", ","), np.array([True, False, True, False])
    words = learn_words(labelled, is_ta, np.zeros(3, dtype=np.bool_), TWO_FOLDS)
    _, held_out = learn_corpus(labelled, words, list("aabb"), TWO_FOLDS)
    assert held_out.tolist() == [NO_CANDIDATE] * 3
