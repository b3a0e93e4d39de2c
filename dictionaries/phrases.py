"""Entries of several words, such as *Rosa Luxembourg*, found in messages and taken as one word."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from triage.dictionaries.kinds import Kind
from triage.dictionaries.lexicon import YOURS, Lexicon
from triage.dictionaries.normal import INVISIBLE, folded
from triage.dictionaries.words import Form, WordTable, split_all

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
        # Their tokens, with a space between them, which is in none.
        self._values: dict[str, T] = {}
        lengths: dict[str, set[int]] = {}
        for text, value in values.items():
            if key := phrase_key(text):
                self._values[" ".join(key)] = value
                lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {first: sorted(known, reverse=True) for first, known in lengths.items()}

    def __bool__(self) -> bool:
        return bool(self._values)

    def find(self, text: str) -> list[FoundPhrase[T]]:
        """Return the phrases of a text in order, the longest where several begin."""
        matches = [*TOKEN.finditer(text)]
        tokens = [_folded(match[0]) for match in matches]
        found: list[FoundPhrase[T]] = []
        behind = 0
        for at, token in enumerate(tokens):
            if at < behind or token not in self._lengths:
                continue
            for length in self._lengths[token]:
                key = " ".join(tokens[at : at + length])
                if key in self._values:
                    behind = min(at + length, len(tokens))
                    end = matches[behind - 1].end()
                    found.append(FoundPhrase(matches[at].start(), end, self._values[key]))
                    break
        return found


def phrase_key(text: str) -> tuple[str, ...]:
    """Return what is the same for all ways of writing a phrase; empty where it has no word."""
    if text.isascii():
        return tuple(TOKEN.findall(text.lower()))
    return tuple(_folded(token) for token in TOKEN.findall(text))


def phrases_of_user(lexicon: Lexicon) -> list[str]:
    """Return the entries of the user's own lists that are split into several words."""
    lists = (words for words in lexicon.lists if words.title == YOURS)
    # A run of letters is one word, and most entries are no more: the splitter need not see them.
    entries = sorted({one for words in lists for one in words.entries if not one.isalpha()})
    found: list[str] = []
    for first in range(0, len(entries), _AT_ONCE):
        chunk = entries[first : first + _AT_ONCE]
        n_words = np.bincount(split_all(chunk, lexicon.pack).message, minlength=len(chunk))
        found += [entry for entry, n in zip(chunk, n_words.tolist(), strict=True) if n > 1]
    return found


# Some 300 MB.
_AT_ONCE = 200_000


class _Word(Protocol):
    """The part of a labelled word that phrases need."""

    @property
    def text(self) -> str: ...

    @property
    def kind(self) -> Kind: ...

    def _replace(self, *, text: str) -> Self: ...


W = TypeVar("W", bound=_Word)


def join_phrases(
    messages: Sequence[str],
    words: WordTable,
    labels: Sequence[W],
    phrases: Phrases[str],
    label: Callable[[str], W],
) -> tuple[WordTable, list[W]]:
    """Return words, and the labels of their forms, in which each phrase is one word."""
    first = np.searchsorted(words.message, np.arange(words.n_messages + 1)).tolist()
    form, is_kept = words.form.copy(), np.ones(len(words.form), dtype=np.bool_)
    joined: dict[W, int] = {}
    for message, text in enumerate(messages):
        for phrase in phrases.find(text):
            starts = words.start[first[message] : first[message + 1]]
            begin, behind = (first[message] + np.searchsorted(starts, phrase[:2])).tolist()
            last = behind - 1
            end = words.start[last] + len(labels[words.form[last]].text)
            if begin <= last and (words.start[begin], end) == phrase[:2]:
                word = label(phrase.value)._replace(text=text[phrase.start : phrase.end])
                form[begin] = joined.setdefault(word, len(labels) + len(joined))
                is_kept[begin + 1 : behind] = False
    used, place = np.unique(form[is_kept], return_inverse=True)
    of_all = [*labels, *joined]
    left = [of_all[number] for number in used.tolist()]
    table = WordTable(
        [Form(word.text, word.kind) for word in left],
        place.astype(np.int32),
        words.message[is_kept],
        words.start[is_kept],
        words.n_messages,
    )
    return table, left
