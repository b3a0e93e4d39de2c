"""The twelve features of the paper (section 4, Table 5), each by a message made for it."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.dictionaries import (
    Kind,
    Labeller,
    Lexicon,
    Role,
    WordList,
    label_messages,
    load_lexicon,
)
from triage.dictionaries.recognisers import Recogniser, Recognisers
from triage.features.patel2013 import NAMES, patel2013, per_character

Features = Callable[[str], dict[str, float]]


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    """A labeller with the French pack."""
    return Labeller(load_lexicon("fr"))


@pytest.fixture(scope="module")
def features(labeller: Labeller) -> Features:
    """The features of one message, by their names."""

    def of_message(message: str) -> dict[str, float]:
        (values,) = patel2013(labeller.label([message]))
        return dict(zip(NAMES, values.tolist(), strict=True))

    return of_message


def test_the_names_and_order_of_table_5() -> None:
    assert NAMES == (
        "UpperCase",
        "SMSLength",
        "FirstName",
        "Countries",
        "Cities",
        "WordLength",
        "Numbers",
        "Elongations",
        "Abbreviations",
        "Punctuation",
        "LEFFF",
        "Pronouns",
    )


def test_upper_case_counts_the_words_that_start_with_a_capital(features: Features) -> None:
    assert features("Coucou Élodie, tu viens chez MARC ou pas XD ?")["UpperCase"] == 3
    assert features("coucou eLODIE :D")["UpperCase"] == 0


def test_sms_length_is_in_characters(features: Features) -> None:
    assert features("Ça va ? 😂")["SMSLength"] == 9


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("Coucou Patrice, je vois Lola et patrice", 3),
        ("rose et pierre", 2),  # ambiguous names too
        ("une bise à Isa", 1),  # short forms too
        ("nicoooolllaassss", 1),  # what a rule reads as a name too
        ("je mange un crayon", 0),
    ],
)
def test_first_name_counts_first_names(message: str, count: int, features: Features) -> None:
    assert features(message)["FirstName"] == count


def test_countries_counts_countries(features: Features) -> None:
    assert features("on va en Espagne puis en italie")["Countries"] == 2
    assert features("on va à Madrid")["Countries"] == 0


def test_cities_counts_towns(features: Features) -> None:
    assert features("de Montpellier à Londres")["Cities"] == 2
    assert features("on va en Espagne")["Cities"] == 0


def test_word_length_is_the_mean_of_words_alone(features: Features) -> None:
    assert features("je mange :) 18h30 !!")["WordLength"] == (2 + 5) / 2


def test_numbers_counts_numbers_hours_and_telephone_numbers(features: Features) -> None:
    assert features("rdv 18h30 au 12, j'ai 2,50€, tel 06 39 98 12 34")["Numbers"] == 4
    assert features("on est 2m1 a 2")["Numbers"] == 1


@pytest.mark.parametrize("kind", [Kind.IBA, Kind.CRT, Kind.DDN, Kind.NUM, Kind.IPA, Kind.CPO])
def test_numbers_counts_the_identifiers_that_are_made_of_digits(
    kind: Kind, labeller: Labeller
) -> None:
    marks = Recogniser("marks", kind, re.compile("§+"), gate="§")
    labelled = Labeller(labeller.lexicon, Recognisers([marks])).label(["mon truc §§§ stp"])
    assert patel2013(labelled)[0, NAMES.index("Numbers")] == 1


def test_elongations_counts_words_with_a_vowel_three_times(features: Features) -> None:
    assert features("saluuuut Lolaaa, troooop bieeeen")["Elongations"] == 4
    assert features("Créée, coooOol, ÉÉÉ")["Elongations"] == 2
    assert features("ah créer mmmh brrr :))) ...")["Elongations"] == 0


def test_abbreviations_counts_sms_forms(features: Features) -> None:
    assert features("slt tkt jsuis la bcp plus tard")["Abbreviations"] >= 4
    assert features("quand mangeons-nous")["Abbreviations"] == 0


def test_punctuation_counts_runs_of_a_sign(features: Features) -> None:
    assert features("Quoi ?! Non... (si)")["Punctuation"] == 5
    assert features("ok :) ^^ 😂 18h30")["Punctuation"] == 0


def test_lefff_counts_forms_of_french(features: Features) -> None:
    assert features("je mange un crayon")["LEFFF"] == 4
    assert features("zorvan kelyana")["LEFFF"] == 0


def test_pronouns_counts_pronouns(features: Features) -> None:
    assert features("je te le dis, c'est toi")["Pronouns"] == 5
    assert features("crayon vert")["Pronouns"] == 0


def test_a_masked_identifier_counts_as_no_word(features: Features) -> None:
    values = features("<PRE_7_17316>")
    assert {name: value for name, value in values.items() if value} == {"SMSLength": 13}


@pytest.mark.parametrize("message", ["", " ", "\n"])
def test_a_message_of_nothing_counts_nothing(message: str, features: Features) -> None:
    assert features(message) == dict.fromkeys(NAMES, 0.0) | {"SMSLength": len(message)}


@pytest.mark.parametrize("message", ["!", "😂", "18h30", "<PRE_7>"])
def test_a_message_without_words_has_no_word_length(message: str, features: Features) -> None:
    assert features(message)["WordLength"] == 0


@pytest.mark.parametrize("messages", [[], [""], ["", " "]])
def test_messages_of_nothing_have_a_row_each(messages: list[str], labeller: Labeller) -> None:
    values = patel2013(labeller.label(messages))
    assert values.shape == per_character(values).shape == (len(messages), 12)
    assert values.dtype == float


def test_a_pack_may_lack_lists() -> None:
    lexicon = Lexicon([WordList("mine", Role.DICTIONARY, ("zoé",))])
    (values,) = patel2013(label_messages(["Zoé en Espagne"], lexicon))
    counts = dict(zip(NAMES, values, strict=True))
    assert (counts["FirstName"], counts["Countries"], counts["UpperCase"]) == (0, 0, 2)


def test_per_character_divides_counts_by_the_length(labeller: Labeller) -> None:
    values = patel2013(labeller.label(["Coucou Patrice, ça va ?"]))
    normalised = per_character(values)
    for name, count, share in zip(NAMES, values[0], normalised[0], strict=True):
        assert share == (count if name in ("SMSLength", "WordLength") else count / 23)


def test_per_character_of_an_empty_message_is_zero(labeller: Labeller) -> None:
    assert per_character(patel2013(labeller.label([""]))).tolist() == [[0.0] * 12]


MESSAGES = st.lists(
    st.lists(
        st.sampled_from(
            ["Coucou", "Patrice", ",", " ", "slt", ":)", "18h30", "looool", "Paris", "é"]
        ),
        max_size=6,
    ).map(" ".join),
    max_size=5,
)


@settings(max_examples=30, deadline=None)
@given(messages=MESSAGES)
def test_a_message_has_the_same_features_whatever_stands_beside_it(
    messages: list[str], labeller: Labeller
) -> None:
    together = patel2013(labeller.label(messages))
    alone = [patel2013(labeller.label([message])) for message in messages]
    assert np.array_equal(together, np.concatenate([np.empty((0, 12)), *alone]))


@settings(max_examples=50, deadline=None)
@given(message=st.text(max_size=40))
def test_features_of_any_text_are_finite_and_not_negative(message: str, labeller: Labeller) -> None:
    values = patel2013(labeller.label([message]))
    for table in (values, per_character(values)):
        assert np.isfinite(table).all()
        assert (table >= 0).all()
