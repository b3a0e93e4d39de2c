"""Final actions of a queue, and rows of exchange that leave a queue or a file and come back."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from triage.data import Chunk, Dialect, Format, MessageFile, as_text, create_output
from triage.data.output import run_path

from ..decide.engine import used_chunks
from ..decide.find import ScoredMessages, scored_identifiers
from ..decide.people import Account
from ..decide.pipeline import Triage
from ..decide.record import parse_record, record_text
from ..errors import TriageError, some_of
from ..model.annotated import FINAL_ACTION, FINAL_COLUMNS, FINAL_SPANS, MACHINE
from ..progress import StartProgress
from ..safe import Staged, publish_all, replaces_records, staged
from ..vocabulary import Action, Span, Spans, check_spans, parse_spans
from .exchange import ExchangeFormat, read
from .queue import Queue
from .records import Answer, Filters, ItemAnswer, State, annotator_name, joined, packed, text_digest
from .rows import Destination, Row, by_marks, fitted
from .store import unpack_cells
from .words import refused


@dataclass
class Applied:
    output: str
    rows: int = 0
    actions: Counter[tuple[str, str]] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)
    # Ids, or rows where the corpus has none, of what people said to be TA without marking anything.
    unmarked: list[str] = field(default_factory=list)


def apply_queue(queue: Queue, output: str | Path, *, overwrite: bool = False) -> Applied:
    """Write every message with its final action, and the record of the run that triaged them."""
    # A queue that an earlier version made may have columns that are added here.
    about, applied, records = queue.about.checked(), Applied(str(output)), list[Staged]()
    like = Dialect(
        Format(about.format),
        separator=about.separator or None,
        bom=about.bom,
        line_terminator=about.line_terminator,
    )
    columns, path = [*about.columns, *FINAL_COLUMNS], run_path(output)
    with ExitStack() as stack:
        table = create_output(output, columns, like=like, mode_from=queue.path, overwrite=overwrite)
        file = stack.enter_context(table)
        if path and about.run:
            content = record_text(parse_record(about.run, queue.path.parent), path.parent).encode()
            may_replace = overwrite or replaces_records(output)
            record = staged(path, content, like=queue.path, overwrite=may_replace)
            records.append(stack.enter_context(record))
        file.write(final_rows(queue, applied))
        applied.rows, applied.formulas = file.rows_written, dict(file.formulas)
        publish_all([*records, file])
    if path and not about.run and overwrite:
        # That of an output that was replaced.
        path.unlink(missing_ok=True)
    return applied


def final_rows(queue: Queue, applied: Applied) -> Iterator[list[object]]:
    standings, suggested, about = queue.resolved(), queue.suggestions(), queue.about
    ruled = queue.ruled_words()
    id_at = about.columns.index(about.id_column) if about.id_column else None
    for number, (item, _, _, action, cells) in enumerate(queue.messages(), 1):
        row = unpack_cells(cells)
        decided = standings.get(item)
        if decided and decided.answer is Answer.TA and not decided.spans:
            applied.unmarked.append(str(number) if id_at is None else as_text(row[id_at]))
        words = ruled.get(item, [])
        if decided:
            final, by, spans = decided.answer.value, decided.annotator, decided.spans
            if decided.answer is Answer.TA:
                newer = (span for span, _, decision, _ in words if decision > decided.decision)
                spans = joined(spans, filter(None, newer))
        elif action != Action.EXPERT and any(span or by_machine for span, by_machine, *_ in words):
            spans = suggested(item)
            final = (Action.TA if spans else Action.NTA).value
            by = " + ".join(sorted({annotator for *_, annotator in words}))
        else:
            final, by = action, "" if action == Action.EXPERT else MACHINE
            spans = suggested(item) if action == Action.TA else ()
        applied.actions[final, by if by in ("", MACHINE) else "people"] += 1
        yield [*row, final, by, packed(spans)]


def exported_rows(queue: Queue, annotator: str = "", state: State = State.OPEN) -> Iterator[Row]:
    """Yield items with an annotator's answers, or our suggestions, and the notes they may see."""
    for number in queue.numbers(annotator, Filters(state=state)):
        item, of_messages = queue.item(number), queue.run("ids and evidence", item=number)
        standing = item.standing_of(annotator)
        notes = [
            {"annotator": one.annotator, "at": one.at, "text": one.text, "asks": bool(one.asks)}
            for one in queue.notes(annotator, number)
        ]
        seek_hide, model, score, action = item.votes
        ids = [id_ for id_, _ in of_messages if id_]
        about = {
            "item": number,
            "digest": text_digest(item.text).hex(),
            "messages": item.n_messages,
            "ids": ids,
            "seek_hide": seek_hide.value,
            "model": model.value,
            "model_score": score,
            **({"notes": notes} if notes else {}),
            "evidence": of_messages[0][1],
        }
        likely, answer = item.suggested_spans, standing.answer if standing else None
        spans = standing.spans if standing and answer is not Answer.SKIP else likely
        yield Row(" ".join(ids), item.text, spans, answer, about, suggested=likely, action=action)


