r"""How tools count the characters of a text, and how that becomes ours: code points.

An emoji such as 😀 is one code point, two UTF-16 code units, and one grapheme cluster; one such
as 👩🏽‍🚒 is four code points, seven code units, and still one cluster. So is ``\r\n``.
"""

import unicodedata
from collections.abc import Callable
from enum import Enum
from itertools import accumulate, pairwise

from ...vocabulary import Span, Spans

_ZERO_WIDTH_JOINER = "\u200d"
_JOINED_TO_BEFORE = {"Mn", "Me", "Mc"}
_LAST_OF_ONE_UNIT = "\uffff"
_FIRST_PICTOGRAM = "\U0001f000"


class Counting(Enum):
    """What a tool counts as one."""

    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    GRAPHEMES = "grapheme clusters"


def places(text: str, counting: Counting) -> dict[int, int]:
    """Return our position for each offset that a tool can name.

    Examples
    --------
    >>> places("😀a", Counting.UTF16)
    {0: 0, 2: 1, 3: 2}
    """
    return _PLACES[counting](text)


def utf16_spans(text: str, spans: Spans) -> list[list[object]]:
    """Return spans as ``[start, end, type]`` with offsets in UTF-16 code units.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> from triage.queue import Span
    >>> utf16_spans("😀 Léa", (Span(2, 5, IdentifierType.PRE),))
    [[3, 6, 'PRE']]
    """
    offsets = _utf16_offsets(text)
    return [[offsets[s.start], offsets[s.end], s.type.value] for s in spans]


def _utf16_offsets(text: str) -> list[int]:
    return list(accumulate((1 + (c > _LAST_OF_ONE_UNIT) for c in text), initial=0))


def _code_point_places(text: str) -> dict[int, int]:
    return {position: position for position in range(len(text) + 1)}


def _utf16_places(text: str) -> dict[int, int]:
    return {offset: position for position, offset in enumerate(_utf16_offsets(text))}


def _grapheme_places(text: str) -> dict[int, int]:
    starts = [0] if text else []
    flags = 0
    for position, (before, char) in enumerate(pairwise(text), 1):
        flags = flags + 1 if _is_flag_letter(before) else 0
        if not (_sticks(before, char) or (flags % 2 and _is_flag_letter(char))):
            starts.append(position)
    return dict(enumerate([*starts, len(text)]))


def _sticks(before: str, char: str) -> bool:
    """Return whether two characters are of one cluster (a short form of UAX #29)."""
    if before in "\r\n" or char in "\r\n":
        return before + char == "\r\n"
    if before == _ZERO_WIDTH_JOINER:
        return char >= _FIRST_PICTOGRAM or unicodedata.category(char) == "So"
    return unicodedata.category(char) in _JOINED_TO_BEFORE or _is_added(char)


def _is_added(char: str) -> bool:
    """Return whether a character only changes the one before: joiners, skin tones, tags."""
    return (
        char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


_PLACES: dict[Counting, Callable[[str], dict[int, int]]] = {
    Counting.CODE_POINTS: _code_point_places,
    Counting.UTF16: _utf16_places,
    Counting.GRAPHEMES: _grapheme_places,
}


def trimmed(text: str, spans: Spans) -> Spans:
    """Return spans without the white space around words, which is easily marked with them.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> from triage.queue import Span
    >>> trimmed("Zoé arrive", (Span(0, 4, IdentifierType.PRE),))[0].end
    3
    """
    return tuple(_trimmed(text, span) for span in spans)


def _trimmed(text: str, span: Span) -> Span:
    covered = text[span.start : span.end]
    if not covered.strip():
        return span
    n_before = len(covered) - len(covered.lstrip())
    return Span(span.start + n_before, span.start + len(covered.rstrip()), span.type)


def is_neat(text: str, spans: Spans) -> bool:
    """Return whether spans start and end where people mark; if not, they were counted otherwise.

    People mark whole words and whole characters.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> from triage.queue import Span
    >>> is_neat("Coucou Léa", (Span(5, 9, IdentifierType.PRE),))
    False
    """
    whole = set(places(text, Counting.GRAPHEMES).values())
    edges = {edge for span in spans for edge in (span.start, span.end)}
    covered = (text[span.start : span.end] for span in spans)
    return (
        edges <= whole
        and not any(_is_within_word(text, edge) for edge in edges)
        and all(word.strip() for word in covered)
    )


def _is_within_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position].isalnum()
