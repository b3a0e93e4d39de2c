"""The form of a distinct word: the part of its evidence that needs no context."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import compress, product
from typing import Any, NamedTuple

import numpy as np

from triage.dictionaries import Kind, Label, LabelledWord, Lexicon, Role
from triage.dictionaries.lexicon import COMMON_FIRST_NAMES, FIRST_NAMES, YOURS
from triage.dictionaries.normal import each, fold

_ELONGATED = re.compile(r"([^\W\d_])\1\1")
_LONGEST = 12
# What is no candidate: signs, pictures, what somebody has masked already, and public names.
_NO_CANDIDATES = frozenset({Kind.PUNCTUATION, Kind.SMILEY, Kind.EMOJI, Kind.MASKED, Kind.PUBLIC})
# Identifiers of form of which no corpus with labels has enough to learn from take the weights of
# the learnt kind that is nearest: numbers those of telephone numbers, names on the net those of
# e-mail and web addresses, places those of postal addresses.
_LEARNT_AS = {
    **dict.fromkeys(
        (
            *(Kind.IBA, Kind.CRT, Kind.NIR, Kind.SIR, Kind.CRY, Kind.IMM, Kind.DDN, Kind.AGE),
            *(Kind.IPA, Kind.NUM),
        ),
        Kind.TEL,
    ),
    Kind.PSD: Kind.MEL,
    Kind.LNK: Kind.URL,
    **dict.fromkeys((Kind.CPO, Kind.GPS, Kind.LIE, Kind.ORG), Kind.ADR),
}
FIRST_NAME = "DICTIONARY first name"
_WORD_LEVELS = ("frequent_forms", "commonest_forms")
_GROUPS = {
    (label, is_first_name): f"{label.value} first name"
    if is_first_name and label in (Label.DICTIONARY, Label.AMBIGUOUS)
    else label.value
    for label in Label
    for is_first_name in (False, True)
}
AS_A_WORD = ("no frequent word", "a frequent word", "a very frequent word")
AS_A_NAME = (
    "no first name",
    "a first name",
    "a common first name",
    "a very common first name",
)
_LOOKS = ("stretched", "digits", "accents", "hyphen")


class Case(StrEnum):
    """The capitals of a word."""

    __hash__ = str.__hash__

    NONE = "no letters"
    LOWER = "lower"
    CAPITAL = "Capital"
    UPPER = "UPPER"
    MIXED = "mIxed"
    ONE_LOWER = "one letter"
    ONE_UPPER = "one Capital letter"

    @property
    def is_capital(self) -> bool:
        """Return whether the word starts with a capital letter."""
        return self in _CAPITALS

    @property
    def lowered(self) -> "Case":
        """The case of the word written without capitals."""
        if self is Case.ONE_UPPER:
            return Case.ONE_LOWER
        return Case.LOWER if self in (*_CAPITALS, Case.MIXED) else self


_CAPITALS = (Case.CAPITAL, Case.UPPER, Case.ONE_UPPER)


def case_of(text: str) -> Case:
    """Return how a word is capitalised."""
    letters = text if text.isalpha() else "".join(filter(str.isalpha, text))
    if len(letters) > 1:
        if letters.islower():
            return Case.LOWER
        if letters.isupper():
            return Case.UPPER
        return Case.CAPITAL if letters[0].isupper() else Case.MIXED
    if not letters:
        return Case.NONE
    return Case.ONE_UPPER if letters.isupper() else Case.ONE_LOWER


class Traits(NamedTuple):
    """Features of distinct words by themselves, column by column, by the names of the weights."""

    group: Sequence[str]
    case: Sequence[Case]
    lists: Sequence[str]
    own: Sequence[tuple[str, ...]]
    # What a neighbour sees of the word.
    context: Sequence[str]
    # Empty of what is no word, but a number, sign or picture.
    folded: Sequence[str]
    is_candidate: Sequence[bool]
    ends_sentence: Sequence[bool]


def lowered(context: str) -> str:
    """Return what a neighbour sees where the word is written without capitals."""
    group, comma, case = context.rpartition(", ")
    return f"{group}, {_LOWERED[case]}" if comma and case in _LOWERED else context


_LOWERED = {str(case): case.lowered for case in Case}


class _OfLists(NamedTuple):
    """Features of a word by the lists that hold it."""

    shown: str
    is_first_name: bool
    word_level: str
    name_level: str
    is_candidate: bool


class TraitReader:
    """Reads the traits of labelled words by the lists of one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        def bits(names: Iterable[str]) -> int:
            return sum(lexicon.bit.get(name, 0) for name in names)

        self._lexicon = lexicon
        # A user's own list of names counts as one of first names: no weight knows its own name.
        mine = [w.name for w in lexicon.lists if w.title == YOURS and w.role is Role.DICTIONARY]
        self._mine = bits(mine)
        # What a user's own list says is no name is none, wherever it stands.
        self._let_through = lexicon.yours & lexicon.anti_dictionary
        self._first_names = bits(FIRST_NAMES) | self._mine
        self._word_levels = [bits((name,)) for name in _WORD_LEVELS]
        self._name_levels = [self._first_names, *(bits((name,)) for name in COMMON_FIRST_NAMES)]
        shown = [w.name for w in lexicon.lists if w.role is not Role.FEATURE and w.title != YOURS]
        self._shown = bits(shown)
        self._common = bits((*_WORD_LEVELS, "sms_forms", "pronouns"))
        self._of_lists: dict[int, _OfLists] = {}

    def read(self, words: Sequence[LabelledWord]) -> Traits:
        """Return the traits of distinct words, at least one."""
        is_word = np.array([word.kind is Kind.WORD for word in words])
        columns = self._of_words([*compress(words, is_word)])
        others = zip(*map(_no_word, compress(words, ~is_word)), strict=True)
        if (~is_word).any():
            columns = [[*column, *other] for column, other in zip(columns, others, strict=True)]
        at = np.argsort(np.argsort(~is_word, kind="stable")).tolist()
        return Traits(*([column[i] for i in at] for column in columns))

    def _of_words(self, words: Sequence[LabelledWord]) -> list[Sequence[Any]]:
        written = [word.text for word in words]
        texts, cases = each(fold, written), [*map(case_of, written)]
        held = [self._of_lists.get(word.lists) or self._meet_lists(word.lists) for word in words]
        groups = [
            _GROUPS[word.label, of.is_first_name] for word, of in zip(words, held, strict=True)
        ]
        own = [
            *zip(
                [
                    f"rule {w.rule or 'none'}, {group}"
                    for w, group in zip(words, groups, strict=True)
                ],
                [
                    f"length {min(len(text), _LONGEST)}, {group}"
                    for text, group in zip(texts, groups, strict=True)
                ],
                map(_look, written, texts),
                ["ends in -" + text[-3:] for text in texts],
                ["ends in -" + text[-2:] + "." for text in texts],
                ["starts with " + text[:3] + "-" for text in texts],
                [of.word_level for of in held],
                [of.name_level for of in held],
                strict=True,
            )
        ]
        return [
            groups,
            cases,
            [of.shown for of in held],
            own,
            self._contexts(words, groups, cases),
            [text.strip("-'’") for text in texts],
            [of.is_candidate for of in held],
            [False] * len(words),
        ]

    def _meet_lists(self, bits: int) -> "_OfLists":
        names = self._lexicon.names(bits & self._shown)
        if bits & self._mine:
            names = (FIRST_NAMES[0], *(name for name in names if name != FIRST_NAMES[0]))
        self._of_lists[bits] = held = _OfLists(
            " ".join(sorted(names)),
            bool(bits & self._first_names),
            AS_A_WORD[_level(bits, self._word_levels)],
            AS_A_NAME[_level(bits, self._name_levels)],
            bool(bits & self._mine) or not bits & self._let_through,
        )
        return held

    def _contexts(
        self, words: Sequence[LabelledWord], groups: Sequence[str], cases: Sequence[Case]
    ) -> list[str]:
        # Nothing but entries of the lists goes into a model: no name or number of a corpus can,
        # nor what a rule has put together of several words.
        common = self._common
        asked = [*{word.read_as for word in words if word.lists & common}]
        held = zip(asked, each(fold, asked), self._lexicon.exact.get_all(asked), strict=True)
        entries = {read_as: text for read_as, text, bits in held if bits & common}
        return [
            f"{group}, {case}"
            if word.label is not Label.ANTI_DICTIONARY
            else entries.get(word.read_as, group)
            if word.lists & common
            else group
            for word, group, case in zip(words, groups, cases, strict=True)
        ]


