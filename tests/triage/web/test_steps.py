"""The steps of a project: what each runs, and when it is to be done again."""

from dataclasses import replace

import pytest

from triage.web.project import Project
from triage.web.steps import State, Step, fingerprint, states, work


def done(project: Project, *steps: Step) -> None:
    for step in steps:
        doing = work(project, step)
        if not doing.output.exists():
            doing.output.touch()
        project.note("step", step=step.value, is_done=True, inputs=fingerprint(doing))


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ([], {Step.CLASSIFY: State.READY}),
        ([Step.CLASSIFY], {Step.CLASSIFY: State.DONE, Step.QUEUE: State.READY}),
        ([Step.APPLY, Step.ANONYMISE], {Step.APPLY: State.STALE, Step.ANONYMISE: State.STALE}),
    ],
)
def test_the_state_of_a_step_follows_from_those_before_it(
    project: Project, before: list[Step], shown: dict[Step, State]
) -> None:
    done(project, *before)
    found = states(project)
    assert {step: found[step] for step in shown} == shown
    if not before:
        assert {found[step] for step in found if step not in shown} == {State.LOCKED}


def test_a_step_whose_options_changed_is_out_of_date(project: Project) -> None:
    done(project, Step.CLASSIFY)
    project.write(replace(project.settings, max_residue=0.005))
    assert states(project)[Step.CLASSIFY] is State.STALE


def test_an_output_that_was_removed_is_to_be_made(project: Project) -> None:
    done(project, Step.CLASSIFY)
    project.triaged.unlink()
    assert states(project)[Step.CLASSIFY] is State.READY


def test_a_queue_that_was_made_is_done_although_the_next_time_it_is_added_to(
    project: Project,
) -> None:
    project.write(replace(project.settings, double=0.5))
    done(project, Step.CLASSIFY)
    before = work(project, Step.QUEUE)
    project.queue.touch()
    project.note("step", step="queue", is_done=True, inputs=fingerprint(before))
    assert work(project, Step.QUEUE).arguments != before.arguments
    assert states(project)[Step.QUEUE] is State.DONE
