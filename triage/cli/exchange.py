"""``triage queue export`` and ``triage queue import``: annotation in other tools."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import chosen
from .console import report, show
from .options import JsonOption, OutputOption, QueueArgument, Writing, opened_queue

if TYPE_CHECKING:
    from ..queue.exchange import ExchangeFormat

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
    from ..queue.exchange import Destination, checked_format, export, label_studio_config
    from ..queue.records import State
    from ..queue.trade import exported_items
    from ..safe import write_file

    to = Destination(output, overwrite=writing.overwrite)
    chosen_format = checked_format(to, _format(format_), [path], also=[config])
    with opened_queue(path) as queue:
        items = list(exported_items(queue, annotator, chosen(State, state, "--state")))
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
    from ..queue.trade import plan_import

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
