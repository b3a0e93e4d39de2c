"""The one pass over a corpus: chunks are gathered, what they tell is added up, chunks are used.

A chunk is labelled and scored by itself; what it tells of its words is added to what the others
tell; with the sum each chunk is weighed, and used (decided, anonymised, put into a queue). A
message that is decided by itself needs no sum, and no second look. One process or several do the
same: the result depends neither on their number nor on the size of the chunks.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.evidence_table import EvidenceTable
from triage.features.places import Places
from triage.features.word_evidence import ScoredWords
from triage.features.word_index import WordIndex

from ..model.find import ScoredMessages
from ..progress import AddProgress, StartProgress
from .evidence import Evidence, Fingerprint, fingerprint, is_among
from .people import Account, People
from .pipeline import Triage, gather
from .processes import Here, Ref, UnnamedFile, Worker, can_fork, ready
from .source import Chunk

R = TypeVar("R")


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
    n_workers = corpus.jobs if len(first) > 1 and can_fork() else 1
    with ExitStack() as stack:
        # Workers inherit the files: they must be there before the first of them.
        files = [stack.enter_context(UnnamedFile()) for _ in range(n_workers)]
        shares = [_Share(triage, use, corpus, files, place) for place in range(n_workers)]
        if n_workers == 1:
            team = _Team[R](corpus, [Here(shares[0])])
        else:
            _warm_up(triage, first[0])
            stored = stack.enter_context(UnnamedFile())
            for share in shares:
                share.stored = stored
            team = _Team(corpus, [stack.enter_context(Worker(one)) for one in shares], stored)
        yield team.results(chain(first, chunks), progress or (lambda _: lambda _: None))


def _warm_up(triage: Triage, chunk: Chunk) -> None:
    """Have what is computed once, and the commonest words, ready for workers to inherit."""
    labelled = triage.labeller.label(chunk.texts[:_FIRST_MESSAGES])
    scored = triage.score(labelled, chunk.senders[:_FIRST_MESSAGES])
    triage.weigh(scored, gather([scored]))


_FIRST_MESSAGES = 2_000


class _Kept(NamedTuple):
    """A chunk between both looks: where it and its columns lie, and what its words are among."""

    chunk: Ref
    columns: Ref
    met: MetWords
    word_index: WordIndex | None


# So many chunks stay in memory between both looks, in all processes together: some 80 MB. Where a
# process has more than its part, none do.
_MOST_HELD = 14


class _Columns(NamedTuple):
    """The words of a chunk and their evidence, column by column."""

    form: NDArray[np.int32]
    message: NDArray[np.int32]
    start: NDArray[np.int32]
    number: NDArray[np.int64]
    evidence: tuple[NDArray[np.float64], Places] | None


class _Told(NamedTuple):
    """Places of a worker's chunks and of their counts of words, with the messages they hold."""

    table: Ref
    pairs: tuple[Ref, ...]
    messages: Fingerprint


class _Share(Generic[R]):
    """The chunks that one process works on, and what they tell of their words."""

    def __init__(
        self,
        triage: Triage,
        use: Callable[[ScoredChunk], R],
        corpus: CorpusPass,
        files: Sequence[UnnamedFile],
        place: int,
    ) -> None:
        self._triage, self._use, self._corpus = triage, use, corpus
        self._files, self._file = files, files[place]
        # Where the chunks lie that come as their places.
        self.stored = self._file
        self._evidence = CorpusEvidence()
        self._messages = Fingerprint()
        self._held: list[tuple[Chunk | Ref, ScoredChunk]] = []
        self._kept: list[_Kept] = []

    def look(self, lies: Chunk | Ref) -> Iterator[R | None]:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        chunk: Chunk = self.stored.get(lies) if isinstance(lies, Ref) else lies
        scored = self._triage.score(self._triage.labeller.label(chunk.texts), chunk.senders)
        if not self._corpus.as_whole:
            known = self._triage.known_people
            yield self._use(ScoredChunk(chunk, known.raised(scored) if known else scored))
            return
        if scored.words:
            self._evidence.add(scored.words, scored.senders)
        if self._corpus.given:
            self._messages += fingerprint(chunk.texts, chunk.senders)
        self._held.append((lies, ScoredChunk(chunk, scored)))
        if self._kept or len(self._held) > _MOST_HELD // len(self._files):
            for one in self._held:
                self._put_aside(*one)
            self._held = []
        yield None

    def _put_aside(self, lies: Chunk | Ref, seen: ScoredChunk) -> None:
        lies = lies if isinstance(lies, Ref) else self._file.put(lies)
        labelled, found = seen.scored.labelled, seen.scored.words
        words = labelled.words
        evidence = (found.log_odds, found.places) if found else None
        columns = _Columns(words.form, words.message, words.start, labelled.number, evidence)
        index = found.index if found else None
        self._kept.append(_Kept(lies, self._file.put(columns), labelled.met, index))

    def tell(self) -> Iterator[_Told]:
        """Put aside what the chunks tell of their words."""
        table = self._evidence.table(in_order=False, with_pairs=False)
        pairs = tuple(map(self._file.put, self._evidence.pair_slices()))
        yield _Told(self._file.put(table), pairs, self._messages)

    def use(self, told: Sequence[_Told], without_own: bool, people: People | None) -> Iterator[R]:
        """Use the chunks in their order, with what the other workers and given evidence tell."""
        given = self._corpus.given
        if without_own:
            self._evidence = CorpusEvidence()
        if given and without_own:
            self._evidence.merge(given.table)
        elif given:
            self._evidence.merge_for_own(given.table)
        for file, other in zip(self._files, told, strict=False):
            if file is not self._file:
                table: EvidenceTable = file.get(other.table)
                self._evidence.merge_for_own(table, map(file.get, other.pairs))
        self._evidence.finish()
        held = (seen for _, seen in self._held)
        for seen in chain(map(self._restored, self._kept), held):
            weighed = self._triage.weigh(seen.scored, self._evidence)
            raised = people.raised(weighed) if people else weighed
            yield self._use(ScoredChunk(seen.chunk, raised))

    def _restored(self, kept: _Kept) -> ScoredChunk:
        chunk: Chunk = self.stored.get(kept.chunk)
        columns: _Columns = self._file.get(kept.columns)
        forms = [kept.met.forms[n] for n in columns.number.tolist()]
        table = WordTable(forms, columns.form, columns.message, columns.start, chunk.n_rows)
        lexicon = self._triage.labeller.lexicon
        labelled = LabelledMessages(chunk.texts, table, columns.number, kept.met, lexicon)
        words = None
        if columns.evidence and kept.word_index is not None:
            words = ScoredWords(*columns.evidence, kept.word_index)
        return ScoredChunk(chunk, ScoredMessages(labelled, chunk.senders, words))


