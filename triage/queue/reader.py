"""Reading a queue: items with their words and messages, lists of items, notes, progress."""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Self

from triage.dictionaries.normal import folded, normal

from ..errors import TriageError
from ..vocabulary import SUSPECT_FROM, Action, IdentifierType, Spans, parse_spans
from .cells import unpack
from .records import (
    About,
    Answer,
    Decision,
    Filters,
    InDoubt,
    Item,
    ItemWord,
    Message,
    NoSuchItemError,
    Note,
    Order,
    PairAgreement,
    Progress,
    Reason,
    Standing,
    State,
    Status,
    Task,
    Votes,
    WordRule,
    is_one_word,
    joined,
    suggested_spans,
)

# Rules for words: rule and type by folded word.
Rule = tuple[WordRule, str]
Rules = dict[str, Rule]
# An item may have thousands of messages.
_MESSAGES_SHOWN = 20
# A longer step is a break and does not count.
_LONGEST_STEP = 120.0
# Ten decisions and a minute of work: after less, the rate is that of chance.
_FEWEST_STEPS = 9
_LEAST_WORK = 60.0
_STEPS = 60

_MESSAGE = "m.message, m.id, m.sender, m.sent, m.item, m.seek_hide, m.model, m.score, m.action"
_OWN = (
    "SELECT 1 FROM standing s WHERE s.item = i.item AND s.annotator = :annotator "
    "AND s.adjudicates = 0 AND s.answer"
)
_SKIPPED, _ANSWERED = f"{_OWN} = 'SKIP'", f"{_OWN} <> 'SKIP'"
_MINE = "(i.owner = '' OR i.owner = :annotator OR i.second = :annotator)"
_STATES = {
    State.OPEN: f"i.state = 'open' AND {_MINE} AND NOT EXISTS ({_ANSWERED})",
    State.SKIPPED: f"i.state = 'open' AND EXISTS ({_SKIPPED})",
    State.DECIDED: f"EXISTS ({_ANSWERED})",
    State.DISAGREED: "i.state = 'disagreed'",
    State.UNMARKED: (
        "i.state = 'final' AND i.final = 'TA' AND NOT EXISTS (SELECT 1 FROM standing s "
        "WHERE s.item = i.item AND s.spans <> '[]' AND s.adjudicates = ("
        "SELECT max(r.adjudicates) FROM standing r WHERE r.item = i.item AND r.answer <> 'SKIP'))"
    ),
    State.ALL: "TRUE",
}
# The machine leaves it to people, who have not answered it before it was handed over again.
_IN_DOUBT = (
    "(i.since IS NULL OR i.action = 'EXPERT' AND NOT EXISTS (SELECT 1 FROM answers a "
    "JOIN in_force d USING (decision) "
    "WHERE a.item = i.item AND a.decision <= i.since AND a.answer <> 'SKIP'))"
)
# The column of each order, and its index of open items.
_ORDERS = {
    Order.LEARNING: ("turn", "INDEXED BY items_by_turn"),
    Order.DOUBT: ("doubt", "INDEXED BY items_by_doubt"),
    Order.FILE: ("item", ""),
    Order.RANDOM: ("shuffled", "INDEXED BY items_by_chance"),
}
# Nobody else has it before them, or as many as read it have answered.
_FREE = (
    "(SELECT count(*) FROM reserved r WHERE r.item = i.item AND r.annotator <> :annotator "
    "AND r.until > :now) + i.n_answers < i.wanted"
)
_RULES = "SELECT word, rule, type FROM in_force WHERE kind = 'word' ORDER BY decision"
# A spelling in doubt in fewer items is decided as quickly item by item.
FEWEST = 3
# Words by their evidence in one scan without their forms, and names by their forms: a join of all
# words of open items with their forms takes twice as long. SQLite takes the other columns from the
# row of the least form.
_SPELLINGS_IN_DOUBT = f"""
WITH doubts AS (
    SELECT w.item, w.form FROM items i CROSS JOIN words w USING (item)
    WHERE {_STATES[State.OPEN]} AND (w.suggested OR w.evidence >= :suspect_from)
    UNION
    SELECT w.item, w.form FROM forms f CROSS JOIN words w USING (form)
        CROSS JOIN items i USING (item)
    WHERE (f.label = 'DICTIONARY' OR f.folded IN (SELECT value FROM json_each(:always)))
        AND {_STATES[State.OPEN]}
), spelled AS (
    SELECT folded, min(form) AS form, count(*) OVER (PARTITION BY item) = 1 AS is_alone
    FROM doubts JOIN forms USING (form)
    WHERE folded NOT IN (SELECT value FROM json_each(:never)) GROUP BY item, folded
)
SELECT f.text, f.type, sum(is_alone) AS n_settled, min(form)
FROM spelled s JOIN forms f USING (form)
WHERE s.folded NOT IN (SELECT value FROM json_each(:always)) GROUP BY s.folded
HAVING count(*) >= {FEWEST} AND n_settled ORDER BY n_settled DESC, s.folded
"""
# Who has yet to answer an item that two read does not see the notes of the other.
_NOTES = (
    "SELECT n.item, n.annotator, n.at, n.text, n.asks, t.text "
    "FROM notes_in_force n JOIN items i USING (item) JOIN texts t USING (item) "
    "WHERE (n.annotator = :reader OR i.state <> 'open' OR i.wanted = 1)"
)


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """Report errors of the file itself, such as damage or a full disk, as a TriageError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise
        raise TriageError(
            f"{path} cannot be read or written: {error}", "queue_unreadable", file=path
        ) from None


class QueueReader:
    """An open queue, as far as it is read."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self.connection = connection
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        with trouble(self.path):
            self.connection.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise error

    def close(self) -> None:
        self.connection.close()

    def _all(self, sql: str, values: Any = ()) -> list[Any]:  # noqa: ANN401  # rows are untyped
        return self.connection.execute(sql, values).fetchall()

    def _one(self, sql: str, values: Any = ()) -> Any:  # noqa: ANN401  # rows are untyped
        return self.connection.execute(sql, values).fetchone()

    @property
    def about(self) -> About:
        kept = {name: json.loads(value) for name, value in self._all("SELECT * FROM about")}
        # A queue that an earlier version made lacks the last ones; the share doubled is apart.
        values = {field.name: kept[field.name] for field in fields(About) if field.name in kept}
        return About(**values | {"columns": tuple(values["columns"])})

    @property
    def doubled(self) -> float:
        """The share of the items that two annotators read."""
        share = self._one("SELECT value FROM about WHERE name = 'doubled'")
        return float(share[0]) if share else 0.0

    # Items

    def item(self, number: int) -> Item | None:
        """Return an item with all that a page shows; None if it does not exist."""
        return self._item(number, self.word_rules())

    def existing_item(self, number: int) -> Item:
        """Return an item; NoSuchItemError if it does not exist."""
        found = self.item(number)
        if found is None:
            raise NoSuchItemError(number)
        return found

    def _item(self, number: int, rules: Rules) -> Item | None:
        found = self._one(
            "SELECT text, n_messages, seek_hide, model, score, action, wanted, final, since, "
            # Its own votes are those of its most doubtful message; other messages may differ.
            "EXISTS (SELECT 1 FROM messages m WHERE m.item = i.item "
            "AND (m.seek_hide = 'TA' OR m.model = 'TA')) "
            "FROM items i JOIN texts USING (item) WHERE item = ?",
            (number,),
        )
        if not found:
            return None
        text, n_messages, *votes, wanted, final, since, voted_ta = found
        messages = self._all(
            f"SELECT {_MESSAGE} FROM messages m WHERE item = ? "
            f"ORDER BY action <> 'EXPERT', message LIMIT {_MESSAGES_SHOWN}",
            (number,),
        )
        standing = self._standing(
            "SELECT s.annotator, s.answer, s.spans, s.decision, s.adjudicates, d.at "
            "FROM standing s JOIN decisions d USING (decision) WHERE s.item = ? "
            "ORDER BY s.decision",
            (number,),
        )
        return Item(
            number,
            text,
            tuple(self._words(number, text, rules, voted_ta=voted_ta)),
            tuple(_message(*row, text) for row in messages),
            n_messages,
            Votes.parse(*votes),
            bool(voted_ta),
            standing,
            wanted,
            Answer(final) if final else None,
            () if since is None else tuple(self.handed_over([number])),
            () if since is None else self._earlier(number, since),
        )

    def _earlier(self, number: int, since: int) -> tuple[Standing, ...]:
        """Return the last answer of each annotator to an item before it was handed over."""
        return self._standing(
            "SELECT annotator, a.answer, spans, max(decision), kind = 'adjudication', at "
            "FROM answers a JOIN in_force USING (decision) WHERE item = ? AND decision <= ? "
            "AND a.answer <> 'SKIP' GROUP BY annotator ORDER BY decision",
            (number, since),
        )

    def _standing(self, sql: str, values: tuple[int, ...]) -> tuple[Standing, ...]:
        return tuple(
            Standing(name, Answer(answer), parse_spans(spans), decision, bool(rules), at)
            for name, answer, spans, decision, rules, at in self._all(sql, values)
        )

    def _words(self, number: int, text: str, rules: Rules, *, voted_ta: bool) -> list[ItemWord]:
        """Return the words of an item, of which the strongest is suggested if a vote says TA."""
        words: list[ItemWord] = []
        may_be = []
        for start, end, kind, label, reason, evidence, type_, by_machine, form in self._all(
            "SELECT start, end, kind, label, reason, evidence, type, suggested, folded "
            "FROM words JOIN forms USING (form) WHERE item = ? ORDER BY start",
            (number,),
        ):
            is_suggested, likely = suggested(rules.get(form), type_, by_machine)
            if evidence and not is_cleared(rules.get(form)):
                may_be.append((evidence, -len(words)))
            written = text[start:end]
            words.append(
                ItemWord(start, end, written, kind, label, reason, evidence, likely, is_suggested)
            )
        if voted_ta and may_be and not any(word.suggested for word in words):
            strongest = -max(may_be)[1]
            words[strongest] = replace(words[strongest], suggested=True)
        return words

    def suggestions(self) -> Callable[[int], Spans]:
        """Return a function that gives the suggested spans of an item, whatever its votes."""
        rules = self.word_rules()
        return lambda number: suggested_spans(self._words(number, "", rules, voted_ta=False))

    def find(self, digest: bytes) -> int | None:
        """Return the item of a text by its digest; None if there is none."""
        found = self._one("SELECT item FROM items WHERE digest = ?", (digest,))
        return int(found[0]) if found else None

    def resolved(self) -> dict[int, Standing]:
        """Return people's final answers by item; of annotators who agree, their names and marks."""
        found: dict[int, Standing] = {}
        for item, name, answer, spans, decision, adjudicates in self._all(
            "SELECT item, annotator, answer, spans, decision, adjudicates FROM standing "
            "JOIN items USING (item) WHERE state = 'final' AND answer <> 'SKIP' "
            "ORDER BY item, adjudicates, decision"
        ):
            marks, before = parse_spans(spans), found.get(item)
            said = Standing(name, Answer(answer), marks, decision, bool(adjudicates))
            if before and not adjudicates:
                names = f"{before.annotator} + {name}"
                said = replace(said, annotator=names, spans=joined(before.spans, marks))
            found[item] = said
        return found

    # What a person should see

    def waiting(self, annotator: str, *, rules: bool) -> dict[Reason, int]:
        """Return how many items an annotator should see by reason; one may have several.

        Disagreements are for those who rule on them.
        """
        rows = self._all(
            "SELECT reason, count(DISTINCT item) FROM handed_over h JOIN items i USING (item) "
            f"WHERE {_STATES[State.OPEN]} GROUP BY reason",
            {"annotator": annotator},
        )
        (apart,) = self._one(
            f"SELECT count(*) FROM items i WHERE {_STATES[State.OPEN]} "
            f"AND i.item IN (SELECT item FROM handed_over) AND NOT {_IN_DOUBT}",
            {"annotator": annotator},
        )
        found = {Reason(reason): int(n) for reason, n in rows}
        found[Reason.DOUBT] = self._count_open(annotator) - apart
        if rules:
            found[Reason.DISAGREEMENT] = self.count("", Filters(state=State.DISAGREED))
        return {reason: found[reason] for reason in Reason if found.get(reason)}

    def handed_over(self, items: Collection[int] | None = None) -> list[Task]:
        """Return what other rooms handed over that is not answered, of all items or of some."""
        rows = self._all(
            "SELECT reason, id, start, end, type, item FROM handed_over WHERE :items IS NULL OR "
            "item IN (SELECT value FROM json_each(:items)) ORDER BY item, start",
            {"items": None if items is None else json.dumps([*items])},
        )
        return [
            Task(Reason(reason), id_, 0, start, end, IdentifierType(type_), item)
            for reason, id_, start, end, type_, item in rows
        ]

    def handed_over_rows(self) -> list[int]:
        """Return the rows of the messages that were handed over and are not answered."""
        of = "SELECT message FROM messages WHERE item IN (SELECT item FROM handed_over)"
        return [row for (row,) in self._all(of)]

    # Messages

    def context(self, message: int, n: int = 3) -> tuple[list[Message], list[Message]]:
        """Return up to `n` messages before and after one of a conversation, by date or as filed."""
        place = self._one(
            "SELECT thread, sent, message FROM messages WHERE message = ? AND thread <> ''",
            (message,),
        )
        if not place:
            return [], []
        before, after = (
            self._all(
                f"SELECT {_MESSAGE}, t.text FROM messages m JOIN texts t USING (item) "
                f"WHERE m.thread = ? AND (m.sent, m.message) {side} (?, ?) "
                f"ORDER BY m.sent {way}, m.message {way} LIMIT ?",
                (*place, n),
            )
            for side, way in (("<", "DESC"), (">", "ASC"))
        )
        return [_message(*row) for row in reversed(before)], [_message(*row) for row in after]

    def ids_and_evidence(self, item: int) -> list[tuple[str, str]]:
        """Return id and evidence of each message of an item, the expert's first."""
        return self._all(
            "SELECT id, evidence FROM messages WHERE item = ? ORDER BY action <> 'EXPERT', message",
            (item,),
        )

    def texts(self) -> list[tuple[int, str, str]]:
        """Return item, sender and text of each message, in the order of the corpus."""
        return self._all(
            "SELECT item, sender, text FROM messages JOIN texts USING (item) ORDER BY message"
        )

    def actions(self) -> list[Action]:
        """Return the machine's action of each message, in the order of the corpus."""
        return [Action(one) for (one,) in self._all("SELECT action FROM messages ORDER BY message")]

    def votes(self) -> tuple[float, ...]:
        """Return numbers that differ once messages or their votes do, as far as they can tell."""
        counts = "count(*), total(n_messages), total(n_expert), total(score)"
        return tuple(map(float, self._one(f"SELECT {counts} FROM items")))

    def evidence(self) -> dict[int, dict[int, float]]:
        """Return the evidence of the words of each item, by their starts; 0 if there is none."""
        found: dict[int, dict[int, float]] = {}
        for number, start, weight in self._all("SELECT item, start, evidence FROM words"):
            found.setdefault(number, {})[start] = weight or 0.0
        return found

    def triaged_rows(self) -> Iterator[tuple[int, list[object], str]]:
        """Yield item, row and action of each message, as `triage classify` wrote them.

        What was handed over to people and is not settled is theirs.
        """
        for item, packed, action in self.connection.execute(
            "SELECT item, cells, iif(since IS NULL OR state = 'final', m.action, 'EXPERT') "
            "FROM messages m JOIN items USING (item) ORDER BY message"
        ):
            yield item, unpack(packed), action

    # Rules for words

    def word_rules(self) -> Rules:
        """Return the annotators' rules for words: rule and type by folded word."""
        return {folded(word): (WordRule(rule), type_) for word, rule, type_ in self._all(_RULES)}

    def word_lists(self) -> tuple[list[str], list[str]]:
        """Return the words that are always, and those that are never, a name; both sorted."""
        last = {folded(word): (word, rule) for word, rule, _ in self._all(_RULES)}.values()
        always, never = (sorted(word for word, rule in last if rule == one) for one in WordRule)
        return always, never

    def spellings(self, words: Collection[str]) -> list[str]:
        found = {normal(word) for word in words}
        for word in words:
            forms = self._all("SELECT text FROM forms WHERE folded = ?", (folded(word),))
            found.update(normal(text) for (text,) in forms)
        return sorted(found)

    def in_doubt(self, annotator: str) -> list[InDoubt]:
        """Return the spellings of which a rule would settle open items, the most first.

        An item is counted once: for the only spelling in it that may name somebody.
        """
        always, never = (json.dumps([*map(folded, words)]) for words in self.word_lists())
        values = {"always": always, "never": never, "suspect_from": SUSPECT_FROM}
        found = self._all(_SPELLINGS_IN_DOUBT, values | {"annotator": annotator})
        return [InDoubt(s, IdentifierType(t), n) for s, t, n, _ in found if is_one_word(s)]

    def places(self, annotator: str, word: str, limit: int) -> list[tuple[int, int, int, str]]:
        """Return the first open items with a word: item, start and end of the word, text."""
        condition, values = _where(annotator, Filters(word=word))
        return self._all(
            "SELECT i.item, min(w.start), w.end, t.text FROM items i JOIN texts t USING (item) "
            "JOIN words w USING (item) JOIN forms f USING (form) "
            f"WHERE {condition} AND f.folded = :word0 GROUP BY i.item LIMIT :limit",
            values | {"limit": limit},
        )

    # Lists of items

    def rows(
        self,
        annotator: str,
        filters: Filters,
        order: Order = Order.LEARNING,
        *,
        offset: int = 0,
        limit: int = 50,
    ) -> list[Item]:
        """Return the items of a part of a list."""
        column, index = _ORDERS[order]
        condition, values = _where(annotator, filters)
        found = self._all(
            f"SELECT i.item FROM items i {index if _is_scanned(filters) else ''} "
            f"WHERE {condition} ORDER BY {column}, item LIMIT :limit OFFSET :offset",
            values | {"limit": limit, "offset": offset},
        )
        rules = self.word_rules()
        return [item for (number,) in found if (item := self._item(number, rules))]

    def numbers(self, annotator: str, filters: Filters) -> list[int]:
        condition, values = _where(annotator, filters)
        select = f"SELECT i.item FROM items i WHERE {condition} ORDER BY item"
        return [number for (number,) in self._all(select, values)]

    def count(self, annotator: str, filters: Filters) -> int:
        if filters == Filters():
            return self._count_open(annotator)
        condition, values = _where(annotator, filters)
        return int(self._one(f"SELECT count(*) FROM items i WHERE {condition}", values)[0])

    def _count_open(self, annotator: str) -> int:
        """Return how many items an annotator still has to decide, without a scan."""
        mine, answered = self._one(
            f"SELECT (SELECT total(n_items) FROM tally i WHERE i.state = 'open' AND {_MINE}), "
            "(SELECT count(*) FROM items i INDEXED BY items_answered WHERE i.state = 'open' "
            f"AND i.n_answers > 0 AND {_MINE} AND EXISTS ({_ANSWERED}))",
            {"annotator": annotator},
        )
        return int(mine) - int(answered)

    def first(
        self, annotator: str, filters: Filters, order: Order, after: int | None
    ) -> int | None:
        """Return the first item that nobody else holds; skipped ones come last."""
        column, index = _ORDERS[order]
        condition, values = _where(annotator, filters)
        condition += " AND i.item <> :after"
        if filters.state is State.OPEN:
            condition += f" AND {_FREE}"
        values |= {"now": self._clock(), "after": -1 if after is None else after}
        found = self._one(
            f"SELECT i.item FROM items i {index if _is_scanned(filters) else ''} "
            f"WHERE {condition} AND NOT EXISTS ({_SKIPPED}) ORDER BY {column}, item LIMIT 1",
            values,
        ) or self._one(
            "SELECT i.item FROM items i JOIN standing s ON s.item = i.item "
            "AND s.annotator = :annotator AND s.adjudicates = 0 AND s.answer = 'SKIP' "
            f"WHERE {condition} ORDER BY s.decision LIMIT 1",
            values,
        )
        return found[0] if found else None

    def beside(
        self, annotator: str, filters: Filters, order: Order, number: int
    ) -> tuple[int | None, int | None]:
        """Return the items before and after one: those that somebody decided, then what waits."""
        column, index = _ORDERS[order]
        condition, values = _where(annotator, filters)
        if filters.state is State.OPEN:
            condition += f" AND {_FREE}"
        values |= {"now": self._clock(), "number": number}
        values |= {"rules": filters.state is State.DISAGREED}
        decided = (
            "SELECT item FROM standing WHERE annotator = :annotator AND adjudicates = :rules "
            "AND answer <> 'SKIP' AND {} ORDER BY decision {} LIMIT 1"
        )
        own = decided.replace("item", "decision", 1).format("item = :number", "")
        place = f"(SELECT {column}, item FROM items WHERE item = :number)"
        waiting = (
            f"SELECT i.item FROM items i {index if _is_scanned(filters) else ''} WHERE {condition} "
            f"AND {{}} ORDER BY {column} {{way}}, item {{way}} LIMIT 1"
        )
        if self._one(own, values):
            before = [decided.format(f"decision < ({own})", "DESC")]
            after = [decided.format(f"decision > ({own})", ""), waiting.format("TRUE", way="")]
        else:
            beyond = f"(i.{column}, i.item) {{}} {place}"
            before = [
                waiting.format(beyond.format("<"), way="DESC"),
                decided.format("item <> :number", "DESC"),
            ]
            after = [waiting.format(beyond.format(">"), way="")]
        first, last = (
            next((found[0] for sql in one if (found := self._one(sql, values))), None)
            for one in (before, after)
        )
        return first, last

    # Notes

    def notes(self, item: int, reader: str) -> list[Note]:
        """Return the notes on an item that a reader may see, in order."""
        values = {"item": item, "reader": reader}
        rows = self._all(f"{_NOTES} AND n.item = :item ORDER BY n.note", values)
        return [_note(*row) for row in rows]

    def questions(self, reader: str) -> list[Note]:
        """Return the notes that ask, as far as a reader may see them, in order."""
        rows = self._all(f"{_NOTES} AND n.asks ORDER BY n.note", {"reader": reader})
        return [_note(*row) for row in rows]

    # Decisions, progress, agreement

    def history(
        self, annotator: str | None = None, limit: int = 20, *, reader: str | None = None
    ) -> list[Decision]:
        """Return decisions, the newest first; a reader sees no other's answer to an open item."""
        found = self._all(
            "SELECT decision FROM decisions WHERE :annotator IS NULL OR annotator = :annotator "
            "ORDER BY decision DESC LIMIT :limit",
            {"annotator": annotator, "limit": limit},
        )
        return [self._decision(number, reader) for (number,) in found]

    def _decision(self, number: int, reader: str | None = None) -> Decision:
        at, annotator, kind, answer, word, rule, is_undone = self._one(
            "SELECT at, annotator, kind, answer, word, rule, "
            "EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.decision) "
            "FROM decisions d WHERE decision = ?",
            (number,),
        )
        served = self._all(
            "SELECT item, spans, state FROM answers JOIN items USING (item) WHERE decision = ? "
            "ORDER BY item",
            (number,),
        )
        done = Decision(
            number,
            at,
            annotator,
            kind,
            Answer(answer) if answer else None,
            word,
            rule,
            tuple(item for item, _, _ in served),
            parse_spans(served[0][1]) if len(served) == 1 else (),
            bool(is_undone),
        )
        if reader in (None, annotator) or all(state != "open" for _, _, state in served):
            return done
        return replace(done, answer=None, items=(), spans=(), hidden=True)

    def last_decision(self, annotator: str | None = None) -> int:
        """Return the number of the last decision of an annotator, or of anybody; 0 without one."""
        of = "WHERE annotator = :annotator" if annotator is not None else ""
        last = f"SELECT coalesce(max(decision), 0) FROM decisions {of}"
        return int(self._one(last, {"annotator": annotator})[0])

    def assigned(self) -> dict[str, int]:
        """Return how many open items are assigned to each annotator, answered by them or not."""
        return dict(
            self._all(
                "SELECT name, sum(n_items) FROM ("
                "SELECT owner AS name, n_items FROM tally WHERE state = 'open' UNION ALL "
                "SELECT second AS name, n_items FROM tally WHERE state = 'open') "
                "WHERE name <> '' GROUP BY name HAVING total(n_items) ORDER BY name"
            )
        )

    def waits_for(self) -> dict[str, int]:
        """Return how many open items wait for each annotator; with no name, for anybody else."""
        named = self._all(
            "SELECT name, count(*) FROM ("
            "SELECT owner AS name, item FROM items WHERE state = 'open' AND owner <> '' UNION ALL "
            "SELECT second, item FROM items WHERE state = 'open' AND second <> '') i "
            "WHERE NOT EXISTS (SELECT 1 FROM standing s WHERE s.item = i.item "
            "AND s.annotator = i.name AND s.adjudicates = 0 AND s.answer <> 'SKIP') "
            "GROUP BY name ORDER BY name"
        )
        (others,) = self._one(
            "SELECT total(n_items) FROM tally WHERE state = 'open' AND owner = ''"
        )
        return dict(named) | ({"": int(others)} if others else {})

    def progress(self, annotator: str) -> Progress:
        n_ta, n_nta = self._one(
            "SELECT count(*) FILTER (WHERE answer = 'TA'), count(*) FILTER (WHERE answer = 'NTA') "
            "FROM standing WHERE annotator = ? AND adjudicates = 0",
            (annotator,),
        )
        # From skips to items: the other way round, every open item would be read.
        (n_skipped,) = self._one(
            "SELECT count(*) FROM standing s CROSS JOIN items i USING (item) WHERE s.annotator = ? "
            "AND s.adjudicates = 0 AND s.answer = 'SKIP' AND i.state = 'open'",
            (annotator,),
        )
        n_open, per_hour = self._count_open(annotator), self._per_hour(annotator)
        seconds_left = n_open / per_hour * 3600 if per_hour else None
        messages = self._messages_decided()
        return Progress(n_ta + n_nta, n_open, n_skipped, *messages, per_hour, seconds_left, n_ta)

    def _messages_decided(self) -> tuple[int, int]:
        """Return the number of messages, and of those whose action is final."""
        messages, waiting = self._one(
            "SELECT total(n_messages), total(n_expert * (state IN ('open', 'disagreed'))) "
            "FROM tally"
        )
        return int(messages), int(messages - waiting)

    def _per_hour(self, annotator: str) -> float | None:
        """Return an annotator's decisions an hour, without breaks; None if there are too few."""
        times = [
            datetime.fromisoformat(at).timestamp()
            for (at,) in self._all(
                "SELECT at FROM decisions WHERE annotator = ? AND kind = 'message' "
                "ORDER BY decision DESC LIMIT ?",
                (annotator, _STEPS),
            )
        ]
        steps = [later - earlier for later, earlier in pairwise(times)]
        steps = [step for step in steps if 0 <= step <= _LONGEST_STEP]
        if len(steps) < _FEWEST_STEPS or sum(steps) < _LEAST_WORK:
            return None
        return len(steps) / sum(steps) * 3600

    def status(self) -> Status:
        # What people said of the machine's items is not asked of the expert.
        n_open, disagreed, final, doubled = self._one(
            "SELECT count(*) FILTER (WHERE state = 'open'), "
            "count(*) FILTER (WHERE state = 'disagreed'), "
            "count(*) FILTER (WHERE state = 'final' AND n_expert > 0), "
            "count(*) FILTER (WHERE wanted > 1 AND n_expert > 0) FROM items"
        )
        (expert,) = self._one("SELECT total(n_expert) FROM tally")
        messages, decided = self._messages_decided()
        annotators = self._all(
            "SELECT annotator, count(*) FROM standing WHERE NOT adjudicates AND answer <> 'SKIP' "
            "GROUP BY annotator ORDER BY annotator"
        )
        always, never = self.word_lists()
        (by_words,) = self._one(
            "SELECT total(n_messages) FROM items WHERE state = 'final' AND item IN ("
            "SELECT item FROM standing JOIN decisions USING (decision) WHERE kind = 'word')"
        )
        return Status(
            messages,
            int(expert),
            n_open + disagreed + final,
            final,
            disagreed,
            decided,
            doubled,
            dict(annotators),
            tuple(self._pairs([name for name, _ in annotators])),
            tuple(always),
            tuple(never),
            int(by_words),
            dict(Counter(one.reason.value for one in self.handed_over())),
            self.count("", Filters(state=State.UNMARKED)),
            messages - decided,
        )

    def _pairs(self, annotators: list[str]) -> Iterator[PairAgreement]:
        for first, second in combinations(annotators, 2):
            both = self._all(
                "SELECT item, a.answer, b.answer, a.spans, b.spans, state FROM standing a "
                "JOIN standing b USING (item) JOIN items i USING (item) "
                "WHERE a.annotator = ? AND b.annotator = ? AND NOT a.adjudicates "
                "AND NOT b.adjudicates AND a.answer <> 'SKIP' AND b.answer <> 'SKIP' ORDER BY item",
                (first, second),
            )
            if not both:
                continue
            agreement: tuple[float | None, float | None, float | None] = (None, None, None)
            items, ones, twos, marks, others, states = zip(*both, strict=True)
            # If both only ever gave one answer, chance explains all agreement.
            if len({*ones, *twos}) > 1:
                # Imported here: numpy loads slowly, and most steps of a review need no agreement.
                from triage.reports.measures import cohen_kappa

                kappa = cohen_kappa(ones, twos).kappa
                # Processors differ in the last digits.
                agreement = round(kappa.estimate, 6), round(kappa.low, 6), round(kappa.high, 6)
            pairs = zip(items, states, strict=True)
            to_adjudicate = tuple(item for item, state in pairs if state == "disagreed")
            yield PairAgreement(
                *(first, second, len(both), *agreement),
                _agreement_of_marks(marks, others),
                to_adjudicate,
            )


