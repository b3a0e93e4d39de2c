"""Deciding messages: ``triage classify``, ``gather``, ``explain`` and ``workload``."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..declared import declared
from ..errors import TriageError, reading
from ..safe import STANDARD_STREAM, check_targets
from ..settings import PolicyName, Reading, Run, Setup
from .options import (
    READING,
    Done,
    FileArgument,
    Labelled,
    OutputOption,
    PlanOption,
    Writing,
    files_of,
    formula_warning,
    load,
    origins,
    processes,
    progress_bars,
    refuse,
    source_of,
)

if TYPE_CHECKING:
    from collections import Counter
    from io import BufferedReader

    from ..decide.policy import Cell

_PART = 1 << 16  # the most that is read at once: what a pipe holds
_OF_FILES = ("--queue", "--evidence", "--bom", "--jobs")


# What runs classify: this machine, or a cluster.
Engine = StrEnum("Engine", ["PYTHON", "SPARK"])


def classify(
    context: typer.Context,
    sources: Annotated[list[str], typer.Argument(metavar="FILE")],
    setup: Setup,
    columns: Reading,
    working: Run,
    output: str | None = declared(
        None,
        "Output file, - for standard output; by default FILE.triage.EXT, or FILE.triage.csv where "
        "such a file is only read.",
        short="o",
    ),
    queue: str | None = declared(None, "Also write the EXPERT messages to this file."),
    evidence: tuple[Path, ...] = declared(
        (), "Corpus evidence that triage gather made, of this file too or of others; repeatable."
    ),
    plan: PlanOption = None,
    json_lines: bool = declared(
        False,
        "With - as FILE: answer each line of JSON from standard input as it arrives, for another "
        "program.",
        is_rare=True,
    ),
    bom: bool | None = declared(
        None,
        "Begin CSV with a byte order mark, for Excel; by default if the input does or is in "
        "Windows-1252.",
        negative="no-bom",
        is_rare=True,
    ),
    engine: Engine = declared(
        Engine.PYTHON,
        "What runs it: python (default), or spark, which reads and writes folders of Parquet, CSV "
        "or JSON Lines on a cluster.",
        is_rare=True,
    ),
) -> Done:
    """Decide an action for each message: TA, NTA or EXPERT.

    FILE is a table (CSV, TSV, XLSX, ODS, JSON Lines or Parquet), a chat of WhatsApp, or - for
    standard input; docs/reference/files.md lists the formats. The output has its rows unchanged
    and in order, with both votes, the score, the action and the words that explain it behind them.
    """
    if json_lines:
        of_files = (*_OF_FILES, *READING[1:], "--output", "--engine")
        refuse(context, of_files, "has no effect on --json-lines: leave it out")
        return _by_line(sources, setup, columns.text_column)
    if engine is Engine.SPARK:
        refuse(context, (*_OF_FILES, *READING[3:]), "applies only without --engine")
        return _by_spark(sources, output, setup, columns, overwrite=working.overwrite)
    if len(sources) > 1 or Path(sources[0]).is_dir():
        raise TriageError(
            "triage classify reads one file at a time: call it for each, with --evidence of "
            "triage gather if they are parts of one corpus, or add --engine spark"
        )
    from ..decide.evidence import Evidence, merge_evidence
    from ..decide.run import classify_stream
    from ..decide.source import Request

    request = Request(
        source_of(sources[0], columns),
        output,
        queue,
        True if evidence and setup.corpus_evidence is None else setup.corpus_evidence,
        working.overwrite,
        processes(working.jobs),
        bom,
        origins(context),
    )
    if evidence and not request.with_corpus_evidence:
        raise TriageError("--evidence has no effect with corpus-evidence=false: leave one out")
    request.check_paths([*map(Path, setup.paths), *evidence, *files_of(plan)])
    with request.source.stream() as (file, first_messages, chunks):
        triage = load(setup, lambda: first_messages)
        parts = [Evidence.load(path, triage.weights) for path in evidence]
        with progress_bars(working) as progress:
            given = merge_evidence(parts) if parts else None
            outcome = classify_stream(triage, request, file, chunks, progress, given)
    facts = outcome | {
        "counts": _counts(outcome["counts"]),
        "promise": outcome["promise"] and asdict(outcome["promise"]),
        "language": triage.lexicon.language,
    }
    return Done(facts, _lines(outcome), beside=STANDARD_STREAM in (outcome["output"], queue))


def _by_line(sources: list[str], setup: Setup, text_column: str | None) -> Done:
    from ..decide.run import LineStream

    if sources != [STANDARD_STREAM]:
        raise TriageError("--json-lines answers a stream: write - as FILE, or leave it out")
    stream = LineStream(load(setup), text_column)
    stream.triage.promise()  # before the first line, should there be none

    def arrived() -> bytes:
        with reading("standard input"):
            return cast("BufferedReader", sys.stdin.buffer).read1(_PART)

    for answer in stream.answers(iter(arrived, b"")):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    facts = {"decided": stream.n_decided, "rejected": stream.n_rejected}
    line = f"{stream.n_decided:,} messages decided, {stream.n_rejected:,} lines rejected"
    return Done(facts, [line], beside=True)


def _by_spark(
    sources: list[str], output: str | None, setup: Setup, columns: Reading, *, overwrite: bool
) -> Done:
    if output is None:
        raise TriageError("--engine spark writes a folder: name it with --output")
    from ..spark import classify_folder

    done = classify_folder(None, sources, output, reading=columns, setup=setup, overwrite=overwrite)
    written, rejected = done["rows_written"], done["rows_rejected"]
    lines = [f"{written:,} rows written to {output}, {rejected:,} rejected", ""]
    lines += _count_lines(done["counts"], by_table=setup.policy is PolicyName.AGREEMENT)
    if done["n_words"]:
        lines += [
            "",
            f"Evidence of {done['n_words']:,} words was sent to all machines; "
            f"{done['n_left_out']:,} rarer words counted as unknown.",
        ]
    if done["rejects"]:
        lines.append(f"The rejected rows are in {done['rejects']}")
    return Done(done | {"output": output, "counts": _counts(done["counts"])}, lines)


def _counts(counts: "Counter[Cell]") -> list[dict[str, object]]:
    return [
        {"seek_hide": verdict, "model": vote, "action": action, "messages": n}
        for (verdict, vote, action), n in sorted(counts.items())
    ]


def _count_lines(counts: "Counter[Cell]", *, by_table: bool) -> Iterator[str]:
    """Yield the counts by votes: all cells of the agreement table, or those that occur."""
    from ..decide.policy import TABLE
    from ..vocabulary import Action

    order: list[Cell] = [(*votes, action) for votes, action in TABLE.items()]
    if not by_table:
        cells = ((*votes, action) for votes in TABLE for action in Action)
        order = [cell for cell in cells if counts[cell]]
    rows = [(*cell, counts[cell]) for cell in order]
    for action in Action:
        n = sum(n for (*_, decided), n in counts.items() if decided == action)
        rows.append(("all", "", action, n))
    yield f"{'Seek&Hide':<10}{'model':<7}{'action':<8}{'messages':>9}{'share':>9}"
    for verdict, vote, decided, n in rows:
        share = n / max(counts.total(), 1)
        yield f"{verdict:<10}{vote:<7}{decided:<8}{n:>9,}{share:>8.1%}"


def _lines(outcome: Mapping[str, Any]) -> Iterator[str]:
    from ..decide.policy import promise_lines

    yield (
        f"{outcome['rows_read']:,} rows read, {outcome['rows_written']:,} written to "
        f"{outcome['output']}, {outcome['rows_rejected']:,} rejected"
    )
    others = {"ids": outcome["id_column"], "senders": outcome["sender_column"]}
    taken = [f"{what} in {column}" if column else f"no {what}" for what, column in others.items()]
    columns = f"messages in {outcome['text_column']}, {', '.join(taken)}"
    yield f"read as {outcome['format']}: {'; '.join([columns, *outcome['reading']])}"
    yield from (f"Warning: {doubt}" for doubt in outcome["doubts"])
    if not outcome["rows_written"]:
        yield "no messages"
    else:
        if outcome["promise"]:
            yield from ("", *promise_lines(outcome["promise"]))
        yield ""
        yield from _count_lines(outcome["counts"], by_table=outcome["promise"] is None)
    if outcome["rejects"]:
        yield from ("", f"The rejected rows and why are in {outcome['rejects']}")
    if repeated := outcome["ids_repeated"]:
        yield from ("", f"Warning: {repeated:,} rows repeat the id of an earlier row")
    if outcome["formulas"]:
        yield from ("", formula_warning(outcome["formulas"]))


def gather(
    sources: Annotated[list[str], typer.Argument(metavar="FILE...")],
    output: OutputOption,
    setup: Annotated[Setup, "model", "language"],
    columns: Labelled,
    working: Writing,
    plan: PlanOption = None,
) -> Done:
    """Gather what parts of a corpus say of their words.

    It is for triage classify --evidence. Parts can be gathered on several machines: FILE is a file
    of messages, or the evidence of others, and the result is that of all. The evidence holds words
    of messages and names of senders; its file is readable by you only.
    """
    from ..decide.evidence import Evidence, is_evidence, merge_evidence
    from ..decide.run import gather_file

    read = [*sources, *map(str, (*setup.paths, *files_of(plan)))]
    check_targets([output], read, overwrite=working.overwrite)
    gathered = {one for one in sources if is_evidence(Path(one))}
    files = [source_of(one, columns) for one in sources]
    first = next((one for one in files if one.path not in gathered), None)
    triage = load(setup, first.first_messages if first else None)
    with progress_bars(working) as progress:
        whole = merge_evidence(
            Evidence.load(Path(one.path), triage.weights)
            if one.path in gathered
            else gather_file(triage, one, processes(working.jobs), progress)
            for one in files
        )
    whole.save(output, overwrite=working.overwrite)
    n_messages = sum(part.n_messages for part in whole.parts)
    n_words, n_senders = len(whole.table.words), len(whole.table.senders)
    line = (
        f"{n_messages:,} messages: evidence of {n_words:,} words and {n_senders:,} senders written "
        f"to {output}"
    )
    facts = {"output": str(output), "messages": n_messages}
    return Done(facts | {"words": n_words, "senders": n_senders}, [line])


def explain(
    message: Annotated[str, typer.Argument(metavar="MESSAGE")],
    setup: Annotated[Setup, "model", "language", "names", "words"],
) -> Done:
    """Explain the decision on one message.

    MESSAGE is one message, in quotes, or - for standard input, which no list of commands keeps.
    Shown are the label of each word, the list and the spelling rule behind it, its word evidence,
    both votes, what is found, the risk that something else stays, and the action: people read where
    something is found and the model says NTA, and where the risk is high. Corpus evidence is not
    used: in a file, among other messages, the action may differ.
    """
    from ..decide.seek_hide import explain as explain_message

    if message == STANDARD_STREAM:
        with reading("standard input"):
            message = sys.stdin.read().removesuffix("\n")
    explained = explain_message(load(setup, lambda: [message]), message)
    words, lines = explained["words"], []
    width = min(24, max((len(one["text"]) for one in words), default=0))
    for word in words:
        number = "" if word["evidence"] is None else f"{word['evidence']:.2f}  "
        lines.append(f"{word['text']:<{width}}  {word['label']:<17}{number}{word['reason']}")
        if word["because"]:
            lines.append(" " * (width + 19) + "because: " + "; ".join(word["because"]))
    told = ", ".join(f"{name} {value:g}" for name, value in explained["features"].items() if value)
    lines += ["", f"Seek&Hide: {explained['seek_hide']}"]
    score = "; ".join(filter(None, (f"score {explained['model_score']:.2f}", told)))
    lines += [f"model:     {explained['model']} ({score})"]
    if found := explained["identifiers"]:
        told = ", ".join(f"{one['text']} {one['type']} by {one['rule']}" for one in found)
        lines += [f"found:     {told}"]
    if explained["risk"] is not None:
        told = f"{explained['risk']:.3f} that an identifier stays"
        bound = explained["read_from"]
        lines += [f"risk:      {told}" + (f", read from {bound:.3f} on" if bound <= 1 else "")]
    return Done(explained, [*lines, f"action:    {explained['action']}"])


def workload(source: FileArgument) -> Done:
    """Tell how many texts people must read, bound by bound.

    FILE is the output of triage classify, which has counted them; a text that several messages have
    is read once. Choose a bound on the residue or
    the leak, and give it to triage classify --max-residue or --max-leak.
    """
    from ..decide.run import workloads_of

    bounds = [
        asdict(one) | {"texts": one.to_read, "seconds": one.seconds} for one in workloads_of(source)
    ]
    lines = [
        f"{'at most':>17} {'texts to read':>13} {'messages':>10} {'hours':>7} "
        f"{'TA':>10} {'NTA':>10}"
    ]
    for one in bounds:
        at_most = f"{one['measure']} {max(one['bound'], one['kept']):.2%}"
        lines.append(
            f"{at_most:>17} {one['texts']:>13,} {one['expert']:>10,} "
            f"{one['seconds'] / 3600:>7.1f} {one['ta']:>10,} {one['nta']:>10,}"
        )
    return Done({"bounds": bounds}, lines)
