"""The row that goes to other tools and comes back, its marks, and the files that hold rows."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from triage.data import Dialect, create_output, shown_cell
from triage.data.errors import whole_characters

from ...errors import TriageError, reading, writing
from ...safe import STANDARD_STREAM, FolderKind, Staged, read_file
from ...vocabulary import IdentifierType, Prediction, Span, Spans, check_spans
from ..records import Answer

_SHOWN = 5
_ROWS_AT_ONCE = 5_000
# What tools keep beside a text and give back.
_KEPT = (
    *("item", "digest", "messages", "ids", "seek_hide", "model", "model_score", "notes"),
    "evidence",
)


@dataclass(frozen=True)
class Row:
    """A message with its identifiers and its answer; `about` is what else is known of it."""

    id: str
    text: str
    spans: Spans = ()
    answer: Answer | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    annotator: str = ""
    where: str = ""

    @property
    def metadata(self) -> dict[str, object]:
        return {name: self.about[name] for name in _KEPT if name in self.about}

    @property
    def digest(self) -> str:
        """The digest of the text as it went out; empty where a tool has dropped it."""
        return as_string(self.about.get("digest"))

    @property
    def decision(self) -> Prediction | None:
        """TA or NTA, as the annotator or else the machine says; None where neither does."""
        said = self.answer or self.about.get("action")
        return Prediction(said) if said and said in Prediction.__members__ else None


@dataclass(frozen=True)
class Destination:
    """A file or folder of rows: no more readable than the file `like`, or than by its owner."""

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

    def json(self, records: Iterable[object], *, lines: bool) -> int:
        """Write records as JSON Lines or as a JSON list, one a line; return how many."""
        start, between, end = (b"", b"\n", b"") if lines else (b"[\n", b",\n", b"]\n")
        n_written = 0
        with self.stage() as stage:
            stage.file.write(start)
            for n_written, record in enumerate(records, 1):
                text = json.dumps(record, ensure_ascii=False, allow_nan=False)
                stage.file.write(
                    (between if n_written > 1 else b"") + text.encode(errors="replace")
                )
            stage.file.write((b"\n" if n_written else b"") + end)
        return n_written

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
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            self.add(where, "it is not in the form of this format")

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


# What a tool says, checked


def as_string(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TriageError("the text is missing")
    return whole_characters(value)


def only_answer(values: Sequence[object]) -> Answer | None:
    """Return the answer in a list, in either case; None if it is empty."""
    answers = set()
    for value in values:
        said = as_string(value).strip().upper()
        if said not in Answer.__members__:
            raise TriageError(f"{shown_cell(value)} is no answer: say TA, NTA or SKIP")
        answers.add(Answer(said))
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


def read_characters(path: Path, *, may_be_empty: bool = False) -> str:
    """Return the content of a text file."""
    with reading(str(path)):
        content = read_file(path)
    try:
        text = content.decode("utf-8" if may_be_empty else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TriageError(f"{path} is not UTF-8: export it again, and leave it as it is") from error
    if not (may_be_empty or text.strip()):
        raise TriageError(f"{path} is empty: export it again")
    return text


def read_json(path: Path) -> object:
    """Return the value in a JSON file; TriageError if it is not JSON."""
    try:
        return _parsed(read_characters(path))
    except (ValueError, RecursionError) as error:
        raise TriageError(f"{path}: it is not JSON; export it again, as JSON") from error


def read_json_lines(path: Path, errors: RowErrors) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(read_characters(path).split("\n"), 1):
        if line.strip():
            with errors.of(f"line {number}"):
                yield f"line {number}", dict(_parsed(line).items())


def _parsed(text: str) -> Any:  # noqa: ANN401
    # `int` refuses NaN and Infinity, which JSON has not.
    return json.loads(text, parse_constant=int)


# Marks, in the unit in which a tool counts


class Counting(Enum):
    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    GRAPHEMES = "grapheme clusters"


class Mark(NamedTuple):
    """An identifier as a tool marks it, perhaps with the text that it covers."""

    start: int
    end: int
    type: IdentifierType
    text: str | None = None


def read_mark(start: object, end: object, type_: object, text: object = None) -> Mark:
    kind = as_string(type_).strip().upper()
    if kind not in IdentifierType.__members__:
        known = ", ".join(IdentifierType)
        raise TriageError(f"{shown_cell(type_)} is no type of identifiers; they are: {known}")
    # Some programs turn 3 into 3.0.
    places = [int(n) if isinstance(n, float) and n.is_integer() else n for n in (start, end)]
    first, last = places
    if type(first) is not int or type(last) is not int:
        raise TriageError("an identifier starts or ends at what is no whole number")
    return Mark(first, last, IdentifierType(kind), text if isinstance(text, str) else None)


def read_marks(places: Iterable[Any]) -> list[Mark]:
    """Return the marks of lists of ``[start, end, type]``, or of objects of doccano."""
    keys = ("start_offset", "end_offset", "label")
    if not isinstance(places, list):
        raise TypeError(places)
    return [
        read_mark(*([one[key] for key in keys] if isinstance(one, dict) else one)) for one in places
    ]


def triples(row: Row, counting: Counting = Counting.CODE_POINTS) -> list[list[object]]:
    """Return the spans of a row as ``[start, end, type]`` in the unit of a tool."""
    offsets = {place: offset for offset, place in positions(row.text, counting).items()}
    return [[offsets[s.start], offsets[s.end], s.type.value] for s in row.spans]


def spans_of(marks: Iterable[Mark], text: str, counting: Counting = Counting.CODE_POINTS) -> Spans:
    """Return the spans of marks in a text; TriageError if they do not fit it."""
    places = positions(text, counting)
    distinct = {mark[:3] for mark in marks}
    for start, end, _ in distinct:
        if start not in places or end not in places:
            raise TriageError(
                f"the identifier from {start} to {end} does not fit the text, which has "
                f"{max(places)} characters as this tool counts"
            )
    spans = [Span(places[start], places[end], type_) for start, end, type_ in distinct]
    return check_spans(spans, len(text))


def positions(text: str, counting: Counting) -> dict[int, int]:
    """Return our position for each offset that a tool can give."""
    if counting is Counting.UTF16:
        offsets = accumulate((1 + (char > "\uffff") for char in text), initial=0)
        return {offset: position for position, offset in enumerate(offsets)}
    if counting is Counting.CODE_POINTS:
        return {position: position for position in range(len(text) + 1)}
    starts, flags = [0] if text else [], 0
    for position, (before, char) in enumerate(pairwise(text), 1):
        flags = flags + 1 if _FLAG.match(before) else 0
        if not (_is_one_cluster(before, char) or (flags % 2 and _FLAG.match(char))):
            starts.append(position)
    return dict(enumerate([*starts, len(text)]))


_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
# Joiners, skin tones, tags.
_JOINS = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def _is_one_cluster(before: str, char: str) -> bool:
    """Return whether two characters are of one cluster (simplified from UAX #29)."""
    if before in "\r\n" or char in "\r\n":
        return before + char == "\r\n"
    category = unicodedata.category(char)
    if before == "\u200d":
        return char >= "\U0001f000" or category == "So"
    return category in ("Mn", "Me", "Mc") or bool(_JOINS.match(char))


def trimmed(text: str, spans: Spans) -> Spans:
    """Return spans without surrounding white space, which is easily marked with a word."""
    found = []
    for span in spans:
        covered = text[span.start : span.end]
        start, end = span.end - len(covered.lstrip()), span.start + len(covered.rstrip())
        found.append(Span(start, end, span.type) if start < end else span)
    return tuple(found)


def solid(row: Row) -> Spans:
    """Return the spans of a row without white space around them, none of white space alone."""
    return tuple(s for s in trimmed(row.text, row.spans) if row.text[s.start : s.end].strip())
