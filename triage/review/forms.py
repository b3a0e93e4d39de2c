"""The fields of a form, checked one by one, and the errors that a page shows."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NoReturn, TypeVar
from urllib.parse import parse_qsl

from ..errors import TriageError
from ..vocabulary import Span, Spans, parse_spans

_Choice = TypeVar("_Choice", bound=StrEnum)
_MOST_FIELDS = 5_000
# SQLite's whole numbers have 63 bits.
_MOST_DIGITS = 15
_SPANS = re.compile(r"(?:\d{1,9}:\d{1,9}:[A-Z]{3}(?: |$))*", re.ASCII)


class HTTPError(Exception):
    """An HTTP error that the page shows as one line.

    Parameters
    ----------
    status : int
        Of the response.
    key : str
        Of a text of the page, which says what is wrong. It never holds text of a message.
    """

    def __init__(self, status: int, key: str) -> None:
        super().__init__(key)
        self.status = status
        self.key = key


def malformed() -> NoReturn:
    """Refuse a form that no page of ours sends."""
    raise HTTPError(400, "error.form")


class Form:
    """The fields of a form; a field that is missing or malformed is refused.

    Parameters
    ----------
    body : bytes
        As a browser sends it, ``application/x-www-form-urlencoded``.

    Examples
    --------
    >>> form = Form(b"item=12&spans=0:4:PRE")
    >>> form.integer("item"), form.spans("spans")[0].end
    (12, 4)
    """

    def __init__(self, body: bytes) -> None:
        try:
            self._fields = parse_qsl(
                body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
            )
        except ValueError:
            malformed()

    def all(self, name: str) -> list[str]:
        """Return all values of a field."""
        return [value for field, value in self._fields if field == name]

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field."""
        values = self.all(name)
        if len(values) == 1:
            return values[0]
        if values or default is None:
            malformed()
        return default

    def integer(self, name: str) -> int:
        """Return a field as a whole number."""
        return _integer(self.text(name))

    def integers(self, name: str) -> list[int]:
        """Return all values of a field as whole numbers."""
        return [_integer(value) for value in self.all(name)]

    def choice(self, name: str, choices: type[_Choice]) -> _Choice:
        """Return a field that is one of a few."""
        try:
            return choices(self.text(name))
        except ValueError:
            malformed()

    def spans(self, name: str) -> Spans:
        """Return a field that holds spans, in order, as `spans_field` writes them."""
        written = self.text(name, "")
        if not _SPANS.fullmatch(written):
            malformed()
        parts = (span.split(":") for span in written.split())
        try:
            return tuple(sorted(parse_spans([(int(a), int(b), kind) for a, b, kind in parts])))
        except TriageError:
            malformed()


def _integer(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
        malformed()
    return int(value)


def spans_field(spans: Sequence[Span]) -> str:
    """Return spans as a form holds them.

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> spans_field([Span(0, 4, IdentifierType.PRE), Span(9, 12, IdentifierType.LIE)])
    '0:4:PRE 9:12:LIE'
    """
    return " ".join(f"{span.start}:{span.end}:{span.type.value}" for span in spans)
