"""A report as text for the terminal, as GitHub's Markdown, as JSON and as a page of HTML."""

import json
import math
import re
import textwrap
from collections.abc import Iterable
from functools import cache
from html import escape
from itertools import compress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from triage.reports.charts import figure_svg
from triage.reports.document import Block, Cell, Figure, Listing, Part, Report, Table, printable

_WIDTH = 88
_GAP = "  "
# Also `$`, which starts a formula at GitHub. An underscore within a word emphasises nothing, and an
# ampersand that starts no entity is one.
_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
# What starts a heading, a list, a rule or a quotation.
_START = re.compile(r"^(\d*)([#+\-.)](?=[\s#-]|$)|>)")


def part_text(part: Part) -> str:
    """Return a part as lines of text, with aligned tables and without its figures."""
    title = f"{part.title}\n{'=' * len(part.title)}"
    return printable(_stacked(title, *map(_text_block, part.blocks)))


def _text_block(block: Block) -> str:
    match block:
        case str():
            return _wrapped(block)
        case Table():
            return _stacked(block.title, _text_table(block), _wrapped(block.note))
        case Listing():
            return _stacked(block.title, block.text.rstrip("\n"))
        case Figure():
            return ""


def _stacked(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _text_table(table: Table) -> str:
    headings, rows = table.headings, table.shown_rows()
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    to_the_right = table.to_the_right
    return "\n".join(_text_row(cells, widths, to_the_right) for cells in [headings, rule, *rows])


def _text_row(cells: list[str], widths: list[int], to_the_right: list[bool]) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, to_the_right, strict=True)
    )
    return _GAP.join(padded).rstrip()


def report_markdown(report: Report, figures: str = "figures") -> str:
    r"""Return a report as GitHub's Markdown."""
    about = "\n".join(f"- **{_inline(term)}**: {_inline(value)}" for term, value in report.about)
    parts = (
        _stacked(f"## {_inline(part.title)}", *(_markdown_block(b, figures) for b in part.blocks))
        for part in report.parts
    )
    return printable(_stacked(f"# {_inline(report.title)}", about, *parts) + "\n")


def _markdown_block(block: Block, figures: str) -> str:
    if isinstance(block, str):
        return _paragraph(block)
    title = f"**{_inline(block.title)}**" if block.title else ""
    match block:
        case Table():
            return _stacked(title, _markdown_table(block), _paragraph(block.note))
        case Figure():
            image = f"![{_inline(block.alt)}]({quote(f'{figures}/{block.name}.png')})"
            return _stacked(title, image)
        case Listing():
            return _stacked(title, _fenced(block.text))


def _paragraph(text: str) -> str:
    return _START.sub(r"\1\\\2", _inline(text))


def _markdown_table(table: Table) -> str:
    rule = ("---:" if right else ":---" for right in table.to_the_right)
    rows = (map(_inline, row) for row in [table.headings, *table.shown_rows()])
    heading, *body = map(_markdown_row, rows)
    return "\n".join([heading, _markdown_row(rule), *body])


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fenced(text: str) -> str:
    """Put text between fences longer than any within it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _inline(text: str) -> str:
    """Return plain text on one line, such that Markdown shows it as it is."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split())).replace("<", "&lt;")


def report_json(report: Report) -> str:
    """Return a report as JSON: an object with `title`, `about` and `parts`."""
    content = {
        "title": report.title,
        "about": dict(report.about),
        "parts": [_json_part(part) for part in report.parts],
    }
    return printable(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def _json_part(part: Part) -> dict[str, Any]:
    blocks = [{"kind": _kind(block)} | _json_block(block) for block in part.blocks]
    return {"name": part.name, "title": part.title, "blocks": blocks}


def _json_block(block: Block) -> dict[str, Any]:
    match block:
        case str():
            return {"text": block}
        case Table(title=title, headings=headings, note=note):
            paper = list(compress(headings, block.of_paper))
            rows = [dict(zip(headings, map(_json_cell, row), strict=True)) for row in block.rows]
            return {"title": title, "paper": paper, "rows": rows, "note": note}
        case Figure(name=name, title=title, alt=alt):
            return {"name": name, "title": title, "alt": alt}
        case Listing(title=title, text=text):
            return {"title": title, "text": text}


def _json_cell(cell: Cell) -> Cell:
    """Return the cell, or None for a number that JSON does not have."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def report_html(report: Report) -> str:
    """Return a report as one page of HTML, without scripts and with nothing from elsewhere."""
    return printable(_environment().get_template("report.html").render(report=report))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(kind=_kind, looks=_looks, drawing=_drawing)
    return environment


def _escaped(value: object) -> Markup:
    """Escape as the standard library does, which writes the figures' texts, too."""
    return value if isinstance(value, Markup) else Markup(escape(str(value)))  # noqa: S704


def _kind(block: Block) -> str:
    return "paragraph" if isinstance(block, str) else type(block).__name__.lower()


def _looks(table: Table) -> list[str]:
    """Return the classes of each column's cells."""
    return [
        " ".join(["number"] * to_the_right + ["paper"] * of_paper)
        for of_paper, to_the_right in zip(table.of_paper, table.to_the_right, strict=True)
    ]


def _drawing(figure: Figure) -> Markup:
    svg = figure_svg(figure)
    # What comes before the element belongs to a file of its own.
    return Markup(svg[svg.index("<svg ") :].rstrip())  # noqa: S704
