"""Identifiers as other tools write them: offsets and types that may be anything."""

from collections.abc import Iterable
from dataclasses import dataclass

from triage.data.shown import shown_cell
from triage.data.values import whole_characters

from ...errors import TriageError
from ...vocabulary import IdentifierType, Span, Spans, check_spans
from ..records import Answer
from .offsets import Counting, places

_TYPES = ", ".join(IdentifierType)


@dataclass(frozen=True)
class Mark:
    """A marked stretch of a text.

    Parameters
    ----------
    start, end : int
        As the tool counts.
    type : IdentifierType
    text : str, optional
        What the tool says it covers.
    """

    start: int
    end: int
    type: IdentifierType
    text: str | None = None


def read_mark(start: object, end: object, type_: object, text: object = None) -> Mark:
    """Return a mark.

    Raises
    ------
    TriageError
        If an offset is no whole number, or the type is none of ours.
    """
    told = text if isinstance(text, str) else None
    return Mark(_offset(start), _offset(end), read_type(type_), told)


def _offset(value: object) -> int:
    # Programs that files go through on their way may make 3 a 3.0.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TriageError("an identifier starts or ends at what is no whole number")
    return value


def read_type(value: object) -> IdentifierType:
    """Return a type of identifiers, however it is written.

    Raises
    ------
    TriageError
        If it is none of ours.

    Examples
    --------
    >>> read_type(" pre ")
    <IdentifierType.PRE: 'PRE'>
    """
    try:
        return IdentifierType(value.strip().upper() if isinstance(value, str) else "")
    except ValueError as error:
        raise TriageError(
            f"{shown_cell(value)} is no type of identifiers; they are: {_TYPES}"
        ) from error


def read_triples(value: object) -> list[Mark]:
    """Return the marks of a list of ``[start, end, type]``.

    Raises
    ------
    TriageError
        If it is anything else.

    Examples
    --------
    >>> read_triples([[0, 7, "PRE"]])
    [Mark(start=0, end=7, type=<IdentifierType.PRE: 'PRE'>, text=None)]
    """
    return [_read_triple(row) for row in (value if isinstance(value, list) else [None])]


def _read_triple(row: object) -> Mark:
    if not isinstance(row, list) or len(row) != 3:
        raise TriageError("identifiers must be lists of a start, an end and a type")
    return read_mark(*row)


def spans_of(marks: Iterable[Mark], text: str, counting: Counting) -> Spans:
    """Return the spans of a text that are marked.

    Raises
    ------
    TriageError
        If one is empty, stands beyond the text or within a character, or two overlap.
    """
    positions = places(text, counting)
    distinct = {(mark.start, mark.end, mark.type) for mark in marks}
    for start, end, _ in distinct:
        if start not in positions or end not in positions:
            raise TriageError(
                f"the identifier from {start} to {end} does not fit the text, which has "
                f"{max(positions)} characters as this tool counts"
            )
    spans = [Span(positions[start], positions[end], type_) for start, end, type_ in distinct]
    return check_spans(spans, len(text))


def read_text(value: object) -> str:
    """Return the text of a row.

    Raises
    ------
    TriageError
        If there is none.
    """
    if not isinstance(value, str) or not value:
        raise TriageError("the text is missing")
    return whole_characters(value)


def read_answer(value: object) -> Answer:
    """Return an answer, however it is written.

    Raises
    ------
    TriageError
        If it is none.

    Examples
    --------
    >>> read_answer(" nta ")
    <Answer.NTA: 'NTA'>
    """
    try:
        return Answer(value.strip().upper() if isinstance(value, str) else "")
    except ValueError as error:
        raise TriageError(f"{shown_cell(value)} is no answer: say TA, NTA or SKIP") from error


def only_answer(values: list[object]) -> Answer | None:
    """Return the answer that a list holds; None where it is empty.

    Raises
    ------
    TriageError
        If it holds two different ones.
    """
    answers = {read_answer(value) for value in values}
    if len(answers) > 1:
        raise TriageError("it has several answers: leave one")
    return next(iter(answers), None)


def settled(answer: Answer | None, spans: Spans, marked: Spans) -> Spans:
    """Return the identifiers that go with an answer: only a TA has any.

    Parameters
    ----------
    answer : Answer or None
    spans : tuple of Span
        As they came back.
    marked : tuple of Span
        As they were marked in the file that went out. A NTA may leave these where they are.

    Raises
    ------
    TriageError
        If identifiers were added to a NTA.
    """
    if answer is Answer.NTA and not set(spans) <= set(marked):
        raise TriageError(
            "the answer is NTA, and yet identifiers were marked: make it TA, or take the marks away"
        )
    return spans if answer is Answer.TA else ()
