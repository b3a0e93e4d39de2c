"""The named feature sets, which the model is given of each message.

Those of the set ``evidence``: the evidence of the words, their labels, and the twelve of the paper
(section 4).
"""

import re
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, WordTable
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.dictionaries.pack import Pack
from triage.errors import TriageError

from .word_evidence import ScoredWords, probability

# The twelve features of the paper, in the order of its Table 5.
PAPER_NAMES = (
    *("UpperCase", "SMSLength", "FirstName", "Countries", "Cities", "WordLength", "Numbers"),
    *("Elongations", "Abbreviations", "Punctuation", "LEFFF", "Pronouns"),
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
_IDENTIFIERS = [place for kind, place in _KINDS.items() if kind.is_identifier]
LABELS = tuple(Label)
# In their order.
_TITLES = ("Dictionary", "AntiDictionary", "Ambiguous", "Unknown")
_LEVELS = {"Above05": 0.05, "Above20": 0.2, "Above50": 0.5, "Above80": 0.8}
_HIGHEST = ("Highest", "SecondHighest", "ThirdHighest")
# What changes with corpus evidence; the others are the same with and without.
WEIGHED = (*_HIGHEST, "NoisyOr", *_LEVELS, *(f"Strongest{title}" for title in _TITLES))
MONOTONIC = (*_HIGHEST, "NoisyOr", *_LEVELS)
# More than that no word counts.
_SURE = 1 - 1e-9
NAMES = (*WEIGHED, *_TITLES, "CapitalsInside", "Patterns", *PAPER_NAMES)


class FeatureSet(NamedTuple):
    """A named function from labelled messages to a table of features."""

    name: str
    features: tuple[str, ...]
    # Of labelled messages, and the evidence of their words.
    compute: Callable[..., NDArray[np.float64]]
    monotonic: tuple[str, ...] = ()
    # The column of the strongest word's probability, of a set that weighs words.
    strongest: int | None = None

    @property
    def weighs_words(self) -> bool:
        """Return whether the set needs the evidence of words, which must be learnt first."""
        return self.strongest is not None


def patel2013(labelled: LabelledMessages, _: ScoredWords | None = None) -> NDArray[np.float64]:
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
    letters = np.bincount(words.message, length.take(words.form), words.n_messages)
    columns["WordLength"] = letters / np.maximum(_count(labelled, is_word), 1)
    return np.column_stack([columns[name] for name in PAPER_NAMES]).astype(np.float64)


def per_character(labelled: LabelledMessages, _: ScoredWords | None = None) -> NDArray[np.float64]:
    """Return the features with counts divided by the message's length (paper, section 4)."""
    values = patel2013(labelled)
    length = np.maximum(values[:, [PAPER_NAMES.index("SMSLength")]], 1)
    is_count = np.array([name not in ("SMSLength", "WordLength") for name in PAPER_NAMES])
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
    return np.bincount(words.message.compress(holds.take(words.form)), minlength=words.n_messages)


def evidence(labelled: LabelledMessages, scored: ScoredWords) -> NDArray[np.float64]:
    words, doubt = labelled.words, (Label.UNKNOWN, Label.AMBIGUOUS)
    doubtful = np.isin(labelled.label, [*map(LABELS.index, doubt)])
    inside = scored.places.is_capital & ~scored.places.starts
    return np.column_stack(
        [
            weighed(labelled, scored.log_odds),
            count_labels(labelled),
            # Capitals inside sentences on words that are unknown or ambiguous.
            np.bincount(words.message.compress(inside & doubtful), minlength=words.n_messages),
            count_identifiers(labelled),
            patel2013(labelled),
        ]
    )


def weighed(labelled: LabelledMessages, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the features that depend on the evidence of words, in the order of `WEIGHED`."""
    words = labelled.words
    score = probability(log_odds)
    highest, strongest = _highest(words, score)
    none = np.bincount(words.message, np.log1p(-np.minimum(score, _SURE)), words.n_messages)
    above = (words.message.compress(score > level) for level in _LEVELS.values())
    n_above = [np.bincount(some, minlength=words.n_messages) for some in above]
    label = np.full(words.n_messages, -1)
    has_words = strongest >= 0
    label[has_words] = labelled.label[strongest[has_words]]
    return np.column_stack(
        [*highest, 1 - np.exp(none), *n_above, *(label == i for i in range(len(LABELS)))]
    ).astype(np.float64)


def _highest(
    words: WordTable, score: NDArray[np.float64]
) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """Return each message's highest scores, and the first word that has the highest of all."""
    first = np.flatnonzero(np.diff(words.message, prepend=-1))
    there = words.message[first]
    length = np.diff(np.append(first, len(score)))
    left, at = score.copy(), np.arange(len(score))
    highest, strongest = [], np.full(words.n_messages, -1, dtype=np.int64)
    for rank in range(len(_HIGHEST)):
        best = np.zeros(words.n_messages)
        if len(first):
            top = np.maximum.reduceat(left, first)
            best[there] = np.maximum(top, 0)
            is_top = left == np.repeat(top, length)
            place = np.minimum.reduceat(np.where(is_top, at, len(score)), first)
            left[place] = -1
            if rank == 0:
                strongest[there] = place
        highest.append(best)
    return highest, strongest


def count_labels(labelled: LabelledMessages) -> NDArray[np.int64]:
    """Count the words of each label in each message; shape (n_messages, n_labels)."""
    words = labelled.words
    cell = words.message.astype(np.int64) * len(LABELS) + labelled.label
    counts = np.bincount(cell, minlength=words.n_messages * len(LABELS))
    return counts.reshape(words.n_messages, len(LABELS))


def count_identifiers(labelled: LabelledMessages) -> NDArray[np.int64]:
    """Count the identifiers in each message that are known by their form."""
    return _count(labelled, np.isin(labelled.of_form(_kind), _IDENTIFIERS))


_SETS = (
    FeatureSet("evidence", NAMES, evidence, MONOTONIC, strongest=0),
    FeatureSet("patel2013", PAPER_NAMES, patel2013),
    FeatureSet("patel2013-normalised", PAPER_NAMES, per_character),
)
FEATURE_SETS = {one.name: one for one in _SETS}


def feature_set(name: str) -> FeatureSet:
    if name not in FEATURE_SETS:
        there = ", ".join(FEATURE_SETS)
        raise TriageError(f"no feature set is called {name!r}; there are: {there}")
    return FEATURE_SETS[name]
