"""Export of a queue's items to other tools, and import of the answers."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import TriageError
from .exchange import ExchangeFormat, Exported, Imported, read
from .exchange.sheets import fitted
from .queue import Queue
from .records import Answer, Filters, ItemAnswer, State, annotator_name, text_digest

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


def exported_items(
    queue: Queue, annotator: str = "", state: State = State.OPEN
) -> Iterator[Exported]:
    """Yield items with our suggestions, an annotator's answers, and the notes they may see."""
    for number in queue.numbers(annotator, Filters(state=state)):
        found = queue.existing_item(number)
        ids = queue.ids_and_evidence(number)
        own = found.standing_of(annotator)
        yield Exported(
            number,
            text_digest(found.text).hex(),
            found.text,
            found.n_messages,
            tuple(id_ for id_, _ in ids if id_),
            found.votes,
            ids[0][1],
            found.suggested_spans,
            own.answer if own else None,
            own.spans if own else (),
            tuple(queue.notes(number, annotator)),
        )


def plan_import(
    queue: Queue,
    path: str | Path,
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
        number = _match(queue, row)
        if number is None:
            unmatched.append(row.where)
        elif row.answer is None:
            plan.unanswered += 1
        else:
            _plan_row(queue, plan, number, row, row.answer, annotator or row.annotator)
    if unmatched:
        more = f" and {len(unmatched) - _NAMED} more" if len(unmatched) > _NAMED else ""
        raise TriageError(
            f"{path}: {', '.join(unmatched[:_NAMED])}{more}: no message of this queue reads so; "
            "nothing was imported. Remove these rows, or add their messages to the queue first"
        )
    return plan


def _match(queue: Queue, row: Imported) -> int | None:
    """Return the item of a row, by its digest if it has one, else by its text."""
    try:
        return queue.find(bytes.fromhex(row.digest) if row.digest else text_digest(row.text))
    except ValueError:
        return None


def _plan_row(
    queue: Queue, plan: Plan, number: int, row: Imported, answer: Answer, annotator: str
) -> None:
    if not annotator:
        raise TriageError(f"{row.where} does not say who answered: name them with --annotator")
    name = annotator_name(annotator)
    item = queue.existing_item(number)
    said = queue.checked(number, answer, fitted(row, item.text).spans)
    before = item.standing_of(name)
    if before and (before.answer, before.spans) == (said.answer, said.spans):
        plan.same += 1
        return
    plan.new += before is None
    plan.changed += before is not None
    plan.said[name].append(said)
