"""The spelling rules of text messages (paper, section 3.2).

Each rule in turn tries to read a word that no list holds as one in ordinary spelling that a list
holds. The rules look in both kinds of dictionaries: a stretched name is a name.

A rule is a function of the normalised word (`normal.normal`) and the lexicon; it returns a
`Reading`, or None where it does not apply. Its name is the reason that a label gives. Seven are the
paper's; `parts`, `number_and_word`, `swapped_letters`, `cut_short`, `phonetic`, `two_words` and
`vowels_omitted` are ours. The pack
says which apply, and the words that they go by.
"""

import re
from collections.abc import Callable
from functools import cache, reduce
from operator import or_
from typing import NamedTuple

from .edits import is_swap, one_edit_from
from .lexicon import Label, Lexicon
from .lists import DictionaryError
from .normal import consonants_of, fold, shorter_runs, without_runs
from .pack import Pack, pairs

_PREFIXED = re.compile(r"(\d+)([^\W\d_]+)")
_LONGEST_OF_TWO = 4
_SHORTEST_HALF = 4
_FEWEST_CONSONANTS, _MOST_VOWELS = 3, 2


class Reading(NamedTuple):
    """An ordinary spelling that a rule found for a word, and the bits of the lists that hold it."""

    form: str
    lists: int


Rule = Callable[[str, Lexicon], Reading | None]


def _look_up(form: str, lexicon: Lexicon) -> int:
    """Return the lists that hold a form, if a label follows from any of them."""
    for index in (lexicon.exact, lexicon.folded):
        if lexicon.deciding(lists := index.get(form)):
            return lists
    return 0


def _look_up_frequent(form: str, lexicon: Lexicon) -> int:
    """Look up a part of a longer word among frequent words: rare ones would explain names away."""
    lists = _look_up(form, lexicon)
    return lists & lexicon.anti_dictionary if lists & lexicon.common else 0


def _look_up_name(form: str, lexicon: Lexicon) -> int:
    lists = _look_up(form, lexicon)
    return lists if lists & lexicon.dictionary else 0


def missing_accents(word: str, lexicon: Lexicon) -> Reading | None:
    """*desole* for *désolé*."""
    lists = lexicon.folded.get(word)
    return Reading(word, lists) if lists else None


def misplaced_accents(word: str, lexicon: Lexicon) -> Reading | None:
    """*dèsolé* for *désolé*."""
    if word.isascii():
        return None
    form = fold(word)
    lists = lexicon.exact.get(form) | lexicon.folded.get(form)
    return Reading(form, lists) if lists else None


def letter_repetitions(word: str, lexicon: Lexicon) -> Reading | None:
    """*nicoooolllaassss* for *nicolas*: each run of a letter becomes two of it, or one."""
    for form in shorter_runs(word):
        if form == word:
            continue
        lists = _look_up(form, lexicon) or (not form.isascii() and _look_up(fold(form), lexicon))
        if lists:
            return Reading(form, lists)
    return None


def onomatopoeia(word: str, lexicon: Lexicon) -> Reading | None:
    """*mouhahaha*, *pfff*, *mdrrr*: a sound, in no list and no name."""
    if _sound(lexicon.pack).fullmatch(without_runs(word, 2)):
        return Reading(word, lexicon.sound)
    return None


@cache
def _sound(pack: Pack) -> re.Pattern[str]:
    return re.compile("".join(pack.spelling.sounds.split()))


def apostrophe_omitted(word: str, lexicon: Lexicon) -> Reading | None:
    """*jexplique* for *j'explique*, *demilie* for *d'Émilie*."""
    given = lexicon.pack.spelling
    for head in given.elided:
        tail = word.removeprefix(head)
        if tail == word or len(tail) < (3 if head in given.from_three else 4):
            continue
        lists = _look_up_frequent(tail, lexicon)
        if not lists and head in given.of_names and tail.startswith(given.vowels) and len(tail) > 3:
            lists = _look_up_name(tail, lexicon)
        if lists:
            return Reading(f"{head}'{tail}", lists)
    return None


def concatenation(word: str, lexicon: Lexicon) -> Reading | None:
    """*jtaime* for *je t'aime*, *chezmarine*: little words written with the word behind them."""
    before_names, (heads, longest) = lexicon.pack.spelling.before_names, _heads(lexicon.pack)
    for i in range(1, min(len(word) - 3, longest + 1)):
        head, tail = word[:i], word[i:]
        if head in before_names and len(tail) > 3 and (lists := _look_up_name(tail, lexicon)):
            return Reading(f"{head} {tail}", lists)
        if head in heads and (lists := _look_up_frequent(tail, lexicon)):
            return Reading(f"{head} {tail}", lists)
    return None


@cache
def _heads(pack: Pack) -> tuple[frozenset[str], int]:
    """Return what words are written with, two little words among it, and the longest length."""
    given = pack.spelling
    longest = max(map(len, given.heads | given.before_names), default=0)
    both = {a + b for a in given.subjects for b in given.objects}
    return given.heads | {two for two in both if len(two) <= _LONGEST_OF_TWO}, longest


