"""What becomes of a triaged file: publishing, replacing, restoring, searching for what is left.

They are ``triage publish``, ``anonymise``, ``plan``, ``restore``, ``check`` and ``mine``.
"""

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..declared import choice, declared
from ..errors import TriageError
from ..safe import STANDARD_STREAM, check_targets
from ..settings import Run, Setup, Treatment
from .options import (
    Done,
    FileArgument,
    Known,
    OutputOption,
    People,
    PlanOption,
    Silent,
    Triaged,
    Writing,
    again,
    at_work,
    formula_warning,
    load,
    note,
    of_run,
    origins,
    planned,
    processes,
    shown,
    source_of,
    warn,
)
from .reading import queue_beside, queue_of

if TYPE_CHECKING:
    from ..anonymise.check import Checked
    from ..anonymise.held import Reason
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
    setup: People,
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
    said = planned(plan).with_options(treatment)
    request = _request(context, source_of(source, columns), output, said, working)
    try:
        done = _treated(request, of_run(setup, source), working)
    except _ToEdit as table:
        return table.done
    folder = queue_beside(Path(source)).with_suffix(".published")
    next_ = shlex.join(["triage", "publish", source, "-o", str(folder)])
    facts, lines = _told(done[0], request.plan, source, next_)
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
    with at_work(working) as (progress, _), request.source.open() as file:
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


def _told(
    done: "Anonymised", plan: "Plan", source: str, next_: str
) -> tuple[dict[str, Any], Iterator[str]]:
    """Return what was done, as facts and as lines for people; `next_` publishes what waits."""
    severity = {kind.value: how for kind, how in plan.severity.items()}
    replaced = [
        {"type": kind, "rule": rule, "identifiers": n, "severity": severity[kind]}
        for (kind, rule), n in sorted(done.replaced.items())
    ]
    facts = vars(done) | {"replaced": replaced, "style": str(plan.style)}
    return facts, _lines(done, str(plan.style), source, next_)


def _lines(done: "Anonymised", style: str, source: str, next_: str) -> Iterator[str]:
    yield (
        f"{done.rows_read:,} messages read, {done.rows_written:,} written to {done.output}, "
        f"{done.rows_held:,} held back"
    )
    yield from _held_lines(done, source, next_)
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


def _held_lines(done: "Anonymised", source: str, next_: str) -> Iterator[str]:
    """Yield the numbers of messages held back, or written all the same, and what to do."""
    from ..anonymise.held import Reason
    from ..model.annotated import FINAL_ACTION

    decide = f"decide them with triage review {shlex.quote(source)}, then {next_}"
    if FINAL_ACTION in (*done.columns, *done.dropped):
        decide = "decide them in their queue (triage review), then triage queue apply again"
    for reason in Reason:
        if n := done.held_back[reason]:
            yield f"{_messages(n, reason)}: {_HELD[reason.name][2] or decide}"
        if n := done.released[reason]:
            yield f"{_messages(n, reason)}: WRITTEN"
    if done.held:
        yield f"They are listed in {done.held}, by row and id"


def _messages(n: int, reason: "Reason") -> str:
    return f"{n:,} {_HELD[reason.name][n != 1]}"


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
    """What is published in which formats, and what may stand against it."""

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
    setup: People,
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
        )
    except _ToEdit as table:
        note("nothing was published")
        return table.done._replace(code=1)
    if not made.result:
        return _refused(made, source, as_json=working.json)
    next_ = again(context, "--overwrite", without=["--new-key"])
    facts, lines = _told(made.done, made.plan, source, next_)
    facts |= {"published": True, "formats": [one.value for one in forms]}
    facts |= {"because": publishing.because, "against": made.against}
    return Done(facts, [*lines, made.result])


def _refused(made: "Publication", source: str, *, as_json: bool) -> Done:
    """Return what stands against publishing, and what is to be done."""
    read = f"triage review {shlex.quote(source)}"
    lines = [
        "nothing was published:",
        *(
            f"  {_messages(n, reason)}: {read}, or leave them out with --hold-undecided"
            for reason, n in made.undecided.items()
        ),
        *(
            f"  {n:,} certain: {reason}: mark them, or answer that they are no identifiers ({read})"
            for reason, n in made.certain.items()
        ),
        "To publish all the same, say why with --because; the record tells it.",
    ]
    facts = {"published": False, "against": made.against}
    return Done(facts, lines, code=1, beside=not as_json)


@dataclass(frozen=True)
class Sampling:
    """The question whether a person recognises somebody."""

    sample: int | None = declared(
        None, "Also ask of so many messages: would you recognise somebody?", low=1
    )
    seed: int = declared(0, "Another seed draws other messages.")
    answers: Path | None = declared(
        None,
        "Do not ask at the terminal: write the sample to this table, to be answered there, or "
        "read the answers if it exists.",
    )


