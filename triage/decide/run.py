"""Triage of a message file: what ``triage classify`` does, for Python."""

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

import numpy as np

from triage.data import OutputFile, commit_all, create_output, rejects_output
from triage.dictionaries import LabelledMessages
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.word_evidence import ScoredWords

from ..errors import TriageError
from ..vocabulary import Action
from .agreement import CellCounts
from .ahead import ahead
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
        If the file cannot be read, or an output cannot be written, exists and may not be replaced,
        or is the input.
    TriageError
        If the file was triaged before.
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


@contextmanager
def decide_chunks(
    triage: Triage,
    request: Request,
    lines: int | None,
    chunks: Iterable[SplitChunk],
    progress: Callable[[int | None], Progress] | None = None,
) -> Iterator[Iterator[tuple[SplitChunk, Decisions]]]:
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
    with ExitStack() as stack:
        if by_corpus:
            kept = _Kept(stack.enter_context(SpooledTemporaryFile(max_size=_IN_MEMORY)))
            corpus = _gather(triage, chunks, kept, _started(progress, lines))
            decided = stack.enter_context(_decided_by_two(triage, kept, corpus))
        else:
            decided = _decided(triage, map(_Scored, chunks))
        yield _counted(decided, _started(progress, lines))


def in_corpus(triage: Triage, request: Request) -> bool:
    """Tell whether the messages of a file are decided by what the others tell.

    Parameters
    ----------
    triage : Triage
    request : Request
    """
    return request.with_corpus_evidence and triage.weighs_corpus


def _counted(
    decided: Iterable[tuple[SplitChunk, Decisions]], done: Progress
) -> Iterator[tuple[SplitChunk, Decisions]]:
    for chunk, decisions in decided:
        yield chunk, decisions
        done(len(chunk.rows))


def _started(progress: Callable[[int | None], Progress] | None, rows: int | None) -> Progress:
    return progress(rows) if progress else lambda _: None


@dataclass(frozen=True)
class _Scored:
    """A chunk, with its words labelled and scored where that is kept from the first look."""

    chunk: SplitChunk
    labelled: LabelledMessages | None = None
    words: ScoredWords | None = None


def _gather(
    triage: Triage, chunks: Iterable[SplitChunk], kept: "_Kept", done: Progress
) -> CorpusEvidence:
    """Read the whole corpus, keep it, and return what it tells of its words."""
    corpus = CorpusEvidence()
    for chunk in chunks:
        labelled = triage.label(chunk.texts, chunk.words)
        words = triage.score_words(labelled)
        if words:
            corpus.add(labelled, words, chunk.senders)
        kept.add(_Scored(chunk, labelled, words))
        done(len(chunk.rows))
    corpus.finish()
    return corpus


class _Kept:
    """Chunks that are kept for a second look: the first ones as they are, the others pickled.

    What is pickled is kept in memory at first, then in a file that has no name: nobody but this
    process can open it, and it is gone when the process is.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.first: list[_Scored] = []
        self._file = file
        self._n_pickled = 0

    def add(self, scored: _Scored) -> None:
        """Keep a chunk."""
        if len(self.first) < _CHUNKS_AS_THEY_ARE:
            self.first.append(scored)
        else:
            pickle.dump(scored.chunk, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._n_pickled += 1

    def pickled(self) -> Iterator[_Scored]:
        """Yield the chunks behind the first ones, in the order in which they came."""
        self._file.seek(0)
        for _ in range(self._n_pickled):
            yield _Scored(pickle.load(self._file))  # noqa: S301 (this process wrote it)


# Some 50,000 messages and 100 MB.
_CHUNKS_AS_THEY_ARE = 8
# Some 60,000 messages; more go to disk.
_IN_MEMORY = 32_000_000


def _create(request: Request, header: Header, path: str, *, guard: bool = False) -> OutputFile:
    return create_output(
        path,
        [*header.columns, *COLUMNS],
        like=header.dialect,
        mode_from=request.source,
        guard_formulas=guard,
        overwrite=request.overwrite,
    )


def _decided(
    triage: Triage, chunks: Iterable[_Scored], corpus: CorpusEvidence | None = None
) -> Iterator[tuple[SplitChunk, Decisions]]:
    """Yield chunks with what is decided of them."""
    for scored in chunks:
        yield scored.chunk, _decide(triage, scored, corpus)


def _decide(triage: Triage, scored: _Scored, corpus: CorpusEvidence | None) -> Decisions:
    chunk = scored.chunk
    labelled = scored.labelled or triage.label(chunk.texts, chunk.words)
    return triage.decide_labelled(labelled, scored.words, corpus, chunk.senders)


@contextmanager
def _decided_by_two(
    triage: Triage, kept: "_Kept", corpus: CorpusEvidence
) -> Iterator[Iterator[tuple[SplitChunk, Decisions]]]:
    """Give chunks with what is decided of them.

    Of those kept as they are, every other one is decided by another process, which inherits all
    that it needs.
    """
    first = kept.first
    with ahead(lambda: (_decide(triage, scored, corpus) for scored in first[1::2])) as theirs:
        yield chain(
            (
                (scored.chunk, next(theirs) if i % 2 else _decide(triage, scored, corpus))
                for i, scored in enumerate(first)
            ),
            _decided(triage, kept.pickled(), corpus),
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
