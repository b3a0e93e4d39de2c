"""Learning word evidence: the weights of words in their places, and the trees of the second stage.

The evidence of a training message is out-of-fold: it comes from weights learnt without its sender,
so that a model built on it does not learn from leaked answers.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import (
    Kind,
    Label,
    LabelledMessages,
    Lexicon,
    Role,
    WordList,
    label_messages,
)
from triage.dictionaries.cache import cached
from triage.dictionaries.lexicon import LAST_NAMES, PERSON_NAMES, YOURS
from triage.dictionaries.normal import fold, normal

from .corpus_evidence import CorpusEvidence
from .refill import COPIES, Refilled, Spans, refilled
from .second_stage import COLUMNS, WordTrees, parts_of, speller, trees_input
from .trees import Forest
from .word_evidence import (
    NO_CANDIDATE,
    UNITS,
    FeatureNames,
    FeatureValues,
    ScoredWords,
    WordFeatures,
    WordWeights,
    is_lexical,
    is_of_context,
    probability,
)

# Chosen on the first 4,000 messages of 88milSMS, grouped by sender: inverse of the penalty on
# squared weights, and on squared changes of those of another corpus (a third learnt, a third
# decided, a third tested).
_STRENGTH, _STRENGTH_ADAPTED = 1.0, 0.1
# The weights of copies of identifiers in lower case, and of copies labelled as in no list.
_LOWERED_WEIGHT, _UNLISTED_WEIGHT = 0.2, 0.05
_UNLABELLED_WEIGHT = 0.1
# The weight of words of marked messages that are copied with other names, and of all their copies.
_BESIDE_REFILLED, _REFILLED_WEIGHT = 0.5, 0.5
# The fewest occurrences of a feature with a weight: of a word by itself, and of its context.
_MIN_COUNTS = (2, 3)
_NEVER = np.iinfo(np.int64).max
_SMALLEST_WEIGHT = 0.005
N_FOLDS = 5
_ROUNDS = 4
_HARMLESS = [*Label].index(Label.ANTI_DICTIONARY)
_UNKNOWN = -4.0  # the log odds of a word where nothing could be learnt

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Rows = NDArray[np.int64]
Folds = list[tuple[_Rows, _Rows]]
# Called after each of the fits that learning consists of.
Step = Callable[[], None]


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit numerical libraries to one thread: rounding depends on how many share a sum."""
    # Only libraries that are loaded already can be limited.
    import sklearn.ensemble  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def marked_words(labelled: LabelledMessages, spans: Sequence[Spans]) -> _Mask:
    """Return the mask of words that overlap a span of their message."""
    words = labelled.words
    length = np.array([len(form.text) for form in words.forms], dtype=np.int64)
    end = words.start + length[words.form]
    marked = np.zeros(len(words.form), dtype=np.bool_)
    first = np.searchsorted(words.message, np.arange(words.n_messages + 1))
    for i, marks in enumerate(spans):
        in_message = slice(first[i], first[i + 1])
        for start, stop, _ in marks:
            if start < stop:
                marked[in_message] |= (words.start[in_message] < stop) & (end[in_message] > start)
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
class Way:
    """Messages read in one way, with the evidence of their words alone and in their corpus."""

    labelled: LabelledMessages
    alone: ScoredWords
    in_corpus: ScoredWords
    names_with_capitals: float


@dataclass(frozen=True)
class LearntEvidence:
    """Both stages, and the out-of-fold evidence of the messages that they were learnt from."""

    weights: WordWeights
    trees: WordTrees | None
    # As written, without the capitals of identifiers, and without those of every other message.
    ways: list[Way]
    is_marked: bool


def learn_evidence(
    labelled: LabelledMessages,
    is_ta: _Mask,
    senders: Sequence[str],
    spans: Sequence[Spans] | None,
    folds: Folds,
    step: Step,
    *,
    lexical: bool = True,
) -> LearntEvidence:
    """Learn both stages from marked words, or from the labels of messages where none is marked.

    Without `lexical` features nothing is learnt that holds in one language alone.
    """
    marked = None if spans is None else marked_words(labelled, spans)
    if spans is None or marked is None or not marked.any():
        marked = spans = None  # the column of spans may be empty
    copies = refilled(labelled, spans) if spans else None
    learnt = learn_words(labelled, is_ta, marked, folds, step, copies, lexical=lexical)
    trees, in_corpus = learn_corpus(labelled, learnt, senders, folds, step)
    texts = [labelled, *(without_capitals(labelled, lowered) for lowered in learnt.lowered)]
    read = zip(texts, learnt.ways, in_corpus, strict=False)
    ways = [Way(text, alone, words, share) for text, alone, (words, share) in read]
    return LearntEvidence(learnt.weights, trees, ways, spans is not None)


