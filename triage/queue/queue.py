"""The queue: what people should see, and their decisions, which are only ever appended."""

import json
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from triage.dictionaries.normal import folded, normal

from ..errors import TriageError
from ..settings import choice
from ..vocabulary import SUSPECT_FROM, IdentifierType, Span, Spans, check_spans, parse_spans
from .records import (
    About,
    Answer,
    Decision,
    Filters,
    InDoubt,
    Item,
    ItemAnswer,
    ItemWord,
    Message,
    NoSuchItemError,
    Note,
    Order,
    PairAgreement,
    QueueProgress,
    Reason,
    StaleAnswerError,
    Standing,
    State,
    Status,
    Task,
    Votes,
    WordEffect,
    WordRule,
    annotator_name,
    joined,
    packed,
    suggested_spans,
)
from .store import SQL, connect, connect_existing, database_errors, transaction
from .words import refused

# An annotator who takes a short break keeps the item that they look at.
_RESERVED_FOR = 600.0
LONGEST_NOTE = 2_000

# Rules for words: rule and type by folded word.
Rule = tuple[WordRule, str]
Rules = dict[str, Rule]

# The column of each order, and its index of open items.
_ORDERS = {
    Order.LEARNING: ("turn", "INDEXED BY items_by_turn"),
    Order.DOUBT: ("doubt", "INDEXED BY items_by_doubt"),
    Order.FILE: ("item", ""),
    Order.RANDOM: ("shuffled", "INDEXED BY items_by_chance"),
}
# A spelling in doubt in fewer items is decided as quickly item by item.
MIN_DOUBTFUL_ITEMS = 3


