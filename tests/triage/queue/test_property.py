"""Whatever several annotators do, in whatever order, a queue is what its decisions say."""

import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.cases import cases_beside
from tests.triage.queue import corpora as c
from triage import Triage
from triage.decide.source import Source
from triage.dictionaries.normal import folded
from triage.errors import TriageError
from triage.queue import Answer, Filters, Queue, Reason, Spans, State, Task, WordRule
from triage.queue.fill import add_to_queue, create_queue
from triage.queue.records import ItemAnswer

pytestmark = pytest.mark.slow

ANNOTATORS = ("anna", "marc", "lou")
WHO, NTH, ANSWER = st.sampled_from(ANNOTATORS), st.integers(0, 99), st.sampled_from(Answer)
WORDS = ("zouzou", "elea", "midi", "arrivent")
CASES = cases_beside(__file__)
FIRST = c.invented(CASES["first"])
# Messages that come later: new ones, known texts of new messages, and other votes of known ones.
LATER = (
    FIRST,
    FIRST + c.invented(CASES["more"]),
    *(c.invented(messages) for messages in CASES["others"]),
)


@dataclass
class Made:
    """A decision, as the model keeps it."""

    annotator: str
    says: dict[str, tuple[Answer, Spans]]
    adjudicates: bool = False
    undone: bool = False


def holds(text: str, word: str) -> bool:
    return word in text.lower().replace("é", "e")


@dataclass
class Model:
    """A queue as it is meant to be: plain lists, and no table."""

    messages: dict[tuple[str, str, str], str] = field(default_factory=dict)
    decisions: list[Made] = field(default_factory=list)
    wanted: dict[str, int] = field(default_factory=dict)
    # How many decisions there were before a text was handed over, and by which rule of a word.
    handed_over: dict[str, list[tuple[int, Made | None, str]]] = field(default_factory=dict)

    def add(self, messages: tuple[c.Sms, ...]) -> None:
        for message in messages:
            self.messages[message.id, message.sender, message.text] = message.action

    @property
    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for _, _, text in self.messages))

    def n_expert(self, text: str) -> int:
        if self.since(text) is not None:
            return sum(of == text for _, _, of in self.messages)
        return sum(of == text and a == "EXPERT" for (_, _, of), a in self.messages.items())

    def since(self, text: str) -> int | None:
        found = self.handed_over.get(text, [])
        return max((n for n, rule, _ in found if not (rule and rule.undone)), default=None)

    def ask_again(self, word: str, rule: Made) -> None:
        """Hand over what people decided NTA although it holds a word that is always a name."""
        for text in self.texts:
            found = self.handed_over.setdefault(text, [])
            is_asked = any(of == word and not by.undone for _, by, of in found if by)
            if holds(text, word) and self.state(text)[1] is Answer.NTA and not is_asked:
                found.append((len(self.decisions), rule, word))

    def standing(self, text: str, *, adjudicates: bool = False) -> dict[str, tuple[Answer, Spans]]:
        """Return the last answer of each annotator to a text, in order."""
        found: dict[str, tuple[Answer, Spans]] = {}
        for made in self.decisions[self.since(text) or 0 :]:
            if text in made.says and not made.undone and made.adjudicates == adjudicates:
                found.pop(made.annotator, None)
                found[made.annotator] = made.says[text]
        return found

    def answers(self, text: str) -> dict[str, Answer]:
        return {
            name: answer
            for name, (answer, _) in self.standing(text).items()
            if answer is not Answer.SKIP
        }

    def state(self, text: str) -> tuple[str, Answer | None]:
        """The state of a text, and what is final."""
        adjudicated = [answer for answer, _ in self.standing(text, adjudicates=True).values()]
        said = list(self.answers(text).values())
        needed = self.wanted.get(text, 1) if self.n_expert(text) else 1
        if adjudicated:
            return "final", adjudicated[-1]
        if len(set(said)) == 2:
            return "disagreed", None
        if len(said) >= needed:
            return "final", said[0]
        return ("open" if self.n_expert(text) else "machine"), None

    def in_state(self, state: str) -> set[str]:
        return {text for text in self.texts if self.state(text)[0] == state}

    def undo(self, annotator: str) -> Made | None:
        for made in reversed(self.decisions):
            if made.annotator == annotator and not made.undone:
                made.undone = True
                return made
        return None


started = precondition(lambda self: hasattr(self, "queue"))


