"""The content of a report, and the report as text, as GitHub's Markdown, as JSON and as HTML."""

import json
import math
import re
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.axes import Axes

Cell = str | int | float | None
Draw = Callable[["Axes"], None]

# Ends the headings of columns that hold the paper's own figures.
PAPER = "(paper)"

_WIDTH = 88
_UNSHOWN = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]")
# Also `$`, which starts a formula at GitHub. An underscore within a word emphasises nothing, and an
# ampersand that starts no entity is one.
_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
# What starts a heading, a list, a rule or a quotation.
_START = re.compile(r"^(\d*)([#+\-.)](?=[\s#-]|$)|>)")


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns, each with the format of its numbers."""

    title: str
    columns: Mapping[str, str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    @property
    def headings(self) -> list[str]:
        return list(self.columns)

    @property
    def of_paper(self) -> list[bool]:
        """Mask of the columns that hold the paper's own figures."""
        return [heading.endswith(PAPER) for heading in self.columns]

    @property
    def to_the_right(self) -> list[bool]:
        """Mask of the columns that hold numbers, which align to the right."""
        filled = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return [
            bool(form) or any(isinstance(cell, int | float) for cell in cells)
            for form, cells in zip(self.columns.values(), filled, strict=True)
        ]

    def shown_rows(self) -> list[list[str]]:
        """Return every cell as one line of text: nothing for None, a dash for nan."""
        formats = list(self.columns.values())
        return [[_shown(*cell) for cell in zip(row, formats, strict=True)] for row in self.rows]


