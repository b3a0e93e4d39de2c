"""The five stages of a project: their states, their counts, and the one thing to do next."""

import json
import re
from dataclasses import asdict, replace

from tests.triage.web.desks import done
from tests.triage.web.queues import Person, decide_all
from triage.anonymise.check import Certainty, Finding
from triage.anonymise.styles import write_table
from triage.decide.people import Entry
from triage.queue import Answer, Queue
from triage.vocabulary import IdentifierType
from triage.web.jobs import Job
from triage.web.pages import translator
from triage.web.people import Right
from triage.web.project import Project
from triage.web.stages import ProjectState, State, Step, fingerprint, work
from triage.web.visits import Desk


def _shown(project: Project, *rights: str) -> tuple[dict[str, str], str, str]:
    """Return the states of the stages, what is next, and its page."""
    standing, t, may = ProjectState(project), translator("en"), {*(rights or Right)}
    found, todo = standing.rail(t, may, ""), standing.todo(t, may, "", "anna")
    page = todo.href.removeprefix("/project/sms/")
    return {one.name.value: one.state for one in found}, todo.key.rpartition(".")[2], page


def _confirmed(project: Project, stage: str) -> None:
    project.note("confirmed", stage=stage, by="anna")


def _check(project: Project) -> None:
    decide_all(project.queue)
    _confirmed(project, "replace")
    project.anonymised.write_text("text\nok\n")
    project.key_table.touch()
    project.check.write_text('{"left": []}')
    done(project, Step.APPLY, Step.ANONYMISE, Step.CHECK)


def _publish(project: Project) -> None:
    project.published.mkdir()
    (project.published / "corpus.csv").write_text("text\nok\n")
    read = fingerprint(work(project, Step.PUBLISH))
    project.note("step", step="publish", is_done=True, inputs=read)


def test_the_way_a_file_is_read_is_confirmed_first(project: Project) -> None:
    states, following, page = _shown(project)
    assert states == dict.fromkeys(states, "waits") | {"import": "now"}
    assert (following, page) == ("import", "import")
    _confirmed(project, "import")
    states, following, page = _shown(project)
    assert (states["import"], states["read"], following, page) == ("done", "now", "bound", "read")


def test_messages_are_read_before_anything_is_replaced(queued: Project) -> None:
    assert _shown(queued)[1:] == ("read", "read/")
    [line] = [
        one.line for one in ProjectState(queued).rail(translator("en"), set(), "") if one.line
    ]
    assert line == "2 texts to read"
    decide_all(queued.queue)
    states, following, page = _shown(queued)
    assert (states["read"], following, page) == ("done", "replace", "replace")
    _confirmed(queued, "replace")
    assert _shown(queued)[1] == "verify"
    # Another way to read the file has its columns confirmed anew.
    queued.note("reread")
    assert _shown(queued)[1] == "replace"


def test_what_is_published_is_the_end_until_the_corpus_changes(queued: Project) -> None:
    _check(queued)
    assert _shown(queued)[1:] == ("publish", "publish")
    _publish(queued)
    states, following, _ = _shown(queued)
    assert (states, following) == (dict.fromkeys(states, "done"), "done")
    queued.names.write_text("another name")
    assert _shown(queued)[1] == "verify"
    publish = ProjectState(queued).rail(translator("en"), {*Right}, "")[-1]
    assert (publish.state, publish.line) == ("waits", "Publish again")


def test_who_looks_at_the_names_changes_nothing(queued: Project) -> None:
    _check(queued)
    _publish(queued)
    made = Entry("Rose", "rose", IdentifierType.PRE, 1, True, "<PRE>")
    write_table(queued.names_made, [made])
    write_table(queued.names, [replace(made, replacement="")])
    assert _shown(queued)[1] == "done"
    assert Step.NAMES not in ProjectState(queued).needed(Step.CHECK)
    # Who changes one has it made anew of the decisions of now, before it is used.
    write_table(queued.names, [replace(made, replace=False)], overwrite=True)
    assert _shown(queued)[1] == "verify"
    assert ProjectState(queued).needed(Step.CHECK) == (Step.NAMES, Step.ANONYMISE, Step.CHECK)


def test_more_messages_are_decided_before_a_corpus_counts_as_published(queued: Project) -> None:
    _publish(queued)
    assert ProjectState(queued).is_published
    queued.triaged.write_text("text,action\nok,NTA\n")
    assert not ProjectState(queued).is_published


def test_what_was_published_with_texts_left_to_read_is_published(queued: Project) -> None:
    _publish(queued)
    states, following, _ = _shown(queued)
    assert (states["read"], states["publish"], following) == ("now", "done", "read")


def test_what_may_be_left_is_looked_at_before_it_is_published(queued: Project) -> None:
    decide_all(queued.queue)
    _confirmed(queued, "replace")
    queued.anonymised.write_text("text\nok Zorguinette\n")
    queued.key_table.write_text("row,id,start,end,type,rule,identifier,replacement\n")
    likely = Finding(Certainty.LIKELY, "evidence of the model", None, 1, text="Zorguinette")
    queued.check.write_text(json.dumps({"left": [asdict(likely)]}))
    done(queued, Step.APPLY, Step.ANONYMISE, Step.CHECK)
    states, *following = _shown(queued)
    assert (states["verify"], following) == ("problem", ["look", "verify"])
    # Who only publishes is kept from nothing.
    assert _shown(queued, "publish")[1:] == ("publish", "publish")


