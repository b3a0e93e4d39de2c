"""Follow decisions in stories: see what is final, waits, is suggested or is asked again.

A story of decided.toml has steps: what somebody does (decide, rule, word, undo, hand_over), and
what then holds. Items are named by their texts, by default those of `corpora.CORPUS`.
"""

import json
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from triage.queue import Answer, Filters, Queue, Reason, Span, State, Task, WordRule
from triage.queue.apply import Applied, final_rows
from triage.vocabulary import IdentifierType

STORIES = cases_beside(__file__)
Spans = list[list[Any]]


class Story:
    """A queue in which something is decided, and what is asked of it."""

    def __init__(self, queue: Queue, texts: list[str]) -> None:
        self._queue, self._texts = queue, texts
        self._rules: dict[str, int | None] = {}

    def _item(self, text: str) -> int:
        return self._texts.index(text) + 1

    def _numbers(self, who: str, **filters: Any) -> list[str]:
        return [self._texts[n - 1] for n in self._queue.numbers(who, Filters(**filters))]

    def double(self, share: float) -> None:
        self._queue.double(share)

    def decide(self, who: str, text: str, answer: str, spans: Spans = (), **how: bool) -> None:  # type: ignore[assignment]
        marks = [Span(start, end, IdentifierType(of)) for start, end, of in spans]
        self._queue.decide(who, self._item(text), Answer(answer), marks, **how)

    def rule(self, who: str, text: str, answer: str, spans: Spans) -> None:
        self.decide(who, text, answer, spans, rules=True)

    def word(self, who: str, word: str, rule: str, of: str = "PRE") -> None:
        number = self._queue.decide_word(who, word, WordRule(rule), IdentifierType(of))
        self._rules.setdefault(word, number)

    def undo(self, who: str, word: str = "") -> None:
        self._queue.undo(who, decision=self._rules[word] if word else None)

    def hand_over(self, n: int, reason: str, id_: str, *place: Any, again: bool = False) -> None:
        task = Task(Reason(reason), id_)
        if place:
            task = task._replace(start=place[0], end=place[1], type=IdentifierType(place[2]))
        assert self._queue.add_items([task], again=again) == n

    def hand_over_again(self, n: int, reason: str, id_: str) -> None:
        self.hand_over(n, reason, id_, again=True)

    def final(self, text: str, action: str, by: str, spans: Spans) -> None:
        rows = [row for row in final_rows(self._queue, Applied("")) if row[2] == text]
        found = {(row[-3], row[-2], row[-1]) for row in rows}
        assert [[*said, json.loads(str(marks))] for *said, marks in found] == [[action, by, spans]]

    def state(self, text: str, state: str, answer: str = "") -> None:
        select = "SELECT state FROM items WHERE item = ?"
        [found] = self._queue.connection.execute(select, (self._item(text),)).fetchone()
        assert (found, self._queue.item(self._item(text)).final or "") == (state, answer)

    def standing(self, text: str, names: list[str]) -> None:
        assert [one.annotator for one in self._queue.item(self._item(text)).standing] == names

    def earlier(self, text: str, name: str, answer: str) -> None:
        [before] = self._queue.item(self._item(text)).earlier
        assert (before.annotator, before.answer, bool(before.at)) == (name, answer, True)

    def suggested(self, text: str, spans: Spans) -> None:
        assert [[*one] for one in self._queue.item(self._item(text)).suggested_spans] == spans

    def next(self, who: str, text: str) -> None:
        assert self._queue.next(who) == self._item(text)

    def waits(self, who: str, reason: str, texts: list[str]) -> None:
        assert self._numbers(who, reason=Reason(reason)) == texts

    def waits_under(self, who: str, text: str, reasons: list[str]) -> None:
        assert [one for one in Reason if text in self._numbers(who, reason=one)] == reasons

    def waiting(self, who: str, rules: bool, counts: dict[str, int]) -> None:
        assert self._queue.waiting(who, rules=rules) == counts

    def handed_over(self, counts: dict[str, int]) -> None:
        assert self._queue.status().handed_over == counts
        assert len(self._queue.handed_over()) == sum(counts.values())

    def asks_again(self, who: str, word: str, n: int) -> None:
        assert self._queue.effect_of_word(who, word, WordRule.ALWAYS).n_asked_again == n

    def lists(self, names: list[str], words: list[str]) -> None:
        assert self._queue.word_lists() == (names, words)

    def settled(self, n: int) -> None:
        assert self._queue.status().settled_by_words == n

    def unmarked(self, texts: list[str]) -> None:
        assert self._numbers("", state=State.UNMARKED) == texts
        assert self._queue.status().unmarked == len(texts)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_what_is_decided_has_the_consequences_that_are_told(
    story: dict[str, Any], queue: Queue, make_queue: c.MakeQueue
) -> None:
    own = c.invented(story.get("messages", ()))
    asked = make_queue(*own, name="own.queue") if own else queue
    told = Story(asked, [*dict.fromkeys(one.text for one in own or c.CORPUS)])
    for verb, *given in story["steps"]:
        getattr(told, verb)(*given)
    assert c.is_whole(asked)
