"""A message on its way to another tool or back from one: its marks, counted as the tool counts."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from triage.data import Dialect, create_output

from .. import safe
from ..errors import writing
from ..vocabulary import Action, Prediction, Span, Spans, check_spans
from .records import Answer
from .words import refused

Json = dict[str, Any]

_BREAK = re.compile("\r\n?")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
# Joiners, skin tones, tags.
_JOINS = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
# The units that tools count in when they say where an identifier stands. Spreadsheets write line
# breaks in their own way: of plain breaks each is one character.
Counting = Enum("Counting", ["CODE_POINTS", "UTF16", "GRAPHEMES", "PLAIN_BREAKS"])


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
        digest = self.about.get("digest")
        return digest if isinstance(digest, str) else ""

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
            raise refused("marks_of_nta")
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


def spans_of(marks: Iterable[Span], text: str, counting: Counting = Counting.CODE_POINTS) -> Spans:
    """Return the spans of marks in a text; TriageError if they do not fit it."""
    places = {offset: position for position, offset in enumerate(offsets(text, counting))}
    distinct = {*marks}
    for start, end, _ in distinct:
        if start not in places or end not in places:
            raise refused("beyond_text", start=start, end=end, most=max(places))
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


def by_marks(spans: Spans) -> Answer:
    return Answer.TA if spans else Answer.NTA


def fitted(row: Row, text: str) -> Row:
    """Return a row with the text of its item, where the two differ in line breaks alone."""
    if row.text == text:
        return row
    if _BREAK.sub("\n", row.text) != _BREAK.sub("\n", text):
        raise refused("other_text", row=row.where)
    breaks = Counting.PLAIN_BREAKS
    return replace(row, text=text, spans=spans_of(row.counted(breaks), text, breaks))
