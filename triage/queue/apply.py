"""Results of a queue as files: the final action of every message, and lists of words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from triage.data import Dialect, Format, create_output, run_path

from ..decide.run_record import RunRecord, record_output
from ..decide.source import CHUNK_ROWS
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, MACHINE
from ..safe import Staged, publish_all, replaces_records, write_file
from ..vocabulary import Action
from .queue import Queue
from .records import About, packed

FINAL_COLUMNS = (FINAL_ACTION, DECIDED_BY, FINAL_SPANS)


@dataclass
class Applied:
    output: str
    rows: int = 0
    actions: Counter[tuple[str, str]] = field(default_factory=Counter)
    formulas: dict[str, int] = field(default_factory=dict)


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
    with (
        create_output(
            output,
            [*about.columns, *FINAL_COLUMNS],
            like=_dialect(about),
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


def _dialect(about: About) -> Dialect:
    return Dialect(
        Format(about.format),
        separator=about.separator or None,
        bom=about.bom,
        line_terminator=about.line_terminator,
    )


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
    record = RunRecord.parse(run, queue.path.parent)
    overwrite = overwrite or replaces_records(output)
    with record_output(record, path, mode_from=queue.path, overwrite=overwrite) as written:
        yield [written]


def _rows(queue: Queue, applied: Applied) -> Iterator[list[object]]:
    """Yield the rows, and count their actions."""
    people, suggested = queue.resolved(), queue.suggestions()
    for item, row, action in queue.triaged_rows():
        decided = people.get(item)
        if decided:
            final, by, spans = decided.answer.value, decided.annotator, decided.spans
        else:
            final, by = action, "" if action == Action.EXPERT else MACHINE
            spans = suggested(item) if action == Action.TA else ()
        applied.actions[final, "people" if decided else by] += 1
        yield [*row, final, by, packed(spans)]


def check_list(path: Path, words: Sequence[str]) -> None:
    """Raise a TriageError if a list to be written is empty."""
    if not words:
        raise TriageError(f"there is no word to write to {path}: none was decided")


def write_list(path: Path, words: Sequence[str], *, overwrite: bool = False) -> None:
    """Write a list for `triage classify`, a word a line, to a file only its owner may read."""
    check_list(path, words)
    text = "".join(f"{word}\n" for word in words)
    write_file(path, text.encode(), private=True, overwrite=overwrite)
