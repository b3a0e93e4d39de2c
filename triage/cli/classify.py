"""``triage classify``, ``triage gather`` and ``triage explain``."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TriageError
from .console import PrintOptions, formula_warning, progress_bar, show
from .options import (
    JobsOption,
    JsonOption,
    ModelOptions,
    OutputOption,
    OverwriteOption,
    PolicyOptions,
    SourceOptions,
    StrictOption,
    processes,
)

if TYPE_CHECKING:
    from ..decide.gathering import Gathered
    from ..decide.pipeline import Triage
    from ..decide.run import Outcome


def classify(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    deciding: PolicyOptions,
    columns: SourceOptions,
    printing: PrintOptions,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Output file, - for standard output; by default FILE.triage.EXT."
        ),
    ] = None,
    queue: Annotated[str | None, "Also write the EXPERT messages to this file."] = None,
    evidence: Annotated[
        list[Path],
        "Corpus evidence that triage gather made, of this file too or of others; repeatable.",
    ] = [],  # noqa: B006 (typer copies it)
    overwrite: OverwriteOption = False,
    jobs: JobsOption = None,
) -> None:
    """Decide an action for each message: TA, NTA or EXPERT.

    FILE is CSV, TSV, XLSX, ODS, JSON Lines or Parquet (.gz too), or - for standard input. The
    output has its rows unchanged and in order, with both votes, the score, the action and the words
    that explain it in further columns.
    """
    from ..decide.source import STANDARD_STREAM, Request, read_ahead, read_here

    use_corpus = True if evidence and deciding.corpus_evidence is None else deciding.corpus_evidence
    request = Request(columns.source(source), output, queue, use_corpus, overwrite, processes(jobs))
    if evidence and not request.with_corpus_evidence:
        raise TriageError("--evidence has no effect with --no-corpus-evidence: leave one out")
    request.check_paths([*deciding.paths, *evidence])
    read = read_ahead if request.jobs > 1 else read_here
    with read(request.source) as stream:
        triage = deciding.load_pipeline()
        from ..decide.run import classify_stream

        given = _given(triage, evidence)
        with progress_bar(printing.quiet) as progress:
            outcome = classify_stream(triage, request, stream, progress, given)
    is_printed_there = STANDARD_STREAM in (outcome.output, queue)
    printing.show(_facts(outcome), _lines(outcome), err=is_printed_there)


def _given(triage: "Triage", evidence: Sequence[Path]) -> "Gathered | None":
    from ..decide.gathering import merged

    if not evidence:
        return None
    from ..decide.evidence_file import load_evidence

    return merged(load_evidence(path, triage.weights) for path in evidence)


def gather(
    sources: Annotated[list[str], typer.Argument(metavar="FILE...")],
    output: OutputOption,
    models: ModelOptions,
    columns: SourceOptions,
    printing: PrintOptions,
    overwrite: OverwriteOption = False,
    jobs: JobsOption = None,
) -> None:
    """Gather what files of messages say of their words, for triage classify --evidence.

    Parts of a corpus can be gathered on several machines: FILE is a file of messages, or the
    evidence of others, and the result is that of all. The evidence holds words of messages and
    names of senders; its file is readable by you only.
    """
    from triage.data import check_targets

    from ..decide.evidence_file import is_evidence, load_evidence, save_evidence
    from ..decide.gathering import merged
    from ..decide.run import gather_file

    check_targets([output], [*sources, *models.paths], overwrite=overwrite)
    triage = models.load()
    parts = []
    with progress_bar(printing.quiet) as progress:
        for source in sources:
            if is_evidence(Path(source)):
                parts.append(load_evidence(Path(source), triage.weights))
            else:
                parts.append(gather_file(triage, columns.source(source), processes(jobs), progress))
    whole = merged(parts)
    save_evidence(whole, triage.weights, output, overwrite=overwrite)
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
    printing.show(facts, [line], err=False)


def _facts(outcome: "Outcome") -> dict[str, Any]:
    counts = [
        {"seek_hide": verdict, "model": vote, "action": action, "messages": n}
        for (verdict, vote, action), n in sorted(outcome.counts.cells.items())
    ]
    promised = asdict(outcome.promise) if outcome.promise else None
    return vars(outcome) | {"counts": counts, "promise": promised}


def _lines(outcome: "Outcome") -> Iterator[str]:
    from ..decide.agreement import TABLE
    from ..decide.policy import promise_lines
    from ..vocabulary import Action

    order = [(str(verdict), str(vote), str(action)) for (verdict, vote), action in TABLE.items()]
    if outcome.promise:
        cells = ((str(v), str(vote), str(action)) for v, vote in TABLE for action in Action)
        order = [cell for cell in cells if outcome.counts.cells.get(cell)]
    yield (
        f"{outcome.rows_read:,} rows read, {outcome.rows_written:,} written to {outcome.output}, "
        f"{outcome.rows_rejected:,} rejected"
    )
    yield ""
    yield from outcome.counts.lines(order, [str(action) for action in Action])
    if outcome.promise:
        yield from ("", *promise_lines(outcome.promise))
    if outcome.rejects:
        yield from ("", f"The rejected rows and why are in {outcome.rejects}")
    if outcome.ids_repeated:
        yield from ("", f"Warning: {outcome.ids_repeated:,} rows repeat the id of an earlier row")
    if outcome.formulas:
        yield from ("", formula_warning(outcome.formulas))


def explain(
    message: Annotated[str, typer.Argument(metavar="MESSAGE")],
    models: ModelOptions,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Explain the decision on one message.

    MESSAGE is one message, in quotes. Shown are the label of each word, the list and the spelling
    rule behind it, its word evidence, both votes and the action. Corpus evidence is not used: in a
    file, among other messages, the action may differ.
    """
    from ..decide.explain import explain as explain_message
    from ..decide.explain import explanation_text

    explained = explain_message(models.load(strict), message)
    show(asdict(explained), [explanation_text(explained)], as_json)
