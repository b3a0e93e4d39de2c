"""``triage review``, ``desk``, ``queue`` and ``convert``: what people decide, here or elsewhere."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from triage.data.errors import require

from ..anonymise.keys import replaced_spans
from ..decide.source import Source
from ..errors import as_typed, some_of
from ..queue import Queue, exchange
from ..queue import apply as applying
from ..queue.exchange import FORMATS, SHEETS, WRITTEN_ONLY, ExchangeFormat
from ..queue.fill import Filled, add_to_queue, check_free, create_queue
from ..queue.learning import MIN_DECIDED, decided_corpus, gain
from ..queue.records import State, annotator_name
from ..queue.rows import Destination
from ..queue.store import is_queue
from ..safe import check_is_named, check_targets, write_file, write_files
from ..settings import check_names, declared
from ..vocabulary import Quantity
from .options import DECIDING, READING, Call, FileArgument, queue_beside
from .printed import TEXTS, Done, formula_warning, refused, show, text, warn

PageLanguage = StrEnum("PageLanguage", ["FR", "EN"])
_Queue = Annotated[Path, typer.Argument(metavar="QUEUE")]


@dataclass(frozen=True)
class Serving:
    annotator: str = "expert"
    host: str | None = None
    port: int = declared(0, low=0, high=65535)
    lang: PageLanguage | None = None
    no_browser: bool = False

    def server(self, module: str) -> Callable[..., None]:
        """Return the function that serves the page, after a check that it can."""
        for package in ("markdown_it", "starlette", "uvicorn"):
            require(package, "review")
        name = annotator_name(self.annotator)
        import_module("triage.web.server").listen(self.host, self.port).close()
        return partial(
            import_module(f"triage.web.{module}").serve,
            annotator=name,
            host=self.host,
            port=self.port,
            open_browser=not self.no_browser,
            language=self.lang,
        )


def review(
    call: Annotated[Call, "plan"],
    path: Annotated[Path, typer.Argument(metavar="FILE")],
    page: Serving,
    double: float | None = None,
    adjudicate_own: bool = False,
) -> None:
    serve = page.server("server")
    if is_queue(path) or queue_beside(path).exists():
        call.refuse((*READING, *DECIDING), "is that of the queue: leave it out")
    path = queue_of(call, path)
    if double is not None:
        with Queue.open(path) as queue:
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
    check_is_named(path or "")
    page.server("app")(path)


def queue_of(call: Call, path: Path) -> Path:
    """Return the queue of a file of messages, which is made where it is not there."""
    check_is_named(path)
    if is_queue(path):
        return path
    beside = queue_beside(path)
    if beside.exists():
        with Queue.open(beside) as queue:
            name = queue.about.name
        if name != path.name:
            raise refused("other_queue", queue=beside, name=name, typed=as_typed(beside), path=path)
        return beside
    file = call.source(path)
    filled = create_queue(beside, file, call.load_as(file), call.progress, jobs=call.jobs)
    show([f"{beside}: {_to_read(filled)}"], beside=True)
    return beside


def create(
    call: Annotated[Call, "plan"], source: FileArgument, output: Path, double: float | None = None
) -> Done:
    check_free(output)
    check_targets([output], [source, *call.read_from])
    file = call.source(source)
    filled = create_queue(output, file, call.load_as(file), call.progress, double or 0.0, call.jobs)
    return _filled(filled, output)


def add(call: Annotated[Call, "plan"], path: _Queue, source: FileArgument) -> Done:
    call.refuse(READING[:3], "is that of the queue: leave it out")
    with Queue.open(path) as queue:
        about = queue.about
        names = ("text_column", "id_column", "sender_column")
        columns: dict[str, Any] = {name: getattr(about, name) or None for name in names}
        file = Source(source, replace(call.reading, **columns))
        filled = add_to_queue(queue, file, call.load_as(file), call.progress, call.jobs)
    return _filled(filled, path)


def _filled(filled: Filled, path: Path) -> Done:
    facts = asdict(filled) | {"queue": str(path)}
    if filled.other_labels:
        warn(text("queue labels", facts))
    n_known = filled.messages - filled.new
    known = f", {n_known:,} there already" if n_known else ""
    return Done(facts, [text("queue filled", facts, there=known), f"{path}: {_to_read(filled)}"])


def _to_read(filled: Filled) -> str:
    items, messages = Quantity(filled.items), Quantity(filled.items_messages)
    return f"{items:# text|# texts} to read ({messages:# message|# messages})"


def status(path: _Queue) -> Done:
    with Queue.open(path) as queue:
        state, assigned, waits_for = queue.status(), queue.assigned(), queue.waits_for()
    facts = asdict(state) | {"assigned": assigned}
    facts |= {"waits_for": {name: n for name, n in waits_for.items() if name}}
    share = f"{state.messages_decided / state.messages:.1%}" if state.messages else "–"
    to_decide = state.items - state.items_final - state.items_disagreed
    lines = text("queue status", facts, share=share, to_decide=to_decide).split("\n")
    shown = [(TEXTS["handed over"][why], n) for why, n in sorted(state.handed_over.items())]
    shown = [("for two", state.doubled), *shown, ("TA, no mark", state.unmarked)]
    lines += [f"  {what:<15} {n:>8,}" for what, n in shown if n]
    for name in sorted(state.annotators.keys() | assigned):
        to_do = f", {waits_for.get(name, 0):,} to read" if name in assigned else ""
        n_decided = Quantity(state.annotators.get(name, 0))
        lines.append(f"{name}: {n_decided:# text|# texts} decided{to_do}")
    for pair in state.pairs:
        kappa = "no kappa, since both gave one answer only"
        if pair.kappa is not None:
            kappa = f"kappa {pair.kappa:.2f} ({pair.low:.2f} to {pair.high:.2f})"
        if pair.marks is not None:
            kappa += f", {pair.marks:.0%} of marks the same"
        in_common = f"{Quantity(pair.n_items):# item|# items} in common"
        lines.append(f"{pair.first} and {pair.second}: {in_common}, {kappa}")
        if pair.disagreements:
            lines.append(f"  to adjudicate: {', '.join(map(str, pair.disagreements))}")
    if state.always or state.never:
        lines.append(f"words: {len(state.always):,} always a name, {len(state.never):,} never")
    return Done(facts, lines)


def assign(
    path: _Queue, to: tuple[str, ...] = (), to_anybody: bool = False, double: float | None = None
) -> Done:
    if (to and to_anybody) or not (to or to_anybody or double is not None):
        raise refused("no_annotators")
    with Queue.open(path) as queue:
        if to or to_anybody:
            shares = queue.assign(to, double)
        else:
            queue.double(double or 0.0)
            shares = queue.assigned()
        doubled = queue.status().doubled
    lines = [f"{name}: {Quantity(n):# item|# items}" for name, n in shares.items()]
    lines = lines or ["no open item is assigned"]
    if double is not None:
        lines.append(f"{Quantity(doubled):# item|# items} for two")
    return Done({"assigned": shares, "doubled": doubled}, lines)


def apply(
    call: Annotated[Call, "overwrite"],
    path: _Queue,
    output: Path | None = None,
    names: Path | None = None,
    words: Path | None = None,
) -> Done:
    if not (output or names or words):
        raise refused("no_output")
    overwrite = call.run.overwrite
    check_targets([output, names, words], [path], overwrite=overwrite)
    facts: dict[str, Any] = {}
    with Queue.open(path) as queue:
        decided = zip((names, words), map(queue.spellings, queue.word_lists()), strict=True)
        asked = {target: held for target, held in decided if target}
        # Check both first: one list alone would be in the way of the next attempt.
        if empty := [target for target, held in asked.items() if not held]:
            raise refused("no_word", path=empty[0])
        if output:
            facts = vars(applying.apply_queue(queue, output, overwrite=overwrite))
            facts["counts"] = [
                {"final_action": action, "decided_by": by, "messages": n}
                for (action, by), n in sorted(facts.pop("actions").items())
            ]
        lists = {to: "".join(f"{one}\n" for one in held).encode() for to, held in asked.items()}
        write_files(lists, private=True, overwrite=overwrite)
    facts["lists"] = [{"path": str(target), "words": len(held)} for target, held in asked.items()]
    return Done(facts, _applied_lines(facts, path))


def _applied_lines(facts: Mapping[str, Any], path: Path) -> Iterator[str]:
    if "output" in facts:
        yield text("queue applied", facts)
        yield from ("", f"{'final action':<13} {'decided by':<10} {'messages':>9}")
        for one in facts["counts"]:
            by = one["decided_by"] or "–"
            yield f"{one['final_action']:<13} {by:<10} {one['messages']:>9,}"
        if ids := facts["unmarked"]:
            values = {"ids": some_of(ids), "queue": as_typed(path)}
            yield from ("", text("queue unmarked", values, n=len(ids)))
        if facts["formulas"]:
            yield from ("", formula_warning(facts["formulas"]))
    for one in facts["lists"]:
        yield f"{Quantity(one['words']):# word|# words} written to {one['path']}"


def next_(call: Annotated[Call, "plan"], path: _Queue) -> Done:
    with Queue.open(path) as queue:
        corpus = decided_corpus(queue)
    measured = gain(call.load(corpus.messages), corpus)
    if measured is None:
        n_ta, n_nta = corpus.n_each
        facts = {"n_ta": n_ta, "n_nta": n_nta, "before": None, "after": None, "area": None}
        return Done(facts, [text("queue next few", fewest=MIN_DECIDED)])
    result = "better" if measured.area.low > 0 else "worse" if measured.area.high < 0 else "chance"
    advice = text(f"queue next {result}", queue=as_typed(path))
    return Done(asdict(measured), [*text("queue next", vars(measured)).split("\n"), advice])


def export(
    call: Annotated[Call, "overwrite"],
    path: _Queue,
    output: Path,
    to: ExchangeFormat | None = None,
    annotator: str = "",
    state: State = State.OPEN,
    config: Path | None = None,
) -> Done:
    target = Destination(output, overwrite=call.run.overwrite)
    format_ = exchange.checked_format(target, to, [path], also=[config])
    with Queue.open(path) as queue:
        items = [*applying.exported_rows(queue, annotator and annotator_name(annotator), state)]
    n = FORMATS[format_].write(target, items)
    if config:
        interface = files("triage.queue") / "label_studio.xml"
        write_file(config, interface.read_bytes(), overwrite=call.run.overwrite)
    facts = {"output": str(output), "items": n, "config": str(config) if config else None}
    return Done(facts, [text("queue export", facts)])


def import_(
    path: _Queue,
    source: Annotated[Path, typer.Argument(metavar="FILE")],
    format_: ExchangeFormat | None = declared(None, without=WRITTEN_ONLY),
    annotator: str = "",
    approved: bool = False,
    dry_run: bool = False,
) -> Done:
    with Queue.open(path) as queue:
        counts, answers = applying.plan_import(
            queue, source, format_, annotator=annotator, approved=approved
        )
        if not dry_run:
            queue.record_imports(answers)
    names, done = sorted(answers), "would be imported" if dry_run else "imported"
    of_whom = f" of {', '.join(names)}" if names else ""
    line = text("queue import", counts, done=done, of_whom=of_whom)
    return Done({**counts, "imported": not dry_run, "annotators": names}, [line])


def convert(
    call: Annotated[Call, "plan overwrite"],
    source: FileArgument,
    output: Path,
    to: str | None = None,
    key_table: str | None = None,
) -> Done:
    target = Destination(output, source, call.run.overwrite)
    annotated = exchange.annotated_format(Path(source))
    if annotated or to == "table":
        others = ("--key-table", "--to") if annotated else ("--key-table",)
        call.refuse(others, f"does not apply to {annotated or '--to table'}")
        check_targets([output], [source], overwrite=call.run.overwrite)
    if annotated:
        rows = exchange.read(Path(source), annotated, approved=True)
        n_messages, which = applying.write_table(target, rows), "annotated"
    elif to == "table":
        with call.source(source).open() as opened:
            n_messages, which = applying.copy_table(opened, target), "none"
    else:
        n_messages, which = _exchanged(call, source, target, to, key_table)
    facts = {"output": str(output), "messages": n_messages, "identifiers": which}
    return Done(facts, [text("convert", facts, marked=TEXTS["identifiers"][which])])


def _exchanged(
    call: Call, source: str, target: Destination, to: str | None, key_table: str | None
) -> tuple[int, str]:
    """Write messages with their identifiers; return their number, and whose identifiers."""
    if to is not None:
        check_names([to], ["table", *(one for one in FORMATS if one not in SHEETS)], "format")
    wanted = None if to is None else ExchangeFormat(to)
    inputs: list[str | Path] = [source, *call.read_from, *([key_table] if key_table else [])]
    format_ = exchange.checked_format(target, wanted, inputs, without=SHEETS)
    if format_ in SHEETS:
        raise refused("table_of_table", path=target.path)
    file = call.source(source)
    with file.open() as opened:
        replaced = [*replaced_spans(opened, key_table)] if key_table else None
        rows = applying.message_rows(
            opened, lambda: call.load_as(file), replaced, call.progress, call.jobs
        )
        with rows as (items, which):
            return FORMATS[format_].write(target, items), which
