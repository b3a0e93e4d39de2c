"""Labelled messages, prepared once for every part of an evaluation."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from triage.data import open_messages
from triage.dictionaries import LabelledMessages, Lexicon, label_messages

from ..decide.seek_hide import verdicts
from ..errors import TriageError
from ..model.labelled import (
    Spans,
    check_label_cells,
    groups_of,
    label_position,
    sender_position,
    senders_of,
)
from ..model.learnt import named_features
from ..vocabulary import Prediction, Verdict, parse_triples


@dataclass(frozen=True)
class Corpus:
    """Labelled messages in the order of their arrival.

    Parameters
    ----------
    messages : list of str, length n_messages
    labels : list of {"TA", "NTA"}
    senders : list of str, or None
        Who sent each, where the file says so.
    second : list of {"TA", "NTA"}, or None
        Another annotator's labels.
    spans : list of list of (start, end, type), or None
        Where the identifiers are, where the file says so.
    lines : list of int
        Where each message stands in the file.
    """

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

    def marked(self, what: str) -> list[Spans]:
        """Return where the identifiers are.

        Parameters
        ----------
        what : str
            What is measured on them, for the error.

        Raises
        ------
        TriageError
            If the file does not say.
        """
        if self.spans is None:
            raise TriageError(
                f"{what} is measured on marked identifiers: the file needs a column spans, as JSON "
                "lists of [start, end, type]"
            )
        return self.spans

    @property
    def groups(self) -> NDArray[np.str_]:
        """The sender of each message; each message is a group of its own where none is known."""
        numbers = groups_of(self.senders, len(self.messages))
        # Padded, so that they sort as the senders do.
        return np.array([f"{number:012d}" for number in numbers])


@dataclass(frozen=True)
class Prepared:
    """A corpus with its words' labels, its features and Seek&Hide's verdicts.

    Parameters
    ----------
    corpus : Corpus
    labelled : LabelledMessages
    names : tuple of str
        Of the features.
    values : ndarray of float, shape (n_messages, n_features)
    default, strict : list of Verdict
        Both readings of UNTAGGED.
    first : int
        How many messages, from the first, are for training; the later ones are for testing.
    following : int
        How many messages behind them the paper's test takes.
    """

    corpus: Corpus
    labelled: LabelledMessages
    names: tuple[str, ...]
    values: NDArray[np.float64]
    default: list[Verdict]
    strict: list[Verdict]
    first: int
    following: int

    @property
    def training(self) -> slice:
        """The messages to learn from."""
        return slice(0, self.first)

    @property
    def later(self) -> slice:
        """All messages behind them."""
        return slice(self.first, None)


def prepare(
    corpus: Corpus, lexicon: Lexicon, features: str, first: int | None, following: int
) -> Prepared:
    """Label the words of a corpus and compute what every part needs.

    Parameters
    ----------
    first : int, optional
        By default 4000 (paper, section 6.3), or two thirds of a smaller corpus.
    """
    chosen = named_features(features)
    labelled = label_messages(corpus.messages, lexicon)
    n = len(corpus.messages)
    return Prepared(
        corpus,
        labelled,
        chosen.features,
        chosen.compute(labelled),
        verdicts(labelled),
        verdicts(labelled, strict=True),
        _n_training(first, n),
        following,
    )


PAPER_FIRST = 4000


def _n_training(first: int | None, n: int) -> int:
    if first is not None and not 0 < first < n:
        raise TriageError(
            f"cannot train on the first {first:,} of {n:,} messages and test on the others: "
            "choose another number with --train-first"
        )
    return first or min(PAPER_FIRST, n * 2 // 3)


def read_corpus(
    path: str,
    *,
    text_column: str | None = None,
    label_column: str = "label",
    second_label: str | None = None,
    sender_column: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
) -> Corpus:
    """Read labelled messages.

    Raises
    ------
    DataError, TriageError
        If the file cannot be read, a named column is missing, or a label is neither TA nor NTA.
    """
    with open_messages(
        path, text_column=text_column, encoding=encoding, separator=separator
    ) as file:
        at = [label_position(file, label_column, "--label-column")]
        if second_label:
            at.append(label_position(file, second_label, "--second-label"))
        sender = sender_position(file.columns, sender_column, file.name)
        spans = file.columns.index("spans") if "spans" in file.columns else None
        cells: list[list[str]] = [[] for _ in at]
        messages: list[str] = []
        senders: list[str] = []
        found: list[Spans] = []
        lines: list[int] = []
        for chunk in file.chunks():
            messages += chunk.texts
            lines += chunk.lines
            for column, position in zip(cells, at, strict=True):
                column.extend(check_label_cells(chunk, position, file.name))
            if sender is not None:
                senders += senders_of(chunk.rows, sender)
            if spans is not None:
                found += [parse_triples(row[spans], strict=False) for row in chunk.rows]
        if file.rejects:
            first = file.rejects[0]
            raise TriageError(
                f"{file.name}, line {first.line}: {first.reason}; mend or remove this row"
            )
    return Corpus(
        messages,
        cells[0],
        senders if sender is not None else None,
        cells[1] if second_label else None,
        found if spans is not None else None,
        lines,
    )
