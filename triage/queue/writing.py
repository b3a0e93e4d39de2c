"""Recording decisions on items and on words.

Functions that write expect a connection within a `transaction`, which is on the disk once it ends.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from triage.data.values import is_formula
from triage.dictionaries.normal import folded

from ..errors import TriageError
from ..vocabulary import SUSPECT_FROM, IdentifierType, Span, Spans, check_spans, parse_spans
from . import reading
from .listing import numbers
from .records import Answer, Decision, Filters, WordEffect, WordRule
from .settle import settle, update_standing
from .spans import joined, packed
from .status import decision, last_decision

_LONGEST_NAME = 60


class DecisionKind(StrEnum):
    """The kind of a decision."""

    MESSAGE = "message"
    WORD = "word"
    UNDO = "undo"
    IMPORT = "import"
    ADJUDICATION = "adjudication"


class NoSuchItemError(TriageError):
    """The queue has no item of this number."""

    def __init__(self, item: int) -> None:
        super().__init__(f"there is no item {item} in this queue")


class StaleAnswerError(TriageError):
    """The annotator has decided something else since they saw what they answer."""


class ItemAnswer(NamedTuple):
    """The content of a decision on one item."""

    item: int
    answer: Answer
    spans: Spans


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make all changes within it appear together, or none of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def annotator_name(name: str) -> str:
    """Return an annotator's name as it is stored."""
    kept = name.strip()
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable() or is_formula(kept):
        raise TriageError(
            f"an annotator's name has 1 to {_LONGEST_NAME} printable characters and does not begin "
            "with =, +, - or @: give another with --annotator",
            "annotator_name",
        )
    return kept


def check_item(connection: sqlite3.Connection, item: int) -> str:
    """Return the text of an item; NoSuchItemError if there is no such item."""
    found = connection.execute("SELECT text FROM texts WHERE item = ?", (item,)).fetchone()
    if not found:
        raise NoSuchItemError(item)
    return str(found[0])


def checked_answer(connection: sqlite3.Connection, said: ItemAnswer) -> ItemAnswer:
    """Validate an answer to an item; return it with its spans in order."""
    number, answer, spans = said
    text = check_item(connection, number)
    if spans and answer is not Answer.TA:
        raise TriageError(f"item {number}: only a message that is TA has identifiers to mark")
    for span in spans:
        if not isinstance(span.type, IdentifierType):
            raise TriageError(
                f"item {number}: the type of an identifier must be an IdentifierType, such as "
                f"IdentifierType.PRE, and not {span.type!r}"
            )
    return ItemAnswer(number, answer, check_spans(spans, len(text)))


def decide(
    connection: sqlite3.Connection,
    annotator: str,
    said: ItemAnswer,
    seen: int | None,
    kind: DecisionKind = DecisionKind.MESSAGE,
) -> int | None:
    """Record an answer to an item; return the decision, None if the answer is current already."""
    name, said = annotator_name(annotator), checked_answer(connection, said)
    if seen is not None and _is_current(connection, name, kind, said, seen):
        return None
    return record(connection, name, kind, [said], answer=said.answer)


def adjudicate(
    connection: sqlite3.Connection, annotator: str, said: ItemAnswer, seen: int | None, *, own: bool
) -> int | None:
    """Record a ruling on an item; `own` allows annotators to rule on what they have answered."""
    name, said = annotator_name(annotator), checked_answer(connection, said)
    found = None if own else reading.item(connection, said.item)
    if found and found.answered_by(name):
        raise TriageError(
            f"item {said.item}: {name} has answered it, and somebody else adjudicates; to do "
            "so all the same, say --adjudicate-own"
        )
    return decide(connection, name, said, seen, DecisionKind.ADJUDICATION)


def decide_all(
    connection: sqlite3.Connection,
    annotator: str,
    items: Sequence[int],
    answer: Answer,
    last: int | None,
) -> int:
    """Record one answer to several items; the suggested words are the identifiers of a TA."""
    _check_last(connection, annotator, last)
    said = []
    for number in dict.fromkeys(items):
        found = reading.item(connection, number)
        if not found:
            raise NoSuchItemError(number)
        said.append(
            ItemAnswer(number, answer, found.suggested_spans if answer is Answer.TA else ())
        )
    name = annotator_name(annotator)
    return record(connection, name, DecisionKind.MESSAGE, said, answer=answer)


def decide_word(
    connection: sqlite3.Connection,
    annotator: str,
    word: str,
    rule: WordRule,
    type_: IdentifierType,
    last: int | None,
) -> int:
    """Record that a word is always, or never, a name, and the answers that follow."""
    _check_last(connection, annotator, last)
    return record(
        connection,
        annotator_name(annotator),
        DecisionKind.WORD,
        list(_answers_by_word(connection, annotator, word, rule, type_)),
        word=word,
        rule=rule.value,
        type_=type_.value if rule is WordRule.ALWAYS else "",
    )


def _is_current(
    connection: sqlite3.Connection, annotator: str, kind: DecisionKind, said: ItemAnswer, seen: int
) -> bool:
    """Tell whether an answer is current already, so that it is not recorded twice."""
    # A ruling counts only while it is the last one.
    current, answer, spans = connection.execute(
        "SELECT decision, iif(adjudicates, final, answer), spans FROM standing "
        "JOIN items USING (item) WHERE item = ? AND annotator = ? AND adjudicates = ?",
        (said.item, annotator, kind is DecisionKind.ADJUDICATION),
    ).fetchone() or (0, None, "[]")
    if (answer, parse_spans(spans)) == (said.answer, said.spans):
        # A skipped message that comes again may be skipped again.
        return not (said.answer is Answer.SKIP and current == seen)
    if current != seen:
        raise StaleAnswerError(f"item {said.item}: {annotator} has answered it since")
    return False


