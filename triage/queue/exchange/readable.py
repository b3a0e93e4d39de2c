"""Identifiers as people read and write them in a cell: ``Patrice PRE | 06 39 98 12 34 TEL``."""

import re
from collections.abc import Iterator

from ...errors import TriageError
from ...vocabulary import IdentifierType, Span, Spans

_TYPES = [type_.value for type_ in IdentifierType]
_BETWEEN = "|"
_LIKE_BETWEEN = "¦"
_APOSTROPHES = "'’‘ʼ`´"
_OF_WORD = "[\\w\u0300-\u036f]"


def readable(text: str, spans: Spans) -> str:
    """Return the identifiers of a text as people read them, each once.

    Examples
    --------
    >>> readable("Coucou Zoé", (Span(7, 10, IdentifierType.PRE),))
    'Zoé PRE'
    """
    return f" {_BETWEEN} ".join(dict.fromkeys(_entry(text, span) for span in spans))


def _entry(text: str, span: Span) -> str:
    word = " ".join(text[span.start : span.end].split()).replace(_BETWEEN, _LIKE_BETWEEN)
    return f"{word} {span.type}".strip()


def read_readable(cell: str, text: str, before: Spans) -> Spans:
    """Return the spans that a cell names.

    What `before` has stays where it is; else a word is an identifier wherever it stands, whole.

    Parameters
    ----------
    cell : str
    text : str
    before : tuple of Span
        The exact places that the cell was written from.

    Raises
    ------
    TriageError
        If an entry has no type, or is nowhere in the text.

    Examples
    --------
    >>> [(s.start, s.end) for s in read_readable("zoé PRE", "Zoé ? C'est Zoé !", ())]
    [(0, 3), (12, 15)]
    """
    known: dict[str, list[Span]] = {}
    for span in before:
        known.setdefault(_entry(text, span), []).append(span)
    entries = [" ".join(entry.split()) for entry in cell.split(_BETWEEN) if entry.strip()]
    found = [span for entry in entries for span in known.get(entry, [])]
    new = [
        (number, *_read_entry(entry, number))
        for number, entry in enumerate(entries, 1)
        if entry not in known
    ]
    # The longest first: of Jean and Jean-Paul, Jean is not the start of the other.
    for number, word, type_ in sorted(new, key=lambda entry: -len(entry[1])):
        found += _places_of(word, number, type_, text, found)
    return tuple(sorted(set(found)))


def _read_entry(entry: str, number: int) -> tuple[str, IdentifierType]:
    word, _, type_ = entry.rpartition(" ")
    # What stands for a type may be a name whose type was forgotten: it is not shown.
    if not word or type_.upper() not in _TYPES:
        raise TriageError(
            f"identifier {number} must be a word and its type, and {_BETWEEN} before the next; "
            f"types are: {', '.join(_TYPES)}"
        )
    return word, IdentifierType(type_.upper())


def _places_of(
    word: str, number: int, type_: IdentifierType, text: str, taken: list[Span]
) -> list[Span]:
    spans = [Span(start, end, type_) for start, end in _occurrences(word, text)]
    if not spans:
        raise TriageError(f"identifier {number} is not in the text: write it as it stands there")
    free = [s for s in spans if not any(s.start < t.end and t.start < s.end for t in taken)]
    if not free:
        raise TriageError(
            f"identifier {number} stands where another one does: take one of them out"
        )
    return free


def _occurrences(word: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a word stands, whole; if nowhere as it is written, then in capitals or not."""
    pattern = _pattern(word)
    found = [match.span() for match in re.finditer(pattern, text)]
    yield from found or (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))


def _pattern(word: str) -> str:
    inner = "".join(map(_part, word))
    start = f"(?<!{_OF_WORD})" if re.match(_OF_WORD, word[0]) else ""
    end = f"(?!{_OF_WORD})" if re.match(_OF_WORD, word[-1]) else ""
    return f"{start}{inner}{end}"


def _part(char: str) -> str:
    if char == " ":
        return r"\s+"
    if char in _APOSTROPHES:
        return f"[{_APOSTROPHES}]"
    # The sign between identifiers is written otherwise within one.
    return r"[|¦]" if char == _LIKE_BETWEEN else re.escape(char)