class LearntWeights(NamedTuple):
    """Weights, and out-of-fold evidence of the words that they were learnt from, way by way."""

    weights: WordWeights
    # The last way has half of the identifiers in no list.
    ways: tuple[ScoredWords, ...]
    lowered: tuple[_Mask, ...]
    # The identifiers that were learnt from all messages, and from those for training of each fold.
    marked: _Mask
    marked_without: list[_Mask]


@one_thread()
def learn_words(
    labelled: LabelledMessages,
    is_ta: _Mask,
    marked: _Mask | None,
    folds: Folds,
    step: Step = lambda: None,
    copies: Refilled | None = None,
    *,
    lexical: bool = True,
) -> LearntWeights:
    """Learn the first stage, from copies of messages with other names as well."""
    learner = _Learner(labelled, is_ta, marked, lexical, copies)
    final = learner.fit(np.arange(len(is_ta)))
    unlearnt = np.full(len(labelled.words.form), NO_CANDIDATE)
    held_out = tuple(ScoredWords(unlearnt.copy(), one.places, one.index) for one in learner.ways)
    marked_without = []
    for training, testing in folds:
        fitted = learner.fit(training)
        marked_without.append(fitted.targets)
        step()
        rows = learner.text.words_of(testing)
        for features, scored in zip(learner.ways, held_out, strict=True):
            scored.log_odds[rows] = fitted.log_odds(features, rows)
    weights = _named_weights(final.intercept, final.coefficients, learner.names)
    return LearntWeights(weights, held_out, learner.lowered, final.targets, marked_without)


class _Fitted(NamedTuple):
    coefficients: _Floats
    intercept: float
    targets: _Mask

    def log_odds(self, features: FeatureValues, words: _Rows) -> _Floats:
        columns = features.read_by(self.coefficients)[words]
        sums: _Floats = self.coefficients[columns].sum(axis=1) + self.intercept
        return sums


class _Text:
    """The words of messages, or of copies, in all ways of writing those that may be identifiers."""

    def __init__(
        self, reader: WordFeatures, labelled: LabelledMessages, words: FeatureValues, assumed: _Mask
    ) -> None:
        self.message = labelled.words.message.astype(np.int64)
        none_listed = without_lists(labelled, assumed)
        self.features, self.lowered = words, reader.extract(labelled, lowered=assumed)
        # Each way of writing with the weight of its words; the first is as written.
        self.ways = (
            (words, 1.0),
            (self.lowered, _LOWERED_WEIGHT),
            (reader.extract(none_listed), _UNLISTED_WEIGHT),
            (reader.extract(none_listed, lowered=assumed), _UNLISTED_WEIGHT * _LOWERED_WEIGHT),
        )

    def words_of(self, messages: _Rows) -> _Rows:
        is_candidate = self.features.places.is_candidate
        return np.flatnonzero(np.isin(self.message, messages) & is_candidate)


