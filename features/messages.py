"""The named feature sets, which the model is given of each message."""

import re
from collections.abc import Callable
from functools import cache
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
# The lists whose words a feature counts; a pack may lack some of them.
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
_NUMBER_OF_KIND = {kind: place for place, kind in enumerate(Kind)}
_IDENTIFIERS = [place for kind, place in _NUMBER_OF_KIND.items() if kind.is_identifier]
LABELS = tuple(Label)
# In their order.
_TITLES = ("Dictionary", "AntiDictionary", "Ambiguous", "Unknown")
_LEVELS = {"Above05": 0.05, "Above20": 0.2, "Above50": 0.5, "Above80": 0.8}
_HIGHEST = ("Highest", "SecondHighest", "ThirdHighest")
# The features that change with corpus evidence.
WEIGHED = (*_HIGHEST, "NoisyOr", *_LEVELS, *(f"Strongest{title}" for title in _TITLES))
MONOTONIC = (*_HIGHEST, "NoisyOr", *_LEVELS)
# A higher score would make the product of improbabilities 0.
_MAX_SCORE = 1 - 1e-9
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


# Properties of a word, for `MetWords.column`.
_PROPERTIES: dict[str, Callable[[LabelledWord], int]] = {
    "lists": lambda word: word.lists,
    "kind": lambda word: _NUMBER_OF_KIND[word.kind],
    "capital": lambda word: word.text[0].isupper(),
    "length": lambda word: len(word.text),
}
length_of = _PROPERTIES["length"]


def patel2013(labelled: LabelledMessages, _: ScoredWords | None = None) -> NDArray[np.float64]:
    lists, kinds, capital, length = map(labelled.of_form, _PROPERTIES.values())
    is_word = kinds == _NUMBER_OF_KIND[Kind.WORD]
    bits = {name: labelled.lexicon.bits(*names) for name, names in _LISTS.items()}
    of_form = {name: (lists & list_bits) > 0 for name, list_bits in bits.items()} | {
        "UpperCase": is_word & (capital > 0),
        "Numbers": np.isin(kinds, [_NUMBER_OF_KIND[kind] for kind in _NUMBERS]),
        "Elongations": is_word & (labelled.of_form(_elongated(labelled.lexicon.pack)) > 0),
        "Punctuation": kinds == _NUMBER_OF_KIND[Kind.PUNCTUATION],
    }
    columns = {name: _count(labelled, holds) for name, holds in of_form.items()}
    columns["SMSLength"] = np.array([len(message) for message in labelled.messages], dtype=float)
    words = labelled.words
    letters = np.bincount(words.message, (is_word * length).take(words.form), words.n_messages)
    columns["WordLength"] = letters / np.maximum(_count(labelled, is_word), 1)
    return np.column_stack([columns[name] for name in PAPER_NAMES]).astype(np.float64)


def per_character(labelled: LabelledMessages, _: ScoredWords | None = None) -> NDArray[np.float64]:
    """Return the features with counts divided by the message's length (paper, section 4)."""
    values = patel2013(labelled)
    length = np.maximum(values[:, [PAPER_NAMES.index("SMSLength")]], 1)
    is_count = np.array([name not in ("SMSLength", "WordLength") for name in PAPER_NAMES])
    return np.where(is_count, values / length, values)


@cache
def _elongated(pack: Pack) -> Callable[[LabelledWord], int]:
    vowel = re.compile(rf"([{pack.words.vowels}])\1\1", re.IGNORECASE)
    return lambda word: vowel.search(word.text) is not None


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
    words, score = labelled.words, probability(log_odds)
    above = (words.message.compress(score > level) for level in _LEVELS.values())
    n_above = [np.bincount(some, minlength=words.n_messages) for some in above]
    # Each message's highest scores, and the label of the first word that has the highest of all.
    highest, label = np.zeros((len(_HIGHEST), words.n_messages)), np.full(words.n_messages, -1)
    first = np.flatnonzero(np.diff(words.message, prepend=-1))
    message, length = words.message[first], np.diff(np.append(first, len(score)))
    remaining, places = score.copy(), np.arange(len(score))
    for rank in range(len(_HIGHEST) if len(first) else 0):
        top = np.maximum.reduceat(remaining, first)
        highest[rank, message] = np.maximum(top, 0)
        is_top = remaining == np.repeat(top, length)
        place = np.minimum.reduceat(np.where(is_top, places, len(score)), first)
        remaining[place] = -1
        if rank == 0:
            label[message] = labelled.label[place]
    return np.column_stack(
        [*highest, noisy_or(words, score), *n_above, *(label == i for i in range(len(LABELS)))]
    ).astype(np.float64)


def noisy_or(words: WordTable, score: NDArray[np.float64]) -> NDArray[Any]:
    """Return the probability that any word of a message holds, by the probability of each word."""
    none = np.bincount(words.message, np.log1p(-np.minimum(score, _MAX_SCORE)), words.n_messages)
    return 1 - np.exp(none)


def count_labels(labelled: LabelledMessages) -> NDArray[np.int64]:
    """Count the words of each label in each message; shape (n_messages, n_labels)."""
    words = labelled.words
    cell = words.message.astype(np.int64) * len(LABELS) + labelled.label
    counts = np.bincount(cell, minlength=words.n_messages * len(LABELS))
    return counts.reshape(words.n_messages, len(LABELS))


def count_identifiers(labelled: LabelledMessages) -> NDArray[np.int64]:
    """Count the identifiers in each message that are known by their form."""
    return _count(labelled, np.isin(labelled.of_form(_PROPERTIES["kind"]), _IDENTIFIERS))


_SETS = (
    FeatureSet("evidence", NAMES, evidence, MONOTONIC, strongest=0),
    FeatureSet("patel2013", PAPER_NAMES, patel2013),
    FeatureSet("patel2013-normalised", PAPER_NAMES, per_character),
)
FEATURE_SETS = {one.name: one for one in _SETS}


def feature_set(name: str) -> FeatureSet:
    if name not in FEATURE_SETS:
        known = ", ".join(FEATURE_SETS)
        raise TriageError(f"no feature set is called {name!r}; there are: {known}")
    return FEATURE_SETS[name]
