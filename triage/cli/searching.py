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
from ..errors import TriageError, UserError
from ..safe import STANDARD_STREAM, check_folder, check_targets, write_file
from .call import Call, source_of
from .options import FileArgument
from .printed import Done, shown, text, warn
from .reading import queue_beside

if TYPE_CHECKING:
    from ..anonymise.check import Answers, Checked
    from ..decide.source import Source


@dataclass(frozen=True)
class Sampling:
    """The question whether a person recognises somebody."""

    sample: int | None = declared(None, low=1)
    answers: Path | None = None


def check(
    call: Annotated[Call, "plan overwrite jobs seed quiet"],
    source: FileArgument,
    sampling: Sampling,
    against: str | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    show: bool = False,
    report: Path | None = None,
) -> Done:
    """Search an anonymised file for remaining identifiers."""
    from ..publish import main_table

    if against is not None and key_table is not None:
        raise TriageError("give either --against or --key-table, not both")
    folder = Path(source) if Path(source).is_dir() else None
    source = main_table(folder) if folder else source
    output = call.source(source)
    before = None if against is None else source_of(against, output.said)
    _check_sampling(sampling, source)
    if report:
        inputs = [source, against, key_table, *call.read_from]
        check_targets([report], inputs, overwrite=call.run.overwrite)
    if queue and not (against or key_table):
        raise TriageError("--queue is of the messages before: add --against or --key-table")
    with _decided(before, queue) as (decided, kept, of_queue):
        found = _searched(call, output, decided, against, key_table, folder, kept)
    parts = {source: found} | found.further
    whole = _together(parts) if folder else found
    if report:
        _write_page(report, whole, overwrite=call.run.overwrite)
    answered = _asked(output, sampling, call.run.seed) if sampling.sample else None
    _add_to_record(source, whole, answered)
    facts = _facts(whole, answered, show=show)
    if folder:
        facts["files"] = {Path(path).name: one.facts() for path, one in parts.items()}
    known = ["--key-table", key_table] if key_table else []
    lines = [*of_queue, *_file_lines(parts, whole, folder, known, show=show)]
    lines += _sample_lines(sampling, answered)
    return Done(facts, lines, int(not whole.is_clean or bool(answered and answered["recognised"])))


def _searched(
    call: Call,
    output: "Source",
    before: "Source | None",
    against: str | None,
    key_table: str | None,
    folder: Path | None,
    kept: "Answers",
) -> "Checked":
    """Search a file, or the folder of a publication, but for what people said is kept."""
    from ..anonymise.check import check_output
    from ..publish import further_files

    return check_output(
        output,
        call.triaged(output, (before or output).first_messages),
        against=before,
        called=against or "",
        key_table=key_table,
        plan=call.plan,
        jobs=call.jobs,
        listed=str(folder or ""),
        answers=kept,
        further=further_files(folder, output.said) if folder else (),
    )


@contextmanager
def _decided(
    before: "Source | None", queue: Path | None
) -> "Iterator[tuple[Source | None, Answers, list[str]]]":
    """Give the messages before as people decided them, what they answered, and a line about it."""
    from ..anonymise.check import Answers
    from ..publish import decided

    path = queue or (queue_beside(Path(before.path)) if before else None)
    if path is None or not (queue or path.exists()):
        yield before, Answers(), []
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


def _together(parts: "Mapping[str, Checked]") -> "Checked":
    """Return what was found in all files of a publication, each column named with its file."""
    left = [
        replace(one, column=f"{Path(path).name}: {one.column}")
        for path, found in parts.items()
        for one in found.left
    ]
    return replace(next(iter(parts.values())), left=left)


def _write_page(path: Path, found: "Checked", *, overwrite: bool) -> None:
    from triage.reports.page import report_html

    from ..anonymise.check import page_of_check

    content = report_html(page_of_check(found)).encode()
    write_file(path, content, private=True, overwrite=overwrite)


