"""Read what a request brings, and turn errors of the queue into those of a page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from starlette.requests import Request

from ..errors import TriageError
from ..queue import NoSuchItemError, StaleAnswerError, WordRule
from ..vocabulary import IdentifierType
from .forms import Form, HTTPError, malformed
from .languages import Translator
from .sessions import Session

LONGEST_WORD = 200


def form_of(request: Request) -> Form:
    """Return the form that the guard has checked."""
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


def item_number(request: Request) -> int:
    """Return the number in the path of an item's page."""
    return whole_number(request.path_params["number"])


def whole_number(written: str) -> int:
    """Return a number of a path or a query; HTTPError where it is none."""
    # SQLite's whole numbers have 63 bits.
    if not re.fullmatch("[0-9]{1,15}", written):
        raise HTTPError(404, "error.gone")
    return int(written)


def one_of(value: str, choices: type[StrEnum]) -> str:
    """Return a value that is empty or one of a few; HTTPError where it is another."""
    if value and value not in list(choices):
        malformed()
    return value


def word_of(form: Form) -> tuple[str, WordRule, IdentifierType]:
    """Return the word of a form, the rule for it and its type."""
    word, rule = form.text("word").strip(), form.choice("rule", WordRule)
    if len(word) > LONGEST_WORD or len(word.split()) != 1:
        raise HTTPError(400, "error.word")
    return word, rule, form.choice("type", IdentifierType)


def own_path(path: str) -> str:
    """Return a path where it is a page of ours, else that of the queue page."""
    own = re.fullmatch(r"/(?:item/[0-9]+|table|status|adjudicate(?:/[0-9]+)?)?", path, re.ASCII)
    return path if own else "/"


@contextmanager
def refused() -> Iterator[None]:
    """Raise an HTTPError where the queue refuses what is asked of it."""
    try:
        yield
    except NoSuchItemError:
        raise HTTPError(404, "error.gone") from None
    except StaleAnswerError:
        raise HTTPError(409, "error.stale") from None
    except TriageError:
        raise HTTPError(400, "error.refused") from None