def _check_last(connection: sqlite3.Connection, annotator: str, last: int | None) -> None:
    """Raise StaleAnswerError if an annotator's last decision is not `last`, unless that is None."""
    if last is not None and last_decision(connection, annotator) != last:
        raise StaleAnswerError(f"{annotator} has decided something since")


def record(
    connection: sqlite3.Connection,
    annotator: str,
    kind: DecisionKind,
    said: Sequence[ItemAnswer],
    *,
    answer: Answer | None = None,
    word: str = "",
    rule: str = "",
    type_: str = "",
) -> int:
    """Append a decision and its content; return its number."""
    made = connection.execute(
        "INSERT INTO decisions (at, annotator, kind, answer, word, rule, type) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (_now(), annotator, kind.value, answer and answer.value, word, rule, type_),
    )
    number = int(made.lastrowid or 0)
    rows = [(number, s.item, s.answer.value, packed(s.spans)) for s in said]
    connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
    adjudicates = int(kind is DecisionKind.ADJUDICATION)
    connection.executemany(
        "INSERT OR REPLACE INTO standing (decision, item, answer, spans, annotator, adjudicates) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ((*row, annotator, adjudicates) for row in rows),
    )
    settle(connection, (s.item for s in said))
    connection.executemany(
        "DELETE FROM reserved WHERE item = ? AND annotator = ?",
        ((s.item, annotator) for s in said),
    )
    return number


def undo(connection: sqlite3.Connection, annotator: str, last: int | None) -> Decision | None:
    """Undo an annotator's last decision that is in force; return it, None if there is none."""
    _check_last(connection, annotator, last)
    annotator = annotator_name(annotator)
    found = connection.execute(
        "SELECT decision FROM decisions d WHERE annotator = ? AND kind <> 'undo' "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision) "
        "ORDER BY decision DESC LIMIT 1",
        (annotator,),
    ).fetchone()
    if not found:
        return None
    connection.execute(
        "INSERT INTO decisions (at, annotator, kind, undoes) VALUES (?, ?, 'undo', ?)",
        (_now(), annotator, found[0]),
    )
    done = decision(connection, found[0])
    update_standing(connection, done.items, annotator)
    return done


def reserve(connection: sqlite3.Connection, annotator: str, item: int, until: float) -> None:
    """Reserve an item for an annotator for a while, and no other item."""
    connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))
    connection.execute("INSERT INTO reserved VALUES (?, ?, ?)", (item, annotator, until))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def effect_of_word(
    connection: sqlite3.Connection, annotator: str, word: str, rule: WordRule
) -> WordEffect:
    """Return the effect that deciding a word would have on an annotator's open items."""
    held = _open_with(connection, annotator, word)
    n_settled = sum(rule is WordRule.ALWAYS or not _has_others(words) for words in held.values())
    (n_messages,) = connection.execute(
        "SELECT total(n_messages) FROM items WHERE item IN (SELECT value FROM json_each(?))",
        (json.dumps([*held]),),
    ).fetchone()
    return WordEffect(len(held), int(n_messages), n_settled)


def _answers_by_word(
    connection: sqlite3.Connection,
    annotator: str,
    word: str,
    rule: WordRule,
    type_: IdentifierType,
) -> Iterator[ItemAnswer]:
    """Yield the answers to an annotator's open items that follow from deciding a word."""
    for number, words in _open_with(connection, annotator, word).items():
        if rule is WordRule.ALWAYS:
            marked = (Span(w.start, w.end, type_) for w in words if w.is_it)
            others = (Span(w.start, w.end, w.type) for w in words if w.is_suggested and not w.is_it)
            yield ItemAnswer(number, Answer.TA, joined(marked, others))
        elif not _has_others(words):
            yield ItemAnswer(number, Answer.NTA, ())


class _Word(NamedTuple):
    """A word of an open item: the decided one, or one that may be a name."""

    start: int
    end: int
    type: IdentifierType
    is_it: bool
    is_suggested: bool


def _open_with(connection: sqlite3.Connection, annotator: str, word: str) -> dict[int, list[_Word]]:
    """Return the open items that contain a word, with the words that matter in each."""
    if len(word.split()) != 1:
        raise TriageError("a rule is of one word: mark several words message by message")
    held = numbers(connection, annotator, Filters(word=word))
    found: dict[int, list[_Word]] = {number: [] for number in held}
    rules, decided = reading.word_rules(connection), folded(word)
    for number, start, end, kind, by_machine, form, may_name in connection.execute(
        _WORDS_THAT_MATTER,
        {
            "held": json.dumps(held),
            "rules": json.dumps([decided, *rules]),
            "suspect_from": SUSPECT_FROM,
        },
    ):
        rule = rules.get(form)
        is_suggested, type_ = reading.suggested(rule, kind, by_machine)
        is_cleared = rule is not None and rule[0] is WordRule.NEVER
        if form == decided or is_suggested or (may_name and not is_cleared):
            found[number].append(_Word(start, end, type_, form == decided, is_suggested))
    return found


# CROSS JOIN makes SQLite read the words item by item, and not every word of the corpus.
_WORDS_THAT_MATTER = """
SELECT w.item, w.start, w.end, f.type, w.suggested, f.folded,
    f.label = 'DICTIONARY' OR coalesce(w.evidence, 0) >= :suspect_from AS may_name
FROM json_each(:held) held CROSS JOIN words w ON w.item = held.value
    CROSS JOIN forms f ON f.form = w.form
WHERE may_name OR w.suggested OR f.folded IN (SELECT value FROM json_each(:rules))
ORDER BY w.item, w.start
"""


def _has_others(words: list[_Word]) -> bool:
    """Tell whether a word other than the decided one may be a name."""
    return any(not word.is_it for word in words)
