"""Reading a queue: an item, the next one, lists of them, a message's context, how far one is."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from triage.dictionaries.normal import folded, normal

from ..vocabulary import Action, IdentifierType, Prediction, Verdict
from .records import (
    Answer,
    Done,
    Filters,
    Item,
    ItemWord,
    Message,
    Order,
    Progress,
    Row,
    Span,
    Spans,
    Standing,
    State,
    Votes,
    WordRule,
    safest,
)
from .spans import unpacked

# What a page can show; an item may have thousands of messages.
_MESSAGES_SHOWN = 20
# A word is compared by its letters alone.
_ORDERS = {
    Order.LEARNING: "turn",
    Order.DOUBT: "doubt",
    Order.FILE: "item",
    Order.RANDOM: "shuffled",
}
# A longer break is none of the time that a decision takes.
_LONGEST_STEP = 120.0
_FEWEST_STEPS = 5
_STEPS = 60


def votes_of(seek_hide: str, model: str, score: float, action: str) -> Votes:
    """Return votes from the columns that hold them."""
    return Votes(Verdict(seek_hide), Prediction(model), score, Action(action))


def item(connection: sqlite3.Connection, number: int) -> Item | None:
    """Return an item with all that a page shows; None if there is no such item."""
    found = connection.execute(
        "SELECT text, n_messages, seek_hide, model, score, action, wanted, final, "  # noqa: S608
        f"{_VOTED_TA} FROM items i JOIN texts USING (item) WHERE item = ?",
        (number,),
    ).fetchone()
    if not found:
        return None
    text, n_messages, *votes, wanted, final, voted_ta = found
    return Item(
        number,
        text,
        tuple(_words(connection, number, text, word_rules(connection), voted_ta)),
        tuple(_messages_of(connection, number, text)),
        n_messages,
        votes_of(*votes),
        bool(voted_ta),
        tuple(_standing(connection, number)),
        wanted,
        Answer(final) if final else None,
    )


# An item's own votes are those of its most doubtful message; others may say something else.
_VOTED_TA = (
    "EXISTS (SELECT 1 FROM messages m WHERE m.item = i.item "
    "AND (m.seek_hide = 'TA' OR m.model = 'TA'))"
)
_Rules = dict[str, tuple[WordRule, str]]


def _words(
    connection: sqlite3.Connection, number: int, text: str, rules: _Rules, voted_ta: int
) -> list[ItemWord]:
    """Return the words of an item.

    Where a vote says TA and no word is suggested, the one with the strongest evidence is, unless
    annotators said that it never is a name.
    """
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
    connection: sqlite3.Connection, number: int, text: str, rules: _Rules
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
    """Return a function that gives the spans that are suggested in an item, whatever its votes."""
    rules = word_rules(connection)

    def of_item(number: int) -> Spans:
        found = connection.execute(
            "SELECT start, end, type, suggested, folded FROM words JOIN forms USING (form) "
            "WHERE item = ? ORDER BY start",
            (number,),
        )
        return tuple(
            Span(start, end, type_)
            for start, end, kind, by_machine, form in found
            for is_one, type_ in [suggested(rules.get(form), kind, by_machine)]
            if is_one
        )

    return of_item


def suggested(
    rule: tuple[WordRule, str] | None, kind: str, by_machine: int
) -> tuple[bool, IdentifierType]:
    """Tell whether a word is suggested, and as what: a rule of the corpus outweighs the machine.

    Parameters
    ----------
    rule : (WordRule, str), optional
        What annotators said of it, and of which type it is then.
    kind : str
        The type that it looks like.
    by_machine : int
        Whether the machine suggests it.
    """
    if rule is None:
        return bool(by_machine), IdentifierType(kind)
    return rule[0] is WordRule.ALWAYS, IdentifierType(rule[1] or kind)


def word_rules(connection: sqlite3.Connection) -> _Rules:
    """Return what annotators said of words: by the word as compared, its rule and its type.

    Of several decisions of a word, the last that was not undone.
    """
    return {form: (rule, type_) for form, (_, rule, type_) in _rules_as_written(connection).items()}


def word_lists(connection: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Return the words that always, and that never, are a name; each list in order."""
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
    """Return words in all the ways in which the corpus writes them, as lists write words."""
    found = {normal(word) for word in words}
    for word in words:
        found.update(
            normal(text)
            for (text,) in connection.execute(
                "SELECT text FROM forms WHERE folded = ?", (folded(word),)
            )
        )
    return sorted(found)


_MESSAGE = "SELECT message, id, sender, item, seek_hide, model, score, action FROM messages"


def _message(row: tuple[int, str, str, int, str, str, float, str], text: str) -> Message:
    number, id_, sender, item_, *votes = row
    return Message(number, id_, sender, text, votes_of(*votes), item_)  # type: ignore[arg-type]


