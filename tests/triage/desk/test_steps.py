"""The steps of a project: what each runs, and when it is to be done again."""

import shlex
from dataclasses import replace

import pytest

from triage.desk.project import Project
from triage.desk.steps import State, Step, fingerprint, next_step, states, work
from triage.settings import Reading


def _done(project: Project, step: Step) -> None:
    """Let a step have been done."""
    doing = work(project, step)
    doing.output.touch()
    project.note("step", step=step.value, is_done=True, inputs=fingerprint(doing))


def test_at_first_only_the_first_step_is_ready(project: Project) -> None:
    found = states(project)
    assert found[Step.CLASSIFY] is State.READY
    assert {found[step] for step in found if step is not Step.CLASSIFY} == {State.LOCKED}
    assert next_step(found) is Step.CLASSIFY


def test_a_step_that_was_done_makes_the_next_one_ready(project: Project) -> None:
    _done(project, Step.CLASSIFY)
    found = states(project)
    assert (found[Step.CLASSIFY], found[Step.QUEUE]) == (State.DONE, State.READY)


def test_a_step_whose_options_changed_is_out_of_date(project: Project) -> None:
    _done(project, Step.CLASSIFY)
    project.write(replace(project.settings, max_leak=0.005))
    assert states(project)[Step.CLASSIFY] is State.STALE


def test_what_follows_a_step_that_is_out_of_date_is_so_too(project: Project) -> None:
    for step in (Step.APPLY, Step.ANONYMISE):
        _done(project, step)
    found = states(project)
    assert (found[Step.APPLY], found[Step.ANONYMISE]) == (State.STALE, State.STALE)


def test_an_output_that_was_removed_is_to_be_made(project: Project) -> None:
    _done(project, Step.CLASSIFY)
    project.triaged.unlink()
    assert states(project)[Step.CLASSIFY] is State.READY


def test_a_step_that_failed_is_not_done(project: Project) -> None:
    project.triaged.touch()
    project.note("step", step="classify", is_done=False, inputs="")
    assert states(project)[Step.CLASSIFY] is State.READY


@pytest.mark.parametrize("step", list(Step))
def test_the_command_that_is_shown_is_the_one_that_runs(project: Project, step: Step) -> None:
    doing = work(project, step)
    words = shlex.split(doing.shown)
    assert words[:1] == ["triage"]
    assert tuple(words[1 : 1 + len(doing.arguments)]) == doing.arguments


def test_a_queue_that_was_made_is_done_although_the_next_time_it_is_added_to(
    project: Project,
) -> None:
    project.write(replace(project.settings, double=0.5))
    _done(project, Step.CLASSIFY)
    before = work(project, Step.QUEUE)
    project.queue.touch()
    project.note("step", step="queue", is_done=True, inputs=fingerprint(before))
    assert work(project, Step.QUEUE).arguments != before.arguments
    assert states(project)[Step.QUEUE] is State.DONE


def test_columns_that_were_chosen_are_options(project: Project) -> None:
    reading = Reading(text_column="SMS; l'autre", no_header=True)
    project.write(replace(project.settings, reading=reading))
    arguments = work(project, Step.CLASSIFY).arguments
    assert arguments[-3:] == ("--text-column", "SMS; l'autre", "--no-header")
