"""The twelve features of the paper (section 4), by the names and in the order of Table 5."""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dictionaries import Kind, LabelledMessages, LabelledWord

NAMES = (
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

# Which lists of a pack a counting feature counts the words of; a pack may lack some of them.
_LISTS = {
    "FirstName": ("first_names", "further_first_names", "nicknames"),
    "Countries": ("countries",),
    "Cities": ("cities",),
    "Abbreviations": ("sms_forms",),
    "LEFFF": ("inflected_forms",),
    "Pronouns": ("pronouns",),
}
_ELONGATED = re.compile(r"([aeiouyàâäéèêëîïôöùûü])\1\1", re.IGNORECASE)
_NUMBERS = frozenset({Kind.NUMBER, Kind.HOUR, Kind.TEL})


def patel2013(labelled: LabelledMessages) -> NDArray[np.float64]:
    """Return the twelve features of each message.

    Parameters
    ----------
    labelled : LabelledMessages
        Of n_messages messages.

    Returns
    -------
    ndarray of float, shape (n_messages, 12)
        Counts of words, but for SMSLength (characters) and WordLength (mean characters a word,
        0 without words).

    Examples
    --------
    >>> from dictionaries import label_messages, load_lexicon
    >>> values = patel2013(label_messages(["Coucou Patrice, ça va ?"], load_lexicon("fr")))
    >>> dict(zip(NAMES, values[0].tolist()))["FirstName"]
    1.0
    """
    columns = {name: _count(labelled, test) for name, test in _tests(labelled).items()}
    columns["SMSLength"] = np.array([len(message) for message in labelled.messages], dtype=float)
    n_words = _count(labelled, lambda word: word.kind is Kind.WORD)
    letters = _count(labelled, lambda word: len(word.text) * (word.kind is Kind.WORD))
    columns["WordLength"] = letters / np.maximum(n_words, 1)
    return np.column_stack([columns[name] for name in NAMES])


def per_character(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the features with counts divided by the message's length (paper, section 4)."""
    length = np.maximum(values[:, [NAMES.index("SMSLength")]], 1)
    is_count = np.array([name not in ("SMSLength", "WordLength") for name in NAMES])
    return np.where(is_count, values / length, values)


_Test = Callable[[LabelledWord], float]


def _tests(labelled: LabelledMessages) -> dict[str, _Test]:
    """Return for each counting feature what a word adds to it."""
    return {name: _in_lists(labelled, lists) for name, lists in _LISTS.items()} | {
        "UpperCase": lambda word: word.kind is Kind.WORD and word.text[0].isupper(),
        "Numbers": lambda word: word.kind in _NUMBERS,
        "Elongations": lambda word: (
            word.kind is Kind.WORD and bool(_ELONGATED.search(word.text))
        ),
        "Punctuation": lambda word: word.kind is Kind.PUNCTUATION,
    }


def _in_lists(labelled: LabelledMessages, lists: tuple[str, ...]) -> _Test:
    bits = sum(labelled.lexicon.bit.get(name, 0) for name in lists)
    return lambda word: bool(word.lists & bits)


def _count(labelled: LabelledMessages, test: _Test) -> NDArray[np.float64]:
    """Ask once for each distinct word, then add up for each message."""
    of_form = np.array([test(word) for word in labelled.labels], dtype=float)
    words = labelled.words
    if not len(words.form):
        return np.zeros(words.n_messages)
    return np.bincount(words.message, of_form[words.form], minlength=words.n_messages)
