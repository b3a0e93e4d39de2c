"""``triage review``, ``desk``, ``queue`` and ``convert``: what people decide, here or elsewhere."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..declared import choice, declared
from ..errors import TriageError
from ..safe import STANDARD_STREAM, check_targets, write_file, write_files
from ..settings import Reading, Run, Setup
from .options import (
    DOUBLE,
    Done,
    FileArgument,
    Known,
    OutputOption,
    QueueArgument,
    Silent,
    Triaged,
    Writing,
    formula_warning,
    load,
    of_run,
    opened_queue,
    processes,
    progress_bars,
    refuse,
    source_of,
    tell,
    warn,
)

if TYPE_CHECKING:
    from ..queue.exchange import ExchangeFormat
    from ..queue.fill import Filled

# Ids named in a line.
_NAMED = 10
_REASONS = {
    "leak": "leaks to read",
    "finding": "findings",
    "held": "held back",
    "spelling": "asked again",
}
_WHICH = {
    "annotated": ", with the identifiers that were annotated",
    "replaced": ", with the identifiers that were replaced, as they stand now",
    "found": ", with the identifiers that are found in them",
    "marked": ", with the identifiers that are marked in them",
    "none": "",
}

Reporting = Annotated[Run, "quiet", "json"]


@dataclass(frozen=True)
class Serving:
    """Options of serving a page."""

    annotator: str = declared("expert", "Your name, which is stored with your decisions.")
    host: str | None = declared(
        None,
        "Network address to listen on. By default the page can be reached from this machine only, "
        "under a name that ends in .localhost; use --host 127.0.0.1 if your browser does not find "
        "it.",
    )
    port: int = declared(0, "Port; by default any free one.", low=0, high=65535)
    lang: str | None = declared(None, "Language of the page, fr or en; by default the browser's.")
    no_browser: bool = declared(False, "Print the address without opening a browser.")

    def server(self, module: str) -> Callable[..., None]:
        """Return what serves the page, or say how to install what it needs."""
        if self.lang not in (None, "fr", "en"):
            raise TriageError(f"--lang is fr or en, not {self.lang!r}")
        try:
            serve = import_module(f"triage.web.{module}").serve
        except ModuleNotFoundError as error:
            if error.name not in ("starlette", "uvicorn", "markdown_it"):
                raise
            from triage.data.errors import how_to_install

            raise TriageError(f"the page needs {error.name}: {how_to_install('review')}") from None
        return partial(
            serve,
            annotator=self.annotator,
            host=self.host,
            port=self.port,
            open_browser=not self.no_browser,
            language=self.lang,
        )


def review(
    path: Annotated[Path, typer.Argument(metavar="FILE")],
    page: Serving,
    double: float | None = DOUBLE,
    adjudicate_own: bool = declared(
        False, "Allow adjudication of disagreements on items that you have answered yourself."
    ),
) -> None:
    """Decide in the browser what triage classify leaves to people.

    FILE is a queue of triage queue create, or what triage classify wrote: then the queue is made
    beside it, as sms.queue of sms.triage.csv, or opened if it is there. Only this machine can reach
    the page, and only with the address that is printed. Several annotators can work on one queue:
    each runs this command with a different --annotator.
    """
    serve = page.server("server")
    path = queue_of(path)
    if double is not None:
        with opened_queue(path) as queue:
            queue.double(double)
    serve(path, adjudicate_own=adjudicate_own)


def desk(
    page: Serving,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PATH]",
            help="A folder of projects, or a file of messages for a new project beside it; by "
            "default the folder triage-projects of your home.",
        ),
    ] = None,
) -> None:
    """Take a corpus from a file to its publication in the browser.

    A project is a folder: the messages as they came, the queue, the plan, the keys, what was
    written, and a log. Each step on the page is one of the commands, and shows it.
    """
    page.server("app")(path)


def queue_beside(path: Path) -> Path:
    """Return the place of the queue of a triaged file: ``sms.queue`` of ``sms.triage.csv``."""
    return path.with_name(f"{path.stem.removesuffix('.triage')}.queue")


def queue_of(path: Path) -> Path:
    """Return the queue of a file of messages, which is made where it is not there."""
    from ..queue.fill import create_queue
    from ..queue.queue import is_queue

    if is_queue(path):
        return path
    beside = queue_beside(path)
    if beside.exists():
        with opened_queue(beside) as queue:
            name = queue.about.name
        if name != path.name:
            raise TriageError(
                f"{beside} was made of {name}: triage review {shlex.quote(str(beside))} opens it"
            )
        return beside
    file = source_of(path)
    triage = load(of_run(Setup(), str(path)), file.first_messages)
    with progress_bars() as progress:
        filled = create_queue(beside, file, triage, progress, jobs=processes(None))
    tell([f"{beside}: {_to_read(filled)}"], beside=True)
    return beside


def create(
    source: FileArgument,
    output: OutputOption,
    columns: Triaged,
    setup: Known,
    working: Reporting,
    double: float | None = DOUBLE,
) -> Done:
    """Create a queue from the output of triage classify.

    The queue is one file, readable by you only. Columns, lists and model are those of triage
    classify.
    """
    from ..queue.fill import check_free, create_queue

    check_free(output)
    setup, file = of_run(setup, source), source_of(source, columns)
    check_targets([output], [source, *setup.paths])
    triage = load(setup, file.first_messages)
    with progress_bars(working) as progress:
        filled = create_queue(output, file, triage, progress, double, processes(working.jobs))
    return _filled(filled, output)


def add(path: QueueArgument, source: FileArgument, setup: Known, working: Reporting) -> Done:
    """Add the messages of another output of triage classify.

    All decisions are kept. A message that the queue already has, with the same id, sender and text,
    gets the new votes. In files without ids, the n-th message of a text by a sender is taken for
    the n-th one in the queue, so that a file to which messages were appended can be added again.
    """
    from ..queue.fill import add_to_queue

    with opened_queue(path) as queue:
        about = queue.about
        columns = about.text_column, about.id_column or None, about.sender_column or None
        file = source_of(source, Reading(*columns))
        triage = load(of_run(setup, source), file.first_messages)
        with progress_bars(working) as progress:
            filled = add_to_queue(queue, file, triage, progress, processes(working.jobs))
    return _filled(filled, path)


def _filled(filled: "Filled", path: Path) -> Done:
    if filled.other_labels:
        warn(
            f"Seek&Hide says something else of {filled.other_labels:,} messages here: give the "
            "lists and the --model that the file was triaged with"
        )
    known = filled.messages - filled.new
    lines = [
        f"{filled.messages:,} messages read, {filled.new:,} new"
        + (f", {known:,} there already" if known else "")
        + f"; {filled.expert:,} of them to be read",
        f"{path}: {_to_read(filled)}",
    ]
    return Done(asdict(filled) | {"queue": str(path)}, lines)


def _to_read(filled: "Filled") -> str:
    """Return how many texts there are to read; messages that read the same are one."""
    return f"{filled.items:,} texts to read ({filled.items_messages:,} messages)"


def status(path: QueueArgument) -> Done:
    """Show progress and the agreement between annotators.

    Disagreements are listed by the numbers of their items; triage review shows them for
    adjudication.
    """
    with opened_queue(path) as queue:
        waits_for = {name: n for name, n in queue.waits_for().items() if name}
        facts = asdict(queue.status()) | {"assigned": queue.assigned(), "waits_for": waits_for}
    return Done(facts, _status_lines(facts))


def _status_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    decided, messages = facts["messages_decided"], facts["messages"]
    final, disagreed = facts["items_final"], facts["items_disagreed"]
    share = f"{decided / messages:.1%}" if messages else "–"
    counts = [
        ("messages", messages, ""),
        ("  decided", decided, f"  {share}"),
        ("texts to read", facts["items"], f"  ({facts['expert_messages']:,} messages)"),
        ("  decided", final, ""),
        ("  to decide", facts["items"] - final - disagreed, ""),
        ("  disagreed on", disagreed, ""),
    ]
    yield from (f"{what:<18}{n:>8,}{more}" for what, n, more in counts)
    handed_over = sorted(facts["handed_over"].items())
    some = [("for two", facts["doubled"]), *((_REASONS[why], n) for why, n in handed_over)]
    some.append(("TA, no mark", facts["unmarked"]))
    yield from (f"  {what:<15} {n:>8,}" for what, n in some if n)
    answered, assigned, waits_for = facts["annotators"], facts["assigned"], facts["waits_for"]
    for name in sorted(answered.keys() | assigned):
        to_do = f", {waits_for.get(name, 0):,} to read" if name in assigned else ""
        yield f"{name}: {answered.get(name, 0):,} texts decided{to_do}"
    for pair in facts["pairs"]:
        kappa = "no kappa, since both gave one answer only"
        if pair["kappa"] is not None:
            kappa = "kappa {kappa:.2f} ({low:.2f} to {high:.2f})".format(**pair)
        if pair["marks"] is not None:
            kappa += f", {pair['marks']:.0%} of marks the same"
        yield "{first} and {second}: {n_items:,} items in common, ".format(**pair) + kappa
        if pair["disagreements"]:
            yield f"  to adjudicate: {', '.join(map(str, pair['disagreements']))}"
    if facts["always"] or facts["never"]:
        yield f"words: {len(facts['always']):,} always a name, {len(facts['never']):,} never"


def assign(
    path: QueueArgument,
    to: tuple[str, ...] = declared((), "Name of an annotator; repeatable."),
    to_anybody: bool = declared(False, "Withdraw all assignments of open items."),
    double: float | None = DOUBLE,
) -> Done:
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
    return Done({"assigned": shares, "doubled": doubled}, lines)


def apply(
    path: QueueArgument,
    writing: Silent,
    output: Path | None = declared(None, "Output file of all messages.", short="o"),
    names: Path | None = declared(None, "Output file of the words that are always names."),
    words: Path | None = declared(None, "Output file of the words that are never names."),
) -> Done:
    """Write all messages with their final actions.

    The output also has the annotators and the marks. Messages that are still undecided remain
    EXPERT. With --names and --words, the words that were decided are written as lists for the same
    options of triage classify, in all spellings that occur in the corpus.
    """
    from ..queue.apply import apply_queue

    if not (output or names or words):
        raise TriageError(
            "name the output file with --output, or those of the lists with --names and --words"
        )
    check_targets([output, names, words], [path], overwrite=writing.overwrite)
    facts: dict[str, Any] = {}
    with opened_queue(path) as queue:
        always, never = map(queue.spellings, queue.word_lists())
        asked = [(target, of) for target, of in ((names, always), (words, never)) if target]
        # Check both first: one list alone would be in the way of the next attempt.
        for target, held in asked:
            if not held:
                raise TriageError(f"there is no word to write to {target}: none was decided")
        if output:
            applied = apply_queue(queue, output, overwrite=writing.overwrite)
            counts = [
                {"final_action": action, "decided_by": by, "messages": n}
                for (action, by), n in sorted(applied.actions.items())
            ]
            facts = vars(applied) | {"counts": counts}
            del facts["actions"]
        lists = {path: "".join(f"{word}\n" for word in held).encode() for path, held in asked}
        write_files(lists, private=True, overwrite=writing.overwrite)
    facts["lists"] = [{"path": str(target), "words": len(held)} for target, held in asked]
    return Done(facts, _applied_lines(facts, path), beside=str(output) == STANDARD_STREAM)


def _applied_lines(facts: Mapping[str, Any], path: Path) -> Iterator[str]:
    if "output" in facts:
        yield f"{facts['rows']:,} messages written to {facts['output']}"
        yield from ("", f"{'final action':<13} {'decided by':<10} {'messages':>9}")
        for one in facts["counts"]:
            by = one["decided_by"] or "–"
            yield f"{one['final_action']:<13} {by:<10} {one['messages']:>9,}"
        if ids := facts["unmarked"]:
            more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
            yield ""
            yield (
                f"{len(ids):,} messages are TA with nothing marked, and would be held back: "
                f"{', '.join(ids[:_NAMED])}{more}. Mark the words in triage review "
                f'{shlex.quote(str(path))}, state "TA, nothing marked"'
            )
        if facts["formulas"]:
            yield from ("", formula_warning(facts["formulas"]))
    yield from (f"{one['words']:,} words written to {one['path']}" for one in facts["lists"])


def next_(path: QueueArgument, setup: Known) -> Done:
    """Estimate the gain of training on the decisions.

    In a cross-validation, each decided item is scored by the present model, and by one adapted to
    the decisions on the messages of other senders. triage train --from-queue then makes the adapted
    model.
    """
    from ..queue.learning import FEWEST_DECIDED, decided_corpus, gain

    with opened_queue(path) as queue:
        corpus = decided_corpus(queue)
    found = gain(load(setup, lambda: corpus.messages), corpus)
    if found is None:
        few = f"{FEWEST_DECIDED} items decided as TA and as many as NTA are needed to tell"
        return Done(None, [f"Too few decisions yet: {few}"])
    before, after, area = found.before, found.after, found.area
    said = "That may be chance: decide more items first, or leave the model as it is."
    if area.low > 0:
        train = f"triage train --from-queue {shlex.quote(str(path))} -o our_model"
        said = f"The model learns from them: {train}"
    elif area.high < 0:
        said = "The model would get worse by them: leave it as it is."
    lines = [
        f"{found.n_ta:,} items decided as TA, {found.n_nta:,} as NTA",
        "",
        f"{'':<28} {'before':>8} {'after':>8}",
        f"{'area under the ROC curve':<28} {before.area:>8.3f} {after.area:>8.3f}",
        f"{'TA voted NTA':<28} {before.missed:>8,} {after.missed:>8,}",
        f"{'NTA voted TA':<28} {before.false_alarms:>8,} {after.false_alarms:>8,}",
        "",
        f"The area grows by {area.estimate:+.3f} ({area.low:+.3f} to {area.high:+.3f}).",
        "These are the messages in doubt: on the whole corpus the gain is far smaller.",
        said,
    ]
    return Done(asdict(found), lines)


def export(
    path: QueueArgument,
    output: OutputOption,
    writing: Silent,
    to: str | None = declared(
        None,
        "Format of the output: csv, xlsx, doccano, label-studio, brat, iob2, spacy or datasets; by "
        "default from the ending of its name.",
    ),
    annotator: str = declared(
        "", "Export the items and answers of this annotator; by default of all."
    ),
    state: str = declared("open", "State of the items: open, decided, skipped, disagreed or all."),
    config: Path | None = declared(None, "Also write the labelling interface of Label Studio."),
) -> Done:
    """Export items to be annotated in another program.

    It is for a spreadsheet, doccano, Label Studio, brat and others. Suggestions are marked. The
    file holds messages and is readable by you only. An earlier export may hold annotations, so it
    is replaced only with --overwrite.
    """
    from ..queue.apply import exported_rows
    from ..queue.exchange import FORMATS, Destination, checked_format
    from ..queue.records import State

    target = Destination(output, overwrite=writing.overwrite)
    format_ = checked_format(target, _format(to, "--to"), [path], also=[config])
    with opened_queue(path) as queue:
        items = list(exported_rows(queue, annotator, choice(State, state, "--state")))
    n = FORMATS[format_].write(target, items)
    if config:
        interface = files("triage.queue") / "label_studio.xml"
        write_file(config, interface.read_bytes(), overwrite=writing.overwrite)
    facts = {"output": str(output), "items": n, "config": str(config) if config else None}
    return Done(facts, [f"{n:,} items written to {output}"])


def import_(
    path: QueueArgument,
    source: Annotated[Path, typer.Argument(metavar="FILE")],
    format_: str | None = declared(
        None,
        "csv, xlsx, doccano, label-studio, brat or iob2; by default from the ending of the file "
        "name.",
    ),
    annotator: str = declared("", "Name of the annotator; by default as in FILE."),
    approved: bool = declared(
        False, "FILE of doccano, brat or IOB2 holds only approved documents: each is an answer."
    ),
    dry_run: bool = declared(False, "Show what would change without changing anything."),
) -> Done:
    """Import answers that were given in another program.

    FILE is of a spreadsheet, doccano, Label Studio, brat or IOB2. Either all of it is imported or,
    if a row is wrong, nothing.
    """
    from ..queue.apply import plan_import

    with opened_queue(path) as queue:
        of = _format(format_, "--format")
        plan = plan_import(queue, source, of, annotator=annotator, approved=approved)
        if not dry_run:
            queue.record_imports(plan.said)
    names = sorted(plan.said)
    facts = {name: getattr(plan, name) for name in ("new", "changed", "same", "unanswered")}
    line = (
        f"{plan.new:,} new and {plan.changed:,} changed answers "
        f"{'would be imported' if dry_run else 'imported'}"
        + (f" of {', '.join(names)}" if names else "")
        + f"; {plan.same:,} as they were, {plan.unanswered:,} rows without an answer"
    )
    return Done(facts | {"imported": not dry_run, "annotators": names}, [line])


def _format(name: str | None, option: str) -> "ExchangeFormat | None":
    from ..queue.exchange import ExchangeFormat

    return None if name is None else choice(ExchangeFormat, name, option)


def convert(
    context: typer.Context,
    source: FileArgument,
    output: OutputOption,
    columns: Triaged,
    setup: Known,
    working: Writing,
    to: str | None = declared(
        None,
        "Format of the output: brat, iob2, spacy, datasets, doccano or label-studio; by default "
        "from the ending of its name. Or table: FILE itself, in the format of that ending.",
    ),
    key_table: str | None = declared(
        None,
        "Key table that triage anonymise wrote with FILE: identifiers are what it has put there.",
    ),
) -> Done:
    """Write messages and their identifiers for other programs.

    FILE is a file of messages. Its identifiers are those marked in a column final_spans or spans,
    as triage queue apply writes, else those that are found in it; of an anonymised file, what
    stands in their places. FILE may also be a folder of brat or a file of IOB2 that was annotated:
    then the output is a table for triage train and triage anonymise. With --to table all columns
    of FILE are written as they are, as CSV, XLSX, Parquet, JSON Lines or TEI. The output, a file or
    a folder, is no more readable than FILE.
    """
    from ..anonymise.restore import replaced_spans
    from ..queue import exchange
    from ..queue.apply import copy_table, message_rows, write_table

    file = source_of(source, columns)
    target = exchange.Destination(output, source, working.overwrite)
    annotated = exchange.annotated_format(Path(source))
    if annotated or to == "table":
        others = ("--to",) if annotated else ()
        refuse(context, ("--key-table", *others), f"does not apply to {annotated or '--to table'}")
        check_targets([output], [source], overwrite=working.overwrite)
    if annotated:
        rows = exchange.read(Path(source), annotated, approved=True)
        n_messages, which = write_table(target, rows), "annotated"
    elif to == "table":
        with file.open() as opened:
            n_messages, which = copy_table(opened, target), "none"
    else:
        inputs = [source, *setup.paths, *([key_table] if key_table else [])]
        format_ = exchange.checked_format(target, _format(to, "--to"), inputs)
        if format_ in exchange.SHEETS:
            raise TriageError(
                f"{output}: a table is written of a folder of brat or a file of IOB2; the "
                "identifiers of a table go to the formats of --to"
            )
        jobs = processes(working.jobs)
        with file.open() as opened, progress_bars(working) as progress:
            replaced = [*replaced_spans(opened, key_table)] if key_table else None
            messages = message_rows(
                opened, lambda: load(of_run(setup, source)), replaced, progress, jobs
            )
            with messages as (items, which):
                n_messages = exchange.FORMATS[format_].write(target, items)
    facts = {"output": str(output), "messages": n_messages, "identifiers": which}
    return Done(facts, [f"{n_messages:,} messages written to {output}{_WHICH[which]}"])
