"""Learning how a word is weighed anew in its corpus, and what names are spelled like."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from triage.dictionaries import Lexicon, Role, WordList
from triage.dictionaries.lexicon import YOURS
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.learn import (
    Folds,
    LearntWords,
    forest_of,
    learn_corpus,
    learn_spelling,
    learn_words,
)
from triage.features.second_stage import COLUMNS, SpellingScorer, WordTrees
from triage.features.word_evidence import NO_CANDIDATE, UNITS, ScoredWords

from .samples import label, texts

SENDERS = tuple("abcdefghijklmnop")
FRAMES = (
    ("je vois {} demain !", True),
    ("coucou {}, slt", True),
    ("demain chez {} 18h30", True),
    ("vois avec {} stp", True),
    ("bisous {}", True),
    ("tu as vu {} ?", True),
    ("je vois demain avec kfé !", False),
    ("coucou, je mange bcp", False),
    ("slt, je vois un crayon chez Durax", False),
    ("je mange demain avec ma soeur", False),
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
HALVES = np.array_split(np.arange(len(ROWS)), 2)  # whole senders
FOLDS: Folds = [(HALVES[0], HALVES[1]), (HALVES[1], HALVES[0])]
IS_NAME = np.array([text in CALLED for text in texts(CORPUS)])
Learnt = tuple[WordTrees | None, list[tuple[ScoredWords, float]]]


@pytest.fixture(scope="module")
def words() -> LearntWords:
    return learn_words(CORPUS, IS_TA, IS_NAME, FOLDS)


@pytest.fixture(scope="module")
def learnt(words: LearntWords) -> Learnt:
    return learn_corpus(CORPUS, words, OF_SENDERS, FOLDS)


def marked_by(words: LearntWords, marked: NDArray[np.bool_]) -> LearntWords:
    return words._replace(marked=marked, marked_without=[marked for _ in FOLDS])


def test_names_are_likelier_than_other_words(learnt: Learnt) -> None:
    log_odds = learnt[1][0][0].log_odds
    is_candidate = log_odds != NO_CANDIDATE
    assert log_odds[IS_NAME].min() > log_odds[~IS_NAME & is_candidate].max()


def test_trees_tell_what_scikit_learn_tells() -> None:
    drawn = np.random.default_rng(0)
    values = drawn.integers(0, 50, size=(500, len(COLUMNS))).astype(np.float64) / 8
    is_name = values[:, 0] + values[:, 3] + drawn.normal(size=500) > 7
    boosting = HistGradientBoostingClassifier(max_iter=20).fit(values, is_name)
    log_odds = forest_of(boosting).total(values) / UNITS
    assert log_odds == pytest.approx(boosting.decision_function(values), abs=21 * 0.5 / UNITS)


@pytest.mark.parametrize("marked", [np.zeros_like(IS_NAME), np.ones_like(IS_NAME)])
def test_with_too_little_to_tell_apart_the_first_stage_stays(
    marked: NDArray[np.bool_], words: LearntWords
) -> None:
    trees, held_out = learn_corpus(CORPUS, marked_by(words, marked), OF_SENDERS, FOLDS)
    assert trees is None
    for (weighed, _), scored in zip(held_out, words.ways[:3], strict=True):
        assert np.array_equal(weighed.log_odds, scored.log_odds)


def test_held_out_evidence_does_not_change_with_the_marks_of_held_out_words(
    words: LearntWords, learnt: Learnt
) -> None:
    here = np.isin(CORPUS.words.message, FOLDS[0][1])
    other = marked_by(words, np.where(here, ~IS_NAME, IS_NAME))
    _, held_out = learn_corpus(CORPUS, other, OF_SENDERS, FOLDS)
    for (mine, _), (theirs, _) in zip(held_out, learnt[1], strict=True):
        before, after = theirs.log_odds, mine.log_odds
        assert np.array_equal(after[here], before[here])
        assert not np.array_equal(after[~here], before[~here])


def test_the_corpus_is_also_weighed_as_if_its_names_had_no_capitals(learnt: Learnt) -> None:
    as_written, none, half = (share for _, share in learnt[1])
    assert as_written > half > none
    capitals = [int(way.places.is_capital[IS_NAME].sum()) for way, _ in learnt[1]]
    assert capitals[0] > capitals[2] > capitals[1] == 0


def test_what_is_learnt_from_is_what_is_asked_about_later(
    words: LearntWords, learnt: Learnt
) -> None:
    corpus = CorpusEvidence()
    corpus.add(words.ways[0], OF_SENDERS)
    assert learnt[0]
    log_odds = learnt[0].log_odds(CORPUS, words.ways[0], OF_SENDERS, corpus)
    assert log_odds[IS_NAME].min() > log_odds[~IS_NAME].max()


def test_names_of_no_list_are_spelled_more_like_names_than_words_of_none(french: Lexicon) -> None:
    words = tuple(f"zzq{i:c}x" for i in range(97, 123))
    mine = WordList("mine", Role.DICTIONARY, words, title=YOURS)
    learnt = learn_spelling(french.with_lists([mine]))
    assert not any("zzq" in part for part in learnt.weights)
    speller = SpellingScorer(learnt)
    names = ["ewenn", "maëlice", "fatouma", "yohanna", "kylianne"]
    others = ["mangeraient", "dormirons", "bricolage", "grignotons", "téléchargement"]
    assert min(map(speller.log_odds, names)) > max(map(speller.log_odds, others))
