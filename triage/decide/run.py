"""Triage of a message file: what ``triage classify`` does, for Python."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from triage.data import OutputFile, commit_all, create_output, rejects_output

from ..errors import TriageError
from ..vocabulary import Action
from .agreement import CellCounts
from .corpus import DecidedChunk, StartProgress, decided_chunks
from .pipeline import COLUMNS, Decisions, Triage, check_columns
from .policy import Promise
from .source import (
    STANDARD_STREAM,
    Header,
    MessageStream,
    Request,
    SplitChunk,
    Tail,
    read_here,
)


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
    promise : Promise, optional
        What the guarded policy promises.
    formulas : dict of str to int
        Cells of the output, by column, that a spreadsheet may take for formulas.
    """

    output: str
    rows_read: int = 0
    rows_written: int = 0
    rows_rejected: int = 0
    rejects: str = ""
    ids_repeated: int = 0
    counts: CellCounts = field(default_factory=CellCounts)
    promise: Promise | None = None
    formulas: dict[str, int] = field(default_factory=dict)


def classify_file(
    triage: Triage, request: Request, progress: StartProgress | None = None
) -> Outcome:
    """Triage a file; every row read is written, in order, with the decisions behind it.

    Outputs appear whole or not at all.

    Parameters
    ----------
    triage : Triage
    request : Request
    progress : callable, optional
        As for `triage.decide.corpus.weighed_chunks`.

    Raises
    ------
    DataError
        If the file cannot be read, or an output cannot be written, exists and may not be replaced,
        or is the input.
    TriageError
        If the file was triaged before.
    """
    with read_here(request.source) as stream:
        return classify_stream(triage, request, stream, progress)


def classify_stream(
    triage: Triage,
    request: Request,
    stream: MessageStream,
    progress: StartProgress | None = None,
) -> Outcome:
    """Triage a file that is being read, perhaps by another process; see `classify_file`."""
    with ExitStack() as stack:
        request.check_paths()
        header = stream.header()
        check_columns(header.columns, header.text_column)
        output = stack.enter_context(_create(request, header, request.target))
        to_expert = (
            stack.enter_context(_create(request, header, request.queue, guard=True))
            if request.queue
            else None
        )
        outcome = Outcome(request.target)
        ids = _Ids()
        queue: list[list[object]] = []
        chunks = decide_chunks(triage, request, header.lines, stream.chunks(), progress)
        for chunk, decisions in stack.enter_context(chunks):
            expert = _write(chunk, decisions, output, outcome)
            if to_expert:
                queue += expert
            if header.id_column:
                ids.add(chunk.ids)
        outcome.promise = triage.promise(in_corpus(triage, request))
        if to_expert:
            to_expert.write(_by_doubt(queue, triage.model.manifest.ta_from))
        outcome.ids_repeated, outcome.formulas = ids.repeated, dict(output.formulas)
        outcome.rows_read, outcome.rows_written = stream.tail.rows_read, output.rows_written
        outputs = [to_expert, output] if to_expert else [output]
        _commit(request, stream.tail, outputs, outcome)
    return outcome


def decide_chunks(
    triage: Triage,
    request: Request,
    lines: int | None,
    chunks: Iterable[SplitChunk],
    progress: StartProgress | None = None,
) -> AbstractContextManager[Iterator[DecidedChunk]]:
    """Give the chunks of a file with what is decided of them, as ``triage classify`` decides.

    With corpus evidence all chunks are read before the first is decided.

    Parameters
    ----------
    triage : Triage
    request : Request
    lines : int, optional
        About how many rows there are, for the progress.
    chunks : iterable of SplitChunk
    progress : callable, optional
        As for `classify_file`.

    Raises
    ------
    TriageError
        If corpus evidence is asked for and the model does not weigh words, or the policy cannot
        promise anything.
    """
    if request.corpus_evidence and not triage.weighs_corpus:
        raise TriageError(
            "--corpus-evidence needs a model that weighs words: its features are "
            f"{triage.model.manifest.features!r}"
        )
    by_corpus = in_corpus(triage, request)
    triage.promise(by_corpus)  # before a long look, should there be none
    return decided_chunks(triage, chunks, lines, progress, in_corpus=by_corpus)


def in_corpus(triage: Triage, request: Request) -> bool:
    """Tell whether the messages of a file are decided by what the others tell.

    Parameters
    ----------
    triage : Triage
    request : Request
    """
    return request.with_corpus_evidence and triage.weighs_corpus


def _create(request: Request, header: Header, path: str, *, guard: bool = False) -> OutputFile:
    return create_output(
        path,
        [*header.columns, *COLUMNS],
        like=header.dialect,
        mode_from=request.source.path,
        guard_formulas=guard,
        overwrite=request.overwrite,
    )


def _write(
    chunk: SplitChunk, decided: Decisions, output: OutputFile, outcome: Outcome
) -> list[list[object]]:
    """Write what was decided of a chunk; return its rows for the expert."""
    outcome.counts.add(decided.seek_hide, decided.model, decided.action)
    pairs = zip(chunk.rows, decided.rows(), strict=True)
    rows = [[*cells, *columns] for cells, columns in pairs]
    output.write(rows)
    action = COLUMNS.index("action") - len(COLUMNS)
    return [row for row in rows if row[action] == Action.EXPERT]


def _by_doubt(rows: list[list[object]], ta_from: float) -> list[list[object]]:
    """Return rows for the expert, the most doubtful first: those nearest to the model's threshold.

    Of the same doubt, the one that came first.
    """
    score = COLUMNS.index("model_score") - len(COLUMNS)
    return sorted(rows, key=lambda row: abs(float(str(row[score])) - ta_from))


def _commit(request: Request, tail: Tail, outputs: list[OutputFile], outcome: Outcome) -> None:
    """Show all outputs: first the rejects, so that none ever lacks rows that stand nowhere."""
    if not tail.rejects:
        commit_all(outputs)
        # Those of the run that is being replaced.
        if request.overwrite and request.target != STANDARD_STREAM:
            Path(request.rejects).unlink(missing_ok=True)
        return
    outcome.rows_rejected, outcome.rejects = len(tail.rejects), request.rejects
    with rejects_output(request.rejects, tail.rejects, overwrite=request.overwrite) as rejects:
        commit_all([rejects, *outputs])


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
