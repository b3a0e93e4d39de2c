"""``triage anonymise``: the replacement of identifiers."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError
from ..settings import Reading, Run, Setup, StyleName, Treatment
from .options import (
    FileArgument,
    Models,
    NoListsOption,
    Triaged,
    Working,
    Writing,
    command,
    formula_warning,
    in_language,
    load,
    of_run,
    only,
    processes,
    progress_bar,
    report,
)

if TYPE_CHECKING:
    from ..anonymise.held import Reason
    from ..anonymise.plan import Plan
    from ..anonymise.run import Anonymised, AnonymiseRequest
    from ..decide.pipeline import Triage

plan_app = typer.Typer(
    name="plan",
    help="The plan of treatment: a file that says how messages are anonymised.",
    epilog="\b\nExamples:\n  triage plan show > plan.toml\n"
    "  triage anonymise final.csv -o anon.csv --plan plan.toml",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    suggest_commands=False,
)


# Typer evaluates the annotations, and the plan is loaded only when one is read.
def _read(context: typer.Context, path: str | None) -> Any:  # noqa: ANN401
    """Read the plan of ``--plan``; what it says are the defaults of the other options."""
    if path is None:
        return None
    from ..anonymise.plan import read_plan

    plan, values = read_plan(Path(path))
    context.default_map = {
        name: [*value] if isinstance(value, tuple) else value
        for name, value in values.items()
        # A style that the command line names is that of all types.
        if name != "style" and value is not None
    }
    return plan


# The parser converts nothing, the callback does: only it knows the other options.
PlanOption = Annotated[
    Any,
    typer.Option(
        "--plan",
        metavar="PLAN",
        parser=str,
        callback=_read,
        is_eager=True,
        help="Plan of treatment (see triage plan show); what the command line says wins.",
    ),
]


@command(plan_app, "plan show > plan.toml", "anonymise final.csv -o anon.csv --plan plan.toml")
def show() -> None:
    """Print the default plan, with a comment for each key."""
    from ..anonymise.plan import plan_shown

    typer.echo(plan_shown())


_LONGEST_NAME = 24
_MOST_NAMES = 30


def anonymise(
    source: FileArgument,
    output: Annotated[str, typer.Option("--output", "-o", help="Output file.")],
    treatment: Treatment,
    reading: Triaged,
    setup: Models,
    working: Working,
    no_lists: NoListsOption = False,
    plan: PlanOption = None,
) -> None:
    """Replace the identifiers in messages.

    FILE is the output of triage classify or triage queue apply. Every other character of the
    messages stays as it is. Replaced are the marks of annotators, pattern-matched identifiers and
    words with strong evidence. Messages that wait for the expert, and TA messages with a word in
    doubt or with nothing to replace, are held back and listed. The output has the messages, their
    ids and dates, pseudonyms of the senders, and the columns of --keep. Beside it, a record tells
    what was done, without any message or name.
    """
    from ..anonymise.plan import Plan
    from ..anonymise.run import AnonymiseRequest
    from ..decide.source import Source

    request = AnonymiseRequest(
        Source(source, reading),
        output,
        (plan or Plan()).with_options(treatment),
        overwrite=working.overwrite,
        jobs=processes(working.jobs),
    )
    setup = of_run(setup, source, no_lists=no_lists)
    if treated := treat(request, setup, working):
        report(working, *told(treated[0], request.plan, source), err=output == "-")


def told(treated: "Anonymised", plan: "Plan", source: str) -> tuple[dict[str, Any], Iterator[str]]:
    """Return what was done, as facts and as lines for people."""
    replaced = [row | {"severity": plan.severity[row["type"]]} for row in _counts(treated)]
    facts = vars(treated) | {"replaced": replaced, "style": str(plan.style)}
    return facts, _lines(treated, str(plan.style), source)


def treat(
    request: "AnonymiseRequest", setup: Setup, working: Run
) -> "tuple[Anonymised, Triage] | None":
    """Anonymise a file; None where its table of people was written instead, to be edited."""
    from ..anonymise.keys import make_key
    from ..anonymise.run import anonymise as anonymise_all
    from ..anonymise.run import find_all
    from ..anonymise.table import read_table, write_table

    treatment, styles = request.treatment, request.plan.style
    if StyleName.PAPER in styles.used and not treatment.reversible:
        raise TriageError(
            "--style paper numbers names by a public dictionary, in which anyone can look them up; "
            "add --reversible to accept that"
        )
    key = Path(treatment.key) if treatment.key else None
    people = Path(setup.people) if setup.people else None
    if people and not people.exists():
        setup = replace(setup, people=None)
    _check_paths(request, [*map(Path, setup.paths), *request.plan.read_from], key, people)
    secret = _key(str(styles), key, is_new=treatment.new_key, is_needed=styles.needs_key)
    triage = load(in_language(setup, request.source.first_messages))
    with progress_bar(working.quiet) as progress, request.source.open() as file:
        seen = find_all(file, request, triage, progress)
        if key and treatment.new_key:
            secret = make_key(key)
        context = seen.context(secret)
        if people and not people.exists():
            table, n_own = seen.table(context)
            write_table(people, table)
            written = {"people": str(people), "spellings": len(table.entries), "own_names": n_own}
            line = _people_line(written, is_new=treatment.new_key)
            report(working, written, [line], err=request.output == "-")
            return None
        edited = read_table(people) if people else None
        return anonymise_all(seen, context, edited, _warn), triage


def _warn(line: str) -> None:
    typer.echo(f"triage: warning: {line}", err=True)


def _people_line(written: Mapping[str, Any], *, is_new: bool) -> str:
    n_spellings, n_own = written["spellings"], written["own_names"]
    own = (
        f". The column name_of says of {n_own:,} {'name' if n_own == 1 else 'names'} whose own it "
        "seems to be: confirm it with yes to tie the name to this sender's pseudonym"
        if n_own
        else ""
    )
    return (
        f"{n_spellings:,} spellings written to {written['people']}: say in it what they stand for "
        "and what becomes of them, then run the same command again"
        f"{', without --new-key' if is_new else ''}{own}"
    )


def _check_paths(
    request: "AnonymiseRequest", lists: list[Path], key: Path | None, people: Path | None
) -> None:
    """Check all paths before any work; a key and a table of people are inputs if they exist."""
    tables = [path for path in (key, people) if path]
    request.check_paths(
        also_read=[*lists, *(path for path in tables if path.exists())],
        also_written=[path for path in tables if not path.exists()],
    )


def _key(styles: str, path: Path | None, *, is_new: bool, is_needed: bool) -> bytes:
    """Return the key in a key file, empty without one; raise TriageError if options conflict."""
    from ..anonymise.keys import read_key

    if path is None:
        if is_new or is_needed:
            raise TriageError(
                f"{'--new-key' if is_new else f'--style {styles}'} needs a key file: name it with "
                "--key, and add --new-key to make it"
            )
        return b""
    if is_new:
        if path.exists():
            raise TriageError(
                f"the key file {path} is there already: leave --new-key out to use it"
            )
        return b""
    if not path.exists():
        raise TriageError(
            f"there is no key file {path}: correct its name, or add --new-key to create it"
        )
    return read_key(path)


def _counts(treated: "Anonymised") -> list[dict[str, Any]]:
    return [
        {"type": kind, "rule": rule, "identifiers": n}
        for (kind, rule), n in sorted(treated.replaced.items())
    ]


def _lines(treated: "Anonymised", style: str, source: str) -> Iterator[str]:
    yield (
        f"{treated.rows_read:,} messages read, {treated.rows_written:,} written to "
        f"{treated.output}, {treated.rows_held:,} held back"
    )
    yield from _held_lines(treated, source)
    yield (
        f"{sum(treated.replaced.values()):,} identifiers replaced in {treated.changed:,} messages, "
        f"in the style {style}"
    )
    if treated.document:
        done = ", ".join(f"{n:,} {what}" for what, n in treated.document.items())
        yield f"in the document beside its messages: {done}"
    if treated.kept:
        kept = ", ".join(f"{n:,} {kind}" for kind, n in sorted(treated.kept.items()))
        yield f"left standing, as the plan says: {kept}"
    yield from ("", f"{'type':<6} {'found by':<12} {'identifiers':>11}")
    for row in _counts(treated):
        yield f"{row['type']:<6} {row['rule']:<12} {row['identifiers']:>11,}"
    yield from ("", f"columns written: {_listed(treated.columns)}")
    if treated.dropped:
        yield f"columns dropped: {_listed(treated.dropped)} (--keep COLUMN writes one)"
    if treated.record:
        yield f"The record of this, without any message or name, is {treated.record}"
    if treated.formulas:
        yield formula_warning(treated.formulas)


def _held_lines(treated: "Anonymised", source: str) -> Iterator[str]:
    """Yield the numbers of messages held back, or written all the same, and what to do."""
    from ..anonymise.held import Reason
    from ..model.annotated import FINAL_ACTION

    is_final = FINAL_ACTION in (*treated.columns, *treated.dropped)
    name = shlex.quote(source)
    to_do = {
        Reason.WAITS: "decide them in their queue (triage review), then triage queue apply again"
        if is_final
        else f"decide them with triage review {name}, then triage publish {name}",
        Reason.NOTHING_FOUND: "mark their words on the review page (table, state: all)",
        Reason.IN_DOUBT: "mark their words on the review page (table, state: all), or replace them "
        "with --ambiguous mask",
        Reason.ASKED: "mark on the review page what is to be replaced in them, or say replace or "
        "keep in the plan",
    }
    for reason in Reason:
        if n := treated.held_back[reason]:
            yield f"{messages_of(n, reason)}: {to_do[reason]}"
        if n := treated.released[reason]:
            yield f"{messages_of(n, reason)}: WRITTEN"
    if treated.held:
        yield f"They are listed in {treated.held}, by row and id"


def messages_of(n: int, reason: "Reason") -> str:
    from ..anonymise.held import Reason

    what, wait, hold = ("message", "waits", "holds") if n == 1 else ("messages", "wait", "hold")
    return {
        Reason.WAITS: f"{n:,} {what} {wait} for the expert",
        Reason.NOTHING_FOUND: f"{n:,} TA {what} in which nothing was found to replace",
        Reason.IN_DOUBT: f"{n:,} TA {what} with a word in doubt",
        Reason.ASKED: f"{n:,} {what} {hold} identifiers of types that the plan asks about",
    }[reason]


def _listed(columns: Sequence[str]) -> str:
    """Return the names of columns; long ones are left out, as they may be messages."""
    shown = (name if len(name) <= _LONGEST_NAME else "…" for name in columns[:_MOST_NAMES])
    more = len(columns) - _MOST_NAMES
    return ", ".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])


def restore(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    key_table: Annotated[str, "Key table that triage anonymise wrote with FILE."],
    output: Annotated[
        str, typer.Option("--output", "-o", help="Output file, readable by you only.")
    ],
    reading: Annotated[Reading, only("text_column")],
    writing: Writing,
) -> None:
    """Put the original messages back into an anonymised file.

    FILE is the output of triage anonymise, unchanged. Each message that was written gets back what
    was replaced, character by character; the other columns stay as they are in FILE. Messages that
    were held back are not in it.
    """
    from ..anonymise.restore import restore as restore_file
    from ..decide.source import Source
    from ..safe import STANDARD_STREAM

    told = Source(source, reading)
    done = restore_file(told, key_table, output, overwrite=writing.overwrite)
    line = (
        f"{done.rows:,} messages written to {output}: {done.identifiers:,} identifiers put back in "
        f"{done.changed:,} of them"
    )
    report(writing, vars(done), [line], err=output == STANDARD_STREAM)
