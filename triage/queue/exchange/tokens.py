"""The tokens of a text, for formats that tag tokens."""

from collections.abc import Iterable
from itertools import chain, pairwise

from triage.dictionaries.words import plain_words

from ...vocabulary import Spans

Place = tuple[int, int]


def tokens(text: str, spans: Spans) -> list[Place]:
    """Return where the tokens of a text stand: its words, cut where identifiers begin and end."""
    edges = {0, len(text), *chain.from_iterable(plain_words(text))}
    edges |= {edge for span in spans for edge in (span.start, span.end)}
    return [place for piece in pairwise(sorted(edges)) for place in _solid(text, *piece)]


def _solid(text: str, start: int, end: int) -> Iterable[Place]:
    """Yield where a piece of a text is no white space."""
    at = start
    for word in text[start:end].split():
        at = text.index(word, at)
        yield at, at + len(word)
        at += len(word)
