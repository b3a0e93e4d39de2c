"""Printing of results, warnings and progress."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import typer

from ..progress import PROGRESS_FILE, reporting
from ..settings import Run


def show(found: object, lines: Iterable[str], as_json: bool, *, err: bool = False) -> None:
    """Print a result as JSON, or in lines for people."""
    text = json.dumps(found, ensure_ascii=False) if as_json else "\n".join(lines)
    typer.echo(text, err=err)


def report(run: Run, found: object, lines: Iterable[str], *, err: bool = False) -> None:
    """Print a result unless it is not wanted."""
    if not run.quiet:
        show(found, lines, run.json, err=err)


def formula_warning(formulas: Mapping[str, int]) -> str:
    """Return the warning about cells that a spreadsheet may take for formulas, by column."""
    counts = ", ".join(f"{n:,} of {column}" for column, n in formulas.items())
    return (
        f"Warning: a spreadsheet may take cells for formulas ({counts}), since CSV holds them as "
        "they are: for a spreadsheet, write .xlsx"
    )


@contextmanager
def progress_bar(
    quiet: bool, label: str = "messages"
) -> Iterator[Callable[[int | None], Callable[[int], None]] | None]:
    """Give a progress bar on standard error, if that is a terminal and `quiet` is not set.

    Where the environment names a file for progress, it is told there instead.
    """
    if file := os.environ.get(PROGRESS_FILE):
        yield reporting(Path(file))
        return
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bars = []

    def start(rows: int | None) -> Callable[[int], None]:
        bar = typer.progressbar(length=rows or 0, label=label, file=sys.stderr, show_pos=True)
        bars.append(bar)
        bar.render_progress()
        return bar.update

    try:
        yield start
    finally:
        for bar in bars:
            bar.render_finish()
