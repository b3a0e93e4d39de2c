"""Labelled messages, read and prepared once for every part of an evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from triage.data import Chunk
from triage.dictionaries import LabelledMessages, Lexicon, label_messages, load_lexicon

from ..decide.language import named_or_guessed
from ..decide.seek_hide import verdicts
from ..decide.source import Chunk as StreamedChunk
from ..decide.source import Source
from ..errors import TriageError
from ..model.annotated import (
    NamedTable,
    Spans,
    check_label_cells,
    groups_of,
    label_position,
    sender_position,
    senders_of,
)
from ..model.learnt import named_features
from ..model.store import cache_folder
from ..settings import Reading
from ..vocabulary import Prediction, Verdict, parse_triples


@dataclass(frozen=True)
class AnnotatedCorpus:
    """Labelled messages in the order of their arrival."""

    messages: list[str]
    labels: list[str]
    senders: list[str] | None
    second: list[str] | None
    spans: list[Spans] | None
    lines: list[int]

    @cached_property
    def is_ta(self) -> NDArray[np.bool_]:
        """Return whether each message is labelled TA, shape (n_messages,)."""
        return np.array([label == Prediction.TA for label in self.labels], dtype=bool)

    @cached_property
    def groups(self) -> NDArray[np.str_]:
        """The sender of each message; each message is a group of its own where none is known."""
        numbers = groups_of(self.senders, len(self.messages))
        # Padded, so that they sort as the senders do.
        return np.array([f"{number:012d}" for number in numbers])

    def marked(self, what: str) -> list[Spans]:
        """Return the marked identifiers, on which `what` is measured."""
        if self.spans is None:
            raise TriageError(
                f"{what} is measured on marked identifiers: the file needs a column spans, as JSON "
                "lists of [start, end, type]"
            )
        return self.spans


@dataclass(frozen=True)
class Prepared:
    """A corpus with its words' labels, its features and Seek&Hide's verdicts."""

    corpus: AnnotatedCorpus
    labelled: LabelledMessages
    names: tuple[str, ...]
    values: NDArray[np.float64]
    default: list[Verdict]
    strict: list[Verdict]
    first: int
    following: int

    @cached_property
    def labels(self) -> NDArray[np.str_]:
        """The label of each message, shape (n_messages,)."""
        return np.array(self.corpus.labels)

    @property
    def training(self) -> slice:
        """The messages to learn from."""
        return slice(0, self.first)

    @property
    def later(self) -> slice:
        """All messages behind them."""
        return slice(self.first, None)


def prepare(
    corpus: AnnotatedCorpus, lexicon: Lexicon, features: str, first: int | None, following: int
) -> Prepared:
    """Label the words of a corpus and compute what every part needs."""
    n = len(corpus.messages)
    if first is not None and not 0 < first < n:
        raise TriageError(
            f"cannot train on the first {first:,} of {n:,} messages and test on the others: "
            "choose another number with --train-first"
        )
    chosen = named_features(features)
    labelled = label_messages(corpus.messages, lexicon)
    return Prepared(
        corpus,
        labelled,
        chosen.features,
        chosen.compute(labelled),
        verdicts(labelled),
        verdicts(labelled, strict=True),
        first or min(4000, n * 2 // 3),
        following,
    )


class LabelledColumns:
    """The columns of a labelled file, gathered chunk by chunk."""

    def __init__(
        self, table: NamedTable, label_column: str, second_label: str | None = None
    ) -> None:
        self._name = table.name
        self._label = label_position(table, label_column, "--label-column")
        self._second = label_position(table, second_label, "--second-label") if second_label else -1
        self._span = table.columns.index("spans") if "spans" in table.columns else -1
        self.messages: list[str] = []
        self.senders: list[str] = []
        self._labels: list[str] = []
        self._second_labels: list[str] = []
        self._spans: list[Spans] = []
        self._lines: list[int] = []

    def add(self, chunk: Chunk | StreamedChunk, senders: Sequence[str]) -> None:
        """Add successive rows."""
        self._labels += check_label_cells(chunk, self._label, self._name)
        if self._second >= 0:
            self._second_labels += check_label_cells(chunk, self._second, self._name)
        self.messages += chunk.texts
        self.senders += senders
        self._lines += chunk.lines
        if self._span >= 0:
            self._spans += [parse_triples(row[self._span], strict=False) for row in chunk.rows]

    def corpus(self, *, has_senders: bool) -> AnnotatedCorpus:
        """Return all rows that were added."""
        return AnnotatedCorpus(
            self.messages,
            self._labels,
            self.senders if has_senders else None,
            self._second_labels if self._second >= 0 else None,
            self._spans if self._span >= 0 else None,
            self._lines,
        )


def read_corpus(
    path: str,
    reading: Reading | None = None,
    *,
    label_column: str = "label",
    second_label: str | None = None,
) -> AnnotatedCorpus:
    """Read labelled messages."""
    source = Source(path, reading or Reading())
    with source.open() as file:
        columns = LabelledColumns(file, label_column, second_label)
        sender = sender_position(file.columns, source.reading.sender_column, file.name)
        for chunk in file.chunks():
            columns.add(chunk, [] if sender is None else senders_of(chunk.rows, sender))
        if file.rejects:
            first = file.rejects[0]
            raise TriageError(
                f"{file.name}, line {first.line}: {first.reason}; mend or remove this row"
            )
    return columns.corpus(has_senders=sender is not None)


def lexicon_of(messages: Sequence[str]) -> Lexicon:
    """Return the dictionaries of the language of some messages, which is guessed."""
    language, _ = named_or_guessed(None, lambda: messages)
    return load_lexicon(language, cache=cache_folder())
