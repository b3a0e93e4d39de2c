"""Splitting a message into words that can be marked and the text between them."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..queue import Item, ItemWord, Span, Spans
from .forms import spans_field
from .languages import Translator

# The rest of a longer message is shown as plain text.
_MOST_WORDS = 3_000
_MOST_CHARACTERS = 40_000
# These are no words, and name nobody.
_PLAIN_KINDS = frozenset({"PUNCTUATION", "SMILEY", "EMOJI"})
_CLASSES = {"DICTIONARY": "known", "AMBIGUOUS": "ambiguous", "UNKNOWN": "unknown"}
_SPACE = re.compile(r"(\s+)")


@dataclass(frozen=True)
class WordButton:
    """A word that can be marked.

    Parameters
    ----------
    look : str
        The CSS class of its label; empty for common words.
    why : str
        How each vote saw it.
    type : str
        Its type if it is an identifier.
    mark : str
        The type of its mark; empty if it has none.
    joined : bool
        Whether its mark continues on the next word.
    """

    start: int
    end: int
    look: str
    why: str
    type: str
    mark: str
    joined: bool


@dataclass(frozen=True)
class Piece:
    """A word, or text between words."""

    text: str
    word: WordButton | None = None


# Pieces without a space between them, which stay on one line.
Run = tuple[Piece, ...]


@dataclass(frozen=True)
class Text:
    """A message ready for marking.

    Parameters
    ----------
    rest : str
        The end of a very long message.
    spans, marked : str, int
        The initial marks, as a form field, and their number.
    """

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
    by_word = [_mark_of(word, marks) for word in words]
    for word, mark, following in zip(words, by_word, [*by_word, None][1:], strict=True):
        yield Piece(text[end : word.start])
        button = WordButton(
            word.start,
            word.end,
            _CLASSES.get(word.label, ""),
            why(word, t),
            word.type.value,
            mark.type.value if mark else "",
            mark is not None and mark == following,
        )
        yield Piece(word.text, button)
        end = word.end
    yield Piece(text[end:])


def _runs(pieces: Iterator[Piece]) -> Iterator[Run]:
    run: list[Piece] = []
    for piece in pieces:
        if piece.word:
            run.append(piece)
            continue
        for part in _SPACE.split(piece.text):
            if part and not part.isspace():
                run.append(Piece(part))
            elif part:
                yield from [tuple(run)] if run else []
                yield (Piece(part),)
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
