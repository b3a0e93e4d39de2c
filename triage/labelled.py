"""Labelled messages, as training reads them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from data import Chunk, MessageFile, as_text, open_messages

from .errors import TriageError
from .verdicts import Prediction


@dataclass
class LabelledFile:
    """Messages with their labels.

    Parameters
    ----------
    messages : list of str
    labels : list of {"TA", "NTA"}
    """

    messages: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


def read_labelled(
    path: str,
    *,
    text_column: str | None = None,
    label_column: str = "label",
    encoding: str | None = None,
    separator: str | None = None,
) -> LabelledFile:
    """Read messages and their labels from a file of any format that `data` reads.

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If there is no column of labels, a label is neither TA nor NTA, or a row is rejected.
    """
    labelled = LabelledFile()
    with open_messages(
        path, text_column=text_column, encoding=encoding, separator=separator
    ) as file:
        position = label_position(file, label_column, "--label-column")
        for chunk in file.chunks():
            labelled.labels += check_label_cells(chunk, position, file.name)
            labelled.messages += chunk.texts
        if file.rejects:
            first = file.rejects[0]
            raise TriageError(
                f"{file.name}, line {first.line}: {first.reason}; training wants every row, "
                "mend or remove this one"
            )
    return labelled


def label_position(file: MessageFile, named: str, option: str) -> int:
    """Return where a column of labels stands.

    Raises
    ------
    TriageError
        If there is none of this name, or it is the column of messages.
    """
    position = column_position(file.columns, named, file.name, option)
    if position == file.text_position:
        raise TriageError(
            f"{file.name}: {named!r} is the column of messages; "
            f"name that of the labels with {option}"
        )
    return position


def column_position(columns: Sequence[str], named: str, name: str, option: str) -> int:
    """Return where a named column stands.

    Raises
    ------
    TriageError
        If there is none; it lists those there are.
    """
    if named not in columns:
        there = ", ".join(columns)
        raise TriageError(
            f"{name} has no column {named!r}; there are: {there}. Name the right one with {option}"
        )
    return list(columns).index(named)


def check_label_cells(chunk: Chunk, position: int, name: str) -> list[str]:
    """Return a column of labels.

    Raises
    ------
    TriageError
        If one is neither TA nor NTA; it names up to five such values and where they first stand.
    """
    labels = [as_text(row[position]).strip() for row in chunk.rows]
    known = {vote.value for vote in Prediction}
    wrong: dict[str, int] = {}
    for label, line in zip(labels, chunk.lines, strict=True):
        if label not in known:
            wrong.setdefault(label, line)
    if wrong:
        found = [f"{_shown(label)} (line {line})" for label, line in list(wrong.items())[:5]]
        raise TriageError(f"{name}: labels must be TA or NTA; there are also {', '.join(found)}")
    return labels


def _shown(label: str) -> str:
    """Return a label as errors show it: a cell that may be a message stays hidden."""
    return repr(label) if len(label) <= _LONGEST_LABEL and " " not in label else "…"


_LONGEST_LABEL = 12
