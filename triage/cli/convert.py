"""``triage convert``: messages with their identifiers, in the formats of other programs."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError, chosen
from ..settings import Run, Setup
from .console import progress_bar, report
from .options import Messages, OutputOption, Working, given, load, of_run, only, processes, refuse

if TYPE_CHECKING:
    from ..decide.source import Source
    from ..queue.exchange import Destination, ExchangeFormat, Exported


_TABLE = "table"


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
    from ..queue.exchange import Destination, annotated_format

    target, annotated = (
        Destination(output, source, working.overwrite),
        annotated_format(Path(source)),
    )
    if to == _TABLE and not annotated:
        refuse([name for name in ("--key-table",) if key_table], "does not apply to --to table")
        n_messages, which = _same_table(Source(source, reading), target), "none"
    elif annotated:
        others: dict[str, object] = {"--to": to, "--key-table": key_table}
        others |= given(reading) | given(setup)
        refuse([name for name, value in others.items() if value], f"does not apply to {annotated}")
        n_messages, which = _to_table(source, annotated, target), "annotated"
    else:
        tables = [key_table] if key_table else []
        format_ = _checked_format(to, target, [source, *setup.paths, *tables])
        with _items(Source(source, reading), setup, working, key_table) as (items, which):
            n_messages = _written(items, target, format_)
    facts = {"output": str(output), "messages": n_messages, "identifiers": which}
    told = f", with the identifiers {_WHICH[which]}" if which in _WHICH else ""
    line = f"{n_messages:,} messages written to {output}{told}"
    report(working, facts, [line])


def _same_table(source: "Source", target: "Destination") -> int:
    """Write a table in another format; return how many messages."""
    from ..queue.exchange.corpus import copy_table
    from ..safe import check_targets

    check_targets([target.path], [source.path], overwrite=target.overwrite)
    with source.open() as file:
        return copy_table(file, target)


def _to_table(source: str, format_: "ExchangeFormat", target: "Destination") -> int:
    """Write annotated messages as a table; return how many."""
    from ..queue.exchange import read_rows
    from ..queue.exchange.corpus import write_table
    from ..safe import check_targets

    check_targets([target.path], [source], overwrite=target.overwrite)
    return write_table(target, read_rows(Path(source), format_, approved=True))


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


def _written(items: Iterable["Exported"], target: "Destination", format_: "ExchangeFormat") -> int:
    from ..queue.exchange import FORMATS

    return FORMATS[format_].write(target, items)


_WHICH = {
    "annotated": "that were annotated",
    "replaced": "that were replaced, as they stand now",
    "found": "that are found in them",
    "marked": "that are marked in them",
}


@contextmanager
def _items(
    source: "Source", setup: Setup, working: Run, key_table: str | None
) -> Iterator[tuple[Iterator["Exported"], str]]:
    """Give the messages of a file, and which identifiers they have."""
    from ..anonymise.restore import replaced_spans
    from ..queue.exchange.corpus import found_items, marked_items, replaced_items, spans_column

    with source.open() as file:
        marked = spans_column(file)
        if key_table:
            spans = [*replaced_spans(file, source.path, key_table)]
            yield replaced_items(file, spans), "replaced"
        elif marked:
            yield marked_items(file, marked), "marked"
        else:
            triage, n_jobs = load(of_run(setup, source.path)), processes(working.jobs)
            with (
                progress_bar(working.quiet) as progress,
                found_items(file, source.reading.sender_column, triage, progress, n_jobs) as items,
            ):
                yield items, "found"
