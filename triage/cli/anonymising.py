"""Replacing identifiers, and searching for what is left.

``triage plan``, ``anonymise``, ``restore``, ``publish``, ``check`` and ``mine``.
"""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from triage.dictionaries.pack import NO_LANGUAGE
from triage.reports.page import report_html

from .. import publish as publishing
from ..anonymise import check as checking
from ..anonymise import comparison, keys, record, run, styles
from ..anonymise.check import Checked
from ..anonymise.plan import Plan, plan_shown
from ..anonymise.record import HeldFor
from ..anonymise.run import Anonymised, AnonymiseRequest
from ..decide.pipeline import Triage
from ..decide.source import SAID, Source
from ..errors import TriageError, UserError
from ..mining.session import LISTS, facts_of, open_session, write_round
from ..model.annotated import FINAL_ACTION
from ..safe import STANDARD_STREAM, check_folder, check_targets, write_file
from ..settings import Setup, Treatment, declared
from .options import Call, FileArgument
from .printed import TEXTS, Done, formula_warning, note, shown, text, warn
from .reading import queue_beside, queue_of

_LONGEST_NAME = 24
_MOST_NAMES = 30


def plan_() -> None:
    typer.echo(plan_shown())


def anonymise(
    call: Annotated[Call, "plan", Treatment, "people overwrite jobs quiet"],
    source: FileArgument,
    output: str,
) -> Done:
    request = _request(call, source, output)
    try:
        done, _ = _treated(request, call, call.of_run(source))
    except _ToEdit as table:
        return _to_edit(table, request)
    folder = queue_beside(Path(source)).with_suffix(".published")
    publish_it = shlex.join(["triage", "publish", source, "-o", str(folder)])
    decide = f"decide them with triage review {shlex.quote(source)}, then {publish_it}"
    if FINAL_ACTION in (*done.columns, *done.dropped):
        decide = "decide them in their queue (triage review), then triage queue apply again"
    facts, lines = _told(done, request.plan, decide)
    return Done(facts, lines, beside=output == STANDARD_STREAM)


def _request(call: Call, source: str, output: str) -> AnonymiseRequest:
    planned = (call.plan or Plan()).with_options(call.treatment)
    key = _key(f"--style {planned.style}" if planned.keyed_styles else "", planned.treatment)
    file, overwrite = call.source(source), call.run.overwrite
    return AnonymiseRequest(file, output, planned, key, overwrite, call.jobs, call.origins)


class _ToEdit(Exception):  # noqa: N818
    """The table of people is not there: its path, the table, and how many names are senders'."""


def _to_edit(wanted: _ToEdit, request: AnonymiseRequest) -> Done:
    """Write a table to be edited, and the key that it follows from if that is a new one."""
    path, table, n_own = wanted.args
    styles.write_table(path, table, beside=request.new_key())
    facts = {"people": str(path), "spellings": len(table.entries), "own_names": n_own}
    but = ", without --new-key" if request.treatment.new_key else ""
    line = text("people", facts, but=but)
    if n_own:
        line += text("people own", n=n_own, names="name" if n_own == 1 else "names")
    return Done(facts, [line], beside=request.output == STANDARD_STREAM)


def _treated(request: AnonymiseRequest, call: Call, setup: Setup) -> tuple[Anonymised, Triage]:
    """Anonymise a file, as the table of people says; raise `_ToEdit` where that is not there."""
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
    triage = call.load(request.source.first_messages(), setup)
    with request.source.open() as file:
        seen = run.find_all(file, request, triage, call.progress)
        if new_people:
            raise _ToEdit(new_people, *seen.table())
        return run.anonymise(seen, styles.read_table(people) if people else None, warn), triage


def _key(style: str, treatment: Treatment) -> bytes:
    """Return the key, perhaps a new one, or nothing; a style that needs one is named."""
    path, is_new = treatment.key and Path(treatment.key), treatment.new_key
    if not path:
        if wants := "--new-key" if is_new else style:
            way = "name it with --key, and add --new-key to make it"
            raise TriageError(f"{wants} needs a key file: {way}")
        return b""
    if is_new and path.exists():
        raise TriageError(f"the key file {path} is there already: leave --new-key out to use it")
    if not is_new and not path.exists():
        raise TriageError(
            f"there is no key file {path}: correct its name, or add --new-key to create it"
        )
    return keys.make_key() if is_new else keys.read_key(path)