def parts(word: str, lexicon: Lexicon) -> Reading | None:
    """*dis-moi*, *Marie-Lou*, *p'tit-déj*: words joined by hyphens or apostrophes."""
    if "-" not in word and "'" not in word:
        return None
    pieces: list[str] = []
    for piece in word.split("-"):
        pieces += [piece] if _look_up(piece, lexicon) else filter(None, piece.split("'"))
    if len(pieces) < 2:
        return None
    found = [_look_up(piece, lexicon) for piece in pieces]
    labels = {lexicon.label(lists) for lists in found}
    union = reduce(or_, found)
    if Label.DICTIONARY in labels or labels == {Label.AMBIGUOUS}:
        return Reading(" ".join(pieces), union & lexicon.dictionary)
    if Label.UNKNOWN not in labels:
        return Reading(" ".join(pieces), union & (lexicon.dictionary | lexicon.anti_dictionary))
    return None


def number_and_word(word: str, lexicon: Lexicon) -> Reading | None:
    """*3cours*, *15min*: a number written with its word."""
    match = _PREFIXED.fullmatch(word)
    if not match:
        return None
    lists = _look_up(match[2], lexicon) & lexicon.anti_dictionary
    return Reading(f"{match[1]} {match[2]}", lists) if lists else None


def misspelling(word: str, lexicon: Lexicon) -> Reading | None:
    """*surment* for *sûrement*: one edit away from a frequent word of the anti-dictionary."""
    if len(word) < lexicon.pack.spelling.misspelt_from:
        return None
    folded = fold(word)
    for form in one_edit_from(folded, lexicon.table("near")):
        lists = _look_up_frequent(form, lexicon)
        if lists:
            return Reading(form, lists)
    return None


def swapped_letters(word: str, lexicon: Lexicon) -> Reading | None:
    """*caroilne* for *caroline*: a first name of five letters and more, mistyped."""
    folded = fold(word)
    if len(folded) < lexicon.pack.spelling.swapped_from:
        return None
    for name, lists in lexicon.table("names_by_letters").get("".join(sorted(folded)), ()):
        if is_swap(folded, name):
            return Reading(name, lists)
    return None


def cut_short(word: str, lexicon: Lexicon) -> Reading | None:
    """*lucil* for *Lucile*, *laur* for *Laure* or *Laurent*: the beginning of a first name."""
    lists = lexicon.table("name_starts").get(fold(word), 0)
    return Reading(f"{word}…", lists) if lists else None


def phonetic(word: str, lexicon: Lexicon) -> Reading | None:
    """*2morrow* for *tomorrow*, *gr8* for *great*: signs that stand for a sound."""
    for sign, sound in pairs(lexicon.pack.spelling.phonetic).items():
        if sign in word and (
            lists := _look_up_frequent(form := word.replace(sign, sound), lexicon)
        ):
            return Reading(form, lists)
    return None


def two_words(word: str, lexicon: Lexicon) -> Reading | None:
    """*schooluntil*, *goodenough*: frequent words without the space between them."""
    for i in range(_SHORTEST_HALF, len(word) - 1):
        head, tail = word[:i], word[i:]
        if len(tail) < _SHORTEST_HALF and tail not in lexicon.pack.spelling.heads:
            continue
        lists = _look_up_frequent(tail, lexicon) and _look_up_frequent(head, lexicon)
        if lists:
            return Reading(f"{head} {tail}", lists)
    return None


def vowels_omitted(word: str, lexicon: Lexicon) -> Reading | None:
    """*cnfrmd* for *confirmed*: the consonants of a frequent word, without some of its vowels."""
    folded = fold(word)
    consonants = consonants_of(folded)
    if len(consonants) < _FEWEST_CONSONANTS or len(folded) - len(consonants) > _MOST_VOWELS:
        return None
    for form in lexicon.table("by_consonants").get(consonants, ()):
        letters = iter(form)
        if len(form) > len(folded) and all(letter in letters for letter in folded):
            return Reading(form, _look_up_frequent(form, lexicon))
    return None


_RULES: tuple[Rule, ...] = (
    *(missing_accents, misplaced_accents, letter_repetitions, onomatopoeia, apostrophe_omitted),
    *(concatenation, parts, number_and_word, misspelling, swapped_letters, cut_short, phonetic),
    *(two_words, vowels_omitted),
)
_BY_NAME = {rule.__name__: rule for rule in _RULES}


@cache
def rules_of(pack: Pack) -> tuple[Rule, ...]:
    """Return the rules of a language, in the order of trying."""
    for name in pack.spelling.rules:
        if name not in _BY_NAME:
            there = f"there is no rule {name!r}; there are: {', '.join(_BY_NAME)}"
            raise DictionaryError(f"{pack.where('spelling')}: {there}")
    return tuple(_BY_NAME[name] for name in pack.spelling.rules)
