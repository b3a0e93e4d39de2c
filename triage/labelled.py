"""Labelled messages, as training reads them."""

from dataclasses import dataclass, field

from data import as_text, open_messages

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
        If the file cannot be read, or a row of it.
    TriageError
        If there is no column of labels, or a label is neither TA nor NTA.
    """
    labelled = LabelledFile()
    with open_messages(
        path, text_column=text_column, encoding=encoding, separator=separator
    ) as file:
        if label_column not in file.columns:
            there = ", ".join(file.columns)
            raise TriageError(
                f"{file.name} has no column {label_column!r}; there are: {there}. "
                "Name the column of labels with --label-column"
            )
        position = file.columns.index(label_column)
        for chunk in file.chunks():
            labels = [as_text(row[position]).strip() for row in chunk.rows]
            _check(labels, chunk.lines, file.name)
            labelled.messages += chunk.texts
            labelled.labels += labels
        if file.rejects:
            first = file.rejects[0]
            raise TriageError(
                f"{file.name}, line {first.line}: {first.reason}; training wants every row, "
                "mend or remove this one"
            )
    return labelled


def _check(labels: list[str], lines: list[int], name: str) -> None:
    known = {vote.value for vote in Prediction}
    wrong = {label: line for label, line in zip(labels, lines, strict=True) if label not in known}
    if wrong:
        found = ", ".join(f"{label!r} (line {line})" for label, line in list(wrong.items())[:5])
        raise TriageError(f"{name}: labels must be TA or NTA; there are also {found}")