def _told(done: Anonymised, plan: Plan, decide: str) -> tuple[dict[str, Any], Iterator[str]]:
    """Return what was done, as facts and as lines; `decide` is what to do with what waits."""
    severity = {kind.value: how for kind, how in plan.severity.items()}
    replaced = [
        {"type": kind, "rule": rule, "identifiers": n, "severity": severity[kind]}
        for (kind, rule), n in sorted(done.replaced.items())
    ]
    facts = vars(done) | {"replaced": replaced, "style": plan.style}
    return facts, _lines(done, plan.style, decide)


def _lines(done: Anonymised, style: str, decide: str) -> Iterator[str]:
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


def _held_lines(done: Anonymised, decide: str) -> Iterator[str]:
    """Yield the numbers of messages held back, or written all the same, and what to do."""
    for reason in HeldFor:
        if n := done.held_back[reason]:
            yield f"{_messages(n, reason)}: {TEXTS['held'][reason.name]['way'] or decide}"
        if n := done.released[reason]:
            yield f"{_messages(n, reason)}: WRITTEN"
    if done.held:
        yield f"They are listed in {done.held}, by row and id"


def _messages(n: int, reason: HeldFor) -> str:
    return f"{n:,} {TEXTS['held'][reason.name]['one' if n == 1 else 'several']}"


def _listed(columns: Iterable[str]) -> str:
    """Return the names of columns; long ones are left out, as they may be messages."""
    names = [name if len(name) <= _LONGEST_NAME else "…" for name in columns]
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"and {more:,} more"] if more > 0 else [])])


def restore(
    call: Annotated[Call, "plan overwrite"],
    source: FileArgument,
    output: str,
    key_table: str,
) -> Done:
    overwrite = call.run.overwrite
    done = keys.restore(call.source(source), key_table, output, overwrite=overwrite)
    line = text("restore", done, output=output)
    return Done(done, [line], beside=output == STANDARD_STREAM)


def publish(
    call: Annotated[
        Call, "plan style keep key new-key key-table document people overwrite jobs quiet"
    ],
    source: FileArgument,
    output: Path,
    to: tuple[publishing.Published, ...] = (),
    queue: Path | None = None,
    hold_undecided: bool = False,
    because: str | None = None,
) -> Done:
    forms = [*dict.fromkeys(to)]
    usual = queue_beside(Path(source))
    asked = _request(call, source, str(output))
    try:
        made = publishing.publish(
            asked,
            partial(_treated, call=call, setup=call.of_run(source)),
            partial(queue_of, call),
            forms=forms,
            queue=queue or (usual if usual.exists() else None),
            because=because,
            hold=hold_undecided,
            also_read=call.read_from,
        )
    except _ToEdit as table:
        note("nothing was published")
        return _to_edit(table, asked)._replace(code=1)
    if not made.result:
        facts = {"published": False, "against": made.against}
        return Done(facts, _refused(made, source), code=1, beside=not call.run.json)
    again = call.again("--overwrite", without=["--new-key"])
    decide = f"decide them with triage review {shlex.quote(source)}, then {again}"
    facts, lines = _told(made.done, asked.plan, decide)
    facts |= {"published": True, "formats": [one.value for one in forms]}
    return Done(facts | {"because": because, "against": made.against}, [*lines, made.result])


def _refused(made: publishing.Publication, source: str) -> Iterator[str]:
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


