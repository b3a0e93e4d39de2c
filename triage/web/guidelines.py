"""The guidelines of a queue: a text in a file beside it, in Markdown: headings, lists, emphasis."""

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from ..errors import UserError, reading
from ..safe import write_file

LONGEST = 50_000
_NAME = "guidelines.md"
_MARKDOWN = MarkdownIt("zero").enable(["heading", "list", "emphasis"])


def read(queue: Path, language: str) -> str:
    """Return the guidelines of a queue; without a file, those of the program in a language."""
    path = queue.with_name(_NAME)
    if not path.exists():
        return (files(__package__) / f"guidelines.{language}.md").read_text(encoding="utf-8")
    with reading(path.name):
        return path.read_text(encoding="utf-8-sig", errors="replace")


def shown(queue: Path, language: str) -> dict[str, Any]:
    """Return the guidelines as a page shows them, or why they cannot be read."""
    try:
        text = read(queue, language)
    except UserError as error:
        return {"problem": error, "html": ""}
    of = {"text": text, "seen": fingerprint(text), "html": html(text)}
    return of | {"longest": LONGEST, "problem": None}


def write(queue: Path, text: str) -> None:
    """Keep a text, which only its owner may read; TriageError if it cannot be written."""
    lines = (text.replace("\r\n", "\n").strip() + "\n").encode(errors="replace")
    write_file(queue.with_name(_NAME), lines, private=True, overwrite=True)


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
