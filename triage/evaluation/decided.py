"""Labelled messages, decided as ``triage classify`` decides them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..decide.corpus import StartProgress
from ..decide.pipeline import Decisions, Triage
from ..decide.policy import Promise
from ..decide.run import decide_chunks, in_corpus
from ..decide.source import Header, MessageStream, Request, SplitChunk
from ..errors import TriageError
from ..model.labelled import Spans, check_label_cells, label_position
from ..vocabulary import parse_triples
from .corpus import Corpus


@dataclass(frozen=True)
class Decided:
    """Labelled messages and what was decided of them.

    Parameters
    ----------
    corpus : Corpus
    decisions : Decisions
        Of each of its messages.
    promise : Promise or None
        What the guarded policy promises; None for the agreement table.
    in_corpus : bool
        Whether each message was decided by what the others tell.
    rejected : list of int
        The lines of rows that could not be read; they are not among the messages.
    """

    corpus: Corpus
    decisions: Decisions
    promise: Promise | None
    in_corpus: bool
    rejected: list[int]


def decide_labelled_stream(
    triage: Triage,
    request: Request,
    stream: MessageStream,
    label_column: str = "label",
    progress: StartProgress | None = None,
) -> Decided:
    """Decide labelled messages by the pipeline of ``triage classify``; labels change nothing.

    Parameters
    ----------
    triage : Triage
    request : Request
        Its outputs are not written.
    stream : MessageStream
        Of this request.
    label_column : str
    progress : callable, optional
        As for `triage.decide.run.classify_file`.

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If there is no such column, a label is neither TA nor NTA, or no message can be read; as
        `triage.decide.run.decide_chunks`.
    """
    header = stream.header()
    columns = _Columns(header, label_column)
    decisions = Decisions([], [], [], [], [])
    seen = columns.collected(stream.chunks())
    with decide_chunks(triage, request, header.lines, seen, progress) as decided:
        for _, found in decided:
            for whole, part in zip(vars(decisions).values(), vars(found).values(), strict=True):
                whole.extend(part)
    if not columns.messages:
        raise TriageError(f"{header.name} holds no message that can be read")
    rejected = [reject.line for reject in stream.tail.rejects]
    by_corpus = in_corpus(triage, request)
    return Decided(columns.corpus(), decisions, triage.promise(by_corpus), by_corpus, rejected)


class _Columns:
    """The columns of a labelled file, gathered as its chunks pass by."""

    def __init__(self, header: Header, label_column: str) -> None:
        self._name = header.name
        self._label = label_position(header, label_column, "--label-column")
        self._span = header.columns.index("spans") if "spans" in header.columns else None
        self.messages: list[str] = []
        self._labels: list[str] = []
        self._senders: list[str] = []
        self._spans: list[Spans] = []
        self._lines: list[int] = []

    def collected(self, chunks: Iterable[SplitChunk]) -> Iterator[SplitChunk]:
        for chunk in chunks:
            self._labels += check_label_cells(chunk, self._label, self._name)
            self.messages += chunk.texts
            self._senders += chunk.senders
            self._lines += chunk.lines
            if self._span is not None:
                self._spans += [parse_triples(row[self._span], strict=False) for row in chunk.rows]
            yield chunk

    def corpus(self) -> Corpus:
        return Corpus(
            self.messages,
            self._labels,
            self._senders if any(self._senders) else None,
            None,
            self._spans if self._span is not None else None,
            self._lines,
        )
