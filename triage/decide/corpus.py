"""The one pass over a corpus: chunks are gathered, what they tell is added up, chunks are used.

A chunk is labelled and scored by itself; what it tells of its words is added to what the others
tell; with the sum each chunk is weighed, and used (decided, anonymised, put into a queue). A
message that is decided by itself needs no sum, and no second look. One process or several do the
same: the result depends neither on their number nor on the size of the chunks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import chain, cycle, islice
from operator import add
from typing import Any, Generic, NamedTuple, TypeVar

from triage.dictionaries import LabelledMessages, MetWords, WordTable
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.word_evidence import ScoredWords
from triage.features.word_index import WordIndex

from ..model.find import ScoredMessages
from ..progress import AddProgress, StartProgress
from .evidence import Evidence, Fingerprint, fingerprint
from .people import Account, People
from .pipeline import Triage, gather
from .processes import CAN_FORK, Here, Ref, UnnamedFile, Worker
from .source import Chunk

R = TypeVar("R")
# What a worker's chunks tell: places of their table of evidence and of its pairs of a sender and a
# word, and of which messages they are.
_Told = tuple[Ref, list[Ref], Fingerprint]
# A chunk between both looks: the places of it and of the columns of its words, and what these are
# among.
_Kept = tuple[Ref, Ref, MetWords, WordIndex | None]

_FIRST_MESSAGES = 2_000
# So many chunks stay in memory between both looks, in all processes together: some 80 MB. Where a
# process has more than its part, none do.
_MOST_HELD = 14
# A worker has a chunk to work on and some that are ready, should the others be slower.
_IN_HAND = 4


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
    n_workers = corpus.jobs if len(first) > 1 and CAN_FORK else 1
    with ExitStack() as stack:
        # Workers inherit the files: they must be there before the first of them.
        files = [stack.enter_context(UnnamedFile()) for _ in range(n_workers)]
        stored = stack.enter_context(UnnamedFile()) if n_workers > 1 else None
        shares = [_Share(triage, use, corpus, files, own, stored or own) for own in files]
        workers: list[Here | Worker] = [Here(shares[0])]
        if stored:
            # What is computed once, and the commonest words, are there for workers to inherit.
            labelled = triage.labeller.label(first[0].texts[:_FIRST_MESSAGES])
            scored = triage.score(labelled, first[0].senders[:_FIRST_MESSAGES])
            triage.weigh(scored, gather([scored]))
            workers = [stack.enter_context(Worker(one)) for one in shares]
        show = progress or (lambda *_: lambda _: None)
        yield _results(corpus, chain(first, chunks), workers, stored, show)


def _results(
    corpus: CorpusPass,
    chunks: Iterable[Chunk],
    workers: Sequence[Here | Worker],
    stored: UnnamedFile | None,
    progress: StartProgress,
) -> Iterator[Any]:
    """Give the results of all chunks, in their order; the workers take turns."""
    done, asked, n_heard = progress(corpus.lines, "messages"), list[tuple[Here | Worker, int]](), 0
    in_hand = _IN_HAND * len(workers) if stored else 1
    for worker, chunk in zip(cycle(workers), chunks, strict=False):
        if corpus.account:
            corpus.account.add(chunk.rows)
        worker.ask("look", stored.put(chunk) if stored else chunk)
        asked.append((worker, chunk.n_rows))
        if len(asked) - n_heard == in_hand:
            yield from _heard(asked[n_heard : n_heard + 1], done)
            n_heard += 1
    yield from _heard(asked[n_heard:], done)
    if not corpus.as_whole:
        return
    done, told, without_own = progress(corpus.lines, "decisions"), list[_Told](), False
    if len(workers) > 1 or corpus.given:
        for worker in workers:
            worker.ask("tell")
        told = [worker.answer() for worker in workers]
        messages = reduce(add, (one for *_, one in told))
        without_own = bool(corpus.given and messages in corpus.given.parts)
    people = corpus.account.people() if corpus.account else None
    for worker in workers:
        worker.ask("use", [] if without_own else told, without_own, people)
    yield from _heard(asked, done)


def _heard(asked: Sequence[tuple[Here | Worker, int]], done: AddProgress) -> Iterator[Any]:
    for worker, n_rows in asked:
        result = worker.answer()
        done(n_rows)
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
        stored: UnnamedFile,
    ) -> None:
        self._triage, self._use, self._corpus = triage, use, corpus
        self._files, self._file, self._stored = files, own, stored
        self._evidence = CorpusEvidence()
        self._messages = Fingerprint()
        self._held: list[tuple[Chunk | Ref, ScoredChunk]] = []
        self._kept: list[_Kept] = []

    def look(self, lies: Chunk | Ref) -> Iterator[R | None]:
        """Score a chunk; use it, or keep it until all chunks were seen."""
        chunk: Chunk = lies if isinstance(lies, Chunk) else self._stored.get(lies)
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
        """Put aside what the chunks tell of their words."""
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
        chunk: Chunk = self._stored.get(lies)
        form, message, start, number, evidence = self._file.get(columns)
        forms = [met.forms[n] for n in number.tolist()]
        table = WordTable(forms, form, message, start, chunk.n_rows)
        labelled = LabelledMessages(chunk.texts, table, number, met, self._triage.labeller.lexicon)
        words = ScoredWords(evidence[0], evidence[1], index) if index is not None else None
        return ScoredChunk(chunk, ScoredMessages(labelled, chunk.senders, words))
