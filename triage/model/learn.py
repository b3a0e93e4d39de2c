"""Learning: from annotated messages to undersampled bagged decision trees (paper, 4 and 6.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from triage.data import shown_cell
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
    no_step,
    one_thread,
)
from triage.features.refill import Spans, refilled
from triage.features.second_stage import WordTrees
from triage.features.trees import Forest
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

# Each bag is a new sample and must contain both labels: with so many messages of each, the
# probability that one does not is below one in a million. Leaves of ten need as many.
FEWEST = 20
_Floats = NDArray[np.float64]


class Undersampling(StrEnum):
    """The way in which NTA messages are reduced to the number of TA messages."""

    ONCE = "once"
    PER_BAG = "per_bag"

    @classmethod
    def _missing_(cls, value: object) -> "Undersampling":
        known = " or ".join(cls)
        raise TriageError(f"no undersampling is called {value!r}: it is {known}")


@dataclass(frozen=True)
class TrainingOptions:
    """The user's options of training."""

    undersampling: Undersampling = Undersampling.PER_BAG
    seed: int = 0


class UndersampledBaggedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Bagged entropy trees, fitted on as many NTA messages as TA messages."""

    def __init__(
        self,
        undersampling: str = "per_bag",
        n_trees: int = 50,
        min_leaf: int = 10,
        max_features: int | None = 4,
        seed: int = 0,
        splitter: str = "best",
        monotonic: tuple[int, ...] = (),
    ) -> None:
        self.undersampling = undersampling
        self.n_trees = n_trees
        self.min_leaf = min_leaf
        self.max_features = max_features
        self.seed = seed
        self.splitter = splitter
        self.monotonic = monotonic

    @one_thread()
    def fit(self, values: ArrayLike, labels: ArrayLike) -> Self:
        """Fit the trees to values of shape (n_messages, n_features) and labels TA and NTA."""
        table, names = np.asarray(values, dtype=float), np.asarray(labels).astype(str)
        check_labels(names)
        self.classes_ = np.array([Prediction.NTA.value, Prediction.TA.value])
        self.n_features_in_ = table.shape[1]
        is_ta, n_features = names == Prediction.TA, table.shape[1]
        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_leaf,
            max_features=self.max_features and min(self.max_features, n_features),
            splitter=self.splitter,
            monotonic_cst=[int(i in self.monotonic) for i in range(n_features)]
            if self.monotonic
            else None,
        )
        if Undersampling(self.undersampling) is Undersampling.ONCE:
            ensemble = BaggingClassifier(tree, self.n_trees, random_state=self.seed)
            kept = balanced_rows(is_ta, self.seed)
            table, is_ta = table[kept], is_ta[kept]
        else:
            from imblearn.ensemble import BalancedBaggingClassifier

            ensemble = BalancedBaggingClassifier(tree, self.n_trees, random_state=self.seed)
        ensemble.fit(table, is_ta)
        trees = [getattr(one, "steps", [(0, one)])[-1][1] for one in ensemble.estimators_]
        self.forest_ = Forest.from_bagging(trees, ensemble.estimators_features_)
        return self

    def predict_proba(self, values: ArrayLike) -> _Floats:
        """Return the scores of NTA and TA, shape (n_messages, 2)."""
        check_is_fitted(self)
        table = np.asarray(values, dtype=float)
        if table.shape[1:] != (self.n_features_in_,):
            raise ValueError(
                f"values of shape {table.shape} are no table of {self.n_features_in_} features"
            )
        score = self.forest_.score(table)
        return np.column_stack([1 - score, score])

    def predict(self, values: ArrayLike) -> NDArray[np.str_]:
        is_ta = self.predict_proba(values)[:, 1] > 0.5
        return cast(NDArray[np.str_], self.classes_[is_ta.astype(int)])


def balanced_rows(is_ta: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Return, in order, the rows of the rarer label and as many drawn from the other."""
    few, many = sorted((np.flatnonzero(is_ta), np.flatnonzero(~is_ta)), key=len)
    drawn = np.random.default_rng(seed).choice(many, len(few), replace=False)
    return np.sort(np.concatenate([few, drawn]))


def check_labels(labels: NDArray[np.str_]) -> None:
    """Check that labels are TA and NTA and that there are enough of each."""
    found, first = np.unique(labels, return_index=True)
    known, rows = [vote.value for vote in Prediction], zip(found, first + 1, strict=True)
    wrong = [f"{shown_cell(str(one))} (row {row})" for one, row in rows if one not in known]
    if wrong:
        raise TriageError(f"labels must be TA or NTA; there are also {', '.join(wrong[:5])}")
    for label in known:
        count = int((labels == label).sum())
        if count < FEWEST:
            raise TriageError(
                f"{count or 'no'} messages are labelled {label}: "
                f"a model needs at least {FEWEST} of TA and of NTA"
            )


def trees_for(features: FeatureSet, options: TrainingOptions) -> UndersampledBaggedTrees:
    """Return unfitted trees with the hyperparameters of a feature set."""
    trees = UndersampledBaggedTrees(options.undersampling, seed=options.seed)
    if features.weighs_words:
        rising = tuple(features.features.index(name) for name in features.monotonic)
        trees.set_params(
            n_trees=60, min_leaf=5, max_features=None, splitter="random", monotonic=rising
        )
    return trees


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
    n_fits = N_FOLDS * (4 if chosen.weighs_words else 1)
    step = partial(progress(n_fits, "fits"), 1) if progress else no_step
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
    step = (
        partial(progress(2 * N_FOLDS, "fits"), 1) if progress and chosen.weighs_words else no_step
    )
    about = _described(labelled, annotated, chosen, seed, step)
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
    texts = [labelled, *(without_capitals(labelled, lowered) for lowered in learnt.lowered)]
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

    alone, in_corpus = examples(learnt.ways[:1]), examples([words for words, _ in ways])
    source = "labels" if spans is None else "spans"
    return _Described(is_ta, group, folds, alone, in_corpus, learnt.weights, trees, source)


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
