"""The one pass over a corpus: chunks are scored, what they tell of words is added up, and used.

A chunk is labelled and scored by itself; what it tells of its words is gathered and merged with
what the others tell; with the sum each chunk is weighed, and used (decided, anonymised, put into a
queue). A message that is decided by itself needs no sum, and no second look. One process or
several do the same: the result depends neither on their number nor on the size of the chunks.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.evidence_table import EvidenceTable

from .gathering import Fingerprint, Gathered, Gathering, is_among
from .pipeline import ScoredMessages, Triage
from .processes import Worker, can_fork, ready
from .source import Chunk, StoredChunk, stored
from .spool import Ref, Spool

R = TypeVar("R")
Progress = Callable[[int], None]
StartProgress = Callable[[int | None], Progress]


class ScoredChunk(NamedTuple):
    """Some rows of a file, with the labels and the evidence of the words of their messages."""

    chunk: Chunk
    scored: ScoredMessages


@dataclass(frozen=True)
class CorpusPass:
    """A pass over a corpus: its chunks, and how they are worked on."""

    chunks: Iterable[Chunk | StoredChunk]
    lines: int | None = None
    spool: Spool | None = None
    as_whole: bool = True
    given: Gathered | None = None
    jobs: int = 1


@contextmanager
def used_chunks(
    triage: Triage,
    corpus: CorpusPass,
    use: Callable[[ScoredChunk], R],
    progress: StartProgress | None = None,
) -> Iterator[Iterator[R]]:
    """Give what becomes of each chunk of a corpus, in their order."""
    started = progress or (lambda _: lambda _: None)
    chunks = iter(corpus.chunks)
    first = [*islice(chunks, 2)]
    if corpus.jobs < 2 or len(first) < 2 or not can_fork():
        share = _Share(triage, use, corpus.spool, corpus)
        yield _results(share, chain(first, chunks), corpus.lines, started)
        return
    with ExitStack() as stack:
        spool = corpus.spool or stack.enter_context(Spool())
        team = _Team(_Share(triage, use, spool, corpus), spool, corpus.jobs, stack)
        yield team.results(chain(first, chunks), corpus.lines, started)


def _results(
    share: "_Share[R]",
    chunks: Iterable[Chunk | StoredChunk],
    lines: int | None,
    progress: StartProgress,
) -> Iterator[R]:
    """Give the results of a corpus that this process works on alone."""
    done = progress(lines)
    for chunk in chunks:
        result = share.look(chunk)
        if result is not None:
            yield result.value
        done(chunk.n_rows)
    if share.as_whole:
        done = progress(lines)
        for n_rows, value in share.use(share.whole_by_itself()):
            yield value
            done(n_rows)


class _Result(NamedTuple, Generic[R]):
    """The result of a chunk, as distinct from a chunk that is kept."""

    value: R


class _Share(Generic[R]):
    """The chunks that one process works on, and what they tell of their words."""

    def __init__(
        self,
        triage: Triage,
        use: Callable[[ScoredChunk], R],
        spool: Spool | None,
        corpus: CorpusPass,
    ) -> None:
        self._spool = spool
        self.as_whole = corpus.as_whole
        self.given = corpus.given
        self._triage = triage
        self._use = use
        self._gathering = Gathering(with_fingerprint=corpus.given is not None)
        self._kept: list[_Kept] = []
        self._aside: Spool | None = None
        self._room, self._room_for_text = _ROWS_IN_MEMORY, _CHARACTERS_IN_MEMORY

    def look(self, chunk: Chunk | StoredChunk) -> _Result[R] | None:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        scored = self._scored(chunk)
        if not self.as_whole:
            return _Result(self._use(scored))
        self._gathering.add(scored.scored)
        self._keep(chunk, scored.scored)
        return None

    def gathered(self) -> tuple[EvidenceTable, Fingerprint]:
        """Return what the chunks tell of their words, and which messages they hold."""
        return self._gathering.evidence.table(in_order=False), self._gathering.messages

    def whole(self, others: Iterable[EvidenceTable] = (), *, anew: bool = False) -> CorpusEvidence:
        """Return the evidence of the corpus."""
        evidence = CorpusEvidence() if anew else self._gathering.evidence
        self._gathering = Gathering(with_fingerprint=False)
        for table in others:
            evidence.merge(table)
        evidence.finish()
        return evidence

    def whole_by_itself(self) -> CorpusEvidence:
        """Return the evidence of the corpus, all of whose chunks were looked at here."""
        given = self.given
        if given is None:
            return self.whole()
        return self.whole([given.table], anew=is_among([self._gathering.messages], given))

    def use(self, evidence: CorpusEvidence) -> Iterator[tuple[int, R]]:
        """Yield the results of the chunks that were kept, in their order, with their rows."""
        with self._aside or nullcontext():
            for kept in self._kept:
                seen = self._restored(kept)
                weighed = self._triage.weigh(seen.scored, evidence)
                yield len(seen.chunk.rows), self._use(ScoredChunk(seen.chunk, weighed))

    def _scored(self, stored: Chunk | StoredChunk) -> ScoredChunk:
        """Label the words of a chunk, and weigh each in its message."""
        chunk = self._loaded(stored)
        labelled = self._triage.labeller.label(chunk.texts)
        return ScoredChunk(chunk, self._triage.score(labelled, chunk.senders))

    def _loaded(self, chunk: Chunk | StoredChunk) -> Chunk:
        if isinstance(chunk, Chunk):
            return chunk
        if self._spool is None:
            raise RuntimeError("no chunk was stored")
        return self._spool.get(chunk.ref)

    def _keep(self, chunk: Chunk | StoredChunk, scored: ScoredMessages) -> None:
        """Keep a chunk and what was found of it, put aside where there are many."""
        self._room -= len(scored.labelled.messages)
        self._room_for_text -= chunk.size
        if min(self._room, self._room_for_text) >= 0:
            self._kept.append((chunk, scored))
            return
        self._aside = self._aside or Spool()
        words, log_odds = scored.labelled.words, scored.words.log_odds if scored.words else None
        columns = words.form, words.message, words.start, scored.labelled.number
        lies = self._aside.put(_Found(chunk, *columns, log_odds))
        self._kept.append(_Aside(lies, scored.labelled.met))

    def _restored(self, kept: "_Kept") -> ScoredChunk:
        if not isinstance(kept, _Aside):
            return ScoredChunk(self._loaded(kept[0]), kept[1])
        if self._aside is None:
            raise RuntimeError("nothing was put aside")
        found, met = self._aside.get(kept.lies), kept.met
        chunk, lexicon = self._loaded(found.chunk), self._triage.labeller.lexicon
        forms = [met.forms[n] for n in found.number.tolist()]
        words = WordTable(forms, found.form, found.message, found.start, chunk.n_rows)
        labelled = LabelledMessages(chunk.texts, words, found.number, met, lexicon)
        return ScoredChunk(chunk, self._triage.restored(labelled, chunk.senders, found.log_odds))


class _Found(NamedTuple):
    """A chunk with the columns of its words and their log odds, as it is put aside."""

    chunk: Chunk | StoredChunk
    form: NDArray[np.int32]
    message: NDArray[np.int32]
    start: NDArray[np.int32]
    number: NDArray[np.int64]
    log_odds: NDArray[np.float64] | None


class _Aside(NamedTuple):
    """Where a chunk was put, and the words among which its own are numbered."""

    lies: Ref[_Found]
    met: MetWords


_Kept = tuple[Chunk | StoredChunk, ScoredMessages] | _Aside

# Some 25 MB of words, and 10 MB of rows where these are not stored.
_ROWS_IN_MEMORY = 20_000
_CHARACTERS_IN_MEMORY = 1 << 22


class _Gather(NamedTuple):
    """Asks a worker for what its chunks tell of their words."""


class _Told(NamedTuple):
    """Where what the chunks of a worker tell of their words lies, and which messages they hold."""

    evidence: Ref[EvidenceTable]
    messages: Fingerprint


class _Use(NamedTuple):
    """Asks a worker for the results of its chunks, with what the others have gathered."""

    evidence: tuple[tuple[int, Ref[EvidenceTable]], ...]
    anew: bool


_Request = StoredChunk | _Gather | _Use
_Answer = _Result[R] | _Told | None


class _Team(Generic[R]):
    """Worker processes that share the chunks of a corpus: who is free takes the next."""

    def __init__(self, share: _Share[R], spool: Spool, jobs: int, stack: ExitStack) -> None:
        self._share = share
        self._spool = spool
        self._jobs = jobs
        self._stack = stack
        # Workers inherit them: they must be there before the first of them. In the first lies what
        # was gathered before, in the others what each worker gathers.
        self._tables = [stack.enter_context(Spool()) for _ in range(jobs + 1)]
        self._asked: dict[Worker[_Request, _Answer[R]], deque[int]] = {}
        self._owner: list[Worker[_Request, _Answer[R]]] = []
        self._n_rows: list[int] = []
        self._heard: dict[int, _Answer[R]] = {}
        self._n_given = 0

    def results(
        self, chunks: Iterable[Chunk | StoredChunk], lines: int | None, progress: StartProgress
    ) -> Iterator[R]:
        """Give the results of all chunks, in their order."""
        done = progress(lines)
        for number, chunk in enumerate(chunks):
            lies = chunk if isinstance(chunk, StoredChunk) else stored(chunk, self._spool)
            while (worker := self._free()) is None:
                yield from self._hear(done)
            worker.send(lies)
            self._asked[worker].append(number)
            self._owner.append(worker)
            self._n_rows.append(lies.n_rows)
        while any(self._asked.values()):
            yield from self._hear(done)
        if self._share.as_whole:
            yield from self._second_look(progress(lines))

    def _second_look(self, done: Progress) -> Iterator[R]:
        for worker in self._asked:
            worker.send(_Gather())
        answers = [worker.receive() for worker in self._asked]
        told = [answer for answer in answers if isinstance(answer, _Told)]
        tables = [(place, one.evidence) for place, one in enumerate(told, 1)]
        given, anew = self._share.given, False
        if given is not None:
            anew = is_among((one.messages for one in told), given)
            tables = [(0, self._tables[0].put(given.table)), *([] if anew else tables)]
        for place, worker in enumerate(self._asked, 1):
            others = tuple(table for table in tables if table[0] != place)
            worker.send(_Use(others, anew))
        for worker, n_rows in zip(self._owner, self._n_rows, strict=True):
            result = worker.receive()
            if isinstance(result, _Result):
                yield result.value
            done(n_rows)

    def _free(self) -> Worker[_Request, _Answer[R]] | None:
        """Return a worker that can take a chunk, a new one where all are busy."""
        # The results of chunks behind a slow one must not pile up.
        if len(self._owner) - self._n_given >= _MOST_AHEAD * self._jobs:
            return None
        least = min(self._asked, key=lambda one: len(self._asked[one]), default=None)
        if (least is None or self._asked[least]) and len(self._asked) < self._jobs:
            place = len(self._asked) + 1
            least = self._stack.enter_context(Worker(partial(self._serve, place)))
            self._asked[least] = deque()
        return least if least and len(self._asked[least]) < _MOST_IN_HAND else None

    def _hear(self, done: Progress) -> Iterator[R]:
        """Wait for an answer; give the results that are next in order."""
        for worker in ready(one for one, asked in self._asked.items() if asked):
            number = self._asked[worker].popleft()
            self._heard[number] = worker.receive()
            done(self._n_rows[number])
        while self._n_given in self._heard:
            answer = self._heard.pop(self._n_given)
            self._n_given += 1
            if isinstance(answer, _Result):
                yield answer.value

    def _serve(self, place: int, requests: Iterator[_Request]) -> Iterator[_Answer[R]]:
        """Answer requests, in the worker of this place."""
        share, tables = self._share, self._tables
        for request in requests:
            match request:
                case StoredChunk():
                    yield share.look(request)
                case _Gather():
                    table, messages = share.gathered()
                    yield _Told(tables[place].put(table), messages)
                case _Use(others, anew):
                    lying = (tables[there].get(ref) for there, ref in others)
                    yield from (
                        _Result(value) for _, value in share.use(share.whole(lying, anew=anew))
                    )


_MOST_AHEAD = 4
# One to work on and one that is ready.
_MOST_IN_HAND = 2
