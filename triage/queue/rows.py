"""A message on its way to another tool or back from one: its marks, counted as the tool counts."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from triage.data import Dialect, create_output
from triage.data.columns import shown_cell
from triage.data.errors import whole_characters

from .. import safe
from ..errors import TriageError, reading, writing
from ..vocabulary import Action, IdentifierType, Prediction, Span, Spans, check_spans
from .records import Answer

Json = dict[str, Any]

_BREAK = re.compile("\r\n?")


class Counting(Enum):
    """The unit that a tool counts when it says where an identifier stands."""

    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    GRAPHEMES = "grapheme clusters"
    # Spreadsheets write line breaks in their own way: each is one character.
    PLAIN_BREAKS = "code points and line breaks"


@dataclass(frozen=True)
class Row:
    """A message with its identifiers and its answer; tools keep `about` and give it back."""

    id: str
    text: str
    spans: Spans = ()
    answer: Answer | None = None
    about: Json = field(default_factory=dict)
    annotator: str = ""
    where: str = ""
    suggested: Spans = ()
    # What the machine says.
    action: Action | None = None

    @property
    def digest(self) -> str:
        """The digest of the text as it went out; empty where a tool has dropped it."""
        return as_string(self.about.get("digest"))

    @property
    def decision(self) -> Prediction | None:
        """TA or NTA, as the annotator or else the machine says; None where neither does."""
        decided = self.answer or self.action
        return Prediction(decided) if decided and decided in Prediction.__members__ else None

    @property
    def solid(self) -> Spans:
        """The spans without white space around them, none of white space alone."""
        spans = trimmed(self.text, self.spans)
        return tuple(s for s in spans if self.text[s.start : s.end].strip())

    def counted(self, counting: Counting = Counting.CODE_POINTS) -> list[Span]:
        offset = offsets(self.text, counting)
        return [Span(offset[span.start], offset[span.end], span.type) for span in self.spans]

    def checked(self, exported: Spans | None = None) -> "Row":
        """Return the row with spans that go with its answer: none unless it is TA."""
        if self.answer is Answer.NTA and exported is not None and not {*self.spans} <= {*exported}:
            raise TriageError(
                "the answer is NTA, and yet identifiers were marked: make it TA, or take the marks "
                "away"
            )
        return self if self.answer is Answer.TA else replace(self, spans=())


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
        with create_output(
            self.path,
            columns,
            like=like,
            mode_from=self.like,
            private=self.like is None,
            guard_formulas=guard_formulas,
            overwrite=self.overwrite,
        ) as output:
            output.write(rows)
            output.commit()
            return output.rows_written

    def text(self, pieces: Iterable[str], before: str = "", after: str = "") -> int:
        with self.stage() as stage:
            stage.file.write(before.encode())
            written = [stage.file.write(piece.encode(errors="replace")) for piece in pieces]
            stage.file.write(after.encode())
        return len(written)

    @contextmanager
    def stage(self, kind: safe.FolderKind | None = None) -> Iterator[safe.Staged]:
        """Give a file, or a folder of a kind, to write, which appears at the end."""
        # A folder of what comes from standard input is its owner's as well.
        is_private = self.like is None or (kind is not None and self.like == safe.STANDARD_STREAM)
        with safe.Staged(
            self.path, like=self.like, private=is_private, overwrite=self.overwrite, kind=kind
        ) as stage:
            with writing(stage.name):
                yield stage
            stage.commit()


# Gives a context that notes the fault of a row by its place, and lets reading go on behind it.
FaultsAt = Callable[[str], AbstractContextManager[None]]
# What a row raises that is not in the form of its format.
OTHER_FORM = (AttributeError, KeyError, RecursionError, TypeError, ValueError)


def read_mark(start: object, end: object, type_: object) -> Span:
    """Return the mark of a tool, in its own unit; it need not fit a text."""
    kind = as_string(type_).strip().upper()
    if kind not in IdentifierType.__members__:
        types = ", ".join(IdentifierType)
        raise TriageError(f"{shown_cell(type_)} is no type of identifiers; they are: {types}")
    # Some programs turn 3 into 3.0.
    first, last = (int(n) if isinstance(n, float) and n.is_integer() else n for n in (start, end))
    if type(first) is not int or type(last) is not int:
        raise TriageError("an identifier starts or ends at what is no whole number")
    return Span(first, last, IdentifierType(kind))


def read_marks(places: object) -> list[Span]:
    """Return the marks of lists of ``[start, end, type]``, or of objects of doccano."""
    keys = ("start_offset", "end_offset", "label")
    if not isinstance(places, list):
        raise TypeError(places)
    triples = ([one[key] for key in keys] if isinstance(one, dict) else one for one in places)
    return [read_mark(*one) for one in triples]


def spans_of(marks: Iterable[Span], text: str, counting: Counting = Counting.CODE_POINTS) -> Spans:
    """Return the spans of marks in a text; TriageError if they do not fit it."""
    places = {offset: position for position, offset in enumerate(offsets(text, counting))}
    distinct = {*marks}
    for start, end, _ in distinct:
        if start not in places or end not in places:
            raise TriageError(
                f"the identifier from {start} to {end} does not fit the text, which has "
                f"{max(places)} characters as this tool counts"
            )
    spans = [Span(places[start], places[end], type_) for start, end, type_ in distinct]
    return check_spans(spans, len(text))


def offsets(text: str, counting: Counting) -> list[int]:
    """Return the offset that a tool gives to each of our positions."""
    sizes: Iterable[int]
    if counting is Counting.UTF16:
        sizes = (1 + (char > "\uffff") for char in text)
    elif counting is Counting.PLAIN_BREAKS:
        sizes = (text[at - 1 : at + 1] != "\r\n" for at in range(len(text)))
    else:
        sizes = [1] * len(text) if counting is Counting.CODE_POINTS else cluster_starts(text)
    return [*accumulate(sizes, initial=0)]


_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
# Joiners, skin tones, tags.
_JOINS = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def cluster_starts(text: str) -> Iterator[bool]:
    """Yield whether each character begins a cluster (simplified from UAX #29)."""
    flags = 0
    for before, char in pairwise(f"\n{text}"):
        flags = flags + 1 if _FLAG.match(before) else 0
        if before in "\r\n" or char in "\r\n":
            yield before + char != "\r\n"
        elif before == "\u200d" and (char >= "\U0001f000" or unicodedata.category(char) == "So"):
            yield False
        else:
            joins = unicodedata.category(char) in ("Mn", "Me", "Mc") or _JOINS.match(char)
            is_joined = joins and before != "\u200d"
            yield not (is_joined or (flags % 2 and _FLAG.match(char)))


def trimmed(text: str, spans: Spans) -> Spans:
    """Return spans without surrounding white space, which is easily marked with a word."""
    spans_within = []
    for span in spans:
        covered = text[span.start : span.end]
        start, end = span.end - len(covered.lstrip()), span.start + len(covered.rstrip())
        spans_within.append(Span(start, end, span.type) if start < end else span)
    return tuple(spans_within)


def as_string(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TriageError("the text is missing")
    return whole_characters(value)


def only_answer(values: Iterable[object]) -> Answer | None:
    """Return the answer in a list, in either case; None if it is empty."""
    answers = set()
    for value in values:
        answer = as_string(value).strip().upper()
        if answer not in Answer.__members__:
            raise TriageError(f"{shown_cell(value)} is no answer: say TA, NTA or SKIP")
        answers.add(Answer(answer))
    if len(answers) > 1:
        raise TriageError("it has several answers: leave one")
    return next(iter(answers), None)


def by_marks(spans: Spans) -> Answer:
    return Answer.TA if spans else Answer.NTA


def read_characters(path: Path, *, may_be_empty: bool = False) -> str:
    with reading(str(path)):
        content = safe.read_file(path)
    try:
        text = content.decode("utf-8" if may_be_empty else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TriageError(f"{path} is not UTF-8: export it again, and leave it as it is") from error
    if not (may_be_empty or text.strip()):
        raise TriageError(f"{path} is empty: export it again")
    return text


def lines_of(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_characters(path).split("\n"), 1):
        if line.strip():
            yield f"line {number}", line


# `int` refuses NaN and Infinity, which JSON has not.
parsed = partial(json.loads, parse_constant=int)
as_json = partial(json.dumps, ensure_ascii=False, allow_nan=False)


def fitted(row: Row, text: str) -> Row:
    """Return a row with the text of its item, where the two differ in line breaks alone."""
    if row.text == text:
        return row
    if _BREAK.sub("\n", row.text) != _BREAK.sub("\n", text):
        raise TriageError(
            f"{row.where}: the text is not that of the item any more; "
            "export again, and leave the column of texts as it is"
        )
    breaks = Counting.PLAIN_BREAKS
    return replace(row, text=text, spans=spans_of(row.counted(breaks), text, breaks))
