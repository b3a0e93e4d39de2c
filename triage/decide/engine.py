"""The one pass over a corpus: its chunks are scored, weighed by all of them, and used.

A chunk is labelled and scored by itself; what it tells of its words is added to what the others
tell; with the sum each chunk is weighed, and used (decided, anonymised, put into a queue). Forked
processes each hold a share of the chunks, and what travels between them lies in files without
names.
"""

import gc
import multiprocessing
import os
import pickle
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import IO, Any, Generic, Self, TypeVar

from triage.data import Chunk, MessageFile
from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.features.corpus_evidence import CorpusEvidence, EvidenceTable
from triage.features.word_evidence import ScoredWords, WordFeatures

from ..errors import TriageError
from ..progress import AddProgress, StartProgress
from .corpus import Evidence, Fingerprint, fingerprint
from .find import ScoredMessages
from .people import Account, People
from .pipeline import Triage, gather
from .source import Source

# A place in an `UnnamedFile`: where it begins, and its length.
_Place = tuple[int, int]
R = TypeVar("R")
# The evidence of the chunks of a process: where its table lies, and its pairs of sender and word.
_Gathered = tuple[_Place, list[_Place]]
# A scored chunk: where it and the columns of its words lie, and what these are among.
_Stored = tuple[_Place, _Place, MetWords, WordFeatures | None]
# The worker that has a chunk, None for the first process, and its number of rows.
_Assigned = tuple["Worker | None", int]

_FIRST_MESSAGES = 500
# So many scored chunks stay in memory, in all processes together: some 80 MB. Where a process has
# more than its part, all that follow are stored.
_MAX_IN_MEMORY = 20


@dataclass
class UnnamedFile:
    """A temporary file without a name: only this process and those it forks can open it."""

    file: IO[bytes]
    end: int = 0

    def put(self, item: object) -> _Place:
        data = memoryview(pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL))
        place, folder = (self.end, len(data)), tempfile.gettempdir()
        try:
            while data:
                written = os.pwrite(self.file.fileno(), data, self.end)
                self.end, data = self.end + written, data[written:]
        except OSError as error:
            line = f"no room in {folder} for what a run puts aside ({error.strerror}): make room, "
            line += "or set TMPDIR to a folder that has some"
            raise TriageError(line, "no_room", folder=folder, reason=error.strerror) from error
        return place

    def get(self, place: _Place) -> Any:  # noqa: ANN401
        data = os.pread(self.file.fileno(), place[1], place[0])
        return pickle.loads(data)  # noqa: S301 (a process of this run wrote it)


class Worker:
    """A forked process that calls the methods of an object, which it inherits."""

    def __init__(self, target: object, file: UnnamedFile) -> None:
        self._file, self.received = file, deque[_Place | None]()
        # The number of results still to come; each call gives one.
        self.n_pending = 0
        context = multiprocessing.get_context("fork")
        self._pipe, worker_end = context.Pipe()
        serve = partial(self._serve, target, worker_end)
        self._process = context.Process(target=serve, daemon=True)
        # Ctrl-C is the first process's, which stops the others. Collecting garbage in the worker
        # would copy the pages of all that it inherits.
        old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        gc.freeze()
        try:
            try:
                self._process.start()
            finally:
                gc.unfreeze()
                worker_end.close()
                signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
        except BaseException:
            self.stop()
            raise

    def _serve(self, target: object, pipe: Connection) -> None:
        """Answer calls in the process, until the first one closes the pipe, or is gone."""
        self._pipe.close()
        # There is nothing to remove here.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        with suppress(EOFError, BrokenPipeError):
            while True:
                method, arguments = pipe.recv()
                try:
                    for result in getattr(target, method)(*arguments):
                        pipe.send((True, None if result is None else self._file.put(result)))
                except BrokenPipeError:
                    raise
                except Exception as error:
                    pipe.send((False, error))
                    return

    def stop(self) -> None:
        self._pipe.close()
        if self._process.pid is not None:
            self._process.terminate()
            self._process.join()

    def call(self, method: str, *arguments: object) -> None:
        """Call a method that yields results; arguments must fit into a pipe."""
        self.n_pending += 1
        try:
            self._pipe.send((method, arguments))
        except BrokenPipeError:
            while True:  # raises what stopped the process
                self.receive()

    def receive(self, *, wait: bool = False) -> Self:
        """Take in the results that have come; with `wait`, at least one."""
        while self._pipe.poll() or (wait and not self.received):
            try:
                is_result, value = self._pipe.recv()
            except (EOFError, ConnectionResetError) as error:
                line = "a worker process was killed, perhaps for want of memory"
                raise TriageError(line, "worker_killed") from error
            if not is_result:
                raise value
            self.n_pending -= 1
            self.received.append(value)
        return self

    def result(self) -> Any:  # noqa: ANN401
        """Wait for the next result; an exception of the worker is raised here."""
        place = self.receive(wait=True).received.popleft()
        return None if place is None else self._file.get(place)


