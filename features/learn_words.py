"""Learning the first stage of word evidence: the weights of a word in its place.

Word evidence is learnt from marked words, or from labels of messages alone. The evidence of a
training message is out-of-fold: it comes from weights that were learnt without its sender, so that
a model built on it does not learn from leaked answers.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, MetWords
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.words import Form
from triage.features.feature_names import (
    LEXICAL,
    FeatureNames,
    family_of,
    is_lexical,
    is_of_context,
)
from triage.features.word_evidence import (
    NO_CANDIDATE,
    ScoredWords,
    SeenWords,
    WordFeatures,
    WordWeights,
    probability,
)

# Chosen on the first 4,000 messages of 88milSMS, grouped by sender.
_STRENGTH = 1.0  # inverse of the penalty on squared weights
# The same for changes of weights of another language; chosen on messages of the NUS corpus.
_STRENGTH_FROM = 0.1
LOWERED_WEIGHT = 0.2
# What copies of identifiers weigh that no list seems to hold.
_UNLISTED_WEIGHT = 0.05
FEWEST_OCCURRENCES = 2
_FEWEST_AS_CONTEXT = 3
_SMALLEST_WEIGHT = 0.005
N_FOLDS = 5
_ROUNDS = 4
_UNKNOWN = -4.0  # the log odds of a word where nothing could be learnt

Spans = list[tuple[int, int, str]]
Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
# Called after each of the fits that learning consists of.
Step = Callable[[], None]


def no_step() -> None:
    """Show no progress."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit numerical libraries to one thread, because sums depend on how many share them."""
    # Only libraries that are loaded already can be limited.
    import sklearn.ensemble  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def marked_words(labelled: LabelledMessages, spans: list[Spans]) -> NDArray[np.bool_]:
    """Return which words overlap a span of their message."""
    words = labelled.words
    length = np.array([len(form.text) for form in words.forms], dtype=np.int64)
    end = words.start + length[words.form]
    marked = np.zeros(len(words.form), dtype=np.bool_)
    first = np.searchsorted(words.message, np.arange(words.n_messages + 1))
    for i, found in enumerate(spans):
        here = slice(first[i], first[i + 1])
        for start, stop, _ in found:
            if start < stop:
                marked[here] |= (words.start[here] < stop) & (end[here] > start)
    return marked


def folds_by_group(
    is_ta: NDArray[np.bool_], groups: NDArray[np.int64] | NDArray[np.str_], seed: int
) -> Folds:
    """Return folds of messages that keep groups (senders) whole: training and held-out rows."""
    from sklearn.model_selection import StratifiedGroupKFold

    n_folds = min(N_FOLDS, len(set(groups.tolist())))
    if n_folds < 2:
        raise ValueError("the messages are of one sender: evidence cannot be held out by sender")
    split = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    return list(split.split(is_ta, is_ta, groups))


@dataclass(frozen=True)
class LearntWords:
    """Weights, and out-of-fold evidence of the messages that they were learnt from."""

    weights: WordWeights
    held_out: ScoredWords
    rewritten: tuple[ScoredWords, ...]
    unlisted: ScoredWords
    lowered: tuple[NDArray[np.bool_], ...]
    marked: NDArray[np.bool_]
    marked_without: list[NDArray[np.bool_]]


@one_thread()
def learn_words(
    labelled: LabelledMessages,
    is_ta: NDArray[np.bool_],
    marked: NDArray[np.bool_] | None,
    folds: Folds,
    without: Collection[str] = (),
    start: WordWeights | None = None,
    step: Step = no_step,
) -> LearntWords:
    """Learn word evidence."""
    learner = _Learner(labelled, is_ta, marked, without, start)
    final = learner.fit(np.arange(len(is_ta)))
    ways = (learner.seen, *learner.rewritten, learner.unlisted)
    held_out = [np.full(len(labelled.words.form), NO_CANDIDATE) for _ in ways]
    marked_without = []
    for training, testing in folds:
        fitted = learner.fit(training)
        marked_without.append(fitted.targets)
        step()
        here = learner.words_of(testing)
        for seen, log_odds in zip(ways, held_out, strict=True):
            log_odds[here] = learner.log_odds(fitted, seen, here)
    scored, *rewritten, unlisted = (
        ScoredWords(log_odds, seen.places, seen.index)
        for seen, log_odds in zip(ways, held_out, strict=True)
    )
    return LearntWords(
        learner.weights(final),
        scored,
        tuple(rewritten),
        unlisted,
        learner.lowered,
        final.targets,
        marked_without,
    )


@dataclass(frozen=True)
class _Fitted:
    coefficients: NDArray[np.float64]
    intercept: float
    targets: NDArray[np.bool_]


