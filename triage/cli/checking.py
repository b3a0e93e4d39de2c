"""Searching for what is left: ``triage check`` and ``mine``."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Annotated, Any

import typer

from triage.data.output import private_table
from triage.dictionaries.pack import NO_LANGUAGE
from triage.reports.measures import upper_bound
from triage.reports.page import printable, report_html

from ..anonymise import check as checks
from ..anonymise import record
from ..anonymise.check import Certainty, Checked, check_output
from ..anonymise.sought import read_messages
from ..decide.source import YES_OR_NO, Source
from ..errors import UserError, as_typed
from ..mining import Mining, facts_of
from ..publish import decided, further_files, is_publication, main_table
from ..safe import STANDARD_STREAM, check_targets, write_file
from ..settings import declared
from ..vocabulary import Quantity
from .options import DECIDING, Call, FileArgument, queue_beside
from .printed import Done, refused, shown, text, warn


def check(
    call: Annotated[Call, "plan overwrite jobs seed"],
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
        raise refused("two_befores")
    folder = _named(Path(source)) if Path(source).is_dir() else None
    output = call.source(main_table(folder) if folder else source)
    _check_sample(sample, answers, output.path)
    if report:
        inputs = [output.path, against, key_table, *call.read_from]
        check_targets([report], inputs, overwrite=call.run.overwrite)
    checked, lines = _search(call, output, folder, against, key_table, queue)
    parts = {output.path: checked} | checked.further
    whole = _merged(parts) if folder else checked
    if report:
        page = report_html(checks.page_of_check(whole)).encode()
        write_file(report, page, private=True, overwrite=call.run.overwrite)
    answered, asked = _ask_sample(output, sample, answers, call.run.seed) if sample else (None, [])
    try:
        record.add_to_record(output.path, check=whole.facts(), sample=answered)
    except UserError as error:
        warn(f"nothing was added to the record: {error}")
    for path, one in parts.items():
        lines += _found_lines(one, path, folder, key_table, show=show)
    facts = _check_facts(whole, answered, show=show)
    if folder:
        facts["files"] = {Path(path).name: one.facts() for path, one in parts.items()}
        lines += [f"all {len(parts):,} files: {whole.result}"] if checked.further else []
    is_clean = whole.is_clean and not (answered and answered["recognised"])
    return Done(facts, [*lines, *asked], int(not is_clean))


def _named(folder: Path) -> Path:
    """Return the path of a folder that has its name, beside which files are called."""
    return folder.resolve() if folder.name in ("", "..") else folder


def _check_sample(sample: int | None, answers: Path | None, source: str) -> None:
    if sample is None:
        if answers is not None:
            raise refused("answers_of_sample")
    elif source == STANDARD_STREAM:
        raise refused("sample_of_stream")
    elif answers is not None and not answers.exists():
        check_targets([answers], [source])


def _search(
    call: Call,
    output: Source,
    folder: Path | None,
    against: str | None,
    key_table: str | None,
    queue: Path | None,
) -> tuple[Checked, list[str]]:
    """Search a file, or the folder of a publication, but for what people said is kept."""
    before = None if against is None else Source(against, output.resolved_reading)
    if queue and not (against or key_table):
        raise refused("queue_without_before")
    if before and not queue and queue_beside(Path(before.path)).exists():
        queue = queue_beside(Path(before.path))
    triage = call.load_as(output, (before or output).first_messages())
    with decided(before, queue) as (final, answers):
        checked = check_output(
            output,
            triage,
            against=final,
            called=against or "",
            key_table=key_table,
            plan=call.plan,
            jobs=call.jobs,
            listed=str(folder or ""),
            answers=answers.with_table(call.setup.people),
            further=further_files(folder, output.resolved_reading) if folder else (),
        )
    return checked, [f"with the decisions of people in {queue}"] if queue else []


def _merged(parts: Mapping[str, Checked]) -> Checked:
    found = [
        replace(one, column=f"{Path(path).name}: {one.column}")
        for path, checked in parts.items()
        for one in checked.findings
    ]
    return replace(next(iter(parts.values())), findings=found)


def _check_facts(found: Checked, sample: Mapping[str, Any] | None, *, show: bool) -> dict[str, Any]:
    counts = Counter(one.certainty for one in found.findings)
    findings = [
        {name: value for name, value in vars(one).items() if show or name not in checks.SHOWN}
        for one in found.findings
    ]
    facts: dict[str, Any] = {
        "rows": found.rows,
        "replaced": found.replaced,
        "clean": found.is_clean,
        "undecided": counts[Certainty.UNDECIDED],
        "added": counts[Certainty.ADDED],
        "left": findings,
    }
    return facts | ({"sample": sample} if sample else {})


def _ask_sample(
    output: Source, n: int, path: Path | None, seed: int
) -> tuple[dict[str, Any] | None, list[str]]:
    """Ask whether a person recognises somebody in drawn messages, here or by way of a file."""
    with output.open() as file:
        drawn = record.draw(read_messages(file).texts, n, seed)
    if path is None:
        answers = [*_answers(drawn)]
    elif path.exists():
        answers = record.read_sample(path, drawn)
    else:
        with private_table(path, record.SAMPLE, ((*one, "") for one in drawn)) as table:
            table.commit()
        return None, [text("check answers", path=path)]
    if not answers:
        return None, ["nothing was answered"]
    n, found = len(answers), sum(answers)
    facts: dict[str, Any] = {"seed": seed, "drawn": len(drawn), "answered": n, "recognised": found}
    facts |= {"at_most": round(upper_bound(found, n), 6)}
    return facts, [text("check sample", facts, share=found / n)]


def _answers(drawn: Sequence[tuple[int, str]]) -> Iterator[bool]:
    """Ask of one message after the other, on standard error, until all are answered or q."""
    for number, (_, message) in enumerate(drawn, 1):
        typer.echo(f"\n{number:,}/{len(drawn):,}  {shown(message)}", err=True)
        answer = None
        while answer is None:
            typer.echo("Would you recognise somebody? (y/n, q to stop) ", nl=False, err=True)
            line = sys.stdin.readline()
            if not line or line.strip().lower() == "q":
                return
            answer = YES_OR_NO.get(line.strip().lower())
        yield answer


def _found_lines(
    checked: Checked, source: str, folder: Path | None, key_table: str | None, *, show: bool
) -> Iterator[str]:
    if folder:
        yield f"{source}:"
    yield f"{Quantity(checked.rows):# row|# rows} looked through for {checked.sought}"
    for (certainty, severity, reason), n in checked.counts().items():
        yield f"{certainty:<9} {severity:<8} {n:>7,}  {reason}"
    if show:
        whole = (one for one in checked.findings if not one.text)
        yield from (f"row {one.row}: ({one.certainty}: {one.reason})" for one in whole)
        for places in checked.spellings():
            one = places[0]
            certainty = " ".join(filter(None, (one.certainty, one.severity)))
            replaced = f", {one.replaced:,} replaced" if one.replaced else ""
            spelling = printable(" ".join(one.text.split()))
            yield f"{certainty}: {spelling} ({len(places):,} left{replaced}): {one.reason}"
            yield from checks.lines_of(places)
    elif checked.findings:
        yield "--show prints them, by spelling; --report FILE writes them to a page"
    # What stands beside messages is not mined.
    in_messages = (one for one in checked.findings if one.text and one.column != checks.DOCUMENT)
    is_open = any(one.certainty is not Certainty.PLANNED for one in in_messages)
    if source != STANDARD_STREAM and checked.rows and is_open:
        # What names people is written beside a publication, not into it.
        place = folder or _named(Path(source).parent)
        place = place if is_publication(place) else Path(source).with_suffix("")
        output = f"{place}.candidates.csv"
        options = ["--key-table", key_table] if key_table else []
        mine = as_typed("triage", "mine", source, *options, "-o", output)
        yield f"to decide them spelling by spelling: {mine}"
    yield checked.result


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
    file, overwrite = call.source(source), call.run.overwrite
    given = file, answers, catalogue, key_table, queue
    mining = Mining(*given, output, lists, concordance, overwrite)
    mining.check(call.read_from)
    asks_none = call.setup.language == NO_LANGUAGE
    unused = {*DECIDING} - {"--language"} if asks_none else ()
    call.refuse(unused, "has no effect with language=none: leave it out")
    session = mining.open(None if asks_none else call.load_as(file), call.progress, call.jobs)
    mined = session.candidates(bound)
    mining.write(session, mined)
    facts = facts_of(session, mined, bound)
    return Done(facts, _mined_lines(facts, output, bound))


def _mined_lines(facts: Mapping[str, Any], output: Path, bound: float) -> Iterator[str]:
    yield text("mine", facts, output=output)
    if facts["answers"]:
        yield "answered: " + ", ".join(f"{n:,} {one}" for one, n in facts["answers"].items())
    left = facts["expected_left"]
    yield text("mine left", facts, left=round(left) or ceil(left))
    if not facts["candidates"]:
        yield f"mining has ended: no candidate is left from a likelihood of {bound:g} on"