def _add_to_record(source: str, found: "Checked", answered: dict[str, Any] | None) -> None:
    from ..anonymise.record import add_to_record

    try:
        add_to_record(source, check=found.facts(), sample=answered)
    except UserError as error:
        warn(f"nothing was added to the record: {error}")


def _facts(found: "Checked", answered: Mapping[str, Any] | None, *, show: bool) -> dict[str, Any]:
    from ..anonymise.check import SHOWN, Certainty

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
    return facts | ({"sample": answered} if answered else {})


def _asked(output: "Source", sampling: Sampling, seed: int) -> dict[str, Any] | None:
    """Return what answers to a sample tell; None where it is only written, or nobody answered."""
    from ..anonymise.comparison import read_messages
    from ..anonymise.keys import private_table
    from ..anonymise.record import SAMPLE, draw, facts_of_sample, read_sample

    with output.open() as file:
        drawn = draw(read_messages(file).texts, sampling.sample or 0, seed)
    if sampling.answers is None:
        answers = [*_ask(drawn)]
    elif sampling.answers.exists():
        answers = read_sample(sampling.answers, drawn)
    else:
        with private_table(sampling.answers, SAMPLE, ((*one, "") for one in drawn)) as table:
            table.commit()
        return None
    return facts_of_sample(seed, len(drawn), answers) if answers else None


def _ask(drawn: Sequence[tuple[int, str]]) -> Iterator[bool]:
    """Ask of one message after the other, on standard error, until all are answered or q."""
    from ..decide.entries import SAID

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


def _file_lines(
    parts: "Mapping[str, Checked]",
    whole: "Checked",
    folder: Path | None,
    known: Sequence[str],
    *,
    show: bool,
) -> Iterator[str]:
    for path, one in parts.items():
        if folder:
            yield f"{path}:"
        yield from _check_lines(one, path, folder, known, show=show)
    if len(parts) > 1:
        yield f"all {len(parts):,} files: {whole.result}"


def _check_lines(
    found: "Checked", source: str, folder: Path | None, known: Sequence[str], *, show: bool
) -> Iterator[str]:
    from ..anonymise.check import lines_of, title_of

    yield f"{found.rows:,} {'row' if found.rows == 1 else 'rows'} looked through for {found.sought}"
    for (certainty, severity, reason), n in found.counts().items():
        yield f"{certainty:<9} {severity:<8} {n:>7,}  {reason}"
    if show:
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
        mine = shlex.join(["triage", "mine", source, *known, "-o", output])
        yield f"to decide them spelling by spelling: {mine}"
    yield found.result


def _sample_lines(sampling: Sampling, answered: Mapping[str, Any] | None) -> Iterator[str]:
    if answered:
        share = answered["recognised"] / answered["answered"]
        yield text("check sample", answered, share=share)
    elif sampling.answers:
        yield text("check answers", path=sampling.answers)
    elif sampling.sample:
        yield "nothing was answered"


def mine(
    call: Annotated[Call, "plan overwrite quiet"],
    source: FileArgument,
    output: Path,
    answers: tuple[Path, ...] = (),
    catalogue: Path | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    lists: Path | None = None,
    concordance: Path | None = None,
    bound: float = declared(0.02, is_rare=True),
) -> Done:
    """List spellings that may be identifiers and still stand."""
    from triage.dictionaries.pack import NO_LANGUAGE

    from ..mining.session import LISTS, facts_of, open_session, write_round

    overwrite = call.run.overwrite
    named = (path for path in (catalogue, key_table, queue) if path)
    inputs = [source, *call.read_from, *answers, *named]
    check_targets([output, concordance], inputs, overwrite=overwrite)
    if lists:
        check_folder(lists, LISTS, inputs, overwrite=overwrite)
    file = call.source(source)
    triage = None if call.setup.language == NO_LANGUAGE else call.triaged(file)
    with call.progress() as progress:
        session = open_session(
            file,
            triage,
            answers=answers,
            catalogue=catalogue,
            key_table=key_table,
            queue=queue,
            progress=progress,
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