class _Learner:
    """The features of all words, to learn from those of some messages."""

    def __init__(
        self,
        labelled: LabelledMessages,
        is_ta: _Mask,
        marked: _Mask | None,
        lexical: bool,
        refilled: Refilled | None,
    ) -> None:
        self.names = FeatureNames(grows=True)
        reader = WordFeatures(labelled.lexicon, self.names)
        features = reader.extract(labelled)
        self._in_ta, self._marked = is_ta[labelled.words.message], marked
        # Words that Seek&Hide does not label as harmless.
        self._doubtful = (labelled.label != _HARMLESS) & self._in_ta & features.places.is_candidate
        assumed = self._doubtful if marked is None else marked
        self.text = _Text(reader, labelled, features, assumed)
        self.lowered = assumed, assumed & (self.text.message % 2 == 0)
        # Half of the words, whatever their case and accents, are in no list.
        spellings = np.array([fold(word.text) for word in labelled.labels], dtype=object)
        is_even = np.unique(spellings, return_inverse=True)[1] % 2 == 0
        half_unlisted = without_lists(labelled, assumed & is_even[labelled.words.form])
        half_lowered = reader.extract(labelled, lowered=self.lowered[1])
        self.ways = features, self.text.lowered, half_lowered, reader.extract(half_unlisted)
        self._copies: list[tuple[_Text, _Mask]] = []
        if refilled and marked is not None:
            copied, is_name = refilled.labelled, marked_words(refilled.labelled, refilled.spans)
            copies = _Text(reader, copied, reader.extract(copied), is_name)
            # Each word counts as of the message that was copied.
            copies.message = refilled.source[copies.message]
            self._copies = [(copies, is_name)]
        # Features that occur often enough to learn a weight.
        texts = [self.text, *(text for text, _ in self._copies)]
        columns = [one.features.columns[one.features.places.is_candidate] for one in texts]
        counts = np.bincount(np.vstack(columns).ravel(), minlength=len(self.names) + 1)
        fewest = [
            _NEVER if is_lexical(name) and not lexical else _MIN_COUNTS[is_of_context(name)]
            for name in self.names
        ]
        self._kept = counts >= np.array([_NEVER, *fewest])

    def fit(self, messages: _Rows) -> _Fitted:
        candidates = self.text.words_of(messages)
        if self._marked is not None:
            return self._fit(candidates, self._marked, messages)
        targets = self._doubtful
        rows = candidates
        for _ in range(_ROUNDS):
            fitted = self._fit(rows, targets, messages)
            log_odds = np.full(len(targets), NO_CANDIDATE)
            log_odds[candidates] = fitted.log_odds(self.text.features, candidates)
            # The likeliest word of each message is a target, too.
            order = candidates[np.lexsort((log_odds[candidates], self.text.message[candidates]))]
            last = np.append(np.diff(self.text.message[order]) > 0, True)[: len(order)]
            targets = log_odds > 0
            targets[order[last]] = True
            targets &= self._in_ta
            rows = candidates[~self._in_ta[candidates] | targets[candidates]]
        return self._fit(rows, targets, messages)

    def _fit(self, rows: _Rows, targets: _Mask, messages: _Rows) -> _Fitted:
        from scipy.sparse import vstack
        from sklearn.linear_model import LogisticRegression

        if targets[rows].all() or not targets[rows].any():
            return _Fitted(np.zeros(len(self._kept)), _UNKNOWN, targets)
        weight = np.ones(len(targets))
        training = [(self.text, rows, targets, weight)]
        for text, is_marked in self._copies:
            weight[self._in_ta] = _BESIDE_REFILLED
            copy_weight = np.full(len(is_marked), _REFILLED_WEIGHT / COPIES)
            training.append((text, text.words_of(messages), is_marked, copy_weight))
        blocks = []
        for text, words, is_target, word_weight in training:
            for features, share in text.ways:
                # Only identifiers are rewritten.
                chosen = words if features is text.features else words[is_target[words]]
                table = _sparse(features.columns[chosen], self._kept)
                blocks.append((table, is_target[chosen], word_weight[chosen] * share))
        tables, labels, weights = zip(*blocks, strict=True)
        model = LogisticRegression(C=_STRENGTH, solver="liblinear")
        model.fit(vstack(tables), np.concatenate(labels), sample_weight=np.concatenate(weights))
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
    features, unlabelled = reader.extract(annotated), reader.extract(others)
    lowered = reader.extract(annotated, lowered=marked)
    is_candidate = features.places.is_candidate
    columns = [features.columns[is_candidate], lowered.columns[is_candidate & marked]]
    columns.append(unlabelled.columns[unlabelled.places.is_candidate])
    n_rows = [*map(len, columns)]
    target = marked[is_candidate].astype(np.float64), np.ones(n_rows[1]), np.full(n_rows[2], np.nan)
    weight = np.repeat([1.0, _LOWERED_WEIGHT, _UNLABELLED_WEIGHT], n_rows)
    free = np.bincount(columns[0].ravel(), minlength=len(names) + 1) >= _MIN_COUNTS[0]
    free[0] = False
    # The names of given weights come first.
    old = np.zeros(len(names) + 1)
    old[1 : len(weights.weights) + 1] = [*weights.weights.values()]
    rows = np.vstack(columns), np.concatenate(target), weight
    return _named_weights(*_adapted(weights.intercept, old, rows, free), names)


