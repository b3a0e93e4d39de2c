"""Spans of a text: joining them, and how the file of a queue keeps them."""

import json
from collections.abc import Iterable

from ..vocabulary import Span, Spans


def packed(spans: Iterable[Span]) -> str:
    """Return spans as JSON text.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> packed([Span(7, 14, IdentifierType.PRE)])
    '[[7, 14, "PRE"]]'
    """
    return json.dumps([[span.start, span.end, span.type.value] for span in spans])


def joined(*several: Iterable[Span]) -> Spans:
    """Return the union of spans of one text; of those that overlap, the first and longest.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
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
