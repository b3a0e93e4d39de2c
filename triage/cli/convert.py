"""``triage convert``: messages with their identifiers, in the formats of other programs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError, chosen
from ..settings import Run, Setup
from .options import (
    JsonOption,
    Messages,
    OutputOption,
    QueueArgument,
    Working,
    Writing,
    given,
    load,
    of_run,
    only,
    opened_queue,
    processes,
    progress_bar,
    refuse,
    report,
    show,
)

if TYPE_CHECKING:
    from ..decide.source import Source
    from ..queue.exchange import Destination, ExchangeFormat, Row


def convert(
    source: Annotated[str, typer.Argument(metavar="FILE")],
    output: OutputOption,
    reading: Messages,
    setup: Annotated[Setup, only("model", "language")],
    working: Working,
    to: Annotated[
        str | None,
        "Format of the output: brat, iob2, spacy, datasets, doccano or label-studio; by default "
        "from the ending of its name. Or table: FILE itself, in the format of that ending.",
    ] = None,
    key_table: Annotated[
        str | None,
        "Key table that triage anonymise wrote with FILE: identifiers are what it has put there.",
    ] = None,
) -> None:
    """Write messages with their identifiers for brat, spaCy, datasets and others.

    FILE is a file of messages. Its identifiers are those marked in a column final_spans or spans,
    as triage queue apply writes, else those that are found in it; of an anonymised file, what
    stands in their places. FILE may also be a folder of brat or a file of IOB2 that was annotated:
    then the output is a table for triage train and triage anonymise. With --to table all columns
    of FILE are written as they are, as CSV, XLSX, Parquet, JSON Lines or TEI. The output, a file or
    a folder, is no more readable than FILE.
    """
    from ..decide.source import Source
    from ..queue.corpus import copy_table, write_table
    from ..queue.exchange import FORMATS, Destination, annotated_format, read_rows
    from ..safe import check_targets

    target = Destination(output, source, working.overwrite)
    annotated = annotated_format(Path(source))
    if to == "table" and not annotated:
        refuse(["--key-table"] if key_table else [], "does not apply to --to table")
        check_targets([output], [source], overwrite=working.overwrite)
        with Source(source, reading).open() as file:
            n_messages, which = copy_table(file, target), "none"
    elif annotated:
        others: dict[str, object] = {"--to": to, "--key-table": key_table}
        others |= given(reading) | given(setup)
        refuse([name for name, value in others.items() if value], f"does not apply to {annotated}")
        check_targets([output], [source], overwrite=working.overwrite)
        rows = read_rows(Path(source), annotated, approved=True)
        n_messages, which = write_table(target, rows), "annotated"
    else:
        tables = [key_table] if key_table else []
        format_ = _checked_format(to, target, [source, *setup.paths, *tables])
        with _rows(Source(source, reading), setup, working, key_table) as (items, which):
            n_messages = FORMATS[format_].write(target, items)
    told = f", with the identifiers {_WHICH[which]}" if which in _WHICH else ""
    facts = {"output": str(output), "messages": n_messages, "identifiers": which}
    report(working, facts, [f"{n_messages:,} messages written to {output}{told}"])


def _checked_format(
    named: str | None, target: "Destination", inputs: Sequence[str]
) -> "ExchangeFormat":
    """Return the format of the output, after a check that it can be written."""
    from ..queue.exchange import SHEETS, ExchangeFormat, checked_format

    said = chosen(ExchangeFormat, named, "--to") if named else None
    format_ = checked_format(target, said, inputs, option="--to")
    if format_ in SHEETS:
        raise TriageError(
            f"{target.path}: a table is written of a folder of brat or a file of IOB2; the "
            "identifiers of a table go to the formats of --to"
        )
    return format_


_WHICH = {
    "annotated": "that were annotated",
    "replaced": "that were replaced, as they stand now",
    "found": "that are found in them",
    "marked": "that are marked in them",
}


@contextmanager
def _rows(
    source: "Source", setup: Setup, working: Run, key_table: str | None
) -> Iterator[tuple[Iterator["Row"], str]]:
    """Give the messages of a file, and which identifiers they have."""
    from ..anonymise.restore import replaced_spans
    from ..queue.corpus import found_rows, marked_rows, replaced_rows, spans_column

    with source.open() as file:
        marked = spans_column(file)
        if key_table:
            spans = [*replaced_spans(file, key_table)]
            yield replaced_rows(file, spans), "replaced"
        elif marked:
            yield marked_rows(file, marked), "marked"
        else:
            triage, n_jobs = load(of_run(setup, source.path)), processes(working.jobs)
            with (
                progress_bar(working.quiet) as progress,
                found_rows(file, source.reading.sender_column, triage, progress, n_jobs) as items,
            ):
                yield items, "found"


FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, xlsx, doccano, label-studio, brat, iob2, spacy or datasets; by default from the "
        "ending of the file name.",
    ),
]


def export_items(
    path: QueueArgument,
    output: OutputOption,
    writing: Writing,
    format_: FormatOption = None,
    annotator: Annotated[
        str, "Export the items and answers of this annotator; by default of all."
    ] = "",
    state: Annotated[str, "State of the items: open, decided, skipped, disagreed or all."] = "open",
    config: Annotated[Path | None, "Also write the labelling interface of Label Studio."] = None,
) -> None:
    """Export items for a spreadsheet, doccano, Label Studio, brat or another program.

    Suggestions are marked. The file holds messages and is readable by you only. An earlier export
    may hold annotations, so it is replaced only with --overwrite.
    """
    from ..queue.apply import exported_rows
    from ..queue.exchange import Destination, checked_format, export, label_studio_config
    from ..queue.records import State
    from ..safe import write_file

    to = Destination(output, overwrite=writing.overwrite)
    chosen_format = checked_format(to, _format(format_), [path], also=[config])
    with opened_queue(path) as queue:
        items = list(exported_rows(queue, annotator, chosen(State, state, "--state")))
    written = export(to, items, chosen_format)
    if config:
        write_file(config, label_studio_config().encode(), overwrite=writing.overwrite)
    facts = {
        "output": str(output),
        "items": written,
        "config": str(config) if config else None,
    }
    report(writing, facts, [f"{written:,} items written to {output}"])


def import_answers(
    path: QueueArgument,
    source: Annotated[Path, typer.Argument(metavar="FILE")],
    format_: FormatOption = None,
    annotator: Annotated[str, "Name of the annotator; by default as in FILE."] = "",
    approved: Annotated[
        bool, "FILE of doccano, brat or IOB2 holds only approved documents: each is an answer."
    ] = False,
    dry_run: Annotated[bool, "Show what would change without changing anything."] = False,
    as_json: JsonOption = False,
) -> None:
    """Import answers from a spreadsheet, doccano, Label Studio, brat or IOB2.

    Either all of FILE is imported or, if a row is wrong, nothing.
    """
    from ..queue.apply import plan_import

    with opened_queue(path) as queue:
        plan = plan_import(queue, source, _format(format_), annotator=annotator, approved=approved)
        if not dry_run:
            queue.record_imports(plan.said)
    facts = {
        "new": plan.new,
        "changed": plan.changed,
        "same": plan.same,
        "unanswered": plan.unanswered,
        "imported": not dry_run,
        "annotators": sorted(plan.said),
    }
    line = (
        f"{plan.new:,} new and {plan.changed:,} changed answers "
        f"{'would be imported' if dry_run else 'imported'}"
        + (f" of {', '.join(sorted(plan.said))}" if plan.said else "")
        + f"; {plan.same:,} as they were, {plan.unanswered:,} rows without an answer"
    )
    show(facts, [line], as_json)


def _format(name: str | None) -> "ExchangeFormat | None":
    from ..queue.exchange import ExchangeFormat

    return None if name is None else chosen(ExchangeFormat, name, "--format")
