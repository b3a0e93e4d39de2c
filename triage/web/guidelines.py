"""The guidelines of a queue: a text in a file beside it, in the Markdown that the page knows."""

import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import UserError, reading
from ..safe import write_file

LONGEST = 50_000
_NAME = "guidelines.md"
_HEADING = re.compile(r"#{1,6} +")
_ITEM = re.compile(r"[-*] +")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")

# Words and whether they are bold, in turn.
Line = tuple[tuple[str, bool], ...]


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
        return {"problem": error, "blocks": ()}
    of = {"text": text, "seen": fingerprint(text), "blocks": [*blocks(text)]}
    return of | {"longest": LONGEST, "problem": None}


def write(queue: Path, text: str) -> None:
    """Keep a text, which only its owner may read; TriageError if it cannot be written."""
    lines = (text.replace("\r\n", "\n").strip() + "\n").encode(errors="replace")
    write_file(queue.with_name(_NAME), lines, private=True, overwrite=True)


def fingerprint(text: str) -> str:
    """Return a fingerprint of a text, by which a form says which one it changes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def blocks(text: str) -> Iterator[tuple[str, tuple[Line, ...]]]:
    """Yield headings, paragraphs (of one line) and lists, each with its lines."""
    items: list[Line] = []
    paragraph: list[str] = []
    for line in (*map(str.strip, text.splitlines()), ""):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if paragraph and (heading or item or not line):
            yield "paragraph", (_line(" ".join(paragraph)),)
            paragraph = []
        if items and not item:
            yield "list", tuple(items)
            items = []
        if heading:
            yield "heading", (_line(line[heading.end() :]),)
        elif item:
            items.append(_line(line[item.end() :]))
        elif line:
            paragraph.append(line)


def _line(text: str) -> Line:
    # Bold words are every second part.
    parts = enumerate(_BOLD.split(text))
    return tuple((part, bool(at % 2)) for at, part in parts if part)
