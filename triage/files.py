"""Triage of a message file: what ``triage classify`` does, for Python."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from data import (
    Chunk,
    MessageFile,
    OutputFile,
    commit_all,
    create_output,
    default_output,
    open_messages,
    rejects_path,
    write_rejects,
)
from reports.cells import CellCounts

from .pipeline import COLUMNS, Triage, check_columns
from .verdicts import Action

STANDARD_STREAM = "-"
_CHUNK_ROWS = 25_000


@dataclass(frozen=True)
class Request:
    """A file to triage and how to read it.

    Parameters
    ----------
    source : str
        Its path; ``"-"`` is standard input.
    output : str, optional
        By default beside the input, ``sms.triage.csv``; standard output for standard input.
    queue : str, optional
        Where to write the rows that an expert must see.
    text_column, id_column, encoding, separator : str, optional
        By default found out.
    """

    source: str
    output: str | None = None
    queue: str | None = None
    text_column: str | None = None
    id_column: str | None = None
    encoding: str | None = None
    separator: str | None = None

    @property
    def target(self) -> str:
        """Where the output goes."""
        if self.output:
            return self.output
        return self.source if self.source == STANDARD_STREAM else str(default_output(self.source))


@dataclass
class Outcome:
    """What became of a file.

    Parameters
    ----------
    output : str
    rows_read, rows_written, rows_rejected : int
        The first is the sum of the others.
    rejects : str
        Where the rejected rows stand; empty without any.
    ids_repeated : int
        Rows whose id an earlier row has.
    counts : CellCounts
    """

    output: str
    rows_read: int = 0
    rows_written: int = 0
    rows_rejected: int = 0
    rejects: str = ""
    ids_repeated: int = 0
    counts: CellCounts = field(default_factory=CellCounts)


Progress = Callable[[int], None]


def classify_file(
    triage: Triage, request: Request, progress: Callable[[int | None], Progress] | None = None
) -> Outcome:
    """Triage a file; every row read is written, in order, with the decisions behind it.

    Outputs appear whole or not at all.

    Parameters
    ----------
    triage : Triage
    request : Request
    progress : callable, optional
        Given about how many rows there are (None where unknown), returns a function that is
        called with the number of rows done after each chunk.

    Raises
    ------
    DataError
        If the file cannot be read or an output cannot be written.
    TriageError
        If the file was triaged before.
    """
    with ExitStack() as stack:
        file = stack.enter_context(_open(request))
        check_columns(file.columns, file.text_column)
        outputs = [stack.enter_context(_create(request, file, request.target))]
        if request.queue:
            outputs.append(stack.enter_context(_create(request, file, request.queue, guard=True)))
        outcome = Outcome(request.target)
        _decide_rows(triage, file, outputs, outcome, progress(file.lines) if progress else None)
        _finish(file, outputs, outcome)
    return outcome


def _open(request: Request) -> MessageFile:
    return open_messages(
        request.source,
        text_column=request.text_column,
        id_column=request.id_column,
        encoding=request.encoding,
        separator=request.separator,
        chunk_rows=_CHUNK_ROWS,
    )


def _create(request: Request, file: MessageFile, path: str, *, guard: bool = False) -> OutputFile:
    return create_output(
        path,
        [*file.columns, *COLUMNS],
        like=file.dialect,
        mode_from=request.source,
        guard_formulas=guard,
    )


def _decide_rows(
    triage: Triage,
    file: MessageFile,
    outputs: list[OutputFile],
    outcome: Outcome,
    progress: Progress | None,
) -> None:
    ids = _Ids()
    for chunk in file.chunks():
        decided = triage.decide(chunk.texts)
        outcome.counts.add(decided.seek_hide, decided.model, decided.action)
        rows = [[*cells, *columns] for cells, columns in zip(chunk.rows, decided.rows(), strict=True)]
        outputs[0].write(rows)
        for queue in outputs[1:]:
            queue.write(_expert_rows(rows))
        if file.id_column:
            ids.add(chunk)
        if progress:
            progress(len(rows))
    outcome.ids_repeated = ids.repeated


def _expert_rows(rows: list[list[object]]) -> Iterator[list[object]]:
    action = COLUMNS.index("action") - len(COLUMNS)
    return (row for row in rows if row[action] == Action.EXPERT)


def _finish(file: MessageFile, outputs: list[OutputFile], outcome: Outcome) -> None:
    outcome.rows_read, outcome.rows_rejected = file.rows_read, file.rows_rejected
    outcome.rows_written = outputs[0].rows_written
    commit_all(outputs)
    if file.rejects:
        beside = file.name if outcome.output == STANDARD_STREAM else outcome.output
        outcome.rejects = str(rejects_path("stdin.csv" if beside == STANDARD_STREAM else beside))
        write_rejects(outcome.rejects, file.rejects)


class _Ids:
    """Counts ids that come again, in eight bytes an id, however long the ids are."""

    def __init__(self) -> None:
        self._hashes: list[np.ndarray[tuple[int], np.dtype[np.uint64]]] = []

    def add(self, chunk: Chunk) -> None:
        digests = b"".join(hashlib.blake2b(i.encode(), digest_size=8).digest() for i in chunk.ids)
        self._hashes.append(np.frombuffer(digests, dtype=np.uint64))

    @property
    def repeated(self) -> int:
        if not self._hashes:
            return 0
        together = np.concatenate(self._hashes)
        return len(together) - len(np.unique(together))
