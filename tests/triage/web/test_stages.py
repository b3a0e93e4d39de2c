"""The five stages of a project: their states, their counts, and the one thing to do next.

A story of stages.toml has steps: what happens to a project, and what then is told of it.
"""

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.cases import cases_beside
from tests.triage.web.desks import PAGES, client_at, done
from tests.triage.web.queues import Person
from tests.triage.web.stories import Owner, stories_of, tell
from triage.anonymise import check
from triage.anonymise.record import HeldFor, held_path
from triage.anonymise.styles import write_table
from triage.decide.people import Entry
from triage.queue import Answer, Queue
from triage.vocabulary import IdentifierType
from triage.web import publishing, replacing
from triage.web.jobs import Job
from triage.web.pages import translator
from triage.web.people import Right
from triage.web.project import Project
from triage.web.stages import ProjectState, State, Step, work
from triage.web.visits import Desk


class Stager(Owner):
    """Anna, who goes from stage to stage, and what others are told meanwhile."""

    def bound(self, max_residue: float) -> None:
        self.project.change(max_residue=max_residue)

    def cancelled(self, *steps: str) -> None:
        job = Job(self.project, tuple(map(Step, steps)), "anna")
        self.desk.jobs._jobs[self.project.folder] = job
        job.was_cancelled = True
        job.start()
        job.join()

    def runs(self, stage: str) -> None:
        """Tell that a stage is shown as running while its steps do, whatever was done before."""
        rail = ProjectState(self.project).rail(translator("en"), "", stage)
        assert [one.state for one in rail if one.name.value == stage] == ["runs"]

    def shares(self, *names: str) -> None:
        with self.opened() as queue:
            queue.double(1.0)
            queue.assign(names)

    def told(self, name: str, rights: list[str], key: str, line: str, *lines: str) -> None:
        """Tell what somebody is told to do, beside the line of reading and who has to."""
        standing, t = ProjectState(self.project, {*(rights or Right)}, name), translator("en")
        todo, rail = standing.todo(t, ""), standing.rail(t, "")
        assert (todo.key, rail[1].line, [*todo.lines]) == (f"todo.{key}", line, [*lines])


@pytest.fixture
def story(queued: Project, desk: Desk) -> Stager:
    return Stager(queued, desk)


@pytest.mark.parametrize(("of", "steps"), stories_of(cases_beside(__file__)))
def test_stages(of: str, steps: list[Any], desk: Desk, request: pytest.FixtureRequest) -> None:
    tell(Stager(request.getfixturevalue(of), desk), steps)


def test_who_looks_at_the_names_changes_nothing(story: Stager) -> None:
    queued = story.project
    story.check()
    story.publish()
    made = Entry("Rose", "rose", IdentifierType.PRE, 1, True, "<PRE>")
    write_table(queued.names_made, [made])
    write_table(queued.names, [replace(made, replacement="")])
    story.next("done", "publish")
    assert Step.NAMES not in ProjectState(queued).needed(Step.CHECK)
    # Who changes one has it made anew of the decisions of now, before it is used.
    write_table(queued.names, [replace(made, replace=False)], overwrite=True)
    story.next("verify", "verify")
    assert ProjectState(queued).needed(Step.CHECK) == (Step.NAMES, Step.ANONYMISE, Step.CHECK)


def test_no_page_leads_to_one_that_who_sees_it_may_not_open(queued: Project, desk: Desk) -> None:
    with Queue.open(queued.queue) as queue:
        queue.decide("anna", 1, Answer.NTA)
        queue.note("anna", 1, "?", asks=True)
    queued.note("confirmed", stage="replace", by="anna")
    queued.anonymised.write_text("text\nok\n")
    queued.key_table.touch()
    queued.final.write_text("text,action\nok,TA\n")
    held = f"row,id,reason,written\n1,,{HeldFor.UNMARKED},no\n"
    held_path(str(queued.anonymised)).write_text(held)
    queued.check.write_text('{"rows": 1, "left": []}')
    for path in (queued.names_made, queued.names):
        write_table(path, [Entry("Rose", "rose", IdentifierType.PRE, 1, True, "")])
    done(queued, Step.APPLY, Step.ANONYMISE, Step.CHECK)
    desk.jobs.bring_up_to = lambda *_: None  # type: ignore[method-assign]  # no step runs
    refused = set()
    for right in Right:
        client = client_at(desk, logged_in=False)
        client.get("/", params={"token": desk.people.add("sms", "Bruno", [right])})
        for page in ("", *PAGES, "replace/names?open=1", "read/", "read/list", "read/status"):
            html = client.see(f"/project/sms/{page}")
            assert "An error of the program" not in html, page
            links, forms = (
                re.findall(f'{name}="(/project/[^"?]*)', html) for name in ("href", "action")
            )
            refused |= {(right, page, to) for to in links if client.get(to).status_code == 403}
            refused |= {(right, page, to) for to in forms if client.status(to, a="1") == 403}
    assert not refused


def test_examples_that_a_step_works_out_are_waited_for(
    queued: Project, desk: Desk, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Path] = []

    def cards(file: Path) -> list[dict[str, object]]:
        found.append(file)
        time.sleep(0.5)
        return []

    class Sorting(Job):
        def run(self) -> None:
            self.n_done, self.ended = 1, time.time()
            replacing.style_cards(self.project)

    monkeypatch.setattr(replacing, "_cards", cards)

    job = desk.jobs._jobs[queued.folder] = Sorting(queued, (Step.CLASSIFY,), "anna")
    job.start()
    owner.see("/project/sms/replace")
    job.join()
    assert found == [queued.triaged]


def test_findings_are_put_together_by_spelling_once(
    story: Stager, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.check("likely")
    path = story.project.check
    path.write_text(path.read_text().replace('"column": ""', '"column": "text"'))
    grouped = mock.Mock(wraps=check.grouped)
    monkeypatch.setattr(publishing, "grouped", grouped)
    for _ in range(2):
        assert 'id="spelling"><bdi lang="">Zorguinette' in owner.see("/project/sms/read/checked")
    assert grouped.call_count == 1


def test_the_state_of_a_step_follows_from_others_and_its_options(project: Project) -> None:
    assert [*ProjectState(project).states.values()] == [State.READY, *[State.LOCKED] * 4]
    done(project, Step.CLASSIFY)
    assert [*ProjectState(project).states.values()][:2] == [State.DONE, State.READY]
    before = work(project, Step.QUEUE)
    done(project, Step.QUEUE)
    # A queue that was made is done although the next time it is added to.
    assert work(project, Step.QUEUE).arguments != before.arguments
    project.change(max_residue=0.005)
    assert [*ProjectState(project).states.values()][:2] == [State.STALE, State.STALE]
    project.triaged.unlink()
    assert ProjectState(project).states[Step.CLASSIFY] is State.READY
