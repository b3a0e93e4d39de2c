"""A corpus as mining reads it: words of letters in any language, identifiers, concordances.

Words are those by which a plan finds its spellings (`triage.dictionaries.phrases`), so that what is
counted here is what `always` will replace.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries.growing import Numbered
from triage.dictionaries.normal import fold, folded
from triage.dictionaries.phrases import TOKEN
from triage.reports.page import printable

from ..vocabulary import TAG, IdentifierType, Span, Spans

_SPLIT = re.compile(f"{TAG}|{TOKEN.pattern}")
_folded = lru_cache(maxsize=1 << 16)(folded)
# Where a message begins or ends: dashes join words, so that none is a word itself.
EDGE = "—"
_TAGGED = "<>"
NO_NAME = -1
TYPES = tuple(IdentifierType)
_WIDTH = 40


class Place(NamedTuple):
    """The place of a word: its message, from 0, start and end in characters."""

    message: int
    start: int
    end: int


@dataclass(frozen=True)
class Corpus:
    """The words of all messages in a row, an edge around each message."""

    texts: Sequence[str]
    forms: list[str]
    form: NDArray[np.int64]
    replaced: NDArray[np.int64]
    places: list[Place]
    evidence: NDArray[np.float64] | None = None

    @cached_property
    def number(self) -> dict[str, int]:
        return {form: number for number, form in enumerate(self.forms)}

    @cached_property
    def is_word(self) -> NDArray[np.bool_]:
        """Mask of the words that hold a letter; signs, numbers, tags and edges do not."""
        is_word = np.array([any(map(str.isalpha, form)) for form in self.forms])
        of_word: NDArray[np.bool_] = is_word[self.form]
        return of_word

    @cached_property
    def is_tag(self) -> NDArray[np.bool_]:
        is_tag: NDArray[np.bool_] = self.form == self.number.get(_TAGGED, -1)
        return is_tag

    @cached_property
    def is_capital(self) -> NDArray[np.bool_]:
        return np.array([self.written(word)[:1].isupper() for word in range(len(self.places))])

    @cached_property
    def _by_form(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.form, kind="stable")
        return order, np.searchsorted(self.form[order], np.arange(len(self.forms) + 1))

    def words_of(self, form: str) -> NDArray[np.int64]:
        number = self.number.get(form)
        if number is None:
            return np.empty(0, dtype=np.int64)
        order, first = self._by_form
        return order[first[number] : first[number + 1]]

    def with_replaced(self, replaced: Sequence[Spans]) -> Self:
        """Return the same words with other places of identifiers, tags apart."""
        types = np.where(self.is_tag, self.replaced, NO_NAME)
        messages = [place.message for place in self.places]
        first = np.searchsorted(messages, np.arange(len(self.texts) + 1)).tolist()
        for message in (number for number, spans in enumerate(replaced) if spans):
            for word in range(first[message], first[message + 1]):
                if not self.is_tag[word]:
                    types[word] = _type_at(replaced[message], *self.places[word][1:])
        # A copy keeps what has been worked out of the words.
        again = copy(self)
        vars(again)["replaced"] = types
        return again

    def written(self, word: int) -> str:
        place = self.places[word]
        # Without any message there is an edge all the same.
        return self.texts[place.message][place.start : place.end] if self.texts else ""


def key_of(spelling: str) -> tuple[str, ...]:
    return tuple(_folded(match[0]) for match in TOKEN.finditer(spelling))


def read_corpus(
    texts: Sequence[str],
    replaced: Sequence[Spans] | None = None,
    evidence: Sequence[Mapping[int, float]] | None = None,
) -> Corpus:
    """Split messages into words."""
    numbered: Numbered[str] = Numbered()
    form, types, weight = [numbered[EDGE]], [NO_NAME], [0.0]
    places = [Place(0, 0, 0)]
    for number, text in enumerate(texts):
        weights = evidence[number] if evidence else {}
        spans = replaced[number] if replaced else ()
        at = 0.0
        for match in _SPLIT.finditer(text):
            start, end = match.span()
            tag = match["type"]
            form.append(numbered[_TAGGED if tag else _folded(match[0])])
            types.append(_type_of(tag) if tag else _type_at(spans, start, end))
            # A longer word of the dictionaries, such as one with a hyphen, may hold several.
            at = weights.get(start, at)
            weight.append(at)
            places.append(Place(number, start, end))
        form.append(numbered[EDGE])
        types.append(NO_NAME)
        weight.append(0.0)
        places.append(Place(number, len(text), len(text)))
    return Corpus(
        texts,
        numbered.items_in_order,
        np.array(form, dtype=np.int64),
        np.array(types, dtype=np.int64),
        places,
        np.array(weight) if evidence else None,
    )


def _type_of(tag: str) -> int:
    """Return the number of the type that a tag names, the first one where it names none."""
    return TYPES.index(IdentifierType(tag)) if tag in IdentifierType.__members__ else 0


def _type_at(spans: Iterable[Span], start: int, end: int) -> int:
    """Return the number of the type of the first span that stands there, else `NO_NAME`."""
    there = [span for span in spans if span.start < end and start < span.end]
    return TYPES.index(min(there).type) if there else NO_NAME


class Order(StrEnum):
    CORPUS = "corpus"
    LEFT = "left"
    RIGHT = "right"


class Line(NamedTuple):
    """A place of a spelling: the row of its message, from 1, where it starts, and its context."""

    row: int
    start: int
    left: str
    keyword: str
    right: str


def line_of(text: str, row: int, start: int, end: int, width: int = _WIDTH) -> Line:
    """Return the line of one place in a text."""
    text = printable(text.replace("\n", " "))
    left, right = text[max(0, start - width) : start], text[end : end + width]
    return Line(row, start, left, text[start:end], right)


def concordance(
    corpus: Corpus, words: Iterable[int], order: Order = Order.CORPUS, width: int = _WIDTH
) -> list[Line]:
    """Return the lines of words of a corpus; each context has up to `width` characters."""
    places = (corpus.places[word] for word in words)
    lines = [line_of(corpus.texts[at], at + 1, start, end, width) for at, start, end in places]
    if order is Order.LEFT:
        lines.sort(key=lambda line: (fold(line.left).split()[::-1], line))
    elif order is Order.RIGHT:
        lines.sort(key=lambda line: (fold(line.right).split(), line))
    return lines
