"""``triage mine``: the search for spellings that nothing has found, in rounds with a person."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import chosen
from ..settings import Reading
from .options import (
    Models,
    NoListsOption,
    OutputOption,
    Working,
    given,
    in_language,
    load,
    of_run,
    only,
    processes,
    progress_bar,
    refuse,
    report,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ..anonymise.grading import Candidate, Order
    from ..mining.session import Session
    from ..safe import Staged
    from ..vocabulary import IdentifierType


@dataclass(frozen=True)
class KnownOptions:
    answers: Annotated[
        list[Path], "Answers of an earlier round: its output, filled in; repeatable, the last wins."
    ] = field(default_factory=list)
    catalogue: Annotated[
        Path | None, "Known spellings: a table with the columns entity, type, spellings."
    ] = None
    key_table: Annotated[str | None, "Key table of triage anonymise, of an anonymised FILE."] = None
    queue: Annotated[Path | None, "A queue, whose marks and rules for words are known."] = None
    contexts: Annotated[
        Path | None, "Contexts that proved good, of --save-contexts on another corpus."
    ] = None

    @property
    def paths(self) -> list[str | Path]:
        """The files that are read."""
        named = (self.catalogue, self.key_table, self.queue, self.contexts)
        return [*self.answers, *(path for path in named if path)]


@dataclass(frozen=True)
class FurtherOutputs:
    lists: Annotated[
        Path | None,
        "Output folder of names.txt, words.txt and plan.toml for triage classify --names, --words "
        "and triage anonymise --plan.",
    ] = None
    concordance: Annotated[Path | None, "Output file of all places of the candidates."] = None
    sort: Annotated[str, "Order of the concordance: corpus, left or right."] = "corpus"
    save_contexts: Annotated[Path | None, "Output file of the contexts that proved good."] = None

    def check(self, output: Path, inputs: Sequence[str | Path], *, overwrite: bool) -> None:
        """Check that all outputs can be written before anything is asked."""
        from ..mining.session import LISTS
        from ..safe import check_folder, check_targets

        named = [output, self.concordance, self.save_contexts]
        check_targets(named, inputs, overwrite=overwrite)
        if self.lists:
            check_folder(self.lists, LISTS, inputs, overwrite=overwrite)

    def write(
        self,
        output: Path,
        session: "Session",
        found: "list[Candidate]",
        order: "Order",
        *,
        overwrite: bool,
    ) -> None:
        """Write the candidates and what else is wanted, all or nothing."""
        from ..mining.session import (
            candidates_output,
            concordance_output,
            contexts_output,
            lists_outputs,
        )
        from ..safe import publish_all

        corpus, answers = session.corpus, session.answers
        with ExitStack() as stack:
            made: list[Staged] = []
            if self.lists:
                self.lists.mkdir(parents=True, exist_ok=True)
                made += lists_outputs(self.lists, session.known, answers, overwrite=overwrite)
            if self.concordance:
                made.append(
                    concordance_output(self.concordance, corpus, found, order, overwrite=overwrite)
                )
            if self.save_contexts:
                good = session.round().contexts.good()
                made.append(contexts_output(self.save_contexts, good, overwrite=overwrite))
            made.append(candidates_output(output, session, found, overwrite=overwrite))
            for one in made:
                stack.enter_context(one)
            publish_all(made)


def mine(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    output: OutputOption,
    known: KnownOptions,
    further: FurtherOutputs,
    reading: Annotated[Reading, only("text_column", "id_column", "sender_column", "format")],
    setup: Models,
    working: Working,
    no_lists: NoListsOption = False,
    ask: Annotated[bool, typer.Option("--ask", help="Ask at the terminal, a key a spelling.")] = (
        False
    ),
    bound: Annotated[
        float, typer.Option("--bound", min=0, max=1, help="The least likelihood of a candidate.")
    ] = 0.02,
) -> None:
    """List spellings that may be identifiers and still stand, the likeliest first.

    FILE was triaged or anonymised, or is any file of messages. Write always, never, here or later
    as the answer to a spelling in the output, and give it with --answers to the next round, or
    answer with --ask. Answers give new variants and contexts; mining ends when no candidate is
    left. All outputs are readable by you only.
    """
    from triage.dictionaries.pack import NO_LANGUAGE

    from ..anonymise.grading import Order
    from ..decide.source import Source
    from ..mining.session import facts_of, open_session

    order = chosen(Order, further.sort, "--sort")
    overwrite, file = working.overwrite, Source(source, reading)
    further.check(output, [source, *known.paths, *setup.paths], overwrite=overwrite)
    triage = None
    if setup.language == NO_LANGUAGE:
        refuse(given(setup, ("language",)), "has no effect with --language none")
    else:
        told = of_run(setup, source, no_lists=no_lists)
        triage = load(in_language(told, file.first_messages))
    with progress_bar(working.quiet) as progress:
        session = open_session(
            file, triage, **vars(known), progress=progress, jobs=processes(working.jobs)
        )
    session.bound = bound
    if ask:
        ask_in_terminal(session)
    found = session.round().candidates(bound)
    further.write(output, session, found, order, overwrite=overwrite)
    facts = facts_of(session, found)
    report(working, facts, _lines(facts, output))


def _lines(facts: Mapping[str, Any], output: Path) -> Iterator[str]:
    yield (
        f"{facts['candidates']:,} candidates, which stand {facts['stand']:,} times, written to "
        f"{output}"
    )
    if facts["answers"]:
        yield "answered: " + ", ".join(f"{n:,} {said}" for said, n in facts["answers"].items())
    yield (
        f"{facts['identifiers']:,} words of identifiers are known; {facts['expected_left']:,.0f} "
        f"more are expected to stand ({facts['share_left']:.1%} of all)"
    )
    if not facts["candidates"]:
        yield f"mining has ended: no candidate is left from a likelihood of {facts['bound']:g} on"


_KEYS = (
    "a always, t always, of another type, n never, h here but not there, l later, s sort, q quit"
)
_LINES = 8


def ask_in_terminal(session: "Session") -> None:
    """Ask for one spelling after the other, on standard error, until none is left or q."""
    from rich.console import Console

    from ..anonymise.grading import Order, Said

    console = Console(stderr=True, highlight=False)
    said = {"a": Said.ALWAYS, "n": Said.NEVER, "l": Said.LATER}
    for number, candidate in zip(count(1), session.asked()):
        for order in cycle(Order):
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


def _show(
    console: "Console", session: "Session", candidate: "Candidate", number: int, order: "Order"
) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..anonymise.grading import concordance

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
    from ..anonymise.grading import concordance

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
