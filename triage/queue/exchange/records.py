"""Exported items, imported rows, and the JSON files that hold them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path

from triage.data import Dialect, create_output, shown_cell
from triage.data.errors import whole_characters

from ...errors import TriageError, reading, writing
from ...safe import STANDARD_STREAM, FolderKind, Staged, read_file
from ...vocabulary import Prediction, Spans
from ..records import Answer, Note, Votes

_SHOWN = 5
_ROWS_AT_ONCE = 5_000


class ExchangeFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"
    DOCCANO = "doccano"
    LABEL_STUDIO = "label-studio"
    BRAT = "brat"
    IOB2 = "iob2"
    SPACY = "spacy"
    DATASETS = "datasets"


@dataclass(frozen=True)
class Destination:
    """A file of items: no more readable than the file `like`, by default by their owner."""

    path: Path
    like: str | None = None
    overwrite: bool = False

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[object]],
        like: Dialect | None = None,
        *,
        guard_formulas: bool = False,
    ) -> int:
        """Write a table that appears at the end; return how many rows."""
        with create_output(
            self.path,
            columns,
            like=like,
            mode_from=self.like,
            private=self.like is None,
            guard_formulas=guard_formulas,
            overwrite=self.overwrite,
        ) as output:
            batches = iter(rows)
            while batch := list(islice(batches, _ROWS_AT_ONCE)):
                output.write(batch)
            output.commit()
            return output.rows_written

    @contextmanager
    def stage(self, kind: FolderKind | None = None) -> Iterator[Staged]:
        """Give a file, or a folder of a kind, to write, which appears at the end."""
        # A folder of what comes from standard input is its owner's as well.
        is_private = self.like is None or (kind is not None and self.like == STANDARD_STREAM)
        with Staged(
            self.path, like=self.like, private=is_private, overwrite=self.overwrite, kind=kind
        ) as stage:
            with writing(stage.name):
                yield stage
            stage.commit()


@dataclass(frozen=True)
class Exported:
    item: int
    digest: str
    text: str
    n_messages: int
    ids: tuple[str, ...]
    votes: Votes | None = None
    evidence: str = ""
    suggested: Spans = ()
    answer: Answer | None = None
    spans: Spans = ()
    notes: tuple[Note, ...] = ()

    @property
    def id(self) -> str:
        """The id of its message, or the ids of several, separated by spaces."""
        return " ".join(self.ids)

    @property
    def decision(self) -> Prediction | None:
        """TA or NTA, as the annotator or else the machine says; None where neither does."""
        said = self.answer or (self.votes.action if self.votes else "")
        return Prediction(said) if said in (*Prediction,) else None

    @property
    def marked(self) -> Spans:
        """The spans marked in the file: the annotator's, or else the suggestions."""
        return self.suggested if self.answer in (None, Answer.SKIP) else self.spans


@dataclass(frozen=True)
class Imported:
    where: str
    digest: str
    text: str
    answer: Answer | None
    spans: Spans
    annotator: str
    id: str = ""


class RowErrors:
    """Collects the errors of a file's rows, to be reported together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: list[tuple[str, str]] = []

    @contextmanager
    def of(self, where: str) -> Iterator[None]:
        """Catch the error of a row, so that the next one can be read."""
        try:
            yield
        except TriageError as error:
            self.add(where, str(error))

    def add(self, where: str, reason: str) -> None:
        self._found.append((where, reason))

    def check(self) -> None:
        """Raise a TriageError if any row is invalid: its reason, and which others there are."""
        rows = [row for row, _ in self._found]
        remedy = "mend or remove this row"
        if len(rows) > 1:
            listed = ", ".join(rows[:_SHOWN]) + (", …" if len(rows) > _SHOWN else "")
            remedy = f"{len(rows)} rows are wrong, mend or remove them: {listed}"
        for where, reason in self._found:
            raise TriageError(f"{self._name}, {where}: {reason}; {remedy}")


def read_text(value: object) -> str:
    """Return the text of a row; TriageError if it is missing."""
    if not isinstance(value, str) or not value:
        raise TriageError("the text is missing")
    return whole_characters(value)


def read_answer(value: object) -> Answer:
    """Return an answer, in either case; TriageError if it is none."""
    try:
        return Answer(value.strip().upper() if isinstance(value, str) else "")
    except ValueError as error:
        raise TriageError(f"{shown_cell(value)} is no answer: say TA, NTA or SKIP") from error


def only_answer(values: list[object]) -> Answer | None:
    """Return the answer in a list, None if it is empty; TriageError if it holds several."""
    answers = {read_answer(value) for value in values}
    if len(answers) > 1:
        raise TriageError("it has several answers: leave one")
    return next(iter(answers), None)


def spans_of_answer(answer: Answer | None, spans: Spans, exported: Spans) -> Spans:
    """Return the spans that go with an answer, none unless it is TA."""
    if answer is Answer.NTA and not set(spans) <= set(exported):
        raise TriageError(
            "the answer is NTA, and yet identifiers were marked: make it TA, or take the marks away"
        )
    return spans if answer is Answer.TA else ()


def read_characters(path: Path) -> str:
    """Return the content of a text file; TriageError if it is empty or not UTF-8."""
    with reading(str(path)):
        content = read_file(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TriageError(
            f"{path} is not UTF-8: export it again, as JSON, and leave it as it is"
        ) from error
    if not text.strip():
        raise TriageError(f"{path} is empty: export it again")
    return text


def read_json(path: Path) -> object:
    """Return the value in a JSON file; TriageError if it is not JSON."""
    text = read_characters(path)
    try:
        return _parsed(text)
    except TriageError as error:
        raise TriageError(f"{path}: {error}; export it again, as JSON") from error


def read_json_lines(path: Path, errors: RowErrors) -> Iterator[tuple[str, dict[str, object]]]:
    for number, line in enumerate(read_characters(path).split("\n"), 1):
        where = f"line {number}"
        if line.strip():
            with errors.of(where):
                found = _parsed(line)
                if not isinstance(found, dict):
                    raise TriageError("it is not a JSON object")
                yield where, found


def _parsed(text: str) -> object:
    try:
        # `int` refuses NaN and Infinity, which JSON has not.
        return json.loads(text, parse_constant=int)
    except json.JSONDecodeError as error:
        line = f" (its line {error.lineno})" if error.lineno > 1 else ""
        raise TriageError(f"it is not JSON{line}") from error
    except RecursionError as error:
        raise TriageError("it is nested too deeply") from error
    except ValueError as error:
        raise TriageError("it is not JSON: it has a number that JSON has not") from error


def as_list(value: object, name: str) -> list[object]:
    """Return a value that must be a list; TriageError if it is not."""
    if not isinstance(value, list):
        raise TriageError(f"its {name} are not a list")
    return value


def write_json(to: Destination, records: Iterable[object], *, lines: bool) -> int:
    """Write records as JSON Lines or as a JSON list, one record a line; return how many."""
    start, between, end = (b"", b"\n", b"") if lines else (b"[\n", b",\n", b"]\n")
    n_written = 0
    with to.stage() as stage:
        stage.file.write(start)
        for n_written, record in enumerate(records, 1):
            encoded = json.dumps(record, ensure_ascii=False, allow_nan=False)
            stage.file.write((between if n_written > 1 else b"") + encoded.encode(errors="replace"))
        stage.file.write((b"\n" if n_written else b"") + end)
    return n_written
