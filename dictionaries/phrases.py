"""Entries of several words, such as *Rosa Luxembourg*, found in messages."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from .normal import INVISIBLE, folded

T = TypeVar("T")

# A run of letters and digits, or a sign. What joins words (spaces, hyphens, apostrophes) is none.
TOKEN = re.compile(rf"[^\W_](?:[^\W_]|[\u0300-\u036f{INVISIBLE}])*+|[^\w\s'’‘ʼ`´\u2010-\u2015-]|_")
_folded = lru_cache(maxsize=1 << 16)(folded)


class FoundPhrase(NamedTuple, Generic[T]):
    """A phrase in a text: where it stands, in characters, and the value that it was given."""

    start: int
    end: int
    value: T


class Phrases(Generic[T]):
    """Spellings of one or several words, each with a value."""

    def __init__(self, values: Mapping[str, T]) -> None:
        # By the tokens of each, joined by spaces, which no token holds.
        self._values: dict[str, T] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        # One tuple for all of the same lengths: a list may hold millions of phrases.
        shared: dict[tuple[int, ...], tuple[int, ...]] = {}
        for text, value in values.items():
            if key := phrase_key(text):
                self._values[" ".join(key)] = value
                lengths = {*self._lengths.get(key[0], ()), len(key)}
                longest_first = tuple(sorted(lengths, reverse=True))
                self._lengths[key[0]] = shared.setdefault(longest_first, longest_first)

    def __bool__(self) -> bool:
        return bool(self._values)

    def find(self, text: str) -> list[FoundPhrase[T]]:
        """Return the phrases of a text in order, the longest where several begin."""
        matches = [*TOKEN.finditer(text)] if self._values else []
        tokens = [_folded(match[0]) for match in matches]
        phrases: list[FoundPhrase[T]] = []
        end_token = 0
        for i, token in enumerate(tokens):
            for length in self._lengths.get(token, ()) if i >= end_token else ():
                key = " ".join(tokens[i : i + length])
                if key in self._values:
                    end_token = min(i + length, len(tokens))
                    end = matches[end_token - 1].end()
                    phrases.append(FoundPhrase(matches[i].start(), end, self._values[key]))
                    break
        return phrases


def phrase_key(text: str) -> tuple[str, ...]:
    """Return a key that all ways of writing a phrase share; empty where it has no word."""
    if text.isascii():
        return tuple(TOKEN.findall(text.lower()))
    return tuple(_folded(token) for token in TOKEN.findall(text))
