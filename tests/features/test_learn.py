"""Learning: trees as scikit-learn's, the evidence of words, what names are spelled like, copies."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from imblearn.ensemble import BalancedBaggingClassifier
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from tests.cases import cases_beside
from triage.dictionaries import Lexicon, Role, WordList, label_messages
from triage.dictionaries.lexicon import YOURS
from triage.features import learn
from triage.features.learn import LearntWeights, folds_by_group, learn_corpus, learn_words
from triage.features.refill import COPIES, Refilled, Spans, refilled
from triage.features.second_stage import COLUMNS, WordTrees, speller
from triage.features.trees import Forest
from triage.features.word_evidence import UNITS, ScoredWords
from triage.model.learn import UndersampledBaggedTrees, balanced_rows

from .samples import NAMES, label, texts

CASES = cases_beside(__file__)

SENDERS = tuple("abcdefghijklmnopqrstuvwx")
FRAMES = CASES["frames"]
CALLED = CASES["called"]
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


@cache
def from_labels() -> LearntWeights:
    return learn_words(CORPUS, IS_TA, None, FOLDS)


@cache
def from_marks() -> LearntWeights:
    return learn_words(CORPUS, IS_TA, IS_NAME, FOLDS)


@cache
def in_corpus() -> Learnt:
    return learn_corpus(CORPUS, from_marks(), [*OF_SENDERS], FOLDS)


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
def test_a_name_is_the_likeliest_word_in_either_stage(learnt: Callable[[], LearntWeights]) -> None:
    assert learnt().marked[IS_NAME].all()
    message = CORPUS.words.message
    for scored in (learnt().ways[0], in_corpus()[1][0][0]):
        for i in np.flatnonzero(IS_TA):
            here = np.flatnonzero(message == i)
            assert IS_NAME[here[scored.log_odds[here].argmax()]]


@LEARNT
def test_no_weight_is_named_after_a_name(learnt: Callable[[], LearntWeights]) -> None:
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
def test_held_out_evidence_knows_nothing_of_its_sender(learnt: Callable[[], LearntWeights]) -> None:
    own = np.isin(OF_SENDERS, "b")
    here = own[CORPUS.words.message]
    if learnt is from_labels:
        other = learn_words(CORPUS, np.where(own, ~IS_TA, IS_TA), None, FOLDS)
    else:
        marked = np.where(here, ~IS_NAME & learnt().ways[0].places.is_candidate, IS_NAME)
        other = learn_words(CORPUS, IS_TA, marked, FOLDS)
    before, after = learnt().ways[0].log_odds, other.ways[0].log_odds
    assert np.allclose(before[here], after[here], atol=1e-3)
    assert not np.allclose(before[~here], after[~here], atol=1e-3)


def test_held_out_trees_do_not_change_with_the_marks_of_held_out_words() -> None:
    here = np.isin(CORPUS.words.message, FOLDS[0][1])
    other = np.where(here, ~IS_NAME, IS_NAME)
    changed = from_marks()._replace(marked=other, marked_without=[other for _ in FOLDS])
    _, ways = learn_corpus(CORPUS, changed, [*OF_SENDERS], FOLDS)
    for (mine, _), (theirs, _) in zip(ways, in_corpus()[1], strict=True):
        before, after = theirs.log_odds, mine.log_odds
        assert np.array_equal(after[here], before[here])
        assert not np.array_equal(after[~here], before[~here])


@pytest.mark.parametrize(("message", "spans", "words"), CASES["marked"])
def test_a_span_marks_its_words(message: str, spans: list[tuple[int, int]], words: str) -> None:
    labelled = label(message)
    is_marked = learn.marked_words(labelled, [[(start, end, "PRE") for start, end in spans]])
    found = [text for text, is_one in zip(texts(labelled), is_marked, strict=True) if is_one]
    assert " ".join(found) == words


def test_trees_tell_what_scikit_learn_tells() -> None:
    drawn = np.random.default_rng(0)
    values = drawn.integers(0, 50, size=(500, len(COLUMNS))).astype(np.float64) / 8
    is_name = values[:, 0] + values[:, 3] + drawn.normal(size=500) > 7
    boosting = HistGradientBoostingClassifier(max_iter=20).fit(values, is_name)
    log_odds = learn.forest_of(boosting).total(values) / UNITS
    assert log_odds == pytest.approx(boosting.decision_function(values), abs=21 * 0.5 / UNITS)


def test_names_of_no_list_are_spelled_more_like_names_than_words_of_none(french: Lexicon) -> None:
    words = tuple(f"zzq{i:c}x" for i in range(97, 123))
    mine = WordList("mine", Role.DICTIONARY, words, title=YOURS)
    learnt = learn.learn_spelling(french.with_lists([mine]))
    assert not any("zzq" in part for part in learnt.weights)
    log_odds = speller(learnt)
    names = ["ewenn", "maëlice", "fatouma", "yohanna", "kylianne"]
    others = ["mangeraient", "dormirons", "bricolage", "grignotons", "téléchargement"]
    assert min(map(log_odds, names)) > max(map(log_odds, others))


Values = NDArray[np.float64]


def in_scikit_learn(ours: UndersampledBaggedTrees, values: Values, is_ta: NDArray[np.bool_]) -> Any:
    most = ours.max_features and min(ours.max_features, values.shape[1])
    per_bag = ours.undersampling == "per_bag"
    made = BalancedBaggingClassifier if per_bag else BaggingClassifier
    kept = slice(None) if per_bag else balanced_rows(is_ta, ours.seed)
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=ours.min_leaf, max_features=most
    )
    return made(tree, ours.n_trees, random_state=ours.seed).fit(values[kept], is_ta[kept])


def drawn_messages(seed: int, n_features: int, step: float) -> tuple[Values, NDArray[np.bool_]]:
    """Draw 200 messages whose values, multiples of `step`, say something of their label."""
    drawn = np.random.default_rng(seed)
    values = drawn.integers(0, 12, size=(200, n_features)).astype(np.float64) * step
    is_ta = values[:, 0] / step + drawn.normal(scale=4, size=200) > 8
    is_ta[:20], is_ta[-100:] = True, False
    return values, is_ta


def near(thresholds: Values, n_features: int) -> Values:
    """Return messages whose values lie on the thresholds, and next to them in both precisions."""
    edges = []
    for one in (thresholds, thresholds.astype(np.float32)):
        edges += [one, *(np.nextafter(one, one.dtype.type(to)) for to in (-np.inf, np.inf))]
    return np.tile(np.concatenate(edges).astype(float)[:, np.newaxis], n_features)


@pytest.mark.slow
@given(
    undersampling=st.sampled_from(["once", "per_bag"]),
    seed=st.integers(0, 2**32 - 1),
    n_features=st.integers(1, 6),
    step=st.sampled_from([1.0, 0.1, 1 / 3, 1e-9, 16_777_217 / 7, 1e30]),
    max_features=st.sampled_from([None, 1, 4]),
    min_leaf=st.integers(1, 12),
)
def test_scores_are_exactly_those_of_scikit_learn(
    seed: int, n_features: int, step: float, **settings: Any
) -> None:
    values, is_ta = drawn_messages(seed, n_features, step)
    ours = UndersampledBaggedTrees(n_trees=4, seed=seed, **settings)
    ours.fit(values, np.where(is_ta, "TA", "NTA"))
    theirs = in_scikit_learn(ours, values, is_ta)
    thresholds = ours.forest_.threshold
    asked = np.concatenate([values, near(thresholds, n_features)])
    assert ours.forest_.score(asked).tolist() == theirs.predict_proba(asked)[:, 1].tolist()


@pytest.mark.parametrize("depth", [3, 4, 12])
def test_few_leaves_and_many_score_exactly_as_in_scikit_learn(depth: int) -> None:
    values, is_ta = drawn_messages(4, 5, 0.5)
    theirs = BaggingClassifier(DecisionTreeClassifier(max_depth=depth), 9, random_state=0)
    theirs.fit(values, is_ta)
    forest = Forest.from_bagging(theirs.estimators_, theirs.estimators_features_)
    asked = np.concatenate([values, near(forest.threshold[: forest.nodes[0]], 5)])
    assert forest.score(asked).tolist() == theirs.predict_proba(asked)[:, 1].tolist()


TYPES = st.sampled_from(["PRE", "NOM", "SUR", "ADR", "TEL"])
GAPS = st.text(alphabet="ab 'é!🙂\n", max_size=6)
WRITTEN = st.sampled_from(["Lola", "LOLA", "lola", "Jo", "J", "zoé", "Éva", "06 12"])
PARTS = st.lists(st.tuples(GAPS, WRITTEN, TYPES), max_size=4)


def refill(french: Lexicon, text: str, marks: Spans) -> Refilled:
    found = refilled(label_messages([text], french), [marks])
    assert found
    return found


def between(text: str, marks: Spans) -> list[str]:
    ends = [0, *(stop for _, stop, _ in marks)]
    starts = [*(start for start, _, _ in marks), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


@given(parts=PARTS, last=GAPS)
@example(parts=[("vois ", "Lolita", "SUR"), (" ", "Mathilde", "PRE")], last="")
def test_all_but_names_stays(french: Lexicon, parts: list[tuple[str, str, str]], last: str) -> None:
    text, marks = "", Spans()
    for gap, name, kind in parts:
        marks.append((len(text) + len(gap), len(text) + len(gap) + len(name), kind))
        text += gap + name
    found = refill(french, text + last, marks)
    assert found.source.tolist() == ([0] * COPIES if marks else [])
    for copy, spans in zip(found.labelled.messages, found.spans, strict=True):
        assert between(copy, spans) == between(text + last, marks)
        for new, old in zip(spans, marks, strict=True):
            if old[2] in ("ADR", "TEL"):
                assert copy[slice(*new[:2])] == text[slice(*old[:2])]


@pytest.mark.parametrize(("name", "form"), CASES["written"])
def test_a_name_is_written_as_the_one_before(name: str, form: str, french: Lexicon) -> None:
    found = refill(french, f"vois {name}", [(5, 13, "PRE")])
    assert all(re.fullmatch(f"vois {form}", copy) for copy in found.labelled.messages)


def test_models_are_learnt_in_one_thread() -> None:
    with threadpool_limits(2), learn.one_thread():
        assert {one["num_threads"] for one in threadpool_info()} == {1}


def test_the_same_messages_give_the_same_copies(french: Lexicon) -> None:
    text, marks = "Mathilde Durand", [(0, 8, "PRE"), (9, 15, "NOM")]
    one, other = (refill(french, text, marks).labelled.messages for _ in range(2))
    assert one == other
    assert text not in one
