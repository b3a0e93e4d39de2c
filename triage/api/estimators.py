"""The methods as scikit-learn estimators: messages in, for pipelines and cross-validation.

X is a list, an array or a column of messages, or a table with a column of them, and perhaps one
of senders, of usual names.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from triage.data.errors import is_null
from triage.dictionaries import label_messages, load_lexicon
from triage.features import feature_set
from triage.features.learn import folds_by_group, learn_words, marked_words
from triage.features.messages import LABELS, count_labels
from triage.features.word_evidence import WordScorer

from ..decide.language import chosen_language
from ..decide.pipeline import Triage
from ..decide.policy import covered
from ..decide.tables import messages_of
from ..decide.verdicts import verdicts
from ..errors import TriageError
from ..model.annotated import AnnotatedMessages, Spans, groups_of
from ..model.learn import learn
from ..vocabulary import DEFAULT_FEATURES, Quantity, Verdict

_lexicon = cache(load_lexicon)


class _OfMessages(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Tags of estimators that read messages, not a table of numbers."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


class TriageClassifier(ClassifierMixin, _OfMessages):  # type: ignore[misc]
    """Learn from labelled messages which are TA, as ``triage train`` does.

    Parameters
    ----------
    features : str
        The name of a feature set.
    undersampling : {"per_bag", "once"}
    corpus_evidence : bool
        Predict each message by what the others tell; by default each is predicted by itself.
    language : str, optional
        The pack of dictionaries; by default it is guessed from the first thousand messages that
        it is fitted on.
    random_state : int
    positive_label : str, int or bool, optional
        The label of messages to anonymise; by default TA, 1 or True, where these are the labels.

    Attributes
    ----------
    language_ : str
    classes_ : ndarray
        The two labels, in order.
    model_ : Model

    Examples
    --------
    >>> messages = ["Coucou Patrice", "ok à demain", "Zoé arrive", "oui"] * 10
    >>> learnt = TriageClassifier("patel2013").fit(messages, ["TA", "NTA"] * 20)
    >>> learnt.predict(["Patrice arrive", "ok"]).tolist()
    ['TA', 'NTA']
    """

    def __init__(
        self,
        features: str = DEFAULT_FEATURES,
        undersampling: str = "per_bag",
        corpus_evidence: bool = False,
        language: str | None = None,
        random_state: int = 0,
        positive_label: str | float | None = None,
    ) -> None:
        self.features = features
        self.undersampling = undersampling
        self.corpus_evidence = corpus_evidence
        self.language = language
        self.random_state = random_state
        self.positive_label = positive_label

    def fit(
        self,
        X: Any,
        y: Sequence[Any],
        spans: Sequence[Spans] | None = None,
        senders: Sequence[str] | None = None,
    ) -> Self:
        """Learn from messages and their labels.

        Parameters
        ----------
        X : messages
        y : sequence of two labels
        spans : sequence of list of (start, end, type), optional
            The identifiers, by which word evidence is learnt better.
        senders : sequence of str, optional
            By default those of the table.
        """
        read = messages_of(X)
        self.language_ = chosen_language(self.language, read.texts)
        is_ta, self.classes_, _ = _labels(y, self.positive_label)
        annotated = AnnotatedMessages(
            [*read.texts],
            np.where(is_ta, "TA", "NTA").tolist(),
            [*(read.senders if senders is None else senders)],
            None if spans is None else [*spans],
        )
        self.model_ = learn(
            annotated,
            _lexicon(self.language_),
            self.features,
            cover=covered,
            undersampling=self.undersampling,
            seed=self.random_state,
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the model's vote on each message.

        Its threshold is the model's, so that a score below a half may be TA.
        """
        proba, (*_, at) = self.predict_proba(X), _labels(self.classes_, self.positive_label)
        return self.classes_[np.where(proba[:, at] >= self.model_.manifest.ta_from, at, 1 - at)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each label, in the order of `classes_`."""
        check_is_fitted(self, "model_")
        read = messages_of(X)
        decided = Triage(_lexicon(self.language_), self.model_).decide(
            read.texts, read.senders, corpus_evidence=self.corpus_evidence
        )
        score = np.array(decided.model_score, dtype=np.float64)
        both = np.column_stack([1 - score, score])
        return both if _labels(self.classes_, self.positive_label)[2] else both[:, ::-1]


class SeekAndHide(TransformerMixin, _OfMessages):  # type: ignore[misc]
    """Turn messages into Seek&Hide's verdict and the number of words of each label.

    Parameters
    ----------
    strict : bool
        Leave a message untagged if any of its words is ambiguous or unknown.
    language : str, optional
        As for `TriageClassifier`.

    Examples
    --------
    >>> table = SeekAndHide().fit_transform(["Coucou Patrice"])
    >>> dict(zip(SeekAndHide().get_feature_names_out().tolist(), table[0].tolist()))["TA"]
    1.0
    """

    def __init__(self, strict: bool = False, language: str | None = None) -> None:
        self.strict = strict
        self.language = language

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002
        """Load the dictionaries; nothing else is learnt."""
        self.lexicon_ = _lexicon(chosen_language(self.language, messages_of(X).texts))
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the verdicts and counts, of shape (n_messages, 7)."""
        check_is_fitted(self, "lexicon_")
        labelled = label_messages(messages_of(X).texts, self.lexicon_)
        verdict = verdicts(labelled, self.strict)
        rows = np.array([[one is other for other in Verdict] for one in verdict], dtype=np.float64)
        return np.hstack([rows.reshape(-1, len(Verdict)), count_labels(labelled)])

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the columns: verdicts, then labels."""
        return np.array([*(one.value for one in Verdict), *(one.name for one in LABELS)], object)


class WordEvidence(TransformerMixin, _OfMessages):  # type: ignore[misc]
    """Learn the evidence of words, and turn messages into the features of evidence.

    `fit_transform` gives each message the evidence that was learnt without its fold or its sender,
    as scikit-learn's TargetEncoder does; it differs from ``fit(X, y).transform(X)``.

    Parameters
    ----------
    language : str, optional
        As for `TriageClassifier`.
    random_state : int
    positive_label : str, int or bool, optional
        As for `TriageClassifier`.

    Attributes
    ----------
    language_ : str
    weights_ : WordWeights
    """

    def __init__(
        self,
        language: str | None = None,
        random_state: int = 0,
        positive_label: str | float | None = None,
    ) -> None:
        self.language = language
        self.random_state = random_state
        self.positive_label = positive_label

    def fit(self, X: Any, y: Sequence[Any], spans: Sequence[Spans] | None = None) -> Self:
        """Learn from messages and their two labels, or better from their identifiers."""
        self.fit_transform(X, y, spans)
        return self

    def fit_transform(
        self, X: Any, y: Sequence[Any], spans: Sequence[Spans] | None = None
    ) -> NDArray[np.float64]:
        """Learn, and return the features by evidence that was learnt out of fold."""
        read = messages_of(X)
        self.language_ = chosen_language(self.language, read.texts)
        is_ta, _, _ = _labels(y, self.positive_label)
        groups = np.array(groups_of(read.senders, len(is_ta)))
        folds = folds_by_group(is_ta, groups, self.random_state)
        labelled = label_messages(read.texts, _lexicon(self.language_))
        marked = None if spans is None else marked_words(labelled, [*spans])
        learnt = learn_words(labelled, is_ta, marked, folds)
        self.weights_ = learnt.weights
        return _EVIDENCE.compute(labelled, learnt.ways[0])

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the features of messages, of shape (n_messages, n_features)."""
        check_is_fitted(self, "weights_")
        lexicon = _lexicon(self.language_)
        labelled = label_messages(messages_of(X).texts, lexicon)
        return _EVIDENCE.compute(labelled, WordScorer(lexicon, self.weights_).score(labelled))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the features."""
        return np.array(_EVIDENCE.features, dtype=object)


_EVIDENCE = feature_set(DEFAULT_FEATURES)


def _labels(y: Any, positive: object) -> tuple[NDArray[np.bool_], NDArray[Any], int]:
    """Return which messages are TA, the two labels in order, and the place of that of TA."""
    labels = column_or_1d(y)
    if missing := Quantity(sum(map(is_null, labels.tolist()))):
        raise TriageError(f"y lacks {missing:# label|# labels}: leave the messages without one out")
    classes = np.unique(labels)
    both = classes.tolist()
    if len(both) != 2:
        raise TriageError(f"y has two labels, not {len(both)}")
    if positive is None and both in (["NTA", "TA"], [0, 1]):
        positive = both[1]
    if positive not in both:
        raise TriageError(f"name the label of messages to anonymise as positive_label: {both}")
    at = both.index(positive)
    return labels == classes[at], classes, at