def without_capitals(labelled: LabelledMessages, is_lowered: _Mask) -> LabelledMessages:
    """Label messages anew with some words in lower case, where that cuts them no other way."""
    words, texts = labelled.words, list(labelled.messages)
    for i in np.flatnonzero(is_lowered).tolist():
        message, start = words.message[i], int(words.start[i])
        end = start + len(words.forms[words.form[i]].text)
        texts[message] = lowered(texts[message], start, end)
    relabelled = label_messages(texts, labelled.lexicon)
    n_words = (np.bincount(one.words.message, None, len(texts)) for one in (relabelled, labelled))
    is_same = np.equal(*n_words)
    if is_same.all():
        return relabelled
    new_texts = np.where(is_same, np.array(texts, object), np.array(labelled.messages, object))
    return label_messages(new_texts.tolist(), labelled.lexicon)


def lowered(text: str, start: int, end: int) -> str:
    """Return a text of the same length with a part of it in lower case."""
    part = (c.lower() if len(c.lower()) == 1 else c for c in text[start:end])
    return f"{text[:start]}{''.join(part)}{text[end:]}"


def without_lists(labelled: LabelledMessages, is_unlisted: _Mask) -> LabelledMessages:
    """Relabel some words of messages as if no list held them."""
    words, labels = labelled.words, [*labelled.labels]
    distinct, place = np.unique(words.form[is_unlisted], return_inverse=True)
    form = words.form.copy()
    form[is_unlisted] = len(labels) + place
    for form_number in distinct.tolist():
        unlisted = labels[form_number]
        if unlisted.kind is Kind.WORD:
            read_as, label = normal(unlisted.text), Label.UNKNOWN
            unlisted = unlisted._replace(label=label, lists=0, rule="", read_as=read_as)
        labels.append(unlisted)
    return labelled.relabelled(replace(words, form=form), labels)


def _sparse(columns: NDArray[np.int32], kept: _Mask) -> Any:  # noqa: ANN401 (scipy)
    """Return the kept features of words as a sparse table, of shape (n_words, n_features)."""
    from scipy.sparse import csr_matrix

    is_kept = kept[columns]
    ends = np.concatenate([[0], is_kept.sum(axis=1).cumsum()])
    cells = (np.ones(int(ends[-1])), columns[is_kept], ends)
    return csr_matrix(cells, shape=(len(columns), len(kept)))


def _adapted(
    intercept: float,
    weights: _Floats,
    rows: tuple[NDArray[np.int32], _Floats, _Floats],
    free: _Mask,
) -> tuple[float, _Floats]:
    """Adapt weights to rows of columns, targets and weights.

    A logistic regression whose penalty pulls towards the given weights instead of towards zero. A
    target of NaN stands for the probability that the given weights predict.
    """
    from scipy.optimize import minimize

    columns, target, weight = rows
    old_odds = intercept + weights[columns].sum(axis=1)
    target = np.where(np.isnan(target), probability(old_odds), target)
    table = _sparse(columns, free)[:, free]

    def loss(change: _Floats) -> tuple[float, _Floats]:
        log_odds = old_odds + table @ change[:-1] + change[-1]
        errors = weight * (probability(log_odds) - target)
        log_loss = weight @ (np.logaddexp(0, log_odds) - target * log_odds)
        gradient = np.append(table.T @ errors, errors.sum()) + change / _STRENGTH_ADAPTED
        return float(log_loss + change @ change / (2 * _STRENGTH_ADAPTED)), gradient

    zeros = np.zeros(table.shape[1] + 1)
    solution = minimize(loss, zeros, jac=True, method="L-BFGS-B").x
    changed = weights.copy()
    changed[free] += solution[:-1]
    return intercept + float(solution[-1]), changed


def _named_weights(intercept: float, coefficients: _Floats, names: FeatureNames) -> WordWeights:
    """Return rounded weights of features by name, the strongest first, without negligible ones."""
    column_of = {n: c for n, c in names.items() if abs(coefficients[c]) >= _SMALLEST_WEIGHT}
    rounded = ((name, round(float(coefficients[column]), 4)) for name, column in column_of.items())
    ordered = sorted(rounded, key=lambda item: (-abs(item[1]), item[0]))
    return WordWeights(round(intercept, 4), dict(ordered))