def check(
    source: FileArgument,
    sampling: Sampling,
    setup: Known,
    columns: Triaged,
    working: Annotated[Run, "overwrite", "jobs", "json"],
    against: str | None = declared(None, "File of the messages before anonymising."),
    key_table: str | None = declared(
        None, "Key table of triage anonymise, in place of the original messages."
    ),
    show: bool = declared(
        False, "Print what was found, by spelling, and where it stands; this may identify people."
    ),
    report: Path | None = declared(
        None, "Also write what was found to this page of HTML, readable by you only."
    ),
    plan: PlanOption = None,
) -> Done:
    """Search an anonymised file for remaining identifiers.

    FILE is the output of triage anonymise, or the folder of triage publish, of which each table,
    document and text is searched. The exit code is 1 if something certain is left, or a
    message that still waits for the expert or is not in the original file. Certain is what was true
    in four of five cases when it was measured; likely findings are worth a look, possible ones
    mostly identify nobody. Without --against and --key-table, only names and patterns are searched
    for. What the plan says stays is counted as planned. What is found is added to the record of
    triage anonymise, if that is beside FILE.
    """
    from triage.data import DataError
    from triage.reports.page import report_html

    from ..anonymise.check import SHOWN, Certainty, check_output
    from ..anonymise.pages import page_of_check
    from ..anonymise.record import add_to_record
    from ..publish import further_files, main_table
    from ..safe import write_file

    if against is not None and key_table is not None:
        raise TriageError("give either --against or --key-table, not both")
    folder = Path(source) if Path(source).is_dir() else None
    source = main_table(folder) if folder else source
    output = source_of(source, columns)
    before = None if against is None else source_of(against, output.said)
    _check_sampling(sampling, source)
    inputs = [source, against, key_table, *planned(plan).read_from, *setup.paths]
    if report:
        check_targets([report], inputs, overwrite=working.overwrite)
    found = check_output(
        output,
        load(of_run(setup, source), (before or output).first_messages),
        against=before,
        key_table=key_table,
        plan=plan,
        jobs=processes(working.jobs),
        listed=str(folder or ""),
        further=further_files(folder, output.said) if folder else (),
    )
    files, lines = {source: found} | found.further, list[str]()
    for path, one in files.items():
        lines += [*([f"{path}:"] if folder else []), *_check_lines(one, show, path)]
    if folder:
        every = ((Path(path).name, left) for path, one in files.items() for left in one.left)
        left = [replace(one, column=f"{name}: {one.column}") for name, one in every]
        found = replace(found, left=left)
        lines += [f"all {len(files):,} files: {found.result}"] if len(files) > 1 else []
    if report:
        content = report_html(page_of_check(found)).encode()
        write_file(report, content, private=True, overwrite=working.overwrite)
    answered = _asked(output, sampling) if sampling.sample else None
    try:
        add_to_record(source, check=found.facts(), sample=answered)
    except (DataError, TriageError) as error:
        warn(f"nothing was added to the record: {error}")
    facts: dict[str, Any] = {
        "rows": found.rows,
        "replaced": found.replaced,
        "clean": found.is_clean,
        "undecided": sum(one.certainty is Certainty.UNDECIDED for one in found.left),
        "added": sum(one.certainty is Certainty.ADDED for one in found.left),
        "left": [
            {name: value for name, value in vars(one).items() if show or name not in SHOWN}
            for one in found.left
        ],
    }
    facts |= {"sample": answered} if answered else {}
    if folder:
        facts["files"] = {Path(path).name: one.facts() for path, one in files.items()}
    lines += _sample_lines(sampling, answered)
    return Done(facts, lines, int(not found.is_clean or bool(answered and answered["recognised"])))


def _check_sampling(sampling: Sampling, source: str) -> None:
    if sampling.sample is None:
        if sampling.answers is not None:
            raise TriageError("--answers is of --sample: say how many messages")
    elif source == STANDARD_STREAM:
        raise TriageError("--sample reads FILE twice: name a file, not standard input")
    elif sampling.answers is not None and not sampling.answers.exists():
        check_targets([sampling.answers], [source])


def _asked(output: "Source", sampling: Sampling) -> dict[str, Any] | None:
    """Return what answers to a sample tell; None where it is only written, or nobody answered."""
    from ..anonymise.comparison import read_messages
    from ..anonymise.held import SAMPLE, draw, facts_of_sample, private_table, read_sample

    with output.open() as file:
        drawn = draw(read_messages(file).texts, sampling.sample or 0, sampling.seed)
    if sampling.answers is None:
        answers = [*_ask(drawn)]
    elif sampling.answers.exists():
        answers = read_sample(sampling.answers, drawn)
    else:
        with private_table(sampling.answers, SAMPLE, ((*one, "") for one in drawn)) as table:
            table.commit()
        return None
    return facts_of_sample(sampling.seed, len(drawn), answers) if answers else None


