"""Validated input of requests: form fields, path, session; and the errors that a page shows."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import NoReturn, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import Request

from ..errors import TriageError
from ..queue import NoSuchItemError, Span, Spans, StaleAnswerError, WordRule
from ..vocabulary import IdentifierType
from .languages import Translator
from .sessions import Session

_Choice = TypeVar("_Choice", bound=StrEnum)
LONGEST_WORD = 200
_MOST_FIELDS = 5_000
# SQLite's integers have 63 bits.
_INTEGER = re.compile("[0-9]{1,15}")
_SPANS = re.compile(r"(?:\d{1,9}:\d{1,9}:[A-Z]{3}(?: |$))*", re.ASCII)


class HTTPError(Exception):
    """An HTTP error that the page shows as one line."""

    def __init__(self, status: int, key: str) -> None:
        super().__init__(key)
        self.status = status
        self.key = key


def malformed() -> NoReturn:
    """Reject a form that none of our pages sends."""
    raise HTTPError(400, "error.form")


class Form:
    """The fields of a form; a missing or malformed field is an HTTPError."""

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

    def has(self, name: str) -> bool:
        """Return whether there is a field."""
        return bool(self.all(name))

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field; if it is missing, the default."""
        values = self.all(name)
        if len(values) == 1:
            return values[0]
        if values or default is None:
            malformed()
        return default

    def integer(self, name: str) -> int:
        """Return a field as an integer."""
        return _integer(self.text(name))

    def integers(self, name: str) -> list[int]:
        """Return all values of a field as integers."""
        return [_integer(value) for value in self.all(name)]

    def choice(self, name: str, choices: type[_Choice]) -> _Choice:
        """Return a field as a member of an enumeration."""
        try:
            return choices(self.text(name))
        except ValueError:
            malformed()

    def spans(self, name: str) -> Spans:
        """Return the spans of a field, as `spans_field` writes them, in order."""
        written = self.text(name, "")
        if not _SPANS.fullmatch(written):
            malformed()
        parts = (span.split(":") for span in written.split())
        try:
            spans = [Span(int(a), int(b), IdentifierType(kind)) for a, b, kind in parts]
        except ValueError:
            malformed()
        return tuple(sorted(spans))


def _integer(value: str) -> int:
    if not _INTEGER.fullmatch(value):
        malformed()
    return int(value)


def spans_field(spans: Sequence[Span]) -> str:
    """Return spans as the value of a form field."""
    return " ".join(f"{span.start}:{span.end}:{span.type.value}" for span in spans)


def form_of(request: Request) -> Form:
    """Return the form that the guard has validated."""
    form = request.state.form
    assert isinstance(form, Form)  # noqa: S101
    return form


def session_of(request: Request) -> Session:
    """Return the session that the guard has found."""
    session = request.state.session
    assert isinstance(session, Session)  # noqa: S101
    return session


def translator_of(request: Request) -> Translator:
    """Return the translator into the language of the page."""
    translator = request.state.translator
    assert isinstance(translator, Translator)  # noqa: S101
    return translator


def said_line(request: Request) -> str | None:
    """Return the line that confirms the last action, once."""
    said = session_of(request).said()
    return translator_of(request)(said[0], **said[1]) if said else None


def item_number(request: Request) -> int:
    """Return the number in the path of an item's page."""
    return whole_number(request.path_params["number"])


def whole_number(written: str) -> int:
    """Return an integer of a path or a query; HTTPError if it is none."""
    if not _INTEGER.fullmatch(written):
        raise HTTPError(404, "error.gone")
    return int(written)


def one_of(value: str, choices: type[StrEnum]) -> str:
    """Return a value that is empty or a member of an enumeration; HTTPError if it is another."""
    if value and value not in list(choices):
        malformed()
    return value


def word_of(form: Form) -> tuple[str, WordRule, IdentifierType]:
    """Return the word of a form, its rule and its type."""
    return checked_word(form), form.choice("rule", WordRule), form.choice("type", IdentifierType)


def checked_word(form: Form) -> str:
    """Return the word of a form; HTTPError if it is not a single one."""
    word = form.text("word").strip()
    if len(word) > LONGEST_WORD or len(word.split()) != 1:
        raise HTTPError(400, "error.word")
    return word


def base_of(request: Request) -> str:
    """Return the path under which the pages lie; empty at the root of the server."""
    return str(request.scope.get("root_path", ""))


def own_path(path: str) -> str:
    """Return a path of this server; that of its first page if another site is named."""
    return path if re.fullmatch(r"/|(?:/[\w.-]+)+/?", path, re.ASCII) else "/"


@contextmanager
def queue_errors() -> Iterator[None]:
    """Turn errors of the queue into those of a page."""
    try:
        yield
    except NoSuchItemError:
        raise HTTPError(404, "error.gone") from None
    except StaleAnswerError:
        raise HTTPError(409, "error.stale") from None
    except TriageError:
        raise HTTPError(400, "error.refused") from None
