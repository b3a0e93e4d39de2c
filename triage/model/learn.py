"""Training: from annotated messages to a model."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon
from triage.features import FeatureSet
from triage.features.learn_second_stage import learn_corpus
from triage.features.learn_words import (
    N_FOLDS,
    Folds,
    Spans,
    Step,
    folds_by_group,
    learn_words,
    marked_words,
    no_step,
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
from .rewriting import without_capitals
from .store import cache_folder
from .training import FEWEST, TrainingOptions, check_labels, trees_for

# Called with the number of fits, returns what is called after some of them.
Progress = Callable[[int | None], Callable[[int], None]]


def learn(
    messages: Sequence[str],
    labels: Sequence[str],
    lexicon: Lexicon | None = None,
    features: str = DEFAULT_FEATURES,
    options: TrainingOptions | None = None,
    *,
    spans: Sequence[Spans] | None = None,
    senders: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Model:
    """Learn a model from annotated messages; `progress` is told of each fit by folds."""
    lexicon = lexicon or load_lexicon("fr", cache=cache_folder())
    chosen, options = named_features(features), options or TrainingOptions()
    labelled = label_messages(messages, lexicon)
    step = steps(progress, N_FOLDS * (3 if chosen.weighs_words else 1))
    table = training_table(
        labelled, labels, chosen, options, spans=spans, senders=senders, step=step
    )
    return fit(table, chosen, lexicon, options)


def steps(progress: Progress | None, n_fits: int) -> Step:
    """Begin to show the progress of that many fits."""
    add = progress(n_fits) if progress else None
    return (lambda: add(1)) if add else no_step


@dataclass(frozen=True)
class TrainingTable:
    """The training data of trees, and the weights of words."""

    labels: list[str]
    values: NDArray[np.float64]
    held_out: NDArray[np.float64]
    words: WordWeights | None = None
    corpus: WordTrees | None = None
    corpus_values: NDArray[np.float64] | None = None
    corpus_held_out: NDArray[np.float64] | None = None
    rewritten_held_out: tuple[NDArray[np.float64], ...] = ()
    names_with_capitals: tuple[float, ...] = (1.0,)
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
    step: Step = no_step,
) -> TrainingTable:
    """Compute features, out-of-fold scores and weights of words; arguments as of `learn`."""
    described = describe(
        labelled,
        labels,
        features,
        options.seed,
        spans=spans,
        senders=senders,
        without=without,
        start=start,
        step=step,
    )
    names = list(labels)

    def held_out(*tables: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return held_out_scores(tables, names, features, options, described.folds, step)

    [alone], in_corpus = held_out(described.values), described.corpus_values
    if in_corpus is None:
        return TrainingTable(names, described.values, alone)
    as_written, *rewritten = held_out(in_corpus, *described.rewritten)
    return TrainingTable(
        names,
        described.values,
        alone,
        described.words,
        described.corpus,
        in_corpus,
        as_written,
        tuple(rewritten),
        described.names_with_capitals,
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
    rewritten: tuple[NDArray[np.float64], ...] = ()
    names_with_capitals: tuple[float, ...] = (1.0,)
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
    step: Step = no_step,
) -> Described:
    """Compute the features of annotated messages, with evidence of words that is out of fold."""
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
    learnt = learn_words(labelled, is_ta, marked, folds, without, weights, step)
    trees, ways = learn_corpus(labelled, learnt, own, folds, without, given, step)
    texts = [labelled, *(without_capitals(labelled, lowered) for lowered in learnt.lowered)]
    in_corpus, *rewritten = (
        features.compute(text, way.words) for text, way in zip(texts, ways, strict=True)
    )
    return Described(
        features.compute(labelled, learnt.held_out),
        folds,
        learnt.weights,
        trees,
        in_corpus,
        tuple(rewritten),
        tuple(way.names_with_capitals for way in ways),
        "labels" if marked is None else "spans",
    )


def _check_lengths(n_messages: int, **columns: Sequence[object] | None) -> None:
    for name, column in columns.items():
        if column is not None and len(column) != n_messages:
            raise TriageError(f"there are {n_messages} messages, but {len(column)} {name}")


def held_out_scores(
    tables: Sequence[NDArray[np.float64]],
    labels: list[str],
    features: FeatureSet,
    options: TrainingOptions,
    folds: Folds,
    step: Step = no_step,
) -> list[NDArray[np.float64]]:
    """Score each message by trees fitted without its sender; NaN if too few messages remain."""
    scores = [np.full(len(labels), np.nan) for _ in tables]
    names = np.array(labels)
    for training, testing in folds:
        step()
        n_ta = int((names[training] == Prediction.TA).sum())
        if min(n_ta, len(training) - n_ta) < FEWEST:
            continue
        trees = trees_for(features, options).fit(tables[0][training], names[training])
        for score, values in zip(scores, tables, strict=True):
            score[testing] = voted(trees.forest_, values[testing], strongest_column(features))
    return scores


def fit(
    table: TrainingTable, features: FeatureSet, lexicon: Lexicon, options: TrainingOptions
) -> Model:
    """Fit a model to a training table, whose features were computed with this lexicon."""
    is_ta = np.array([label == Prediction.TA for label in table.labels])

    def voter(values: NDArray[np.float64], *held_out: NDArray[np.float64]) -> Voter:
        trees = trees_for(features, options).fit(values, table.labels)
        known = ~np.isnan(held_out[0])
        score, *rewritten = (scores[known] for scores in held_out)
        ways = table.names_with_capitals[: len(held_out)]
        scored = HeldOut(score, is_ta[known], tuple(rewritten), ways)
        return Voter(trees.forest_, scored, strongest_column(features))

    words = None
    if table.words:
        if table.corpus_values is None or table.corpus_held_out is None:
            raise ValueError("weights of words need features with corpus evidence")
        in_corpus = voter(table.corpus_values, table.corpus_held_out, *table.rewritten_held_out)
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