def _ask(drawn: Sequence[tuple[int, str]]) -> Iterator[bool]:
    """Ask of one message after the other, on standard error, until all are answered or q."""
    from ..decide.people import SAID

    for number, (_, text) in enumerate(drawn, 1):
        typer.echo(f"\n{number:,}/{len(drawn):,}  {shown(text)}", err=True)
        answer = None
        while answer is None:
            typer.echo("Would you recognise somebody? (y/n, q to stop) ", nl=False, err=True)
            said = sys.stdin.readline()
            if not said or said.strip().lower() == "q":
                return
            answer = SAID.get(said.strip().lower())
        yield answer


def _check_lines(found: "Checked", show_found: bool, source: str) -> Iterator[str]:
    from ..anonymise.check import title_of
    from ..anonymise.pages import lines_of

    yield f"{found.rows:,} rows looked through for {found.sought}"
    for (certainty, severity, reason), n in found.counts().items():
        yield f"{certainty:<9} {severity:<8} {n:>7,}  {reason}"
    if show_found:
        yield from (
            f"row {one.row}: ({one.certainty}: {one.reason})" for one in found.left if not one.text
        )
        for spelling in found.spellings():
            yield from (title_of(spelling), *lines_of(spelling))
    elif found.left:
        yield "--show prints them, by spelling; --report FILE writes them to a page"
    if source != STANDARD_STREAM and any(one.text for one in found.left):
        output = Path(source).with_suffix(".candidates.csv")
        mine = shlex.join(["triage", "mine", source, "-o", str(output)])
        yield f"to decide them spelling by spelling: {mine}"
    yield found.result


def _sample_lines(sampling: Sampling, answered: Mapping[str, Any] | None) -> Iterator[str]:
    if answered:
        n, recognised = answered["answered"], answered["recognised"]
        yield (
            f"somebody recognised in {recognised:,} of {n:,} messages ({recognised / n:.1%}); in "
            f"all messages at most {answered['at_most']:.1%} (exact, one-sided, 95 % confidence)"
        )
    elif sampling.answers:
        yield (
            f"the sample is in {sampling.answers}: write yes or no as recognised in each row, then "
            "run the same command again"
        )
    elif sampling.sample:
        yield "nothing was answered"


@dataclass(frozen=True)
class Before:
    """Options that name what is known before mining."""

    answers: tuple[Path, ...] = declared(
        (), "Answers of an earlier round: its output, filled in; repeatable, the last wins."
    )
    catalogue: Path | None = declared(
        None, "Known spellings: a table with the columns entity, type, spellings."
    )
    key_table: str | None = declared(None, "Key table of triage anonymise, of an anonymised FILE.")
    queue: Path | None = declared(None, "A queue, whose marks and rules for words are known.")


@dataclass(frozen=True)
class Further:
    """What mining writes beside the candidates."""

    lists: Path | None = declared(
        None,
        "Output folder of names.txt, words.txt and plan.toml for triage classify --names, --words "
        "and triage anonymise --plan.",
    )
    concordance: Path | None = declared(None, "Output file of all places of the candidates.")


def mine(
    source: FileArgument,
    output: OutputOption,
    known: Before,
    further: Further,
    columns: Triaged,
    setup: Known,
    working: Writing,
    bound: float = declared(
        0.02, "The least likelihood of a candidate.", is_share=True, is_rare=True
    ),
) -> Done:
    """List spellings that may be identifiers and still stand.

    FILE was triaged or anonymised, or is any file of messages. The output has the likeliest first:
    write always, never, here or later as the answer to a spelling, and give it with --answers to
    the next round. Answers give new variants and contexts; mining ends when no candidate is left.
    All outputs are readable by you only.
    """
    from triage.dictionaries.pack import NO_LANGUAGE

    from ..mining.session import LISTS, facts_of, open_session, write_round
    from ..safe import check_folder

    overwrite = working.overwrite
    named = (known.catalogue, known.key_table, known.queue)
    inputs = [source, *setup.paths, *known.answers, *(path for path in named if path)]
    outputs = [output, further.concordance]
    check_targets(outputs, inputs, overwrite=overwrite)
    if further.lists:
        check_folder(further.lists, LISTS, inputs, overwrite=overwrite)
    file, triage = source_of(source, columns), None
    if setup.language != NO_LANGUAGE:
        triage = load(of_run(setup, source), file.first_messages)
    with at_work(working) as (progress, jobs):
        session = open_session(file, triage, **vars(known), progress=progress, jobs=jobs)
    found = session.candidates(bound)
    write_round(session, found, output=output, **vars(further), overwrite=overwrite)
    facts = facts_of(session, found, bound)
    lines = [
        f"{facts['candidates']:,} candidates, which stand {facts['stand']:,} times, written to "
        f"{output}"
    ]
    if facts["answers"]:
        lines.append(
            "answered: " + ", ".join(f"{n:,} {one}" for one, n in facts["answers"].items())
        )
    lines.append(
        f"{facts['identifiers']:,} words of identifiers are known; {facts['expected_left']:,.0f} "
        f"more are expected to stand ({facts['share_left']:.1%} of all)"
    )
    if not facts["candidates"]:
        lines.append(f"mining has ended: no candidate is left from a likelihood of {bound:g} on")
    return Done(facts, lines)