def _messages_of(connection: sqlite3.Connection, number: int, text: str) -> Iterator[Message]:
    rows = connection.execute(
        f"{_MESSAGE} WHERE item = ? ORDER BY action <> 'EXPERT', message LIMIT {_MESSAGES_SHOWN}",
        (number,),
    )
    return (_message(row, text) for row in rows.fetchall())


def _standing(connection: sqlite3.Connection, number: int) -> Iterator[Standing]:
    for annotator, answer, spans, decision, adjudicates in connection.execute(
        "SELECT annotator, answer, spans, decision, adjudicates FROM standing WHERE item = ? "
        "ORDER BY decision",
        (number,),
    ):
        yield Standing(annotator, Answer(answer), unpacked(spans), decision, bool(adjudicates))


def context(
    connection: sqlite3.Connection, message: int, n: int
) -> tuple[list[Message], list[Message]]:
    """Return a sender's messages before and after one, in order of arrival.

    Both are empty where it is not known who sent it.
    """
    found = connection.execute(
        "SELECT sender FROM messages WHERE message = ?", (message,)
    ).fetchone()
    if not found or not found[0]:
        return [], []
    select = (
        "SELECT m.message, m.id, m.sender, m.item, m.seek_hide, m.model, m.score, m.action, t.text "
        "FROM messages m JOIN texts t USING (item) WHERE m.sender = ? AND m.message "
    )
    before = connection.execute(
        select + "< ? ORDER BY m.message DESC LIMIT ?", (found[0], message, n)
    ).fetchall()
    after = connection.execute(
        select + "> ? ORDER BY m.message LIMIT ?", (found[0], message, n)
    ).fetchall()
    return (
        [_message(row[:-1], row[-1]) for row in reversed(before)],
        [_message(row[:-1], row[-1]) for row in after],
    )


def next_item(
    connection: sqlite3.Connection,
    annotator: str,
    filters: Filters,
    order: Order,
    now: float,
    after: int | None = None,
) -> int | None:
    """Return the item that an annotator should see now; None if none is left.

    Parameters
    ----------
    connection : sqlite3.Connection
    annotator : str
    filters : Filters
    order : Order
    now : float
        Seconds; what others have reserved beyond it is theirs.
    after : int, optional
        An item that is not to come again at once.
    """
    condition, values = _where(connection, annotator, filters)
    by, source = _ORDERS[order], _source(connection, filters, order)
    if filters.state is State.OPEN:
        condition += (
            " AND (SELECT count(*) FROM reserved r WHERE r.item = i.item "
            "AND r.annotator <> :annotator AND r.until > :now) + i.n_answers < i.wanted"
        )
    values |= {"now": now, "after": -1 if after is None else after}
    found = connection.execute(
        f"SELECT i.item FROM {source} WHERE {condition} AND i.item <> :after "  # noqa: S608
        f"AND NOT EXISTS ({_SKIPPED}) ORDER BY {by}, item LIMIT 1",
        values,
    ).fetchone()
    if not found:
        found = connection.execute(
            "SELECT i.item FROM items i JOIN standing s ON s.item = i.item "  # noqa: S608
            "AND s.annotator = :annotator AND s.adjudicates = 0 AND s.answer = 'SKIP' "
            f"WHERE {condition} AND i.item <> :after ORDER BY s.decision LIMIT 1",
            values,
        ).fetchone()
    return found[0] if found else None


_SKIPPED = (
    "SELECT 1 FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
    "AND s.adjudicates = 0 AND s.answer = 'SKIP'"
)
_ANSWERED = (
    "SELECT 1 FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
    "AND s.adjudicates = 0 AND s.answer <> 'SKIP'"
)
_MINE = "(i.owner = '' OR i.owner = :annotator OR i.second = :annotator)"
_STATES = {
    State.OPEN: f"i.state = 'open' AND {_MINE} AND NOT EXISTS ({_ANSWERED})",
    State.SKIPPED: f"i.state = 'open' AND EXISTS ({_SKIPPED})",
    State.DECIDED: f"EXISTS ({_ANSWERED})",
    State.DISAGREED: "i.state = 'disagreed'",
    State.ALL: "TRUE",
}


# Items with a rare word are looked up; one with a frequent word is met soon.
_HOLDS_RARE = "i.item IN (SELECT w.item FROM words w JOIN forms f USING (form) WHERE f.folded = {})"
_HOLDS_FREQUENT = (
    "EXISTS (SELECT 1 FROM words w JOIN forms f USING (form) "
    "WHERE w.item = i.item AND f.folded = {})"
)
_RARE = 2_000


def _is_rare(connection: sqlite3.Connection, word: str) -> bool:
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM words JOIN forms USING (form) "
        "WHERE folded = ? LIMIT ?)",
        (folded(word), _RARE),
    )
    return bool(found.fetchone()[0] < _RARE)


