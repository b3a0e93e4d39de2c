"""Items of a queue on their way to other tools, and what comes back."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import TriageError
from ..vocabulary import Spans
from .entries import text_digest
from .exchange import ExchangeFormat, Exported, Imported, export, fitted, read
from .records import Answer, Filters, Item, State
from .store import Queue
from .writing import Said, annotator_name

# An error names so many rows; the count says how many there are.
_NAMED = 10


@dataclass
class Plan:
    """What an import would change.

    Parameters
    ----------
    new, changed, same : int
        Answers to items that the annotator has not answered, has answered otherwise, or in the
        same way.
    unanswered : int
        Rows that hold no answer.
    said : dict of str to list of Said
        What is to be recorded, by annotator: new and changed answers.
    """

    new: int = 0
    changed: int = 0
    same: int = 0
    unanswered: int = 0
    said: dict[str, list[Said]] = field(default_factory=lambda: defaultdict(list))


def export_queue(
    queue: Queue,
    path: str | Path,
    format_: ExchangeFormat | None = None,
    *,
    annotator: str = "",
    state: State = State.OPEN,
    overwrite: bool = False,
) -> int:
    """Write items for another tool, with our suggestions.

    Parameters
    ----------
    path : str or Path
        Only its owner may read it.
    format_ : ExchangeFormat, optional
        By default told by the extension.
    annotator : str
        Whose items, and whose answers, are meant.
    overwrite : bool, default False
        Whether a file that is there is replaced: it may be half annotated.

    Returns
    -------
    int
        How many items were written.

    Raises
    ------
    DataError, TriageError
        If the path cannot be written or tells no format.
    """
    items = list(_exported(queue, annotator, state))
    return export(path, items, format_, overwrite=overwrite)


def _exported(queue: Queue, annotator: str, state: State) -> Iterator[Exported]:
    for number in queue.numbers(annotator, Filters(state=state)):
        found = queue.item(number)
        if not found:
            raise LookupError(number)
        ids = queue.ids_and_evidence(number)
        own = [s for s in found.standing if s.annotator == annotator and not s.adjudicates]
        yield Exported(
            number,
            text_digest(found.text).hex(),
            found.text,
            found.n_messages,
            tuple(id_ for id_, _ in ids if id_),
            found.votes,
            ids[0][1],
            found.suggested_spans,
            own[-1].answer if own else None,
            own[-1].spans if own else (),
        )


def plan_import(
    queue: Queue,
    path: str | Path,
    format_: ExchangeFormat | None = None,
    *,
    annotator: str = "",
    approved: bool = False,
) -> Plan:
    """Read what another tool wrote and say what it would change.

    Parameters
    ----------
    format_ : ExchangeFormat, optional
        By default told by extension and content.
    annotator : str
        Who answered, whatever the file says; empty where it says so itself.
    approved : bool
        Whether a file of doccano holds approved documents alone.

    Returns
    -------
    Plan
        For `apply_import`.

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If it is of another format, names no annotator, or holds rows that are no item of the
        queue: it names the first ten.
    """
    rows = read(path, format_, approved=approved)
    told = {row.annotator for row in rows if row.answer is not None}
    if annotator and len(told) > 1:
        raise TriageError(f"{path} holds answers of {len(told)} people: leave --annotator out")
    unmatched: list[str] = []
    plan = Plan()
    for row in rows:
        number = _match(queue, row)
        if number is None:
            unmatched.append(row.where)
        elif row.answer is None:
            plan.unanswered += 1
        else:
            _plan_row(queue, plan, number, row, annotator)
    if unmatched:
        more = f" and {len(unmatched) - _NAMED} more" if len(unmatched) > _NAMED else ""
        raise TriageError(
            f"{path}: {', '.join(unmatched[:_NAMED])}{more}: no message of this queue reads so; "
            "nothing was imported. Remove these rows, or add their messages to the queue first"
        )
    return plan


def _match(queue: Queue, row: Imported) -> int | None:
    """Return the item that a row is of: by its digest, else by its text."""
    return queue.find(_bytes(row.digest) if row.digest else text_digest(row.text))


def _bytes(digest: str) -> bytes:
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return b""


def _plan_row(queue: Queue, plan: Plan, number: int, row: Imported, annotator: str) -> None:
    name = annotator or row.annotator
    if not name:
        raise TriageError(f"{row.where} does not say who answered: name them with --annotator")
    name = annotator_name(name)
    item = queue.item(number)
    if item is None:
        raise LookupError(number)
    whole = fitted(row, item.text)
    said = queue.checked(number, row.answer or Answer.SKIP, whole.spans)
    before = _before(item, name)
    if before == (said.answer, said.spans):
        plan.same += 1
        return
    plan.new += before is None
    plan.changed += before is not None
    plan.said[name].append(said)


def _before(item: Item, annotator: str) -> tuple[Answer, Spans] | None:
    own = [
        (s.answer, s.spans) for s in item.standing if s.annotator == annotator and not s.adjudicates
    ]
    return own[-1] if own else None


def apply_import(queue: Queue, plan: Plan) -> None:
    """Record all that a plan holds, or nothing of it.

    Parameters
    ----------
    plan : Plan
        Of `plan_import`.
    """
    queue.record_imports(plan.said)