def test_publishing_again_tells_what_the_check_tells(queued: Project, owner: Person) -> None:
    _check(queued)
    planned = Finding(Certainty.PLANNED, "evidence of the model", None, 1, text="Zorguinette")
    queued.check.write_text(json.dumps({"rows": 1, "left": [asdict(planned)]}))
    _publish(queued)
    verify, publish = (owner.see(f"/project/sms/{page}") for page in ("verify", "publish"))
    assert "found nothing" in verify
    assert "found nothing" in publish
    assert ">Publish again</button>" in publish


def test_what_has_no_original_is_no_missed_identifier(queued: Project, owner: Person) -> None:
    _check(queued)
    queued.key_table.write_text("row,id,start,end,type,rule,identifier,replacement\n")
    added = Finding(Certainty.ADDED, "no original", None, 1)
    queued.check.write_text(json.dumps({"rows": 1, "left": [asdict(added)]}))
    done(queued, Step.ANONYMISE, Step.CHECK)
    for page in ("verify", "publish"):
        html = owner.see(f"/project/sms/{page}")
        assert "1 message has no original." in html
        assert "certain identifier" not in html
    assert ProjectState(queued).rail(translator("en"), {*Right}, "")[3].line == "1 to look at"


def test_what_is_outdated_is_brought_up_or_leads_on(queued: Project, owner: Person) -> None:
    _check(queued)
    queued.check.write_text('{"rows": 1, "left": []}')
    queued.change(max_residue=0.005)
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


def test_a_damaged_record_of_a_publication_stops_no_page(queued: Project, owner: Person) -> None:
    _check(queued)
    queued.check.write_text('{"rows": 1, "left": []}')
    _publish(queued)
    (queued.published / "corpus.record.json").write_text("{")
    pages = "read", "replace", "verify", "publish"
    assert [owner.get(f"/project/sms/{one}").status_code for one in pages] == [200, 200, 200, 400]


def test_disagreements_alone_are_not_texts_to_read(queued: Project, owner: Person) -> None:
    queued.triaged.write_text("text,action\nRose et pierre,EXPERT\nchez Zorguinette,EXPERT\n")
    done(queued, Step.QUEUE)
    with Queue.open(queued.queue) as queue:
        queue.double(1.0)
        for number, waits in ((1, "1 text to read, 1 disagreement"), (2, "2 disagreements")):
            queue.decide("bruno", number, Answer.TA)
            queue.decide("carla", number, Answer.NTA)
            assert f'<p class="lead">{waits}, about ' in owner.see("/project/sms/read")
    done(queued, Step.QUEUE)
    assert _shown(queued)[1:] == ("rule", "read/")
    html = owner.see("/project/sms/read")
    assert 'href="/project/sms/read/">Rule on disagreements</a></p>' in html


def test_once_all_is_read_the_page_leads_on(queued: Project, owner: Person) -> None:
    queued.triaged.write_text("text,action\nRose et pierre,EXPERT\nok,NTA\n")
    done(queued, Step.QUEUE)
    assert ">Read the uncertain texts</a></p>" in owner.see("/project/sms/read")
    decide_all(queued.queue)
    html = owner.see("/project/sms/read")
    assert ">Read the uncertain texts</a></p>" not in html
    # The program decides messages, people decide texts.
    assert "the program (0 messages)" in html
    assert '<th scope="row"><bdi>the program' not in html


def test_a_stage_is_not_done_while_its_steps_run(queued: Project, owner: Person) -> None:
    _confirmed(queued, "replace")
    found = ProjectState(queued).rail(translator("en"), {*Right}, "", "replace")
    assert {one.name.value: one.state for one in found}["replace"] == "runs"
    html = owner.see("/project/sms/read")
    assert '<li class="done"><a href="/project/sms/replace">' in html


def test_who_only_reads_is_led_to_reading_alone(queued: Project) -> None:
    assert _shown(queued, "read")[1:] == ("read", "read/")
    found = ProjectState(queued).rail(translator("en"), {"read"}, "")
    assert [one.name.value for one in found if one.href] == ["read"]
    decide_all(queued.queue)
    assert _shown(queued, "read")[1:] == ("others", "")


def test_reading_is_offered_to_who_may_go_on_and_others_learn_who_has_to(queued: Project) -> None:
    def rail(person: str, *rights: Right) -> tuple[str, str, list[str]]:
        standing, t = ProjectState(queued), translator("en")
        found, todo = standing.rail(t, {*rights}, ""), standing.todo(t, {*rights}, "", person)
        return todo.key, found[1].line, [*todo.lines]

    with Queue.open(queued.queue) as queue:
        queue.double(1.0)
        queue.assign(["bruno", "anna"])
        assert rail("anna", *Right) == ("todo.read", "2 texts to read", [])
        for number in (1, 2):
            queue.decide("anna", number, Answer.NTA)
        waits = ["bruno has 2 texts to read."]
        assert rail("anna", *Right) == ("todo.others", "2 texts to read", waits)
        assert rail("bruno", Right.READ) == ("todo.read", "2 texts to read", [])
        # A disagreement is left to who may rule.
        queue.decide("bruno", 1, Answer.TA)
        line = "1 text to read, 1 disagreement"
        assert rail("anna", *Right) == ("todo.rule", line, [])
        assert rail("dora", Right.RULE) == ("todo.rule", line, [])
        queue.decide("bruno", 2, Answer.NTA)
        assert rail("bruno", Right.READ) == ("todo.others", "1 disagreement", [])
        waits = ["1 disagreement waits for a ruling."]
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
