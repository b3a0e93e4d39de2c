r"""Line breaks, which spreadsheets write in their own way: ``\r\n`` and ``\r`` become ``\n``."""

import re
from dataclasses import replace

from ...errors import TriageError
from ...vocabulary import Span, Spans
from .records import Imported

_BREAK = re.compile("\r\n?")


def plain_breaks(text: str) -> str:
    r"""Return a text with ``\n`` for each line break.

    Examples
    --------
    >>> plain_breaks("Coucou\r\nLéa\r")
    'Coucou\nLéa\n'
    """
    return _BREAK.sub("\n", text)


def _plain_positions(text: str) -> list[int]:
    """Return where each position of a text stands once its breaks are plain."""
    positions, at = [], 0
    for position, char in enumerate(text):
        positions.append(at)
        at += not (char == "\r" and text[position + 1 : position + 2] == "\n")
    return [*positions, at]


def to_plain(spans: Spans, text: str) -> Spans:
    """Return where spans of a text stand once its breaks are plain."""
    positions = _plain_positions(text)
    return tuple(Span(positions[s.start], positions[s.end], s.type) for s in spans)


def from_plain(spans: Spans, text: str) -> Spans:
    r"""Return where spans of a text with plain breaks stand in the text itself.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> from_plain((Span(7, 10, IdentifierType.PRE),), "Coucou\r\nLéa")[0].start
    8
    """
    positions = _plain_positions(text)
    first = {plain: at for at, plain in reversed([*enumerate(positions)])}
    return tuple(Span(first[s.start], first[s.end], s.type) for s in spans)


def fitted(row: Imported, text: str) -> Imported:
    r"""Return a row with the text of its item, where the two differ in line breaks alone.

    Parameters
    ----------
    row : Imported
    text : str
        Of the item that has the row's digest.

    Raises
    ------
    TriageError
        If they differ in more.

    Examples
    --------
    >>> fitted(Imported("row 3", "", "Coucou\nLéa", None, (), ""), "Coucou\r\nLéa").text
    'Coucou\r\nLéa'
    """
    if row.text == text:
        return row
    if plain_breaks(row.text) != plain_breaks(text):
        raise TriageError(
            f"{row.where}: the text is not that of the item any more; "
            "export again, and leave the column of texts as it is"
        )
    return replace(row, text=text, spans=from_plain(to_plain(row.spans, row.text), text))
