"""Texts of the page, validated input from forms and addresses, and the errors that it shows."""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NoReturn, TypeVar
from urllib.parse import parse_qsl

from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from ..errors import UserError
from ..queue import Span, Spans
from ..vocabulary import IdentifierType

CODES = ("fr", "en")
_NO_BREAK = "\u00a0"
# A language of a browser, and how much it is preferred.
_PREFERRED = re.compile(r"([a-z]+)[^,;]*(?:;q=(\d(?:\.\d+)?))?", re.ASCII)
_SET_OFF = re.compile("(?<=«) | (?=[:;?!»])")


@dataclass(frozen=True)
class Translator:
    r"""Translates keys into the texts of a language; templates call it ``t``."""

    code: str
    strings: Mapping[str, str]
    thousands: str
    point: str
    percent: str
    singular: Sequence[int]

    def __call__(self, key: str, **values: object) -> str:
        """Return the text of a key; KeyError if there is none."""
        return self.strings[key].format(**values)

    def known(self, key: str, otherwise: str) -> str:
        """Return the text of a key, or another text if there is none."""
        return self.strings.get(key, otherwise)

    def problem(self, error: UserError | None) -> str:
        """Return the line of an error: that of the page, or else its own; empty without one."""
        if error is None:
            return ""
        line, values = self.strings.get(f"problem.{error.key}"), dict(error.values)
        if "cause" in values:
            cause = UserError(values.pop("cause"), values.pop("cause_key"), **values)
            values["cause"] = self.problem(cause)
        return line.format(**values) if line else str(error)

    def count(self, key: str, n: int, **values: object) -> str:
        """Return the text of a count; of two texts beside each other, the first is for one."""
        one, _, many = self.strings[key].partition(" | ")
        text = one if n in self.singular else many or one
        return text.format(n=self.number(n), **values)

    def texts(self, n: int, n_messages: int) -> str:
        """Return how many texts there are, with their messages where these are more."""
        texts = self.count("items", n)
        return texts if n == n_messages else f"{texts} ({self.count('messages', n_messages)})"

    def number(self, n: int) -> str:
        return f"{n:,}".replace(",", self.thousands)

    def decimal(self, value: float) -> str:
        return f"{value:.2f}".replace(".", self.point).replace("-", "\u2212")

    def written(self, value: float) -> str:
        """Return a number as a person writes it into a field."""
        return f"{value:g}".replace(".", self.point)

    def share(self, part: int, whole: int) -> str:
        """Return a share in percent as text, of which 100 % is all and no less."""
        tenths = min(round(part * 1000 / whole), 999) if part < whole else 1000
        return f"{tenths / 10:.1f}".replace(".", self.point) + self.percent

    def duration(self, seconds: float) -> str:
        minutes = max(1, round(seconds / 60))
        shown = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
        return shown.replace(" ", _NO_BREAK)


@cache
def translator(code: str) -> Translator:
    """Return the translator into a language, ``fr`` or ``en``; its file is read once."""
    loaded = tomllib.loads((files(__package__) / f"{code}.toml").read_text(encoding="utf-8"))
    # No line begins with a sign that French sets off by a space.
    strings = {key: _SET_OFF.sub(_NO_BREAK, text) for key, text in loaded["strings"].items()}
    return Translator(code, strings, **loaded["numbers"])


def chosen(cookie: str, default: str | None, accepted: str) -> Translator:
    """Return the translator of a choice, of a default, or of what a browser prefers."""
    ranked = sorted(_PREFERRED.findall(accepted.lower()), key=lambda one: -float(one[1] or 1))
    known = (code for code in (cookie, default, *(code for code, _ in ranked)) if code in CODES)
    return translator(next(known, "en"))


_Choice = TypeVar("_Choice", bound=StrEnum)
LONGEST_WORD = 200
_MOST_FIELDS = 5_000
# SQLite's integers have 63 bits.
_INTEGER = re.compile("[0-9]{1,15}")
_SPANS = re.compile(r"(?:\d{1,9}:\d{1,9}:[A-Z]{3}(?: |$))*", re.ASCII)


class HTTPError(Exception):
    """An HTTP error that the page shows as one line, of its own or of a problem."""

    def __init__(self, status: int, key: str = "", problem: UserError | None = None) -> None:
        super().__init__(key)
        self.status, self.key, self.problem = status, key, problem


def malformed() -> NoReturn:
    """Reject a form that none of our pages sends."""
    raise HTTPError(400, "error.form")


class Form(ImmutableMultiDict[str, str]):
    """The fields of a form; a missing or malformed field is an HTTPError."""

    def __init__(self, body: bytes) -> None:
        try:
            super().__init__(
                parse_qsl(body.decode(), True, errors="strict", max_num_fields=_MOST_FIELDS)
            )
        except ValueError:
            malformed()

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field; if it is missing, the default."""
        values = self.getlist(name)
        if len(values) == 1:
            return values[0]
        if values or default is None:
            malformed()
        return default

    def integer(self, name: str) -> int:
        self.text(name)
        return self.integers(name)[0]

    def integers(self, name: str) -> list[int]:
        values = self.getlist(name)
        if not all(map(_INTEGER.fullmatch, values)):
            malformed()
        return [*map(int, values)]

    def choice(self, name: str, choices: type[_Choice]) -> _Choice:
        return one_of(self.text(name), choices)

    def share(self, name: str, *, or_none: bool = False) -> float:
        """Return a share that a person gave in percent; an empty field is none, where it may be."""
        try:
            share = float(self.text(name, "").strip().replace(",", ".") or 0) / 100
        except ValueError:
            share = math.nan
        if not 0 <= share <= 1 or not (share or or_none):
            raise HTTPError(400, "error.share")
        return share

    def word(self) -> tuple[str, IdentifierType]:
        """Return the single word of a form, with its type."""
        word = self.text("word").strip()
        if len(word) > LONGEST_WORD or len(word.split()) != 1:
            raise HTTPError(400, "error.word")
        return word, self.choice("type", IdentifierType)

    def spans(self) -> Spans:
        """Return the marks of a message, as `spans_field` writes them, in order."""
        written = self.text("spans", "")
        if not _SPANS.fullmatch(written):
            malformed()
        parts = (span.split(":") for span in written.split())
        try:
            spans = [Span(int(a), int(b), IdentifierType(kind)) for a, b, kind in parts]
        except ValueError:
            malformed()
        return tuple(sorted(spans))


def spans_field(spans: Sequence[Span]) -> str:
    return " ".join(f"{span.start}:{span.end}:{span.type.value}" for span in spans)


def whole_number(written: str) -> int:
    """Return an integer of a path or a query; HTTPError if it is none."""
    if not _INTEGER.fullmatch(written):
        raise HTTPError(404, "error.gone")
    return int(written)


def one_of(value: str, choices: type[_Choice]) -> _Choice:
    """Return a member of an enumeration; HTTPError if the value is none."""
    try:
        return choices(value)
    except ValueError:
        malformed()


def base_of(request: Request) -> str:
    """Return the path under which the pages lie; empty at the root of the server."""
    return str(request.scope.get("root_path", ""))
