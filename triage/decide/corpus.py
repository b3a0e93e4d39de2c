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
from functools import reduce
from itertools import chain, islice
from operator import add
from typing import Any, Generic, NamedTuple, TypeVar

from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.word_evidence import ScoredWords, WordIndex

from ..progress import StartProgress
from .evidence import Evidence, Fingerprint, fingerprint
from .find import ScoredMessages
from .people import Account, People
from .pipeline import Triage
from .processes import CAN_FORK, Ref, UnnamedFile, Worker
from .source import Chunk

R = TypeVar("R")
# What a worker's chunks tell: places of their table of evidence and of its pairs of a sender and a
# word, and of which messages they are.
_Told = tuple[Ref, list[Ref], Fingerprint]
# A chunk between both looks: the places of it and of the columns of its words, and what these are
# among.
_Kept = tuple[Ref, Ref, MetWords, WordIndex | None]

_FIRST_MESSAGES = 500
# So many chunks stay in memory between both looks, in all processes together: some 80 MB. Where a
# process has more than its part, none do.
_MOST_HELD = 14
# A worker has a chunk to work on and one that is ready.
_IN_HAND = 2


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
    n = corpus.jobs if len(first) > 1 and CAN_FORK else 1
    with ExitStack() as stack:
        # Workers inherit the files: they must be there before the first of them.
        files = [stack.enter_context(UnnamedFile()) for _ in range(n)]
        shares = [_Share(triage, use, corpus, files, own) for own in files]
        crew = _Crew(corpus, shares[0], files[0], progress or (lambda *_: lambda _: None))
        if n > 1:
            # What is computed once, and the commonest words, are there for workers to inherit.
            begin, rest = slice(_FIRST_MESSAGES), slice(_FIRST_MESSAGES, None)
            crew.look(first[0].part(begin))
            first[:1] = [first[0].part(rest)] if first[0].rows[rest] else []
            forked = zip(shares[1:], files[1:], strict=True)
            crew.workers = [stack.enter_context(Worker(*one)) for one in forked]
        yield crew.results(chain(first, chunks))


class _Crew:
    """The processes of a pass: the first one, and workers, who take a chunk when they are free."""

    def __init__(
        self, corpus: CorpusPass, own: "_Share[Any]", file: UnnamedFile, progress: StartProgress
    ) -> None:
        self.workers: list[Worker] = []
        self._corpus, self._own, self._file, self._progress = corpus, own, file, progress
        self._done = progress(corpus.lines, "messages")
        # Of each chunk its worker, none of the first process's own, and its size; of those that are
        # still to be heard; the answers of the first process.
        self._looked: list[tuple[Worker | None, int]] = []
        self._asked: deque[tuple[Worker | None, int]] = deque()
        self._answers: deque[Any] = deque()

    def look(self, chunk: Chunk) -> None:
        """Have a chunk looked at."""
        if self._corpus.account:
            self._corpus.account.add(chunk.rows)
        free = (one for one in self.workers if one.n_in_hand() < _IN_HAND)
        if worker := next(free, None):
            worker.ask("look", self._file.put(chunk))
        else:
            self._answers.extend(self._own.look(chunk))
        self._looked.append((worker, chunk.n_rows))
        self._asked.append(self._looked[-1])

    def results(self, chunks: Iterable[Chunk]) -> Iterator[Any]:
        """Give the results of all chunks, in their order."""
        for chunk in chunks:
            self.look(chunk)
            yield from self._heard()
        yield from self._heard(to_end=True)
        if not self._corpus.as_whole:
            return
        self._done = self._progress(self._corpus.lines, "decisions")
        for one in self.workers:
            one.ask("tell")
        told = [*self._own.tell(), *(one.answer() for one in self.workers)]
        given = self._corpus.given
        without_own = bool(given and reduce(add, (one for *_, one in told)) in given.parts)
        people = self._corpus.account.people() if self._corpus.account else None
        how = [] if without_own else told, without_own, people
        for one in self.workers:
            one.ask("use", *how)
        self._asked.extend(self._looked)
        for result in self._own.use(*how):
            self._answers.append(result)
            yield from self._heard()
        yield from self._heard(to_end=True)

    def _heard(self, *, to_end: bool = False) -> Iterator[Any]:
        """Give the results that come next, as far as they are there, or all."""
        while self._asked:
            worker, n_rows = self._asked[0]
            if not (to_end or (worker.has_answer() if worker else self._answers)):
                return
            self._asked.popleft()
            result = worker.answer() if worker else self._answers.popleft()
            self._done(n_rows)
            if result is not None:
                yield result