class _Team(Generic[R]):
    """The processes that share the chunks of a corpus: who is free takes the next."""

    def __init__(
        self,
        corpus: CorpusPass,
        workers: Sequence[Worker | Here],
        stored: UnnamedFile | None = None,
    ) -> None:
        self._corpus = corpus
        self._workers = workers
        self._stored = stored
        self._asked: dict[Worker | Here, deque[int]] = {worker: deque() for worker in workers}
        self._owner: list[Worker | Here] = []
        self._n_rows: list[int] = []
        self._heard: dict[int, R | None] = {}
        self._n_given = 0

    def results(self, chunks: Iterable[Chunk], progress: StartProgress) -> Iterator[R]:
        """Give the results of all chunks, in their order."""
        done = progress(self._corpus.lines)
        account = self._corpus.account
        for number, chunk in enumerate(chunks):
            if account:
                account.add(chunk.rows)
            worker = min(self._asked, key=lambda one: len(self._asked[one]))
            worker.ask("look", self._stored.put(chunk) if self._stored else chunk)
            self._asked[worker].append(number)
            self._owner.append(worker)
            self._n_rows.append(chunk.n_rows)
            while not self._has_room():
                yield from self._hear(done)
        while any(self._asked.values()):
            yield from self._hear(done)
        if self._corpus.as_whole:
            yield from self._second_look(progress(self._corpus.lines))

    def _has_room(self) -> bool:
        """Return whether a worker can take a chunk; results behind a slow one must not pile up."""
        n_ahead = len(self._owner) - self._n_given
        least = min(map(len, self._asked.values()))
        return least < self._in_hand and n_ahead < _MOST_AHEAD * len(self._workers)

    @property
    def _in_hand(self) -> int:
        """A worker has a chunk to work on and one that is ready; this process just the one."""
        return 2 if self._stored else 1

    def _hear(self, done: AddProgress) -> Iterator[R]:
        """Wait for an answer; give the results that are next in order."""
        for worker in ready([worker for worker, asked in self._asked.items() if asked]):
            number = self._asked[worker].popleft()
            self._heard[number] = worker.answer()
            done(self._n_rows[number])
        while self._n_given in self._heard:
            result = self._heard.pop(self._n_given)
            self._n_given += 1
            if result is not None:
                yield result

    def _second_look(self, done: AddProgress) -> Iterator[R]:
        given, told, without_own = self._corpus.given, list[_Told](), False
        people = self._corpus.account.people() if self._corpus.account else None
        if len(self._workers) > 1 or given:
            for worker in self._workers:
                worker.ask("tell")
            told = [worker.answer() for worker in self._workers]
            without_own = bool(given and is_among([one.messages for one in told], given))
        for worker in self._workers:
            worker.ask("use", [] if without_own else told, without_own, people)
        for worker, n_rows in zip(self._owner, self._n_rows, strict=True):
            yield worker.answer()
            done(n_rows)


_MOST_AHEAD = 4