def plan_import(
    queue: Queue,
    path: Path,
    format_: ExchangeFormat | None = None,
    *,
    annotator: str = "",
    approved: bool = False,
) -> tuple[Counter[str], dict[str, list[ItemAnswer]]]:
    """Read what another tool wrote; return how many answers are new, and those to be recorded."""
    rows, row_of = read(path, format_, approved=approved), dict[tuple[int, str], Row]()
    annotators = {row.annotator for row in rows if row.answer is not None}
    if annotator and len(annotators) > 1:
        raise refused("several_people", path=path, n=len(annotators))
    counts, answers = Counter(new=0, changed=0, same=0, unanswered=0), defaultdict(list)
    matched = [(_item_of(queue, row), row) for row in rows]
    if unmatched := [row.where for number, row in matched if not number]:
        raise refused("other_messages", path=path, rows=some_of(unmatched))
    for number, row in matched:
        answer, name = row.answer, annotator or row.annotator
        if answer is None:
            counts["unanswered"] += 1
        elif (before := row_of.setdefault((number, name), row)) is row:
            placed_row = replace(row, where=f"{path}, {row.where}")
            stored_name, kind, checked = _judged(queue, number, placed_row, answer, name)
            counts[kind] += 1
            if kind != "same":
                answers[stored_name].append(checked)
        elif (before.answer, before.spans) != (answer, row.spans):
            raise refused("answered_twice", path=path, one=before.where, other=row.where)
    return counts, answers


def _item_of(queue: Queue, row: Row) -> int:
    """Return the item that a row answers, 0 if there is none."""
    # What a tool made of a digest may be none, and what it made of line breaks may be another.
    with suppress(ValueError):
        texts = row.text, row.text.replace("\r\n", "\n")
        digests = [bytes.fromhex(row.digest)] if row.digest else map(text_digest, texts)
        return next(filter(None, map(queue.find, digests)), 0)
    return 0


def _judged(
    queue: Queue, number: int, row: Row, answer: Answer, annotator: str
) -> tuple[str, str, ItemAnswer]:
    """Return whose answer a row is, whether it is new, changed or the same, and what it says."""
    if not annotator:
        raise TriageError(f"{row.where} does not say who answered: name them with --annotator")
    name, item = annotator_name(annotator), queue.item(number)
    checked = queue.checked(number, answer, fitted(row, item.text).spans)
    standing = item.standing_of(name)
    if not standing:
        return name, "new", checked
    is_same = (standing.answer, standing.spans) == (checked.answer, checked.spans)
    return name, "same" if is_same else "changed", checked


# The columns of spans, and those of what was decided, the first of which counts.
_MARKED = {FINAL_SPANS: (FINAL_ACTION,), "spans": ("label", "action")}


