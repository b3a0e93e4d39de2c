"""Learning: from annotated messages to undersampled bagged decision trees (paper, 4 and 6.3)."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from triage.data.columns import shown_cell
from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon
from triage.dictionaries.pack import FRENCH
from triage.features import FeatureSet, feature_set
from triage.features.learn import (
    N_FOLDS,
    LearntEvidence,
    Step,
    folds_by_group,
    learn_evidence,
    one_thread,
)
from triage.features.trees import Forest
from triage.features.word_evidence import ScoredWords

from ..errors import TriageError
from ..progress import StartProgress
from ..settings import choice
from ..vocabulary import DEFAULT_FEATURES, Prediction
from . import learnt
from .annotated import AnnotatedMessages, Spans

# Each bag is a new sample and must contain both labels: with so many messages of each, the
# probability that one does not is below one in a million. Leaves of ten need as many.
MIN_OF_EACH = 20
_Floats = NDArray[np.float64]
# By messages, their senders, the evidence of their words and their marks: which hold an identifier
# that is found, their risk, and which keep a marked one (`decide.policy.covered`).
Cover = Callable[[LabelledMessages, Sequence[str], ScoredWords, Sequence[Spans]], learnt.Covered]
# Of each way of writing messages: their features, the share of names with capitals, and what is
# covered, if that is known.
_Ways = tuple[list[_Floats], list[float], list[learnt.Covered]]
# The ways in which NTA messages are reduced to the number of TA messages.
Undersampling = StrEnum("Undersampling", ["ONCE", "PER_BAG"])


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
        is_ta, n_features = names == Prediction.TA, table.shape[1]
        monotonic = [int(i in self.monotonic) for i in range(n_features)]
        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_leaf,
            max_features=self.max_features and min(self.max_features, n_features),
            splitter=self.splitter,
            monotonic_cst=monotonic if self.monotonic else None,
        )
        if choice(Undersampling, self.undersampling, "undersampling") is Undersampling.ONCE:
            ensemble = BaggingClassifier(tree, self.n_trees, random_state=self.seed)
            rows = balanced_rows(is_ta, self.seed)
            table, is_ta = table[rows], is_ta[rows]
        else:
            from imblearn.ensemble import BalancedBaggingClassifier

            ensemble = BalancedBaggingClassifier(tree, self.n_trees, random_state=self.seed)
        ensemble.fit(table, is_ta)
        trees = [getattr(one, "steps", [(0, one)])[-1][1] for one in ensemble.estimators_]
        self.forest_ = Forest.from_bagging(trees, ensemble.estimators_features_)
        return self

    def predict_proba(self, values: ArrayLike) -> _Floats:
        """Return the scores of NTA and TA, shape (n_messages, 2)."""
        score = self.forest_.score(np.asarray(values, dtype=float))
        return np.column_stack([1 - score, score])

    def predict(self, values: ArrayLike) -> NDArray[np.str_]:
        is_ta = self.predict_proba(values)[:, 1] > 0.5
        return cast(NDArray[np.str_], self.classes_[is_ta.astype(int)])


def balanced_rows(is_ta: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """Return, in order, the rows of the rarer label and as many drawn from the other."""
    rarer, commoner = sorted((np.flatnonzero(is_ta), np.flatnonzero(~is_ta)), key=len)
    sample = np.random.default_rng(seed).choice(commoner, len(rarer), replace=False)
    return np.sort(np.concatenate([rarer, sample]))


def check_labels(labels: NDArray[np.str_]) -> None:
    """Check that labels are TA and NTA and that there are enough of each."""
    distinct, first = np.unique(labels, return_index=True)
    known_labels, rows = [vote.value for vote in Prediction], zip(distinct, first + 1, strict=True)
    wrong = [f"{shown_cell(str(one))} (row {row})" for one, row in rows if one not in known_labels]
    if wrong:
        raise TriageError(f"labels must be TA or NTA; there are also {', '.join(wrong[:5])}")
    for label in known_labels:
        count = int((labels == label).sum())
        if count < MIN_OF_EACH:
            are = "message to learn from is" if count == 1 else "messages to learn from are"
            raise TriageError(
                f"{count or 'no'} {are} labelled {label}: "
                f"a model needs at least {MIN_OF_EACH} of TA and of NTA"
            )


def trees_for(features: FeatureSet, undersampling: str, seed: int) -> UndersampledBaggedTrees:
    """Return unfitted trees with the hyperparameters of a feature set."""
    trees = UndersampledBaggedTrees(undersampling, seed=seed)
    if features.weighs_words:
        rising = tuple(features.features.index(name) for name in features.monotonic)
        trees.set_params(
            n_trees=60, min_leaf=5, max_features=None, splitter="random", monotonic=rising
        )
    return trees


def learn(
    annotated: AnnotatedMessages,
    lexicon: Lexicon | None = None,
    features: str = DEFAULT_FEATURES,
    *,
    cover: Cover,
    undersampling: str = Undersampling.PER_BAG,
    seed: int = 0,
    progress: StartProgress | None = None,
    lexical: bool = True,
) -> learnt.Model:
    """Learn a model from annotated messages; `progress` is told of each fit by folds.

    Without `lexical` features nothing is learnt that holds in one language alone. `cover` tells
    what a policy may promise: `triage.decide.policy.covered`.
    """
    lexicon, chosen = lexicon or load_lexicon(FRENCH), feature_set(features)
    strategy = choice(Undersampling, undersampling, "undersampling")
    # Both stages of words, and the trees of either voter.
    n_fits = N_FOLDS * (4 if chosen.weighs_words else 1)
    examples = _Examples(annotated, lexicon, chosen, seed, progress, n_fits, lexical=lexical)
    words, evidence = None, examples.evidence
    trees = partial(trees_for, chosen, strategy, seed)
    if evidence:
        in_corpus = examples.voter(examples.ways(cover, in_corpus=True), trees)
        words = learnt.LearntWords(evidence.weights, evidence.trees, in_corpus)
    voter = examples.voter(examples.ways(cover, in_corpus=False), trees)
    manifest = learnt.Manifest(
        features=chosen.name,
        columns=chosen.features,
        language=lexicon.language,
        dictionaries=lexicon.fingerprint,
        n_ta=int(annotated.is_ta.sum()),
        n_nta=int((~annotated.is_ta).sum()),
        undersampling=str(strategy),
        seed=seed,
        ta_from=learnt.TA_FROM_EVIDENCE if words else learnt.TA_FROM,
        versions=learnt.versions(),
        words_from=("spans" if evidence.is_marked else "labels") if evidence else "",
    )
    return learnt.Model(manifest, voter, words)


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
    progress = progress if chosen.weighs_words else None
    examples = _Examples(annotated, load_lexicon(language), chosen, seed, progress, 2 * N_FOLDS)
    values, _, _ = examples.ways(None, in_corpus=corpus_evidence)
    return [*chosen.features], values[0]


class _Examples:
    """Annotated messages, in folds by sender, with evidence of words that is out of fold."""

    def __init__(
        self,
        annotated: AnnotatedMessages,
        lexicon: Lexicon,
        features: FeatureSet,
        seed: int,
        progress: StartProgress | None,
        n_fits: int,
        *,
        lexical: bool = True,
    ) -> None:
        n_messages = len(annotated.messages)
        for name in ("labels", "spans", "senders"):
            column = getattr(annotated, name)
            if column is not None and len(column) != n_messages:
                raise TriageError(f"there are {n_messages} messages, but {len(column)} {name}")
        check_labels(np.asarray(annotated.labels).astype(str))
        self._annotated, self._features = annotated, features
        self._labelled = label_messages(annotated.messages, lexicon)
        self._folds = folds_by_group(annotated.is_ta, annotated.groups, seed)
        self._step: Step = partial(progress(n_fits, "fits"), 1) if progress else lambda: None
        self.evidence: LearntEvidence | None = None
        if features.weighs_words:
            arguments = self._labelled, annotated.is_ta, annotated.senders_or_empty, annotated.spans
            self.evidence = learn_evidence(*arguments, self._folds, self._step, lexical=lexical)

    def ways(self, cover: Cover | None, *, in_corpus: bool) -> _Ways:
        """Return messages in all ways of writing, as a corpus; or each by itself, as written."""
        if not self.evidence:
            return [self._features.compute(self._labelled)], [1.0], []
        ways = self.evidence.ways if in_corpus else self.evidence.ways[:1]
        texts = [(way.labelled, way.in_corpus if in_corpus else way.alone) for way in ways]
        values = [self._features.compute(*one) for one in texts]
        covered = list[learnt.Covered]()
        if cover and self.evidence.is_marked:
            senders, marks = self._annotated.senders_or_empty, self._annotated.spans or ()
            covered = [cover(labelled, senders, words, marks) for labelled, words in texts]
        return values, [way.names_with_capitals for way in ways], covered

    def voter(self, ways: _Ways, trees: Callable[[], UndersampledBaggedTrees]) -> learnt.Voter:
        """Fit trees to all messages, and score each by trees fitted without its sender."""
        is_ta, strongest = self._annotated.is_ta, self._features.strongest
        labels = np.where(is_ta, Prediction.TA.value, Prediction.NTA.value)
        values, shares, covered_by_way = ways
        # Not a number where too few messages remain to learn from.
        scores = np.full((len(values), len(is_ta)), np.nan)
        for training, testing in self._folds:
            self._step()
            n_ta = int(is_ta[training].sum())
            if min(n_ta, len(training) - n_ta) < MIN_OF_EACH:
                continue
            forest = trees().fit(values[0][training], labels[training]).forest_
            for score, of_way in zip(scores, values, strict=True):
                score[testing] = learnt.mixed_score(forest, of_way[testing], strongest)
        is_scored, covered = ~np.isnan(scores[0]), None
        if covered_by_way:
            columns = zip(*covered_by_way, strict=True)
            is_found, risk, stands = (np.array(one)[:, is_scored] for one in columns)
            covered = is_found, risk, stands
        group = self._annotated.groups[is_scored]
        labelled = scores[:, is_scored], is_ta[is_scored], (*shares,)
        held_out = learnt.HeldOut(*labelled, covered, group)
        return learnt.Voter(trees().fit(values[0], labels).forest_, held_out, strongest)
