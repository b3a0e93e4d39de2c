"""``triage publish``: from a triaged file to the folder that may leave."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ..errors import TriageError, chosen, reading
from ..safe import check_is_ordinary
from ..settings import Reading, Run, Treatment
from .anonymise import PlanOption, messages_of, told, treat
from .options import (
    FileArgument,
    Models,
    NoListsOption,
    Triaged,
    Working,
    of_run,
    opened_queue,
    processes,
    report,
    show,
)
from .review import queue_beside, queue_of

if TYPE_CHECKING:
    from triage.data import MessageFile

    from ..anonymise.check import Left
    from ..publish import Obstacles
    from ..queue import Task


@dataclass(frozen=True)
class Publishing:
    """What is published in which formats, and what may stand against it."""

    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            help="Also publish in this format: xlsx, parquet, jsonl, tei, iob2, brat, spacy or "
            "datasets; repeatable.",
        ),
    ] = None
    queue: Annotated[
        Path | None, "Queue with the decisions of people; by default the one beside FILE, if any."
    ] = None
    hold_undecided: Annotated[
        bool, "Leave out the messages that are undecided, or in which something is in doubt."
    ] = False
    because: Annotated[
        str | None,
        typer.Option(
            "--because",
            metavar="TEXT",
            help="Publish although something certain is left or undecided; the record says why. "
            "What is undecided is left out all the same, but with --hold none.",
        ),
    ] = None


def publish(
    source: FileArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the publication.")],
    publishing: Publishing,
    treatment: Treatment,
    reading: Triaged,
    setup: Models,
    working: Working,
    no_lists: NoListsOption = False,
    plan: PlanOption = None,
) -> None:
    """Publish a triaged file: anonymise it, check it, and write it with its record and formats.

    FILE is the output of triage classify; the decisions of the queue beside it are applied first.
    The folder appears whole or not at all, an earlier publication stays until then. Nothing is
    published while something certain is left or undecided (exit code 1): decide it with triage
    review FILE, leave undecided messages out with --hold-undecided, or say --because. What
    identifies people (list of messages held back, key table) is never in the folder.
    """
    from ..anonymise.check import check_output
    from ..anonymise.plan import Plan
    from ..anonymise.record import add_to_record
    from ..anonymise.run import AnonymiseRequest
    from ..decide.source import Source
    from ..publish import (
        CORPUS,
        DOCUMENT,
        KIND,
        Published,
        certain_findings,
        obstacles,
        tasks_of,
        write_forms,
    )
    from ..safe import HiddenFolder, Staged, publish_all, staged

    forms = [*dict.fromkeys(chosen(Published, one, "--to") for one in publishing.to or ())]
    _check(source, output, publishing, treatment)
    usual = queue_beside(Path(source))
    queue = publishing.queue or (usual if usual.exists() else None)
    setup = of_run(setup, source, no_lists=no_lists)
    jobs = processes(working.jobs)
    folder = Staged(output, like=source, overwrite=working.overwrite, kind=KIND)
    with folder, HiddenFolder(Path(source).parent) as private, ExitStack() as stack:
        corpus = folder.place / (DOCUMENT if treatment.document else CORPUS)
        keys = private / f"keys{Path(treatment.key_table or 'keys.csv').suffix}"
        request = AnonymiseRequest(
            Source(_decided(source, queue, private, reading.text_column), reading),
            str(corpus),
            (plan or Plan()).with_options(replace(treatment, key_table=str(keys))),
            jobs=jobs,
        )
        done = treat(request, setup, working)
        if done is None:
            typer.echo("triage: nothing was published", err=True)
            raise typer.Exit(1)
        treated, triage = done
        columns = Reading(reading.text_column, reading.id_column)
        checked = check_output(
            Source(str(corpus), columns),
            triage,
            against=request.source,
            key_table=str(keys),
            treating=request.plan.treating(),
            jobs=jobs,
        )
        found = certain_findings(checked)
        answered: Collection[Left] = ()
        if publishing.because is None and not treatment.document:
            tasks = tasks_of(found, Source(str(corpus), columns), str(keys))
            answered = _answered(tasks, queue, Path(source))
        against = obstacles(treated, found, hold=publishing.hold_undecided, answered=answered)
        if any(against) and publishing.because is None:
            _refuse(against, source, working)
        reason = {"because": publishing.because, "against": against.facts()}
        add_to_record(str(corpus), check=checked.facts(), publication=reason)
        write_forms(corpus, keys, forms, columns)
        beside = _taken_out(treated.held, keys, output, treatment.key_table)
        files = [
            staged(path, content, private=True, overwrite=working.overwrite)
            for path, content in beside.items()
        ]
        publish_all([folder, *map(stack.enter_context, files)])
    held = Path(f"{output}.held.csv")
    if not treated.held and working.overwrite:
        held.unlink(missing_ok=True)
    treated.output = str(output)
    treated.held = str(held) if treated.held else ""
    treated.record = str(output / Path(treated.record).name)
    facts, lines = told(treated, request.plan, source)
    facts |= {"published": True, "formats": [one.value for one in forms], **reason}
    report(working, facts, [*lines, checked.result])


def _taken_out(held: str, keys: Path, output: Path, key_table: str | None) -> dict[Path, bytes]:
    """Take what names people out of a folder; return what of it is wanted, by its places."""
    from ..anonymise.restore import private_path

    named = {Path(held): Path(f"{output}.held.csv")} if held else {}
    record, place = private_path(str(keys)), private_path(key_table)
    if key_table and record and place:
        named |= {keys: Path(key_table), record: place}
    contents = {}
    for made, path in named.items():
        contents[path] = made.read_bytes()
        made.unlink()
    return contents


def _check(source: str, output: Path, publishing: Publishing, treatment: Treatment) -> None:
    """Check what no other step checks before the work."""
    from ..publish import KIND

    check_is_ordinary(source)
    with reading(source):
        Path(source).stat()
    if publishing.because is not None and not publishing.because.strip():
        raise TriageError("--because needs a reason")
    table = treatment.key_table
    into = Path(table).parent if table else None
    if into and (into.resolve() == output.resolve() or into.joinpath(KIND.mark).exists()):
        raise TriageError(f"{into} is a publication: write the key table to another folder")


def _decided(source: str, queue: Path | None, folder: Path, text_column: str | None) -> str:
    """Return the file of decisions: the triaged one, or what people made of it."""
    if queue is None:
        return source
    from ..decide.source import Source
    from ..queue.apply import apply_queue

    final = folder / f"final{Path(source).suffix}"
    with opened_queue(queue) as opened:
        apply_queue(opened, final)
    columns = Reading(text_column)
    with Source(source, columns).open() as one, Source(str(final), columns).open() as other:
        texts = zip_longest(*(_texts(file) for file in (one, other)))
        if any(text != same for text, same in texts):
            raise TriageError(
                f"{queue} holds other messages than {source}: add them (triage queue add {queue} "
                f"{source}), name the queue of this file with --queue, or move {queue} away"
            )
    return str(final)


def _texts(file: "MessageFile") -> Iterator[str]:
    return (text for chunk in file.chunks() for text in chunk.texts)


def _answered(tasks: "Mapping[Left, Task]", queue: Path | None, source: Path) -> "Collection[Left]":
    """Hand findings over to the queue of a triaged file; return those that people have answered."""
    from triage.data import open_messages

    from ..publish import unanswered
    from ..queue.apply import FINAL_COLUMNS

    if not tasks:
        return ()
    if queue is None:
        with open_messages(source) as file:
            # The queue of a file that was decided already is another's.
            if not {*FINAL_COLUMNS}.isdisjoint(file.columns):
                return ()
        queue = queue_of(source)
    with opened_queue(queue) as opened:
        waiting = unanswered(opened, [*tasks.values()])
    return [one for one, task in tasks.items() if task not in waiting]


def _refuse(against: "Obstacles", source: str, working: Run) -> NoReturn:
    """Say what stands against publishing, and end with exit code 1."""
    read = f"triage review {shlex.quote(source)}"
    facts = {"published": False, "against": against.facts()}
    lines = [
        "nothing was published:",
        *(
            f"  {messages_of(n, reason)}: {read}, or leave them out with --hold-undecided"
            for reason, n in against.undecided.items()
        ),
        *(
            f"  {n:,} certain: {reason}: mark them, or answer that they are no identifiers ({read})"
            for reason, n in against.certain.items()
        ),
        "To publish all the same, say why with --because; the record tells it.",
    ]
    show(facts, lines, working.json, err=not working.json)
    raise typer.Exit(1)
