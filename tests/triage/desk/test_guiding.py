"""What is next in a project is always one thing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.triage.review.queues import make_queue
from triage import Triage
from triage.desk.columns import keep_columns
from triage.desk.homes import Next, left_to_read, next_of
from triage.desk.project import Project
from triage.desk.steps import Step, fingerprint, work
from triage.queue import Answer, Filters, Queue

Done = Callable[..., None]


@pytest.fixture
def done(project: Project) -> Done:
    """Let steps have been done."""

    def note(*steps: Step) -> None:
        for step in steps:
            doing = work(project, step)
            if not doing.output.exists():
                doing.output.touch()
            project.note("step", step=step.value, is_done=True, inputs=fingerprint(doing))

    return note


def test_the_columns_are_chosen_before_the_triage(project: Project) -> None:
    assert next_of(project) is Next.IMPORT
    keep_columns(project, None, {})
    assert next_of(project) is Next.TRIAGE


def test_messages_are_read_before_the_decisions_are_taken_over(
    project: Project, done: Done, shipped: Triage
) -> None:
    done(Step.CLASSIFY)
    make_queue(project.queue, shipped, [("7", "Rose et pierre"), ("31", "chez Zorguinette")])
    done(Step.QUEUE)
    assert (left_to_read(project), next_of(project)) == (2, Next.REVIEW)
    with Queue.open(project.queue) as queue:
        for row in queue.rows("anna", Filters()):
            queue.decide("anna", row.number, Answer.NTA, ())
    assert (left_to_read(project), next_of(project)) == (0, Next.APPLY)


def test_what_is_published_is_the_end_until_the_corpus_changes(
    project: Project, done: Done, shipped: Triage
) -> None:
    done(Step.CLASSIFY)
    make_queue(project.queue, shipped, [])
    done(Step.QUEUE, Step.APPLY)
    assert next_of(project) is Next.REPLACE
    project.anonymised.write_text("text\nok\n")
    done(Step.ANONYMISE)
    assert next_of(project) is Next.CHECK
    project.key_table.touch()
    done(Step.CHECK)
    assert next_of(project) is Next.PUBLISH
    project.published.mkdir()
    shutil.copy(project.anonymised, project.published)
    assert next_of(project) is Next.DONE
    Path(project.published / "anonymised.csv").write_text("text\nold\n")
    assert next_of(project) is Next.PUBLISH