def _agreement_of_marks(ones: Iterable[str], others: Iterable[str]) -> float | None:
    """Return the share of two annotators' marks that both made, with one type; None without any."""
    pairs = [({*parse_spans(a)}, {*parse_spans(b)}) for a, b in zip(ones, others, strict=True)]
    n_marks = sum(len(a) + len(b) for a, b in pairs)
    return round(2 * sum(len(a & b) for a, b in pairs) / n_marks, 6) if n_marks else None


def _message(*row: Any) -> Message:  # noqa: ANN401  # that of _MESSAGE, and a text
    number, id_, sender, sent, item, *votes, text = row
    return Message(number, id_, sender, text, Votes.parse(*votes), item, sent)


def _note(item: int, annotator: str, at: str, text: str, asks: int, item_text: str) -> Note:
    return Note(item, annotator, at, text, bool(asks), item_text)


def suggested(rule: Rule | None, kind: str, by_machine: int) -> tuple[bool, IdentifierType]:
    """Return whether a word is suggested, and as which type; a rule outweighs the machine."""
    if rule is None:
        return bool(by_machine), IdentifierType(kind)
    return rule[0] is WordRule.ALWAYS, IdentifierType(rule[1] or kind)


def is_cleared(rule: Rule | None) -> bool:
    """Return whether a rule says that a word is never a name."""
    return rule is not None and rule[0] is WordRule.NEVER


def _where(annotator: str, filters: Filters) -> tuple[str, dict[str, object]]:
    """Return a condition on items and its parameters."""
    conditions = [_STATES[filters.state]]
    values: dict[str, object] = {"annotator": annotator}
    for i, word in enumerate(filters.word.split()):
        conditions.append(
            "i.item IN (SELECT w.item FROM words w JOIN forms f USING (form) "
            f"WHERE f.folded = :word{i})"
        )
        values[f"word{i}"] = folded(word)
    if filters.sender:
        conditions.append("i.item IN (SELECT item FROM messages WHERE sender = :sender)")
        values["sender"] = filters.sender
    for column, value in (("seek_hide", filters.seek_hide), ("model", filters.model)):
        if value:
            conditions.append(f"i.{column} = :{column}")
            values[column] = value
    if filters.reason:
        waits = "i.item IN (SELECT item FROM handed_over WHERE reason = :reason)"
        conditions.append(_IN_DOUBT if filters.reason == Reason.DOUBT else waits)
        values["reason"] = filters.reason
    return " AND ".join(conditions), values


def _is_scanned(filters: Filters) -> bool:
    """Return whether open items are read in their order until enough of them match."""
    return filters.state is State.OPEN and not filters.word and not filters.sender