def gather_file(
    triage: Triage, source: Source, jobs: int = 1, progress: StartProgress | None = None
) -> Evidence:
    """Gather the evidence of a file, of which every row is wanted."""
    triage.check_weighs_corpus("gathering evidence")
    whole, messages = CorpusEvidence(), Fingerprint()

    def gathered(chunk: Chunk, scored: ScoredMessages) -> tuple[EvidenceTable, Fingerprint]:
        return gather(scored).table(in_order=False), fingerprint(chunk.texts, chunk.senders)

    with ExitStack() as stack:
        file = stack.enter_context(source.open())
        used = used_chunks(triage, file, gathered, progress, as_whole=False, jobs=jobs)
        for table, of_chunk in stack.enter_context(used):
            whole.merge(table)
            messages += of_chunk
    return Evidence(whole.table(), triage.weights, (messages,))


@contextmanager
def used_chunks(
    triage: Triage,
    file: MessageFile,
    use: Callable[[Chunk, ScoredMessages], R],
    progress: StartProgress | None = None,
    *,
    chunks: Iterable[Chunk] | None = None,
    as_whole: bool = True,
    given: Evidence | None = None,
    account: Account | None = None,
    jobs: int = 1,
) -> Iterator[Iterator[R]]:
    """Use each scored chunk of a file; give the results in the order of the chunks.

    By default every row is wanted, and each chunk is weighed by the evidence of all.
    """
    chunks = iter(file.whole_chunks() if chunks is None else chunks)
    first = [*islice(chunks, 2)]
    n = jobs if len(first) > 1 and "fork" in multiprocessing.get_all_start_methods() else 1
    with ExitStack() as stack:
        # Workers inherit the files: they must be there before the first of them.
        files = [UnnamedFile(stack.enter_context(tempfile.TemporaryFile())) for _ in range(n)]
        own_share, *others = (_Share(triage, use, as_whole, given, files, file) for file in files)
        run = _Pass(own_share, file.lines, account, progress or (lambda *_: lambda _: None))
        if n > 1:
            # What is computed once, and the commonest words, are there for workers to inherit.
            run.score(first[0].part(slice(_FIRST_MESSAGES)))
            remaining = first[0].part(slice(_FIRST_MESSAGES, None))
            first[:1] = [remaining] if remaining.rows else []
            for share in others:
                run.workers.append(Worker(share, share.file))
                stack.callback(run.workers[-1].stop)
        yield run.results(chain(first, chunks))


@dataclass
class _Pass:
    """The first process and its workers, each of which takes a chunk when it is free."""

    own: "_Share[Any]"
    lines: int | None
    account: Account | None
    progress: StartProgress
    workers: list[Worker] = field(default_factory=list)
    # All chunks, and those whose results were not yet given; results of the first process.
    assigned: list[_Assigned] = field(default_factory=list)
    pending: deque[_Assigned] = field(default_factory=deque)
    received: deque[Any] = field(default_factory=deque)
    # Of all chunks, where evidence is given that may be of them.
    messages: Fingerprint = field(default_factory=Fingerprint)

    def score(self, chunk: Chunk) -> None:
        if self.account:
            self.account.add(chunk.rows)
        if self.own.given:
            self.messages += fingerprint(chunk.texts, chunk.senders)
        # A worker has a chunk to work on and one that is ready.
        if worker := next((one for one in self.workers if one.receive().n_pending < 2), None):
            worker.call("score", self.own.file.put(chunk))
        else:
            self.received.extend(self.own.score(chunk))
        self.assigned.append((worker, len(chunk.rows)))
        self.pending.append(self.assigned[-1])

    def results(self, chunks: Iterable[Chunk]) -> Iterator[Any]:
        done = self.progress(self.lines, "messages")
        for chunk in chunks:
            self.score(chunk)
            yield from self._next_results(done)
        yield from self._next_results(done, to_end=True)
        if not self.own.as_whole:
            return
        done = self.progress(self.lines, "decisions")
        given, gathered = self.own.given, list[_Gathered]()
        without_own = bool(given and self.messages in given.parts)
        if self.workers and not without_own:
            for worker in self.workers:
                worker.call("gather")
            gathered = [*self.own.gather(), *(worker.result() for worker in self.workers)]
        arguments = gathered, without_own, self.account.people if self.account else None
        for worker in self.workers:
            worker.call("use", *arguments)
        self.pending.extend(self.assigned)
        for result in self.own.use(*arguments):
            self.received.append(result)
            yield from self._next_results(done)
        yield from self._next_results(done, to_end=True)

    def _next_results(self, done: AddProgress, *, to_end: bool = False) -> Iterator[Any]:
        """Yield the results that come next, as far as they are there, or all."""
        while self.pending:
            worker, n_rows = self.pending[0]
            if not (to_end or (worker.receive() if worker else self).received):
                return
            self.pending.popleft()
            result = worker.result() if worker else self.received.popleft()
            done(n_rows)
            if result is not None:
                yield result


