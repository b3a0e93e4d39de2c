"""``triage classify``, ``triage gather`` and ``triage explain``."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..errors import TriageError
from ..settings import PolicyName, Reading, Run, Setup
from .options import (
    Deciding,
    JsonOption,
    Messages,
    Models,
    OutputOption,
    Working,
    formula_warning,
    given,
    in_language,
    load,
    only,
    processes,
    progress_bar,
    refuse,
    report,
    show,
)

if TYPE_CHECKING:
    from io import BufferedReader

    from ..decide.evidence import Evidence
    from ..decide.pipeline import Triage
    from ..decide.policy import CellCounts
    from ..decide.run import Outcome

_PART = 1 << 16  # the most that is read at once: what a pipe holds


def classify(
    sources: Annotated[list[str], typer.Argument(metavar="FILE")],
    deciding: Deciding,
    reading: Messages,
    working: Working,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Output file, - for standard output; by default FILE.triage.EXT, or "
            "FILE.triage.csv where such a file is only read.",
        ),
    ] = None,
    queue: Annotated[str | None, "Also write the EXPERT messages to this file."] = None,
    json_lines: Annotated[
        bool,
        "With - as FILE: answer each line of JSON from standard input as it arrives, for another "
        "program.",
    ] = False,
    evidence: Annotated[
        list[Path],
        "Corpus evidence that triage gather made, of this file too or of others; repeatable.",
    ] = [],  # noqa: B006 (typer copies it)
    bom: Annotated[
        bool | None,
        typer.Option(
            "--bom/--no-bom",
            help="Begin CSV with a byte order mark, for Excel; by default if the input does or is "
            "in Windows-1252.",
        ),
    ] = None,
    engine: Annotated[
        str,
        "What runs it: python (default), or spark, which reads and writes folders of Parquet, CSV "
        "or JSON Lines on a cluster.",
    ] = "python",
    max_evidence_words: Annotated[
        int | None,
        typer.Option(
            "--max-evidence-words",
            min=1,
            help="With --engine spark: the most words of which evidence is sent to all machines.",
        ),
    ] = None,
) -> None:
    """Decide an action for each message: TA, NTA or EXPERT.

    FILE is a table (CSV, TSV, XLSX, ODS, JSON Lines or Parquet), a chat of WhatsApp, or - for
    standard input; docs/reference/files.md lists the formats. The output has its rows unchanged
    and in order, with both votes, the score, the action and the words that explain it behind them.
    """
    if json_lines:
        other: dict[str, object] = {"--output": output, "--queue": queue, "--evidence": evidence}
        other |= {"--bom": bom is not None, "--jobs": working.jobs, "--engine": engine != "python"}
        other |= given(reading, ("text_column",))
        other |= {
            "--corpus-evidence": deciding.corpus_evidence,
            "--max-evidence-words": max_evidence_words,
        }
        unused = [option for option, value in other.items() if value]
        refuse(unused, "has no effect on --json-lines: leave it out")
        _by_line(sources, deciding, reading.text_column, working)
        return
    if engine != "python":
        here: dict[str, object] = {"--queue": queue, "--evidence": evidence, "--jobs": working.jobs}
        here["--bom"] = bom is not None
        here |= given(reading, ("text_column", "sender_column", "id_column"))
        here["--corpus-evidence"] = deciding.corpus_evidence is not None
        refuse([option for option, value in here.items() if value], "applies only without --engine")
        _by_spark(engine, sources, output, deciding, reading, working, max_evidence_words)
        return
    if max_evidence_words is not None:
        raise TriageError("--max-evidence-words applies only with --engine spark")
    if len(sources) > 1:
        raise TriageError(
            "triage classify reads one file at a time: call it for each, with --evidence of "
            "triage gather if they are parts of one corpus, or add --engine spark"
        )
    source = sources[0]
    from ..decide.source import Request, Source
    from ..safe import STANDARD_STREAM

    use_corpus = True if evidence and deciding.corpus_evidence is None else deciding.corpus_evidence
    request = Request(
        Source(source, reading),
        output,
        queue,
        use_corpus,
        working.overwrite,
        processes(working.jobs),
        bom,
    )
    if evidence and not request.with_corpus_evidence:
        raise TriageError("--evidence has no effect with --no-corpus-evidence: leave one out")
    request.check_paths([*map(Path, deciding.paths), *evidence])
    with request.source.stream() as stream:
        triage = load(in_language(deciding, stream.first_messages))
        from ..decide.run import classify_stream

        gathered = _gathered(triage, evidence)
        with progress_bar(working.quiet) as progress:
            outcome = classify_stream(triage, request, stream, progress, gathered)
    is_printed_there = STANDARD_STREAM in (outcome.output, queue)
    facts = _facts(outcome) | {"language": triage.lexicon.language}
    report(working, facts, _lines(outcome), err=is_printed_there)


def _by_line(sources: list[str], deciding: Setup, text_column: str | None, working: Run) -> None:
    from ..decide.line_stream import LineStream
    from ..errors import reading
    from ..safe import STANDARD_STREAM

    if sources != [STANDARD_STREAM]:
        raise TriageError("--json-lines answers a stream: write - as FILE, or leave it out")
    stream = LineStream(load(deciding), text_column)
    stream.triage.promise()  # before the first line, should there be none

    def arrived() -> bytes:
        with reading("standard input"):
            return cast("BufferedReader", sys.stdin.buffer).read1(_PART)

    for answer in stream.answers(iter(arrived, b"")):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    facts = {"decided": stream.n_decided, "rejected": stream.n_rejected}
    line = f"{stream.n_decided:,} messages decided, {stream.n_rejected:,} lines rejected"
    report(working, facts, [line], err=True)


def _by_spark(
    engine: str,
    sources: list[str],
    output: str | None,
    deciding: Setup,
    reading: Reading,
    working: Run,
    max_evidence_words: int | None,
) -> None:
    if engine != "spark":
        raise TriageError(f"there is no engine {engine!r}: it is python or spark")
    if output is None:
        raise TriageError("--engine spark writes a folder: name it with --output")
    from ..decide.partition import MOST_WORDS
    from ..spark import classify_folder

    outcome = classify_folder(
        None,
        sources,
        output,
        reading=reading,
        max_evidence_words=max_evidence_words or MOST_WORDS,
        setup=deciding,
        overwrite=working.overwrite,
    )
    facts = outcome | {"output": output, "counts": _counts(outcome["counts"])}
    lines = _spark_lines(outcome, output, by_table=deciding.policy is PolicyName.AGREEMENT)
    report(working, facts, lines, err=False)


def _spark_lines(outcome: Mapping[str, Any], output: str, *, by_table: bool) -> Iterator[str]:
    written, rejected = outcome["rows_written"], outcome["rows_rejected"]
    yield f"{written:,} rows written to {output}, {rejected:,} rejected"
    yield ""
    yield from _count_lines(outcome["counts"], by_table=by_table)
    if outcome["n_words"]:
        yield ""
        yield (
            f"Evidence of {outcome['n_words']:,} words was sent to all machines; "
            f"{outcome['n_left_out']:,} words beyond --max-evidence-words counted as unknown."
        )
    if outcome["rejects"]:
        yield f"The rejected rows are in {outcome['rejects']}"


def _gathered(triage: "Triage", evidence: Sequence[Path]) -> "Evidence | None":
    if not evidence:
        return None
    from ..decide.evidence import Evidence, merged

    return merged(Evidence.load(path, triage.weights) for path in evidence)


def gather(
    sources: Annotated[list[str], typer.Argument(metavar="FILE...")],
    output: OutputOption,
    models: Models,
    reading: Messages,
    working: Working,
) -> None:
    """Gather what files of messages say of their words, for triage classify --evidence.

    Parts of a corpus can be gathered on several machines: FILE is a file of messages, or the
    evidence of others, and the result is that of all. The evidence holds words of messages and
    names of senders; its file is readable by you only.
    """
    from ..decide.evidence import Evidence, is_evidence, merged
    from ..decide.run import gather_file
    from ..decide.source import Source
    from ..safe import check_targets

    check_targets([output], [*sources, *models.paths], overwrite=working.overwrite)
    files = (source for source in sources if not is_evidence(Path(source)))
    first = next((Source(source, reading) for source in files), None)
    triage = load(in_language(models, first.first_messages) if first else models)
    parts = []
    with progress_bar(working.quiet) as progress:
        for source in sources:
            if is_evidence(Path(source)):
                parts.append(Evidence.load(Path(source), triage.weights))
            else:
                parts.append(
                    gather_file(triage, Source(source, reading), processes(working.jobs), progress)
                )
    whole = merged(parts)
    whole.save(output, overwrite=working.overwrite)
    n_messages = sum(part.n_messages for part in whole.parts)
    facts = {
        "output": str(output),
        "messages": n_messages,
        "words": len(whole.table.words),
        "senders": len(whole.table.senders),
    }
    line = (
        f"{n_messages:,} messages: evidence of {len(whole.table.words):,} words and "
        f"{len(whole.table.senders):,} senders written to {output}"
    )
    report(working, facts, [line], err=False)


def _facts(outcome: "Outcome") -> dict[str, Any]:
    promised = asdict(outcome.promise) if outcome.promise else None
    return vars(outcome) | {"counts": _counts(outcome.counts), "promise": promised}


def _counts(counts: "CellCounts") -> list[dict[str, object]]:
    return [
        {"seek_hide": verdict, "model": vote, "action": action, "messages": n}
        for (verdict, vote, action), n in sorted(counts.cells.items())
    ]


def _count_lines(counts: "CellCounts", *, by_table: bool) -> Iterator[str]:
    """Yield the counts by votes: all cells of the agreement table, or those that occur."""
    from ..decide.policy import TABLE
    from ..vocabulary import Action

    order = [(str(verdict), str(vote), str(action)) for (verdict, vote), action in TABLE.items()]
    if not by_table:
        cells = ((str(v), str(vote), str(action)) for v, vote in TABLE for action in Action)
        order = [cell for cell in cells if counts.cells.get(cell)]
    yield from counts.lines(order, [str(action) for action in Action])


def _taken(outcome: "Outcome") -> str:
    """Return which format was read, which columns were taken, and what else is not ordinary."""
    others = {"ids": outcome.id_column, "senders": outcome.sender_column}
    said = [f"{what} in {column}" if column else f"no {what}" for what, column in others.items()]
    columns = f"messages in {outcome.text_column}, {', '.join(said)}"
    return f"read as {outcome.format}: {'; '.join([columns, *outcome.reading])}"


def _lines(outcome: "Outcome") -> Iterator[str]:
    from ..decide.promise import promise_lines

    yield (
        f"{outcome.rows_read:,} rows read, {outcome.rows_written:,} written to {outcome.output}, "
        f"{outcome.rows_rejected:,} rejected"
    )
    yield _taken(outcome)
    yield from (f"Warning: {doubt}" for doubt in outcome.doubts)
    if outcome.promise:
        yield from ("", *promise_lines(outcome.promise))
    yield ""
    yield from _count_lines(outcome.counts, by_table=outcome.promise is None)
    if outcome.rejects:
        yield from ("", f"The rejected rows and why are in {outcome.rejects}")
    if outcome.ids_repeated:
        yield from ("", f"Warning: {outcome.ids_repeated:,} rows repeat the id of an earlier row")
    if outcome.formulas:
        yield from ("", formula_warning(outcome.formulas))


def explain(
    message: Annotated[str, typer.Argument(metavar="MESSAGE")],
    setup: Annotated[
        Setup, only("model", "language", "names", "words", "recognisers", "find", "strict")
    ],
    as_json: JsonOption = False,
) -> None:
    """Explain the decision on one message.

    MESSAGE is one message, in quotes. Shown are the label of each word, the list and the spelling
    rule behind it, its word evidence, both votes and the action. Corpus evidence is not used: in a
    file, among other messages, the action may differ.
    """
    from ..decide.explain import explain as explain_message
    from ..decide.explain import explanation_text

    explained = explain_message(load(in_language(setup, lambda: [message])), message)
    show(asdict(explained), [explanation_text(explained)], as_json)
