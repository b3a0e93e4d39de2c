"""Reading items of a queue: words, messages, current answers, and the rules for words."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from triage.dictionaries.normal import folded, normal

from ..vocabulary import Action, IdentifierType, Prediction, Spans, Verdict, parse_spans
from .records import (
    Answer,
    Item,
    ItemWord,
    Message,
    Standing,
    Votes,
    WordRule,
    suggested_spans,
)

# An item may have thousands of messages.
_MESSAGES_SHOWN = 20


def votes_of(seek_hide: str, model: str, score: float, action: str) -> Votes:
    """Return votes from their columns."""
    return Votes(Verdict(seek_hide), Prediction(model), score, Action(action))


def item(connection: sqlite3.Connection, number: int) -> Item | None:
    """Return an item with all that a page shows; None if it does not exist."""
    found = connection.execute(
        "SELECT text, n_messages, seek_hide, model, score, action, wanted, final, "  # noqa: S608
        f"{VOTED_TA} FROM items i JOIN texts USING (item) WHERE item = ?",
        (number,),
    ).fetchone()
    if not found:
        return None
    text, n_messages, *votes, wanted, final, voted_ta = found
    return Item(
        number,
        text,
        tuple(words_of(connection, number, text, word_rules(connection), voted_ta)),
        tuple(_messages_of(connection, number, text)),
        n_messages,
        votes_of(*votes),
        bool(voted_ta),
        tuple(_standing(connection, number)),
        wanted,
        Answer(final) if final else None,
    )


# An item's own votes are those of its most doubtful message; other messages may differ.
VOTED_TA = (
    "EXISTS (SELECT 1 FROM messages m WHERE m.item = i.item "
    "AND (m.seek_hide = 'TA' OR m.model = 'TA'))"
)
Rules = dict[str, tuple[WordRule, str]]


def words_of(
    connection: sqlite3.Connection, number: int, text: str, rules: Rules, voted_ta: int
) -> list[ItemWord]:
    """Return the words of an item."""
    words = list(_words_alone(connection, number, text, rules))
    if voted_ta and not any(word.suggested for word in words):
        may_be = [
            at
            for at, word in enumerate(words)
            if word.evidence and rules.get(folded(word.text), _NO_RULE)[0] is not WordRule.NEVER
        ]
        if may_be:
            strongest = max(may_be, key=lambda at: words[at].evidence or 0.0)
            words[strongest] = replace(words[strongest], suggested=True)
    return words


_NO_RULE = (None, "")


def _words_alone(
    connection: sqlite3.Connection, number: int, text: str, rules: Rules
) -> Iterator[ItemWord]:
    for start, end, kind, label, reason, evidence, type_, by_machine, form in connection.execute(
        "SELECT start, end, kind, label, reason, evidence, type, suggested, folded "
        "FROM words JOIN forms USING (form) WHERE item = ? ORDER BY start",
        (number,),
    ):
        is_suggested, likely = suggested(rules.get(form), type_, by_machine)
        written = text[start:end]
        yield ItemWord(start, end, written, kind, label, reason, evidence, likely, is_suggested)


def suggestions(connection: sqlite3.Connection) -> Callable[[int], Spans]:
    """Return a function that gives the suggested spans of an item, whatever its votes."""
    rules = word_rules(connection)
    return lambda number: suggested_spans(_words_alone(connection, number, "", rules))


def suggested(
    rule: tuple[WordRule, str] | None, kind: str, by_machine: int
) -> tuple[bool, IdentifierType]:
    """Return whether a word is suggested, and as which type; a rule outweighs the machine."""
    if rule is None:
        return bool(by_machine), IdentifierType(kind)
    return rule[0] is WordRule.ALWAYS, IdentifierType(rule[1] or kind)


def word_rules(connection: sqlite3.Connection) -> Rules:
    """Return the annotators' rules: rule and type by folded word."""
    return {form: (rule, type_) for form, (_, rule, type_) in _rules_as_written(connection).items()}