@dataclass
class _Share(Generic[R]):
    """The chunks of one process, and the evidence of their words."""

    triage: Triage
    use_chunk: Callable[[Chunk, ScoredMessages], R]
    as_whole: bool
    given: Evidence | None
    files: Sequence[UnnamedFile]
    file: UnnamedFile
    evidence: CorpusEvidence = field(default_factory=CorpusEvidence)
    in_memory: list[tuple[Chunk | _Place, Chunk, ScoredMessages]] = field(default_factory=list)
    stored: list[_Stored] = field(default_factory=list)

    def score(self, source: Chunk | _Place) -> Iterator[R | None]:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        chunk: Chunk = source if isinstance(source, Chunk) else self.files[0].get(source)
        scored = self.triage.weighed(chunk.texts, chunk.senders)
        if not self.as_whole:
            people = self.triage.known_people
            yield self.use_chunk(chunk, people.raised(scored) if people else scored)
            return
        if scored.words:
            self.evidence.add(scored.words, scored.senders)
        self.in_memory.append((source, chunk, scored))
        limit = _MAX_IN_MEMORY // len(self.files)
        while self.in_memory and (self.stored or len(self.in_memory) > limit):
            source, _, scored = self.in_memory.pop(0)
            place = self.file.put(source) if isinstance(source, Chunk) else source
            self.stored.append(self._stored(place, scored))
        yield None

    def _stored(self, place: _Place, scored: ScoredMessages) -> _Stored:
        labelled, weighed, words = scored.labelled, scored.words, scored.labelled.words
        evidence = (weighed.log_odds, weighed.places) if weighed else None
        columns = words.form, words.message, words.start, labelled.number, evidence
        return place, self.file.put(columns), labelled.met, weighed.index if weighed else None

    def _restored(self, stored: _Stored) -> tuple[Chunk, ScoredMessages]:
        place, columns, met, index = stored
        chunk: Chunk = self.files[0].get(place)
        form, message, start, number, evidence = self.file.get(columns)
        forms = [met.forms[n] for n in number.tolist()]
        table = WordTable(forms, form, message, start, len(chunk.rows))
        labelled = LabelledMessages(chunk.texts, table, number, met, self.triage.labeller.lexicon)
        words = ScoredWords(evidence[0], evidence[1], index) if index is not None else None
        return chunk, ScoredMessages(labelled, chunk.senders, words)

    def gather(self) -> Iterator[_Gathered]:
        """Store the evidence of the chunks, for the other processes."""
        table = self.evidence.table(in_order=False, with_pairs=False)
        pairs = [*map(self.file.put, self.evidence.of_sender.slices())]
        yield self.file.put(table), pairs

    def use(
        self, gathered: Sequence[_Gathered], without_own: bool, people: People | None
    ) -> Iterator[R]:
        """Use the chunks in their order, by the evidence of all processes and that given."""
        if self.given and without_own:
            self.evidence = CorpusEvidence([self.given.table])
        elif self.given:
            self.evidence.merge(self.given.table, only_known=True)
        for file, (table, pairs) in zip(self.files, gathered, strict=False):
            if file is not self.file:
                self.evidence.merge(file.get(table), map(file.get, pairs), only_known=True)
        self.evidence.finish()
        in_memory = ((chunk, scored) for _, chunk, scored in self.in_memory)
        for chunk, scored in chain(map(self._restored, self.stored), in_memory):
            weighed = self.triage.weigh(scored, self.evidence)
            yield self.use_chunk(chunk, people.raised(weighed) if people else weighed)