def _where(
    connection: sqlite3.Connection, annotator: str, filters: Filters, *, all_of_them: bool = False
) -> tuple[str, dict[str, object]]:
    """Return a condition on items and the values that it names.

    With `all_of_them` it suits a look at every item, else one that stops at the first few.
    """
    conditions = [_STATES[filters.state]]
    values: dict[str, object] = {"annotator": annotator}
    for i, word in enumerate(filters.word.split()):
        is_looked_up = all_of_them or _is_rare(connection, word)
        holds = _HOLDS_RARE if is_looked_up else _HOLDS_FREQUENT
        conditions.append(holds.format(f":word{i}"))
        values[f"word{i}"] = folded(word)
    if filters.sender:
        conditions.append("i.item IN (SELECT item FROM messages WHERE sender = :sender)")
        values["sender"] = filters.sender
    for column, value in (("seek_hide", filters.seek_hide), ("model", filters.model)):
        if value:
            conditions.append(f"i.{column} = :{column}")
            values[column] = value
    return " AND ".join(conditions), values


def _source(connection: sqlite3.Connection, filters: Filters, order: Order) -> str:
    """Return where to look for items: along their order, unless there is a quicker way."""
    is_looked_up = filters.sender or any(
        _is_rare(connection, word) for word in filters.word.split()
    )
    if filters.state is not State.OPEN or is_looked_up or order not in _INDEXES:
        return "items i"
    return f"items i INDEXED BY {_INDEXES[order]}"


_INDEXES = {
    Order.LEARNING: "items_by_turn",
    Order.DOUBT: "items_by_doubt",
    Order.RANDOM: "items_by_chance",
}


def rows(
    connection: sqlite3.Connection,
    annotator: str,
    filters: Filters,
    order: Order,
    offset: int,
    limit: int,
) -> list[Row]:
    """Return items as a table shows them."""
    condition, values = _where(connection, annotator, filters)
    chosen = (
        f"SELECT i.item FROM {_source(connection, filters, order)} WHERE {condition} "  # noqa: S608
        f"ORDER BY {_ORDERS[order]}, item LIMIT :limit OFFSET :offset"
    )
    found = connection.execute(
        "SELECT i.item, t.text, i.n_messages, i.seek_hide, i.model, i.score, i.action, "  # noqa: S608
        "(SELECT s.answer FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
        f"AND s.adjudicates = 0), i.final, {_VOTED_TA} "
        f"FROM items i JOIN texts t USING (item) WHERE i.item IN ({chosen}) "
        f"ORDER BY i.{_ORDERS[order]}, i.item",
        values | {"limit": limit, "offset": offset},
    )
    rules = word_rules(connection)
    return [_row(connection, rules, *values) for values in found]


def _row(
    connection: sqlite3.Connection,
    rules: _Rules,
    number: int,
    text: str,
    n_messages: int,
    seek_hide: str,
    model: str,
    score: float,
    action: str,
    answer: str | None,
    final: str | None,
    voted_ta: int,
) -> Row:
    words = _words(connection, number, text, rules, voted_ta)
    spans = tuple(Span(word.start, word.end, word.type) for word in words if word.suggested)
    return Row(
        number,
        text,
        n_messages,
        votes_of(seek_hide, model, score, action),
        Answer(answer) if answer else None,
        Answer(final) if final else None,
        spans,
        safest(marked=bool(spans), voted_ta=bool(voted_ta)),
    )


def numbers(connection: sqlite3.Connection, annotator: str, filters: Filters) -> list[int]:
    """Return the numbers of all items that filters let through."""
    condition, values = _where(connection, annotator, filters, all_of_them=True)
    found = connection.execute(
        f"SELECT i.item FROM items i WHERE {condition} ORDER BY item",  # noqa: S608
        values,
    )
    return [number for (number,) in found]


def count(connection: sqlite3.Connection, annotator: str, filters: Filters) -> int:
    """Return how many items filters let through."""
    if filters == Filters():
        return _n_open(connection, annotator)
    if filters == Filters(state=State.SKIPPED):
        return _n_skipped(connection, annotator)
    condition, values = _where(connection, annotator, filters, all_of_them=True)
    found = connection.execute(
        f"SELECT count(*) FROM items i WHERE {condition}",  # noqa: S608
        values,
    ).fetchone()
    return int(found[0])


def _n_open(connection: sqlite3.Connection, annotator: str) -> int:
    """Count the items still for an annotator, without a look at each."""
    mine = connection.execute(
        f"SELECT total(n_items) FROM tally i WHERE i.state = 'open' AND {_MINE}",  # noqa: S608
        {"annotator": annotator},
    ).fetchone()[0]
    answered = connection.execute(
        "SELECT count(*) FROM items i INDEXED BY items_answered WHERE i.state = 'open' "  # noqa: S608
        f"AND i.n_answers > 0 AND {_MINE} AND EXISTS ({_ANSWERED})",
        {"annotator": annotator},
    ).fetchone()[0]
    return int(mine) - int(answered)


