"""``triage check``: the search for identifiers that an anonymised file still holds."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError
from ..settings import Reading, Run, Setup
from .options import in_language, load, only, processes, show

if TYPE_CHECKING:
    from ..anonymise.check import Checked
    from ..anonymise.sample import Answered, Drawn
    from ..decide.source import Source


@dataclass(frozen=True)
class SampleOptions:
    """The question whether a person recognises somebody."""

    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", min=1, help="Also ask of so many messages: would you recognise somebody?"
        ),
    ] = None
    seed: Annotated[int, "Another seed draws other messages."] = 0
    answers: Annotated[
        Path | None,
        "Do not ask at the terminal: write the sample to this table, to be answered there, or "
        "read the answers if it exists.",
    ] = None


@dataclass(frozen=True)
class ShowOptions:
    show_found: Annotated[
        bool,
        typer.Option(
            "--show",
            help="Print what was found, by spelling, and where it stands; this may identify "
            "people.",
        ),
    ] = False
    report: Annotated[
        Path | None,
        "Also write what was found to this page of HTML, readable by you only.",
    ] = None


def check(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    showing: ShowOptions,
    sampling: SampleOptions,
    setup: Annotated[Setup, only("model", "language", "names", "words", "recognisers")],
    reading: Annotated[Reading, only("text_column", "id_column")],
    working: Annotated[Run, only("overwrite", "jobs", "json")],
    against: Annotated[str | None, "File of the messages before anonymising."] = None,
    key_table: Annotated[
        str | None, "Key table of triage anonymise, in place of the original messages."
    ] = None,
    plan: Annotated[
        Path | None, "Plan of triage anonymise: what it says stays is counted as planned."
    ] = None,
) -> None:
    """Search an anonymised file for remaining identifiers.

    FILE is the output of triage anonymise. The exit code is 1 if something certain is left, or a
    message that still waits for the expert or is not in the original file. Certain is what was true
    in four of five cases when it was measured; likely findings are worth a look, possible ones
    mostly identify nobody. Without --against and --key-table, only names and patterns are searched
    for. What is found is added to the record of triage anonymise, if that is beside FILE.
    """
    from triage.reports.page import report_html

    from ..anonymise.check import check_output
    from ..anonymise.pages import page_of_check
    from ..anonymise.plan import read_plan
    from ..decide.source import Source
    from ..safe import check_targets, write_file

    if against is not None and key_table is not None:
        raise TriageError("give either --against or --key-table, not both")
    output = Source(source, reading)
    before = None if against is None else replace(output, path=against)
    _check_sampling(sampling, source)
    inputs = [source, against, key_table, plan, *setup.paths]
    if showing.report:
        check_targets([showing.report], inputs, overwrite=working.overwrite)
    treating = read_plan(plan)[0].treating() if plan else None
    triage = load(in_language(setup, (before or output).first_messages))
    found = check_output(
        output,
        triage,
        against=before,
        key_table=key_table,
        treating=treating,
        jobs=processes(working.jobs),
    )
    if showing.report:
        content = report_html(page_of_check(found)).encode()
        write_file(showing.report, content, private=True, overwrite=working.overwrite)
    answered = _asked(output, sampling) if sampling.sample else None
    facts = _facts(found, showing.show_found)
    if answered:
        facts["sample"] = answered.facts()
    _record(source, found, answered)
    lines = [*_lines(found, showing, source), *_sample_lines(sampling, answered)]
    show(facts, lines, working.json)
    if not found.is_clean or (answered and answered.recognised):
        raise typer.Exit(1)


def _check_sampling(sampling: SampleOptions, source: str) -> None:
    from ..safe import STANDARD_STREAM, check_targets

    if sampling.sample is None:
        if sampling.answers is not None:
            raise TriageError("--answers is of --sample: say how many messages")
    elif source == STANDARD_STREAM:
        raise TriageError("--sample reads FILE twice: name a file, not standard input")
    elif sampling.answers is not None and not sampling.answers.exists():
        check_targets([sampling.answers], [source])


def _asked(output: "Source", sampling: SampleOptions) -> "Answered | None":
    """Return the answers to a sample; None where it is only written, or nobody answered."""
    from ..anonymise.sample import Answered, draw_from, read_answers, write_questions

    drawn = draw_from(output, sampling.sample or 0, sampling.seed)
    if sampling.answers is None:
        answers = tuple(_ask(drawn))
    elif sampling.answers.exists():
        answers = read_answers(sampling.answers, drawn)
    else:
        write_questions(sampling.answers, drawn)
        return None
    return Answered(sampling.seed, len(drawn), answers) if answers else None


def _ask(drawn: "Sequence[Drawn]") -> Iterator[bool]:
    """Ask of one message after the other, on standard error, until all are answered or q."""
    from triage.reports.page import printable

    from ..anonymise.sample import parse_answer

    for number, one in enumerate(drawn, 1):
        # A message may hold what a terminal would obey.
        typer.echo(f"\n{number:,}/{len(drawn):,}  {printable(one.text)}", err=True)
        answer = None
        while answer is None:
            typer.echo("Would you recognise somebody? (o/n, q to stop) ", nl=False, err=True)
            said = sys.stdin.readline()
            if not said or said.strip().lower() == "q":
                return
            answer = parse_answer(said)
        yield answer


def _record(source: str, found: "Checked", answered: "Answered | None") -> None:
    """Add what was found to the record; what hinders that is a warning, the result stands."""
    from triage.data import DataError

    from ..anonymise.record import add_to_record

    try:
        add_to_record(source, check=found.facts(), sample=answered.facts() if answered else None)
    except (DataError, TriageError) as error:
        typer.echo(f"triage: warning: nothing was added to the record: {error}", err=True)


def _facts(found: "Checked", show_found: bool) -> dict[str, Any]:
    from ..anonymise.check import SHOWN, Certainty

    left = [
        {name: value for name, value in vars(one).items() if show_found or name not in SHOWN}
        for one in found.left
    ]
    return {
        "rows": found.rows,
        "replaced": found.replaced,
        "clean": found.is_clean,
        "undecided": found.n_of(Certainty.UNDECIDED),
        "added": found.n_of(Certainty.ADDED),
        "left": left,
    }


def _sample_lines(sampling: SampleOptions, answered: "Answered | None") -> Iterator[str]:
    if answered:
        n, recognised = len(answered.answers), answered.recognised
        yield (
            f"somebody recognised in {recognised:,} of {n:,} messages ({recognised / n:.1%}); in "
            f"all messages at most {answered.at_most:.1%} (exact, one-sided, 95 % confidence)"
        )
    elif sampling.answers:
        yield (
            f"the sample is in {sampling.answers}: write yes or no as recognised in each row, then "
            "run the same command again"
        )
    elif sampling.sample:
        yield "nothing was answered"


def _lines(found: "Checked", showing: ShowOptions, source: str) -> Iterator[str]:
    from ..anonymise.pages import lines_of
    from ..safe import STANDARD_STREAM

    sought = "names and forms alone: there is nothing to compare with"
    if found.replaced is not None:
        sought = f"{found.replaced:,} spellings that were replaced"
    yield f"{found.rows:,} rows looked through for {sought}"
    for (certainty, severity, reason), n in found.counts().items():
        yield f"{certainty:<9} {severity:<8} {n:>7,}  {reason}"
    if showing.show_found:
        for one in (one for one in found.left if not one.text):
            yield f"row {one.row}: ({one.certainty}: {one.reason})"
        for spelling in found.spellings():
            yield spelling.title
            yield from lines_of(spelling.places)
    elif found.left:
        yield "--show prints them, by spelling; --report FILE writes them to a page"
    if source != STANDARD_STREAM and any(one.text for one in found.left):
        yield f"next: triage mine {source}, to decide them spelling by spelling"
    yield found.result
