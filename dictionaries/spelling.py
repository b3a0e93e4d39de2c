"""The spelling rules of text messages (paper, section 3.2).

A word that no list holds as it is written is tried by each rule in turn: what would it be in
ordinary spelling, and which lists hold that? The rules look in both kinds of dictionaries: a
stretched name is a name.

Each rule is a function of the word, in lower case (`normal.normal`), and the lexicon;
it returns a `Reading`, or None when it has nothing to say. Its name is the reason that a label
gives. Seven are the paper's; `parts`, `number_and_word`, `swapped_letters`, `cut_short` are ours.
"""

import re
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from operator import or_
from typing import NamedTuple

from triage.dictionaries.edits import is_swap
from triage.dictionaries.labels import Label
from triage.dictionaries.lexicon import Lexicon
from triage.dictionaries.normal import fold


class Reading(NamedTuple):
    """An ordinary spelling that a rule found for a word.

    Parameters
    ----------
    form : str
    lists : int
        The lists that hold it, as bits of the lexicon.
    """

    form: str
    lists: int


Rule = Callable[[str, Lexicon], Reading | None]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RUN = re.compile(r"(.)\1+")
_LETTERS = re.compile(r"(.)\1*")
_MOST_RUNS = 6
_LAUGHTER = re.compile(
    r"(?:(?:m++|b++)[ou]*+)?[aeiou]?+(?:[hj]++[aeiouyéè]++){2,}+h?|(?:m++|b++)?(?:[aeiou]++h++){2,}+"
    r"|(?:h+[aeiouéè]+)|(?:[aeiouéè]+h+)|h+(?:u+|e+u+)?m+h*|m+h+m*|m{2,}|p+f+t?|b+r+|g+r+|r+h?o+h*"
    r"|(?:p+t+)?m+d+r+|p+t+d+r+|x+p+t+d+r+|l+o+l+|(?:lo)+l|x+d+|z+|r+o+h+o*|b+a+h+|b+e+h+|t+s+s+|ch+u+t+"
    r"|a+r+g+h*|o+u+f+|w+a*o+u*h*|y+o*u+h+o+u+|y+e+a+h+|h+e+y+|h+é+|o+u+a+h+|o+u+p+s+|a+ï+e+|o+h*l+a+(?:l+a+)*"
)
_ELIDED = ("qu", "c", "d", "j", "l", "m", "n", "s", "t")
_VOWELS = tuple("aeiouyhéèêàâîô")
_HEADS = _words(
    "j t c d l m n s qu y je tu il on ne me te se ce le la les de du en pas que ke k ki qui mon "
    "ma ta sa ca ça et si tout tt peut a à au des un une"
)
_SUBJECTS = _words("j je t tu i il on y c ke k ki qu que")
_OBJECTS = _words("t te m me l le la les s se n ne y en d vs v")
_BEFORE_NAMES = _words("chez avec pour cc coucou merci bisous salut et mon ma ton ta")
_PREFIXED = re.compile(r"(\d+)([^\W\d_]+)")
_MISSPELT_FROM = 7
_SWAPPED_FROM = 5
# Beyond it a word is in no list, however its letters are read; it bounds the work on a word.
_LONGEST_WORD = 60
_LONGEST_HEAD = max(map(len, _HEADS | _BEFORE_NAMES))


def _look_up(form: str, lexicon: Lexicon) -> int:
    return lexicon.exact.get(form) or lexicon.folded.get(form)


def _look_up_frequent(form: str, lexicon: Lexicon) -> int:
    """Look up what a rule takes out of a longer word: rare words would explain names away."""
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
    for form in _shorter_runs(word):
        lists = _look_up(form, lexicon) or (not form.isascii() and _look_up(fold(form), lexicon))
        if lists:
            return Reading(form, lists)
    return None


def _shorter_runs(word: str) -> Iterator[str]:
    """Yield a word with its runs shortened, the least shortened first."""
    if not _RUN.search(word):
        return
    parts = [(match[1], len(match[0])) for match in _LETTERS.finditer(word)]
    if len(parts) > _LONGEST_WORD:
        return
    runs = sum(length > 1 for _, length in parts)
    most = (2, 1) if runs <= _MOST_RUNS else (1,)
    choices = [most if length > 1 else (1,) for _, length in parts]
    for lengths in product(*choices):
        form = "".join(letter * n for (letter, _), n in zip(parts, lengths, strict=True))
        if form != word:
            yield form


