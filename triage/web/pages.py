"""The pages: what those of the reader show of its queue, and how all are rendered as HTML.

Every text is escaped, wherever it comes from.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ..errors import UserError, reading
from ..queue import Item, ItemWord, Span, Spans
from ..queue.records import joined
from ..safe import write_file
from ..vocabulary import IdentifierType
from .forms import HTTPError, Translator, base_of, spans_field, translator

Shown = dict[str, object]
# Characters shown of a message in a list or of the same conversation.
EXCERPT = 600


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
    return plain(request, "error.html", error.status, line=line, session=error.status != 403)


def plain(request: Request, template: str, status: int = 200, **values: object) -> Response:
    """Return a page for a browser that may have no session."""
    values |= {"t": request.state.translator, "base": base_of(request)}
    return response(template, status, values, {})


def response(template: str, status: int, values: Shown, headers: dict[str, str]) -> Response:
    # UTF-8 cannot encode a lone surrogate.
    content = environment().get_template(template).render(values).encode("utf-8", "replace")
    return Response(content, status, headers, media_type="text/html; charset=utf-8")


def warm() -> None:
    """Compile all templates, so that no request waits for them."""
    for name in environment().list_templates(["html"]):
        environment().get_template(name)


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
    """Return a moment as the clock of this machine shows it."""
    return datetime.fromisoformat(at).astimezone().isoformat(" ", "minutes")[:16]


def hidden(**fields: object) -> Markup:
    """Return the fields that a form is sent with; one that is None is left out."""
    field = Markup('<input type="hidden" name="{}" value="{}">')
    return Markup("").join(field.format(*one) for one in fields.items() if one[1] is not None)


# The rest of a longer message is shown as plain text.
_MOST_WORDS = 3_000
_MOST_CHARACTERS = 40_000
# These are no words, and name nobody.
_PLAIN_KINDS = frozenset({"PUNCTUATION", "SMILEY", "EMOJI"})
_CLASSES = {"DICTIONARY": "known", "AMBIGUOUS": "ambiguous", "UNKNOWN": "unknown"}
# A pack has several lists of each of these.
_LISTS = ("first_names", "last_names", "names", "persons", "forms", "words")
# What is between words, cut where white space begins or ends.
_PART = re.compile(r"\s+|\S+")


class Cut(NamedTuple):
    """A part of a stretch of text that is marked in part."""

    text: str
    mark: str = ""
    joined: bool = False


def text_of(item: Item, marks: Spans, t: Translator | None) -> dict[str, object]:
    """Return an item's text as runs of pieces, and the rest of a long one, for a template.

    Without a translator, no word tells what the program knows or supposes of it.
    """
    words = [
        word
        for word in item.words
        if word.kind not in _PLAIN_KINDS
        or (word.suggested and t)
        or any(cut.mark for cut in _cuts(item.text, word.start, word.end, marks))
    ]
    cut = len(item.text)
    if len(words) > _MOST_WORDS or cut > _MOST_CHARACTERS:
        words = [word for word in words[:_MOST_WORDS] if word.end <= _MOST_CHARACTERS]
        cut = words[-1].end if words else min(cut, _MOST_CHARACTERS)
    pieces = _pieces(item.text[:cut], words, marks, t)
    # Pieces without a space between them stay on one line.
    runs = [[*run] for _, run in groupby(pieces, key=lambda piece: piece["text"].isspace())]
    spans, rest = spans_field(marks), item.text[cut:]
    return {"runs": runs, "rest": rest, "spans": spans, "marked": len(marks)}


def suggested_of(item: Item, *, is_blind: bool) -> Spans:
    """Return the marks that an item is shown with before anybody has made any.

    Who is blind sees what was handed over of it, which tells of no vote and no answer.
    """
    places = (span for task in item.tasks for span in task.place)
    return joined(places) if is_blind else item.suggested_spans


def highlighted(text: str, marks: Spans) -> tuple[Cut, ...]:
    """Return a text, or its beginning, with the marks in it."""
    return _cuts(text, 0, len(text), [one for one in marks if one.end <= len(text)])


def _pieces(
    text: str, words: Sequence[ItemWord], marks: Spans, t: Translator | None
) -> Iterator[dict[str, Any]]:
    """Yield words, without their labels where there is no translator, and what is between them."""
    beginning = {word.start: word for word in words}
    edges = chain.from_iterable((word.start, word.end) for word in words)
    for start, end in pairwise((0, *edges, len(text))):
        word = beginning.get(start) if start < end else None
        button = _button(word, t) if word else None
        places = (
            [(start, end)] if word else [one.span() for one in _PART.finditer(text, start, end)]
        )
        for first, last in places:
            cuts = _cuts(text, first, last, marks)
            piece = {"start": first, "end": last, "text": text[first:last], "cuts": cuts}
            yield piece | {"word": button}


def _button(word: ItemWord, t: Translator | None) -> dict[str, str]:
    """Return what a word tells: nothing of the program, of its form alone, without a translator."""
    # A form is no opinion: a number is no first name to who is blind, either.
    type_ = word.type if t or word.kind != "WORD" else IdentifierType.PRE
    look, told = (_CLASSES.get(word.label, ""), why(word, t)) if t else ("", "")
    return {"look": look, "why": told, "type": type_.value}


def _cuts(text: str, start: int, end: int, marks: Sequence[Span]) -> tuple[Cut, ...]:
    """Return a stretch of a text, divided where a mark begins or ends in it."""
    found, at = [], start
    for mark in marks[bisect_right(marks, start, key=lambda mark: mark.end) :]:
        if mark.start >= end:
            break
        if at < mark.start:
            found.append(Cut(text[at : mark.start]))
        at = min(mark.end, end)
        found.append(Cut(text[max(mark.start, start) : at], mark.type.value, mark.end > end))
    return (*found, Cut(text[at:end])) if at < end or not found else tuple(found)


def why(word: ItemWord, t: Translator) -> str:
    """Return how each vote saw a word: label, lists, rule, evidence."""
    parts = [t.known(f"label.{word.label}", word.label)]
    lists, _, rule = word.reason.partition("; ")
    if word.kind != "WORD":
        type_ = t.known(f"type.{lists}", "")
        parts.append(t("form", type=type_) if type_ else t.known(f"form.{lists}", ""))
    elif lists != "in no list":
        parts.append(", ".join(dict.fromkeys(list_name(name, t) for name in lists.split(", "))))
    if rule:
        read_as = rule.partition(": ")[2]
        parts.append(t("word.rule", read_as=read_as) if read_as else "")
    if word.evidence is not None:
        parts.append(t("word.evidence", n=t.decimal(word.evidence)))
    return " · ".join(filter(None, parts))


def list_name(name: str, t: Translator) -> str:
    """Return what a list holds, as it is called in the language of the page."""
    kind = next((kind for kind in _LISTS if kind in name), "")
    return t.known(f"list.{name}", "") or t.known(f"list.{kind}", "") or name.replace("_", " ")


# The guidelines of a queue: a text in a file beside it, in Markdown.
_GUIDELINES, LONGEST_GUIDELINES = "guidelines.md", 50_000
_MARKDOWN = MarkdownIt("zero").enable(["heading", "list", "emphasis"])


def guidelines(queue: Path, language: str) -> str:
    """Return the guidelines of a queue; without a file, those of the program in a language."""
    path = queue.with_name(_GUIDELINES)
    if not path.exists():
        return (files(__package__) / f"guidelines.{language}.md").read_text(encoding="utf-8")
    with reading(path.name):
        return path.read_text(encoding="utf-8-sig", errors="replace")


def shown_guidelines(queue: Path, language: str) -> dict[str, Any]:
    """Return the guidelines as a page shows them, or why they cannot be read."""
    try:
        text = guidelines(queue, language)
    except UserError as error:
        return {"problem": error, "html": ""}
    shown = {"text": text, "seen": fingerprint(text), "html": html(text), "problem": None}
    return shown | {"longest": LONGEST_GUIDELINES}


def write_guidelines(queue: Path, text: str) -> None:
    lines = (text.replace("\r\n", "\n").strip() + "\n").encode(errors="replace")
    write_file(queue.with_name(_GUIDELINES), lines, private=True, overwrite=True)


def fingerprint(text: str) -> str:
    """Return a fingerprint of a text, by which a form says which one it changes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def html(text: str) -> Markup:
    """Return a text as HTML; whatever else it holds, such as tags and links, is shown as it is."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type.startswith("heading"):
            token.tag = "h2"
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 (escaped)
