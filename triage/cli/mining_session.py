"""The questions of ``triage mine --ask`` at the terminal: a key for each spelling."""

import sys
from collections.abc import Iterator
from itertools import count, cycle
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from ..mining.candidates import Candidate
    from ..mining.corpus import Order
    from ..mining.session import Session
    from ..vocabulary import IdentifierType

_KEYS = (
    "a always, t always, of another type, n never, h here but not there, l later, s sort, q quit"
)
_LINES = 8


def ask(session: "Session") -> None:
    """Ask for one spelling after the other, on standard error, until none is left or q."""
    from rich.console import Console

    from ..mining.known import Said

    console = Console(stderr=True, highlight=False)
    said = {"a": Said.ALWAYS, "n": Said.NEVER, "l": Said.LATER}
    for number, candidate in zip(count(1), session.asked()):
        for order in _orders():
            _show(console, session, candidate, number, order)
            key = _pressed(f"{_KEYS} ", "atnhlsq")
            if key != "s":
                break
        if key == "q":
            return
        if key == "h":
            session.answer(candidate, Said.HERE, words=_places(session, candidate))
        elif key == "t":
            session.answer(candidate, Said.ALWAYS, _type())
        else:
            session.answer(candidate, said[key])


def _orders() -> "Iterator[Order]":
    from ..mining.corpus import Order

    return cycle(Order)


def _show(
    console: "Console", session: "Session", candidate: "Candidate", number: int, order: "Order"
) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..mining.corpus import concordance

    about = [f"{candidate.likelihood:.0%}", f"stands {candidate.stands:,}×"]
    about += [f"replaced {candidate.replaced:,}×"] if candidate.replaced else []
    about += [*candidate.reasons]
    about += [f"akin to {candidate.akin}"] if candidate.akin else []
    about += [candidate.context] if candidate.context else []
    console.print()
    console.print(Text(f"{number:,}  {candidate.spelling}", style="bold"), end="  ")
    console.print(Text(f"{candidate.type}; {'; '.join(about)}"))
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(justify="right", no_wrap=True, overflow="crop")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="crop")
    # Text takes nothing for markup.
    for line in concordance(session.corpus, candidate.words, order)[:_LINES]:
        table.add_row(Text(line.left), Text(line.keyword, style="bold"), Text(line.right))
    console.print(table)
    if candidate.stands > _LINES:
        console.print(f"and {candidate.stands - _LINES:,} more")


def _places(session: "Session", candidate: "Candidate") -> list[int]:
    """Ask for each place of a spelling whether it identifies somebody."""
    from ..mining.corpus import concordance

    found = []
    for word in candidate.words:
        (line,) = concordance(session.corpus, [word])
        typer.echo(f"  {line.left}[{line.keyword}]{line.right}", err=True)
        if _pressed("  y identifies somebody, n does not ", "yn") == "y":
            found.append(word)
    return found


def _type() -> "IdentifierType":
    from ..vocabulary import IdentifierType

    while True:
        typer.echo(f"Type ({', '.join(IdentifierType)}): ", nl=False, err=True)
        said = sys.stdin.readline()
        if not said or said.strip().upper() in [*IdentifierType]:
            return IdentifierType(said.strip().upper() or IdentifierType.PRE)


def _pressed(question: str, keys: str) -> str:
    """Return the key that was pressed, of those that mean something.

    At the end of input, and where the person breaks off, it is the last one: answers are kept.
    """
    while True:
        typer.echo(question, nl=False, err=True)
        try:
            key = _key()
        except (EOFError, KeyboardInterrupt):
            typer.echo(err=True)
            return keys[-1]
        if key and key in keys:
            return key


def _key() -> str:
    if not sys.stdin.isatty():
        if line := sys.stdin.readline():
            return line.strip().lower()[:1]
        raise EOFError
    key = typer.getchar().lower()
    typer.echo(key, err=True)
    return key
