"""Places of words: neighbours, beginnings of sentences, use of capitals in a message."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages

from .word_index import NO_WORD, Column, WordIndex

OFFSETS = (-2, -1, 1, 2)
_FEWEST_WORDS = 3
_MANY = 0.5


class Habit(IntEnum):
    """The use of capitals in a message, which says what a capital is worth in it."""

    ALL_CAPITALS = 0
    NONE_INSIDE = 1
    MANY_INSIDE = 2
    SOME_INSIDE = 3


@dataclass(frozen=True)
class Places:
    """The places of n_words words, in few bytes: they are kept for the second stage."""

    number: NDArray[np.int32]
    message: NDArray[np.int32]
    starts: NDArray[np.bool_]
    habit: NDArray[np.int8]
    is_capital: NDArray[np.bool_]
    is_candidate: NDArray[np.bool_]

    def beside(self, offset: int) -> NDArray[np.int32]:
        """Return the word that stands so many words behind each word of the same message."""
        return _beside(self.number, self.message, offset)


def _beside(
    number: NDArray[np.int32], message: NDArray[np.int32], offset: int
) -> NDArray[np.int32]:
    there = np.full(len(number), NO_WORD, dtype=np.int32)
    if len(number) > abs(offset):
        to, of = (slice(None, -offset), slice(offset, None))
        if offset < 0:
            to, of = slice(-offset, None), slice(None, offset)
        there[to] = np.where(message[to] == message[of], number[of], NO_WORD)
    return there


def places(
    labelled: LabelledMessages, index: WordIndex, lowered: NDArray[np.bool_] | None = None
) -> Places:
    words = labelled.words
    number = index.numbers(labelled).astype(np.int32).take(words.form)

    def holds(column: Column, of: NDArray[np.int32] = number) -> NDArray[np.bool_]:
        return index.column(column).astype(np.bool_).take(of)

    before = _beside(number, words.message, -1)
    starts = holds(Column.ENDS_SENTENCE, before)
    begin = np.searchsorted(words.message, np.arange(words.n_messages + 1))
    for i in (i for i, message in enumerate(labelled.messages) if "\n" in message):
        signs = np.frombuffer(labelled.messages[i].encode("utf-32-le", "surrogatepass"), "<u4")
        line = np.searchsorted(np.flatnonzero(signs == 10), words.start[begin[i] : begin[i + 1]])
        starts[begin[i] + 1 : begin[i + 1]] |= np.diff(line) > 0
    capital, lower = holds(Column.IS_CAPITAL), holds(Column.IS_LOWER)
    if lowered is not None:
        lower |= lowered & holds(Column.CAN_BE_LOWER)
        capital &= ~lowered
    # The habit of each message, by its words in lower case, and by capitals inside.
    n_words, n_lower, n_inside = (
        np.bincount(words.message[which], minlength=words.n_messages)
        for which in (holds(Column.IS_WORD), lower, capital & (before != NO_WORD))
    )
    are_all_capitals = (n_lower == 0) & (n_words >= _FEWEST_WORDS)
    conditions = [are_all_capitals, n_inside == 0, n_inside > _MANY * n_words]
    habits = [Habit.ALL_CAPITALS, Habit.NONE_INSIDE, Habit.MANY_INSIDE]
    habit = np.select(conditions, habits, Habit.SOME_INSIDE).astype(np.int8)[words.message]
    return Places(number, words.message, starts, habit, capital, holds(Column.IS_CANDIDATE))
