"""One pass over a corpus: each chunk is labelled and weighed, kept, and looked at again.

The first look at the chunks gathers what they tell of each other's words; in the second one each
is weighed and decided with that. A message that is decided by itself needs the second look alone.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple, TypeVar

from triage.features.corpus_evidence import CorpusEvidence

from .ahead import ahead
from .pipeline import Decisions, ScoredMessages, Triage, gather
from .source import SplitChunk

Progress = Callable[[int], None]
StartProgress = Callable[[int | None], Progress]


class ScoredChunk(NamedTuple):
    """Some rows of a file, with the labels and the evidence of the words of their messages."""

    chunk: SplitChunk
    scored: ScoredMessages


class DecidedChunk(NamedTuple):
    """Some rows of a file, with what is decided of their messages."""

    chunk: SplitChunk
    decisions: Decisions


C = TypeVar("C", ScoredChunk, DecidedChunk)


@contextmanager
def weighed_chunks(
    triage: Triage,
    chunks: Iterable[SplitChunk],
    lines: int | None = None,
    progress: StartProgress | None = None,
) -> Iterator[Iterator[ScoredChunk]]:
    """Give the chunks of a corpus, their words weighed with its evidence.

    All chunks are read before the first is given.

    Parameters
    ----------
    triage : Triage
        A model that does not weigh words leaves them without evidence.
    chunks : iterable of SplitChunk
    lines : int, optional
        About how many rows there are, for the progress.
    progress : callable, optional
        Called once for each look with about how many rows there are (None where unknown), returns
        a function that is called with the number of rows done after each chunk.
    """
    with _gathered(triage, chunks, lines, progress) as (kept, corpus):
        seen = chain(kept.first, kept.pickled(triage))
        weighed = (ScoredChunk(chunk, triage.weigh(scored, corpus)) for chunk, scored in seen)
        yield _counted(weighed, lines, progress)


@contextmanager
def decided_chunks(
    triage: Triage,
    chunks: Iterable[SplitChunk],
    lines: int | None = None,
    progress: StartProgress | None = None,
    *,
    in_corpus: bool,
) -> Iterator[Iterator[DecidedChunk]]:
    """Give the chunks of a corpus with what is decided of them.

    Of the first chunks every other one is decided by another process, which inherits all that it
    needs.

    Parameters
    ----------
    triage : Triage
    chunks : iterable of SplitChunk
    lines, progress
        As for `weighed_chunks`.
    in_corpus : bool
        Whether all chunks are read before the first is decided, each with the evidence of all.
    """
    if not in_corpus:
        alone = (DecidedChunk(chunk, _decide(triage, _score(triage, chunk))) for chunk in chunks)
        yield _counted(alone, lines, progress)
        return
    with _gathered(triage, chunks, lines, progress) as (kept, corpus):
        others = kept.first[1::2]
        with ahead(lambda: (_decide(triage, seen, corpus) for seen in others)) as theirs:
            first = (
                DecidedChunk(seen.chunk, next(theirs) if i % 2 else _decide(triage, seen, corpus))
                for i, seen in enumerate(kept.first)
            )
            later = (
                DecidedChunk(seen.chunk, _decide(triage, seen, corpus))
                for seen in kept.pickled(triage)
            )
            yield _counted(chain(first, later), lines, progress)


def _score(triage: Triage, chunk: SplitChunk) -> ScoredChunk:
    """Label the words of a chunk, and weigh each in its message."""
    labelled = triage.labeller.label_split(chunk.texts, chunk.words)
    return ScoredChunk(chunk, triage.score(labelled, chunk.senders))


def _decide(triage: Triage, seen: ScoredChunk, corpus: CorpusEvidence | None = None) -> Decisions:
    return triage.decide_scored(triage.weigh(seen.scored, corpus) if corpus else seen.scored)


@contextmanager
def _gathered(
    triage: Triage,
    chunks: Iterable[SplitChunk],
    lines: int | None,
    progress: StartProgress | None,
) -> Iterator[tuple["_Kept", CorpusEvidence]]:
    """Read a whole corpus; give its chunks, kept, and what they tell of its words."""
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        kept = _Kept(file)
        seen = _counted((_score(triage, chunk) for chunk in chunks), lines, progress)
        yield kept, gather(map(kept.add, seen))


def _counted(seen: Iterable[C], lines: int | None, progress: StartProgress | None) -> Iterator[C]:
    """Yield what was seen, and tell how many rows that was."""
    done = progress(lines) if progress else lambda _: None
    for one in seen:
        yield one
        done(len(one.chunk.rows))


class _Kept:
    """Chunks that are kept for a second look: the first ones as they are, the others pickled.

    What is pickled is kept in memory at first, then in a file that has no name: nobody but this
    process can open it, and it is gone when the process is.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.first: list[ScoredChunk] = []
        self._file = file
        self._n_pickled = 0

    def add(self, seen: ScoredChunk) -> ScoredMessages:
        """Keep a chunk; return its messages."""
        if len(self.first) < _CHUNKS_AS_THEY_ARE:
            self.first.append(seen)
        else:
            pickle.dump(seen.chunk, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._n_pickled += 1
        return seen.scored

    def pickled(self, triage: Triage) -> Iterator[ScoredChunk]:
        """Yield the chunks behind the first ones, in the order in which they came."""
        self._file.seek(0)
        for _ in range(self._n_pickled):
            yield _score(triage, pickle.load(self._file))  # noqa: S301 (this process wrote it)


# Some 50,000 messages and 100 MB.
_CHUNKS_AS_THEY_ARE = 8
# Some 60,000 messages; more go to disk.
_IN_MEMORY = 32_000_000
