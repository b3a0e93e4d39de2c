"""Concordances: a spelling in its contexts, a line for each place (keyword in context)."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from triage.dictionaries.normal import fold
from triage.reports.page import printable

from .corpus import Corpus

_WIDTH = 40


class Order(StrEnum):
    """The orders of a concordance."""

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


def concordance(
    corpus: Corpus, words: Iterable[int], order: Order = Order.CORPUS, width: int = _WIDTH
) -> list[Line]:
    """Return the lines of words of a corpus; each context has up to `width` characters."""
    lines = [_line(corpus, word, width) for word in words]
    if order is Order.LEFT:
        lines.sort(key=lambda line: (fold(line.left).split()[::-1], line))
    elif order is Order.RIGHT:
        lines.sort(key=lambda line: (fold(line.right).split(), line))
    return lines


def _line(corpus: Corpus, word: int, width: int) -> Line:
    place = corpus.places[word]
    text = printable(corpus.texts[place.message].replace("\n", " "))
    return Line(
        place.message + 1,
        place.start,
        text[max(0, place.start - width) : place.start],
        text[place.start : place.end],
        text[place.end : place.end + width],
    )
