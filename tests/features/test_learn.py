"""Learning the evidence of words, alone and in their corpus, and what names are spelled like."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from tests.cases import cases_beside
from triage.dictionaries import Lexicon, Role, WordList
from triage.dictionaries.lexicon import YOURS
from triage.features.learn import (
    LearntWeights,
    folds_by_group,
    forest_of,
    learn_corpus,
    learn_spelling,
    learn_words,
    marked_words,
)
from triage.features.second_stage import COLUMNS, WordTrees, speller
from triage.features.word_evidence import UNITS, ScoredWords

from .samples import NAMES, label, texts

CASES = cases_beside(__file__)

SENDERS = tuple("abcdefghijklmnopqrstuvwx")
FRAMES = (
    ("je vois {} demain !", True),
    ("coucou {}, slt", True),
    ("demain chez {} 18h30", True),
    ("je vois demain avec kfé !", False),
    ("coucou, je mange bcp", False),
    ("slt, je vois un crayon chez Durax", False),
)
CALLED = ("Zorbulina", "Patrice", "lola", "Kelvorane", "mathilde", "Zoé")
ROWS = [
    (frame.format(CALLED[(i + j) % len(CALLED)]), is_ta, sender)
    for i, sender in enumerate(SENDERS)
    for j, (frame, is_ta) in enumerate(FRAMES)
]
CORPUS = label(*(text for text, _, _ in ROWS))
IS_TA = np.array([is_ta for _, is_ta, _ in ROWS])
OF_SENDERS = np.array([sender for _, _, sender in ROWS])
FOLDS = folds_by_group(IS_TA, OF_SENDERS, seed=0)
IS_NAME = np.array([text in CALLED for text in texts(CORPUS)])
Learnt = tuple[WordTrees | None, list[tuple[ScoredWords, float]]]


def first_stage(is_ta: NDArray[np.bool_], marked: NDArray[np.bool_] | None) -> LearntWeights:
    return learn_words(CORPUS, is_ta, marked, FOLDS)


def second_stage(words: LearntWeights) -> Learnt:
    return learn_corpus(CORPUS, words, [*OF_SENDERS], FOLDS)


@cache
def from_labels() -> LearntWeights:
    return first_stage(IS_TA, None)


@cache
def from_marks() -> LearntWeights:
    return first_stage(IS_TA, IS_NAME)


@cache
def in_corpus() -> Learnt:
    return second_stage(from_marks())


LEARNT = pytest.mark.parametrize("learnt", [from_labels, from_marks], ids=["labels", "marks"])


@pytest.mark.parametrize("n_senders", [2, 3, 8])
def test_each_message_is_held_out_once_with_all_of_its_sender(n_senders: int) -> None:
    senders = np.array([SENDERS[i % n_senders] for i in range(len(IS_TA))])
    folds = folds_by_group(IS_TA, senders, seed=n_senders)
    held_out = np.concatenate([testing for _, testing in folds])
    assert sorted(held_out.tolist()) == list(range(len(IS_TA)))
    for training, testing in folds:
        assert len(training) + len(testing) == len(IS_TA)
        assert not {*senders[training]} & {*senders[testing]}
    with pytest.raises(ValueError, match="the messages are of one sender"):
        folds_by_group(IS_TA, np.full(len(IS_TA), "a"), seed=0)


@LEARNT
def test_a_name_is_the_likeliest_word_of_its_message_in_either_stage(
    learnt: Callable[[], LearntWeights],
) -> None:
    assert learnt().marked[IS_NAME].all()
    message = CORPUS.words.message
    for scored in (learnt().ways[0], in_corpus()[1][0][0]):
        for i in np.flatnonzero(IS_TA):
            here = np.flatnonzero(message == i)
            assert IS_NAME[here[scored.log_odds[here].argmax()]]


@LEARNT
def test_no_weight_is_named_after_a_name_of_the_messages(
    learnt: Callable[[], LearntWeights],
) -> None:
    shown = " ".join(learnt().weights.weights).lower()
    for name in (*CALLED, *NAMES, "Durax"):
        if len(name) > 3:
            assert name.lower()[:4] not in shown
            assert name.lower()[-4:] not in shown


def test_a_name_written_small_or_in_no_list_is_less_likely() -> None:
    as_written, small, _, unlisted = (way.log_odds for way in from_marks().ways)
    unknown, held = (np.isin(texts(CORPUS), one) for one in (["Kelvorane"], ["Patrice"]))
    assert (small[unknown] < as_written[unknown]).all()
    assert (unlisted[held] <= as_written[held]).all()


def test_the_corpus_is_also_weighed_as_if_its_names_had_no_capitals() -> None:
    as_written, none, half = (share for _, share in in_corpus()[1])
    assert as_written > half > none
    capitals = [int(way.places.is_capital[IS_NAME].sum()) for way, _ in in_corpus()[1]]
    assert capitals[0] > capitals[2] > capitals[1] == 0


@LEARNT
def test_held_out_evidence_does_not_change_with_what_is_said_of_its_own_sender(
    learnt: Callable[[], LearntWeights],
) -> None:
    own = np.isin(OF_SENDERS, "b")
    here = own[CORPUS.words.message]
    if learnt is from_labels:
        other = first_stage(np.where(own, ~IS_TA, IS_TA), None)
    else:
        is_candidate = learnt().ways[0].places.is_candidate
        other = first_stage(IS_TA, np.where(here, ~IS_NAME & is_candidate, IS_NAME))
    before, after = learnt().ways[0].log_odds, other.ways[0].log_odds
    assert np.allclose(before[here], after[here], atol=1e-3)
    assert not np.allclose(before[~here], after[~here], atol=1e-3)


def test_held_out_trees_do_not_change_with_the_marks_of_held_out_words() -> None:
    here = np.isin(CORPUS.words.message, FOLDS[0][1])
    other = np.where(here, ~IS_NAME, IS_NAME)
    changed = from_marks()._replace(marked=other, marked_without=[other for _ in FOLDS])
    for (mine, _), (theirs, _) in zip(second_stage(changed)[1], in_corpus()[1], strict=True):
        before, after = theirs.log_odds, mine.log_odds
        assert np.array_equal(after[here], before[here])
        assert not np.array_equal(after[~here], before[~here])


@pytest.mark.parametrize(("message", "spans", "words"), CASES["marked"])
def test_a_span_marks_the_words_that_it_overlaps(
    message: str, spans: list[tuple[int, int]], words: str
) -> None:
    labelled = label(message)
    is_marked = marked_words(labelled, [[(start, end, "PRE") for start, end in spans]])
    found = [text for text, is_one in zip(texts(labelled), is_marked, strict=True) if is_one]
    assert " ".join(found) == words


def test_trees_tell_what_scikit_learn_tells() -> None:
    drawn = np.random.default_rng(0)
    values = drawn.integers(0, 50, size=(500, len(COLUMNS))).astype(np.float64) / 8
    is_name = values[:, 0] + values[:, 3] + drawn.normal(size=500) > 7
    boosting = HistGradientBoostingClassifier(max_iter=20).fit(values, is_name)
    log_odds = forest_of(boosting).total(values) / UNITS
    assert log_odds == pytest.approx(boosting.decision_function(values), abs=21 * 0.5 / UNITS)


def test_names_of_no_list_are_spelled_more_like_names_than_words_of_none(french: Lexicon) -> None:
    words = tuple(f"zzq{i:c}x" for i in range(97, 123))
    mine = WordList("mine", Role.DICTIONARY, words, title=YOURS)
    learnt = learn_spelling(french.with_lists([mine]))
    assert not any("zzq" in part for part in learnt.weights)
    log_odds = speller(learnt)
    names = ["ewenn", "maëlice", "fatouma", "yohanna", "kylianne"]
    others = ["mangeraient", "dormirons", "bricolage", "grignotons", "téléchargement"]
    assert min(map(log_odds, names)) > max(map(log_odds, others))
