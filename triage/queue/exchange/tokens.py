"""The tokens of a text, for formats that tag tokens."""

from collections.abc import Iterable
from itertools import chain, pairwise

from triage.dictionaries.words import plain_words

from ...vocabulary import Spans

Place = tuple[int, int]


def tokens(text: str, spans: Spans) -> list[Place]:
    """Return where the tokens of a text stand: its words, cut where identifiers begin and end.

    Every character but white space is in one, so that spans without white space around them begin
    and end with tokens.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType, Span
    >>> text = "chezZoé : 06 39"
    >>> places = tokens(text, (Span(4, 7, IdentifierType.PRE), Span(10, 15, IdentifierType.TEL)))
    >>> [text[start:end] for start, end in places]
    ['chez', 'Zoé', ':', '06', '39']
    """
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
