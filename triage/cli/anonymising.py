"""Replacing identifiers, and putting them back: ``triage plan``, ``anonymise`` and ``restore``."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from secrets import token_bytes
from typing import Annotated, Any

import typer

from ..anonymise import keys, run, styles
from ..anonymise.plan import Plan, plan_shown
from ..anonymise.record import HeldFor
from ..anonymise.run import Anonymised, AnonymiseRequest
from ..decide.people import read_people
from ..decide.pipeline import Triage
from ..errors import as_typed, some_of
from ..model.annotated import FINAL_ACTION
from ..safe import STANDARD_STREAM
from ..settings import Setup, Treatment
from ..vocabulary import Quantity
from .options import Call, FileArgument, queue_beside
from .printed import TEXTS, Done, formula_warning, refused, text, warn

_LONGEST_NAME = 24


def plan_() -> None:
    typer.echo(plan_shown())


def anonymise(
    call: Annotated[Call, "plan", Treatment, "people overwrite jobs quiet"],
    source: FileArgument,
    output: str,
) -> Done:
    request = request_of(call, source, output)
    try:
        done, _ = anonymised(request, call, call.setup_of_run(source))
    except NoTableError as table:
        return write_people(table, request)
    file, folder = source, str(queue_beside(Path(source)).with_suffix(".published"))
    if source == STANDARD_STREAM:
        file, folder = "FILE", "FOLDER"
    publish_it = as_typed("triage", "publish", file, "-o", folder)
    way = f"with triage review {as_typed(file)}, then {publish_it}"
    if FINAL_ACTION in (*done.columns, *done.dropped):
        way = "in the queue (triage review), then triage queue apply again"
    return Done(*report(done, request.plan, way))


def request_of(call: Call, source: str, output: str) -> AnonymiseRequest:
    """Return the request of a command; its key may be new, or none."""
    plan = (call.plan or Plan()).with_settings(call.given_treatment())
    path, is_new, key = plan.treatment.key and Path(plan.treatment.key), plan.treatment.new_key, b""
    if not path:
        if is_new:
            raise refused("no_key_file")
    elif is_new and path.exists():
        raise refused("key_is_there", path=path)
    elif not is_new and not path.exists():
        raise refused("no_key", path=path)
    else:
        key = token_bytes(keys.KEY_BYTES) if is_new else keys.read_key(path)
    file, overwrite = call.source(source), call.run.overwrite
    return AnonymiseRequest(file, output, plan, key, overwrite, call.jobs, call.origins)


class NoTableError(Exception):
    """The table of people is not there: its path, the table, and how many names are senders'."""


def write_people(missing: NoTableError, request: AnonymiseRequest) -> Done:
    """Write a table to be edited, and the key that it follows from if that is a new one."""
    path, table, n_own = missing.args
    styles.write_table(path, table, beside=request.new_key())
    facts = {"people": str(path), "spellings": len(table), "own_names": n_own}
    without = ", without --new-key" if request.treatment.new_key else ""
    line = text("people", facts, but=without)
    if n_own:
        line += text("people own", facts)
    return Done(facts, [line])


def anonymised(request: AnonymiseRequest, call: Call, setup: Setup) -> tuple[Anonymised, Triage]:
    """Anonymise a file by the table of people; raise `NoTableError` where that is not there."""
    request.check(setup)
    people = Path(setup.people) if setup.people else None
    is_new = people is not None and not people.exists()
    if is_new:
        setup = replace(setup, people=None)
    triage = call.load(request.source.first_messages(), setup)
    with request.source.open() as file:
        seen = run.find_all(file, request, triage, call.progress)
        if is_new:
            raise NoTableError(people, *seen.table())
        return run.anonymise(seen, read_people(people) if people else None, warn), triage


def report(done: Anonymised, plan: Plan, decide: str) -> tuple[dict[str, Any], list[str]]:
    """Return the facts and lines of an output, which tell how to decide what waits."""
    severity = {kind.value: one for kind, one in plan.severity.items()}
    replaced = [
        {"type": kind, "rule": rule, "identifiers": n, "severity": severity[kind]}
        for (kind, rule), n in sorted(done.replaced.items())
    ]
    lines, n_replaced = [text("anonymise", vars(done))], sum(done.replaced.values())
    for reason in HeldFor:
        if n := Quantity(done.held_back[reason]):
            way = TEXTS["held"][reason.name]["way"].format(n=n, how=decide)
            lines.append(f"{held_messages(n, reason)}: {way}")
        if n := Quantity(done.released[reason]):
            lines.append(f"{held_messages(n, reason)}: WRITTEN")
    if done.held:
        lines.append(f"They are listed in {done.held}, by row and id")
    lines.append(text("anonymise replaced", vars(done), n=n_replaced, style=plan.style))
    if done.document:
        beside = ", ".join(f"{n:,} {what}" for what, n in done.document.items())
        lines.append(f"in the document beside its messages: {beside}")
    if done.kept:
        kept = ", ".join(f"{n:,} {kind}" for kind, n in sorted(done.kept.items()))
        lines.append(f"left standing by choice: {kept}")
    lines += ["", f"{'type':<6} {'found by':<12} {'identifiers':>11}"]
    lines += [f"{one['type']:<6} {one['rule']:<12} {one['identifiers']:>11,}" for one in replaced]
    lines += ["", f"columns written: {_listed(done.columns)}"]
    if done.dropped:
        lines.append(f"columns dropped: {_listed(done.dropped)} (--keep COLUMN writes one)")
    if done.record:
        lines.append(f"The record of this, without any message or name, is {done.record}")
    if done.formulas:
        lines.append(formula_warning(done.formulas))
    return vars(done) | {"replaced": replaced, "style": plan.style}, lines


def held_messages(n: int, reason: HeldFor) -> str:
    return f"{n:,} {TEXTS['held'][reason.name]['one' if n == 1 else 'several']}"


def _listed(columns: Iterable[str]) -> str:
    """Return the names of columns; long ones are left out, as they may be messages."""
    names = [name if len(name) <= _LONGEST_NAME else "…" for name in columns]
    return some_of(names, 30)


def restore(
    call: Annotated[Call, "plan overwrite"], source: FileArgument, output: str, key_table: str
) -> Done:
    overwrite = call.run.overwrite
    done = keys.restore(call.source(source), key_table, output, overwrite=overwrite)
    return Done(done, [text("restore", done, output=output)])
