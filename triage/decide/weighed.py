"""A triaged file, looked at again: its messages with their words, labels and evidence."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from triage.data import Chunk, MessageFile, open_messages
from triage.dictionaries import LabelledMessages, split_all
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.word_evidence import ScoredWords, probability

from ..errors import TriageError
from ..model.labelled import senders_of
from .pipeline import Triage

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Source:
    """A file of messages and how to read it.

    Parameters
    ----------
    path : str
    text_column, id_column, sender_column, encoding, separator : str, optional
        By default found out.
    """

    path: str
    text_column: str | None = None
    id_column: str | None = None
    sender_column: str | None = None
    encoding: str | None = None
    separator: str | None = None

    def open(self) -> MessageFile:
        """Open the file."""
        return open_messages(
            self.path,
            text_column=self.text_column,
            id_column=self.id_column,
            encoding=self.encoding,
            separator=self.separator,
            chunk_rows=_CHUNK_ROWS,
        )


_CHUNK_ROWS = 6_000


@dataclass(frozen=True)
class WeighedChunk:
    """Some rows of a file, and what the two votes see in their words.

    Parameters
    ----------
    chunk : Chunk
    senders : list of str
        Empty where it is not known who sent a message.
    labelled : LabelledMessages
    scored : ScoredWords, optional
        With the evidence of the corpus; None if the model does not weigh words.
    """

    chunk: Chunk
    senders: list[str]
    labelled: LabelledMessages
    scored: ScoredWords | None

    @property
    def evidence(self) -> list[float | None]:
        """The evidence of each word, from 0 to 1."""
        if self.scored is None:
            return [None] * len(self.labelled.words.form)
        evidence: list[float] = probability(self.scored.log_odds).tolist()
        return [*evidence]


def weighed(
    file: MessageFile,
    triage: Triage,
    sender: int | None,
    progress: Callable[[int | None], Progress] | None = None,
) -> Iterator[WeighedChunk]:
    """Yield the rows of a file with their words; it is read twice, first for the whole corpus.

    Parameters
    ----------
    file : MessageFile
    triage : Triage
    sender : int, optional
        Where the column of senders stands.
    progress : callable, optional
        Given about how many rows there are (None where unknown), returns a function that is
        called with the number of rows done.

    Raises
    ------
    DataError
        If the file cannot be read to its end.
    TriageError
        If one of its rows cannot be read.
    """
    start = progress or (lambda _: lambda _: None)
    corpus = _corpus(file, triage, sender, start(file.lines)) if triage.weighs_corpus else None
    done = start(file.lines)
    for found in _labelled(file, triage, sender):
        if found.scored and corpus:
            scored = triage.weigh_in_corpus(found.labelled, found.scored, corpus, found.senders)
            yield WeighedChunk(found.chunk, found.senders, found.labelled, scored)
        else:
            yield found
        done(len(found.chunk.rows))


def _corpus(
    file: MessageFile, triage: Triage, sender: int | None, done: Progress
) -> CorpusEvidence:
    """Return what the messages of a file say of each other's words."""
    corpus = CorpusEvidence()
    for found in _labelled(file, triage, sender):
        if found.scored:
            corpus.add(found.labelled, found.scored, found.senders)
        done(len(found.chunk.rows))
    corpus.finish()
    return corpus


def _labelled(file: MessageFile, triage: Triage, sender: int | None) -> Iterator[WeighedChunk]:
    for chunk in file.chunks():
        check_rejects(file)
        labelled = triage.label(chunk.texts, split_all(chunk.texts))
        senders = senders_of(chunk.rows, sender)
        yield WeighedChunk(chunk, senders, labelled, triage.score_words(labelled))
    check_rejects(file)


def check_rejects(file: MessageFile) -> None:
    """Check that all rows that were met could be read.

    Parameters
    ----------
    file : MessageFile

    Raises
    ------
    TriageError
        If one could not; it names the first.
    """
    if file.rejects:
        first = file.rejects[0]
        raise TriageError(
            f"{file.name}, line {first.line}: {first.reason}; every row is wanted here, mend or "
            "remove this one"
        )
