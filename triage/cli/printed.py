"""Print what commands tell: facts for programs, lines for people, notes, and bars of progress."""

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import typer

from ..errors import refusals
from ..progress import PROGRESS_FILE, AddProgress, StartProgress, reporting
from ..safe import STANDARD_STREAM
from ..vocabulary import Quantity

# What a terminal would obey, a page would turn round, or no encoding has.
_CONTROL = re.compile(r"[\0-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Of click, typer hands on this subclass alone.
USAGE_ERROR: Any = typer.BadParameter.__base__
TEXTS = tomllib.loads((files(__package__) / "texts.toml").read_text(encoding="utf-8"))
refused = refusals(TEXTS["refused"])


class Done(NamedTuple):
    """The result of a command; beside an output on a stream, it is told on standard error."""

    facts: Mapping[str, Any] | None
    lines: Iterable[str]
    code: int = 0
    beside: bool = False


def examples(path: str) -> str:
    lines = TEXTS["commands"][path]["examples"]
    title = "Example:" if len(lines) == 1 else "Examples:"
    # The backspace keeps click from joining the lines.
    return "\n".join(["\b", title, *(f"  triage {example}" for example in lines)])


def text(name: str, facts: Mapping[str, Any] | None = None, /, **more: object) -> str:
    sentence: str = TEXTS["said"][name]
    values = {**(facts or {}), **more}
    if str(values.get("output")) == STANDARD_STREAM:
        values["output"] = "standard output"
    counted = {key: Quantity(value) for key, value in values.items() if type(value) is int}
    return sentence.format_map(values | counted)


def show(result: Mapping[str, Any] | Iterable[str] | None, *, beside: bool = False) -> None:
    """Print facts as JSON, or lines; what a terminal would obey is printed as it is escaped."""
    if result is None or isinstance(result, Mapping):
        result = [json.dumps(result, ensure_ascii=False)]
    end_bars()
    typer.echo("\n".join(map(shown, result)), err=beside)


def paint(line: str, **style: Any) -> str:  # noqa: ANN401
    """Return a text in colour, which is dropped where no terminal shows it."""
    return line if os.environ.get("NO_COLOR") else typer.style(line, **style)


def note(line: str) -> None:
    """Print a line on standard error, if there is one."""
    if line:
        end_bars()
        typer.echo(f"{paint('triage:', fg='yellow')} {shown(line)}", err=True)


def warn(line: str) -> None:
    note(line and f"warning: {line}")


def shown(line: str) -> str:
    r"""Return a line in which what a terminal would obey is escaped.

    >>> print(shown("un\x1b[31m.csv"))
    un\u001b[31m.csv
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def formula_warning(formulas: Mapping[str, int]) -> str:
    """Return the warning about cells that a spreadsheet may take for formulas, by column."""
    return text("formulas", counts=", ".join(f"{n:,} of {name}" for name, n in formulas.items()))


def progress(*, quiet: bool = False) -> StartProgress | None:
    """Return a function that starts bars of progress, on standard error if that is a terminal.

    Where the environment names a file for progress, it is told there instead. What is printed next
    ends the bars.
    """

    def start(rows: int | None, work: str) -> AddProgress:
        bar = typer.progressbar(length=rows or 0, label=work, file=sys.stderr, show_pos=True)
        _bars.append(bar)
        bar.render_progress()
        return bar.update

    if file := os.environ.get(PROGRESS_FILE):
        return reporting(Path(file))
    return None if quiet or not sys.stderr.isatty() else start


_bars: list[Any] = []


def end_bars() -> None:
    for bar in _bars:
        bar.render_finish()
    _bars.clear()
