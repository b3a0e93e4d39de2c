"""The methods as scikit-learn estimators."""

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

from tests.cases import cases_beside
from triage import SeekAndHide, Triage, TriageClassifier, WordEvidence
from triage.errors import TriageError

pytestmark = pytest.mark.usefixtures("few_trees")
NAMES = ["Patrice", "Zoé", "Nico", "Lola", "Cédric"]
MESSAGES = [
    text for name in NAMES * 8 for text in (f"coucou {name} ça va", "ok a demain dans le bus")
]
LABELS = ["TA", "NTA"] * 40
SENDERS = [f"s{number // 2 % 8}" for number in range(80)]


@pytest.fixture(scope="module")
def plain(few_trees: pytest.MonkeyPatch) -> TriageClassifier:
    """One that learns the paper's features alone, which takes little time."""
    return TriageClassifier("patel2013").fit(MESSAGES, LABELS)


@pytest.fixture(scope="module")
def evidence() -> WordEvidence:
    return WordEvidence().fit(MESSAGES, LABELS)


ESTIMATORS = [TriageClassifier("patel2013"), SeekAndHide(), WordEvidence()]
CASES = cases_beside(__file__)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_scikit_learn_checks_it_as_an_estimator_of_text(estimator: Any) -> None:
    # Of estimators of text, it skips the checks that fit tables of numbers: see below.
    with pytest.warns(SkipTestWarning, match=r"requires input\s+of type .*string=True"):
        results = check_estimator(estimator)
    assert {result["status"] for result in results} == {"passed"}


def test_a_language_is_a_text_or_the_path_of_a_pack() -> None:
    pack: Any = Path(__file__).parents[2] / "packs" / "ca"
    assert SeekAndHide(language=pack).fit(MESSAGES).lexicon_.language == str(pack)
    for other in (["fr"], 3):
        with pytest.raises(TriageError, match=r"^language is a text, such as"):
            SeekAndHide().set_params(language=other).fit(MESSAGES)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", CASES["checks"])
def test_it_keeps_the_conventions_of_estimators(name: str, estimator: Any) -> None:
    getattr(estimator_checks, f"check_{name}")(type(estimator).__name__, estimator)


def _apply(estimator: Any, messages: list[str]) -> Any:
    method = "transform" if hasattr(estimator, "transform") else "predict"
    return getattr(estimator, method)(messages)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_fitting_changes_no_option_and_no_message_depends_on_others(estimator: Any) -> None:
    own = clone(estimator)
    before = own.get_params()
    assert own.fit(MESSAGES, LABELS) is own
    assert own.get_params() == before
    assert {name for name in vars(own) if name not in before} <= {
        *("model_", "classes_", "lexicon_", "weights_", "language_")
    }

    whole = _apply(own, MESSAGES)
    assert np.array_equal(_apply(own, MESSAGES[::-1])[::-1], whole)
    assert np.array_equal(np.concatenate([_apply(own, [one]) for one in MESSAGES[:3]]), whole[:3])
    assert np.array_equal(_apply(own.fit(MESSAGES, LABELS), MESSAGES), whole)


def test_it_votes_as_the_pipeline_and_is_pickled(shipped: Triage) -> None:
    fitted = TriageClassifier().fit(MESSAGES, LABELS)
    others = ["coucou Patrice", "ok", "", "dans le bus avec Zoé"]
    decided = Triage(shipped.lexicon, fitted.model_).decide(others)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    votes = [vote.value for vote in decided.model]
    assert fitted.predict(others).tolist() == again.predict(others).tolist() == votes
    assert fitted.predict_proba(others)[:, 1].tolist() == decided.model_score
    assert np.allclose(fitted.predict_proba(others).sum(axis=1), 1)


@pytest.mark.parametrize(
    "kind",
    [
        list,
        np.array,
        lambda texts: np.array(texts, dtype=object).reshape(-1, 1),
        pd.Series,
        lambda texts: pd.DataFrame({"sender": "ana", "text": texts}),
    ],
)
def test_messages_of_any_kind_will_do(kind: Any, plain: TriageClassifier) -> None:
    assert plain.predict(kind(MESSAGES[:4])).tolist() == LABELS[:4]