def check(
    call: Annotated[Call, "plan overwrite jobs"],
    source: FileArgument,
    against: str | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    show: bool = False,
    report: Path | None = None,
    sample: int | None = declared(None, low=1),
    answers: Path | None = None,
) -> Done:
    if against is not None and key_table is not None:
        raise TriageError("give either --against or --key-table, not both")
    folder = Path(source) if Path(source).is_dir() else None
    output = call.source(publishing.main_table(folder) if folder else source)
    _check_sample(sample, answers, output.path)
    if report:
        inputs = [output.path, against, key_table, *call.read_from]
        check_targets([report], inputs, overwrite=call.run.overwrite)
    found, lines = _searched(call, output, folder, against, key_table, queue)
    parts = {output.path: found} | found.further
    whole = _together(parts) if folder else found
    if report:
        page = report_html(checking.page_of_check(whole)).encode()
        write_file(report, page, private=True, overwrite=call.run.overwrite)
    answered, asked = _asked(output, sample, answers, call.run.seed) if sample else (None, [])
    try:
        record.add_to_record(output.path, check=whole.facts(), sample=answered)
    except UserError as error:
        warn(f"nothing was added to the record: {error}")
    for path, one in parts.items():
        lines += _found_lines(one, path, folder, key_table, show=show)
    facts = _check_facts(whole, answered, show=show)
    if folder:
        facts["files"] = {Path(path).name: one.facts() for path, one in parts.items()}
        lines += [f"all {len(parts):,} files: {whole.result}"] if found.further else []
    is_clean = whole.is_clean and not (answered and answered["recognised"])
    return Done(facts, [*lines, *asked], int(not is_clean))


def _check_sample(sample: int | None, answers: Path | None, source: str) -> None:
    if sample is None:
        if answers is not None:
            raise TriageError("--answers is of --sample: say how many messages")
    elif source == STANDARD_STREAM:
        raise TriageError("--sample reads FILE twice: name a file, not standard input")
    elif answers is not None and not answers.exists():
        check_targets([answers], [source])


def _searched(
    call: Call,
    output: Source,
    folder: Path | None,
    against: str | None,
    key_table: str | None,
    queue: Path | None,
) -> tuple[Checked, list[str]]:
    """Search a file, or the folder of a publication, but for what people said is kept."""
    before = None if against is None else Source(against, output.said)
    if queue and not (against or key_table):
        raise TriageError("--queue is of the messages before: add --against or --key-table")
    if before and not queue and queue_beside(Path(before.path)).exists():
        queue = queue_beside(Path(before.path))
    with (
        publishing.decided(before, queue)
        if queue
        else nullcontext((before, checking.Answers())) as (made, kept)
    ):
        found = checking.check_output(
            output,
            call.triaged(output, (made or output).first_messages()),
            against=made,
            called=against or "",
            key_table=key_table,
            plan=call.plan,
            jobs=call.jobs,
            listed=str(folder or ""),
            answers=kept,
            further=publishing.further_files(folder, output.said) if folder else (),
        )
    return found, [f"with the decisions of people in {queue}"] if queue else []


def _together(parts: Mapping[str, Checked]) -> Checked:
    """Return what was found in all files of a publication, each column named with its file."""
    left = [
        replace(one, column=f"{Path(path).name}: {one.column}")
        for path, found in parts.items()
        for one in found.left
    ]
    return replace(next(iter(parts.values())), left=left)


def _check_facts(
    found: Checked, answered: Mapping[str, Any] | None, *, show: bool
) -> dict[str, Any]:
    counts = Counter(one.certainty for one in found.left)
    left = [
        {name: value for name, value in vars(one).items() if show or name not in checking.SHOWN}
        for one in found.left
    ]
    facts: dict[str, Any] = {
        "rows": found.rows,
        "replaced": found.replaced,
        "clean": found.is_clean,
        "undecided": counts[checking.Certainty.UNDECIDED],
        "added": counts[checking.Certainty.ADDED],
        "left": left,
    }
    return facts | ({"sample": answered} if answered else {})


