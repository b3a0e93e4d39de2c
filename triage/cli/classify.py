"""``triage classify`` and ``triage explain``."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import PrintOptions, formula_warning, progress_bar, show
from .options import (
    JsonOption,
    ModelOptions,
    OverwriteOption,
    PolicyOptions,
    SourceOptions,
    StrictOption,
)

if TYPE_CHECKING:
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
    overwrite: OverwriteOption = False,
) -> None:
    """Decide an action for each message: TA, NTA or EXPERT.

    FILE is CSV, TSV, XLSX, ODS, JSON Lines or Parquet (.gz too), or - for standard input. The
    output has its rows unchanged and in order, with both votes, the score, the action and the words
    that explain it in further columns.
    """
    from ..decide.source import STANDARD_STREAM, Request, read_ahead

    request = Request(columns.source(source), output, queue, deciding.corpus_evidence, overwrite)
    request.check_paths(deciding.paths)
    with read_ahead(request.source) as stream:
        triage = deciding.load_pipeline()
        from ..decide.run import classify_stream

        with progress_bar(printing.quiet) as progress:
            outcome = classify_stream(triage, request, stream, progress)
    is_printed_there = STANDARD_STREAM in (outcome.output, queue)
    printing.show(_facts(outcome), _lines(outcome), err=is_printed_there)


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