@contextmanager
def message_rows(
    file: MessageFile,
    load: Callable[[], Triage],
    replaced: Iterable[Spans] | None = None,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Iterator[tuple[Iterator[Row], str]]:
    """Give the messages of a file with their identifiers: replaced, marked, or else found."""
    marked = next((column for column in _MARKED if column in file.columns), None)
    if replaced is not None:
        yield replaced_rows(file, replaced), "replaced"
    elif marked:
        yield _marked_rows(file, marked), "marked"
    else:
        triage = load()
        account = Account.of(triage, file)
        look = partial(_find, file, triage)
        with used_chunks(
            triage, file, look, progress, as_whole=triage.weighs_corpus, account=account, jobs=jobs
        ) as by_chunk:
            yield (row for rows in by_chunk for row in rows), "found"


def replaced_rows(file: MessageFile, spans: Iterable[Spans]) -> Iterator[Row]:
    """Yield the messages of an anonymised file with what was put in the place of identifiers."""
    of_messages = iter(spans)
    for chunk in file.whole_chunks(by_sender=False):
        marks = [*islice(of_messages, len(chunk.rows))]
        yield from _rows_of(file, chunk, marks, map(by_marks, marks))


def _marked_rows(file: MessageFile, column: str) -> Iterator[Row]:
    i = file.columns.index(column)
    for chunk in file.whole_chunks(by_sender=False):
        spans = []
        for row, text, line in zip(chunk.rows, chunk.texts, chunk.lines, strict=True):
            try:
                spans.append(check_spans(parse_spans(row[i]) if as_text(row[i]) else (), len(text)))
            except TriageError as error:
                raise TriageError(f"{file.name}, line {line}: {error}") from None
        actions = _actions(file, chunk, _MARKED[column]) or [Action.EXPERT] * len(spans)
        yield from _rows_of(file, chunk, spans, map(_answer, actions))


def _find(file: MessageFile, triage: Triage, chunk: Chunk, scored: ScoredMessages) -> list[Row]:
    actions = _actions(file, chunk, ["action"]) or triage.decide_scored(scored).action
    of_messages = scored_identifiers(scored, actions)
    spans = (tuple(Span(one.start, one.end, one.type) for one in found) for found in of_messages)
    return [*_rows_of(file, chunk, spans, map(_answer, actions))]


def _rows_of(
    file: MessageFile, chunk: Chunk, marks: Iterable[Spans], answers: Iterable[Answer | None]
) -> Iterator[Row]:
    columns = zip(chunk.texts, chunk.ids, marks, answers, strict=True)
    for number, (text, id_, spans, answer) in enumerate(columns, chunk.first + 1):
        ids = [id_] if file.id_column and id_ else []
        about = {"item": number, "digest": text_digest(text).hex(), "messages": 1, "ids": ids}
        yield Row("".join(ids), text, spans, answer, about | {"evidence": ""})


def _actions(file: MessageFile, chunk: Chunk, columns: Iterable[str]) -> list[Action]:
    """Return the actions in the first of some columns, if any; a blank cell waits for people."""
    at = next((file.columns.index(one) for one in columns if one in file.columns), None)
    if at is None:
        return []
    names = [as_text(row[at]).strip() or Action.EXPERT for row in chunk.rows]
    for line, name in zip(chunk.lines, names, strict=True):
        if name not in Action.__members__:
            raise refused("no_action", file=file.name, line=line, column=file.columns[at])
    return [*map(Action, names)]


def _answer(action: Action) -> Answer | None:
    return None if action is Action.EXPERT else Answer(action)


def copy_table(file: MessageFile, to: Destination) -> int:
    """Write a table as it is in the format of another name; return how many messages."""
    rows = (row for chunk in file.whole_chunks(by_sender=False) for row in chunk.rows)
    return to.table(file.columns, rows, file.dialect)


def write_table(to: Destination, rows: Iterable[Row]) -> int:
    """Write what was annotated as a table that other commands read; return how many rows."""

    def cells(row: Row) -> list[object]:
        if row.answer in (None, Answer.SKIP):
            return [row.id, row.text, Action.EXPERT.value, "", ""]
        return [row.id, row.text, row.answer, row.annotator or "annotator", packed(row.spans)]

    return to.table(("id", "text", *FINAL_COLUMNS), map(cells, rows))
