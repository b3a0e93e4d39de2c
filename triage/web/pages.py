"""Texts, forms and templates: what every page is made of, and what those of the reader show.

Every text is escaped, wherever it comes from.
"""

import hashlib
import math
import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar
from urllib.parse import parse_qsl

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ..errors import UserError, as_typed, reading
from ..queue import Item, ItemWord, Span, Spans
from ..queue.records import joined
from ..vocabulary import IdentifierType

CODES = ("fr", "en")
_NO_BREAK = "\u00a0"
# A language of a browser, and how much it is preferred.
_PREFERRED = re.compile(r"([a-z]+)[^,;]*(?:;q=(\d(?:\.\d+)?))?", re.ASCII)
_SET_OFF = re.compile("(?<=«) | (?=[:;?!»])")
# What differs between two rows that are rejected for the same reason.
_OF_A_ROW = re.compile(r"\d[\d,]*|'.*'|#\w.*")


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
        return self.strings[key].format(**values)

    def known(self, key: str, otherwise: str) -> str:
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

    def rejected(self, reason: str) -> str:
        """Return why a row was rejected, which the reader of its file says in English."""
        text = self.strings.get(f"rejected.{_OF_A_ROW.sub('{}', reason)}")
        return text.format(*_OF_A_ROW.findall(reason)) if text else reason

    def count(self, key: str, n: int, **values: object) -> str:
        """Return the text of a count; of two texts beside each other, the first is for one."""
        one, _, many = self.strings[key].partition(" | ")
        text = one if n in self.singular else many or one
        return text.format(n=self.number(n), **values)

    def counts(self, counts: Mapping[str, int]) -> str:
        return ", ".join(self.count(of, n) for of, n in counts.items() if n)

    def texts(self, n: int, n_messages: int) -> str:
        """Return how many texts there are, with their messages where these are more."""
        texts = self.count("items", n)
        return texts if n == n_messages else f"{texts} ({self.count('messages', n_messages)})"

    def number(self, n: int) -> str:
        return f"{n:,}".replace(",", self.thousands)

    def decimal(self, value: float) -> str:
        return f"{value:.2f}".replace(".", self.point).replace("-", "\u2212")

    def written(self, value: float) -> str:
        return f"{value:g}".replace(".", self.point)

    def share(self, part: int, whole: int) -> str:
        """Return a share in percent as text, of which 100 % is all and no less."""
        tenths = min(round(part * 1000 / whole), 999) if part < whole else 1000
        return f"{tenths / 10:.1f}".replace(".", self.point) + self.percent

    def duration(self, seconds: float) -> str:
        """Return a time as text: below a minute in steps of five seconds."""
        minutes, fives = round(seconds / 60), max(1, round(seconds / 5))
        shown = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
        shown = f"{fives * 5} s" if fives < 12 else shown
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
            super().__init__(parse_qsl(body.decode(), True, errors="strict", max_num_fields=5_000))
        except ValueError:
            malformed()

    def text(self, name: str, default: str | None = None) -> str:
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
        word = self.text("word").strip()
        if len(word) > LONGEST_WORD or len(word.split()) != 1:
            raise HTTPError(400, "error.word")
        return word, self.choice("type", IdentifierType)

    def spans(self) -> Spans:
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


Shown = dict[str, object]
# Rows of a list on a page, and characters shown of a message there or of the same conversation.
ROWS, EXCERPT = 50, 600

# Set by the page's own script, which asks for a part of a page, or for one line of an error.
FRAGMENT = "x-fragment"
# Tells the script where to show a fragment.
PLACE = "x-place"

# The first ten types are marked by digits, the others by a letter that no other key of the page
# has: one of their own where it is free.
TYPE_KEYS = dict(zip(IdentifierType, "1234567890" + "bcriymdeopghlfw", strict=True))


def error_page(request: Request, error: HTTPError) -> Response:
    t = request.state.translator
    line = t(error.key) if error.key else t.problem(error.problem)
    if FRAGMENT in request.headers:
        return PlainTextResponse(line, error.status)
    return plain(request, error.status, line=line, session=error.key != "error.token")


def plain(request: Request, status: int = 200, **shown: object) -> Response:
    """Return a page of one line; without any, the way on for a browser that has no session yet."""
    values = {"t": request.state.translator, "base": base_of(request), "line": "", "session": False}
    return response("error.html", status, values | shown, {})


def response(template: str, status: int, values: Shown, headers: dict[str, str]) -> Response:
    # UTF-8 cannot encode a lone surrogate.
    content = environment().get_template(template).render(values).encode("utf-8", "replace")
    return Response(content, status, headers, media_type="text/html; charset=utf-8")


@cache
def environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {
        "EXCERPT": EXCERPT,
        "ROWS": ROWS,
        "as_typed": as_typed,
        "hidden": hidden,
        "local_time": local_time,
        "highlighted": highlighted,
        "spans_field": spans_field,
        "suggested_of": suggested_of,
        "translator": translator,
        "type_keys": TYPE_KEYS,
        "types": [*IdentifierType],
    }
    return environment