def _n_skipped(connection: sqlite3.Connection, annotator: str) -> int:
    # From what was skipped to the items: the other way round each open item would be looked at.
    found = connection.execute(
        "SELECT count(*) FROM standing s CROSS JOIN items i USING (item) WHERE s.annotator = ? "
        "AND s.adjudicates = 0 AND s.answer = 'SKIP' AND i.state = 'open'",
        (annotator,),
    )
    return int(found.fetchone()[0])


def progress(connection: sqlite3.Connection, annotator: str) -> Progress:
    """Return how far an annotator is, and the corpus."""
    by_answer = dict(
        connection.execute(
            "SELECT answer, count(*) FROM standing WHERE annotator = ? AND adjudicates = 0 "
            "GROUP BY answer",
            (annotator,),
        ).fetchall()
    )
    n_open = _n_open(connection, annotator)
    messages, decided = messages_decided(connection)
    per_hour = _per_hour(connection, annotator)
    return Progress(
        by_answer.get("TA", 0) + by_answer.get("NTA", 0),
        n_open,
        _n_skipped(connection, annotator),
        messages,
        decided,
        per_hour,
        n_open / per_hour * 3600 if per_hour else None,
    )


def messages_decided(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return how many messages there are, and of how many the action is final."""
    messages, waiting = connection.execute(
        "SELECT total(n_messages), total(n_expert * (state IN ('open', 'disagreed'))) FROM tally"
    ).fetchone()
    return int(messages), int(messages - waiting)


def _per_hour(connection: sqlite3.Connection, annotator: str) -> float | None:
    """Return how many decisions an hour an annotator makes, breaks not counted."""
    times = [
        datetime.fromisoformat(at).timestamp()
        for (at,) in connection.execute(
            "SELECT at FROM decisions WHERE annotator = ? AND kind = 'message' "
            "ORDER BY decision DESC LIMIT ?",
            (annotator, _STEPS),
        )
    ]
    steps = [later - earlier for later, earlier in pairwise(times)]
    steps = [step for step in steps if 0 <= step <= _LONGEST_STEP]
    if len(steps) < _FEWEST_STEPS or sum(steps) == 0:
        return None
    return len(steps) / sum(steps) * 3600


def history(
    connection: sqlite3.Connection, annotator: str | None, limit: int, reader: str | None = None
) -> list[Done]:
    """Return decisions, the newest first.

    Parameters
    ----------
    connection : sqlite3.Connection
    annotator : str, optional
        Whose; by default everybody's.
    limit : int
    reader : str, optional
        From whom others' answers to open items are withheld.
    """
    found = connection.execute(
        "SELECT decision FROM decisions WHERE :annotator IS NULL OR annotator = :annotator "
        "ORDER BY decision DESC LIMIT :limit",
        {"annotator": annotator, "limit": limit},
    ).fetchall()
    return [_withheld(connection, decision(connection, number), reader) for (number,) in found]


def last_decision(connection: sqlite3.Connection, annotator: str) -> int:
    """Return the number of an annotator's last decision, 0 if there is none."""
    found = connection.execute(
        "SELECT coalesce(max(decision), 0) FROM decisions WHERE annotator = ?", (annotator,)
    )
    return int(found.fetchone()[0])


def _withheld(connection: sqlite3.Connection, done: Done, reader: str | None) -> Done:
    if reader is None or done.annotator == reader:
        return done
    is_open = connection.execute(
        "SELECT 1 FROM answers JOIN items USING (item) WHERE decision = ? AND state = 'open'",
        (done.number,),
    ).fetchone()
    return replace(done, answer=None, items=(), spans=(), hidden=True) if is_open else done


def decision(connection: sqlite3.Connection, number: int) -> Done:
    """Return a decision as it was made."""
    at, annotator, kind, answer, word, rule = connection.execute(
        "SELECT at, annotator, kind, answer, word, rule FROM decisions WHERE decision = ?",
        (number,),
    ).fetchone()
    served = connection.execute(
        "SELECT item, spans FROM answers WHERE decision = ? ORDER BY item", (number,)
    ).fetchall()
    undone = connection.execute("SELECT 1 FROM decisions WHERE undoes = ?", (number,)).fetchone()
    return Done(
        number,
        at,
        annotator,
        kind,
        Answer(answer) if answer else None,
        word,
        rule,
        tuple(item_ for item_, _ in served),
        unpacked(served[0][1]) if len(served) == 1 else (),
        undone is not None,
    )