def word_lists(connection: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Return the words that are always, and those that are never, a name; both sorted."""
    always, never = (
        sorted(w for w, said, _ in _rules_as_written(connection).values() if said is rule)
        for rule in (WordRule.ALWAYS, WordRule.NEVER)
    )
    return always, never


def _rules_as_written(connection: sqlite3.Connection) -> dict[str, tuple[str, WordRule, str]]:
    rows = connection.execute(
        "SELECT word, rule, type FROM decisions d WHERE kind = 'word' "
        "AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision) ORDER BY decision"
    )
    return {folded(word): (word, WordRule(rule), type_) for word, rule, type_ in rows}


def spellings(connection: sqlite3.Connection, words: Collection[str]) -> list[str]:
    """Return words in all spellings of the corpus, normalised as in lists."""
    found = {normal(word) for word in words}
    for word in words:
        found.update(
            normal(text)
            for (text,) in connection.execute(
                "SELECT text FROM forms WHERE folded = ?", (folded(word),)
            )
        )
    return sorted(found)


_MESSAGE = "SELECT message, id, sender, sent, item, seek_hide, model, score, action FROM messages"


def _message(row: tuple[int, str, str, str, int, str, str, float, str], text: str) -> Message:
    number, id_, sender, sent, item_, *votes = row
    return Message(number, id_, sender, text, votes_of(*votes), item_, sent)  # type: ignore[arg-type]


def _messages_of(connection: sqlite3.Connection, number: int, text: str) -> Iterator[Message]:
    rows = connection.execute(
        f"{_MESSAGE} WHERE item = ? ORDER BY action <> 'EXPERT', message LIMIT {_MESSAGES_SHOWN}",
        (number,),
    )
    return (_message(row, text) for row in rows.fetchall())


def _standing(connection: sqlite3.Connection, number: int) -> Iterator[Standing]:
    for annotator, answer, spans, decision, adjudicates, at in connection.execute(
        "SELECT s.annotator, s.answer, s.spans, s.decision, s.adjudicates, d.at FROM standing s "
        "JOIN decisions d USING (decision) WHERE s.item = ? ORDER BY s.decision",
        (number,),
    ):
        marks, is_ruling = parse_spans(spans), bool(adjudicates)
        yield Standing(annotator, Answer(answer), marks, decision, is_ruling, at)


def context(
    connection: sqlite3.Connection, message: int, n: int
) -> tuple[list[Message], list[Message]]:
    """Return the messages of a conversation before and after one, by date, else as in the file."""
    found = connection.execute(
        "SELECT thread, sent, message FROM messages WHERE message = ?", (message,)
    ).fetchone()
    if not found or not found[0]:
        return [], []
    select = (
        "SELECT m.message, m.id, m.sender, m.sent, m.item, m.seek_hide, m.model, m.score, "
        "m.action, t.text FROM messages m JOIN texts t USING (item) "
        "WHERE m.thread = ? AND (m.sent, m.message) "
    )
    before = connection.execute(
        select + "< (?, ?) ORDER BY m.sent DESC, m.message DESC LIMIT ?", (*found, n)
    ).fetchall()
    after = connection.execute(
        select + "> (?, ?) ORDER BY m.sent, m.message LIMIT ?", (*found, n)
    ).fetchall()
    return (
        [_message(row[:-1], row[-1]) for row in reversed(before)],
        [_message(row[:-1], row[-1]) for row in after],
    )


def actions(connection: sqlite3.Connection) -> list[Action]:
    """Return the machine's action of each message, in the order of the corpus."""
    rows = connection.execute("SELECT action FROM messages ORDER BY message")
    return [Action(action) for (action,) in rows]


def votes(connection: sqlite3.Connection) -> tuple[float, ...]:
    """Return numbers that differ once items or their votes do, as far as they can tell."""
    found = connection.execute(
        "SELECT count(*), total(n_messages), total(n_expert), total(score) FROM items"
    )
    return tuple(map(float, found.fetchone()))


def evidence(connection: sqlite3.Connection) -> dict[int, dict[int, float]]:
    """Return the evidence of the words of each item, by their starts; 0 where there is none."""
    found: dict[int, dict[int, float]] = {}
    for number, start, weight in connection.execute("SELECT item, start, evidence FROM words"):
        found.setdefault(number, {})[start] = weight or 0.0
    return found
