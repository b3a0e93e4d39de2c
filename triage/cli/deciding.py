"""Deciding messages: ``triage classify``, ``gather``, ``explain`` and ``workload``."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from triage.data.read import read_stream

from ..decide.corpus import Evidence, is_evidence, merge_evidence
from ..decide.engine import gather_file
from ..decide.pipeline import explain as explain_message
from ..decide.policy import SECONDS_PER_MESSAGE, TABLE, Cell, promise_lines
from ..decide.record import workloads_of
from ..decide.run import LineStream, Request
from ..errors import reading
from ..safe import STANDARD_STREAM, check_targets
from ..settings import PolicyName, Reading, Run, Setup, declared
from ..vocabulary import Action
from .options import READING, Call, FileArgument
from .printed import Done, formula_warning, refused, text

_PART = 1 << 16  # the most that is read at once: what a pipe holds
_OF_FILES = ("--queue", "--evidence", "--bom", "--jobs", "--corpus-evidence")

# What runs classify: this machine, or a cluster.
Engine = StrEnum("Engine", ["PYTHON", "SPARK"])


def classify(
    call: Annotated[Call, "plan", Setup, Reading, Run],
    sources: Annotated[list[str], typer.Argument(metavar="FILE")],
    output: str | None = None,
    queue: str | None = None,
    evidence: tuple[Path, ...] = (),
    json_lines: bool = declared(False, panel="Rare"),
    bom: bool | None = declared(None, negative="no-bom", panel="Rare"),
    engine: Engine = declared(Engine.PYTHON, panel="Rare"),
) -> Done:
    if json_lines:
        of_files = (*_OF_FILES, *READING[1:], "--output", "--engine")
        call.refuse(of_files, "has no effect on --json-lines: leave it out")
        return _by_line(call, sources)
    if engine is Engine.SPARK:
        call.refuse((*_OF_FILES, *READING[3:]), "applies only without --engine")
        return _by_spark(call, sources, output)
    if "" in (sources[0], output, queue):
        raise refused("no_name")
    if len(sources) > 1 or Path(sources[0]).is_dir():
        raise refused("several_files")
    file, given, overwrite = call.source(sources[0]), call.setup.corpus_evidence, call.run.overwrite
    wanted = True if evidence and given is None else given
    request = Request(file, output, queue, wanted, overwrite, call.jobs, bom, call.origins)
    return _by_file(call, request, evidence)


def _by_file(call: Call, request: Request, evidence: tuple[Path, ...]) -> Done:
    if evidence and not request.with_corpus_evidence:
        raise refused("evidence_unused")
    request.check_paths([*call.read_from, *evidence])
    with request.source.open() as file:
        triage = call.load(file.first_messages())
        parts = [Evidence.load(path, triage.weights) for path in evidence]
        whole = merge_evidence(parts) if parts else None
        outcome = request.classify(triage, file, call.progress, whole)
    facts = outcome | {
        "counts": _counts(outcome["counts"]),
        "promise": outcome["promise"] and asdict(outcome["promise"]),
        "language": triage.lexicon.language,
    }
    return Done(facts, _lines(outcome), beside=outcome["output"] == STANDARD_STREAM)


def _by_line(call: Call, sources: list[str]) -> Done:
    if sources != [STANDARD_STREAM]:
        raise refused("lines_of_file")
    stream = LineStream(call.load(), call.reading.text_column)
    stream.triage.promise()  # before the first line, should there be none

    def arrived() -> bytes:
        with reading("standard input"):
            return cast(BufferedReader, sys.stdin.buffer).read1(_PART)

    for answer in stream.answers(iter(arrived, b"")):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    facts = {"decided": stream.n_decided, "rejected": stream.n_rejected}
    return Done(facts, [text("classify lines", facts)], beside=True)


def _by_spark(call: Call, sources: list[str], output: str | None) -> Done:
    if output is None:
        raise refused("no_folder_for_spark")
    from ..spark import classify_folder

    setup, overwrite = call.setup, call.run.overwrite
    done = classify_folder(
        None, sources, output, reading=call.reading, setup=setup, overwrite=overwrite
    )
    facts = done | {"output": output, "counts": _counts(done["counts"])}
    lines = [text("classify spark", facts), ""]
    lines += _count_lines(done["counts"], by_table=setup.policy is PolicyName.AGREEMENT)
    if done["n_words"]:
        lines += ["", text("classify shared", facts)]
    if done["rejects"]:
        lines.append(f"The rejected rows are in {done['rejects']}")
    return Done(facts, lines)


def _counts(counts: Counter[Cell]) -> list[dict[str, object]]:
    return [
        {"seek_hide": verdict, "model": vote, "action": action, "messages": n}
        for (verdict, vote, action), n in sorted(counts.items())
    ]


def _count_lines(counts: Counter[Cell], *, by_table: bool) -> Iterator[str]:
    """Yield the counts by votes: all cells of the agreement table, or those that occur."""
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
    yield text("classify", outcome)
    others = {"ids": outcome["id_column"], "senders": outcome["sender_column"]}
    roles = [f"{what} in {column}" if column else f"no {what}" for what, column in others.items()]
    columns = f"messages in {outcome['text_column']}, {', '.join(roles)}"
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
        yield from ("", text("classify ids", n=repeated))
    if outcome["formulas"]:
        yield from ("", formula_warning(outcome["formulas"]))


def gather(
    call: Annotated[Call, "plan language model overwrite"],
    sources: Annotated[list[str], typer.Argument(metavar="FILE...")],
    output: Path,
) -> Done:
    overwrite = call.run.overwrite
    check_targets([output], [*sources, *call.read_from], overwrite=overwrite)
    gathered = {one for one in sources if is_evidence(Path(one))}
    files = [call.source(one) for one in sources]
    first = next((one for one in files if one.path not in gathered), None)
    triage = call.load(first.first_messages() if first else None)
    whole = merge_evidence(
        Evidence.load(Path(one.path), triage.weights)
        if one.path in gathered
        else gather_file(triage, one, call.jobs, call.progress)
        for one in files
    )
    whole.save(output, overwrite=overwrite)
    facts = {"output": str(output), "messages": whole.n_messages}
    facts |= {"words": len(whole.table.words), "senders": len(whole.table.senders)}
    return Done(facts, [text("gather", facts)])


def explain(
    call: Annotated[Call, "plan language model"],
    message: Annotated[str, typer.Argument(metavar="MESSAGE")],
) -> Done:
    if message == STANDARD_STREAM:
        message = read_stream(call.reading.encoding).removesuffix("\n")
    result = explain_message(call.load([message]), message)
    width, lines = min(24, max((len(one["text"]) for one in result["words"]), default=0)), []
    for word in result["words"]:
        number = "" if word["evidence"] is None else f"{word['evidence']:.2f}  "
        lines.append(f"{word['text']:<{width}}  {word['label']:<17}{number}{word['reason']}")
        if word["because"]:
            lines.append(" " * (width + 19) + "because: " + "; ".join(word["because"]))
    features = ", ".join(f"{name} {value:g}" for name, value in result["features"].items() if value)
    score = "; ".join(filter(None, (f"score {result['model_score']:.2f}", features)))
    lines += ["", f"Seek&Hide: {result['seek_hide']}", f"model:     {result['model']} ({score})"]
    if identifiers := result["identifiers"]:
        named = ", ".join(f"{one['text']} {one['type']} by {one['rule']}" for one in identifiers)
        lines.append(f"found:     {named}")
    if result["risk"] is not None:
        bound = result["read_from"]
        until = f", read from {bound:.3f} on" if bound <= 1 else ""
        lines.append(f"risk:      {result['risk']:.3f} that an identifier stays{until}")
    return Done(result, [*lines, f"action:    {result['action']}"])


def workload(source: FileArgument) -> Done:
    workloads = workloads_of(source)
    bounds = [asdict(one) | {"seconds": one.texts * SECONDS_PER_MESSAGE} for one in workloads]
    lines = [text("workload columns")]
    for one in bounds:
        at_most = f"{one['measure']} {max(one['bound'], one['kept']):.2%}"
        lines.append(text("workload", one, at_most=at_most, hours=one["seconds"] / 3600))
    return Done({"bounds": bounds}, lines)
