"""Deciding a word: always or never a name, in all open items that hold it."""

import sqlite3
from collections.abc import Iterator

from ..errors import TriageError
from ..identifiers import IdentifierType
from .reading import folded, item, numbers
from .records import Answer, Filters, Item, ItemWord, Span, WordEffect, WordRule
from .spans import joined
from .writing import Said

# A message is not released for one word's sake while another one may well name somebody.
_SUSPECT_FROM = 0.05


def effect(connection: sqlite3.Connection, annotator: str, word: str, rule: WordRule) -> WordEffect:
    """Return what a decision of a word would do.

    Parameters
    ----------
    connection : sqlite3.Connection
    annotator : str
        Whose open items are meant.
    word : str
    rule : WordRule

    Raises
    ------
    TriageError
        If it is not one word.
    """
    held = _open_with(connection, annotator, word)
    n_messages = n_settled = 0
    for found in held:
        n_messages += found.n_messages
        n_settled += rule is WordRule.ALWAYS or not _others(found, word)
    return WordEffect(len(held), n_messages, n_settled)


def said_by(
    connection: sqlite3.Connection,
    annotator: str,
    word: str,
    rule: WordRule,
    type_: IdentifierType,
) -> Iterator[Said]:
    """Yield what a decision of a word says of the open items that hold it.

    A word that is always a name makes each TA, with the word and what else is suggested marked.
    One that never is makes those NTA in which nothing else may name somebody; the others stay open.

    Raises
    ------
    TriageError
        If it is not one word.
    """
    for found in _open_with(connection, annotator, word):
        if rule is WordRule.ALWAYS:
            marked = (Span(w.start, w.end, type_) for w in _occurrences(found, word))
            others = (
                Span(w.start, w.end, w.type)
                for w in found.words
                if w.suggested and folded(w.text) != folded(word)
            )
            yield Said(found.number, Answer.TA, joined(marked, others))
        elif not _others(found, word):
            yield Said(found.number, Answer.NTA, ())


def _open_with(connection: sqlite3.Connection, annotator: str, word: str) -> list[Item]:
    if len(word.split()) != 1:
        raise TriageError("a rule is of one word: mark several words message by message")
    held = numbers(connection, annotator, Filters(word=word))
    return [found for number in held if (found := item(connection, number))]


def _occurrences(found: Item, word: str) -> Iterator[ItemWord]:
    return (w for w in found.words if folded(w.text) == folded(word))


def _others(found: Item, word: str) -> bool:
    """Tell whether a word other than this one may name somebody."""
    return any(
        w.suggested or w.label == "DICTIONARY" or (w.evidence or 0.0) >= _SUSPECT_FROM
        for w in found.words
        if folded(w.text) != folded(word)
    )
