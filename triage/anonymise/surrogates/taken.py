"""What no surrogate may be: what occurs in the corpus, and other surrogates."""

import re
from collections.abc import Iterable
from functools import lru_cache

from triage.dictionaries.normal import fold, without_runs

_SEPARATORS = re.compile(r"[\W_]+")


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """Return a text's letters and digits, without case and accents.

    Examples
    --------
    >>> plain("06 39-98"), plain("Zoé")
    ('063998', 'zoe')
    """
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 16)
def bare(word: str) -> str:
    """Return a word so that its stretched forms are one with it.

    Examples
    --------
    >>> bare("Zoééééé"), bare("Emma")
    ('zoe', 'ema')
    """
    return without_runs(plain(word))


class CorpusWords:
    """The words of a corpus and their parts, as surrogates are compared with them.

    Parameters
    ----------
    words : iterable of str
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.plain: set[str] = set()
        for word in words:
            self.plain.add(plain(word))
            self.plain.update(plain(part) for part in _SEPARATORS.split(word) if part != word)
        self.bare = {bare(word) for word in self.plain}


class Taken:
    """The surrogates of a scope, in which no two may be the same, and the words of the corpus.

    Parameters
    ----------
    corpus : CorpusWords
    """

    def __init__(self, corpus: CorpusWords) -> None:
        self._corpus = corpus
        self._words: set[str] = set()
        self._codes: set[str] = set()

    def take(self, word: str) -> bool:
        """Take a word if it is free, however it is stretched, and tell whether it was."""
        key = bare(word)
        free = bool(key) and key not in self._corpus.bare and key not in self._words
        if free:
            self._words.add(key)
        return free

    def take_code(self, code: str) -> bool:
        """Take a number or a code if it is free, and tell whether it was."""
        key = plain(code)
        free = bool(key) and key not in self._corpus.plain and key not in self._codes
        if free:
            self._codes.add(key)
        return free
