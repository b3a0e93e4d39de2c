"""Feature sets are named and say what their columns are."""

import numpy as np
import pytest

from dictionaries import Lexicon, Role, WordList, label_messages
from features import FEATURE_SETS, feature_set

LEXICON = Lexicon([WordList("first_names", Role.DICTIONARY, ("zoé",))])


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_a_set_is_found_by_its_name(name: str) -> None:
    assert feature_set(name) is FEATURE_SETS[name]
    assert feature_set(name).name == name


@pytest.mark.parametrize("name", FEATURE_SETS)
@pytest.mark.parametrize("messages", [[], ["Coucou Zoé"], ["", "Zoé", "ok"]])
def test_a_set_computes_a_row_for_each_message(name: str, messages: list[str]) -> None:
    features = feature_set(name)
    table = features.compute(label_messages(messages, LEXICON))
    assert table.shape == (len(messages), len(features.features))


def test_the_normalised_set_divides_counts_by_the_length() -> None:
    labelled = label_messages(["Coucou Zoé"], LEXICON)
    counts = feature_set("patel2013").compute(labelled)
    shares = feature_set("patel2013-normalised").compute(labelled)
    column = feature_set("patel2013").features.index("FirstName")
    assert (counts[0, column], shares[0, column]) == (1, 0.1)
    assert not np.array_equal(counts, shares)


def test_both_sets_have_the_columns_of_table_5() -> None:
    assert feature_set("patel2013").features == feature_set("patel2013-normalised").features
    assert len(set(feature_set("patel2013").features)) == 12


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no feature set is called 'patel'; there are: patel2013,"):
        feature_set("patel")