def _asked(
    output: Source, n: int, path: Path | None, seed: int
) -> tuple[dict[str, Any] | None, list[str]]:
    """Ask whether a person recognises somebody in some messages; return what the answers tell.

    Where a file is to hold the answers and is not there, it is written for them.
    """
    with output.open() as file:
        drawn = record.draw(comparison.read_messages(file).texts, n, seed)
    if path is None:
        answers, unanswered = [*_ask(drawn)], "nothing was answered"
    else:
        answers, unanswered = [], text("check answers", path=path)
        if path.exists():
            answers = record.read_sample(path, drawn)
        else:
            with keys.private_table(path, record.SAMPLE, ((*one, "") for one in drawn)) as table:
                table.commit()
    if not answers:
        return None, [unanswered]
    facts = record.facts_of_sample(seed, len(drawn), answers)
    share = facts["recognised"] / facts["answered"]
    return facts, [text("check sample", facts, share=share)]


def _ask(drawn: Sequence[tuple[int, str]]) -> Iterator[bool]:
    """Ask of one message after the other, on standard error, until all are answered or q."""
    for number, (_, message) in enumerate(drawn, 1):
        typer.echo(f"\n{number:,}/{len(drawn):,}  {shown(message)}", err=True)
        answer = None
        while answer is None:
            typer.echo("Would you recognise somebody? (y/n, q to stop) ", nl=False, err=True)
            said = sys.stdin.readline()
            if not said or said.strip().lower() == "q":
                return
            answer = SAID.get(said.strip().lower())
        yield answer


def _found_lines(
    found: Checked, source: str, folder: Path | None, key_table: str | None, *, show: bool
) -> Iterator[str]:
    """Yield what was found in a file, which may be one of a publication."""
    if folder:
        yield f"{source}:"
    yield f"{found.rows:,} {'row' if found.rows == 1 else 'rows'} looked through for {found.sought}"
    for (certainty, severity, reason), n in found.counts().items():
        yield f"{certainty:<9} {severity:<8} {n:>7,}  {reason}"
    if show:
        yield from (
            f"row {one.row}: ({one.certainty}: {one.reason})" for one in found.left if not one.text
        )
        for spelling in found.spellings():
            yield from (checking.title_of(spelling), *checking.lines_of(spelling))
    elif found.left:
        yield "--show prints them, by spelling; --report FILE writes them to a page"
    if source != STANDARD_STREAM and found.rows and any(one.text for one in found.left):
        # What names people is written beside a publication, not into it.
        output = f"{folder or Path(source).with_suffix('')}.candidates.csv"
        known = ["--key-table", key_table] if key_table else []
        mine = shlex.join(["triage", "mine", source, *known, "-o", output])
        yield f"to decide them spelling by spelling: {mine}"
    yield found.result


def mine(
    call: Annotated[Call, "plan overwrite"],
    source: FileArgument,
    output: Path,
    answers: tuple[Path, ...] = (),
    catalogue: Path | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    lists: Path | None = None,
    concordance: Path | None = None,
    bound: float = declared(0.02, panel="Rare"),
) -> Done:
    overwrite = call.run.overwrite
    named = (path for path in (catalogue, key_table, queue) if path)
    inputs = [source, *call.read_from, *answers, *named]
    check_targets([output, concordance], inputs, overwrite=overwrite)
    if lists:
        check_folder(lists, LISTS, inputs, overwrite=overwrite)
    file = call.source(source)
    triage = None if call.setup.language == NO_LANGUAGE else call.triaged(file)
    session = open_session(
        file,
        triage,
        answers=answers,
        catalogue=catalogue,
        key_table=key_table,
        queue=queue,
        progress=call.progress,
        jobs=call.jobs,
    )
    found = session.candidates(bound)
    write_round(
        session, found, output=output, lists=lists, concordance=concordance, overwrite=overwrite
    )
    facts = facts_of(session, found, bound)
    return Done(facts, _mined_lines(facts, output, bound))


def _mined_lines(facts: Mapping[str, Any], output: Path, bound: float) -> Iterator[str]:
    yield text("mine", facts, output=output)
    if facts["answers"]:
        yield "answered: " + ", ".join(f"{n:,} {one}" for one, n in facts["answers"].items())
    yield text("mine left", facts)
    if not facts["candidates"]:
        yield f"mining has ended: no candidate is left from a likelihood of {bound:g} on"
