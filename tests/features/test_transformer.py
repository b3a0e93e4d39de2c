"""Features as a scikit-learn transformer."""

import numpy as np
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


def test_an_array_of_messages_will_do(fitted: MessageFeatures) -> None:
    array = np.array(MESSAGES, dtype=object)
    assert np.array_equal(fitted.transform(array), fitted.transform(MESSAGES))


def test_no_messages_are_a_table_without_rows(fitted: MessageFeatures) -> None:
    assert fitted.transform([]).shape == (0, 12)


def test_the_columns_have_names(fitted: MessageFeatures) -> None:
    names = fitted.get_feature_names_out()
    assert names.tolist() == list(NAMES)
    assert names.dtype == object


def test_nothing_is_learnt_from_the_messages_it_is_fitted_on(fitted: MessageFeatures) -> None:
    others = ["tout autre chose", "Zoé"]
    assert np.array_equal(
        MessageFeatures().fit_transform(others, ["NTA", "TA"]), fitted.transform(others)
    )


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


def test_an_unknown_feature_set_is_refused_when_fitting() -> None:
    with pytest.raises(ValueError, match="no feature set is called 'patel'"):
        MessageFeatures("patel").fit(MESSAGES)


def test_a_feature_set_that_must_be_learnt_first_is_refused_when_fitting() -> None:
    with pytest.raises(
        ValueError, match=r"'evidence' is learnt .*: use triage\.model\.learn\.learn"
    ):
        MessageFeatures("evidence").fit(MESSAGES)


def test_an_unknown_language_is_refused_when_fitting() -> None:
    with pytest.raises(DictionaryError, match="no dictionaries for the language 'xx'"):
        MessageFeatures(language="xx").fit(MESSAGES)


def test_transforming_before_fitting_is_refused() -> None:
    with pytest.raises(NotFittedError):
        MessageFeatures().transform(MESSAGES)
    with pytest.raises(NotFittedError):
        MessageFeatures().get_feature_names_out()
