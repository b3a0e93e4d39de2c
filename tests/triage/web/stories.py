"""Stories in tables: what somebody does on pages, and what is shown and kept then.

Each step of a story names a method, with what it is given. ``{Solveig}`` is the number of the
message that holds this word.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from html import unescape
from typing import Any

import pytest

from tests.triage.web.desks import client_at, done
from tests.triage.web.queues import (
    Person,
    client_of,
    decide_all,
    field,
    find,
    guarded,
    standing,
)
from triage.anonymise.check import Certainty, Finding
from triage.queue import Answer, Filters, Queue, Reason, Span, State, WordRule
from triage.vocabulary import IdentifierType
from triage.web.pages import translator
from triage.web.people import Right
from triage.web.project import Project
from triage.web.stages import ProjectState, Stage, Step, fingerprint, work
from triage.web.visits import Desk

# What the hostile message of queues.toml, or such a name, would be if it were not shown as text.
RAW = ("<script>alert", "<img src=x", "<b>zoe")
Told = Mapping[str, Mapping[str, list[list[Any]]]]


def stories_of(told: Told) -> list[Any]:
    """Return the stories of a table, each with the fixture that it begins with."""
    return [pytest.param(of, told[of][name], id=name) for of in told for name in told[of]]


def tell(story: object, steps: list[list[Any]]) -> None:
    for verb, *given in steps:
        getattr(story, verb)(*given)


def read(html: str) -> str:
    """Return a page as it is compared: characters for entities, one kind of space."""
    return re.sub("[\u00a0\u202f]", " ", unescape(html))


class Visit:
    """Somebody who opens pages and sends the forms that these hold."""

    base = ""

    @contextmanager
    def opened(self) -> Iterator[Queue]:
        """Open the queue whose messages the pages show."""
        raise NotImplementedError
        yield

    def __init__(self, person: Person) -> None:
        self.person, self.html = person, ""
        self.sent: tuple[str, dict[str, object]] = ("", {})

    def see(self, path: str, shown: Sequence[str] = (), hidden: Sequence[str] = ()) -> None:
        self.html = self.person.see(self._address(path))
        self.shows(shown, hidden)

    def shows(self, shown: Sequence[str], hidden: Sequence[str] = ()) -> None:
        page = read(self.html)
        assert [one for one in RAW if one in self.html] == []
        assert [one for one in map(self._filled, shown) if one not in page] == [], page
        assert [one for one in hidden if one in page] == []

    def tells(self, *lines: str) -> None:
        """Find lines among the words of a page."""
        words = " ".join(read(re.sub(r"<[^>]+>", "", self.html)).split())
        assert [one for one in lines if one not in words] == [], words

    def in_order(self, *parts: str) -> None:
        assert re.search("(?s)" + ".*?".join(map(re.escape, parts)), read(self.html))

    def counts(self, n: int, part: str) -> None:
        assert read(self.html).count(part) == n

    def said(self, line: str) -> None:
        assert re.findall(r'id="said">(.*?)</p>', read(self.html)) == [line]

    def field(self, name: str, value: str) -> None:
        found = field(self.html, name)
        assert found == self._filled(value), found

    def send(
        self,
        to: str,
        fields: Mapping[str, object] | None = None,
        shown: Sequence[str] = (),
        hidden: Sequence[str] = (),
    ) -> None:
        """Send a form of the page that is open, with some fields changed."""
        self.sent = self._address(to), self._form(to) | self._of(fields)
        response = self.person.form(*self.sent)
        assert response.status_code == 200, response.text
        self.html, self.url = response.text, response.url
        self.shows(shown, hidden)

    def is_at(self, path: str) -> None:
        """Tell where the form that was sent last led."""
        assert self.url.path == self._address(path), self.url

    def refused(
        self,
        status: int,
        to: str,
        fields: Mapping[str, object] | None = None,
        shown: Sequence[str] = (),
    ) -> None:
        self.sent = self._address(to), self._form(to) | self._of(fields)
        self.again(status, {}, shown)

    def again(
        self, status: int, fields: Mapping[str, object] | None = None, shown: Sequence[str] = ()
    ) -> None:
        """Send the last form a second time."""
        response = self.person.form(self.sent[0], self.sent[1] | self._of(fields))
        assert response.status_code == status
        assert [one for one in shown if one not in read(response.text)] == []

    def status(self, status: int, *paths: str) -> None:
        found = [self.person.get(self._address(path)).status_code for path in paths]
        assert found == [status] * len(paths)

    def _address(self, path: str) -> str:
        filled = self._filled(path)
        return filled if filled.startswith("/") else f"{self.base}{filled}"

    def _of(self, fields: Mapping[str, object] | None) -> dict[str, object]:
        return {
            name: [*map(self._filled, value)] if isinstance(value, list) else self._filled(value)
            for name, value in (fields or {}).items()
        }

    def _filled(self, text: object) -> str:
        return re.sub(r"{(.+?)}", lambda found: str(self.number(found[1])), str(text))

    def number(self, word: str) -> int:
        with self.opened() as queue:
            return find(queue, word)

    def double(self) -> None:
        with self.opened() as queue:
            queue.double(1.0)

    def decide(self, name: str, word: str, answer: str, marks: str = "") -> None:
        with self.opened() as queue:
            queue.decide(name, find(queue, word), Answer(answer), spans(marks))

    def undo(self, name: str) -> None:
        with self.opened() as queue:
            queue.undo(name)

    def asks(self, name: str, word: str, text: str) -> None:
        with self.opened() as queue:
            queue.note(name, find(queue, word), text, asks=True)

    def final(self, word: str, answer: str) -> None:
        with self.opened() as queue:
            assert queue.item(find(queue, word)).final == answer

    def _form(self, to: str) -> dict[str, object]:
        """Return what the form of an address sends by itself, or that of the answers."""
        forms = re.findall(r"(?s)<form [^>]*>.*?</form>", self.html)
        of = [one for one in forms if f'action="{self._address(to)}"' in one.partition(">")[0]]
        of += [one for one in forms if one.startswith('<form id="answer"')]
        form = "".join(of[:1])
        kept = re.findall(r'<input type="hidden" name="(\w+)"[^>]* value="([^"]*)"', form)
        buttons = re.findall(r'<button [^>]*name="(\w+)" value="([^"]*)"', form)
        kept += buttons if len(buttons) == 1 else []
        return {name: unescape(value) for name, value in kept}


class Reader(Visit):
    """Somebody who reads the messages of a queue, others who do, and what is kept of it."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.becomes("anna")

    @contextmanager
    def opened(self) -> Iterator[Queue]:
        yield self.queue

    def becomes(self, name: str, *without: str) -> None:
        """Go on as somebody, who lacks some rights."""
        self._app = guarded(self.queue, name, *map(Right, without))
        self.another_browser()

    def another_browser(self) -> None:
        super().__init__(client_of(self._app))

    def rule(self, name: str, word: str, rule: str) -> None:
        self.queue.decide_word(name, word, WordRule(rule))

    def leads_on(self) -> None:
        assert field(self.html, "item") != self.sent[1]["item"]

    def stays(self) -> None:
        assert field(self.html, "item") == self.sent[1]["item"]

    def stands(self, answer: str, marks: str, word: str = "") -> None:
        """Tell what anna has answered of a message, or of that which was sent last."""
        number = self.number(word) if word else int(str(self.sent[1]["item"]))
        found = standing(self.queue, number)
        assert (found.answer, found.spans) == (answer, spans(marks))

    def decided(self, n: int) -> None:
        assert self.queue.progress("anna").decided == n

    def steps(self, n: int) -> None:
        assert len(self.queue.history()) == n

    def rules(self, always: list[str], never: list[str]) -> None:
        assert self.queue.word_lists() == (always, never)

    def disagreed(self, *words: str) -> None:
        found = self.queue.numbers("", Filters(state=State.DISAGREED))
        assert [*found] == [self.number(word) for word in words]

    def waits(self, reason: str, n: int) -> None:
        assert self.queue.waiting("anna", rules=True)[Reason(reason)] == n

    def note(self, name: str, word: str, text: str) -> None:
        assert [
            (one.annotator, one.text, one.asks)
            for one in self.queue.notes("anna", self.number(word))
        ] == [(name, text, True)]


