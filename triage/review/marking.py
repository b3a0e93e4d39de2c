"""Splitting a message into words that can be marked and the text between them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..queue import Item, ItemWord, Span, Spans
from .forms import Translator, spans_field

# The rest of a longer message is shown as plain text.
_MOST_WORDS = 3_000
_MOST_CHARACTERS = 40_000
# These are no words, and name nobody.
_PLAIN_KINDS = frozenset({"PUNCTUATION", "SMILEY", "EMOJI"})
_CLASSES = {"DICTIONARY": "known", "AMBIGUOUS": "ambiguous", "UNKNOWN": "unknown"}
_SPACE = re.compile(r"(\s+)")


@dataclass(frozen=True)
class WordButton:
    """A word that can be marked."""

    look: str
    why: str
    type: str


@dataclass(frozen=True)
class Cut:
    """A part of a piece that is marked in part."""

    text: str
    mark: str = ""
    joined: bool = False


@dataclass(frozen=True)
class Piece:
    """A word, or text between words."""

    start: int
    cuts: tuple[Cut, ...]
    word: WordButton | None = None

    @property
    def text(self) -> str:
        """The text between its bounds."""
        return "".join(cut.text for cut in self.cuts)

    @property
    def end(self) -> int:
        """The offset of its end in the text."""
        return self.start + len(self.text)

    @property
    def whole(self) -> Cut | None:
        """The piece as one cut; None where marks divide it."""
        return self.cuts[0] if len(self.cuts) == 1 else None

    @property
    def is_marked(self) -> bool:
        """Whether there is a mark on any part of it."""
        return any(cut.mark for cut in self.cuts)

    @property
    def is_space(self) -> bool:
        """Whether it is white space alone."""
        return self.text.isspace()


# Pieces without a space between them, which stay on one line.
Run = tuple[Piece, ...]


@dataclass(frozen=True)
class Text:
    """A message ready for marking."""

    runs: tuple[Run, ...]
    rest: str
    spans: str
    marked: int


def text_of(item: Item, marks: Spans, t: Translator) -> Text:
    """Return an item's text as pieces; joined, they are the text."""
    words = _shown_words(item, marks)
    cut = len(item.text)
    if len(words) > _MOST_WORDS or cut > _MOST_CHARACTERS:
        words = [word for word in words[:_MOST_WORDS] if word.end <= _MOST_CHARACTERS]
        cut = words[-1].end if words else min(cut, _MOST_CHARACTERS)
    pieces = _pieces(item.text[:cut], words, marks, t)
    return Text(tuple(_runs(pieces)), item.text[cut:], spans_field(marks), len(marks))


def highlighted(text: str, marks: Spans) -> Piece:
    """Return a text as one piece, with its marks."""
    return Piece(0, _cuts(text, 0, len(text), marks))


def _shown_words(item: Item, marks: Spans) -> list[ItemWord]:
    return [
        word
        for word in item.words
        if word.kind not in _PLAIN_KINDS or word.suggested or _mark_of(word, marks)
    ]


def _mark_of(word: ItemWord, marks: Spans) -> Span | None:
    """Return the mark on a word; marks are in order and do not overlap."""
    before = bisect_left(marks, word.end, key=lambda mark: mark.start)
    last = marks[before - 1] if before else None
    return last if last and last.end > word.start else None


def _pieces(text: str, words: Sequence[ItemWord], marks: Spans, t: Translator) -> Iterator[Piece]:
    end = 0
    for word in words:
        yield from _between(text, end, word.start, marks)
        button = WordButton(_CLASSES.get(word.label, ""), why(word, t), word.type.value)
        yield Piece(word.start, _cuts(text, word.start, word.end, marks), button)
        end = word.end
    yield from _between(text, end, len(text), marks)


def _between(text: str, start: int, end: int, marks: Spans) -> Iterator[Piece]:
    """Yield the text between words, white space apart."""
    for part in filter(None, _SPACE.split(text[start:end])):
        cuts = (Cut(part),) if part.isspace() else _cuts(text, start, start + len(part), marks)
        yield Piece(start, cuts)
        start += len(part)


def _cuts(text: str, start: int, end: int, marks: Spans) -> tuple[Cut, ...]:
    """Return a stretch of a text, divided where a mark begins or ends in it."""
    found, at = [], start
    for mark in marks[bisect_right(marks, start, key=lambda mark: mark.end) :]:
        if mark.start >= end:
            break
        if at < mark.start:
            found.append(Cut(text[at : mark.start]))
        at = min(mark.end, end)
        marked = text[max(mark.start, start) : at]
        found.append(Cut(marked, mark.type.value, mark.end > end))
    return (*found, Cut(text[at:end])) if at < end or not found else tuple(found)


def _runs(pieces: Iterator[Piece]) -> Iterator[Run]:
    run: list[Piece] = []
    for piece in pieces:
        if not piece.is_space:
            run.append(piece)
            continue
        yield from [tuple(run)] if run else []
        yield (piece,)
        run = []
    if run:
        yield tuple(run)


def why(word: ItemWord, t: Translator) -> str:
    """Return how each vote saw a word: label, lists, rule, evidence."""
    parts = [t.known(f"label.{word.label}", word.label)]
    lists, _, rule = word.reason.partition("; ")
    if word.kind != "WORD":
        parts.append(t.known(f"form.{lists}", lists))
    elif lists:
        parts.append(", ".join(t.known(f"list.{name}", name) for name in lists.split(", ")))
    if rule:
        name, _, read_as = rule.partition(": ")
        parts.append(t("word.rule", rule=t.known(f"rule.{name}", name), read_as=read_as))
    if word.evidence is not None:
        parts.append(t("word.evidence", n=t.decimal(word.evidence)))
    return " · ".join(parts)