def _shown(cell: Cell, form: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return re.sub(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+", " ", cell)
    return "–" if math.isnan(cell) else format(cell, form)


@dataclass(frozen=True)
class Figure:
    """A drawing: `name` is the stem of its files, `alt` describes it to those who do not see it."""

    name: str
    title: str
    alt: str
    draw: Draw
    width: float = 7.0
    height: float = 4.0


@dataclass(frozen=True)
class Listing:
    """Preformatted text, such as a tree."""

    title: str
    text: str


# A string is a paragraph of plain text.
Block = str | Table | Figure | Listing


@dataclass(frozen=True)
class Part:
    """A chapter of a report; links lead to its name."""

    name: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Report:
    """A whole report; `about` names the command, the data and the versions behind it."""

    title: str
    about: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]

    @property
    def figures(self) -> list[Figure]:
        return [block for part in self.parts for block in part.blocks if isinstance(block, Figure)]


class Texts:
    """The words of reports: a TOML file of sentences, tables and figures, by part."""

    def __init__(self, path: Path) -> None:
        self._parts = tomllib.loads(path.read_text(encoding="utf-8"))

    def _text(self, name: str) -> Any:  # noqa: ANN401 (a sentence, or those of a table or a figure)
        part, _, key = name.partition(".")
        return self._parts[part][key]

    def text(self, name: str, **values: object) -> str:
        """Return a sentence, with values in the place of names in braces; `name` is part.key."""
        text: str = self._text(name).format(**values)
        return text

    def table(self, name: str, rows: Sequence[Sequence[Cell]], **values: object) -> Table:
        words = self._text(name)
        title, note = (words.get(key, "").format(**values) for key in ("title", "note"))
        return Table(title, words["columns"], rows, note)

    def figure(self, name: str, draw: Draw, **values: object) -> Figure:
        title, alt = (self._text(name)[key].format(**values) for key in ("title", "alt"))
        return Figure(name.partition(".")[2], title, alt, draw)

    def figures(self, name: str) -> dict[str, Any]:
        figures: dict[str, Any] = self._parts[name]
        return figures

    def part(self, name: str, *blocks: Block) -> Part:
        return Part(name, self._parts[name]["title"], blocks)


def printable(text: str) -> str:
    """Replace control characters and those that UTF-8 cannot encode: messages may hold any."""
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def _stacked(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)


def part_text(part: Part) -> str:
    """Return a part as lines of text, with aligned tables and without its figures."""
    title = f"{part.title}\n{'=' * len(part.title)}"
    wrapped = partial(textwrap.fill, width=_WIDTH, break_long_words=False, break_on_hyphens=False)
    pieces = [title]
    for block in part.blocks:
        match block:
            case str():
                pieces.append(wrapped(block))
            case Table():
                pieces += block.title, _text_table(block), wrapped(block.note)
            case Listing():
                pieces += block.title, block.text.rstrip("\n")
    return printable(_stacked(*pieces))


def _text_table(table: Table) -> str:
    headings, rows = table.headings, table.shown_rows()
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    lines = []
    for cells in [headings, ["-" * width for width in widths], *rows]:
        padded = (
            f"{cell:{'>' if right else '<'}{width}}"
            for cell, width, right in zip(cells, widths, table.to_the_right, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def report_markdown(report: Report, figures: str = "figures") -> str:
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
            rule = ("---:" if right else ":---" for right in block.to_the_right)
            heading, *body = (map(_inline, row) for row in [block.headings, *block.shown_rows()])
            rows = [f"| {' | '.join(cells)} |" for cells in (heading, rule, *body)]
            return _stacked(title, "\n".join(rows), _paragraph(block.note))
        case Figure():
            image = f"![{_inline(block.alt)}]({quote(f'{figures}/{block.name}.png')})"
            return _stacked(title, image)
        case Listing():
            # A fence is longer than any within it.
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
            return _stacked(title, f"{fence}text\n{block.text.rstrip()}\n{fence}")


def _paragraph(text: str) -> str:
    return _START.sub(r"\1\\\2", _inline(text))


def _inline(text: str) -> str:
    """Return plain text on one line, such that Markdown shows it as it is."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split())).replace("<", "&lt;")


def report_json(report: Report) -> str:
    """Return a report as JSON: an object with `title`, `about` and `parts`."""
    content = {
        "title": report.title,
        "about": dict(report.about),
        "parts": [
            {"name": part.name, "title": part.title, "blocks": [*map(_json_block, part.blocks)]}
            for part in report.parts
        ],
    }
    return printable(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def _json_block(block: Block) -> dict[str, Any]:
    kind = {"kind": _kind(block)}
    match block:
        case str():
            return kind | {"text": block}
        case Table(title=title, headings=headings, note=note):
            paper = list(compress(headings, block.of_paper))
            # JSON has neither nan nor infinity.
            finite = (
                [None if isinstance(c, float) and not math.isfinite(c) else c for c in row]
                for row in block.rows
            )
            rows = [dict(zip(headings, row, strict=True)) for row in finite]
            return kind | {"title": title, "paper": paper, "rows": rows, "note": note}
        case Figure(name=name, title=title, alt=alt):
            return kind | {"name": name, "title": title, "alt": alt}
        case Listing(title=title, text=text):
            return kind | {"title": title, "text": text}


def report_html(report: Report) -> str:
    """Return a report as one page of HTML, without scripts and with nothing from elsewhere."""
    return printable(_environment().get_template("report.html").render(report=report))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def escaped(value: object) -> Markup:
        """Escape as the standard library does, which writes the figures' texts, too."""
        return value if isinstance(value, Markup) else Markup(escape(str(value)))  # noqa: S704

    def drawing(figure: Figure) -> Markup:
        from triage.reports.charts import figure_svg

        svg = figure_svg(figure)
        # What comes before the element belongs to a file of its own.
        return Markup(svg[svg.index("<svg ") :].rstrip())  # noqa: S704

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(kind=_kind, classes=_cell_classes, drawing=drawing)
    return environment


def _kind(block: Block) -> str:
    return "paragraph" if isinstance(block, str) else type(block).__name__.lower()


def _cell_classes(table: Table) -> list[str]:
    return [
        " ".join(["number"] * to_the_right + ["paper"] * of_paper)
        for of_paper, to_the_right in zip(table.of_paper, table.to_the_right, strict=True)
    ]