class Annotating(RuleBasedStateMachine):
    """Several annotators at one queue, of which a file grows and is triaged again."""

    template: Path
    folder: Path
    triage: Triage
    sources: tuple[Source, ...]
    numbers = count()

    @initialize()
    def copy(self) -> None:
        path = self.folder / f"{next(self.numbers)}.queue"
        shutil.copy(self.template, path)
        self.queue, self.n_undos = Queue.open(path), 0
        self.model = Model()
        self.model.add(FIRST)
        self.numbered()

    def numbered(self) -> None:
        rows = self.queue.rows("nobody", Filters(state=State.ALL), limit=99)
        self.item = {row.text: row.number for row in rows}
        self.text = {row.number: row.text for row in rows}
        assert set(self.item) == set(self.model.texts)

    def nth(self, n: int) -> str:
        return self.model.texts[n % len(self.item)]

    @rule(annotator=WHO, nth=NTH, answer=ANSWER, whole=st.booleans(), rules=st.booleans())
    def decide(self, annotator: str, nth: int, answer: Answer, whole: bool, rules: bool) -> None:
        text = self.nth(nth)
        answer = Answer.TA if rules and answer is Answer.SKIP else answer
        spans = c.marked(text, text if whole else text[:2]) if answer is Answer.TA else ()
        said = (annotator, self.item[text], answer, spans)
        if rules and annotator in self.model.answers(text):
            with pytest.raises(TriageError, match="somebody else adjudicates"):
                self.queue.decide(*said, rules=True)
        self.queue.decide(*said, own=True, rules=rules)
        self.model.decisions.append(Made(annotator, {text: (answer, spans)}, adjudicates=rules))

    @rule(annotator=WHO, nths=st.sets(st.integers(0, 9), min_size=1), answer=ANSWER)
    def decide_several(self, annotator: str, nths: set[int], answer: Answer) -> None:
        texts = {self.nth(nth) for nth in nths}
        says: dict[str, tuple[Answer, Spans]] = {}
        for text in sorted(texts, key=self.item.__getitem__):
            item = self.queue.item(self.item[text])
            says[text] = answer, item.suggested_spans if answer is Answer.TA else ()
        self.queue.decide_all(annotator, [self.item[text] for text in texts], answer)
        self.model.decisions.append(Made(annotator, says))

    @rule(nth=NTH, answers=st.dictionaries(st.sampled_from(ANNOTATORS), st.booleans()))
    def import_answers(self, nth: int, answers: dict[str, bool]) -> None:
        text = self.nth(nth)
        said = {name: Answer.TA if is_ta else Answer.NTA for name, is_ta in answers.items()}
        self.queue.record_imports(
            {name: [ItemAnswer(self.item[text], answer, ())] for name, answer in said.items()}
        )
        for name, answer in sorted(said.items()):
            self.model.decisions.append(Made(name, {text: (answer, ())}))

    @rule(annotator=WHO, word=st.sampled_from(WORDS), word_rule=st.sampled_from(WordRule))
    def decide_word(self, annotator: str, word: str, word_rule: WordRule) -> None:
        mine = c.open_to(self.queue, annotator)
        effect = self.queue.effect_of_word(annotator, word, word_rule)
        number = self.queue.decide_word(annotator, word, word_rule)
        done = self.queue.history(annotator, limit=1)[0]
        assert (done.number, len(done.items)) == (number, effect.n_settled)
        held = {self.text[n] for n in done.items}
        holding = {self.text[n] for n in mine if holds(self.text[n], word)}
        assert held == holding if word_rule is WordRule.ALWAYS else held <= holding
        says: dict[str, tuple[Answer, Spans]] = {}
        for text in held:
            item = self.queue.item(self.item[text])
            [said] = [s for s in item.standing if s.decision == number]
            assert said.answer is (Answer.TA if word_rule is WordRule.ALWAYS else Answer.NTA)
            assert bool(said.spans) == (word_rule is WordRule.ALWAYS)
            says[text] = said.answer, said.spans
        made = Made(annotator, says)
        self.model.decisions.append(made)
        if word_rule is WordRule.ALWAYS:
            self.model.ask_again(word, made)

    @rule(annotator=WHO)
    def undo(self, annotator: str) -> None:
        done, made = self.queue.undo(annotator), self.model.undo(annotator)
        assert (done is None) == (made is None)
        if done and made:
            self.n_undos += 1
            assert done.undone
            assert {self.text[number] for number in done.items} == set(made.says)

    @rule(nth=st.integers(0, len(LATER) - 1))
    def add(self, nth: int) -> None:
        known = set(self.model.messages)
        filled = add_to_queue(self.queue, self.sources[nth], self.triage)
        self.model.add(LATER[nth])
        assert filled.messages == len(LATER[nth])
        assert filled.new == len(set(self.model.messages) - known)
        self.numbered()

    @rule(nth=NTH, reason=st.sampled_from(list(Reason)[:3]))
    def hand_over(self, nth: int, reason: Reason) -> None:
        text = self.nth(nth)
        ids = [Task(reason, id_) for id_, _, of in self.model.messages if of == text]
        before = self.queue.item(self.item[text])
        if self.queue.add_items(ids):
            handed_over = self.model.handed_over.setdefault(text, [])
            handed_over.append((len(self.model.decisions), None, ""))
        else:
            known = reason in [one.reason for one in before.tasks]
            assert known or before.standing or before.earlier

    @rule(share=st.sampled_from([0.0, 0.4, 1.0]))
    def double(self, share: float) -> None:
        nobodys = [t for t in self.model.in_state("open") if not self.model.answers(t)]
        # All may be assigned to one annotator.
        with suppress(TriageError):
            self.queue.double(share)
            wanted = [self.wanted(text) for text in nobodys]
            assert share == 0.4 or set(wanted) <= {1 + share}

    @rule(names=st.sets(st.sampled_from(ANNOTATORS)))
    def assign(self, names: set[str]) -> None:
        # One alone cannot read what two should.
        with suppress(TriageError):
            assert set(self.queue.assign(sorted(names))) == names
            assert set(self.queue.assigned()) <= names

    def listed(self, name: str, state: State) -> set[str]:
        numbers = self.queue.numbers(name, Filters(state=state))
        assert numbers == sorted({*numbers})
        return {self.text[number] for number in numbers}

    def wanted(self, text: str) -> int:
        return self.queue.item(self.item[text]).wanted

    @invariant()
    @started
    def each_item_is_what_was_said(self) -> None:
        for text, number in self.item.items():
            item = self.queue.item(number)
            self.model.wanted[text] = item.wanted
            assert item.final == self.model.state(text)[1]
            adjudications = self.model.standing(text, adjudicates=True)
            expected = [*self.model.standing(text).items(), *adjudications.items()]
            found = [(s.annotator, (s.answer, s.spans)) for s in item.standing]
            assert sorted(found) == sorted(expected)
            assert item.n_messages == sum(of == text for _, _, of in self.model.messages)

    @invariant()
    @started
    def lists_and_counts_agree(self) -> None:
        disagreed = self.listed("", State.DISAGREED)
        assert disagreed == self.model.in_state("disagreed")
        waiting = self.model.in_state("open") | disagreed
        messages = len(self.model.messages)
        decided = messages - sum(map(self.model.n_expert, waiting))
        for name in ANNOTATORS:
            open_to = {self.text[number] for number in c.open_to(self.queue, name)}
            answered = {t for t in self.model.texts if name in self.model.answers(t)}
            assert open_to <= self.model.in_state("open") - answered
            assert self.listed(name, State.DECIDED) == answered
            said = {t: self.model.standing(t).get(name, ("", ()))[0] for t in self.model.texts}
            skipped = {t for t in self.model.in_state("open") if said[t] is Answer.SKIP}
            assert self.listed(name, State.SKIPPED) == skipped
            assert self.listed(name, State.ALL) == set(self.model.texts)
            progress = self.queue.progress(name)
            assert progress.open == self.queue.count(name, Filters()) == len(open_to)
            rulings = {t: self.model.standing(t, adjudicates=True) for t in self.model.texts}
            ruled = {t for t, made in rulings.items() if name in made}
            assert progress.decided == len(answered | ruled)
            assert (progress.messages, progress.messages_decided) == (messages, decided)

    # What is handed over no rule settles, but for that of its word.
    @invariant()
    @started
    def a_spelling_in_doubt_settles_what_its_rule_would(self) -> None:
        for name in ANNOTATORS:
            effects = {
                word: self.queue.effect_of_word(name, word, WordRule.NEVER)
                for word in WORDS
                if word not in self.queue.word_rules()
            }
            asked = {word: of for word, of in effects.items() if of.n_items >= 3 and of.n_settled}
            found = {folded(one.spelling): one.n_settled for one in self.queue.in_doubt(name)}
            assert found == {word: of.n_settled for word, of in asked.items()}

    @invariant()
    @started
    def no_decision_is_lost_or_doubled(self) -> None:
        history = [done for done in self.queue.history(limit=999) if done.kind != "undo"][::-1]
        assert [
            (done.annotator, {self.text[n] for n in done.items}, done.undone) for done in history
        ] == [(made.annotator, set(made.says), made.undone) for made in self.model.decisions]
        assert len(self.queue.history(limit=999)) == len(history) + self.n_undos
        assert c.is_whole(self.queue)

    def teardown(self) -> None:
        if hasattr(self, "queue"):
            self.queue.connection.close()
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.queue.path}{suffix}").unlink(missing_ok=True)


def test_a_queue_is_what_its_decisions_say(
    tmp_path: Path, shipped: Triage, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_queue(tmp_path / "template", Source(str(c.write(tmp_path / "a.csv", FIRST))), shipped)
    sources = [c.write(tmp_path / f"{n}.csv", messages) for n, messages in enumerate(LATER)]
    known = {"triage": shipped, "sources": tuple(Source(str(path)) for path in sources)}
    known |= {"template": tmp_path / "template", "folder": tmp_path}
    for name, value in known.items():
        monkeypatch.setattr(Annotating, name, value, raising=False)
    run_state_machine_as_test(Annotating, settings=settings(stateful_step_count=25))
