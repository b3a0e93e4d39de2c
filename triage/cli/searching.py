"""Searching for what is left: ``triage check`` and ``mine``."""

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..declared import declared
from ..errors import TriageError
from ..safe import STANDARD_STREAM, check_folder, check_targets, write_file
from ..settings import Run
from .options import (
    Done,
    FileArgument,
    Known,
    OutputOption,
    PlanOption,
    Triaged,
    Writing,
    files_of,
    load,
    of_run,
    processes,
    progress_bars,
    shown,
    source_of,
    warn,
)
from .reading import queue_beside

if TYPE_CHECKING:
    from ..anonymise.check import Checked
    from ..decide.source import Source


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
    queue: Path | None = declared(
        None, "Queue with the decisions of people on --against; by default the one beside it."
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

    if against is not None and key_table is not None:
        raise TriageError("give either --against or --key-table, not both")
    folder = Path(source) if Path(source).is_dir() else None
    source = main_table(folder) if folder else source
    output = source_of(source, columns)
    before = None if against is None else source_of(against, output.said)
    _check_sampling(sampling, source)
    inputs = [source, against, key_table, *files_of(plan), *setup.paths]
    if report:
        check_targets([report], inputs, overwrite=working.overwrite)
    with _decided(before, queue) as (before, kept, lines):
        found = check_output(
            output,
            load(of_run(setup, source), (before or output).first_messages),
            against=before,
            key_table=key_table,
            plan=plan,
            jobs=processes(working.jobs),
            listed=str(folder or ""),
            answered=kept,
            further=further_files(folder, output.said) if folder else (),
        )
    files = {source: found} | found.further
    for path, one in files.items():
        lines += [*([f"{path}:"] if folder else []), *_check_lines(one, show, path, folder)]
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


@contextmanager
def _decided(
    before: "Source | None", queue: Path | None
) -> "Iterator[tuple[Source | None, set[tuple[int | None, str]], list[str]]]":
    """Give the messages before as people decided them, what they answered, and a line about it."""
    from ..publish import decided

    if before is None and queue:
        raise TriageError("--queue is of the messages before: name them with --against")
    path = queue or (queue_beside(Path(before.path)) if before else None)
    if before is None or path is None or not (queue or path.exists()):
        yield before, set(), []
    else:
        with decided(before, path) as (made, answered):
            yield made, answered, [f"with the decisions of people in {path}"]


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


def _check_lines(
    found: "Checked", show_found: bool, source: str, folder: Path | None
) -> Iterator[str]:
    from ..anonymise.check import title_of
    from ..anonymise.pages import lines_of

    yield f"{found.rows:,} {'row' if found.rows == 1 else 'rows'} looked through for {found.sought}"
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
    if source != STANDARD_STREAM and found.rows and any(one.text for one in found.left):
        # What names people is written beside a publication, not into it.
        output = f"{folder or Path(source).with_suffix('')}.candidates.csv"
        mine = shlex.join(["triage", "mine", source, "-o", output])
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
class MiningOutputs:
    """Files that mining writes beside the candidates."""

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
    further: MiningOutputs,
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

    overwrite = working.overwrite
    named = (known.catalogue, known.key_table, known.queue)
    inputs = [source, *setup.paths, *known.answers, *(path for path in named if path)]
    check_targets([output, further.concordance], inputs, overwrite=overwrite)
    if further.lists:
        check_folder(further.lists, LISTS, inputs, overwrite=overwrite)
    file, triage = source_of(source, columns), None
    if setup.language != NO_LANGUAGE:
        triage = load(of_run(setup, source), file.first_messages)
    with progress_bars(working) as progress:
        session = open_session(
            file, triage, **vars(known), progress=progress, jobs=processes(working.jobs)
        )
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
