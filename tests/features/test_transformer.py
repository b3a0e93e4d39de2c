"""Features as a scikit-learn transformer."""

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from triage.dictionaries import DictionaryError
from triage.features.patel2013 import NAMES
from triage.features.transformer import MessageFeatures

MESSAGES = ["Coucou Patrice, ça va ?", "Lola et Cédric arrivent", "ok à demain", "oui bien sûr"]
LABELS = ["TA", "TA", "NTA", "NTA"]


@pytest.fixture(scope="module")
def fitted() -> MessageFeatures:
    """A transformer with its dictionaries."""
    return MessageFeatures().fit(MESSAGES)


def test_messages_become_a_table(fitted: MessageFeatures) -> None:
    table = fitted.transform(MESSAGES)
    assert table.shape == (4, 12)
    assert table[:, NAMES.index("FirstName")].tolist() == [1, 2, 0, 0]


def test_it_works_in_a_pipeline() -> None:
    pipeline = make_pipeline(MessageFeatures(), DecisionTreeClassifier(random_state=0))
    pipeline.fit(MESSAGES, LABELS)
    assert pipeline.predict(MESSAGES).tolist() == LABELS
    assert pipeline[:-1].get_feature_names_out().tolist() == list(NAMES)


def test_a_clone_has_its_options_and_is_not_fitted() -> None:
    copied = clone(MessageFeatures("patel2013-normalised").fit([]))
    assert copied.get_params() == {"features": "patel2013-normalised", "language": "fr"}
    assert not hasattr(copied, "lexicon_")


def test_options_can_be_set_before_fitting(fitted: MessageFeatures) -> None:
    other = MessageFeatures().set_params(features="patel2013-normalised").fit(MESSAGES)
    shares, counts = other.transform(MESSAGES), fitted.transform(MESSAGES)
    column = NAMES.index("FirstName")
    assert shares[0, column] == counts[0, column] / len(MESSAGES[0])


def test_transforming_before_fitting_is_refused() -> None:
    with pytest.raises(NotFittedError):
        MessageFeatures().transform(MESSAGES)
    with pytest.raises(NotFittedError):
        MessageFeatures().get_feature_names_out()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"features": "patel"}, "no feature set is called 'patel'"),
        ({"features": "evidence"}, r"'evidence' is learnt .*: use triage\.model\.learn\.learn"),
        ({"language": "xx"}, "no dictionaries for the language 'xx'"),
    ],
)
def test_what_there_is_not_is_refused_when_fitting(options: dict[str, str], problem: str) -> None:
    with pytest.raises((ValueError, DictionaryError), match=problem):
        MessageFeatures(**options).fit(MESSAGES)
