"""The one pass over a corpus: chunks are gathered, what they tell is added up, chunks are used.

A chunk is labelled and scored by itself; what it tells of its words is added to what the others
tell; with the sum each chunk is weighed, and used (decided, anonymised, put into a queue). A
message that is decided by itself needs no sum, and no second look. One process or several do the
same: the result depends neither on their number nor on the size of the chunks. Forked processes
each hold a share of the chunks, and what travels between them lies in files without names.
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
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import IO, Any, Generic, NamedTuple, Self, TypeVar

from triage.data import Chunk
from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.word_evidence import ScoredWords, WordFeatures

from ..errors import TriageError
from ..progress import StartProgress
from .evidence import Evidence, Fingerprint, fingerprint
from .find import ScoredMessages
from .people import Account, People
from .pipeline import Triage

_CAN_FORK = "fork" in multiprocessing.get_all_start_methods()
# A place in an `UnnamedFile`: where it begins, and its length.
_Ref = tuple[int, int]
R = TypeVar("R")
# What the chunks of a process tell: places of their table of evidence, and of its pairs of a sender
# and a word.
_Told = tuple[_Ref, list[_Ref]]
# A chunk between both looks: the places of it and of the columns of its words, and what these are
# among.
_Kept = tuple[_Ref, _Ref, MetWords, WordFeatures | None]

_FIRST_MESSAGES = 500
# So many chunks stay in memory between both looks, in all processes together: some 80 MB. Where a
# process has more than its part, none do.
_MOST_HELD = 14
# A worker has a chunk to work on and one that is ready.
_IN_HAND = 2


@dataclass
class UnnamedFile:
    """A temporary file without a name: only this process and those it forks can open it."""

    file: IO[bytes]
    end: int = 0

    def put(self, item: object) -> _Ref:
        """Write an object behind the others."""
        data = memoryview(pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL))
        ref = self.end, len(data)
        try:
            while data:
                written = os.pwrite(self.file.fileno(), data, self.end)
                self.end, data = self.end + written, data[written:]
        except OSError as error:
            raise TriageError(
                f"no room in {tempfile.gettempdir()} for what a run puts aside ({error.strerror}): "
                "make room, or set TMPDIR to a folder that has some",
                "no_room",
                folder=tempfile.gettempdir(),
                reason=error.strerror,
            ) from error
        return ref

    def get(self, ref: _Ref) -> Any:  # noqa: ANN401
        data = os.pread(self.file.fileno(), ref[1], ref[0])
        return pickle.loads(data)  # noqa: S301 (a process of this run wrote it)


class Worker:
    """A forked process that calls the methods of an object, which it inherits."""

    def __init__(self, held: object, file: UnnamedFile) -> None:
        self._file, self.answers = file, deque[_Ref | None]()
        # How many answers are still to come, of methods that give one.
        self.n_in_hand = 0
        context = multiprocessing.get_context("fork")
        self._pipe, there = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(held, file, self._pipe, there), daemon=True
        )
        # Ctrl-C is the first process's, which ends the others. Collecting garbage in the worker
        # would copy the pages of all that it inherits.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        gc.freeze()
        try:
            try:
                self._process.start()
            finally:
                gc.unfreeze()
                there.close()
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._pipe.close()
        if self._process.pid is not None:
            self._process.terminate()
            self._process.join()

    def ask(self, method: str, *arguments: object) -> None:
        """Have a method called, which yields answers; arguments must fit into a pipe."""
        self.n_in_hand += 1
        try:
            self._pipe.send((method, arguments))
        except BrokenPipeError:
            while True:  # what ended the process, should it have said so
                self.hear()

    def hear(self, *, wait: bool = False) -> Self:
        """Take in the answers that have come; with `wait`, at least one."""
        while self._pipe.poll() or (wait and not self.answers):
            try:
                is_answer, value = self._pipe.recv()
            except (EOFError, ConnectionResetError) as error:
                raise TriageError(
                    "a worker process was killed, perhaps for want of memory", "worker_killed"
                ) from error
            if not is_answer:
                raise value
            self.n_in_hand -= 1
            self.answers.append(value)
        return self

    def answer(self) -> Any:  # noqa: ANN401
        """Wait for the next answer; an exception of the worker is raised here."""
        ref = self.hear(wait=True).answers.popleft()
        return None if ref is None else self._file.get(ref)


def _serve(held: object, file: UnnamedFile, here: Connection, there: Connection) -> None:
    here.close()
    with suppress(EOFError, BrokenPipeError):  # the first process has closed the pipe, or is gone
        while True:
            method, arguments = there.recv()
            try:
                for answer in getattr(held, method)(*arguments):
                    there.send((True, None if answer is None else file.put(answer)))
            except BrokenPipeError:
                raise
            except Exception as error:
                there.send((False, error))
                return


class ScoredChunk(NamedTuple):
    """Some rows of a file, with the labels and the evidence of the words of their messages."""

    chunk: Chunk
    scored: ScoredMessages


@dataclass(frozen=True)
class CorpusPass:
    """A pass over a corpus: its chunks, and how they are worked on."""

    chunks: Iterable[Chunk]
    lines: int | None = None
    as_whole: bool = True
    given: Evidence | None = None
    jobs: int = 1
    account: Account | None = None


@contextmanager
def used_chunks(
    triage: Triage,
    corpus: CorpusPass,
    use: Callable[[ScoredChunk], R],
    progress: StartProgress | None = None,
) -> Iterator[Iterator[R]]:
    """Give what becomes of each chunk of a corpus, in their order."""
    chunks = iter(corpus.chunks)
    first = [*islice(chunks, 2)]
    n = corpus.jobs if len(first) > 1 and _CAN_FORK else 1
    with ExitStack() as stack:
        # Workers inherit the files: they must be there before the first of them.
        opened = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(n)]
        files = [*map(UnnamedFile, opened)]
        own, *others = (_Share(triage, use, corpus, files, file) for file in files)
        crew = _Crew(corpus, own, progress or (lambda *_: lambda _: None))
        if n > 1:
            # What is computed once, and the commonest words, are there for workers to inherit.
            begin, rest = slice(_FIRST_MESSAGES), slice(_FIRST_MESSAGES, None)
            crew.look(first[0].part(begin))
            first[:1] = [first[0].part(rest)] if first[0].rows[rest] else []
            for share in others:
                crew.workers.append(Worker(share, share.file))
                stack.callback(crew.workers[-1].end)
        yield crew.results(chain(first, chunks))


@dataclass
class _Crew:
    """The processes of a pass: the first one, and workers, who take a chunk when they are free."""

    corpus: CorpusPass
    own: "_Share[Any]"
    progress: StartProgress
    workers: list[Worker] = field(default_factory=list)
    # Of each chunk its worker, none of the first process's own, and its size; of those that are
    # still to be heard; the answers of the first process.
    looked: list[tuple[Worker | None, int]] = field(default_factory=list)
    asked: deque[tuple[Worker | None, int]] = field(default_factory=deque)
    # Of all chunks, where evidence is given that may be of them.
    messages: Fingerprint = field(default_factory=Fingerprint)
    answers: deque[Any] = field(default_factory=deque)

    def look(self, chunk: Chunk) -> None:
        if self.corpus.account:
            self.corpus.account.add(chunk.rows)
        if self.corpus.given:
            self.messages += fingerprint(chunk.texts, chunk.senders)
        if worker := next((one for one in self.workers if one.hear().n_in_hand < _IN_HAND), None):
            worker.ask("look", self.own.file.put(chunk))
        else:
            self.answers.extend(self.own.look(chunk))
        self.looked.append((worker, chunk.n_rows))
        self.asked.append(self.looked[-1])

    def results(self, chunks: Iterable[Chunk]) -> Iterator[Any]:
        """Give the results of all chunks, in their order."""
        done = self.progress(self.corpus.lines, "messages")
        for chunk in chunks:
            self.look(chunk)
            yield from self._heard(done)
        yield from self._heard(done, to_end=True)
        if not self.corpus.as_whole:
            return
        done = self.progress(self.corpus.lines, "decisions")
        given, told = self.corpus.given, list[_Told]()
        without_own = bool(given and self.messages in given.parts)
        if self.workers and not without_own:
            for one in self.workers:
                one.ask("tell")
            told = [*self.own.tell(), *(one.answer() for one in self.workers)]
        people = self.corpus.account.people if self.corpus.account else None
        how = told, without_own, people
        for one in self.workers:
            one.ask("use", *how)
        self.asked.extend(self.looked)
        for result in self.own.use(*how):
            self.answers.append(result)
            yield from self._heard(done)
        yield from self._heard(done, to_end=True)

    def _heard(self, done: Callable[[int], None], *, to_end: bool = False) -> Iterator[Any]:
        """Give the results that come next, as far as they are there, or all."""
        while self.asked:
            worker, n_rows = self.asked[0]
            if not (to_end or (worker.hear() if worker else self).answers):
                return
            self.asked.popleft()
            result = worker.answer() if worker else self.answers.popleft()
            done(n_rows)
            if result is not None:
                yield result


@dataclass
class _Share(Generic[R]):
    """The chunks that one process works on, and what they tell of their words."""

    triage: Triage
    become: Callable[[ScoredChunk], R]
    corpus: CorpusPass
    files: Sequence[UnnamedFile]
    file: UnnamedFile
    evidence: CorpusEvidence = field(default_factory=CorpusEvidence)
    held: list[tuple[Chunk | _Ref, ScoredChunk]] = field(default_factory=list)
    kept: list[_Kept] = field(default_factory=list)

    def look(self, lies: Chunk | _Ref) -> Iterator[R | None]:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        chunk: Chunk = lies if isinstance(lies, Chunk) else self.files[0].get(lies)
        scored = self.triage.weighed(chunk.texts, chunk.senders)
        if not self.corpus.as_whole:
            known = self.triage.known_people
            yield self.become(ScoredChunk(chunk, known.raised(scored) if known else scored))
            return
        if scored.words:
            self.evidence.add(scored.words, scored.senders)
        self.held.append((lies, ScoredChunk(chunk, scored)))
        if self.kept or len(self.held) > _MOST_HELD // len(self.files):
            self.kept += [self._put_aside(*one) for one in self.held]
            self.held = []
        yield None

    def _put_aside(self, lies: Chunk | _Ref, seen: ScoredChunk) -> _Kept:
        lies = self.file.put(lies) if isinstance(lies, Chunk) else lies
        labelled, found = seen.scored.labelled, seen.scored.words
        words, evidence = labelled.words, (found.log_odds, found.places) if found else None
        columns = words.form, words.message, words.start, labelled.number, evidence
        return lies, self.file.put(columns), labelled.met, found.index if found else None

    def tell(self) -> Iterator[_Told]:
        """Put aside what the chunks tell of their words, for others who need it."""
        table = self.evidence.table(in_order=False, with_pairs=False)
        pairs = [*map(self.file.put, self.evidence.of_sender.slices())]
        yield self.file.put(table), pairs

    def use(self, told: Sequence[_Told], without_own: bool, people: People | None) -> Iterator[R]:
        """Use the chunks in their order, with what the other workers and given evidence tell."""
        given = self.corpus.given
        if given and without_own:
            self.evidence = CorpusEvidence([given.table])
        elif given:
            self.evidence.merge(given.table, for_own=True)
        for file, (table, pairs) in zip(self.files, told, strict=False):
            if file is not self.file:
                self.evidence.merge(file.get(table), map(file.get, pairs), for_own=True)
        self.evidence.finish()
        held = (seen for _, seen in self.held)
        for chunk, scored in chain(map(self._restored, self.kept), held):
            weighed = self.triage.weigh(scored, self.evidence)
            yield self.become(ScoredChunk(chunk, people.raised(weighed) if people else weighed))

    def _restored(self, kept: _Kept) -> ScoredChunk:
        lies, columns, met, index = kept
        chunk: Chunk = self.files[0].get(lies)
        form, message, start, number, evidence = self.file.get(columns)
        forms = [met.forms[n] for n in number.tolist()]
        table = WordTable(forms, form, message, start, chunk.n_rows)
        labelled = LabelledMessages(chunk.texts, table, number, met, self.triage.labeller.lexicon)
        words = ScoredWords(evidence[0], evidence[1], index) if index is not None else None
        return ScoredChunk(chunk, ScoredMessages(labelled, chunk.senders, words))
