"""Anonymising and publishing: ``triage plan``, ``anonymise``, ``restore`` and ``publish``."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..declared import choice, declared
from ..errors import TriageError
from ..safe import STANDARD_STREAM
from ..settings import Run, Setup, Treatment
from .options import (
    Done,
    FileArgument,
    PlanOption,
    Silent,
    Triaged,
    WithPeople,
    again,
    formula_warning,
    load,
    note,
    of_run,
    origins,
    planned,
    processes,
    progress_bars,
    source_of,
    warn,
)
from .reading import queue_beside, queue_of

if TYPE_CHECKING:
    from ..anonymise.held import HeldFor
    from ..anonymise.plan import Plan
    from ..anonymise.run import Anonymised, AnonymiseRequest
    from ..decide.pipeline import Triage
    from ..decide.source import Source
    from ..publish import Publication

_LONGEST_NAME = 24
_MOST_NAMES = 30


def plan_() -> None:
    """Print the default plan of treatment, with comments.

    A plan says how messages are anonymised; each option of the commands may stand in it, too.
    """
    from ..anonymise.plan import plan_shown

    typer.echo(plan_shown())


def anonymise(
    context: typer.Context,
    source: FileArgument,
    output: Annotated[str, typer.Option("--output", "-o", help="Output file.")],
    treatment: Treatment,
    columns: Triaged,
    setup: WithPeople,
    working: Run,
    plan: PlanOption = None,
) -> Done:
    """Replace the identifiers in messages.

    FILE is the output of triage classify or triage queue apply. Every other character of the
    messages stays as it is. Replaced are the marks of annotators, pattern-matched identifiers and
    words with strong evidence. Messages that wait for the expert, and TA messages with a word in
    doubt or with nothing to replace, are held back and listed. The output has the messages, their
    ids and dates, pseudonyms of the senders, and the columns of --keep. Beside it, a record tells
    what was done, without any message or name.
    """
    from ..model.annotated import FINAL_ACTION

    said = planned(plan).with_options(treatment)
    request = _request(context, source_of(source, columns), output, said, working)
    try:
        done = _treated(request, of_run(setup, source), working)
    except _ToEdit as table:
        return table.done
    folder = queue_beside(Path(source)).with_suffix(".published")
    decide = _decide(source, shlex.join(["triage", "publish", source, "-o", str(folder)]))
    if FINAL_ACTION in (*done[0].columns, *done[0].dropped):
        decide = "decide them in their queue (triage review), then triage queue apply again"
    facts, lines = _told(done[0], request.plan, decide)
    return Done(facts, lines, beside=output == STANDARD_STREAM)


def _request(
    context: typer.Context, source: "Source", output: str, plan: "Plan", working: Run
) -> "AnonymiseRequest":
    from ..anonymise.run import AnonymiseRequest

    jobs, origin = processes(working.jobs), origins(context)
    return AnonymiseRequest(source, output, plan, working.overwrite, jobs, origin)


class _ToEdit(Exception):  # noqa: N818
    """The table of people was written, to be edited before anything is replaced."""

    def __init__(self, done: Done) -> None:
        super().__init__()
        self.done = done


def _treated(
    request: "AnonymiseRequest", setup: Setup, working: Run
) -> "tuple[Anonymised, Triage]":
    """Anonymise a file; where its table of people is not there, write that to be edited."""
    from ..anonymise.keys import make_key
    from ..anonymise.run import anonymise as anonymise_all
    from ..anonymise.run import find_all
    from ..anonymise.table import read_table, write_table

    treatment, plan = request.treatment, request.plan
    key = Path(treatment.key) if treatment.key else None
    people = Path(setup.people) if setup.people else None
    new_people = people if people and not people.exists() else None
    if new_people:
        setup = replace(setup, people=None)
    tables = [path for path in (key, people) if path]
    request.check_paths(
        [*map(Path, setup.paths), *plan.read_from, *(one for one in tables if one.exists())],
        [one for one in tables if not one.exists()],
    )
    secret = _key(f"--style {plan.style}" if plan.style.needs_key else "", treatment)
    triage = load(setup, request.source.first_messages)
    with progress_bars(working) as progress, request.source.open() as file:
        seen = find_all(file, request, triage, progress)
        context = seen.context(make_key(key) if key and treatment.new_key else secret)
        if not new_people:
            edited = read_table(people) if people else None
            return anonymise_all(seen, context, edited, warn), triage
        table, n_own = seen.table(context)
        write_table(new_people, table)
    facts = {"people": str(people), "spellings": len(table.entries), "own_names": n_own}
    without_key = ", without --new-key" if treatment.new_key else ""
    line = (
        f"{facts['spellings']:,} spellings written to {people}: say in it what they stand for and "
        f"what becomes of them, then run the same command again{without_key}"
    )
    if n_own:
        line += (
            f". The column name_of says of {n_own:,} {'name' if n_own == 1 else 'names'} whose own "
            "it seems to be: confirm it with yes to tie the name to this sender's pseudonym"
        )
    raise _ToEdit(Done(facts, [line], beside=request.output == STANDARD_STREAM))


def _key(style: str, treatment: Treatment) -> bytes:
    """Return the key, empty where there is none yet; a style that needs one is named."""
    from ..anonymise.keys import read_key

    path, is_new = treatment.key and Path(treatment.key), treatment.new_key
    if not path and (is_new or style):
        raise TriageError(
            f"{'--new-key' if is_new else style} needs a key file: name it with --key, and add "
            "--new-key to make it"
        )
    if not path:
        return b""
    if is_new and path.exists():
        raise TriageError(f"the key file {path} is there already: leave --new-key out to use it")
    if not is_new and not path.exists():
        raise TriageError(
            f"there is no key file {path}: correct its name, or add --new-key to create it"
        )
    return b"" if is_new else read_key(path)


def _decide(source: str, next_: str) -> str:
    return f"decide them with triage review {shlex.quote(source)}, then {next_}"


def _told(done: "Anonymised", plan: "Plan", decide: str) -> tuple[dict[str, Any], Iterator[str]]:
    """Return what was done, as facts and as lines; `decide` is what to do with what waits."""
    severity = {kind.value: how for kind, how in plan.severity.items()}
    replaced = [
        {"type": kind, "rule": rule, "identifiers": n, "severity": severity[kind]}
        for (kind, rule), n in sorted(done.replaced.items())
    ]
    facts = vars(done) | {"replaced": replaced, "style": str(plan.style)}
    return facts, _lines(done, str(plan.style), decide)


def _lines(done: "Anonymised", style: str, decide: str) -> Iterator[str]:
    yield (
        f"{done.rows_read:,} messages read, {done.rows_written:,} written to {done.output}, "
        f"{done.rows_held:,} held back"
    )
    yield from _held_lines(done, decide)
    n_replaced = sum(done.replaced.values())
    yield f"{n_replaced:,} identifiers replaced in {done.changed:,} messages, in the style {style}"
    if done.document:
        beside = ", ".join(f"{n:,} {what}" for what, n in done.document.items())
        yield f"in the document beside its messages: {beside}"
    if done.kept:
        kept = ", ".join(f"{n:,} {kind}" for kind, n in sorted(done.kept.items()))
        yield f"left standing, as the plan says: {kept}"
    yield from ("", f"{'type':<6} {'found by':<12} {'identifiers':>11}")
    for (kind, rule), n in sorted(done.replaced.items()):
        yield f"{kind:<6} {rule:<12} {n:>11,}"
    yield from ("", f"columns written: {_listed(done.columns)}")
    if done.dropped:
        yield f"columns dropped: {_listed(done.dropped)} (--keep COLUMN writes one)"
    if done.record:
        yield f"The record of this, without any message or name, is {done.record}"
    if done.formulas:
        yield formula_warning(done.formulas)


# For each reason to hold messages back: one message, several, and what to do with them.
_MARK = "mark their words on the review page (table, state: all)"
_HELD = {
    "WAITS": ("message waits for the expert", "messages wait for the expert", ""),
    "NOTHING_FOUND": (
        "TA message in which nothing was found to replace",
        "TA messages in which nothing was found to replace",
        _MARK,
    ),
    "IN_DOUBT": (
        "TA message with a word in doubt",
        "TA messages with a word in doubt",
        f"{_MARK}, or replace them with --ambiguous mask",
    ),
    "ASKED": (
        "message holds identifiers of types that the plan asks about",
        "messages hold identifiers of types that the plan asks about",
        "mark on the review page what is to be replaced in them, or say replace or keep in the "
        "plan",
    ),
}


def _held_lines(done: "Anonymised", decide: str) -> Iterator[str]:
    """Yield the numbers of messages held back, or written all the same, and what to do."""
    from ..anonymise.held import HeldFor

    for reason in HeldFor:
        if n := done.held_back[reason]:
            yield f"{_messages(n, reason)}: {_HELD[reason.name][2] or decide}"
        if n := done.released[reason]:
            yield f"{_messages(n, reason)}: WRITTEN"
    if done.held:
        yield f"They are listed in {done.held}, by row and id"


def _messages(n: int, reason: "HeldFor") -> str:
    one, several, _ = _HELD[reason.name]
    return f"{n:,} {one if n == 1 else several}"


def _listed(columns: Iterable[str]) -> str:
    """Return the names of columns; long ones are left out, as they may be messages."""
    names = [name if len(name) <= _LONGEST_NAME else "…" for name in columns]
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"and {more:,} more"] if more > 0 else [])])


def restore(
    source: FileArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Output file, readable by you only.")
    ],
    columns: Triaged,
    writing: Silent,
    key_table: Annotated[
        str, typer.Option("--key-table", help="Key table that triage anonymise wrote with FILE.")
    ],
) -> Done:
    """Put the original messages back into an anonymised file.

    FILE is the output of triage anonymise, unchanged. Each message that was written gets back what
    was replaced, character by character; the other columns stay as they are in FILE. Messages that
    were held back are not in it.
    """
    from ..anonymise.restore import restore as restore_file

    done = restore_file(source_of(source, columns), key_table, output, overwrite=writing.overwrite)
    line = (
        f"{done['rows']:,} messages written to {output}: {done['identifiers']:,} identifiers put "
        f"back in {done['changed']:,} of them"
    )
    return Done(done, [line], beside=output == STANDARD_STREAM)


@dataclass(frozen=True)
class Publishing:
    """The formats of a publication, and how it is made although something stands against it."""

    to: tuple[str, ...] = declared(
        (),
        "Also publish in this format: xlsx, parquet, jsonl, tei, iob2, brat, spacy or datasets; "
        "repeatable.",
    )
    queue: Path | None = declared(
        None, "Queue with the decisions of people; by default the one beside FILE, if any."
    )
    hold_undecided: bool = declared(
        False, "Leave out the messages that are undecided, or in which something is in doubt."
    )
    because: str | None = declared(
        None,
        "Publish although something certain is left or undecided; the record says why. What is "
        "undecided is left out all the same, but with --hold none.",
    )


def publish(
    context: typer.Context,
    source: FileArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the publication.")],
    publishing: Publishing,
    treatment: Annotated[
        Treatment, "style", "hold", "keep", "key", "new_key", "key_table", "document"
    ],
    columns: Triaged,
    setup: WithPeople,
    working: Run,
    plan: PlanOption = None,
) -> Done:
    """Anonymise a triaged file, check it, and publish it.

    FILE is the output of triage classify; the decisions of the queue beside it are applied first.
    The folder appears whole or not at all, an earlier publication stays until then. Nothing is
    published while something certain is left or undecided (exit code 1): decide it with triage
    review FILE, leave undecided messages out with --hold-undecided, or say --because. What
    identifies people (list of messages held back, key table) is never in the folder.
    """
    from ..publish import Published
    from ..publish import publish as publish_all

    forms = [*dict.fromkeys(choice(Published, one, "--to") for one in publishing.to)]
    usual = queue_beside(Path(source))
    said = planned(plan).with_options(treatment)
    request = _request(context, source_of(source, columns), str(output), said, working)
    try:
        made = publish_all(
            request,
            partial(_treated, setup=of_run(setup, source), working=working),
            queue_of,
            forms=forms,
            queue=publishing.queue or (usual if usual.exists() else None),
            because=publishing.because,
            hold=publishing.hold_undecided,
            also_read=map(Path, setup.paths),
        )
    except _ToEdit as table:
        note("nothing was published")
        return table.done._replace(code=1)
    if not made.result:
        return _refused(made, source, as_json=working.json)
    decide = _decide(source, again(context, "--overwrite", without=["--new-key"]))
    facts, lines = _told(made.done, made.plan, decide)
    facts |= {"published": True, "formats": [one.value for one in forms]}
    facts |= {"because": publishing.because, "against": made.against}
    return Done(facts, [*lines, made.result])


def _refused(made: "Publication", source: str, *, as_json: bool) -> Done:
    """Return what stands against publishing, and what is to be done."""
    file, queue = shlex.quote(source), made.queue or queue_beside(Path(source))
    read, added = f"triage review {file}", f"added to {queue}: " if made.queue else ""
    name = shlex.quote(str(queue))
    create = "" if queue.exists() else f"triage queue create {file} -o {name}, "
    sheet = f"{create}triage queue export {name} -o FILE.xlsx, and triage queue import"
    lines = [
        "nothing was published:",
        *(
            f"  {_messages(n, reason)}: {read}, or leave them out with --hold-undecided"
            for reason, n in made.undecided.items()
        ),
        *(
            f"  {n:,} certain: {reason}: {added}mark them, or answer that they are no identifiers "
            f"({read})"
            for reason, n in made.certain.items()
        ),
        *(
            f"  {n:,} certain: {reason}, in {column}: change it in the file that was read"
            for (reason, column), n in made.outside.items()
        ),
        *([f"Without a browser: {sheet}"] if made.undecided or made.certain else []),
        "To publish all the same, say why with --because; the record tells it.",
    ]
    facts = {"published": False, "against": made.against}
    return Done(facts, lines, code=1, beside=not as_json)