def local_time(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().isoformat(" ", "minutes")[:16]


def hidden(**fields: object) -> Markup:
    """Return the fields that a form is sent with; one that is None is left out."""
    field = Markup('<input type="hidden" name="{}" value="{}">')
    return Markup("").join(field.format(*one) for one in fields.items() if one[1] is not None)


# The rest of a longer message is shown as plain text.
_MAX_WORDS = 3_000
_MAX_CHARACTERS = 40_000
# These are no words, and name nobody.
_PLAIN_KINDS = frozenset({"PUNCTUATION", "SMILEY", "EMOJI"})
_CLASSES = {"DICTIONARY": "known", "AMBIGUOUS": "ambiguous", "UNKNOWN": "unknown"}
# A pack has several lists of each of these.
_LISTS = ("first_names", "last_names", "names", "persons", "forms", "words")
# What is between words, cut where white space begins or ends.
_PART = re.compile(r"\s+|\S+")


class Cut(NamedTuple):
    text: str
    mark: str = ""
    joined: bool = False


def text_of(item: Item, marks: Spans, t: Translator | None) -> dict[str, object]:
    """Return an item's text as runs of pieces and a rest; no translator, no opinion of words."""
    words = [
        word
        for word in item.words
        if word.kind not in _PLAIN_KINDS
        or (word.suggested and t)
        or any(shown_to.mark for shown_to in _cuts(item.text, word.start, word.end, marks))
    ]
    shown_to = len(item.text)
    if len(words) > _MAX_WORDS or shown_to > _MAX_CHARACTERS:
        words = [word for word in words[:_MAX_WORDS] if word.end <= _MAX_CHARACTERS]
        shown_to = words[-1].end if words else min(shown_to, _MAX_CHARACTERS)
    text, rest, pieces = item.text[:shown_to], item.text[shown_to:], list[dict[str, Any]]()
    word_at = {word.start: word for word in words}
    edges = chain.from_iterable((word.start, word.end) for word in words)
    for start, end in pairwise((0, *edges, shown_to)):
        button, places = None, [one.span() for one in _PART.finditer(text, start, end)]
        if start < end and (word := word_at.get(start)):
            places = [(start, end)]
            # A form is no opinion: a number is no first name to who is blind, either.
            type_ = word.type if t or word.kind != "WORD" else IdentifierType.PRE
            look, reasons = (_CLASSES.get(word.label, ""), why(word, t)) if t else ("", "")
            button = {"look": look, "why": reasons, "type": type_.value}
        for first, last in places:
            piece = {"start": first, "end": last, "text": text[first:last], "word": button}
            pieces.append(piece | {"cuts": _cuts(text, first, last, marks)})
    # Pieces without a space between them stay on one line.
    runs = [[*run] for _, run in groupby(pieces, key=lambda piece: piece["text"].isspace())]
    return {"runs": runs, "rest": rest, "spans": spans_field(marks), "marked": len(marks)}


def suggested_of(item: Item, *, is_blind: bool) -> Spans:
    """Return the marks that an item is first shown with; the blind see no vote and no answer."""
    return joined(item.places) if is_blind else item.suggested_spans


def highlighted(text: str, marks: Spans) -> tuple[Cut, ...]:
    """Return a text, or its beginning, with the marks in it."""
    return _cuts(text, 0, len(text), [one for one in marks if one.end <= len(text)])


def _cuts(text: str, start: int, end: int, marks: Sequence[Span]) -> tuple[Cut, ...]:
    """Return a stretch of a text, divided where a mark begins or ends in it."""
    cuts, at = [], start
    for mark in marks[bisect_right(marks, start, key=lambda mark: mark.end) :]:
        if mark.start >= end:
            break
        if at < mark.start:
            cuts.append(Cut(text[at : mark.start]))
        at = min(mark.end, end)
        cuts.append(Cut(text[max(mark.start, start) : at], mark.type.value, mark.end > end))
    return (*cuts, Cut(text[at:end])) if at < end or not cuts else tuple(cuts)


def why(word: ItemWord, t: Translator) -> str:
    """Return how each vote saw a word: label, lists, rule, evidence."""
    parts = [t.known(f"label.{word.label}", word.label)]
    lists, _, rule = word.reason.partition("; ")
    if word.kind != "WORD":
        type_ = t.known(f"type.{lists}", "")
        parts.append(f"{t('reason.FORM')} ({type_})" if type_ else t.known(f"form.{lists}", ""))
    elif lists != "in no list":
        parts.append(", ".join(dict.fromkeys(list_name(name, t) for name in lists.split(", "))))
    if rule:
        read_as = rule.partition(": ")[2]
        parts.append(t("word.rule", read_as=read_as) if read_as else "")
    if word.evidence is not None:
        parts.append(t("word.evidence", n=t.decimal(word.evidence)))
    return " · ".join(filter(None, parts))


def list_name(name: str, t: Translator) -> str:
    kind = next((kind for kind in _LISTS if kind in name), "")
    return t.known(f"list.{name}", "") or t.known(f"list.{kind}", "") or name.replace("_", " ")


# The guidelines of a queue: a text in a file beside it, in Markdown.
GUIDELINES, LONGEST_GUIDELINES = "guidelines.md", 50_000
_MARKDOWN = MarkdownIt("zero").enable(["heading", "list", "emphasis"])


def guidelines(queue: Path, language: str) -> dict[str, Any]:
    """Return the guidelines of a queue as a page shows them, or why they cannot be read.

    Without a file, they are those of the program in a language.
    """
    path = queue.with_name(GUIDELINES)
    if not path.exists():
        path = Path(__file__).with_name(f"guidelines.{language}.md")
    try:
        with reading(path.name):
            text = path.read_text(encoding="utf-8-sig", errors="replace")
    except UserError as error:
        return {"problem": error, "html": ""}
    # By it, a form says which text it changes.
    seen = hashlib.sha256(text.encode()).hexdigest()[:16]
    shown = {"text": text, "seen": seen, "html": html(text), "problem": None}
    return shown | {"longest": LONGEST_GUIDELINES}


def html(text: str) -> Markup:
    """Return a text as HTML; whatever else it holds, such as tags and links, is shown as it is."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = "h2"
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 (escaped)
