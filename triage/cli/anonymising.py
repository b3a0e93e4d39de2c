"""Anonymising and publishing: ``triage plan``, ``anonymise``, ``restore`` and ``publish``."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..declared import choice
from ..errors import TriageError
from ..safe import STANDARD_STREAM
from ..settings import Setup, Treatment
from .call import Call, load, of_run
from .options import FileArgument
from .printed import TEXTS, Done, formula_warning, note, text, warn
from .reading import queue_beside, queue_of

if TYPE_CHECKING:
    from ..anonymise.plan import Plan
    from ..anonymise.record import HeldFor
    from ..anonymise.run import Anonymised, AnonymiseRequest
    from ..anonymise.styles import EntityTable
    from ..decide.pipeline import Triage
    from ..publish import Publication

_LONGEST_NAME = 24
_MOST_NAMES = 30


def plan_() -> None:
    """Print the default plan of treatment, with comments."""
    from ..anonymise.plan import plan_shown

    typer.echo(plan_shown())


def anonymise(
    call: Annotated[Call, "plan", Treatment, "people overwrite jobs quiet"],
    source: FileArgument,
    output: str,
) -> Done:
    """Replace the identifiers in messages."""
    from ..model.annotated import FINAL_ACTION

    request = _request(call, source, output)
    try:
        done, _ = _treated(request, call, of_run(call.setup, source))
    except _ToEdit as table:
        return table.written(request)
    folder = queue_beside(Path(source)).with_suffix(".published")
    decide = _decide(source, shlex.join(["triage", "publish", source, "-o", str(folder)]))
    if FINAL_ACTION in (*done.columns, *done.dropped):
        decide = "decide them in their queue (triage review), then triage queue apply again"
    facts, lines = _told(done, request.plan, decide)
    return Done(facts, lines, beside=output == STANDARD_STREAM)


def _request(call: Call, source: str, output: str) -> "AnonymiseRequest":
    from ..anonymise.plan import Plan
    from ..anonymise.run import AnonymiseRequest

    plan = (call.plan or Plan()).with_options(call.treatment)
    key = _key(f"--style {plan.style}" if plan.keyed_styles else "", plan.treatment)
    file, overwrite = call.source(source), call.run.overwrite
    return AnonymiseRequest(file, output, plan, key, overwrite, call.jobs, call.origins)


class _ToEdit(Exception):  # noqa: N818
    """The table of people is not there: it is to be written, and edited first."""

    def __init__(self, path: Path, table: "EntityTable", n_own: int) -> None:
        super().__init__()
        self._path, self._table, self._n_own = path, table, n_own

    def written(self, request: "AnonymiseRequest") -> Done:
        """Write the table, and the key that it follows from if that is a new one."""
        from ..anonymise.styles import write_table

        write_table(self._path, self._table, beside=request.new_key())
        n_own, n_spellings = self._n_own, len(self._table.entries)
        facts = {"people": str(self._path), "spellings": n_spellings, "own_names": n_own}
        but = ", without --new-key" if request.treatment.new_key else ""
        line = text("people", facts, but=but)
        if n_own:
            line += text("people own", n=n_own, names="name" if n_own == 1 else "names")
        return Done(facts, [line], beside=request.output == STANDARD_STREAM)


def _treated(request: "AnonymiseRequest", call: Call, setup: Setup) -> "tuple[Anonymised, Triage]":
    """Anonymise a file, as the table of people says; raise `_ToEdit` where that is not there."""
    from ..anonymise.run import anonymise as anonymise_all
    from ..anonymise.run import find_all
    from ..anonymise.styles import read_table

    key = Path(call.treatment.key) if call.treatment.key else None
    people = Path(setup.people) if setup.people else None
    new_people = people if people and not people.exists() else None
    if new_people:
        setup = replace(setup, people=None)
    tables = [path for path in (key, people) if path]
    read = [*map(Path, setup.paths), *request.plan.read_from]
    request.check_paths(
        [*read, *(one for one in tables if one.exists())],
        [one for one in tables if not one.exists()],
    )
    triage = load(setup, request.source.first_messages)
    with call.progress() as progress, request.source.open() as file:
        seen = find_all(file, request, triage, progress)
        if not new_people:
            edited = read_table(people) if people else None
            return anonymise_all(seen, edited, warn), triage
        raise _ToEdit(new_people, *seen.table())


def _key(style: str, treatment: Treatment) -> bytes:
    """Return the key, perhaps a new one, or nothing; a style that needs one is named."""
    from ..anonymise.keys import make_key, read_key

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
    return make_key() if is_new else read_key(path)


def _decide(source: str, next_: str) -> str:
    return f"decide them with triage review {shlex.quote(source)}, then {next_}"


def _told(done: "Anonymised", plan: "Plan", decide: str) -> tuple[dict[str, Any], Iterator[str]]:
    """Return what was done, as facts and as lines; `decide` is what to do with what waits."""
    severity = {kind.value: how for kind, how in plan.severity.items()}
    replaced = [
        {"type": kind, "rule": rule, "identifiers": n, "severity": severity[kind]}
        for (kind, rule), n in sorted(done.replaced.items())
    ]
    facts = vars(done) | {"replaced": replaced, "style": plan.style}
    return facts, _lines(done, plan.style, decide)


def _lines(done: "Anonymised", style: str, decide: str) -> Iterator[str]:
    yield text("anonymise", vars(done))
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


def _held_lines(done: "Anonymised", decide: str) -> Iterator[str]:
    """Yield the numbers of messages held back, or written all the same, and what to do."""
    from ..anonymise.record import HeldFor

    for reason in HeldFor:
        if n := done.held_back[reason]:
            yield f"{_messages(n, reason)}: {TEXTS['held'][reason.name]['way'] or decide}"
        if n := done.released[reason]:
            yield f"{_messages(n, reason)}: WRITTEN"
    if done.held:
        yield f"They are listed in {done.held}, by row and id"


def _messages(n: int, reason: "HeldFor") -> str:
    return f"{n:,} {TEXTS['held'][reason.name]['one' if n == 1 else 'several']}"


def _listed(columns: Iterable[str]) -> str:
    """Return the names of columns; long ones are left out, as they may be messages."""
    names = [name if len(name) <= _LONGEST_NAME else "…" for name in columns]
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"and {more:,} more"] if more > 0 else [])])


def restore(
    call: Annotated[Call, "plan overwrite quiet"],
    source: FileArgument,
    output: str,
    key_table: str,
) -> Done:
    """Put the original messages back into an anonymised file."""
    from ..anonymise.keys import restore as restore_file

    overwrite = call.run.overwrite
    done = restore_file(call.source(source), key_table, output, overwrite=overwrite)
    line = text("restore", done, output=output)
    return Done(done, [line], beside=output == STANDARD_STREAM)


def publish(
    call: Annotated[
        Call, "plan style keep key new-key key-table document people overwrite jobs quiet"
    ],
    source: FileArgument,
    output: Path,
    to: tuple[str, ...] = (),
    queue: Path | None = None,
    hold_undecided: bool = False,
    because: str | None = None,
) -> Done:
    """Anonymise a triaged file, check it, and publish it."""
    from ..publish import Published
    from ..publish import publish as publish_all

    forms = [*dict.fromkeys(choice(Published, one, "--to") for one in to)]
    usual = queue_beside(Path(source))
    asked = _request(call, source, str(output))
    try:
        made = publish_all(
            asked,
            partial(_treated, call=call, setup=of_run(call.setup, source)),
            queue_of,
            forms=forms,
            queue=queue or (usual if usual.exists() else None),
            because=because,
            hold=hold_undecided,
            also_read=call.read_from,
        )
    except _ToEdit as table:
        note("nothing was published")
        return table.written(asked)._replace(code=1)
    if not made.result:
        facts = {"published": False, "against": made.against}
        return Done(facts, _refused(made, source), code=1, beside=not call.run.json)
    decide = _decide(source, call.again("--overwrite", without=["--new-key"]))
    facts, lines = _told(made.done, made.plan, decide)
    facts |= {"published": True, "formats": [one.value for one in forms]}
    return Done(facts | {"because": because, "against": made.against}, [*lines, made.result])


def _refused(made: "Publication", source: str) -> Iterator[str]:
    """Yield what stands against publishing, and what is to be done."""
    queue, read = made.queue or queue_beside(Path(source)), f"triage review {shlex.quote(source)}"
    added, name = f"added to {queue}: " if made.queue else "", shlex.quote(str(queue))
    yield "nothing was published:"
    for held, n in made.undecided.items():
        yield f"  {_messages(n, held)}: {read}, or leave them out with --hold-undecided"
    for reason, n in made.certain.items():
        yield text("publish certain", n=n, reason=reason, added=added, read=read)
    for (reason, column), n in made.outside.items():
        yield text("publish outside", n=n, reason=reason, column=column)
    if made.undecided or made.certain:
        new = "" if queue.exists() else f"triage queue create {shlex.quote(source)} -o {name}, "
        yield text("publish by sheet", create=new, queue=name)
    yield "To publish all the same, say why with --because; the record tells it."