def onomatopoeia(word: str, lexicon: Lexicon) -> Reading | None:
    """*mouhahaha*, *pfff*, *mdrrr*: a sound, in no list and no name."""
    if _LAUGHTER.fullmatch(_RUN.sub(r"\1\1", word)):
        return Reading(word, lexicon.sound)
    return None


def apostrophe_omitted(word: str, lexicon: Lexicon) -> Reading | None:
    """*jexplique* for *j'explique*, *demilie* for *d'Émilie*."""
    for head in _ELIDED:
        tail = word.removeprefix(head)
        if tail == word or len(tail) < (3 if head in "jt" else 4):
            continue
        lists = _look_up_frequent(tail, lexicon)
        if not lists and head in ("d", "l", "qu") and tail.startswith(_VOWELS) and len(tail) > 3:
            lists = _look_up_name(tail, lexicon)
        if lists:
            return Reading(f"{head}'{tail}", lists)
    return None


def concatenation(word: str, lexicon: Lexicon) -> Reading | None:
    """*jtaime* for *je t'aime*, *chezmarine*: little words written with the word behind them."""
    for i in range(1, min(len(word) - 3, _LONGEST_HEAD + 1)):
        head, tail = word[:i], word[i:]
        if head in _BEFORE_NAMES and len(tail) > 3 and (lists := _look_up_name(tail, lexicon)):
            return Reading(f"{head} {tail}", lists)
        if head in _HEADS or (i < 5 and _is_two_heads(head)):
            lists = _look_up_frequent(tail, lexicon)
            if lists:
                return Reading(f"{head} {tail}", lists)
    return None


def _is_two_heads(text: str) -> bool:
    return any(text[:i] in _SUBJECTS and text[i:] in _OBJECTS for i in range(1, len(text)))


def parts(word: str, lexicon: Lexicon) -> Reading | None:
    """*dis-moi*, *Marie-Lou*, *p'tit-déj*: words joined by hyphens or apostrophes.

    It is a name when all its parts can be names (*Rose-Marie*) or one can be nothing else, and
    else as ambiguous as its parts: *Jean-Loup* may be one.
    """
    pieces = list(_pieces(word, lexicon))
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


def _pieces(word: str, lexicon: Lexicon) -> Iterator[str]:
    for piece in word.split("-"):
        yield from [piece] if _look_up(piece, lexicon) else filter(None, piece.split("'"))


def number_and_word(word: str, lexicon: Lexicon) -> Reading | None:
    """*3cours*, *15min*: a number written with its word."""
    match = _PREFIXED.fullmatch(word)
    if not match:
        return None
    lists = _look_up(match[2], lexicon) & lexicon.anti_dictionary
    return Reading(f"{match[1]} {match[2]}", lists) if lists else None


def misspelling(word: str, lexicon: Lexicon) -> Reading | None:
    """*surment* for *sûrement*: one edit away from a frequent word of the anti-dictionary.

    Only words of seven letters and more are tried, so that names are not explained away.
    """
    if len(word) < _MISSPELT_FROM:
        return None
    folded = fold(word)
    for form in lexicon.near(folded):
        lists = _look_up_frequent(form, lexicon)
        if lists:
            return Reading(form, lists)
    return None


def swapped_letters(word: str, lexicon: Lexicon) -> Reading | None:
    """*caroilne* for *caroline*: a first name of five letters and more, mistyped."""
    folded = fold(word)
    if len(folded) < _SWAPPED_FROM:
        return None
    for name, lists in lexicon.names_by_letters.get("".join(sorted(folded)), ()):
        if is_swap(folded, name):
            return Reading(name, lists)
    return None


def cut_short(word: str, lexicon: Lexicon) -> Reading | None:
    """*lucil* for *Lucile*, *laur* for *Laure* or *Laurent*: the beginning of a first name."""
    lists = lexicon.name_starts.get(fold(word), 0)
    return Reading(f"{word}…", lists) if lists else None


RULES: tuple[Rule, ...] = (
    missing_accents,
    misplaced_accents,
    letter_repetitions,
    onomatopoeia,
    apostrophe_omitted,
    concatenation,
    parts,
    number_and_word,
    misspelling,
    swapped_letters,
    cut_short,
)
