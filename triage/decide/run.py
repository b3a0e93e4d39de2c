"""Triage of a message file: what ``triage classify`` does, for Python."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from triage.data import MessageFile, OutputFile, Page, Reject, create_output, rejects_output
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.evidence_table import EvidenceTable

from ..errors import TriageError
from ..model.annotated import sender_position
from ..progress import StartProgress
from ..safe import STANDARD_STREAM, Staged, publish_all, replaces_records
from ..vocabulary import Action
from .corpus import CorpusPass, ScoredChunk, used_chunks
from .evidence import Evidence, Fingerprint, fingerprint
from .people import Account, Fact
from .pipeline import COLUMNS, Triage, check_columns, gather
from .policy import CellCounts
from .promise import Promise
from .run_record import record_of, record_output
from .source import MessageStream, Request, Source, whole_chunks
from .workload import Weighed, Workload, workloads

R = TypeVar("R")


@dataclass
class Outcome:
    """Counts of classifying a file."""

    output: str
    format: str
    text_column: str
    id_column: str | None = None
    sender_column: str | None = None
    rows_read: int = 0
    rows_written: int = 0
    rows_rejected: int = 0
    rejects: str = ""
    ids_repeated: int = 0
    counts: CellCounts = field(default_factory=CellCounts)
    promise: Promise | None = None
    formulas: dict[str, int] = field(default_factory=dict)
    reading: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def classify_file(
    triage: Triage, request: Request, progress: StartProgress | None = None
) -> Outcome:
    """Triage a file; every row read is written, in order, with the decisions behind it."""
    with request.source.stream() as stream:
        return classify_stream(triage, request, stream, progress)


def classify_stream(
    triage: Triage,
    request: Request,
    stream: MessageStream,
    progress: StartProgress | None = None,
    given: Evidence | None = None,
) -> Outcome:
    """Triage an open file; see `classify_file`."""
    file = stream.file
    with ExitStack() as stack:
        request.check_paths()
        check_columns(file.columns, file.text_column)
        output = stack.enter_context(_create(request, file, request.target))
        to_expert = (
            stack.enter_context(_create(request, file, request.queue, guard=True))
            if request.queue
            else None
        )
        outcome = Outcome(
            request.target,
            file.dialect.format.value,
            file.text_column,
            file.id_column,
            stream.sender_column,
        )
        ids, expert, names_with_capitals = [_hashes([])], list[list[object]](), None
        weighed = list[Weighed]()
        write = partial(_written, triage, output, bool(file.id_column), to_expert is not None)
        corpus = _corpus(triage, request, stream, given)
        used = used_chunks(triage, corpus, write, progress)
        for written in stack.enter_context(used):
            output.add(written.page)
            outcome.counts.cells.update(written.counts.cells)
            ids.append(written.ids)
            expert += written.expert
            weighed += [written.weighed] if written.weighed else []
            names_with_capitals = written.names_with_capitals
        promised = triage.promise(names_with_capitals)
        outcome.promise = promised and replace(promised, n_here=output.rows_written)
        if to_expert:
            to_expert.write(_by_doubt(expert, triage.model.manifest.ta_from))
        outcome.ids_repeated, outcome.formulas = _repeated(ids), dict(output.formulas)
        outcome.rows_read, outcome.rows_written = file.rows_read, output.rows_written
        outcome.reading, outcome.doubts = file.told()
        outputs: list[Staged] = [to_expert, output] if to_expert else [output]
        if request.record:
            asked = workloads(triage.thresholds(names_with_capitals)[0], weighed) if weighed else []
            people = corpus.account.beside if corpus.account else []
            record = _record(triage, request, request.record, outcome.promise, asked, people)
            outputs.insert(-1, stack.enter_context(record))
        _commit(request, file.rejects, outputs, outcome)
    return outcome


def _corpus(
    triage: Triage, request: Request, stream: MessageStream, given: Evidence | None
) -> CorpusPass:
    """Return the pass over a file, its words weighed as ``triage classify`` does."""
    if request.corpus_evidence and not triage.weighs_corpus:
        raise TriageError(
            "--corpus-evidence needs a model that weighs words: its features are "
            f"{triage.model.manifest.features!r}"
        )
    triage.promise()  # before a long look, should there be none
    by_corpus = in_corpus(triage, request)
    account = Account.of(triage, stream.file, stream.sender)
    chunks, lines = stream.chunks(), stream.file.lines
    return CorpusPass(chunks, lines, by_corpus, given, request.jobs, account)


def gather_file(
    triage: Triage, source: Source, jobs: int = 1, progress: StartProgress | None = None
) -> Evidence:
    """Gather the evidence of a file, of which every row is wanted."""
    if not triage.weighs_corpus:
        raise TriageError("evidence is gathered with a model that weighs words")
    whole, messages = CorpusEvidence(), Fingerprint()
    with source.open() as file:
        sender = sender_position(file.columns, source.reading.sender_column, file.name)
        corpus = CorpusPass(whole_chunks(file, sender), file.lines, as_whole=False, jobs=jobs)
        with used_chunks(triage, corpus, _gathered, progress) as parts:
            for table, of_chunk in parts:
                whole.merge(table)
                messages += of_chunk
    return Evidence(whole.table(), triage.weights, (messages,))


def _gathered(seen: ScoredChunk) -> tuple[EvidenceTable, Fingerprint]:
    table = gather([seen.scored]).table(in_order=False)
    return table, fingerprint(seen.chunk.texts, seen.chunk.senders)


def in_corpus(triage: Triage, request: Request) -> bool:
    """Tell whether the messages of a file are decided by what the others tell."""
    return request.with_corpus_evidence and triage.weighs_corpus


def _create(request: Request, file: MessageFile, path: str, *, guard: bool = False) -> OutputFile:
    return create_output(
        path,
        [*file.columns, *COLUMNS],
        like=file.dialect,
        mode_from=request.source.path,
        guard_formulas=guard,
        bom=request.bom,
        overwrite=request.overwrite,
    )


def _record(
    triage: Triage,
    request: Request,
    path: Path,
    promised: Promise | None,
    asked: Sequence[Workload],
    people: Sequence[Fact],
) -> Staged:
    by_corpus = in_corpus(triage, request)
    record = record_of(triage, promised, asked, people, request.origins, corpus_evidence=by_corpus)
    overwrite = request.overwrite or replaces_records(request.target)
    return record_output(record, path, mode_from=request.source.path, overwrite=overwrite)


class _Written(NamedTuple):
    """The decided rows of a chunk, as the output writes them, and their counts."""

    page: Page
    counts: CellCounts
    ids: NDArray[np.int64]
    expert: list[list[object]]
    names_with_capitals: float | None
    weighed: Weighed | None


def _written(
    triage: Triage, output: OutputFile, has_ids: bool, to_expert: bool, seen: ScoredChunk
) -> _Written:
    """Decide a chunk and write its rows down, perhaps in a worker process."""
    decided = triage.decide_scored(seen.scored)
    counts = CellCounts()
    counts.add(decided.seek_hide, decided.model, decided.action)
    pairs = zip(seen.chunk.rows, decided.rows(), strict=True)
    rows = [[*cells, *columns] for cells, columns in pairs]
    is_expert = [to_expert and action is Action.EXPERT for action in decided.action]
    return _Written(
        output.page(rows),
        counts,
        _hashes(seen.chunk.ids if has_ids else []),
        [*compress(rows, is_expert)],
        seen.scored.names_with_capitals,
        Weighed.of(decided.model_score, decided.covered) if decided.covered else None,
    )


def _by_doubt(rows: list[list[object]], ta_from: float) -> list[list[object]]:
    """Return rows for the expert, those nearest to the model's threshold first."""
    score = COLUMNS.index("model_score") - len(COLUMNS)
    return sorted(rows, key=lambda row: abs(float(str(row[score])) - ta_from))


def _commit(
    request: Request, rejected: list[Reject], outputs: list[Staged], outcome: Outcome
) -> None:
    """Show all outputs: first the rejects, so that none ever lacks rows that stand nowhere."""
    if not rejected:
        publish_all(outputs)
        # Those of the run that is being replaced.
        if request.overwrite and request.target != STANDARD_STREAM:
            Path(request.rejects).unlink(missing_ok=True)
        return
    outcome.rows_rejected, outcome.rejects = len(rejected), request.rejects
    with rejects_output(request.rejects, rejected, overwrite=request.overwrite) as rejects:
        publish_all([rejects, *outputs])


def _hashes(ids: list[str]) -> NDArray[np.int64]:
    """Return eight bytes for each id, however long it is; the same in all workers of a run."""
    return np.array([*map(hash, ids)], dtype=np.int64)


def _repeated(hashes: list[NDArray[np.int64]]) -> int:
    """Return how many ids come again, by their hashes."""
    together = np.concatenate(hashes)
    return len(together) - len(np.unique(together))
