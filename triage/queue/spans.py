"""Spans of a text: checking, joining, and how the file of a queue keeps them."""

import json
from collections.abc import Iterable, Sequence

from ..errors import TriageError
from ..vocabulary import IdentifierType, Span, Spans


def packed(spans: Iterable[Span]) -> str:
    """Return spans as JSON text.

    Examples
    --------
    >>> packed([Span(7, 14, IdentifierType.PRE)])
    '[[7, 14, "PRE"]]'
    """
    return json.dumps([[span.start, span.end, span.type.value] for span in spans])


def unpacked(text: str) -> Spans:
    """Return the spans that `packed` made JSON of."""
    return tuple(Span(start, end, IdentifierType(kind)) for start, end, kind in json.loads(text))


def checked(spans: Sequence[Span], length: int) -> Spans:
    """Return spans in order, once they are found to be spans of a text.

    Parameters
    ----------
    length : int
        Of the text, in characters.

    Raises
    ------
    TriageError
        If one is empty or stands beyond the text, or two overlap.

    Examples
    --------
    >>> checked([Span(8, 12, IdentifierType.NOM), Span(0, 7, IdentifierType.PRE)], 12)[0].end
    7
    """
    ordered = tuple(sorted(spans))
    before = 0
    for span in ordered:
        if not 0 <= span.start < span.end <= length:
            raise TriageError(
                f"the identifier from {span.start} to {span.end} is not within the text, "
                f"which has {length} characters"
            )
        if span.start < before:
            raise TriageError(f"two identifiers overlap at {span.start}: mark each once")
        before = span.end
    return ordered


def joined(*several: Iterable[Span]) -> Spans:
    """Return the union of spans of one text; of those that overlap, the first and longest.

    Examples
    --------
    >>> first, second = Span(0, 7, IdentifierType.PRE), Span(0, 11, IdentifierType.NOM)
    >>> joined([first], [second]) == (second,)
    True
    """
    every = sorted({s for spans in several for s in spans}, key=lambda s: (s.start, -s.end))
    kept: list[Span] = []
    for span in every:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)