_MIN_MARKED = 40
# The columns of which more can only make a word likelier to identify someone.
_RISING = (
    *("word evidence", "same sender", "other senders", "strongest other", "capitals inside"),
    *("variant of a name", "spelled like a name"),
)
# The weight of words as if written without capitals; that of words as written is 1.
_REWRITTEN_WEIGHT = 0.2
_SPELLING_STRENGTH = 0.3  # inverse of the penalty on squared weights
_MAX_WORDS = 60_000
_MIN_IN_LISTS = 100
# Raised where other weights are learnt of the same lists, of which some may be kept.
_SPELLING_VERSION = 1
_SMALLEST_OF_SPELLING = 0.1
# The number of bins of scikit-learn, and that of rows above which it makes them of a sample.
_N_BINS, _MAX_WEIGHTED = 255, 200_000


@one_thread()
def learn_corpus(
    labelled: LabelledMessages,
    learnt: LearntWeights,
    senders: Sequence[str],
    folds: Folds,
    step: Step = lambda: None,
) -> tuple[WordTrees | None, list[tuple[ScoredWords, float]]]:
    """Learn to weigh words in their corpus, of a corpus that is the training messages.

    Beside the trees, return the words by trees learnt without their sender, as written and without
    capitals, each with the share of names that have capitals.
    """
    spelling = learn_spelling(labelled.lexicon)
    spelled, ways = speller(spelling), []
    for scored in learnt.ways:
        corpus = CorpusEvidence()
        corpus.add(scored, senders)
        input_rows = trees_input(labelled, scored, senders, corpus, spelled)
        held_out = replace(scored, log_odds=scored.log_odds.copy())
        ways.append(_CorpusWords(corpus, *input_rows, held_out))
    message = labelled.words.message
    for (training, testing), marked in zip(folds, learnt.marked_without, strict=True):
        fitted = _fit(spelling, ways, marked, np.isin(message, training))
        step()
        if fitted is None:
            continue
        for way in ways:
            is_tested = np.isin(message, testing)[way.at]
            rows, log_odds = way.at[is_tested], way.held_out.log_odds
            log_odds[rows] = fitted.mixed(way.corpus, way.table[is_tested], log_odds[rows])
    trees = _fit(spelling, ways, learnt.marked, np.ones(len(message), dtype=np.bool_))
    returned = ways[: 1 + len(learnt.lowered)]
    return trees, [(way.held_out, way.corpus.names_with_capitals) for way in returned]


class _CorpusWords(NamedTuple):
    """The words of a corpus, read in one way, as the trees see them."""

    corpus: CorpusEvidence
    at: _Rows
    table: _Floats
    held_out: ScoredWords


def _fit(
    spelling: WordWeights, ways: Sequence[_CorpusWords], marked: _Mask, training: _Mask
) -> WordTrees | None:
    as_written = ways[0].at
    n_marked = int((marked & training)[as_written].sum())
    if not _MIN_MARKED <= n_marked <= int(training[as_written].sum()) - _MIN_MARKED:
        return None
    rows = [way.table[training[way.at]] for way in ways]
    targets = [marked[way.at[training[way.at]]] for way in ways]
    weights = np.repeat([1.0, *[_REWRITTEN_WEIGHT] * len(ways[1:])], [*map(len, rows)])
    # Words as written have equal weights; to fit with weights takes far more time.
    written = _boosted_trees(rows[0], targets[0])
    robust = _boosted_trees(np.concatenate(rows), np.concatenate(targets), weights)
    return WordTrees(spelling, written, robust)


def _boosted_trees(table: _Floats, target: _Mask, weights: _Floats | None = None) -> Forest:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # Chosen on the first 4,000 messages of 88milSMS, grouped by sender.
    boosting = HistGradientBoostingClassifier(
        max_iter=100,
        learning_rate=0.1,
        max_leaf_nodes=12,
        min_samples_leaf=20,
        l2_regularization=5.0,
        max_features=0.5,
        early_stopping=False,
        monotonic_cst=[int(name in _RISING) for name in COLUMNS],
        random_state=0,
    )
    bounds: Sequence[_Floats] = ()
    if weights is not None and len(table) <= _MAX_WEIGHTED:
        bins, bounds = zip(*(_binned(column, weights) for column in table.T), strict=True)
        table = np.column_stack(bins)
    boosting.fit(table, target, sample_weight=weights)
    return forest_of(boosting, bounds)


