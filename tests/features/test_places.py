"""Where words stand: neighbours, beginnings of sentences, habits with capitals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import LabelledMessages
from triage.features.places import OFFSETS, Habit, Places, places
from triage.features.word_index import NO_WORD

from .samples import HOSTILE, LONG, MESSAGE, MESSAGES, label, new_index, texts, unhurried


def placed(labelled: LabelledMessages, lowered: list[bool] | None = None) -> Places:
    lower = None if lowered is None else np.array(lowered, dtype=np.bool_)
    return places(labelled, new_index(), lower)


def neighbours(*messages: str) -> dict[int, list[str]]:
    """Return of each word the words beside it, empty where there is none."""
    labelled = label(*messages)
    found = placed(labelled)
    written = dict(zip(found.number.tolist(), texts(labelled), strict=True)) | {NO_WORD: ""}
    return {offset: [written[n] for n in found.neighbours[offset].tolist()] for offset in OFFSETS}


def starting(*messages: str) -> list[str]:
    """Return the words that begin a sentence or a line."""
    labelled = label(*messages)
    starts = placed(labelled).starts
    return [word for word, is_start in zip(texts(labelled), starts, strict=True) if is_start]


def habit(message: str) -> Habit:
    (found,) = set(placed(label(message)).habit.tolist())
    return Habit(found)


def test_a_word_has_two_neighbours_on_each_side() -> None:
    assert neighbours("je vois Zoé demain") == {
        -2: ["", "", "je", "vois"],
        -1: ["", "je", "vois", "Zoé"],
        1: ["vois", "Zoé", "demain", ""],
        2: ["Zoé", "demain", "", ""],
    }


def test_a_lone_word_has_no_neighbours() -> None:
    assert neighbours("Zoé") == {offset: [""] for offset in OFFSETS}


@unhurried
@given(MESSAGES)
def test_neighbours_are_of_the_same_message(messages: list[str]) -> None:
    expected: dict[int, list[str]] = {offset: [] for offset in OFFSETS}
    for message in messages:
        words = ["", "", *texts(label(message)), "", ""]
        for offset in OFFSETS:
            expected[offset] += words[2 + offset : len(words) - 2 + offset]
    assert neighbours(*messages) == expected


@unhurried
@given(MESSAGES)
def test_places_are_the_same_alone_and_among_others(messages: list[str]) -> None:
    together = placed(label(*messages))
    alone = [placed(label(message)) for message in messages]
    for column in ("starts", "habit", "is_capital", "is_candidate"):
        values = [value for one in alone for value in getattr(one, column).tolist()]
        assert getattr(together, column).tolist() == values


@pytest.mark.parametrize("end", [".", "...", "!!!", "?", "…", ":)", "😂"])
def test_a_word_behind_the_end_of_a_sentence_begins_one(end: str) -> None:
    assert starting(f"je vois Zoé{end} Lola mange") == ["je", "Lola"]


@pytest.mark.parametrize("sign", [",", "-", "(", ":", "12", "18h30"])
def test_a_word_behind_another_sign_begins_none(sign: str) -> None:
    assert starting(f"je vois {sign} Lola mange") == ["je"]


def test_the_first_word_of_each_message_begins_a_sentence() -> None:
    assert starting("je vois", "", "Lola mange") == ["je", "Lola"]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\n\n", " \n "])
def test_the_first_word_of_a_line_begins_one(line_break: str) -> None:
    assert starting(f"je vois{line_break}Lola mange{line_break}Zoé") == ["je", "Lola", "Zoé"]


def test_a_line_break_is_found_behind_emoji_and_in_a_later_message() -> None:
    assert starting("je vois", "je 😂😂😂 , vois\nLola mange") == ["je", "je", ",", "Lola"]


def test_a_line_break_before_the_first_and_behind_the_last_word_is_none_between_words() -> None:
    assert starting("\n\nje vois\n", "vois") == ["je", "vois"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("COUCOU JE VOIS ZOÉ", Habit.ALL_CAPITALS),
        ("COUCOU ZOÉ", Habit.SOME_INSIDE),  # too short to be a habit
        ("coucou je vois zoé", Habit.NONE_INSIDE),
        ("Coucou je vois zoé", Habit.NONE_INSIDE),
        ("Coucou je vois Zoé", Habit.SOME_INSIDE),
        ("Je Vois Zoé Demain chez", Habit.MANY_INSIDE),
        ("!! 18h30 😂", Habit.NONE_INSIDE),
    ],
)
def test_a_message_has_a_habit_with_capitals(message: str, expected: Habit) -> None:
    assert habit(message) is expected


def test_signs_and_numbers_do_not_change_the_habit() -> None:
    assert habit("JE, VOIS 12 LOLA !!! 😂 18h30") is Habit.ALL_CAPITALS


def test_candidates_are_all_but_signs_pictures_and_what_is_masked() -> None:
    labelled = label("Zoé , 12 :) 😂 18h30 <PRE_7> 0639981234 !")
    candidates = placed(labelled).is_candidate
    expected = {"Zoé", "12", "18h30", "0639981234"}
    assert {w for w, is_one in zip(texts(labelled), candidates, strict=True) if is_one} == expected


@unhurried
@given(MESSAGES, st.data())
def test_a_lowered_word_counts_as_if_it_were_written_without_capitals(
    messages: list[str], data: st.DataObject
) -> None:
    labelled = label(*messages)
    n_words = len(labelled.words.form)
    lowered = data.draw(st.lists(st.booleans(), min_size=n_words, max_size=n_words))
    found, real = placed(labelled, lowered), placed(label(*lower(labelled, lowered)))
    for column in ("starts", "habit", "is_capital", "is_candidate"):
        assert getattr(found, column).tolist() == getattr(real, column).tolist()


def lower(labelled: LabelledMessages, lowered: list[bool]) -> list[str]:
    """Return the messages with these words in lower case."""
    written = [list(message) for message in labelled.messages]
    words = labelled.words
    for k in np.flatnonzero(lowered):
        form, start = words.forms[words.form[k]], words.start[k]
        if form.kind == "WORD":
            written[words.message[k]][start : start + len(form.text)] = form.text.lower()
    return ["".join(message) for message in written]


def test_a_lowered_word_of_one_letter_counts_as_if_it_were_written_so() -> None:
    found = placed(label("K VOIS LOLA DEMAIN"), [True, False, False, False])
    assert found.habit.tolist() == placed(label("k VOIS LOLA DEMAIN")).habit.tolist()


def test_nothing_lowered_is_the_same_as_no_lowering() -> None:
    labelled = label("Coucou Zoé, JE vois 12 lola")
    plain, none = placed(labelled), placed(labelled, [False] * 7)
    assert none.habit.tolist() == plain.habit.tolist()
    assert none.is_capital.tolist() == plain.is_capital.tolist()


@pytest.mark.parametrize("messages", HOSTILE.values(), ids=HOSTILE)
def test_each_word_of_hostile_messages_has_a_place(messages: list[str]) -> None:
    labelled = label(*messages)
    found = placed(labelled)
    n_words = len(labelled.words.form)
    columns = (found.number, found.starts, found.habit, found.is_capital, found.is_candidate)
    assert {len(column) for column in (*columns, *found.neighbours.values())} == {n_words}


@unhurried
@given(MESSAGE)
def test_each_word_has_one_of_the_habits(message: str) -> None:
    assert set(placed(label(message)).habit.tolist()) <= set(Habit)


def test_a_message_of_one_megabyte_is_placed() -> None:
    found = placed(label(LONG))
    assert found.starts.sum() == 33_000