class _Share(Generic[R]):
    """The chunks that one process works on, and what they tell of their words."""

    def __init__(
        self,
        triage: Triage,
        use: Callable[[ScoredChunk], R],
        corpus: CorpusPass,
        files: Sequence[UnnamedFile],
        own: UnnamedFile,
    ) -> None:
        self._triage, self._use, self._corpus = triage, use, corpus
        self._files, self._file = files, own
        self._evidence = CorpusEvidence()
        self._messages = Fingerprint()
        self._held: list[tuple[Chunk | Ref, ScoredChunk]] = []
        self._kept: list[_Kept] = []

    def look(self, lies: Chunk | Ref) -> Iterator[R | None]:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        chunk: Chunk = lies if isinstance(lies, Chunk) else self._files[0].get(lies)
        scored = self._triage.weighed(chunk.texts, chunk.senders)
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
            self._kept += [self._put_aside(*one) for one in self._held]
            self._held = []
        yield None

    def _put_aside(self, lies: Chunk | Ref, seen: ScoredChunk) -> _Kept:
        lies = self._file.put(lies) if isinstance(lies, Chunk) else lies
        labelled, found = seen.scored.labelled, seen.scored.words
        words, evidence = labelled.words, (found.log_odds, found.places) if found else None
        columns = words.form, words.message, words.start, labelled.number, evidence
        return lies, self._file.put(columns), labelled.met, found.index if found else None

    def tell(self) -> Iterator[_Told]:
        """Put aside what the chunks tell of their words, for others who need it."""
        if len(self._files) == 1:
            yield (0, 0), [], self._messages
            return
        table = self._evidence.table(in_order=False, with_pairs=False)
        pairs = [*map(self._file.put, self._evidence.pair_slices())]
        yield self._file.put(table), pairs, self._messages

    def use(self, told: Sequence[_Told], without_own: bool, people: People | None) -> Iterator[R]:
        """Use the chunks in their order, with what the other workers and given evidence tell."""
        given = self._corpus.given
        if given and without_own:
            self._evidence = CorpusEvidence.of([given.table])
        elif given:
            self._evidence.merge(given.table, for_own=True)
        for file, (table, pairs, _) in zip(self._files, told, strict=False):
            if file is not self._file:
                self._evidence.merge(file.get(table), map(file.get, pairs), for_own=True)
        self._evidence.finish()
        held = (seen for _, seen in self._held)
        for chunk, scored in chain(map(self._restored, self._kept), held):
            weighed = self._triage.weigh(scored, self._evidence)
            yield self._use(ScoredChunk(chunk, people.raised(weighed) if people else weighed))

    def _restored(self, kept: _Kept) -> ScoredChunk:
        lies, columns, met, index = kept
        chunk: Chunk = self._files[0].get(lies)
        form, message, start, number, evidence = self._file.get(columns)
        forms = [met.forms[n] for n in number.tolist()]
        table = WordTable(forms, form, message, start, chunk.n_rows)
        labelled = LabelledMessages(chunk.texts, table, number, met, self._triage.labeller.lexicon)
        words = ScoredWords(evidence[0], evidence[1], index) if index is not None else None
        return ScoredChunk(chunk, ScoredMessages(labelled, chunk.senders, words))