def _binned(column: _Floats, weights: _Floats) -> tuple[_Rows, _Floats]:
    """Return the bin of each value and the bounds between bins, as scikit-learn finds them.

    It would sort a column with weights anew for each bound.
    """
    from sklearn.utils.stats import _weighted_percentile

    values = np.unique(column)
    bounds = (values[1:] + values[:-1]) / 2
    if len(values) > _N_BINS:
        ranks = np.linspace(0, 100, _N_BINS + 1)[1:-1]
        bounds = np.unique(_weighted_percentile(column, weights, ranks, average=True))
    # Bins that hold no value are left out.
    non_empty, bins = np.unique(np.searchsorted(bounds, column), return_inverse=True)
    return bins, bounds[non_empty[:-1]]


def forest_of(boosting: Any, bounds: Sequence[_Floats] = ()) -> Forest:  # noqa: ANN401 (untyped)
    """Return the fitted trees of a gradient boosting as arrays, with values in whole `UNITS`.

    With the `bounds` of each column, it was fitted to the numbers of bins.
    """
    trees = [predictor.nodes for (predictor,) in boosting._predictors]
    for nodes in trees if bounds else ():
        splits = np.flatnonzero(nodes["is_leaf"] == 0)
        for split, bin_, column in zip(
            splits, nodes["num_threshold"][splits], nodes["feature_idx"][splits], strict=True
        ):
            nodes["num_threshold"][split] = bounds[column][int(bin_)]
    forest = Forest.joined(
        (
            nodes["is_leaf"].astype(np.bool_),
            np.where(nodes["is_leaf"], 0, nodes["feature_idx"]),
            np.where(nodes["is_leaf"], 0.0, nodes["num_threshold"]),
            *(nodes["right"], nodes["left"], np.rint(nodes["value"] * UNITS)),
        )
        for nodes in trees
    )
    start = float(np.ravel(boosting._baseline_prediction)[0])
    forest.value[: len(trees[0])] += np.rint(start * UNITS)
    return forest


@lru_cache(maxsize=1)
def learn_spelling(lexicon: Lexicon) -> WordWeights:
    """Learn which parts of words tell names from other words, from the lists of a pack alone.

    It takes seconds, and is kept for all that is learnt with the same lists.
    """
    lists = [one for one in lexicon.lists if one.title != YOURS]
    of_pack = lexicon if len(lists) == len(lexicon.lists) else Lexicon(lists, lexicon.language)
    libraries = [metadata.version(one) for one in ("scikit-learn", "numpy")]
    made_by = _SPELLING_VERSION, libraries, of_pack.fingerprint
    content = cached("spelling", made_by, lambda: json.dumps(vars(_spelling_of(lists))).encode())
    return WordWeights(**json.loads(content))


@one_thread()
def _spelling_of(lists: Sequence[WordList]) -> WordWeights:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    of_names = [one.entries for one in lists if one.name in (*PERSON_NAMES, *LAST_NAMES)]
    of_words = [one.entries for one in lists if one.role is Role.ANTI_DICTIONARY]
    united = (frozenset().union(*some) for some in (of_names, of_words))
    names, words = ({*map(fold, filter(str.isalpha, some))} for some in united)
    only_names, only_words = sorted(names - words), sorted(words - names)
    only_words = only_words[:: 1 + len(only_words) // _MAX_WORDS]
    if min(len(only_names), len(only_words)) < _MIN_IN_LISTS:
        return WordWeights(0.0, {})
    counter = CountVectorizer(analyzer=parts_of, min_df=3, binary=True)
    table = counter.fit_transform([*only_names, *only_words])
    model = LogisticRegression(C=_SPELLING_STRENGTH, solver="liblinear", class_weight="balanced")
    model.fit(table, np.arange(len(only_names) + len(only_words)) < len(only_names))
    weights = zip(counter.get_feature_names_out().tolist(), model.coef_[0].tolist(), strict=True)
    kept = {
        part: round(weight, 2) for part, weight in weights if abs(weight) >= _SMALLEST_OF_SPELLING
    }
    return WordWeights(round(float(model.intercept_[0]), 2), kept)
