"""The form of a distinct word: the part of its evidence that needs no context."""

import re
from enum import StrEnum
from itertools import compress, product
from typing import NamedTuple

from triage.dictionaries import Kind, Label, LabelledWord, Lexicon, Role
from triage.dictionaries.lexicon import COMMON_FIRST_NAMES, FIRST_NAMES, YOURS
from triage.dictionaries.normal import fold

_ELONGATED = re.compile(r"([^\W\d_])\1\1")
_LONGEST = 12
# How many features hold of a word by itself.
N_OWN = 8
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
AS_A_NAME = ("no first name", *(f"a {how}first name" for how in ("", "common ", "very common ")))
_LOOKS = ("stretched", "digits", "accents", "hyphen")
_LOOK = {
    found: f"looks {' '.join(compress(_LOOKS, found)) or 'plain'}"
    for found in product((False, True), repeat=len(_LOOKS))
}


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
        return self in _CAPITALS

    @property
    def lowered(self) -> "Case":
        """The case of the word written without capitals."""
        if self is Case.ONE_UPPER:
            return Case.ONE_LOWER
        return Case.LOWER if self in (*_CAPITALS, Case.MIXED) else self


_CAPITALS = (Case.CAPITAL, Case.UPPER, Case.ONE_UPPER)


def case_of(text: str) -> Case:
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
    """Features of a distinct word by itself, by the names of the weights."""

    group: str
    case: Case
    lists: str
    own: tuple[str, ...]
    # What a neighbour sees of the word.
    context: str
    # Empty of what is no word, but a number, sign or picture.
    folded: str
    is_candidate: bool
    ends_sentence: bool


def lowered(context: str) -> str:
    """Return what a neighbour sees where the word is written without capitals."""
    group, comma, case = context.rpartition(", ")
    return f"{group}, {_LOWERED[case]}" if comma and case in _LOWERED else context


_LOWERED = {str(case): case.lowered for case in Case}


class _OfLists(NamedTuple):
    """Features of a word by the lists that hold it."""

    shown: str
    is_first_name: bool
    levels: tuple[str, str]
    is_candidate: bool


class TraitReader:
    """Reads the traits of labelled words by the lists of one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, self._get, bits = lexicon, lexicon.exact.get, lexicon.bits
        # A user's own list of names counts as one of first names: no weight knows its own name.
        mine = [w.name for w in lexicon.lists if w.title == YOURS and w.role is Role.DICTIONARY]
        self._mine = bits(*mine)
        # What a user's own list says is no name is none, wherever it stands.
        self._let_through = lexicon.yours & lexicon.anti_dictionary
        self._first_names = bits(*FIRST_NAMES) | self._mine
        self._word_levels = [bits(name) for name in _WORD_LEVELS]
        self._name_levels = [self._first_names, *(bits(name) for name in COMMON_FIRST_NAMES)]
        shown = [w.name for w in lexicon.lists if w.role is not Role.FEATURE and w.title != YOURS]
        self._shown = bits(*shown)
        self._common = bits(*_WORD_LEVELS, "sms_forms", "pronouns")
        self._of_lists: dict[int, _OfLists] = {}

    def read(self, word: LabelledWord) -> Traits:
        if word.kind is not Kind.WORD:
            return _no_word(word)
        text, case, held = fold(word.text), case_of(word.text), self._of_lists.get(word.lists)
        if held is None:
            held = self._of_lists[word.lists] = self._meet_lists(word.lists)
        group = _GROUPS[word.label, held.is_first_name]
        odd = not text.isalpha()
        has_digit, has_hyphen = odd and any(map(str.isdigit, text)), odd and "-" in text
        stretched = _ELONGATED.search(text) is not None
        own = (
            f"rule {word.rule or 'none'}, {group}",
            f"length {min(len(text), _LONGEST)}, {group}",
            _LOOK[stretched, has_digit, not word.text.isascii(), has_hyphen],
            "ends in -" + text[-3:],
            "ends in -" + text[-2:] + ".",
            "starts with " + text[:3] + "-",
            *held.levels,
        )
        context = f"{group}, {case}"
        if word.label is Label.ANTI_DICTIONARY:
            # Nothing but entries of the lists goes into a model: no name or number of a corpus
            # can, nor what a rule has put together of several words.
            lists = word.lists & self._common
            if lists and word.rule:
                lists = self._get(word.read_as) & self._common
            context = fold(word.read_as) if lists else group
        folded = text.strip("-'’")
        return Traits(group, case, held.shown, own, context, folded, held.is_candidate, False)

    def _meet_lists(self, bits: int) -> _OfLists:
        names = self._lexicon.names(bits & self._shown)
        if bits & self._mine:
            names = (FIRST_NAMES[0], *(name for name in names if name != FIRST_NAMES[0]))
        as_a_word, as_a_name = (
            max((i for i, level in enumerate(levels, 1) if bits & level), default=0)
            for levels in (self._word_levels, self._name_levels)
        )
        return _OfLists(
            " ".join(sorted(names)),
            bool(bits & self._first_names),
            (AS_A_WORD[as_a_word], AS_A_NAME[as_a_name]),
            bool(bits & self._mine) or not bits & self._let_through,
        )


def _no_word(word: LabelledWord) -> Traits:
    kind, length = word.kind, min(len(word.text), _LONGEST)
    if kind in _LEARNT_AS:
        # A short one is as sure by its form as a long one: its length tells nothing.
        kind, length = _LEARNT_AS[kind], _LONGEST
    context, ends = kind.value, word.kind in (Kind.SMILEY, Kind.EMOJI)
    if word.kind is Kind.PUNCTUATION:
        context, ends = f"«{word.text[0]}»", word.text[0] in ".!?…"
    own = (f"length {kind} {length}",)
    is_candidate = word.kind not in _NO_CANDIDATES
    return Traits(kind.value, Case.NONE, "", own, context, "", is_candidate, ends)
