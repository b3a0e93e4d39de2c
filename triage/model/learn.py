"""Training: from annotated messages to a model."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon
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


class _Examples(NamedTuple):
    """Features of messages, as written and perhaps rewritten, and what is covered of each way."""

    values: list[_Floats]
    names_with_capitals: tuple[float, ...] = (1.0,)
    covered: Covered | None = None


class _Described(NamedTuple):
    """Annotated messages, without and with corpus evidence, and what was learnt of words."""

    is_ta: NDArray[np.bool_]
    group: NDArray[np.int64]
    folds: Folds
    alone: _Examples
    in_corpus: _Examples | None = None
    words: WordWeights | None = None
    corpus: WordTrees | None = None
    words_from: str = ""


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
    lexical: bool = True,
) -> Model:
    """Learn a model from annotated messages; `progress` is told of each fit by folds.

    Without `lexical` features nothing is learnt that holds in one language alone.
    """
    lexicon = lexicon or load_lexicon(FRENCH)
    chosen, options = feature_set(features), options or TrainingOptions()
    annotated = AnnotatedMessages(
        [*messages],
        [*labels],
        None if senders is None else [*senders],
        None if spans is None else [*spans],
    )
    add = (
        progress(N_FOLDS * (4 if chosen.weighs_words else 1), "fits")
        if progress
        else lambda _: None
    )
    step = partial(add, 1)
    labelled = label_messages(messages, lexicon)
    about = _described(labelled, annotated, chosen, options.seed, step, lexical=lexical)
    words = None
    if about.words and about.in_corpus:
        in_corpus = _voter(about, about.in_corpus, chosen, options, step)
        words = LearntWords(about.words, about.corpus, in_corpus)
    manifest = Manifest(
        features=chosen.name,
        columns=chosen.features,
        language=lexicon.language,
        dictionaries=lexicon.fingerprint,
        n_ta=int(about.is_ta.sum()),
        n_nta=int((~about.is_ta).sum()),
        undersampling=str(options.undersampling),
        seed=options.seed,
        ta_from=TA_FROM_EVIDENCE if chosen.weighs_words else TA_FROM,
        versions=versions(),
        words_from=about.words_from,
    )
    return Model(manifest, _voter(about, about.alone, chosen, options, step), words)


def _voter(
    about: _Described,
    examples: _Examples,
    features: FeatureSet,
    options: TrainingOptions,
    step: Step,
) -> Voter:
    """Fit trees to all messages, and score each by trees fitted without its sender."""
    labels = np.where(about.is_ta, Prediction.TA.value, Prediction.NTA.value)
    as_written, *_ = examples.values
    # Not a number where too few messages remain to learn from.
    scores = np.full((len(examples.values), len(labels)), np.nan)
    for training, testing in about.folds:
        step()
        n_ta = int(about.is_ta[training].sum())
        if min(n_ta, len(training) - n_ta) < FEWEST:
            continue
        forest = trees_for(features, options).fit(as_written[training], labels[training]).forest_
        for score, values in zip(scores, examples.values, strict=True):
            score[testing] = voted(forest, values[testing], features.strongest)
    known = ~np.isnan(scores[0])
    covered = None
    if examples.covered:
        found, risk, stands = examples.covered
        covered = found[:, known], risk[:, known], stands[:, known]
    is_ta, ways = about.is_ta[known], examples.names_with_capitals
    held_out = HeldOut(scores[:, known], is_ta, ways, covered, about.group[known])
    forest = trees_for(features, options).fit(as_written, labels).forest_
    return Voter(forest, held_out, features.strongest)


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
    labelled = label_messages(annotated.messages, load_lexicon(language))
    add = progress(2 * N_FOLDS, "fits") if progress and chosen.weighs_words else lambda _: None
    about = _described(labelled, annotated, chosen, seed, partial(add, 1))
    examples = about.in_corpus if about.in_corpus and corpus_evidence else about.alone
    return [*chosen.features], examples.values[0]


def _described(
    labelled: LabelledMessages,
    annotated: AnnotatedMessages,
    features: FeatureSet,
    seed: int,
    step: Step,
    *,
    lexical: bool = True,
) -> _Described:
    """Compute the features of annotated messages, with evidence of words that is out of fold."""
    n_messages, spans = len(labelled.messages), annotated.spans
    for name in ("labels", "spans", "senders"):
        column = getattr(annotated, name)
        if column is not None and len(column) != n_messages:
            raise TriageError(f"there are {n_messages} messages, but {len(column)} {name}")
    check_labels(np.asarray(annotated.labels).astype(str))
    is_ta = np.array([label == Prediction.TA for label in annotated.labels])
    group = np.array(groups_of(annotated.senders, n_messages), dtype=np.int64)
    folds = folds_by_group(is_ta, group, seed)
    if not features.weighs_words:
        return _Described(is_ta, group, folds, _Examples([features.compute(labelled)]))
    marked = None if spans is None else marked_words(labelled, spans)
    if marked is None or not marked.any():
        marked = spans = None  # the column of spans may be empty
    copies = refilled(labelled, spans) if spans else None
    learnt = learn_words(labelled, is_ta, marked, folds, step, copies, lexical=lexical)
    senders = annotated.senders if annotated.senders is not None else [""] * n_messages
    trees, ways = learn_corpus(labelled, learnt, senders, folds, step)
    shares = tuple(share for _, share in ways)

    def examples(words: Sequence[ScoredWords]) -> _Examples:
        read = [*zip(texts, words, strict=False)]
        found, risk, stands = [], [], []
        for text, one in read if spans else ():
            scored = ScoredMessages(text, senders, one)
            if there := coverage(scored):
                found.append(there.found)
                risk.append(there.risk)
                stands.append(standing(scored, spans or ()))
        covered = (np.array(found), np.array(risk), np.array(stands)) if found else None
        values = [features.compute(text, one) for text, one in read]
        return _Examples(values, shares[: len(read)], covered)

    texts = [labelled, *(without_capitals(labelled, lowered) for lowered in learnt.lowered)]
    return _Described(
        is_ta,
        group,
        folds,
        examples(learnt.ways[:1]),
        examples([words for words, _ in ways]),
        learnt.weights,
        trees,
        "labels" if spans is None else "spans",
    )


def without_capitals(labelled: LabelledMessages, which: NDArray[np.bool_]) -> LabelledMessages:
    """Label messages anew with some words in lower case."""
    words, texts = labelled.words, list(labelled.messages)
    for i in np.flatnonzero(which).tolist():
        message, start = words.message[i], int(words.start[i])
        end = start + len(words.forms[words.form[i]].text)
        text = texts[message]
        texts[message] = text[:start] + lowered(text[start:end]) + text[end:]
    again = label_messages(texts, labelled.lexicon)
    counts = (np.bincount(one.words.message, None, len(texts)) for one in (again, labelled))
    same = np.equal(*counts)
    if same.all():
        return again
    kept = zip(same.tolist(), texts, labelled.messages, strict=True)
    return label_messages([new if is_same else old for is_same, new, old in kept], labelled.lexicon)


def lowered(text: str) -> str:
    """Return a text of the same length in lower case."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
