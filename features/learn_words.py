"""Learning the first stage of word evidence: the weights of a word in its place.

Word evidence is learnt from marked words, or from labels of messages alone. The evidence of a
training message is out-of-fold: it comes from weights that were learnt without its sender, so that
a model built on it does not learn from leaked answers.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, MetWords
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.words import Form
from triage.features.feature_names import FeatureNames, is_lexical, is_of_context
from triage.features.second_stage import WordTrees
from triage.features.word_evidence import (
    NO_CANDIDATE,
    ScoredWords,
    SeenWords,
    WordFeatures,
    WordWeights,
    probability,
)

# Chosen on the first 4,000 messages of 88milSMS, grouped by sender: inverse of the penalty on
# squared weights, on squared changes of those of another language (chosen on messages of the NUS
# corpus), and of those of another corpus (a third learnt, a third decided, a third tested).
_STRENGTH, _STRENGTH_FROM, _STRENGTH_ADAPTED = 1.0, 0.1, 0.1
# What copies of identifiers weigh that are written small, or that no list seems to hold.
_LOWERED_WEIGHT, _UNLISTED_WEIGHT = 0.2, 0.05
_UNLABELLED_WEIGHT = 0.1
_FEWEST_OCCURRENCES = 2
_FEWEST_AS_CONTEXT = 3
_NEVER = np.iinfo(np.int64).max
_SMALLEST_WEIGHT = 0.005
N_FOLDS = 5
_ROUNDS = 4
_UNKNOWN = -4.0  # the log odds of a word where nothing could be learnt

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Rows = NDArray[np.int64]
Spans = list[tuple[int, int, str]]
Folds = list[tuple[_Rows, _Rows]]
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


def marked_words(labelled: LabelledMessages, spans: Sequence[Spans]) -> _Mask:
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


def folds_by_group(is_ta: _Mask, groups: _Rows | NDArray[np.str_], seed: int) -> Folds:
    """Return folds of messages that keep groups (senders) whole: training and held-out rows."""
    from sklearn.model_selection import StratifiedGroupKFold

    n_folds = min(N_FOLDS, len(set(groups.tolist())))
    if n_folds < 2:
        raise ValueError("the messages are of one sender: evidence cannot be held out by sender")
    split = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    return list(split.split(is_ta, is_ta, groups))


@dataclass(frozen=True)
class Start:
    """The start of learning: weights and trees of another language, and the features they have."""

    words: WordWeights | None = None
    trees: WordTrees | None = None
    lexical: bool = True


FROM_NOTHING = Start()


@dataclass(frozen=True)
class LearntWords:
    """Weights, and out-of-fold evidence of the messages that they were learnt from.

    Four ways to read the messages: as written, without the capitals of identifiers, without those
    of every other message, and with half of the identifiers in no list.
    """

    weights: WordWeights
    ways: tuple[ScoredWords, ...]
    lowered: tuple[_Mask, ...]
    marked: _Mask
    marked_without: list[_Mask]


@one_thread()
def learn_words(
    labelled: LabelledMessages,
    is_ta: _Mask,
    marked: _Mask | None,
    folds: Folds,
    start: Start = FROM_NOTHING,
    step: Step = no_step,
) -> LearntWords:
    """Learn word evidence."""
    learner = _Learner(labelled, is_ta, marked, start)
    final = learner.fit(np.arange(len(is_ta)))
    held_out = [np.full(len(labelled.words.form), NO_CANDIDATE) for _ in learner.ways]
    marked_without = []
    for training, testing in folds:
        fitted = learner.fit(training)
        marked_without.append(fitted.targets)
        step()
        here = learner.words_of(testing)
        for seen, log_odds in zip(learner.ways, held_out, strict=True):
            log_odds[here] = fitted.log_odds(seen, here)
    ways = zip(held_out, learner.ways, strict=True)
    return LearntWords(
        _kept_weights(final.intercept, final.coefficients, learner.names),
        tuple(ScoredWords(log_odds, seen.places, seen.index) for log_odds, seen in ways),
        learner.lowered,
        final.targets,
        marked_without,
    )


class _Fitted(NamedTuple):
    coefficients: _Floats
    intercept: float
    targets: _Mask

    def log_odds(self, seen: SeenWords, words: _Rows) -> _Floats:
        """Return the log odds of some words."""
        columns = seen.read_by(self.coefficients)[words]
        found: _Floats = self.coefficients[columns].sum(axis=1) + self.intercept
        return found


class _Learner:
    """The features of all words, to learn from those of some messages."""

    def __init__(
        self, labelled: LabelledMessages, is_ta: _Mask, marked: _Mask | None, start: Start
    ) -> None:
        self._start = start.words
        self.names = FeatureNames(start.words.weights if start.words else (), grows=True)
        reader = WordFeatures(labelled.lexicon, self.names)
        self._message = labelled.words.message.astype(np.int64)
        self._in_ta = is_ta[self._message]
        self._marked = marked
        self._seen = reader.see(labelled)
        self._is_candidate = self._seen.places.is_candidate
        self._doubtful = _doubtful(labelled) & self._in_ta & self._is_candidate
        assumed = self._doubtful if marked is None else marked
        self.lowered = assumed, assumed & (self._message % 2 == 0)
        rewritten = [reader.see(labelled, lowered=one) for one in self.lowered]
        half = without_lists(labelled, assumed & _every_other_word(labelled))
        self.ways = self._seen, *rewritten, reader.see(half)
        none_listed = without_lists(labelled, assumed)
        self._copies = (
            (rewritten[0], _LOWERED_WEIGHT),
            (reader.see(none_listed), _UNLISTED_WEIGHT),
            (reader.see(none_listed, lowered=assumed), _UNLISTED_WEIGHT * _LOWERED_WEIGHT),
        )
        self._kept = self._frequent_columns(start.lexical)

    def _frequent_columns(self, lexical: bool) -> _Mask:
        """Return which features occur often enough to learn a weight."""
        counts = _count(self._seen.columns[self._is_candidate], self.names)
        fewest = np.full(len(counts), _FEWEST_OCCURRENCES)
        fewest[0] = _NEVER
        for name, column in self.names.columns.items():
            if is_of_context(name):
                fewest[column] = _FEWEST_AS_CONTEXT
            if not lexical and is_lexical(name):
                fewest[column] = _NEVER
        return counts >= fewest

    def words_of(self, messages: _Rows) -> _Rows:
        """Return the candidate words of these messages."""
        return np.flatnonzero(np.isin(self._message, messages) & self._is_candidate)

    def fit(self, messages: _Rows) -> _Fitted:
        """Learn from some messages."""
        here = self.words_of(messages)
        if self._marked is not None:
            return self._fit(here, self._marked)
        targets = self._doubtful
        used = here
        for _ in range(_ROUNDS):
            fitted = self._fit(used, targets)
            log_odds = np.full(len(targets), NO_CANDIDATE)
            log_odds[here] = fitted.log_odds(self._seen, here)
            targets = self._in_ta & (self._likeliest(log_odds, here) | (log_odds > 0))
            used = here[~self._in_ta[here] | targets[here]]
        return self._fit(used, targets)

    def _likeliest(self, log_odds: _Floats, here: _Rows) -> _Mask:
        """Return which word of each message has the highest log odds."""
        order = here[np.lexsort((log_odds[here], self._message[here]))]
        last = np.append(np.diff(self._message[order]) > 0, True)[: len(order)]
        likeliest = np.zeros(len(log_odds), dtype=np.bool_)
        likeliest[order[last]] = True
        return likeliest

    def _fit(self, here: _Rows, targets: _Mask) -> _Fitted:
        again = here[targets[here]]
        if self._start:
            columns = [self._seen.columns[here], self.ways[1].columns[again]]
            target = np.append(targets[here].astype(np.float64), np.ones(len(again)))
            weight = np.repeat([1.0, _LOWERED_WEIGHT], [len(here), len(again)])
            given = _by_column(self._start, self.names), self._start.intercept
            rows = np.vstack(columns), target, weight
            return _Fitted(*_changed(*given, rows, self._kept, _STRENGTH_FROM), targets)
        if not len(again) or len(again) == len(here):  # one class
            return _Fitted(np.zeros(len(self._kept)), _UNKNOWN, targets)
        return self._fit_anew(here, again, targets)

    def _fit_anew(self, here: _Rows, again: _Rows, targets: _Mask) -> _Fitted:
        from scipy.sparse import vstack
        from sklearn.linear_model import LogisticRegression

        weights = [weight for _, weight in self._copies]
        tables = (self._seen.columns[here], *(copy.columns[again] for copy, _ in self._copies))
        model = LogisticRegression(C=_STRENGTH, solver="liblinear")
        model.fit(
            vstack([_sparse(columns, self._kept) for columns in tables]),
            np.concatenate([targets[here], *(targets[again] for _ in weights)]),
            sample_weight=np.repeat([1.0, *weights], [len(here), *(len(again) for _ in weights)]),
        )
        return _Fitted(model.coef_[0], float(model.intercept_[0]), targets)


def adapt_words(
    weights: WordWeights, annotated: LabelledMessages, marked: _Mask, others: LabelledMessages
) -> WordWeights:
    """Adapt weights to a corpus by marked words of some of its messages.

    Words of the other messages hold the weights in place, with the probability that the weights
    give them as target; else a few doubtful messages would change the weights of all words
    (Kirkpatrick et al., *Overcoming catastrophic forgetting in neural networks*, PNAS 114, 2017).
    """
    names = FeatureNames(weights.weights, grows=True)
    reader = WordFeatures(annotated.lexicon, names)
    seen, unlabelled = reader.see(annotated), reader.see(others)
    lowered = reader.see(annotated, lowered=marked)
    here = seen.places.is_candidate
    columns = (
        seen.columns[here],
        lowered.columns[here & marked],
        unlabelled.columns[unlabelled.places.is_candidate],
    )
    n_rows = [*map(len, columns)]
    target = marked[here].astype(np.float64), np.ones(n_rows[1]), np.full(n_rows[2], np.nan)
    weight = np.repeat([1.0, _LOWERED_WEIGHT, _UNLABELLED_WEIGHT], n_rows)
    free = _count(columns[0], names) >= _FEWEST_OCCURRENCES
    free[0] = False
    coefficients, intercept = _changed(
        _by_column(weights, names),
        weights.intercept,
        (np.vstack(columns), np.concatenate(target), weight),
        free,
        _STRENGTH_ADAPTED,
    )
    return _kept_weights(intercept, coefficients, names)


def without_lists(labelled: LabelledMessages, which: _Mask) -> LabelledMessages:
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


def _unlisted(word: LabelledWord) -> LabelledWord:
    if word.kind is not Kind.WORD:
        return word
    return word._replace(label=Label.UNKNOWN, lists=0, rule="", read_as=normal(word.text))


def _every_other_word(labelled: LabelledMessages) -> _Mask:
    """Return the occurrences of half of the words, whatever their case and accents."""
    spellings = [fold(word.text) for word in labelled.labels]
    place = {spelling: i for i, spelling in enumerate(sorted(set(spellings)))}
    of_form = np.array([place[spelling] % 2 == 0 for spelling in spellings], dtype=np.bool_)
    return of_form[labelled.words.form]


def _doubtful(labelled: LabelledMessages) -> _Mask:
    """Return which words Seek&Hide does not know to be harmless."""
    of_form = [word.label is not Label.ANTI_DICTIONARY for word in labelled.labels]
    return np.array(of_form, dtype=np.bool_)[labelled.words.form]


def _count(columns: NDArray[np.int32], names: FeatureNames) -> _Rows:
    return np.bincount(columns.ravel(), minlength=len(names.columns) + 1)


def _by_column(weights: WordWeights, names: FeatureNames) -> _Floats:
    """Return given weights, whose names come first, as those of all columns."""
    found = np.zeros(len(names.columns) + 1)
    found[1 : len(weights.weights) + 1] = [*weights.weights.values()]
    return found


def _sparse(columns: NDArray[np.int32], kept: _Mask) -> Any:  # noqa: ANN401 (scipy)
    """Return the kept features of words as a sparse table, of shape (n_words, n_features)."""
    from scipy.sparse import csr_matrix

    is_kept = kept[columns]
    ends = np.concatenate([[0], is_kept.sum(axis=1).cumsum()])
    cells = (np.ones(int(ends[-1])), columns[is_kept], ends)
    return csr_matrix(cells, shape=(len(columns), len(kept)))


def _changed(
    weights: _Floats,
    intercept: float,
    rows: tuple[NDArray[np.int32], _Floats, _Floats],
    free: _Mask,
    strength: float,
) -> tuple[_Floats, float]:
    """Change weights to fit rows of columns, targets and weights better.

    A logistic regression whose penalty pulls towards the given weights instead of towards zero. A
    target that is not a number is the probability that the given weights tell.
    """
    from scipy.optimize import minimize

    columns, target, weight = rows
    before = intercept + weights[columns].sum(axis=1)
    target = np.where(np.isnan(target), probability(before), target)
    table = _sparse(columns, free)[:, free]

    def loss(change: _Floats) -> tuple[float, _Floats]:
        log_odds = before + table @ change[:-1] + change[-1]
        wrong = weight * (probability(log_odds) - target)
        likely = weight @ (np.logaddexp(0, log_odds) - target * log_odds)
        slope = np.append(table.T @ wrong, wrong.sum()) + change / strength
        return float(likely + change @ change / (2 * strength)), slope

    start = np.zeros(table.shape[1] + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x
    changed = weights.copy()
    changed[free] += found[:-1]
    return changed, intercept + float(found[-1])


def _kept_weights(intercept: float, coefficients: _Floats, names: FeatureNames) -> WordWeights:
    """Return rounded weights of features by name, the strongest first, without negligible ones."""
    found = {
        name: round(float(coefficients[column]), 4)
        for name, column in names.columns.items()
        if abs(coefficients[column]) >= _SMALLEST_WEIGHT
    }
    ordered = sorted(found.items(), key=lambda item: (-abs(item[1]), item[0]))
    return WordWeights(round(intercept, 4), dict(ordered))
