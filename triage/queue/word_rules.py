"""Deciding a word: always or never a name, in all open items that hold it."""

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from triage.dictionaries.normal import folded

from ..errors import TriageError
from ..vocabulary import IdentifierType, Span
from .listing import numbers
from .reading import suggested, word_rules
from .records import Answer, Filters, WordEffect, WordRule
from .spans import joined
from .writing import Said

# A message is not released for one word's sake while another one may well name somebody.
_SUSPECT_FROM = 0.05


def effect(connection: sqlite3.Connection, annotator: str, word: str, rule: WordRule) -> WordEffect:
    """Return what a decision of a word would do.

    Parameters
    ----------
    annotator : str
        Whose open items are meant.

    Raises
    ------
    TriageError
        If it is not one word.
    """
    held = _open_with(connection, annotator, word)
    n_settled = sum(rule is WordRule.ALWAYS or not _others(words) for words in held.values())
    (n_messages,) = connection.execute(
        "SELECT total(n_messages) FROM items WHERE item IN (SELECT value FROM json_each(?))",
        (json.dumps([*held]),),
    ).fetchone()
    return WordEffect(len(held), int(n_messages), n_settled)


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
    for number, words in _open_with(connection, annotator, word).items():
        if rule is WordRule.ALWAYS:
            marked = (Span(w.start, w.end, type_) for w in words if w.is_it)
            others = (Span(w.start, w.end, w.type) for w in words if w.is_suggested and not w.is_it)
            yield Said(number, Answer.TA, joined(marked, others))
        elif not _others(words):
            yield Said(number, Answer.NTA, ())


class _Word(NamedTuple):
    """A word of an open item: the one that is decided, or one that may name somebody."""

    start: int
    end: int
    type: IdentifierType
    is_it: bool
    is_suggested: bool


def _open_with(connection: sqlite3.Connection, annotator: str, word: str) -> dict[int, list[_Word]]:
    """Return the open items that hold a word, with the words that count in each."""
    if len(word.split()) != 1:
        raise TriageError("a rule is of one word: mark several words message by message")
    held = numbers(connection, annotator, Filters(word=word))
    found: dict[int, list[_Word]] = {number: [] for number in held}
    rules, decided = word_rules(connection), folded(word)
    for number, start, end, kind, by_machine, form, may_name in connection.execute(
        _COUNTING,
        {
            "held": json.dumps(held),
            "counting": json.dumps([decided, *rules]),
            "suspect_from": _SUSPECT_FROM,
        },
    ):
        rule = rules.get(form)
        is_suggested, type_ = suggested(rule, kind, by_machine)
        is_cleared = rule is not None and rule[0] is WordRule.NEVER
        if form == decided or is_suggested or (may_name and not is_cleared):
            found[number].append(_Word(start, end, type_, form == decided, is_suggested))
    return found


# Item by item, along the words of each: the other way round every word of the corpus is met.
_COUNTING = """
SELECT w.item, w.start, w.end, f.type, w.suggested, f.folded,
    f.label = 'DICTIONARY' OR coalesce(w.evidence, 0) >= :suspect_from AS may_name
FROM json_each(:held) held CROSS JOIN words w ON w.item = held.value
    CROSS JOIN forms f ON f.form = w.form
WHERE may_name OR w.suggested OR f.folded IN (SELECT value FROM json_each(:counting))
ORDER BY w.item, w.start
"""


def _others(words: list[_Word]) -> bool:
    """Tell whether a word other than the one that is decided may name somebody."""
    return any(not word.is_it for word in words)
