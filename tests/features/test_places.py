"""Where words stand: beginnings of sentences, habits with capitals, in messages of any kind."""

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.places import OFFSETS, Habit, Places
from triage.features.word_evidence import WordFeatures
from triage.features.word_index import NO_WORD, FeatureNames

from .samples import LEXICON, MESSAGES, label, texts


def placed(labelled: LabelledMessages, lowered: NDArray[np.bool_] | None = None) -> Places:
    return WordFeatures(LEXICON, FeatureNames()).see(labelled, lowered).places


def those(labelled: LabelledMessages, column: str) -> list[str]:
    found = getattr(placed(labelled), column).tolist()
    return [word for word, is_one in zip(texts(labelled), found, strict=True) if is_one]


@given(MESSAGES)
def test_neighbours_are_of_the_same_message(messages: list[str]) -> None:
    labelled = label(*messages)
    found = placed(labelled)
    written = dict(zip(found.number.tolist(), texts(labelled), strict=True)) | {NO_WORD: ""}
    for offset in OFFSETS:
        expected: list[str] = []
        for message in messages:
            words = ["", "", *texts(label(message)), "", ""]
            expected += words[2 + offset : len(words) - 2 + offset]
        assert [written[n] for n in found.beside(offset).tolist()] == expected


@pytest.mark.parametrize(
    ("messages", "starting"),
    [
        *(
            ([f"je vois Zoé{end} Lola mange"], "je Lola")
            for end in [".", "...", "!!!", "?", "…", ":)", "😂"]
        ),
        *(([f"je vois {sign} Lola mange"], "je") for sign in [",", "-", "(", ":", "12", "18h30"]),
        *(
            ([f"je vois{end}Lola mange{end}Zoé"], "je Lola Zoé")
            for end in ("\n", "\r\n", "\n\n", " \n ")
        ),
        (["je vois", "", "Lola mange"], "je Lola"),
        (["je vois", "je 😂😂😂 , vois\nLola mange"], "je je , Lola"),
        (["\n\nje vois\n", "vois"], "je vois"),
    ],
)
def test_a_word_begins_a_sentence_behind_a_stop_a_line_break_or_nothing(
    messages: list[str], starting: str
) -> None:
    assert those(label(*messages), "starts") == starting.split()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("COUCOU JE VOIS ZOÉ", Habit.ALL_CAPITALS),
        ("JE, VOIS 12 LOLA !!! 😂 18h30", Habit.ALL_CAPITALS),
        ("COUCOU ZOÉ", Habit.SOME_INSIDE),  # too short to be a habit
        ("coucou je vois zoé", Habit.NONE_INSIDE),
        ("Coucou je vois zoé", Habit.NONE_INSIDE),
        ("Coucou je vois Zoé", Habit.SOME_INSIDE),
        ("Je Vois Zoé Demain chez", Habit.MANY_INSIDE),
        ("!! 18h30 😂", Habit.NONE_INSIDE),
    ],
)
def test_a_message_has_a_habit_with_capitals(message: str, expected: Habit) -> None:
    assert {*placed(label(message)).habit.tolist()} == {expected}


def test_candidates_are_all_but_signs_pictures_and_what_is_masked() -> None:
    labelled = label("Zoé , 12 :) 😂 18h30 <PRE_7> 0639981234 www.zoe.fr crayon !! ... - <3")
    expected = "Zoé 12 18h30 0639981234 www.zoe.fr crayon"
    assert those(labelled, "is_candidate") == expected.split()
