r"""Identifiers as other tools mark them, and how these tools count characters.

Our offsets count code points. An emoji such as 😀 is one code point, two UTF-16 code units, and one
grapheme cluster; one such as 👩🏽‍🚒 is four code points, seven code units, and still one cluster.
So is ``\r\n``.
"""

import unicodedata
from collections.abc import Iterable
from enum import Enum
from itertools import accumulate, pairwise
from typing import NamedTuple

from triage.data import shown_cell

from ...errors import TriageError
from ...vocabulary import IdentifierType, Span, Spans, check_spans

_ZERO_WIDTH_JOINER = "\u200d"
_LAST_OF_ONE_UNIT = "\uffff"
_FIRST_PICTOGRAM = "\U0001f000"


class Counting(Enum):
    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    GRAPHEMES = "grapheme clusters"


class Mark(NamedTuple):
    """An identifier as a tool marks it, perhaps with the text that it covers."""

    start: int
    end: int
    type: IdentifierType
    text: str | None = None


def read_mark(start: object, end: object, type_: object, text: object = None) -> Mark:
    """Return a mark; TriageError if an offset is not an integer or the type is unknown."""
    try:
        kind = IdentifierType(type_.strip().upper() if isinstance(type_, str) else "")
    except ValueError as error:
        raise TriageError(
            f"{shown_cell(type_)} is no type of identifiers; they are: {', '.join(IdentifierType)}"
        ) from error
    return Mark(_offset(start), _offset(end), kind, text if isinstance(text, str) else None)


def _offset(value: object) -> int:
    # Some programs turn 3 into 3.0.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TriageError("an identifier starts or ends at what is no whole number")
    return value


def read_triples(value: object) -> list[Mark]:
    """Return the marks of a list of ``[start, end, type]``; TriageError if it is anything else."""
    marks = []
    for row in value if isinstance(value, list) else [None]:
        if not isinstance(row, list) or len(row) != 3:
            raise TriageError("identifiers must be lists of a start, an end and a type")
        marks.append(read_mark(*row))
    return marks


def triples(spans: Spans, text: str, counting: Counting) -> list[list[object]]:
    """Return spans as ``[start, end, type]`` in the unit of a tool."""
    offsets = {place: offset for offset, place in positions(text, counting).items()}
    return [[offsets[s.start], offsets[s.end], s.type.value] for s in spans]


def spans_of(marks: Iterable[Mark], text: str, counting: Counting = Counting.CODE_POINTS) -> Spans:
    """Return the spans of marks in a text; TriageError if they do not fit it."""
    places = positions(text, counting)
    distinct = {mark[:3] for mark in marks}
    for start, end, _ in distinct:
        if start not in places or end not in places:
            raise TriageError(
                f"the identifier from {start} to {end} does not fit the text, which has "
                f"{max(places)} characters as this tool counts"
            )
    spans = [Span(places[start], places[end], type_) for start, end, type_ in distinct]
    return check_spans(spans, len(text))


def positions(text: str, counting: Counting) -> dict[int, int]:
    """Return our position for each offset that a tool can give."""
    if counting is Counting.UTF16:
        offsets = accumulate((1 + (c > _LAST_OF_ONE_UNIT) for c in text), initial=0)
        return {offset: position for position, offset in enumerate(offsets)}
    if counting is Counting.GRAPHEMES:
        return dict(enumerate([*_cluster_starts(text), len(text)]))
    return {position: position for position in range(len(text) + 1)}


def _cluster_starts(text: str) -> list[int]:
    starts = [0] if text else []
    flags = 0
    for position, (before, char) in enumerate(pairwise(text), 1):
        flags = flags + 1 if _is_flag_letter(before) else 0
        if not (_is_one_cluster(before, char) or (flags % 2 and _is_flag_letter(char))):
            starts.append(position)
    return starts


def _is_one_cluster(before: str, char: str) -> bool:
    """Return whether two characters are of one cluster (simplified from UAX #29)."""
    if before in "\r\n" or char in "\r\n":
        return before + char == "\r\n"
    category = unicodedata.category(char)
    if before == _ZERO_WIDTH_JOINER:
        return char >= _FIRST_PICTOGRAM or category == "So"
    # Combining marks, joiners, skin tones, tags.
    return (
        category in ("Mn", "Me", "Mc")
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def trimmed(text: str, spans: Spans) -> Spans:
    """Return spans without surrounding white space, which is easily marked with a word."""
    found = []
    for span in spans:
        covered = text[span.start : span.end]
        start, end = span.end - len(covered.lstrip()), span.start + len(covered.rstrip())
        found.append(Span(start, end, span.type) if start < end else span)
    return tuple(found)


def solid(text: str, spans: Spans) -> Spans:
    """Return spans without white space around them, and none of white space alone."""
    return tuple(s for s in trimmed(text, spans) if text[s.start : s.end].strip())


def is_plausible(text: str, spans: Spans) -> bool:
    """Return whether spans cover whole words and characters, as people mark them."""
    whole = set(positions(text, Counting.GRAPHEMES).values())
    edges = {edge for span in spans for edge in (span.start, span.end)}
    within = (text[edge - 1 : edge + 1] for edge in edges - {0, len(text)})
    return (
        edges <= whole
        and not any(one[0].isalnum() and one[1].isalnum() for one in within)
        and all(text[span.start : span.end].strip() for span in spans)
    )
