"""Where words stand: neighbours, beginnings of sentences, how a message uses capitals."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages
from triage.features.traits import Case, Traits


class Habit(IntEnum):
    """How a message uses capitals, which says what a capital is worth in it."""

    ALL_CAPITALS = 0
    NONE_INSIDE = 1
    MANY_INSIDE = 2
    SOME_INSIDE = 3


@dataclass(frozen=True)
class Forms:
    """The traits of the distinct words, column by column, with one word more: no neighbour.

    Parameters
    ----------
    is_word, is_capital, is_lower, is_candidate, ends : ndarray of bool, shape (n_forms + 1,)
    lowers : ndarray of bool, shape (n_forms + 1,)
        Whether it were lower if it was written without capitals, as one letter never is.
    """

    is_word: NDArray[np.bool_]
    is_capital: NDArray[np.bool_]
    is_lower: NDArray[np.bool_]
    is_candidate: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    lowers: NDArray[np.bool_]

    @classmethod
    def of(cls, traits: list[Traits]) -> "Forms":
        """Return the columns of the traits of n_forms distinct words."""
        rows = [
            (
                bool(t.folded),
                bool(t.folded) and t.case.is_capital,
                bool(t.folded) and t.case == Case.LOWER,
                t.is_candidate,
                t.ends_sentence,
                bool(t.folded) and t.case.lowered == Case.LOWER,
            )
            for t in traits
        ]
        # The beginning of a message ends what stood before it.
        table = np.array([*rows, (False, False, False, False, True, False)], dtype=np.bool_)
        return cls(*table.T.copy())


@dataclass(frozen=True)
class Places:
    """Where each of n_words words stands.

    Parameters
    ----------
    form : ndarray of int, shape (n_words,)
    neighbours : dict of int to ndarray of int, shape (n_words,)
        For the offsets -2, -1, 1, 2 the form there; n_forms where the message has none.
    starts : ndarray of bool, shape (n_words,)
        Whether it begins a sentence or a line.
    habit : ndarray of int, shape (n_words,)
        The message's `Habit`.
    is_capital : ndarray of bool, shape (n_words,)
    is_candidate : ndarray of bool, shape (n_words,)
        Whether it could be an identifier: no sign, no picture, not masked already.
    """

    form: NDArray[np.int64]
    neighbours: dict[int, NDArray[np.int64]]
    starts: NDArray[np.bool_]
    habit: NDArray[np.int64]
    is_capital: NDArray[np.bool_]
    is_candidate: NDArray[np.bool_]


OFFSETS = (-2, -1, 1, 2)


def places(
    labelled: LabelledMessages, forms: Forms, lowered: NDArray[np.bool_] | None = None
) -> Places:
    """Return where words stand.

    Parameters
    ----------
    labelled : LabelledMessages
    forms : Forms
    lowered : ndarray of bool, shape (n_words,), optional
        Words that are to be taken as if they were written without capitals.

    Returns
    -------
    Places
    """
    words = labelled.words
    form, message = words.form.astype(np.int64), words.message
    beyond = len(forms.ends) - 1
    neighbours = {offset: _shifted(form, message, offset, beyond) for offset in OFFSETS}
    starts = forms.ends[neighbours[-1]] | _behind_line_break(labelled)
    capital, lower = forms.is_capital[form], forms.is_lower[form]
    if lowered is not None:
        lower, capital = lower | (lowered & forms.lowers[form]), capital & ~lowered
    is_first = neighbours[-1] == beyond
    habit = _habits(message, forms.is_word[form], capital, lower, is_first, words.n_messages)
    return Places(form, neighbours, starts, habit[message], capital, forms.is_candidate[form])


def _shifted(
    form: NDArray[np.int64], message: NDArray[np.int32], offset: int, beyond: int
) -> NDArray[np.int64]:
    """Return the form that stands so many words behind each word of the same message."""
    there = np.full(len(form), beyond, dtype=np.int64)
    if len(form) > abs(offset):
        to, of = (slice(None, -offset), slice(offset, None))
        if offset < 0:
            to, of = slice(-offset, None), slice(None, offset)
        there[to] = np.where(message[to] == message[of], form[of], beyond)
    return there


def _behind_line_break(labelled: LabelledMessages) -> NDArray[np.bool_]:
    """Tell which words have a line break between them and the word before."""
    words = labelled.words
    behind = np.zeros(len(words.form), dtype=np.bool_)
    broken = [i for i, message in enumerate(labelled.messages) if "\n" in message]
    first = np.searchsorted(words.message, np.arange(words.n_messages + 1))
    for i in broken:
        text, start = labelled.messages[i], words.start[first[i] : first[i + 1]]
        lines = np.flatnonzero(
            np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") == 10
        )
        line = np.searchsorted(lines, start)
        behind[first[i] + 1 : first[i + 1]] = np.diff(line) > 0
    return behind


_FEWEST_WORDS = 3
_MANY = 0.5


def _habits(
    message: NDArray[np.int32],
    is_word: NDArray[np.bool_],
    capital: NDArray[np.bool_],
    lower: NDArray[np.bool_],
    is_first: NDArray[np.bool_],
    n_messages: int,
) -> NDArray[np.int64]:
    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(message[which], minlength=n_messages)

    n_words, inside = count(is_word), count(capital & ~is_first)
    return np.select(
        [
            (count(lower) == 0) & (n_words >= _FEWEST_WORDS),
            inside == 0,
            inside > _MANY * n_words,
        ],
        [Habit.ALL_CAPITALS, Habit.NONE_INSIDE, Habit.MANY_INSIDE],
        Habit.SOME_INSIDE,
    )
