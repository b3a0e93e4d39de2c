"""``triage queue``: the expert's queue."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TriageError
from ..settings import Reading, Run, Setup
from .convert import export_items, import_answers
from .options import (
    DoubleOption,
    FileArgument,
    JsonOption,
    NoListsOption,
    OutputOption,
    QueueArgument,
    Triaged,
    Writing,
    command,
    formula_warning,
    in_language,
    load,
    of_run,
    only,
    opened_queue,
    processes,
    progress_bar,
    report,
    show,
)

if TYPE_CHECKING:
    from ..queue.apply import Applied
    from ..queue.fill import Filled
    from ..queue.learning import Gain
    from ..queue.records import Status

# Ids named in a line.
_NAMED = 10

queue_app = typer.Typer(
    name="queue",
    help="Decide the EXPERT messages in a queue file.",
    epilog="\b\nExamples:\n  triage queue create sms.triage.csv -o work.queue\n"
    "  triage queue status work.queue\n  triage queue apply work.queue -o final.csv",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    suggest_commands=False,
)


@command(
    queue_app,
    "queue create sms.triage.csv -o work.queue",
    "queue create sms.triage.csv -o work.queue --names our_names.txt --double 10%",
)
def create(
    source: FileArgument,
    output: OutputOption,
    reading: Triaged,
    setup: Annotated[Setup, only("model", "language", "names", "words", "features")],
    working: Annotated[Run, only("jobs", "quiet", "json")],
    double: DoubleOption = None,
    no_lists: NoListsOption = False,
) -> None:
    """Create a queue from the output of triage classify.

    The queue is one file, readable by you only. The lists are those of triage classify; give the
    same model, so that the queue shows the word evidence behind its decisions.
    """
    from ..decide.source import Source
    from ..queue.fill import create_queue
    from ..safe import check_targets

    if output.exists():
        # It may hold decisions, so no option may replace it.
        raise TriageError(
            f"{output} is there already: choose another name, or add to it with triage queue add"
        )
    setup, file = of_run(setup, source, no_lists=no_lists), Source(source, reading)
    check_targets([output], [source, *setup.paths])
    triage = load(in_language(setup, file.first_messages))
    with progress_bar(working.quiet) as progress:
        filled = create_queue(output, file, triage, progress, double, processes(working.jobs))
    _show_filled(filled, output, working)


@command(queue_app, "queue add work.queue more.triage.csv")
def add(
    path: QueueArgument,
    source: FileArgument,
    setup: Annotated[Setup, only("model", "language")],
    working: Annotated[Run, only("jobs", "quiet", "json")],
) -> None:
    """Add the messages of another output of triage classify.

    All decisions are kept. A message that the queue already has, with the same id, sender and text,
    gets the new votes. In files without ids, the n-th message of a text by a sender is taken for
    the n-th one in the queue, so that a file to which messages were appended can be added again.
    """
    from ..decide.source import Source
    from ..queue.fill import add_to_queue

    with opened_queue(path) as queue:
        about = queue.about
        columns = about.text_column, about.id_column or None, about.sender_column or None
        file = Source(source, Reading(*columns))
        triage = load(in_language(of_run(setup, source), file.first_messages))
        with progress_bar(working.quiet) as progress:
            filled = add_to_queue(queue, file, triage, progress, processes(working.jobs))
    _show_filled(filled, path, working)


def _show_filled(filled: "Filled", path: Path, printing: Run) -> None:
    if filled.other_labels:
        typer.echo(
            f"triage: warning: Seek&Hide says something else of {filled.other_labels:,} messages "
            "here: give the --names, --words and --model that the file was triaged with",
            err=True,
        )
    known = filled.messages - filled.new
    lines = [
        f"{filled.messages:,} messages read, {filled.new:,} new"
        + (f", {known:,} there already" if known else "")
        + f"; {filled.expert:,} of them for the expert",
        f"{path}: {filled.items:,} items to decide (messages that read the same are one)",
    ]
    report(printing, asdict(filled) | {"queue": str(path)}, lines)


@command(queue_app, "queue status work.queue")
def status(path: QueueArgument, as_json: JsonOption = False) -> None:
    """Show progress and the agreement between annotators.

    Disagreements are listed by the numbers of their items; triage review shows them for
    adjudication.
    """
    with opened_queue(path) as queue:
        found = queue.status()
        assigned = queue.assigned()
    show(asdict(found) | {"assigned": assigned}, _status_lines(found, assigned), as_json)


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
    for reason, n in sorted(found.handed_over.items()):
        yield f"  {_REASONS[reason]:<15} {n:>8,}"
    if found.unmarked:
        yield f"  TA, no mark     {found.unmarked:>8,}"
    for name in sorted(found.annotators.keys() | assigned):
        to_do = f", {assigned[name]:,} assigned and open" if name in assigned else ""
        yield f"{name}: {found.annotators.get(name, 0):,} items decided{to_do}"
    for pair in found.pairs:
        kappa = (
            "no kappa, since both gave one answer only"
            if pair.kappa is None
            else f"kappa {pair.kappa:.2f} ({pair.low:.2f} to {pair.high:.2f})"
        )
        marks = "" if pair.marks is None else f", {pair.marks:.0%} of marks the same"
        yield f"{pair.first} and {pair.second}: {pair.n_items:,} items in common, {kappa}{marks}"
        if pair.disagreements:
            yield f"  to adjudicate: {', '.join(map(str, pair.disagreements))}"
    if found.always or found.never:
        yield f"words: {len(found.always):,} always a name, {len(found.never):,} never"


_REASONS = {"leak": "leaks to read", "finding": "findings", "held": "held back"}


def _share(found: "Status") -> str:
    return f"{found.messages_decided / found.messages:.1%}" if found.messages else "–"


@command(
    queue_app,
    "queue assign work.queue --to anna --to marc --double 10%",
    "queue assign work.queue --double 20%",
    "queue assign work.queue --to-anybody",
)
def assign(
    path: QueueArgument,
    to: Annotated[list[str], "Name of an annotator; repeatable."] = [],  # noqa: B006 (typer copies it)
    to_anybody: Annotated[bool, "Withdraw all assignments of open items."] = False,
    double: DoubleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Assign the open items to annotators.

    With --double, two annotators answer some items; alone it changes that share of the items that
    nobody has answered yet. Items that are not assigned go to whichever annotator comes first.
    """
    if (to and to_anybody) or not (to or to_anybody or double is not None):
        raise TriageError("name the annotators with --to, or give --to-anybody, or --double alone")
    with opened_queue(path) as queue:
        if to or to_anybody:
            shares = queue.assign(to, double)
        else:
            queue.double(double or 0.0)
            shares = queue.assigned()
        doubled = queue.status().doubled
    lines = [f"{name}: {n:,} items" for name, n in shares.items()]
    lines = lines or ["no open item is assigned"]
    if double is not None:
        lines.append(f"{doubled:,} items for two")
    show({"assigned": shares, "doubled": doubled}, lines, as_json)


