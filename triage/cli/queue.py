"""``triage queue``: the work queue on the command line."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import chosen, files_read, formula_warning, load_triage, progress_bar
from .options import (
    DoubleOption,
    EncodingOption,
    IdOption,
    JsonOption,
    ModelOption,
    NamesOption,
    OverwriteOption,
    QuietOption,
    SenderOption,
    SeparatorOption,
    TextOption,
    WordsOption,
)

if TYPE_CHECKING:
    from ..queue import Queue
    from ..queue.apply import Applied
    from ..queue.exchange import ExchangeFormat
    from ..queue.fill import Filled
    from ..queue.learning import Gain
    from ..queue.records import Status

queue_app = typer.Typer(
    name="queue",
    help="The messages that an expert must see, in one file, and what is decided of them.",
    epilog="Examples: triage queue create sms.triage.csv -o work.queue | "
    "triage queue status work.queue | triage queue apply work.queue -o final.csv",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    suggest_commands=False,
)

QueueArgument = Annotated[Path, typer.Argument(metavar="QUEUE", help="A file of queue create.")]
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="What triage classify wrote.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Where to write.")]
ShippedOption = Annotated[
    str | None,
    typer.Option("--features", help="Of the shipped model, as for classify."),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format", help="csv, xlsx, doccano or label-studio; by default told by the name."
    ),
]


@contextmanager
def _opened(path: Path) -> Iterator["Queue"]:
    from ..queue import Queue
    from ..queue.schema import trouble

    with trouble(path), Queue.open(path) as queue:
        yield queue


@queue_app.command(
    epilog="Examples: triage queue create sms.triage.csv -o work.queue | "
    "triage queue create sms.triage.csv -o work.queue --names our_names.txt --double 10%"
)
def create(
    source: FileArgument,
    output: OutputOption,
    double: DoubleOption = None,
    text_column: TextOption = None,
    id_column: IdOption = None,
    sender_column: SenderOption = None,
    names: NamesOption = [],  # noqa: B006 (typer copies it)
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    features: ShippedOption = None,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a queue of a triaged file: one file, which only you may read.

    Give the lists and the model that the file was triaged with, so that the queue shows what they
    saw in each word.
    """
    from triage.data import check_targets

    from ..decide.source import Source
    from ..errors import TriageError
    from ..queue.fill import create_queue

    if output.exists():
        # It may hold decisions, which nothing that is said here may destroy.
        raise TriageError(
            f"{output} is there already: choose another name, or add to it with triage queue add"
        )
    check_targets([output], [source, *files_read(names, words, model)])
    triage = load_triage(names, words, model, features=features)
    read = Source(source, text_column, id_column, sender_column, encoding, separator)
    with progress_bar(quiet) as progress:
        filled = create_queue(output, read, triage, progress, double)
    _print_filled(filled, output, quiet, as_json)


