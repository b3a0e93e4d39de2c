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


@pytest.fixture
def story(queued: Project, desk: Desk) -> Owner:
    return Owner(queued, desk)


@pytest.mark.parametrize(("of", "steps"), stories_of(cases_beside(__file__)))
def test_stages(of: str, steps: list[Any], desk: Desk, request: pytest.FixtureRequest) -> None:
    tell(Owner(request.getfixturevalue(of), desk), steps)


def test_who_looks_at_the_names_changes_nothing(story: Owner) -> None:
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


def test_what_is_outdated_is_brought_up_or_leads_on(story: Owner, owner: Person) -> None:
    story.check()
    story.project.change(max_residue=0.005)
    html = owner.see("/project/sms/verify")
    # Nothing runs before it is said how much is read.
    note = re.search('(?s)class="note" role="status">.*?</section>', html)
    assert note
    assert 'href="/project/sms/read">Choose how much to read</a>' in note[0]
    assert "<button" not in note[0]


def test_a_cancelled_triage_can_start_again(queued: Project, desk: Desk, owner: Person) -> None:
    queued.change(max_residue=0.005)
    cancelled = "Cancelled: nothing has changed."
    _cancel(desk, queued, Step.CLASSIFY, Step.QUEUE)
    html = owner.see("/project/sms/read")
    assert cancelled in html
    assert 'name="step" value="classify"' in html
    # What ran on another file tells nothing of this one.
    owner.upload("/project/sms/project/file?name=sms.csv", b"text\noui\n")
    assert cancelled not in owner.see("/project/sms/read")
    # Of a later step there is nothing to start before it.
    _cancel(desk, queued, Step.CHECK)
    assert cancelled not in owner.see("/project/sms/read")


def _cancel(desk: Desk, project: Project, *steps: Step) -> None:
    job = desk.jobs._jobs[project.folder] = Job(project, steps, "anna")
    job.was_cancelled = True
    job.start()
    job.join()


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
    story: Owner, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.check("likely")
    path = story.project.check
    path.write_text(path.read_text().replace('"column": ""', '"column": "text"'))
    grouped = mock.Mock(wraps=check.grouped)
    monkeypatch.setattr(publishing, "grouped", grouped)
    for _ in range(2):
        assert 'id="spelling"><bdi lang="">Zorguinette' in owner.see("/project/sms/read/checked")
    assert grouped.call_count == 1


def test_disagreements_alone_are_not_texts_to_read(
    queued: Project, desk: Desk, owner: Person
) -> None:
    queued.triaged.write_text("text,action\nRose et pierre,EXPERT\nchez Zorguinette,EXPERT\n")
    done(queued, Step.QUEUE)
    with Queue.open(queued.queue) as queue:
        queue.double(1.0)
        for number, waits in ((1, "1 text to read, 1 disagreement"), (2, "2 disagreements")):
            queue.decide("bruno", number, Answer.TA)
            queue.decide("carla", number, Answer.NTA)
            assert f'<p class="lead">{waits}, about ' in owner.see("/project/sms/read")
    done(queued, Step.QUEUE)
    Owner(queued, desk).next("rule", "read/")
    html = owner.see("/project/sms/read")
    assert 'href="/project/sms/read/">Rule on disagreements</a>' in html


def test_a_stage_is_not_done_while_its_steps_run(queued: Project, owner: Person) -> None:
    queued.note("confirmed", stage="replace", by="anna")
    found = ProjectState(queued).rail(translator("en"), "", "replace")
    assert {one.name.value: one.state for one in found}["replace"] == "runs"
    html = owner.see("/project/sms/read")
    assert '<li class="done"><a href="/project/sms/replace">' in html


def test_reading_is_offered_to_who_may_go_on_and_others_learn_who_has_to(queued: Project) -> None:
    def rail(person: str, *rights: Right) -> tuple[str, str, list[str]]:
        standing, t = ProjectState(queued, {*rights}, person), translator("en")
        found, todo = standing.rail(t, ""), standing.todo(t, "")
        return todo.key, found[1].line, [*todo.lines]

    with Queue.open(queued.queue) as queue:
        queue.double(1.0)
        queue.assign(["bruno", "anna"])
        assert rail("anna", *Right) == ("todo.read", "2 texts to read", [])
        for number in (1, 2):
            queue.decide("anna", number, Answer.NTA)
        waits = ["bruno has 2 texts to read."]
        assert rail("anna", *Right) == ("todo.others", "2 texts for others", waits)
        assert rail("bruno", Right.READ) == ("todo.read", "2 texts to read", [])
        # A disagreement is left to who may rule.
        queue.decide("bruno", 1, Answer.TA)
        line = "1 text for others, 1 disagreement"
        assert rail("anna", *Right) == ("todo.rule", line, [])
        assert rail("dora", Right.RULE) == ("todo.rule", line, [])
        queue.decide("bruno", 2, Answer.NTA)
        assert rail("bruno", Right.READ) == ("todo.others", "1 disagreement", [])
        waits = ["1 disagreement"]
        rights = (Right.READ, Right.REPLACE)
        assert rail("dora", *rights) == ("todo.others", "1 disagreement", waits)


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
