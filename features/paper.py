"""The twelve features of the paper (section 4), by the names and in the order of Table 5."""

import re
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, LabelledMessages, LabelledWord
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.dictionaries.pack import Pack

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
    "FirstName": PERSON_NAMES,
    "Countries": ("countries",),
    "Cities": ("cities",),
    "Abbreviations": ("sms_forms",),
    "LEFFF": ("inflected_forms",),
    "Pronouns": ("pronouns",),
}
# Numbers and, since they are numbers, too, the identifiers of later years that are made of digits.
_NUMBERS = (
    *(Kind.NUMBER, Kind.HOUR, Kind.TEL, Kind.IBA, Kind.CRT, Kind.NIR, Kind.SIR, Kind.IMM),
    *(Kind.DDN, Kind.AGE, Kind.CPO, Kind.IPA, Kind.GPS, Kind.NUM),
)
_LISTS_OF = attrgetter("lists")
_KINDS = {kind: place for place, kind in enumerate(Kind)}


def patel2013(labelled: LabelledMessages) -> NDArray[np.float64]:
    lists, kinds = labelled.of_form(_LISTS_OF), labelled.of_form(_kind)
    is_word = kinds == _KINDS[Kind.WORD]
    bits = {name: labelled.lexicon.bits(*names) for name, names in _LISTS.items()}
    of_form = {name: (lists & its) > 0 for name, its in bits.items()} | {
        "UpperCase": is_word & (labelled.of_form(_is_capital) > 0),
        "Numbers": np.isin(kinds, [_KINDS[kind] for kind in _NUMBERS]),
        "Elongations": is_word & (labelled.of_form(_elongated(labelled.lexicon.pack)) > 0),
        "Punctuation": kinds == _KINDS[Kind.PUNCTUATION],
    }
    columns = {name: _count(labelled, holds) for name, holds in of_form.items()}
    columns["SMSLength"] = np.array([len(message) for message in labelled.messages], dtype=float)
    words, length = labelled.words, is_word * labelled.of_form(length_of)
    letters = np.bincount(words.message, length[words.form], words.n_messages)
    columns["WordLength"] = letters / np.maximum(_count(labelled, is_word), 1)
    return np.column_stack([columns[name] for name in NAMES]).astype(np.float64)


def per_character(labelled: LabelledMessages) -> NDArray[np.float64]:
    """Return the features with counts divided by the message's length (paper, section 4)."""
    values = patel2013(labelled)
    length = np.maximum(values[:, [NAMES.index("SMSLength")]], 1)
    is_count = np.array([name not in ("SMSLength", "WordLength") for name in NAMES])
    return np.where(is_count, values / length, values)


def _kind(word: LabelledWord) -> int:
    return _KINDS[word.kind]


def _is_capital(word: LabelledWord) -> int:
    return word.text[0].isupper()


@cache
def _elongated(pack: Pack) -> Callable[[LabelledWord], int]:
    vowel = re.compile(rf"([{pack.words.vowels}])\1\1", re.IGNORECASE)
    return lambda word: vowel.search(word.text) is not None


def length_of(word: LabelledWord) -> int:
    return len(word.text)


def _count(labelled: LabelledMessages, holds: NDArray[np.bool_]) -> NDArray[Any]:
    words = labelled.words
    return np.bincount(words.message[holds.take(words.form)], minlength=words.n_messages)
