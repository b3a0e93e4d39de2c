"""Triage of a message file: what ``triage classify`` does, for Python."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

from data import OutputFile, commit_all, create_output, write_rejects
from reports.cells import CellCounts

from .errors import TriageError
from .pipeline import COLUMNS, Triage, check_columns
from .reading import (
    STANDARD_STREAM,
    Header,
    MessageStream,
    Request,
    SplitChunk,
    Tail,
    read_here,
)
from .verdicts import Action


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

__all__ = [
    "STANDARD_STREAM",
    "Outcome",
    "Progress",
    "Request",
    "classify_file",
    "classify_stream",
]


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
        If the file was triaged before, or one file would be written over another.
    """
    with read_here(request) as stream:
        return classify_stream(triage, request, stream, progress)


def classify_stream(
    triage: Triage,
    request: Request,
    stream: MessageStream,
    progress: Callable[[int | None], Progress] | None = None,
) -> Outcome:
    """Triage a file that is being read, perhaps by another process; see `classify_file`."""
    with ExitStack() as stack:
        header = stream.header()
        _check_targets(request)
        check_columns(header.columns, header.text_column)
        outputs = [stack.enter_context(_create(request, header, request.target))]
        if request.queue:
            outputs.append(stack.enter_context(_create(request, header, request.queue, guard=True)))
        outcome = Outcome(request.target)
        done = progress(header.lines) if progress else None
        ids = _Ids()
        for chunk in stream.chunks():
            _decide(triage, chunk, outputs, outcome)
            if header.id_column:
                ids.add(chunk.ids)
            if done:
                done(len(chunk.rows))
        outcome.ids_repeated = ids.repeated
        _finish(request, stream.tail, outputs, outcome)
    return outcome


def _check_targets(request: Request) -> None:
    """Check that what is written is written over nothing else of this request.

    Input and output are compared when the output is created, links and all.
    """
    files = {
        "the rejects": request.rejects,
        "the input": request.source,
        "the output": request.target,
    } | ({"the queue": request.queue} if request.queue else {})
    for (one, path), (other, its_path) in combinations(files.items(), 2):
        if Path(path).resolve() == Path(its_path).resolve() and (one, other) != _COMPARED_LATER:
            raise TriageError(f"{one} and {other} are both {path}: choose another name")


_COMPARED_LATER = ("the input", "the output")


def _create(request: Request, header: Header, path: str, *, guard: bool = False) -> OutputFile:
    return create_output(
        path,
        [*header.columns, *COLUMNS],
        like=header.dialect,
        mode_from=request.source,
        guard_formulas=guard,
    )


def _decide(triage: Triage, chunk: SplitChunk, outputs: list[OutputFile], outcome: Outcome) -> None:
    decided = triage.decide_split(chunk.texts, chunk.words)
    outcome.counts.add(decided.seek_hide, decided.model, decided.action)
    pairs = zip(chunk.rows, decided.rows(), strict=True)
    rows = [[*cells, *columns] for cells, columns in pairs]
    outputs[0].write(rows)
    for queue in outputs[1:]:
        queue.write(_expert_rows(rows))


def _expert_rows(rows: list[list[object]]) -> Iterator[list[object]]:
    action = COLUMNS.index("action") - len(COLUMNS)
    return (row for row in rows if row[action] == Action.EXPERT)


def _finish(request: Request, tail: Tail, outputs: list[OutputFile], outcome: Outcome) -> None:
    outcome.rows_read, outcome.rows_rejected = tail.rows_read, len(tail.rejects)
    outcome.rows_written = outputs[0].rows_written
    if tail.rejects:
        outcome.rejects = request.rejects
        # First, so that no output ever stands there without the rows that it lacks.
        write_rejects(outcome.rejects, tail.rejects)
    commit_all(outputs)


class _Ids:
    """Counts ids that come again, in eight bytes an id, however long the ids are."""

    def __init__(self) -> None:
        self._hashes: list[np.ndarray[tuple[int], np.dtype[np.uint64]]] = []

    def add(self, ids: list[str]) -> None:
        # JSON can hold half of a character, which no encoding but this one takes.
        encoded = (i.encode("utf-8", "surrogatepass") for i in ids)
        digests = b"".join(hashlib.blake2b(i, digest_size=8).digest() for i in encoded)
        self._hashes.append(np.frombuffer(digests, dtype=np.uint64))

    @property
    def repeated(self) -> int:
        if not self._hashes:
            return 0
        together = np.concatenate(self._hashes)
        return len(together) - len(np.unique(together))
