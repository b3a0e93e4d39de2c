r"""Answers and identifiers as other tools write them, and how these tools count characters.

Our offsets count code points. An emoji such as 😀 is one code point, two UTF-16 code units, and one
grapheme cluster; one such as 👩🏽‍🚒 is four code points, seven code units, and still one cluster.
So is ``\r\n``.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, pairwise

from triage.data import shown_cell
from triage.data.values import whole_characters

from ...errors import TriageError
from ...vocabulary import IdentifierType, Span, Spans, check_spans
from ..records import Answer

_ZERO_WIDTH_JOINER = "\u200d"
_JOINED_TO_BEFORE = {"Mn", "Me", "Mc"}
_LAST_OF_ONE_UNIT = "\uffff"
_FIRST_PICTOGRAM = "\U0001f000"


class Counting(Enum):
    """The unit in which a tool counts."""

    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    GRAPHEMES = "grapheme clusters"


def positions(text: str, counting: Counting) -> dict[int, int]:
    """Return our position for each offset that a tool can give."""
    if counting is Counting.UTF16:
        return {offset: position for position, offset in enumerate(_utf16_offsets(text))}
    if counting is Counting.GRAPHEMES:
        return dict(enumerate([*_cluster_starts(text), len(text)]))
    return {position: position for position in range(len(text) + 1)}


def utf16_spans(text: str, spans: Spans) -> list[list[object]]:
    """Return spans as ``[start, end, type]`` with offsets in UTF-16 code units."""
    offsets = _utf16_offsets(text)
    return [[offsets[s.start], offsets[s.end], s.type.value] for s in spans]


def _utf16_offsets(text: str) -> list[int]:
    return list(accumulate((1 + (c > _LAST_OF_ONE_UNIT) for c in text), initial=0))


def _cluster_starts(text: str) -> list[int]:
    starts = [0] if text else []
    flags = 0
    for position, (before, char) in enumerate(pairwise(text), 1):
        flags = flags + 1 if _is_flag_letter(before) else 0
        if not (_is_one_cluster(before, char) or (flags % 2 and _is_flag_letter(char))):
            starts.append(position)
    return starts


def _is_one_cluster(before: str, char: str) -> bool:
    """Tell whether two characters are of one cluster (simplified from UAX #29)."""
    if before in "\r\n" or char in "\r\n":
        return before + char == "\r\n"
    if before == _ZERO_WIDTH_JOINER:
        return char >= _FIRST_PICTOGRAM or unicodedata.category(char) == "So"
    return unicodedata.category(char) in _JOINED_TO_BEFORE or _is_modifier(char)


def _is_modifier(char: str) -> bool:
    """Tell whether a character only modifies the one before: joiners, skin tones, tags."""
    return (
        char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


@dataclass(frozen=True)
class Mark:
    """An identifier as a tool marks it."""

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


def spans_of(marks: Iterable[Mark], text: str, counting: Counting) -> Spans:
    """Return the spans of marks in a text."""
    places = positions(text, counting)
    distinct = {(mark.start, mark.end, mark.type) for mark in marks}
    for start, end, _ in distinct:
        if start not in places or end not in places:
            raise TriageError(
                f"the identifier from {start} to {end} does not fit the text, which has "
                f"{max(places)} characters as this tool counts"
            )
    spans = [Span(places[start], places[end], type_) for start, end, type_ in distinct]
    return check_spans(spans, len(text))


def trimmed(text: str, spans: Spans) -> Spans:
    """Return spans without surrounding white space, which is easily marked with a word."""
    return tuple(_trimmed(text, span) for span in spans)


def _trimmed(text: str, span: Span) -> Span:
    covered = text[span.start : span.end]
    if not covered.strip():
        return span
    n_before = len(covered) - len(covered.lstrip())
    return Span(span.start + n_before, span.start + len(covered.rstrip()), span.type)


def solid(text: str, spans: Spans) -> Spans:
    """Return spans without white space around them, and none of white space alone."""
    return tuple(s for s in trimmed(text, spans) if text[s.start : s.end].strip())


def is_plausible(text: str, spans: Spans) -> bool:
    """Tell whether spans cover whole words and characters, as people mark them."""
    whole = set(positions(text, Counting.GRAPHEMES).values())
    edges = {edge for span in spans for edge in (span.start, span.end)}
    covered = (text[span.start : span.end] for span in spans)
    return (
        edges <= whole
        and not any(_is_within_word(text, edge) for edge in edges)
        and all(word.strip() for word in covered)
    )


def _is_within_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position].isalnum()


def read_text(value: object) -> str:
    """Return the text of a row; TriageError if it is missing."""
    if not isinstance(value, str) or not value:
        raise TriageError("the text is missing")
    return whole_characters(value)


def read_answer(value: object) -> Answer:
    """Return an answer, in either case; TriageError if it is none."""
    try:
        return Answer(value.strip().upper() if isinstance(value, str) else "")
    except ValueError as error:
        raise TriageError(f"{shown_cell(value)} is no answer: say TA, NTA or SKIP") from error


def only_answer(values: list[object]) -> Answer | None:
    """Return the answer in a list, None if it is empty; TriageError if it holds several."""
    answers = {read_answer(value) for value in values}
    if len(answers) > 1:
        raise TriageError("it has several answers: leave one")
    return next(iter(answers), None)


def spans_of_answer(answer: Answer | None, spans: Spans, exported: Spans) -> Spans:
    """Return the spans that go with an answer, none unless it is TA."""
    if answer is Answer.NTA and not set(spans) <= set(exported):
        raise TriageError(
            "the answer is NTA, and yet identifiers were marked: make it TA, or take the marks away"
        )
    return spans if answer is Answer.TA else ()