class _Learner:
    """The features of all words, to learn from those of some messages."""

    def __init__(
        self,
        labelled: LabelledMessages,
        is_ta: NDArray[np.bool_],
        marked: NDArray[np.bool_] | None,
        without: Collection[str],
        start: WordWeights | None,
    ) -> None:
        self._start = start
        self._names = FeatureNames(start.weights if start else (), grows=True)
        reader = WordFeatures(labelled.lexicon, self._names)
        self._message = labelled.words.message.astype(np.int64)
        self._in_ta = is_ta[self._message]
        self._marked = marked
        self.seen = reader.see(labelled)
        self._is_candidate = self.seen.places.is_candidate
        self._doubtful = _doubtful(labelled) & self._in_ta & self._is_candidate
        assumed = self._doubtful if marked is None else marked
        self.lowered = assumed, assumed & (self._message % 2 == 0)
        self.rewritten = tuple(reader.see(labelled, lowered=one) for one in self.lowered)
        half = assumed & _every_other_word(labelled)
        self.unlisted = reader.see(without_lists(labelled, half))
        none_listed = without_lists(labelled, assumed)
        self._copies: tuple[tuple[SeenWords, float], ...] = (
            (self.rewritten[0], LOWERED_WEIGHT),
            (reader.see(none_listed), _UNLISTED_WEIGHT),
            (reader.see(none_listed, lowered=assumed), _UNLISTED_WEIGHT * LOWERED_WEIGHT),
        )
        self._kept = self._frequent_columns()
        for name, column in self._names.columns.items():
            is_left_out = family_of(name) in without or (LEXICAL in without and is_lexical(name))
            if without and is_left_out:
                self._kept[column] = False

    def _frequent_columns(self) -> NDArray[np.bool_]:
        """Return which features occur often enough to learn a weight."""
        candidates = self.seen.columns[self._is_candidate]
        counts = np.bincount(candidates.ravel(), minlength=len(self._names.columns) + 1)
        fewest = np.full(len(counts), FEWEST_OCCURRENCES)
        for name, column in self._names.columns.items():
            if is_of_context(name):
                fewest[column] = _FEWEST_AS_CONTEXT
        kept = counts >= fewest
        kept[0] = False
        return kept

    def words_of(self, messages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the candidate words of these messages."""
        chosen = np.isin(self._message, messages)
        return np.flatnonzero(chosen & self._is_candidate)

    def fit(self, messages: NDArray[np.int64]) -> _Fitted:
        """Learn from some messages."""
        here = self.words_of(messages)
        if self._marked is not None:
            return self._fit(here, self._marked)
        targets = self._doubtful
        used = here
        for _ in range(_ROUNDS):
            fitted = self._fit(used, targets)
            log_odds = np.full(len(targets), NO_CANDIDATE)
            log_odds[here] = self.log_odds(fitted, self.seen, here)
            targets = self._in_ta & (self._likeliest(log_odds, here) | (log_odds > 0))
            used = here[~self._in_ta[here] | targets[here]]
        return self._fit(used, targets)

    def _likeliest(
        self, log_odds: NDArray[np.float64], here: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which word of each message has the highest log odds."""
        order = here[np.lexsort((log_odds[here], self._message[here]))]
        last = np.append(np.diff(self._message[order]) > 0, True)[: len(order)]
        likeliest = np.zeros(len(log_odds), dtype=np.bool_)
        likeliest[order[last]] = True
        return likeliest

    def _fit(self, here: NDArray[np.int64], targets: NDArray[np.bool_]) -> _Fitted:
        from scipy.sparse import vstack
        from sklearn.linear_model import LogisticRegression

        again = here[targets[here]]
        if self._start:
            return self._fit_from(self._start, here, again, targets)
        if not len(again) or len(again) == len(here):  # one class
            return _Fitted(np.zeros(len(self._kept)), _UNKNOWN, targets)
        weights = [weight for _, weight in self._copies]
        tables = (self.seen.columns[here], *(copy.columns[again] for copy, _ in self._copies))
        model = LogisticRegression(C=_STRENGTH, solver="liblinear")
        model.fit(
            vstack([sparse_table(columns, self._kept) for columns in tables]),
            np.concatenate([targets[here], *(targets[again] for _ in weights)]),
            sample_weight=np.repeat([1.0, *weights], [len(here), *(len(again) for _ in weights)]),
        )
        return _Fitted(model.coef_[0], float(model.intercept_[0]), targets)

    def _fit_from(
        self,
        start: WordWeights,
        here: NDArray[np.int64],
        again: NDArray[np.int64],
        targets: NDArray[np.bool_],
    ) -> _Fitted:
        columns = np.vstack([self.seen.columns[here], self.rewritten[0].columns[again]])
        weights = np.zeros(len(self._kept))
        weights[1 : len(start.weights) + 1] = [*start.weights.values()]
        found = changes(
            sparse_table(columns, self._kept)[:, self._kept],
            start.intercept + weights[columns].sum(axis=1),
            np.concatenate([targets[here].astype(np.float64), np.ones(len(again))]),
            np.repeat([1.0, LOWERED_WEIGHT], [len(here), len(again)]),
            _STRENGTH_FROM,
        )
        weights[self._kept] += found[:-1]
        return _Fitted(weights, start.intercept + float(found[-1]), targets)

    def log_odds(
        self, fitted: _Fitted, seen: SeenWords, words: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the log odds of some words."""
        found: NDArray[np.float64] = (
            fitted.coefficients[seen.read_by(fitted.coefficients)[words]].sum(axis=1)
            + fitted.intercept
        )
        return found

    def weights(self, fitted: _Fitted) -> WordWeights:
        """Return the weights as they are kept."""
        return rounded_weights(fitted.intercept, fitted.coefficients, self._names)


def without_lists(labelled: LabelledMessages, which: NDArray[np.bool_]) -> LabelledMessages:
    """Return messages in which some words are labelled as if no list held them."""
    words, labels = labelled.words, labelled.labels
    distinct = np.unique(words.form[which])
    new = {form: len(labels) + place for place, form in enumerate(distinct.tolist())}
    form = words.form.copy()
    form[which] = [new[one] for one in form[which].tolist()]
    labels = [*labels, *(_unlisted(labels[one]) for one in new)]
    table = replace(words, forms=[Form(word.text, word.kind) for word in labels], form=form)
    met = MetWords(table.forms, labels)
    return replace(labelled, words=table, number=np.arange(len(labels)), met=met)


def _every_other_word(labelled: LabelledMessages) -> NDArray[np.bool_]:
    """Return the occurrences of half of the words, whatever their case and accents."""
    spellings = [fold(word.text) for word in labelled.labels]
    place = {spelling: i for i, spelling in enumerate(sorted(set(spellings)))}
    of_form = np.array([place[spelling] % 2 == 0 for spelling in spellings], dtype=np.bool_)
    return of_form[labelled.words.form]


def _unlisted(word: LabelledWord) -> LabelledWord:
    if word.kind is not Kind.WORD:
        return word
    return word._replace(label=Label.UNKNOWN, lists=0, rule="", read_as=normal(word.text))


def sparse_table(columns: NDArray[np.int32], kept: NDArray[np.bool_]) -> Any:  # noqa: ANN401 (scipy)
    """Return the kept features of words as a sparse table, of shape (n_words, n_features)."""
    from scipy.sparse import csr_matrix

    is_kept = kept[columns]
    ends = np.concatenate([[0], is_kept.sum(axis=1).cumsum()])
    cells = (np.ones(int(ends[-1])), columns[is_kept], ends)
    return csr_matrix(cells, shape=(len(columns), len(kept)))


def changes(
    table: Any,  # noqa: ANN401 (scipy)
    before: NDArray[np.float64],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    strength: float,
) -> NDArray[np.float64]:
    """Return what to add to given weights, and last to the intercept, to fit targets better."""
    from scipy.optimize import minimize

    def loss(change: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_odds = before + table @ change[:-1] + change[-1]
        wrong = weight * (probability(log_odds) - target)
        likely = weight @ (np.logaddexp(0, log_odds) - target * log_odds)
        slope = np.append(table.T @ wrong, wrong.sum()) + change / strength
        return float(likely + change @ change / (2 * strength)), slope

    found: NDArray[np.float64] = minimize(
        loss, np.zeros(table.shape[1] + 1), jac=True, method="L-BFGS-B"
    ).x
    return found


def rounded_weights(
    intercept: float, coefficients: NDArray[np.float64], names: FeatureNames
) -> WordWeights:
    """Return rounded weights of features by name, the strongest first, without negligible ones."""
    found = {
        name: round(float(coefficients[column]), 4)
        for name, column in names.columns.items()
        if abs(coefficients[column]) >= _SMALLEST_WEIGHT
    }
    ordered = sorted(found.items(), key=lambda item: (-abs(item[1]), item[0]))
    return WordWeights(round(intercept, 4), dict(ordered))


def _doubtful(labelled: LabelledMessages) -> NDArray[np.bool_]:
    """Return which words Seek&Hide does not know to be harmless."""
    of_form = [word.label is not Label.ANTI_DICTIONARY for word in labelled.labels]
    return np.array(of_form, dtype=np.bool_)[labelled.words.form]
