"""What the commands share: loading the pipeline, and a progress bar."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from ..errors import TriageError

if TYPE_CHECKING:
    from ..decide.pipeline import Triage
    from ..decide.policy import Policy

Choice = TypeVar("Choice", bound=StrEnum)


def chosen(choices: type[Choice], name: str, option: str) -> Choice:
    """Return what an option names.

    Parameters
    ----------
    choices : StrEnum class
    name : str
    option : str
        How the error calls it.

    Raises
    ------
    TriageError
        If there is no such choice; it lists those there are.
    """
    try:
        return choices(name)
    except ValueError:
        known = ", ".join(choices)
        raise TriageError(f"{option} is one of {known}, not {name!r}") from None


def load_triage(
    names: list[Path],
    words: list[Path],
    model: Path | None,
    strict: bool = False,
    features: str | None = None,
    policy: "Policy | None" = None,
) -> "Triage":
    """Load dictionaries and model, and print what a user should know of them.

    Parameters
    ----------
    names, words : list of Path
    model : Path, optional
    strict : bool
    features : str, optional
    policy : Policy, optional

    Returns
    -------
    Triage
    """
    from ..decide.pipeline import Triage

    triage = Triage.load(
        "fr",
        model=model,
        names=names,
        words=words,
        strict=strict,
        policy=policy,
        features=features,
    )
    if triage.warning:
        typer.echo(f"triage: warning: {triage.warning}", err=True)
    return triage


def files_read(names: list[Path], words: list[Path], model: Path | None) -> list[Path]:
    """Return the files that `load_triage` reads, which no output may replace.

    Parameters
    ----------
    names, words : list of Path
    model : Path, optional

    Returns
    -------
    list of Path
    """
    return [*names, *words, *([model] if model else [])]


def formula_warning(formulas: Mapping[str, int]) -> str:
    """Return what to say of cells that a spreadsheet may take for formulas.

    Parameters
    ----------
    formulas : mapping of str to int
        How many there are, by column.

    Returns
    -------
    str
    """
    counts = ", ".join(f"{n:,} of {column}" for column, n in formulas.items())
    return (
        f"Warning: a spreadsheet may take cells for formulas ({counts}), since CSV holds them as "
        "they are: for a spreadsheet, write .xlsx or .ods"
    )


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[int | None], Callable[[int], None]] | None]:
    """Give a progress bar on standard error, where that is a terminal and nobody minds.

    Parameters
    ----------
    quiet : bool
        Whether the user minds.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bars = []

    def start(rows: int | None) -> Callable[[int], None]:
        bar = typer.progressbar(length=rows or 0, label="messages", file=sys.stderr, show_pos=True)
        bars.append(bar)
        bar.render_progress()
        return bar.update

    try:
        yield start
    finally:
        for bar in bars:
            bar.render_finish()
