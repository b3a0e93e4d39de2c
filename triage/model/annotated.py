"""Annotated files, and the columns of labels, senders and spans in any file of messages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from triage.data import MessageFile, as_text, open_messages
from triage.data.columns import column_position, shown_cell
from triage.data.errors import is_null, whole_characters

from ..errors import TriageError
from ..settings import Reading
from ..vocabulary import Action, Prediction, parse_triples

Spans = list[tuple[int, int, str]]
# The columns of `triage queue apply`.
FINAL_ACTION, DECIDED_BY, FINAL_SPANS = FINAL_COLUMNS = "final_action", "decided_by", "final_spans"
# The value of DECIDED_BY for messages that no person decided.
MACHINE = "machine"


def actions_of(
    columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> Iterator[tuple[str, bool]]:
    """Yield the action of each row of a triaged file, and whether a person chose it."""
    final = FINAL_ACTION if FINAL_ACTION in columns else "action"
    if final in columns:
        action, decided_by = columns.index(final), [*columns, DECIDED_BY].index(DECIDED_BY)
        for row in rows:
            yield as_text(row[action]), as_text([*row, ""][decided_by]) not in ("", MACHINE)


@dataclass
class AnnotatedMessages:
    """Messages with labels given by people, the lines of their file, and those left out."""

    messages: list[str]
    labels: list[str]
    senders: list[str] | None = None
    spans: list[Spans] | None = None
    undecided: int = 0
    second: list[str] | None = None
    lines: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)

    @cached_property
    def is_ta(self) -> NDArray[np.bool_]:
        return np.array([label == Prediction.TA for label in self.labels], dtype=bool)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The sender of each message; each message is a group of its own where none is known."""
        return np.array(groups_of(self.senders, len(self.messages)), dtype=np.int64)

    @property
    def senders_or_empty(self) -> list[str]:
        return self.senders or [""] * len(self.messages)


def read_annotated(
    path: str,
    reading: Reading | None = None,
    *,
    label_column: str | None = None,
    second_label: str | None = None,
    every_row: bool = True,
) -> AnnotatedMessages:
    """Read messages and their labels from a file of any format that `data` reads.

    Rows that cannot be read are an error where every row is wanted.
    """
    with open_messages(path, reading or Reading()) as file:
        is_final = label_column in (None, FINAL_ACTION) and FINAL_ACTION in file.columns
        label_name = FINAL_ACTION if is_final else str(label_column or "label")
        label = _label_position(file, label_name, "--label-column")
        second = _label_position(file, second_label, "--second-label") if second_label else None
        span_name = FINAL_SPANS if is_final else "spans"
        span = file.columns.index(span_name) if span_name in file.columns else None
        annotated, senders = AnnotatedMessages([], []), list[str]()
        spans, seconds = list[Spans](), list[str]()
        for chunk in file.chunks():
            # Rows that wait for the expert have no label yet.
            kept = [not is_final or as_text(row[label]) != Action.EXPERT for row in chunk.rows]
            rows, lines = [*compress(chunk.rows, kept)], [*compress(chunk.lines, kept)]
            annotated.undecided += kept.count(False)
            annotated.messages += compress(chunk.texts, kept)
            annotated.lines += lines
            annotated.labels += _labels(rows, lines, label, file.name)
            senders += compress(chunk.senders, kept)
            seconds += [] if second is None else _labels(rows, lines, second, file.name)
            for row, text, line in zip(rows, compress(chunk.texts, kept), lines, strict=True):
                spans += [] if span is None else [_marks(row[span], text, line, file.name)]
        annotated.senders = None if file.sender_position is None else senders
        annotated.second = None if second is None else seconds
        annotated.spans = None if span is None else spans
        annotated.rejected = [reject.line for reject in file.rejects]
        if every_row:
            file.check_whole()
    return annotated


def _label_position(file: MessageFile, column: str, option: str) -> int:
    position = column_position(file.columns, column, file.name, option)
    if file.columns[position] == file.text_column:
        raise TriageError(
            f"{file.name}: {column!r} is the column of messages; "
            f"name that of the labels with {option}",
            "no_column",
            file=file.name,
            column=column,
        )
    return position


def _labels(
    rows: Sequence[Sequence[object]], lines: Sequence[int], position: int, name: str
) -> list[str]:
    labels = [as_text(row[position]).strip() for row in rows]
    wrong = dict[str, int]()
    for label, line in zip(labels, lines, strict=True):
        if label not in tuple(Prediction):
            wrong.setdefault(label, line)
    if wrong:
        examples = [f"{shown_cell(label)} (line {line})" for label, line in list(wrong.items())[:5]]
        raise TriageError(f"{name}: labels must be TA or NTA; there are also {', '.join(examples)}")
    return labels


def _marks(cell: object, text: str, line: int, name: str) -> Spans:
    """Return the marks of a message; an empty cell marks nothing."""
    if not as_text(cell).strip():
        return []
    where = f"{name}, line {line}: its spans are wrong, mend them or rename the column"
    try:
        marks = parse_triples(cell)
    except TriageError as error:
        raise TriageError(f"{where}: {error}") from None
    if any(not 0 <= start < end <= len(text) for start, end, _ in marks):
        raise TriageError(f"{where}: they do not lie within the text of {len(text)} characters")
    return marks


def text_of(cell: object, number: int = 0) -> str:
    """Return the text of a cell, empty where it is missing; raise TriageError for a collection."""
    if isinstance(cell, Iterable) and not isinstance(cell, str):
        name = f"message {number:,}" if number else "a message"
        raise TriageError(f"{name} is of the type {type(cell).__name__}: give texts")
    return "" if is_null(cell) else str(cell)


def texts_of(cells: Iterable[object]) -> list[str]:
    """Return the messages of cells, as a file would have them: without halves of characters."""
    if isinstance(cells, str):
        raise TriageError("messages are a list of texts, not one text: put it into a list")
    texts = [c if type(c) is str else text_of(c, number) for number, c in enumerate(cells, 1)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [*map(whole_characters, texts)]
    return texts


def groups_of(senders: Sequence[str] | None, n_messages: int) -> list[int]:
    """Return a number for each message, the same for messages of one sender."""
    names = senders if senders is not None else [""] * n_messages
    number_of = {sender: number for number, sender in enumerate(sorted({s for s in names if s}))}
    numbers = [number_of[s] if s else len(number_of) + i for i, s in enumerate(names)]
    return numbers if len(set(numbers)) > 1 else list(range(n_messages))
