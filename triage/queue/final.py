"""What becomes of every message: the machine's action, or what people decided."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from triage.data import Dialect, Format, create_output

from ..decide.source import CHUNK_ROWS
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE
from ..vocabulary import Action
from .spans import packed
from .store import Queue

FINAL_COLUMNS = (FINAL_ACTION, DECIDED_BY, FINAL_SPANS)


@dataclass
class Applied:
    """What was written.

    Parameters
    ----------
    output : str
    rows : int
    actions : dict of (str, str) to int
        Messages by final action, and by whether ``machine`` or ``people`` decided; an action that
        is still EXPERT was decided by nobody, and has an empty string.
    formulas : dict of str to int
        Cells, by column, that a spreadsheet may take for formulas.
    """

    output: str
    rows: int = 0
    actions: Counter[tuple[str, str]] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)


def apply_queue(queue: Queue, output: str | Path, *, overwrite: bool = False) -> Applied:
    """Write every message with its final action.

    Each row is as `triage classify` wrote it, then `FINAL_COLUMNS`: TA or NTA, or EXPERT where
    nobody has decided yet; who decided; the identifiers, as JSON (``[[start, end, type], …]``).
    Those of a TA message that the machine decided are the words that it suggests.

    Parameters
    ----------
    queue : Queue
    output : str or Path
        Its extension tells the format. It is as readable as the queue is.
    overwrite : bool, default False
        Whether a file that is there is replaced.

    Returns
    -------
    Applied

    Raises
    ------
    DataError
        If it cannot be written.
    TriageError
        If the messages have one of these columns already.
    """
    about = queue.about
    taken = [column for column in FINAL_COLUMNS if column in about.columns]
    if taken:
        raise TriageError(
            f"the messages of {about.name} have a column {taken[0]!r} already: rename it there, "
            "and make the queue again"
        )
    applied = Applied(str(output))
    with create_output(
        output,
        [*about.columns, *FINAL_COLUMNS],
        like=_dialect(queue),
        mode_from=queue.path,
        overwrite=overwrite,
    ) as file:
        rows: list[list[object]] = []
        for row, action, by in _rows(queue):
            applied.actions[action, by] += 1
            rows.append(row)
            if len(rows) == CHUNK_ROWS:
                file.write(rows)
                rows = []
        file.write(rows)
        applied.rows, applied.formulas = file.rows_written, dict(file.formulas)
        file.commit()
    return applied


def _dialect(queue: Queue) -> Dialect:
    about = queue.about
    return Dialect(
        Format(about.format),
        separator=about.separator or None,
        bom=about.bom,
        line_terminator=about.line_terminator,
    )


def _rows(queue: Queue) -> Iterator[tuple[list[object], str, str]]:
    """Yield each message's row, its final action, and by whom it is."""
    people = queue.resolved()
    suggested = queue.suggestions()
    for item, row, action in queue.triaged_rows():
        decided = people.get(item)
        if decided:
            final, by, spans = decided.answer.value, decided.by, decided.spans
        else:
            final, by = action, "" if action == Action.EXPERT else MACHINE
            spans = suggested(item) if action == Action.TA else ()
        whose = "people" if decided else by
        yield [*row, final, by, packed(spans)], final, whose
