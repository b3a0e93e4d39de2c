"""The evidence of a word in its place: named features, and weights that add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import (
    LabelledMessages,
    Lexicon,
    Role,
    WordList,
    label_messages,
)
from triage.dictionaries.lexicon import YOURS
from triage.features.word_evidence import (
    WordFeatures,
    WordScorer,
    WordWeights,
)
from triage.features.word_index import FeatureNames

from .samples import LEXICON, MESSAGES, label, texts

Seen = list[tuple[str, ...]]
Eye = tuple[WordFeatures, FeatureNames]


def new_eye(lexicon: Lexicon = LEXICON) -> Eye:
    names = FeatureNames(grows=True)
    return WordFeatures(lexicon, names), names


def seen_by(eye: Eye, labelled: LabelledMessages, lowered: list[bool] | None = None) -> Seen:
    features, growing = eye
    which = None if lowered is None else np.array(lowered, dtype=np.bool_)
    columns = features.see(labelled, which).columns
    names = ["", *growing]
    return [tuple(names[column] for column in row) for row in columns]


def see(*messages: str) -> Seen:
    return seen_by(new_eye(), label(*messages))


def met(*messages: str, lexicon: Lexicon = LEXICON) -> list[str]:
    """Return the names of all features of these messages, as learning meets them."""
    eye = new_eye(lexicon)
    labelled = label_messages(messages, lexicon)
    seen_by(eye, labelled)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    return list(eye[1])


@given(MESSAGES, MESSAGES)
def test_features_are_the_same_whatever_was_seen_before(
    before: list[str], messages: list[str]
) -> None:
    eye = new_eye()
    labelled = label(*before)
    seen_by(eye, labelled, [True] * len(labelled.words.form))
    assert seen_by(eye, label(*messages)) == see(*messages)


@given(MESSAGES, st.integers(min_value=0))
def test_a_lowered_word_is_seen_as_if_it_were_written_without_capitals(
    messages: list[str], place: int
) -> None:
    labelled = label(*messages)
    words = texts(labelled)
    for k in [place % len(words)] if words else []:
        start, message = int(labelled.words.start[k]), int(labelled.words.message[k])
        text = messages[message]
        if labelled.labels[labelled.words.form[k]].kind == "WORD":
            lower = words[k].lower()
            real = list(messages)
            real[message] = text[:start] + lower + text[start + len(lower) :]
            lowered = [i == k for i in range(len(words))]
            assert seen_by(new_eye(), labelled, lowered)[k] == see(*real)[k]


@pytest.mark.parametrize(
    ("message", "weights", "expected"),
    [
        # A capital at the start of a message lowers no word.
        *(
            (
                "Zorbulina dort",
                {"UNKNOWN, lower starting": lower, "UNKNOWN, Capital starting": 3 - lower},
                [2, 0],
            )
            for lower in (1, 2)
        ),
        (
            "chez Zorbulina Lola",
            {"starts with zor-": 2.0, "after: chez": 0.5, "before: chez": 9.0},
            [0, 2.5, 0],
        ),
    ],
)
def test_the_log_odds_of_a_word_are_the_sum_of_its_weights(
    message: str, weights: dict[str, float], expected: list[float]
) -> None:
    scored = WordScorer(LEXICON, WordWeights(-3.0, weights)).score(label(message))
    assert (scored.log_odds + 3).tolist() == expected


@pytest.mark.parametrize(
    ("message", "word", "names"),
    [
        ("vois Zorbulina chez", 1, {"after: vois | UNKNOWN", "before: chez | UNKNOWN"}),
        ("Zoé Zoé", 0, {"DICTIONARY first name, Capital starting"}),
        ("Zoé Zoé", 1, {"DICTIONARY first name, Capital inside"}),
        ("vois pierre", 1, {"in first_names inflected_forms, lower inside"}),
        ("JE VOIS ZORBULINA", 2, {"UNKNOWN, UPPER inside, message with capitals only"}),
        (
            "coucou je vois Zorbulina chez Lola",
            3,
            {
                *("two words after: je", "after: vois", "before: chez"),
                "two words before: DICTIONARY first name, Capital",
            },
        ),
    ],
)
def test_a_word_is_seen_with_its_place_and_its_neighbours(
    message: str, word: int, names: set[str]
) -> None:
    assert names <= set(see(message)[word])


OWN = [
    WordList("team", Role.DICTIONARY, ("zorbulina",), title=YOURS),
    WordList("ours", Role.ANTI_DICTIONARY, ("kelvorane",), title=YOURS),
]


@pytest.mark.parametrize("pack", ["few lists", "one's own lists", "French"])
@pytest.mark.parametrize(
    ("message", "hidden"),
    [
        *(
            (message, "zorb orbu lina")
            for message in (
                "Zorbulina",
                "je vois Zorbulina demain, ZORBULINA ou zorbulina !",
                "chez Zorbulina-Lola ou Lola-Zorbulina",
                "zorbuliiiina et 3zorbulina et zorbulina2",
                "l'zorbulina d'Zorbulina",
                "jzorbulina chezzorbulina",
                "Zorbulina\nZorbulina Zorbulina",
                "zorbulina@zorbulina.fr www.zorbulina.fr rue 12 rue Zorbulina",
                "ZORBÚLINA zorbulína",
            )
        ),
        (
            "je vois Patrice chez Durandeau, patriiice et Mathilde",
            "patr rice dura deau math ilde",
        ),
        ("je vois Zorbulina et kelvorane, slt-kelvorane", "team ours zorb lina kelvorane"),
        ("je vois 83754cours demain, tel 0639981234 ou 83754", "83754 0639981234"),
        ("je vois digicode 45B78 demain <PRE_7_99> à 18h30", "45B78 PRE_7_99 18h30"),
    ],
)
def test_the_name_of_no_feature_holds_a_name_or_number_of_a_message_or_a_list(
    message: str, hidden: str, pack: str, french: Lexicon
) -> None:
    lexicon = french if pack == "French" else LEXICON
    lexicon = lexicon.with_lists(OWN) if pack == "one's own lists" else lexicon
    shown = " ".join(met(message, lexicon=lexicon)).lower()
    assert not any(part.lower() in shown for part in hidden.split())


@pytest.mark.parametrize(
    ("weights", "most", "expected"),
    [
        (
            {"ends in -na.": 1.0, "starts with zor-": 3.0, "after: chez": 2.0, "looks plain": -5.0},
            3,
            ["starts with zor-", "after: chez", "ends in -na."],
        ),
        ({"ends in -na.": 1.0, "starts with zor-": 3.0}, 1, ["starts with zor-"]),
        ({"ends in -na.": 1.0, "starts with zor-": 3.0}, 0, []),
        ({"starts with zor-": 1.0, "ends in -na.": 1.0}, 3, ["ends in -na.", "starts with zor-"]),
    ],
)
def test_reasons_are_the_weights_that_told_most_for_a_word_then_by_the_alphabet(
    weights: dict[str, float], most: int, expected: list[str]
) -> None:
    scorer = WordScorer(LEXICON, WordWeights(-9.0, weights))
    assert scorer.reasons(label("chez zorbulina"), most)[1] == expected
