"""Spans of a text: joining them, and how the file of a queue keeps them."""

import json
from collections.abc import Iterable

from ..vocabulary import Span, Spans


def packed(spans: Iterable[Span]) -> str:
    """Return spans as JSON text."""
    return json.dumps([[span.start, span.end, span.type.value] for span in spans])


def joined(*several: Iterable[Span]) -> Spans:
    """Return the union of spans of one text; of those that overlap, the first and longest."""
    every = sorted({s for spans in several for s in spans}, key=lambda s: (s.start, -s.end))
    kept: list[Span] = []
    for span in every:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)