@queue_app.command(epilog="Example: triage queue add work.queue more.triage.csv")
def add(
    path: QueueArgument,
    source: FileArgument,
    names: NamesOption = [],  # noqa: B006
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    features: ShippedOption = None,
    encoding: EncodingOption = None,
    separator: SeparatorOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add the messages of a triaged file to a queue; no decision is lost or doubled.

    A message that is there already, with the same id, sender and text, gets the votes of the
    file. Files without ids: the n-th message of a text by a sender is the n-th of the queue, so
    that a file that has grown can be added again.
    """
    from ..decide.source import Source
    from ..queue.fill import add_to_queue

    with _opened(path) as queue:
        about = queue.about
        triage = load_triage(names, words, model, features=features)
        read = Source(
            source,
            about.text_column,
            about.id_column or None,
            about.sender_column or None,
            encoding,
            separator,
        )
        with progress_bar(quiet) as progress:
            filled = add_to_queue(queue, read, triage, progress)
    _print_filled(filled, path, quiet, as_json)


def _print_filled(filled: "Filled", path: Path, quiet: bool, as_json: bool) -> None:
    if filled.other_labels:
        typer.echo(
            f"triage: warning: Seek&Hide says something else of {filled.other_labels:,} messages "
            "here: give the --names, --words and --model that the file was triaged with",
            err=True,
        )
    if quiet:
        return
    if as_json:
        typer.echo(json.dumps(asdict(filled) | {"queue": str(path)}, ensure_ascii=False))
        return
    known = filled.messages - filled.new
    typer.echo(
        f"{filled.messages:,} messages read, {filled.new:,} new"
        + (f", {known:,} there already" if known else "")
        + f"; {filled.expert:,} of them for the expert\n"
        f"{path}: {filled.items:,} items to decide (messages that read the same are one)"
    )


@queue_app.command(epilog="Example: triage queue status work.queue")
def status(path: QueueArgument, as_json: JsonOption = False) -> None:
    """Say how far the work is, who did how much, and how far annotators agree.

    Disagreements are named by their items, which `triage review` shows for adjudication.
    """
    with _opened(path) as queue:
        found = queue.status()
        assigned = queue.assigned()
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"assigned": assigned}, ensure_ascii=False))
    else:
        typer.echo("\n".join(_status_lines(found, assigned)))


def _status_lines(found: "Status", assigned: dict[str, int]) -> Iterator[str]:
    waiting = found.items - found.items_final - found.items_disagreed
    yield f"messages          {found.messages:>8,}"
    yield f"  decided         {found.messages_decided:>8,}  {_share(found)}"
    yield f"  for the expert  {found.expert_messages:>8,}"
    yield f"items             {found.items:>8,}  (messages that read the same are one)"
    yield f"  decided         {found.items_final:>8,}"
    yield f"  to decide       {waiting:>8,}"
    yield f"  disagreed on    {found.items_disagreed:>8,}"
    if found.doubled:
        yield f"  for two         {found.doubled:>8,}"
    for name in sorted(found.annotators.keys() | assigned):
        to_do = f", {assigned[name]:,} assigned and open" if name in assigned else ""
        yield f"{name}: {found.annotators.get(name, 0):,} items decided{to_do}"
    for pair in found.pairs:
        kappa = (
            "no kappa, since both gave one answer only"
            if pair.kappa is None
            else f"kappa {pair.kappa:.2f} ({pair.low:.2f} to {pair.high:.2f})"
        )
        yield f"{pair.first} and {pair.second}: {pair.n_items:,} items in common, {kappa}"
        if pair.disagreements:
            yield f"  to adjudicate: {', '.join(map(str, pair.disagreements))}"
    if found.always or found.never:
        yield f"words: {len(found.always):,} always a name, {len(found.never):,} never"


def _share(found: "Status") -> str:
    return f"{found.messages_decided / found.messages:.1%}" if found.messages else "–"


@queue_app.command(
    name="export",
    epilog="Examples: triage queue export work.queue -o tasks.json --format label-studio | "
    "triage queue export work.queue -o queue.xlsx",
)
def export_command(
    path: QueueArgument,
    output: OutputOption,
    format_: FormatOption = None,
    annotator: Annotated[
        str, typer.Option("--annotator", help="Whose items and answers; by default anybody's.")
    ] = "",
    state: Annotated[
        str, typer.Option("--state", help="open, decided, skipped, disagreed or all.")
    ] = "open",
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Write the labelling interface of Label Studio here."),
    ] = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write items for a spreadsheet, doccano or Label Studio, with our suggestions.

    Only you may read the file: it holds messages. One that is there already may be half annotated.
    """
    from triage.data import check_targets
    from triage.data.staging import write_file

    from ..queue.exchange import label_studio_config
    from ..queue.records import State
    from ..queue.trade import export_queue

    check_targets([output, config], [path], overwrite=overwrite)
    with _opened(path) as queue:
        written = export_queue(
            queue,
            output,
            _format(format_),
            annotator=annotator,
            state=chosen(State, state, "--state"),
            overwrite=overwrite,
        )
    if config:
        write_file(config, label_studio_config().encode(), overwrite=overwrite)
    if not quiet:
        typer.echo(f"{written:,} items written to {output}")


@queue_app.command(
    name="import",
    epilog="Example: triage queue import work.queue annotated.json --annotator anna --dry-run",
)
def import_command(
    path: QueueArgument,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What the other tool wrote.")],
    format_: FormatOption = None,
    annotator: Annotated[
        str, typer.Option("--annotator", help="Who answered; by default as the file says.")
    ] = "",
    approved: Annotated[
        bool,
        typer.Option("--approved", help="The file of doccano holds approved documents alone."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read back what was answered in a spreadsheet, doccano or Label Studio: all or nothing."""
    from ..queue.trade import apply_import, plan_import

    with _opened(path) as queue:
        plan = plan_import(queue, source, _format(format_), annotator=annotator, approved=approved)
        if not dry_run:
            apply_import(queue, plan)
    if quiet:
        return
    counts = {
        "new": plan.new,
        "changed": plan.changed,
        "same": plan.same,
        "unanswered": plan.unanswered,
    }
    if as_json:
        typer.echo(json.dumps(counts | {"imported": not dry_run, "annotators": sorted(plan.said)}))
    else:
        done = "would be imported" if dry_run else "imported"
        typer.echo(
            f"{plan.new:,} new and {plan.changed:,} changed answers {done}"
            + (f" of {', '.join(sorted(plan.said))}" if plan.said else "")
            + f"; {plan.same:,} as they were, {plan.unanswered:,} rows without an answer"
        )


@queue_app.command(
    epilog="Examples: triage queue assign work.queue --to anna --to marc --double 10% | "
    "triage queue assign work.queue --to-anybody"
)
def assign(
    path: QueueArgument,
    to: Annotated[
        list[str], typer.Option("--to", help="An annotator; repeat it to share items out.")
    ] = [],  # noqa: B006
    to_anybody: Annotated[
        bool, typer.Option("--to-anybody", help="Give all open items back.")
    ] = False,
    double: DoubleOption = None,
    quiet: QuietOption = False,
) -> None:
    """Share the open items out among annotators; a part of them to two, so that they compare.

    Without it whoever comes first gets an item, and with --double two get it.
    """
    from ..errors import TriageError

    if bool(to) == to_anybody:
        raise TriageError("say either who gets the open items, with --to, or --to-anybody")
    with _opened(path) as queue:
        shares = queue.assign(to, double)
    if not quiet:
        for name, n in shares.items():
            typer.echo(f"{name}: {n:,} items")
        if not shares:
            typer.echo("every open item is anybody's")


@queue_app.command(
    epilog="Example: triage queue lists work.queue --names our_names.txt --words our_words.txt"
)
def lists(
    path: QueueArgument,
    names: Annotated[
        Path | None, typer.Option("--names", help="Write the words that always are a name here.")
    ] = None,
    words: Annotated[
        Path | None, typer.Option("--words", help="Write the words that never are one here.")
    ] = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the corpus's own lists, for `triage classify --names … --words …`.

    They hold each word in all the ways in which the corpus writes it.
    """
    from triage.data import check_targets

    from ..errors import TriageError
    from ..queue.apply import check_list, write_list

    if names is None and words is None:
        raise TriageError("say where to write the lists, with --names, --words or both")
    check_targets([names, words], [path], overwrite=overwrite)
    with _opened(path) as queue:
        always, never = map(queue.spellings, queue.word_lists())
    asked = [(target, held) for target, held in ((names, always), (words, never)) if target]
    # One list alone would be in the way of the next try.
    for target, held in asked:
        check_list(target, held)
    for target, held in asked:
        write_list(target, held, overwrite=overwrite)
        if not quiet:
            typer.echo(f"{len(held):,} words written to {target}")


@queue_app.command(epilog="Example: triage queue apply work.queue -o final.csv")
def apply(
    path: QueueArgument,
    output: OutputOption,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write every message with its final action, by whom it was decided, and the identifiers.

    What nobody has decided yet stays EXPERT.
    """
    from triage.data import check_targets

    from ..queue.apply import apply_queue

    check_targets([output], [path], overwrite=overwrite)
    with _opened(path) as queue:
        applied = apply_queue(queue, output, overwrite=overwrite)
    if quiet:
        return
    counts = [
        {"final_action": action, "decided_by": by, "messages": n}
        for (action, by), n in sorted(applied.actions.items())
    ]
    if as_json:
        written = {
            "output": applied.output,
            "rows": applied.rows,
            "counts": counts,
            "formulas": applied.formulas,
        }
        summary = json.dumps(written, ensure_ascii=False)
    else:
        summary = "\n".join(_applied_lines(applied))
    # Nothing but rows comes to standard output where they go there.
    typer.echo(summary, err=str(output) == "-")


def _applied_lines(applied: "Applied") -> Iterator[str]:
    yield f"{applied.rows:,} messages written to {applied.output}"
    yield ""
    yield f"{'final action':<13} {'decided by':<10} {'messages':>9}"
    for (action, by), n in sorted(applied.actions.items()):
        yield f"{action:<13} {by or '–':<10} {n:>9,}"
    if applied.formulas:
        yield ""
        yield formula_warning(applied.formulas)


@queue_app.command(
    name="next",
    epilog="Examples: triage queue next work.queue | triage queue next work.queue --json",
)
def next_command(
    path: QueueArgument,
    names: NamesOption = [],  # noqa: B006
    words: WordsOption = [],  # noqa: B006
    model: ModelOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the folds.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Say what the model would learn from the decisions: cross-validated, before and after.

    Each decided item is scored by the model as it is, and by one that has learnt from the
    decisions of other senders. `triage train --from-queue` then makes that model.
    """
    from ..queue.learning import decided_corpus, gain

    with _opened(path) as queue:
        corpus = decided_corpus(queue)
    found = gain(load_triage(names, words, model), corpus, seed)
    if as_json:
        typer.echo(json.dumps(None if found is None else asdict(found)))
    else:
        typer.echo("\n".join(_gain_lines(found, path)))


def _gain_lines(found: "Gain | None", path: Path) -> Iterator[str]:
    from ..queue.learning import FEWEST_DECIDED

    if found is None:
        yield (
            f"Too few decisions yet: {FEWEST_DECIDED} items decided as TA and as many as NTA are "
            "needed to tell"
        )
        return
    yield f"{found.n_ta:,} items decided as TA, {found.n_nta:,} as NTA"
    yield ""
    yield f"{'':<28} {'before':>8} {'after':>8}"
    before, after = found.before, found.after
    yield f"{'area under the ROC curve':<28} {before.area:>8.3f} {after.area:>8.3f}"
    yield f"{'TA voted NTA':<28} {before.missed:>8,} {after.missed:>8,}"
    yield f"{'NTA voted TA':<28} {before.false_alarms:>8,} {after.false_alarms:>8,}"
    yield ""
    area = found.area
    yield f"The area grows by {area.estimate:+.3f} ({area.low:+.3f} to {area.high:+.3f})."
    yield "These are the messages in doubt: on the whole corpus the gain is far smaller."
    if found.is_better:
        yield f"The model learns from them: triage train --from-queue {path} -o MODEL"
    elif found.is_worse:
        yield "The model would get worse by them: leave it as it is."
    else:
        yield "That may be chance: decide more items first, or leave the model as it is."


def _format(name: str | None) -> "ExchangeFormat | None":
    from ..queue.exchange import ExchangeFormat

    return None if name is None else chosen(ExchangeFormat, name, "--format")