@command(queue_app, "queue lists work.queue --names our_names.txt --words our_words.txt")
def lists(
    path: QueueArgument,
    writing: Writing,
    names: Annotated[Path | None, "Output file of the words that are always names."] = None,
    words: Annotated[Path | None, "Output file of the words that are never names."] = None,
) -> None:
    """Write the lists of words that are always or never names.

    The lists are for triage classify --names and --words. They hold each word in all the spellings
    that occur in the corpus.
    """
    from ..queue.apply import check_list, write_list
    from ..safe import check_targets

    if names is None and words is None:
        raise TriageError("name the output files with --names, --words or both")
    check_targets([names, words], [path], overwrite=writing.overwrite)
    with opened_queue(path) as queue:
        always, never = map(queue.spellings, queue.word_lists())
    asked = [(target, held) for target, held in ((names, always), (words, never)) if target]
    # Check both first: one list alone would be in the way of the next attempt.
    for target, held in asked:
        check_list(target, held)
    for target, held in asked:
        write_list(target, held, overwrite=writing.overwrite)
    facts = {"lists": [{"path": str(target), "words": len(held)} for target, held in asked]}
    lines = (f"{one['words']:,} words written to {one['path']}" for one in facts["lists"])
    report(writing, facts, lines)


@command(queue_app, "queue apply work.queue -o final.csv")
def apply(
    path: QueueArgument,
    output: OutputOption,
    writing: Writing,
) -> None:
    """Write all messages with their final actions.

    The output also has the annotators and the marks. Messages that are still undecided remain
    EXPERT.
    """
    from ..queue.apply import apply_queue
    from ..safe import check_targets

    check_targets([output], [path], overwrite=writing.overwrite)
    with opened_queue(path) as queue:
        applied = apply_queue(queue, output, overwrite=writing.overwrite)
    counts = [
        {"final_action": action, "decided_by": by, "messages": n}
        for (action, by), n in sorted(applied.actions.items())
    ]
    facts = {
        "output": applied.output,
        "rows": applied.rows,
        "counts": counts,
        "formulas": applied.formulas,
        "unmarked": applied.unmarked,
    }
    report(writing, facts, _applied_lines(applied, path), err=str(output) == "-")


def _applied_lines(applied: "Applied", path: Path) -> Iterator[str]:
    yield f"{applied.rows:,} messages written to {applied.output}"
    yield ""
    yield f"{'final action':<13} {'decided by':<10} {'messages':>9}"
    for (action, by), n in sorted(applied.actions.items()):
        yield f"{action:<13} {by or '–':<10} {n:>9,}"
    if ids := applied.unmarked:
        more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        yield ""
        yield (
            f"{len(ids):,} messages are TA with nothing marked, and would be held back: "
            f"{', '.join(ids[:_NAMED])}{more}. Mark the words in triage review {path}, state "
            '"TA, nothing marked"'
        )
    if applied.formulas:
        yield ""
        yield formula_warning(applied.formulas)


@command(queue_app, "queue next work.queue", "queue next work.queue --json", name="next")
def next_command(
    path: QueueArgument,
    setup: Annotated[Setup, only("model", "language")],
    as_json: JsonOption = False,
) -> None:
    """Estimate the gain of training on the decisions.

    In a cross-validation, each decided item is scored by the present model, and by one adapted to
    the decisions on the messages of other senders. triage train --from-queue then makes the adapted
    model.
    """
    from ..queue.learning import decided_corpus, gain

    with opened_queue(path) as queue:
        corpus = decided_corpus(queue)
    triage = load(in_language(setup, lambda: corpus.messages))
    found = gain(triage, corpus)
    show(found and asdict(found), _gain_lines(found, path), as_json)


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


command(
    queue_app,
    "queue export work.queue -o tasks.json --format label-studio",
    "queue export work.queue -o queue.xlsx",
    name="export",
)(export_items)
command(
    queue_app,
    "queue import work.queue annotated.json --annotator anna --dry-run",
    "queue import work.queue annotated.json --annotator anna",
    name="import",
)(import_answers)