class Queue:
    """The items that people should see, and the decisions on them, in one file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self.connection = connection
        # The last rules and spellings in doubt, and the state of the file in which they were read.
        self._last_rules: tuple[tuple[object, ...], Rules] = (), {}
        self._in_doubt: tuple[tuple[object, ...], list[InDoubt]] = (), []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        with database_errors(self.path):
            self.connection.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise error

    def _all(self, sql: str, values: Any = ()) -> list[Any]:  # noqa: ANN401  # rows are untyped
        return self.connection.execute(sql, values).fetchall()

    def _row(self, sql: str, values: Any = ()) -> Any:  # noqa: ANN401  # rows are untyped
        return self.connection.execute(sql, values).fetchone()

    def run(self, part: str, **values: Any) -> list[Any]:  # noqa: ANN401  # rows are untyped
        """Run a statement of the script; it reads collections of values as JSON."""
        for name, value in values.items():
            if isinstance(value, list | tuple | set | dict):
                values[name] = json.dumps([*value])
        return self._all(SQL[part], values)

    @classmethod
    def create(cls, path: Path, about: About) -> Self:
        connection = connect(path)
        with transaction(connection):
            rows = [(name, json.dumps(value)) for name, value in asdict(about).items()]
            connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
        return cls(connection, path)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a queue; one that an earlier version made is brought to this one."""
        return cls(connect_existing(Path(path)), Path(path))

    @property
    def about(self) -> About:
        stored = {name: json.loads(value) for name, value in self._all("SELECT * FROM about")}
        # A queue that an earlier version made lacks the last ones.
        values = {field.name: stored[field.name] for field in fields(About) if field.name in stored}
        return About(**values | {"columns": tuple(values["columns"])})

    @property
    def _state(self) -> tuple[object, ...]:
        """Numbers that change as soon as anybody writes into the file."""
        return *self._row("PRAGMA data_version"), self.connection.total_changes

    def item(self, number: int) -> Item:
        """Return an item with all that a page shows; NoSuchItemError if it does not exist."""
        text, rules = self._text(number), self.word_rules()
        [(n_messages, *votes, wanted, final, since, voted_ta)] = self.run("item", item=number)
        [first] = self.run("first message", item=number) or [None]
        return Item(
            number,
            text,
            tuple(self._words(number, text, rules, voted_ta=voted_ta)),
            first and Message._make((*first, text)),
            n_messages,
            Votes.parse(*votes),
            bool(voted_ta),
            self._standing("current answers", number),
            wanted,
            Answer(final) if final else None,
            () if since is None else tuple(self.handed_over([number])),
            () if since is None else self._standing("earlier answers", number, since),
        )

    def _standing(self, part: str, item: int, since: int | None = None) -> tuple[Standing, ...]:
        return tuple(parsed_standing(*row) for row in self.run(part, item=item, since=since))

    def _words(self, number: int, text: str, rules: Rules, *, voted_ta: bool) -> list[ItemWord]:
        """Return the words of an item; if a vote says TA, at least the strongest is suggested."""
        words: list[ItemWord] = []
        candidates = []
        for start, end, *seen, evidence, type_, by_machine, form in self.run("words", item=number):
            is_suggested, likely = suggested(rules.get(form), type_, by_machine)
            if evidence and rules.get(form, ("",))[0] != WordRule.NEVER:
                candidates.append((evidence, -len(words)))
            details = (*seen, evidence, likely, is_suggested)
            words.append(ItemWord(start, end, text[start:end], *details))
        if voted_ta and candidates and not any(word.suggested for word in words):
            strongest = -max(candidates)[1]
            words[strongest] = words[strongest]._replace(suggested=True)
        return words

    def suggestions(self) -> Callable[[int], Spans]:
        """Return a function that suggests the spans of an item, whatever its votes."""
        rules = self.word_rules()
        return lambda number: suggested_spans(self._words(number, "", rules, voted_ta=False))

    def find(self, digest: bytes) -> int | None:
        row = self._row("SELECT item FROM items WHERE digest = ?", (digest,))
        return int(row[0]) if row else None

    def resolved(self) -> dict[int, Standing]:
        """Return people's final answers by item; of annotators who agree, their names and marks."""
        standings: dict[int, Standing] = {}
        for item, *row in self.run("final answers"):
            standing, before = parsed_standing(*row), standings.get(item)
            if before and not standing.adjudicates:
                names = f"{before.annotator} + {standing.annotator}"
                spans = joined(before.spans, standing.spans)
                standing = standing._replace(annotator=names, spans=spans)
            standings[item] = standing
        return standings

    def waiting(self, annotator: str, *, rules: bool) -> dict[Reason, int]:
        """Return how many items an annotator should see by reason; rulers see disagreements."""
        counts = {Reason(reason): int(n) for reason, n in self.run("waiting", annotator=annotator)}
        [(n_other,)] = self.run("waiting for another reason", annotator=annotator)
        counts[Reason.DOUBT] = self.count(annotator, Filters()) - n_other
        if rules:
            counts[Reason.DISAGREEMENT] = self.count("", Filters(state=State.DISAGREED))
        return {reason: counts[reason] for reason in Reason if counts.get(reason)}

    def handed_over(self, items: list[int] | None = None) -> list[Task]:
        """Return the tasks that other rooms handed over and nobody has answered."""
        return [
            Task(Reason(reason), id_, 0, start, end, IdentifierType(type_), item)
            for reason, id_, start, end, type_, item in self.run("handed over", items=items)
        ]

    def context(self, message: int, n: int = 3) -> tuple[list[Message], list[Message]]:
        """Return up to `n` messages before and after one of a conversation, by date or as filed."""
        rows = self.run("context", message=message, n=n)
        before, after = ([Message(*row) for at, *row in rows if at == side] for side in (0, 1))
        return before, after

    def messages(self) -> Iterator[tuple[int, str, str, str, str]]:
        """Yield item, sender, text, action (EXPERT while it waits) and cells of each message."""
        return self.connection.execute(SQL["messages"])

    def votes(self) -> tuple[float, ...]:
        """Return sums over messages and votes, by which a change of either shows."""
        [votes] = self.run("votes")
        return tuple(map(float, votes))

    def _rules(self) -> dict[str, tuple[str, str, str, int, str]]:
        """Return word, rule, type, decision and annotator of the last rule for each word."""
        return {folded(rule[0]): rule for rule in self.run("rules")}

    def word_rules(self) -> Rules:
        if self._last_rules[0] != (state := self._state):
            rules = self._rules().items()
            by_form = {form: (WordRule(rule), type_) for form, (_, rule, type_, *_) in rules}
            self._last_rules = state, by_form
        return self._last_rules[1]

    def ruled_words(self) -> dict[int, list[tuple[Span | None, bool, int, str]]]:
        """Return the words of each item for which a rule is in force.

        Of each: its span if it is a name, whether it is suggested, the decision, the annotator.
        """
        rules, words = self._rules(), defaultdict[int, list[Any]](list)
        for item, start, end, by_machine, form in self.run("words with rules", rules=rules):
            _, rule, type_, decision, annotator = rules[form]
            span = Span(start, end, IdentifierType(type_)) if rule == WordRule.ALWAYS else None
            words[item].append((span, bool(by_machine), decision, annotator))
        return words

    def word_lists(self) -> tuple[list[str], list[str]]:
        """Return the words that are always, and those that are never, a name; both sorted."""
        rules = self._rules().values()
        always, never = (sorted(rule[0] for rule in rules if rule[1] == one) for one in WordRule)
        return always, never

    def spellings(self, words: Collection[str]) -> list[str]:
        rows = self.run("spellings", words=[*map(folded, words)])
        return sorted({normal(word) for word in (*words, *(word for (word,) in rows))})

    def in_doubt(self, annotator: str) -> list[InDoubt]:
        """Return spellings whose rule would settle open items that hold no other one in doubt."""
        state = annotator, *self._state
        if self._in_doubt[0] != state:
            always, never = ([*map(folded, words)] for words in self.word_lists())
            lists = {"always": always, "never": never}
            bounds = {"suspect_from": SUSPECT_FROM, "fewest": MIN_DOUBTFUL_ITEMS}
            rows = self.run("spellings in doubt", annotator=annotator, **lists, **bounds)
            one_word = (one for one in rows if len(one[0].split()) == 1)
            spellings = [InDoubt(word, IdentifierType(type_), n) for word, type_, n, _ in one_word]
            self._in_doubt = state, spellings
        return self._in_doubt[1]

    def places(self, annotator: str, word: str, limit: int) -> list[tuple[int, int, int, str]]:
        return self.run("places", annotator=annotator, word=folded(word), limit=limit)

    def rows(
        self,
        annotator: str,
        filters: Filters,
        order: Order = Order.LEARNING,
        *,
        offset: int = 0,
        limit: int = 50,
    ) -> list[Item]:
        query, values = _list_query(annotator, filters, order)
        numbers = self._all(
            f"{query} ORDER BY {_ORDERS[order][0]}, item LIMIT :limit OFFSET :offset",
            values | {"limit": limit, "offset": offset},
        )
        return [self.item(number) for (number,) in numbers]

    def numbers(self, annotator: str, filters: Filters) -> list[int]:
        query, values = _list_query(annotator, filters)
        return [number for (number,) in self._all(f"{query} ORDER BY item", values)]

    def count(self, annotator: str, filters: Filters) -> int:
        query, values = _list_query(annotator, filters)
        sql = SQL["count of open"] if filters == Filters() else f"SELECT count(*) FROM ({query})"
        return int(self._row(sql, values)[0])

    def _first_of(self, queries: Sequence[str], values: Mapping[str, object]) -> int | None:
        rows = (self._row(f"{sql} LIMIT 1", values) for sql in queries)
        return next((int(row[0]) for row in rows if row), None)

    def neighbours(
        self, annotator: str, filters: Filters, order: Order, number: int
    ) -> tuple[int | None, int | None]:
        """Return the items before and after one: those that somebody decided, then what waits."""
        column = _ORDERS[order][0]
        waiting, values = _list_query(annotator, filters, order, now=time.time())
        values |= {"number": number, "rules": filters.state is State.DISAGREED}
        decided = SQL["decided by"]
        own_row = self._row(f"{decided} AND item = :number", values)
        if own_row:
            values["own"] = own_row[1]
            before = [f"{decided} AND decision < :own ORDER BY decision DESC"]
            after = [
                f"{decided} AND decision > :own ORDER BY decision",
                f"{waiting} ORDER BY {column}, item",
            ]
        else:
            place = f"(SELECT {column}, item FROM items WHERE item = :number)"
            before = [
                f"{waiting} AND (i.{column}, i.item) < {place} ORDER BY {column} DESC, item DESC",
                f"{decided} AND item <> :number ORDER BY decision DESC",
            ]
            after = [f"{waiting} AND (i.{column}, i.item) > {place} ORDER BY {column}, item"]
        return self._first_of(before, values), self._first_of(after, values)

    def notes(self, reader: str, item: int | None = None) -> list[Note]:
        """Return the notes on an item that a reader may see, or all that ask, in order."""
        return [Note(*row) for row in self.run("notes", item=item, reader=reader)]

    def history(
        self,
        annotator: str | None = None,
        limit: int = 20,
        *,
        reader: str | None = None,
        number: int | None = None,
    ) -> list[Decision]:
        """Return decisions, the newest first; a reader sees no other's answer to an open item."""
        values = {"annotator": annotator, "limit": limit, "reader": reader, "number": number}
        decisions = []
        for *row, answer, items, spans in self.run("history", **values):
            kind, marks = Answer(answer) if answer else None, parse_spans(spans)
            decisions.append(Decision._make((*row, kind, tuple(json.loads(items)), marks)))
        return decisions

    def last_decision(self, annotator: str | None = None) -> int:
        """Return the number of the last decision of an annotator, or of anybody; 0 without one."""
        where = "WHERE annotator = :annotator" if annotator is not None else ""
        last = f"SELECT coalesce(max(decision), 0) FROM decisions {where}"
        return int(self._row(last, {"annotator": annotator})[0])

    def assigned(self) -> dict[str, int]:
        """Return how many open items are assigned to each annotator, answered by them or not."""
        return dict(self.run("assigned"))

    def waits_for(self) -> dict[str, int]:
        """Return how many open items wait for each annotator; with no name, for anybody else."""
        return dict(self.run("waits for"))

    def progress(self, annotator: str) -> QueueProgress:
        [row] = self.run("progress", annotator=annotator)
        n_ta, n_nta, n_skipped, messages, waiting, per_hour = row
        n_open = self.count(annotator, Filters())
        seconds_left = n_open / per_hour * 3600 if per_hour else None
        of_all = messages, int(messages - waiting), per_hour, seconds_left
        return QueueProgress(n_ta + n_nta, n_open, n_skipped, *of_all, n_ta)

    def status(self) -> Status:
        [(*counts, by_words, waiting)] = self.run("counts")
        always, never = map(tuple, self.word_lists())
        of_people = dict(self.run("annotators")), tuple(self._pairs()), always, never
        handed_over = dict(Counter(one.reason.value for one in self.handed_over()))
        unmarked = self.count("", Filters(state=State.UNMARKED))
        figures: list[Any] = [*counts, *of_people, by_words, handed_over, unmarked, waiting]
        return Status(*figures)

    def _pairs(self) -> Iterator[PairAgreement]:
        for (first, second), both in groupby(self.run("pairs"), lambda row: row[:2]):
            agreement: tuple[float | None, float | None, float | None] = (None, None, None)
            _, _, items, ones, twos, *spans, states = zip(*both, strict=True)
            # If both only ever gave one answer, chance explains all agreement.
            if len({*ones, *twos}) > 1:
                # Imported here: numpy loads slowly, and most steps of a review need no agreement.
                from triage.reports.measures import cohen_kappa

                _, kappa = cohen_kappa(ones, twos)
                # Processors differ in the last digits.
                agreement = round(kappa.estimate, 6), round(kappa.low, 6), round(kappa.high, 6)
            # Of both, how many marks the two made, with one type.
            marks = [({*parse_spans(a)}, {*parse_spans(b)}) for a, b in zip(*spans, strict=True)]
            n_marks = sum(len(a) + len(b) for a, b in marks)
            pairs = zip(items, states, strict=True)
            to_adjudicate = tuple(item for item, state in pairs if state == "disagreed")
            yield PairAgreement(
                *(first, second, len(items), *agreement),
                round(2 * sum(len(a & b) for a, b in marks) / n_marks, 6) if n_marks else None,
                to_adjudicate,
            )

    def next(
        self,
        annotator: str,
        filters: Filters = Filters(),  # noqa: B008 (frozen)
        order: Order = Order.LEARNING,
        *,
        after: int | None = None,
    ) -> int | None:
        """Return the first item that nobody else holds, and reserve it; skipped ones come last."""
        with transaction(self.connection):
            query, values = _list_query(annotator, filters, order, now=time.time())
            query, values = f"{query} AND i.item IS NOT :after", values | {"after": after}
            item = self._first_of(
                [
                    f"{query} AND NOT EXISTS ({SQL['own answer']} = 'SKIP') "
                    f"ORDER BY {_ORDERS[order][0]}, item",
                    f"{SQL['skipped by']} AND item IN ({query}) ORDER BY decision",
                ],
                values,
            )
            if item is not None:
                self.release(annotator)
                until = time.time() + _RESERVED_FOR
                self.run("hold", item=item, annotator=annotator, until=until)
        return item

    def release(self, annotator: str) -> None:
        self.connection.execute("DELETE FROM reserved WHERE annotator = ?", (annotator,))

    def add_items(self, tasks: Iterable[Task], *, again: bool = False) -> int:
        """Hand over messages that a person should see; return how many items are open by that.

        Each is named by its id, or by its row where the corpus has no ids. What was decided on it
        before settles it no more. What was handed over before, for the same reason and place, and
        answered, is asked `again` only where that is said.
        """
        every_task = [*tasks]
        with transaction(self.connection):
            rows = []
            for one, item in self.with_items(every_task):
                check_spans(one.place, len(self._text(item)))
                rows.append((item, one.reason, one.start, one.end, one.type, one.id))
            if again:
                self.connection.executemany(SQL["forget answered"], (row[:4] for row in rows))
            return self._hand_over(rows, self.last_decision())

    def _hand_over(self, rows: list[Any], since: int) -> int:
        """Open items for a reason, whatever was decided up to `since`; return how many."""
        opened = {item for (item,) in self.run("hand over", rows=rows, since=since)}
        self.run("open again", items=opened, since=since)
        self.stand_again(opened)
        return len(opened)

    def stand_again(self, items: Collection[int], annotator: str | None = None) -> None:
        """Bring the current answers to items, of one annotator or of all, and states up to date."""
        for part in ("stand no more", "stand"):
            self.run(part, items={*items}, annotator=annotator)
        self.run("settle", items={*items})

    def unanswered(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that were handed over and that nobody has answered since."""
        waiting = {(one.item, one.reason, one.start, one.end) for one in self.handed_over()}
        pairs = self.with_items(tasks)
        open_tasks = {t for t, item in pairs if (item, t.reason, t.start, t.end) in waiting}
        return [one for one in tasks if one in open_tasks]

    def with_items(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, int]]:
        """Yield tasks with the items of the messages that their ids or rows name."""
        ids, rows = {one.id for one in tasks if one.id}, {one.row for one in tasks if not one.id}
        items = defaultdict[str | int, list[int]](list)
        for name, item in self.run("items of messages", ids=ids, rows=rows):
            items[name].append(item)
        if unknown := [str(name) for name in (ids | rows) if name not in items]:
            raise TriageError(f"no message of this queue has the id or row {min(unknown)}")
        return ((one, item) for one in tasks for item in items[one.id or one.row])

    def decide(
        self,
        annotator: str,
        item: int,
        answer: Answer,
        spans: Sequence[Span] = (),
        *,
        seen: int | None = None,
        rules: bool = False,
        own: bool = False,
    ) -> int | None:
        """Record an answer to an item; None if it is current already.

        `seen` is the annotator's last decision on the item as they saw it, 0 without any;
        StaleAnswerError if another one is current. With `rules` it is a ruling, which outweighs
        answers; `own` allows one on what one has answered.
        """
        with self._acting(annotator) as name:
            checked = self.checked(item, answer, spans)
            if rules and not own and self.item(item).answered_by(name):
                raise refused("own_answer", item=item, name=name)
            if seen is not None:
                standing = self.run("current answer", item=item, annotator=name, rules=rules)
                current, before, marked = standing[0] if standing else (0, None, "[]")
                is_same = (before, parse_spans(marked)) == (answer, checked.spans)
                # A skipped message that comes again may be skipped again.
                if is_same and not (answer is Answer.SKIP and current == seen):
                    return None
                if not is_same and current != seen:
                    raise StaleAnswerError(f"item {item}: {name} has answered it since")
            kind = "adjudication" if rules else "message"
            return self._record(name, kind, [checked], answer=checked.answer.value)

    def checked(self, item: int, answer: Answer, spans: Sequence[Span]) -> ItemAnswer:
        """Return an answer to an item with its spans in order; TriageError if it is invalid."""
        text, answer = self._text(item), choice(Answer, answer, "answer")
        if spans and answer is not Answer.TA:
            raise TriageError(f"item {item}: only a message that is TA has identifiers to mark")
        where = f"item {item}: a type"
        marks = [Span(start, end, choice(IdentifierType, one, where)) for start, end, one in spans]
        return ItemAnswer(item, answer, check_spans(marks, len(text)))

    def _text(self, item: int) -> str:
        row = self._row("SELECT text FROM texts WHERE item = ?", (item,))
        if not row:
            raise NoSuchItemError(f"there is no item {item} in this queue")
        return str(row[0])

    def decide_all(
        self, annotator: str, items: Sequence[int], answer: Answer, *, last: int | None = None
    ) -> int:
        """Record one answer to several items, the suggested words as identifiers of a TA."""
        answer = choice(Answer, answer, "answer")
        with self._acting(annotator, last) as name:
            answers = []
            for number in dict.fromkeys(items):
                item = self.item(number)
                spans = item.suggested_spans if answer is Answer.TA else ()
                answers.append(ItemAnswer(number, answer, spans))
            return self._record(name, "message", answers, answer=answer.value)

    def record_imports(self, imported: Mapping[str, Sequence[ItemAnswer]]) -> None:
        """Record answers from elsewhere by annotator, all or none."""
        with transaction(self.connection):
            for annotator, answers in sorted(imported.items()):
                checked = [self.checked(*one) for one in answers]
                self._record(annotator_name(annotator), "import", checked)

    def undo(
        self, annotator: str, *, last: int | None = None, decision: int | None = None
    ) -> Decision | None:
        """Undo an annotator's last decision in force, or a certain one; None if there is none."""
        with self._acting(annotator, last) as name:
            rows = self.run("last in force", annotator=name, decision=decision)
            if not rows:
                return None
            [(number,)] = rows
            self.run("undo", at=_now(), annotator=name, decision=number)
            [undone] = self.history(limit=1, number=number)
            # Of a rule, what was asked again because of it, too.
            sql = "DELETE FROM reasons WHERE reason = 'spelling' AND since = ? RETURNING item"
            withdrawn = [item for (item,) in self._all(sql, (number,))]
            self.run("withdraw", items=withdrawn)
            self.stand_again(withdrawn)
            self.stand_again(undone.items, name)
            return undone

    @contextmanager
    def _acting(self, annotator: str, last: int | None = None) -> Iterator[str]:
        """Give an annotator's name as it is stored, within a transaction.

        StaleAnswerError if their last decision is not `last`, unless that is None.
        """
        with transaction(self.connection):
            if last is not None and self.last_decision(annotator) != last:
                raise StaleAnswerError(f"{annotator} has decided something since")
            yield annotator_name(annotator)

    def _record(self, name: str, kind: str, given: Sequence[ItemAnswer], **more: str | None) -> int:
        """Append a decision and the answers that it gives; return its number."""
        values = {"answer": None, "word": "", "rule": "", "type": ""} | more
        values |= {"at": _now(), "annotator": name, "kind": kind}
        number = self.connection.execute(SQL["decide"], values).lastrowid or 0
        rows = [(number, s.item, s.answer.value, packed(s.spans)) for s in given]
        self.connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
        items = [s.item for s in given]
        self.stand_again(items, name)
        self.run("give back", items=items, annotator=name)
        return number

    def decide_word(
        self,
        annotator: str,
        word: str,
        rule: WordRule,
        type: IdentifierType = IdentifierType.PRE,  # noqa: A002
        *,
        last: int | None = None,
    ) -> int:
        """Record that a word is always, or never, a name, and the answers that follow.

        What people decided NTA although it holds a word that is always a name, they are asked
        again.
        """
        word, rule = word.strip(), choice(WordRule, rule, "rule")
        type = choice(IdentifierType, type, "type")  # noqa: A001
        with self._acting(annotator, last) as name:
            _, answers = self._answers_by_word(name, word, rule, type)
            values = {"word": word, "rule": rule.value}
            values |= {"type": type.value} if rule is WordRule.ALWAYS else {}
            number = self._record(name, "word", answers, **values)
            if rule is WordRule.ALWAYS:
                self._hand_over(self.run("decided NTA", word=folded(word), type=type), number)
            return number

    def effect_of_word(self, annotator: str, word: str, rule: WordRule) -> WordEffect:
        rule = choice(WordRule, rule, "rule")
        items, answers = self._answers_by_word(annotator, word.strip(), rule, IdentifierType.PRE)
        values = {"word": folded(word.strip()), "rule": rule}
        [(n_messages, n_again)] = self.run("effect of word", items=items, **values)
        return WordEffect(len(items), n_messages, len(answers), n_again)

    def _answers_by_word(
        self, annotator: str, word: str, rule: WordRule, type_: IdentifierType
    ) -> tuple[list[int], list[ItemAnswer]]:
        """Return an annotator's open items with a word, and the answers that deciding it gives."""
        if len(word.split()) != 1:
            raise TriageError("a rule is of one word: mark several words message by message")
        items = self.numbers(annotator, Filters(word=word))
        rules, ruled_form = self.word_rules(), folded(word)
        marked, others = (defaultdict[int, list[Span]](list) for _ in range(2))
        unsure = set()
        values = {"held": items, "rules": [ruled_form, *rules], "suspect_from": SUSPECT_FROM}
        found = self.run("words that matter", **values)
        for number, start, end, kind, by_machine, form, may_name in found:
            is_suggested, likely = suggested(rules.get(form), kind, by_machine)
            if form == ruled_form:
                marked[number].append(Span(start, end, type_))
            elif is_suggested:
                others[number].append(Span(start, end, likely))
            elif may_name and rules.get(form, ("",))[0] != WordRule.NEVER:
                unsure.add(number)
        # Why something was handed over is for a person to see, unless that was this word.
        reasons = (Reason.SPELLING, Reason.FINDING)
        spans = ((n, *span[:2]) for n, places in marked.items() for span in places)
        of_this_word = {(reason, *span) for span in spans for reason in reasons}
        tasks = self.handed_over(items)
        unsure |= {t.item for t in tasks if (t.reason, t.item, t.start, t.end) not in of_this_word}
        if rule is WordRule.ALWAYS:
            return items, [ItemAnswer(n, Answer.TA, joined(marked[n], others[n])) for n in items]
        return items, [ItemAnswer(n, Answer.NTA) for n in items if n not in {*others, *unsure}]

    def note(self, annotator: str, item: int, text: str, *, asks: bool = False) -> bool:
        """Record a note in place of the annotator's last one; False if it is the same."""
        text = "\n".join(text.split("\r\n")).strip()
        with self._acting(annotator) as name:
            self._text(item)
            if len(text) > LONGEST_NOTE:
                raise TriageError(f"item {item}: a note has at most {LONGEST_NOTE:,} characters")
            last = self.run("last note", item=item, annotator=name) or [("", 0)]
            if last == [(text, int(asks))]:
                return False
            self.run("note", at=_now(), annotator=name, item=item, text=text, asks=int(asks))
            return True

    def assign(self, annotators: Sequence[str], double: float | None = None) -> dict[str, int]:
        """Assign the open items to annotators; return how many each has to answer."""
        with transaction(self.connection):
            if double is not None:
                self.double(double)
            names = [annotator_name(name) for name in annotators]
            if len(set(names)) < len(names):
                raise TriageError("an annotator is named twice: name each once")
            (wanted,) = self._row("SELECT max(wanted) FROM items WHERE state = 'open'")
            if len(names) == 1 and (wanted or 1) > 1:
                raise TriageError("some items want two annotators: name a second one with --to")
            self.run("assign", names=[*names, ""], n=len(names))
            return dict.fromkeys(names, 0) | self.assigned()

    def double(self, share: float) -> None:
        """Let two annotators answer a share of what nobody has read; what is answered stays."""
        with transaction(self.connection):
            self._all("INSERT OR REPLACE INTO about VALUES ('doubled', ?)", (str(share),))
            self.run("double", share=share)
            self.connection.execute("UPDATE items SET second = '' WHERE wanted = 1")
            names = [*self.assigned()]
            self.run("second", names=names, n=len(names))
            alone = "state = 'open' AND wanted > 1 AND owner <> '' AND second = ''"
            if self._row(f"SELECT 1 FROM items WHERE {alone}"):
                raise refused("all_of_one", name=names[0])


def parsed_standing(
    annotator: str, answer: str, spans: str, decision: int, rules: int, at: str = ""
) -> Standing:
    return Standing(annotator, Answer(answer), parse_spans(spans), decision, bool(rules), at)


def suggested(rule: Rule | None, kind: str, by_machine: int) -> tuple[bool, IdentifierType]:
    """Return whether a word is suggested, and as which type; a rule outweighs the machine."""
    if rule is None:
        return bool(by_machine), IdentifierType(kind)
    return rule[0] is WordRule.ALWAYS, IdentifierType(rule[1] or kind)


def _list_query(
    annotator: str, filters: Filters, order: Order = Order.FILE, *, now: float | None = None
) -> tuple[str, dict[str, object]]:
    """Return the query of a list, with `now` without what others hold, and its values."""
    by = [name for name in ("sender", "seek_hide", "model", "reason") if getattr(filters, name)]
    if filters.reason == Reason.DOUBT:
        by[-1] = "doubt"
    conditions = [SQL[f"list of {filters.state}"], *(SQL[f"by {name}"] for name in by)]
    if now is not None and filters.state is State.OPEN:
        conditions.append(SQL["is free"])
    words = {f"word{i}": folded(word) for i, word in enumerate(filters.word.split())}
    conditions += [
        f"i.item IN (SELECT w.item FROM words w JOIN forms f USING (form) WHERE f.folded = :{name})"
        for name in words
    ]
    # Open items are read in their order until enough of them match.
    is_scanned = filters.state is State.OPEN and not filters.word and not filters.sender
    index = _ORDERS[order][1] if is_scanned else ""
    values = vars(filters) | words | {"annotator": annotator, "now": now}
    return f"SELECT i.item FROM items i {index} WHERE {' AND '.join(conditions)}", values


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