NAMED = [label == "TA" for label in LABELS]


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (np.array(NAMED).astype(int), None),
        (NAMED, None),
        (["name" if one else "none" for one in NAMED], "name"),
        ([0 if one else 1 for one in NAMED], 0),
        (pd.DataFrame({"label": LABELS}), None),
    ],
)
def test_any_two_labels_will_do(
    labels: Any, positive: Any, plain: TriageClassifier, evidence: WordEvidence
) -> None:
    own = TriageClassifier("patel2013", positive_label=positive).fit(MESSAGES, labels)
    first, *others = np.ravel(labels).tolist()
    assert own.predict(MESSAGES[:4]).tolist() == [first, *others[:3]]
    at = own.classes_.tolist().index(first)
    assert np.array_equal(own.predict_proba(MESSAGES)[:, at], plain.predict_proba(MESSAGES)[:, 1])
    found = WordEvidence(positive_label=positive).fit(MESSAGES, labels)
    assert np.array_equal(found.transform(MESSAGES), evidence.transform(MESSAGES))


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (["a", "b"], "name the label of messages to anonymise as positive_label"),
        (["TA", "TA"], "y has two labels, not 1"),
        ([0, 1, 2], "y has two labels, not 3"),
        (["TA", None, "NTA"], "y lacks 1 label: leave the messages without one out"),
        ([1.0, float("nan"), 0.0], "y lacks 1 label"),
    ],
)
def test_labels_without_a_known_positive_are_refused(labels: list[Any], problem: str) -> None:
    with pytest.raises(TriageError, match=problem):
        TriageClassifier().fit(["ok", "oui", "non"][: len(labels)], labels)


def test_predicting_before_fitting_is_an_error() -> None:
    for estimator in (TriageClassifier(), WordEvidence()):
        with pytest.raises(NotFittedError):
            _apply(estimator, ["ok"])


def test_seek_and_hide_gives_verdicts_and_counts() -> None:
    transformer = SeekAndHide().fit([])
    rows = transformer.transform(["Coucou Patrice", "ok", "Xqztlu"])
    table = pd.DataFrame(rows, columns=transformer.get_feature_names_out())
    assert table[["TA", "NTA", "UNTAGGED"]].to_numpy().tolist() == np.eye(3).tolist()
    assert table["DICTIONARY"].tolist() == [1, 0, 0]


def test_the_evidence_that_a_message_is_given_was_learnt_without_it() -> None:
    transformer = WordEvidence()
    held_out = transformer.fit_transform(MESSAGES, LABELS)
    seen = transformer.transform(MESSAGES)
    assert held_out.shape == seen.shape == (80, len(transformer.get_feature_names_out()))
    assert not np.array_equal(held_out, seen)


def test_marked_identifiers_teach_it_more(evidence: WordEvidence) -> None:
    spans: Sequence[list[tuple[int, int, str]]] = [
        [(7, text.index(" ", 7), "PRE")] if text.startswith("coucou") else [] for text in MESSAGES
    ]
    alone = evidence.transform(MESSAGES[:1])
    marked = WordEvidence().fit(MESSAGES, LABELS, spans).transform(MESSAGES[:1])
    assert not np.array_equal(alone, marked)


def test_its_options_are_searched_by_cross_validation(plain: TriageClassifier) -> None:
    found = GridSearchCV(plain, {"random_state": [0, 1]}, cv=2).fit(MESSAGES, LABELS)
    assert found.best_score_ >= cross_val_score(plain, MESSAGES, LABELS, cv=2).mean() > 0.5
    assert found.predict(MESSAGES[:2]).tolist() == LABELS[:2]


@pytest.mark.parametrize("estimator", [TriageClassifier("patel2013"), WordEvidence()])
def test_it_learns_in_the_language_it_reads(estimator: Any, english_messages: list[str]) -> None:
    labels = ["TA" if "Priya" in message else "NTA" for message in english_messages]
    with pytest.warns(UserWarning, match="decided as English"):
        estimator.fit(english_messages * 20, labels * 20)
    assert estimator.language_ == "en"