def _look(written: str, text: str) -> str:
    odd = not text.isalpha()
    return _LOOK[
        _ELONGATED.search(text) is not None,
        odd and any(map(str.isdigit, text)),
        not written.isascii(),
        odd and "-" in text,
    ]


_LOOK = {
    found: f"looks {' '.join(compress(_LOOKS, found)) or 'plain'}"
    for found in product((False, True), repeat=len(_LOOKS))
}


def _no_word(word: LabelledWord) -> tuple[Any, ...]:
    kind, length = word.kind, min(len(word.text), _LONGEST)
    if kind in _LEARNT_AS:
        # A short one is as sure by its form as a long one: its length tells nothing.
        kind, length = _LEARNT_AS[kind], _LONGEST
    context, ends = kind.value, word.kind in (Kind.SMILEY, Kind.EMOJI)
    if word.kind is Kind.PUNCTUATION:
        context, ends = f"«{word.text[0]}»", word.text[0] in ".!?…"
    own = (f"length {kind} {length}",)
    is_candidate = word.kind not in _NO_CANDIDATES
    return kind.value, Case.NONE, "", own, context, "", is_candidate, ends


def _level(bits: int, levels: list[int]) -> int:
    """Return the place of the last level that holds a word, from 1; 0 where none does."""
    return max((i for i, level in enumerate(levels, 1) if bits & level), default=0)
