"""Training: from annotated messages to a model."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon
from triage.features import FeatureSet
from triage.features.learn_second_stage import learn_corpus
from triage.features.learn_words import (
    Folds,
    Spans,
    folds_by_group,
    learn_words,
    marked_words,
)
from triage.features.second_stage import WordTrees
from triage.features.transfer import Start
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from ..vocabulary import DEFAULT_FEATURES, Prediction
from .annotated import groups_of
from .learnt import (
    TA_FROM,
    TA_FROM_EVIDENCE,
    HeldOut,
    LearntWords,
    Manifest,
    Model,
    Voter,
    named_features,
    strongest_column,
    versions,
    voted,
)
from .store import cache_folder
from .training import FEWEST, TrainingOptions, check_labels, trees_for


def learn(
    messages: Sequence[str],
    labels: Sequence[str],
    lexicon: Lexicon | None = None,
    features: str = DEFAULT_FEATURES,
    options: TrainingOptions | None = None,
    *,
    spans: Sequence[Spans] | None = None,
    senders: Sequence[str] | None = None,
) -> Model:
    """Learn a model from annotated messages.

    Parameters
    ----------
    messages : sequence of str, length n_messages
    labels : sequence of {"TA", "NTA"}, length n_messages
    lexicon : Lexicon, optional
        The French pack by default.
    features : str
        The name of a feature set.
    options : TrainingOptions, optional
    spans : sequence of list of (start, end, type), length n_messages, optional
        The identifiers. Without them word evidence is learnt from the labels of messages alone.
    senders : sequence of str, length n_messages, optional
        Without them each message counts as sent by somebody else.

    Raises
    ------
    TriageError
        If a label is neither TA nor NTA, fewer than 20 messages have one of them, the lengths
        differ, or there is no such feature set.
    """
    lexicon = lexicon or load_lexicon("fr", cache=cache_folder())
    chosen, options = named_features(features), options or TrainingOptions()
    labelled = label_messages(messages, lexicon)
    table = training_table(labelled, labels, chosen, options, spans=spans, senders=senders)
    return fit(table, chosen, lexicon, options)


@dataclass(frozen=True)
class TrainingTable:
    """The training data of trees, and the weights of words.

    Parameters
    ----------
    labels : list of {"TA", "NTA"}, length n_messages
    values : ndarray of float, shape (n_messages, n_features)
        Features, with out-of-fold word evidence.
    held_out : ndarray of float, shape (n_messages,)
        Scores by trees fitted without the messages of the same sender.
    words : WordWeights, optional
    corpus : WordTrees, optional
    corpus_values : ndarray of float, shape (n_messages, n_features), optional
        Features with corpus evidence.
    corpus_held_out : ndarray of float, shape (n_messages,), optional
    words_from : str
        As in `Manifest`.
    """

    labels: list[str]
    values: NDArray[np.float64]
    held_out: NDArray[np.float64]
    words: WordWeights | None = None
    corpus: WordTrees | None = None
    corpus_values: NDArray[np.float64] | None = None
    corpus_held_out: NDArray[np.float64] | None = None
    words_from: str = ""


def training_table(
    labelled: LabelledMessages,
    labels: Sequence[str],
    features: FeatureSet,
    options: TrainingOptions,
    *,
    spans: Sequence[Spans] | None = None,
    senders: Sequence[str] | None = None,
    without: Collection[str] = (),
    start: Start | None = None,
) -> TrainingTable:
    """Compute features, out-of-fold scores and weights of words; arguments and errors of `learn`.

    `without` names families of word evidence and columns of corpus evidence to leave out; `start`
    is what learning takes over from another language.
    """
    described = describe(
        labelled,
        labels,
        features,
        options.seed,
        spans=spans,
        senders=senders,
        without=without,
        start=start,
    )
    names, values, in_corpus = list(labels), described.values, described.corpus_values

    def held_out(columns: NDArray[np.float64]) -> NDArray[np.float64]:
        return _held_out(columns, names, features, options, described.folds)

    return TrainingTable(
        names,
        values,
        held_out(values),
        described.words,
        described.corpus,
        in_corpus,
        None if in_corpus is None else held_out(in_corpus),
        described.words_from,
    )


@dataclass(frozen=True)
class Described:
    """The features of annotated messages; the fields are those of `TrainingTable`."""

    values: NDArray[np.float64]
    folds: Folds
    words: WordWeights | None = None
    corpus: WordTrees | None = None
    corpus_values: NDArray[np.float64] | None = None
    words_from: str = ""


def describe(
    labelled: LabelledMessages,
    labels: Sequence[str],
    features: FeatureSet,
    seed: int = 0,
    *,
    spans: Sequence[Spans] | None = None,
    senders: Sequence[str] | None = None,
    without: Collection[str] = (),
    start: Start | None = None,
) -> Described:
    """Compute the features of annotated messages, with evidence of words that is out of fold.

    Arguments and errors are those of `training_table`.
    """
    _check_lengths(len(labelled.messages), labels=labels, spans=spans, senders=senders)
    check_labels(np.asarray(labels).astype(str))
    is_ta = np.array([label == Prediction.TA for label in labels])
    own = list(senders) if senders is not None else [""] * len(labels)
    folds = folds_by_group(is_ta, np.array(groups_of(senders, len(labels))), seed)
    if not features.weighs_words:
        return Described(features.compute(labelled), folds)
    marked = None if spans is None else marked_words(labelled, list(spans))
    if marked is not None and not marked.any():
        marked = None  # the column of spans is empty
    weights, given = (start.words, start.trees) if start else (None, None)
    learnt = learn_words(labelled, is_ta, marked, folds, without, weights)
    trees, with_corpus = learn_corpus(labelled, learnt, own, folds, without, given)
    return Described(
        features.compute(labelled, learnt.held_out),
        folds,
        learnt.weights,
        trees,
        features.compute(labelled, learnt.held_out.weighed_anew(with_corpus)),
        "labels" if marked is None else "spans",
    )


def _check_lengths(n_messages: int, **columns: Sequence[object] | None) -> None:
    for name, column in columns.items():
        if column is not None and len(column) != n_messages:
            raise TriageError(f"there are {n_messages} messages, but {len(column)} {name}")


def _held_out(
    values: NDArray[np.float64],
    labels: list[str],
    features: FeatureSet,
    options: TrainingOptions,
    folds: Folds,
) -> NDArray[np.float64]:
    """Score each message by trees fitted without its sender; NaN if too few messages remain."""
    score = np.full(len(labels), np.nan)
    names = np.array(labels)
    for training, testing in folds:
        n_ta = int((names[training] == Prediction.TA).sum())
        if min(n_ta, len(training) - n_ta) < FEWEST:
            continue
        trees = trees_for(features, options).fit(values[training], names[training])
        score[testing] = voted(trees.forest_, values[testing], strongest_column(features))
    return score


def fit(
    table: TrainingTable, features: FeatureSet, lexicon: Lexicon, options: TrainingOptions
) -> Model:
    """Fit a model to a training table, whose features were computed with this lexicon.

    Raises
    ------
    TriageError
        If a label is neither TA nor NTA, or fewer than 20 messages have one of them.
    """
    is_ta = np.array([label == Prediction.TA for label in table.labels])

    def voter(values: NDArray[np.float64], held_out: NDArray[np.float64]) -> Voter:
        trees = trees_for(features, options).fit(values, table.labels)
        known = ~np.isnan(held_out)
        scored = HeldOut(held_out[known], is_ta[known])
        return Voter(trees.forest_, scored, strongest_column(features))

    words = None
    if table.words:
        if table.corpus_values is None or table.corpus_held_out is None:
            raise ValueError("weights of words need features with corpus evidence")
        in_corpus = voter(table.corpus_values, table.corpus_held_out)
        words = LearntWords(table.words, table.corpus, in_corpus)
    manifest = Manifest(
        features=features.name,
        columns=features.features,
        language=lexicon.language,
        dictionaries=lexicon.fingerprint,
        n_ta=int(is_ta.sum()),
        n_nta=int((~is_ta).sum()),
        undersampling=str(options.undersampling),
        seed=options.seed,
        ta_from=TA_FROM_EVIDENCE if features.weighs_words else TA_FROM,
        versions=versions(),
        words_from=table.words_from,
    )
    return Model(manifest, voter(table.values, table.held_out), words)