class Owner(Visit):
    """Anna at the pages of her project, what happens to it, and what is told of it."""

    base = "/project/sms/"

    def __init__(self, project: Project, desk: Desk, language: str = "en") -> None:
        super().__init__(client_at(desk, language))
        self.project, self.desk = project, desk

    @contextmanager
    def opened(self) -> Iterator[Queue]:
        with Queue.open(self.project.queue) as queue:
            yield queue

    def see(self, path: str, shown: Sequence[str] = (), hidden: Sequence[str] = ()) -> None:
        """Open a page, and wait for the steps that it needs."""
        self.person.get(self._address(path))
        if job := self.desk.jobs.of(self.project):
            job.join()
        super().see(path, shown, hidden)

    def becomes(self, *rights: str) -> None:
        """Go on as Bruno, who has some rights, or as anna again."""
        super().__init__(client_at(self.desk, logged_in=not rights))
        if rights:
            link = self.desk.people.add("sms", "Bruno", [*map(Right, rights)])
            self.person.get("/", params={"token": link})

    def upload(
        self, status: int, to: str, content: str, told: str = "", encoding: str = "utf-8"
    ) -> None:
        """Send a file; find where that leads, or the line of an error."""
        found, line = self.person.upload(self._address(to), content.encode(encoding))
        assert (found, told in line) == (status, True), line

    def upload_at_once(self, to: str, *contents: str) -> None:
        """Send files from as many tabs; tell that each is taken."""
        clients = [client_at(self.desk) for _ in contents]
        with ThreadPoolExecutor(len(contents)) as tabs:
            sent = [
                tabs.submit(client.upload, self._address(to), content.encode())
                for client, content in zip(clients, contents, strict=True)
            ]
        assert [one.result()[0] for one in sent] == [200] * len(contents)

    def decide_all(self, answer: str = "NTA") -> None:
        decide_all(self.project.queue, Answer(answer))

    def confirm(self, stage: str) -> None:
        self.project.note("confirmed", stage=stage, by="anna")

    def reread(self) -> None:
        self.project.note("reread")

    def write(self, name: str, content: str) -> None:
        path = self.project.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)

    def remove(self, name: str) -> None:
        (self.project.folder / name).unlink()

    def lacks(self, name: str) -> None:
        assert not (self.project.folder / name).exists()

    def is_there(self, name: str) -> None:
        assert (self.project.folder / name).exists()

    def done(self, *steps: str) -> None:
        done(self.project, *map(Step, steps))

    def check(self, certainty: str = "", text: str = "Zorguinette") -> None:
        """Take the project to its check, which may leave something of a certainty."""
        self.decide_all()
        self.confirm("replace")
        self.write("anonymised.csv", f"text\nok {text}\n")
        self.write("keys.csv", "row,id,start,end,type,rule,identifier,replacement\n")
        found = Finding(
            Certainty(certainty or "likely"), "evidence of the model", None, 1, text=text
        )
        left = [asdict(found)] if certainty else []
        self.write("check.json", json.dumps({"rows": 1, "left": left}))
        self.done("apply", "anonymise", "check")

    def publish(self) -> None:
        self.write("publish/corpus.csv", "text\nok\n")
        read = fingerprint(work(self.project, Step.PUBLISH))
        self.project.note("step", step="publish", is_done=True, inputs=read)

    def rail(self, rights: Collection[str] = (*Right,), runs: str = "") -> Sequence[Stage]:
        """Return the stages as they are shown to who has some rights, while one may run."""
        return ProjectState(self.project, {*rights}).rail(translator("en"), "", runs)

    def states(self, states: dict[str, str]) -> None:
        found = {one.name.value: one.state for one in self.rail()}
        assert found | states == found

    def line(self, stage: str, line: str) -> None:
        assert [one.line for one in self.rail() if one.name.value == stage] == [line]

    def next(self, key: str, page: str, *rights: str) -> None:
        may = {*(rights or Right)}
        todo = ProjectState(self.project, may, "anna").todo(translator("en"), "")
        found = todo.key.rpartition(".")[2], todo.href.removeprefix("/project/sms/")
        assert found == (key, page)

    def open_to(self, right: str, stages: list[str]) -> None:
        assert [one.name.value for one in self.rail([right]) if one.href] == stages

    def is_published(self, is_so: bool) -> None:
        assert ProjectState(self.project).is_published is is_so


def spans(marks: str) -> tuple[Span, ...]:
    parts = (mark.split(":") for mark in marks.split())
    return tuple(Span(int(start), int(end), IdentifierType(of)) for start, end, of in parts)
