"""Words made comparable: no reader, and no search, takes one surrogate for another."""

from functools import lru_cache

from triage.dictionaries.normal import fold, without_runs


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """Return a text's letters and digits, without case and accents."""
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 16)
def bare(word: str) -> str:
    """Return a word so that its stretched forms are one with it."""
    return without_runs(plain(word))
