"""Results of a queue as files: the final action of every message, and lists of words."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from triage.data import Dialect, Format, as_text, create_output, run_path

from ..decide.run_record import parse_record, record_output
from ..decide.source import CHUNK_ROWS
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE
from ..safe import Staged, publish_all, replaces_records
from ..vocabulary import Action
from .exchange import ExchangeFormat, Row, fitted, read
from .queue import Queue
from .records import Answer, Filters, ItemAnswer, State, annotator_name, packed, text_digest

FINAL_COLUMNS = (FINAL_ACTION, DECIDED_BY, FINAL_SPANS)


@dataclass
class Applied:
    output: str
    rows: int = 0
    actions: Counter[tuple[str, str]] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)
    # Ids, or rows where the corpus has none, of what people said to be TA without marking anything.
    unmarked: list[str] = field(default_factory=list)


def apply_queue(queue: Queue, output: str | Path, *, overwrite: bool = False) -> Applied:
    """Write every message with its final action."""
    about = queue.about
    taken = [column for column in FINAL_COLUMNS if column in about.columns]
    if taken:
        raise TriageError(
            f"the messages of {about.name} have a column {taken[0]!r} already: rename it there, "
            "and make the queue again",
            "column_taken",
            column=taken[0],
        )
    applied = Applied(str(output))
    like = Dialect(
        Format(about.format),
        separator=about.separator or None,
        bom=about.bom,
        line_terminator=about.line_terminator,
    )
    with (
        create_output(
            output,
            [*about.columns, *FINAL_COLUMNS],
            like=like,
            mode_from=queue.path,
            overwrite=overwrite,
        ) as file,
        _record(queue, output, overwrite=overwrite) as record,
    ):
        rows = _rows(queue, applied)
        while batch := list(islice(rows, CHUNK_ROWS)):
            file.write(batch)
        applied.rows, applied.formulas = file.rows_written, dict(file.formulas)
        publish_all([*record, file])
    return applied


@contextmanager
def _record(queue: Queue, output: str | Path, *, overwrite: bool) -> Iterator[list[Staged]]:
    """Give the record of the run that triaged the messages, if it is known and has a place."""
    path, run = run_path(output), queue.about.run
    if path is None or not run:
        yield []
        if path is not None and overwrite:
            # That of an output that was replaced.
            path.unlink(missing_ok=True)
        return
    record = parse_record(run, queue.path.parent)
    overwrite = overwrite or replaces_records(output)
    with record_output(record, path, mode_from=queue.path, overwrite=overwrite) as written:
        yield [written]


def _rows(queue: Queue, applied: Applied) -> Iterator[list[object]]:
    """Yield the rows, and count their actions."""
    people, suggested, about = queue.resolved(), queue.suggestions(), queue.about
    at = about.columns.index(about.id_column) if about.id_column else None
    for number, (item, row, action) in enumerate(queue.triaged_rows(), 1):
        decided = people.get(item)
        if decided and decided.answer is Answer.TA and not decided.spans:
            applied.unmarked.append(str(number) if at is None else as_text(row[at]))
        if decided:
            final, by, spans = decided.answer.value, decided.annotator, decided.spans
        else:
            final, by = action, "" if action == Action.EXPERT else MACHINE
            spans = suggested(item) if action == Action.TA else ()
        applied.actions[final, "people" if decided else by] += 1
        yield [*row, final, by, packed(spans)]


# Rows named in an error message.
_NAMED = 10


@dataclass
class Plan:
    """Changes that an import would make; `Queue.record_imports` makes them."""

    new: int = 0
    changed: int = 0
    same: int = 0
    unanswered: int = 0
    said: dict[str, list[ItemAnswer]] = field(default_factory=lambda: defaultdict(list))


def exported_rows(queue: Queue, annotator: str = "", state: State = State.OPEN) -> Iterator[Row]:
    """Yield items with an annotator's answers, or our suggestions, and the notes they may see."""
    for number in queue.numbers(annotator, Filters(state=state)):
        found, of_messages = queue.existing_item(number), queue.ids_and_evidence(number)
        own, notes = found.standing_of(annotator), queue.notes(number, annotator)
        seek_hide, model, score, action = found.votes
        ids = [id_ for id_, _ in of_messages if id_]
        about = {
            "item": number,
            "digest": text_digest(found.text).hex(),
            "messages": found.n_messages,
            "ids": ids,
            "seek_hide": seek_hide.value,
            "model": model.value,
            "model_score": score,
            **({"notes": [one.plain() for one in notes]} if notes else {}),
            "evidence": of_messages[0][1],
            "action": action.value,
            "suggested": found.suggested_spans,
        }
        is_answered = own and own.answer is not Answer.SKIP
        spans = own.spans if own and is_answered else found.suggested_spans
        yield Row(" ".join(ids), found.text, spans, own.answer if own else None, about)


def plan_import(
    queue: Queue,
    path: Path,
    format_: ExchangeFormat | None = None,
    *,
    annotator: str = "",
    approved: bool = False,
) -> Plan:
    """Read what another tool wrote, and return the changes that it would make."""
    rows = read(path, format_, approved=approved)
    annotators = {row.annotator for row in rows if row.answer is not None}
    if annotator and len(annotators) > 1:
        raise TriageError(
            f"{path} holds answers of {len(annotators)} people: leave --annotator out"
        )
    unmatched: list[str] = []
    plan = Plan()
    for row in rows:
        number = None
        # What a tool made of a digest may be none.
        with suppress(ValueError):
            number = queue.find(bytes.fromhex(row.digest) if row.digest else text_digest(row.text))
        if number is None:
            unmatched.append(row.where)
        elif (answer := row.answer) is None:
            plan.unanswered += 1
        else:
            _plan_answer(queue, plan, number, row, answer, annotator or row.annotator)
    if unmatched:
        more = f" and {len(unmatched) - _NAMED} more" if len(unmatched) > _NAMED else ""
        raise TriageError(
            f"{path}: {', '.join(unmatched[:_NAMED])}{more}: no message of this queue reads so; "
            "nothing was imported. Remove these rows, or add their messages to the queue first"
        )
    return plan


def _plan_answer(
    queue: Queue, plan: Plan, number: int, row: Row, answer: Answer, annotator: str
) -> None:
    if not annotator:
        raise TriageError(f"{row.where} does not say who answered: name them with --annotator")
    name, item = annotator_name(annotator), queue.existing_item(number)
    said = queue.checked(number, answer, fitted(row, item.text).spans)
    before = item.standing_of(name)
    if before and (before.answer, before.spans) == (said.answer, said.spans):
        plan.same += 1
        return
    plan.new += before is None
    plan.changed += before is not None
    plan.said[name].append(said)
