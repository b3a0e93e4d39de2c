"""Training: from annotated messages to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon
from triage.dictionaries.cache import cache_folder
from triage.dictionaries.pack import FRENCH
from triage.features import FeatureSet, feature_set
from triage.features.learn import (
    N_FOLDS,
    Folds,
    Step,
    folds_by_group,
    learn_corpus,
    learn_words,
    marked_words,
    no_step,
)
from triage.features.refill import Spans, refilled
from triage.features.second_stage import WordTrees
from triage.features.word_evidence import ScoredWords, WordWeights

from ..errors import TriageError
from ..progress import StartProgress
from ..vocabulary import DEFAULT_FEATURES, Prediction
from .annotated import AnnotatedMessages, groups_of
from .coverage import coverage, standing
from .find import ScoredMessages
from .learnt import (
    TA_FROM,
    TA_FROM_EVIDENCE,
    Covered,
    HeldOut,
    LearntWords,
    Manifest,
    Model,
    Voter,
    versions,
    voted,
)
from .training import FEWEST, TrainingOptions, check_labels, trees_for

_Floats = NDArray[np.float64]


def learn(
    messages: Sequence[str],
    labels: Sequence[str],
    lexicon: Lexicon | None = None,
    features: str = DEFAULT_FEATURES,
    options: TrainingOptions | None = None,
    *,
    spans: Sequence[Spans] | None = None,
    senders: Sequence[str] | None = None,
    progress: StartProgress | None = None,
) -> Model:
    """Learn a model from annotated messages; `progress` is told of each fit by folds."""
    lexicon = lexicon or load_lexicon(FRENCH, cache=cache_folder())
    chosen, options = feature_set(features), options or TrainingOptions()
    annotated = AnnotatedMessages(
        [*messages],
        [*labels],
        None if senders is None else [*senders],
        None if spans is None else [*spans],
    )
    step = _steps(progress, N_FOLDS * (3 if chosen.weighs_words else 1))
    table = training_table(label_messages(messages, lexicon), annotated, chosen, options, step=step)
    return fit(table, chosen, lexicon, options)


def feature_table(
    annotated: AnnotatedMessages,
    features: str,
    language: str = FRENCH,
    *,
    corpus_evidence: bool = True,
    seed: int = 0,
    progress: StartProgress | None = None,
) -> tuple[list[str], _Floats]:
    """Return the names and values of features, of shape (n_messages, n_features)."""
    chosen = feature_set(features)
    labelled = label_messages(annotated.messages, load_lexicon(language, cache=cache_folder()))
    step = _steps(progress if chosen.weighs_words else None, 2 * N_FOLDS)
    table, _ = _described(labelled, annotated, chosen, seed, step=step)
    examples = table.in_corpus if table.in_corpus and corpus_evidence else table.alone
    return [*chosen.features], examples.values[0]


def _steps(progress: StartProgress | None, n_fits: int) -> Step:
    """Begin to show the progress of that many fits."""
    add = progress(n_fits) if progress else None
    return (lambda: add(1)) if add else no_step


@dataclass(frozen=True)
class Examples:
    """Features of messages, as written and perhaps rewritten, and what is out of fold of each.

    Scores are NaN where too few messages remained to learn from.
    """

    values: tuple[_Floats, ...]
    names_with_capitals: tuple[float, ...] = (1.0,)
    held_out: tuple[_Floats, ...] = ()
    covered: tuple[Covered, ...] = ()


@dataclass(frozen=True)
class TrainingTable:
    """The training data of trees, without and with corpus evidence, and the weights of words."""

    labels: list[str]
    alone: Examples
    in_corpus: Examples | None = None
    words: WordWeights | None = None
    corpus: WordTrees | None = None
    words_from: str = ""
    group: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def training_table(
    labelled: LabelledMessages,
    annotated: AnnotatedMessages,
    features: FeatureSet,
    options: TrainingOptions,
    step: Step = no_step,
    *,
    lexical: bool = True,
) -> TrainingTable:
    """Compute features, out-of-fold scores and weights of words; `lexical` as of `learn_words`."""
    table, folds = _described(labelled, annotated, features, options.seed, step, lexical=lexical)
    labels = np.array(table.labels)

    def scored(examples: Examples) -> Examples:
        """Score each message by trees fitted without its sender."""
        scores = [np.full(len(labels), np.nan) for _ in examples.values]
        for training, testing in folds:
            step()
            n_ta = int((labels[training] == Prediction.TA).sum())
            if min(n_ta, len(training) - n_ta) < FEWEST:
                continue
            trees = trees_for(features, options)
            forest = trees.fit(examples.values[0][training], labels[training]).forest_
            for score, values in zip(scores, examples.values, strict=True):
                score[testing] = voted(forest, values[testing], features.strongest)
        return replace(examples, held_out=tuple(scores))

    in_corpus = table.in_corpus and scored(table.in_corpus)
    return replace(table, alone=scored(table.alone), in_corpus=in_corpus)


def _described(
    labelled: LabelledMessages,
    annotated: AnnotatedMessages,
    features: FeatureSet,
    seed: int,
    step: Step = no_step,
    *,
    lexical: bool = True,
) -> tuple[TrainingTable, Folds]:
    """Compute the features of annotated messages, with evidence of words that is out of fold."""
    labels, senders, n_messages = annotated.labels, annotated.senders, len(labelled.messages)
    for name in ("labels", "spans", "senders"):
        column = getattr(annotated, name)
        if column is not None and len(column) != n_messages:
            raise TriageError(f"there are {n_messages} messages, but {len(column)} {name}")
    check_labels(np.asarray(labels).astype(str))
    is_ta = np.array([label == Prediction.TA for label in labels])
    group = np.array(groups_of(senders, n_messages), dtype=np.int64)
    folds = folds_by_group(is_ta, group, seed)
    if not features.weighs_words:
        return TrainingTable(labels, Examples((features.compute(labelled),)), group=group), folds
    marked = None if annotated.spans is None else marked_words(labelled, annotated.spans)
    if marked is not None and not marked.any():
        marked = None  # the column of spans is empty
    copies = None if marked is None else refilled(labelled, annotated.spans or ())
    learnt = learn_words(labelled, is_ta, marked, folds, step, copies, lexical=lexical)
    own = senders if senders is not None else [""] * n_messages
    trees, ways = learn_corpus(labelled, learnt, own, folds, step)
    texts = [labelled, *(without_capitals(labelled, lowered) for lowered in learnt.lowered)]
    rows = [features.compute(text, words) for text, (words, _) in zip(texts, ways, strict=True)]
    shares = tuple(share for _, share in ways)
    spans = None if marked is None else annotated.spans
    alone = _covered(labelled, learnt.ways[0], own, spans)
    read = zip(texts, ways, strict=True)
    covered = chain(*(_covered(text, words, own, spans) for text, (words, _) in read))
    table = TrainingTable(
        labels,
        Examples((features.compute(labelled, learnt.ways[0]),), shares[:1], covered=alone),
        Examples(tuple(rows), shares, covered=tuple(covered)),
        learnt.weights,
        trees,
        "labels" if marked is None else "spans",
        group,
    )
    return table, folds


def _covered(
    labelled: LabelledMessages,
    words: ScoredWords,
    senders: Sequence[str],
    spans: Sequence[Spans] | None,
) -> tuple[Covered] | tuple[()]:
    """Return what of the messages is found and what stands, if identifiers are marked."""
    scored = ScoredMessages(labelled, senders, words)
    there = coverage(scored)
    if there is None or spans is None:
        return ()
    return (Covered(there.found, there.risk, standing(scored, spans)),)


def without_capitals(labelled: LabelledMessages, which: NDArray[np.bool_]) -> LabelledMessages:
    """Label messages anew with some words in lower case."""
    words, texts = labelled.words, list(labelled.messages)
    for i in np.flatnonzero(which).tolist():
        message, start = words.message[i], int(words.start[i])
        end = start + len(words.forms[words.form[i]].text)
        text = texts[message]
        texts[message] = text[:start] + lowered(text[start:end]) + text[end:]
    again = label_messages(texts, labelled.lexicon)
    same = _n_words(again) == _n_words(labelled)
    if same.all():
        return again
    kept = zip(same.tolist(), texts, labelled.messages, strict=True)
    return label_messages([new if is_same else old for is_same, new, old in kept], labelled.lexicon)


def lowered(text: str) -> str:
    """Return a text of the same length in lower case."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _n_words(labelled: LabelledMessages) -> NDArray[np.int64]:
    return np.bincount(labelled.words.message, minlength=labelled.words.n_messages)


def fit(
    table: TrainingTable, features: FeatureSet, lexicon: Lexicon, options: TrainingOptions
) -> Model:
    """Fit a model to a training table, whose features were computed with this lexicon."""
    is_ta = np.array([label == Prediction.TA for label in table.labels])

    def voter(examples: Examples) -> Voter:
        trees = trees_for(features, options).fit(examples.values[0], table.labels)
        known = ~np.isnan(examples.held_out[0])
        score, *rewritten = (scores[known] for scores in examples.held_out)
        held_out = HeldOut(
            score,
            is_ta[known],
            tuple(rewritten),
            examples.names_with_capitals,
            tuple(Covered(*(of[known] for of in vars(one).values())) for one in examples.covered),
            table.group[known],
        )
        return Voter(trees.forest_, held_out, features.strongest)

    words = None
    if table.words and table.in_corpus:
        words = LearntWords(table.words, table.corpus, voter(table.in_corpus))
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
    return Model(manifest, voter(table.alone), words)
