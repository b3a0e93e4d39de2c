"""Long work: steps run one after another in processes of their own, one job at a time a project."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import Any

from ..anonymise import record
from ..errors import PROBLEM_FILE, UserError, read_problem
from ..progress import PROGRESS_FILE, read_progress
from ..publish import FORMS, Published
from ..queue import Queue
from ..safe import Staged, hidden_folder
from . import quality, replacing
from .project import Project
from .publishing import tasks_in
from .stages import STAGE_OF, Name, ProjectState, State, Step, Work, fingerprint, work

# The page that has waited for a job shows what came of it, although decisions may have come since.
_SECONDS_SHOWN = 5.0
# Until a step has taken so long, nothing is known of the time that is left.
_UNKNOWN = 2.0


class Job(Thread):
    """Steps that run, or have run since the server started, for a person."""

    def __init__(
        self, project: Project, steps: tuple[Step, ...], by: str, publishing: Work | None = None
    ) -> None:
        super().__init__(daemon=True)
        self.project, self.steps, self.by, self.publishing = project, steps, by, publishing
        self.started, self.ended, self.n_done = time.time(), 0.0, 0
        self.problem: UserError | None = None
        self.was_cancelled = False
        # What the last step read, and where it tells how far it is.
        self.inputs, self._reports = "", Path()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return not self.ended

    @property
    def is_done(self) -> bool:
        return self.n_done == len(self.steps)

    @property
    def step(self) -> Step:
        return self.steps[min(self.n_done, len(self.steps) - 1)]

    @property
    def stage(self) -> Name:
        return STAGE_OF[self.step]

    def look(self) -> tuple[float, float | None]:
        """Return the share of all steps that is done, and the seconds left where they are known."""
        # Most steps tell two parts, one after the other; these two tell nothing.
        part, parts = 0.0, 1 if self.step in (Step.APPLY, Step.CHECK) else 2
        if (progress := read_progress(self._reports / PROGRESS_FILE)) and not self.is_done:
            share = min(1.0, progress.done / progress.of) if progress.of else 0.0
            part = (min(progress.part, parts) - 1 + share) / parts
        done, seconds = (self.n_done + part) / len(self.steps), time.time() - self.started
        return done, seconds * (1 - done) / done if done and seconds > _UNKNOWN else None

    def cancel(self) -> None:
        """End the work if it runs; what it was writing does not appear."""
        self.was_cancelled = self.was_cancelled or self.is_running
        if self._process and self._process.stdin:
            self._process.stdin.close()

    def run(self) -> None:
        try:
            for step in self.steps:
                if self.was_cancelled or not self._run(self.publishing or work(self.project, step)):
                    break
                self.n_done += 1
        except (OSError, ValueError) as error:
            # Such as a full disk: what was not noted was not done.
            self.problem = error if isinstance(error, UserError) else UserError(str(error))
            if self._process:
                self._process.kill()
        finally:
            self.was_cancelled = self.was_cancelled and not self.is_done
            with suppress(OSError, UserError):
                # The next page asks for them, and large files are read here rather than there.
                _ = ProjectState(self.project).states
            self.ended = time.time()
        if {Step.CLASSIFY, Step.ANONYMISE} & {*self.steps[: self.n_done]}:
            options = {"stderr": subprocess.DEVNULL}
            with suppress(OSError), self._begin((), "", options) as process:
                process.wait()

    def _run(self, step_work: Work) -> bool:
        start, project, self.inputs = time.time(), self.project, fingerprint(step_work)
        if self.step is Step.NAMES:
            # The command reads a table that is there.
            project.names_new.unlink(missing_ok=True)
        with hidden_folder(project.folder) as self._reports:
            code = self._output_kept(step_work)
            problem = read_problem(self._reports / PROBLEM_FILE)
        self.problem = problem or self.problem
        if problem and problem.key == "format_failed":
            # A format that was refused is not asked for again by itself.
            asked, refused = project.settings.formats, problem.values["form"]
            formats = (one for one in asked if FORMS[Published(one)].name != refused)
            project.change(formats=tuple(formats))
        is_done = code == 0 or (code == 1 and self.step is Step.CHECK)
        if is_done and self.step is Step.CHECK:
            # What it found for certain is for people to answer.
            with Queue.open(project.queue) as queue:
                queue.add_items(tasks_in(project))
        if is_done and self.step is Step.NAMES:
            replacing.take_over(project)
        if is_done and self.step is Step.PUBLISH:
            record.add_to_record(str(project.corpus), sample=quality.recorded(project))
        seconds = round(time.time() - start, 1)
        entry = {"step": self.step.value, "command": step_work.shown, "by": self.by, "exit": code}
        facts = {"is_done": is_done, "seconds": seconds, "inputs": self.inputs} | step_work.facts
        project.note("step", **entry, **facts)
        return is_done

    def _output_kept(self, step_work: Work) -> int:
        """Run a step, and keep what it prints if it has done its work; return its exit code."""
        reports = {name: str(self._reports / name) for name in (PROGRESS_FILE, PROBLEM_FILE)}
        with ExitStack() as stack:
            errors = stack.enter_context(TemporaryFile())
            # A check prints what it has found, and is done if it finds something, too.
            is_printed = self.step is Step.CHECK
            stage = Staged(step_work.output, private=True, overwrite=True) if is_printed else None
            target = stack.enter_context(stage).file if stage else subprocess.DEVNULL
            options = {"env": os.environ | reports, "stdout": target, "stderr": errors}
            with self._begin(step_work.arguments, self.step, options) as process:
                code = process.wait()
            self.problem = None
            if code and not (stage and code == 1):
                # A command that crashes tells its last line alone.
                errors.seek(max(0, errors.tell() - 2_000))
                lines = errors.read().decode(errors="replace").strip().splitlines()
                self.problem = UserError(lines[-1] if lines else "")
            elif stage:
                stage.commit()
        return code

    def _begin(
        self, arguments: Sequence[str], step: str, options: dict[str, Any]
    ) -> "subprocess.Popen[bytes]":
        """Start a command, and what is kept after a step; or that alone."""
        command = (f"{__package__}.work", json.dumps(arguments), step)
        self._process = subprocess.Popen(  # noqa: S603 (this program itself)
            [sys.executable, "-m", *command],
            cwd=self.project.folder,
            stdin=subprocess.PIPE,
            start_new_session=True,
            **options,
        )
        if self.was_cancelled:
            self.cancel()
        return self._process


class Jobs:
    def __init__(self) -> None:
        self._lock = Lock()
        self._jobs: dict[Path, Job] = {}

    def of(self, project: Project) -> Job | None:
        return self._jobs.get(project.folder)

    def start(
        self, project: Project, steps: tuple[Step, ...], by: str, publishing: Work | None = None
    ) -> Job | None:
        """Start steps; None if others are running in the project."""
        with self._lock:
            if (job := self.of(project)) and job.is_running:
                return None
            job = self._jobs[project.folder] = Job(project, steps, by, publishing)
            job.start()
        return job

    def bring_up_to(self, project: Project, step: Step, by: str) -> None:
        """Start the steps up to one that the present state needs, unless they failed on it."""
        state, job = ProjectState(project), self.of(project)
        steps = state.needed(step)
        if job and job.is_running:
            return
        failed = None if job is None or job.is_done else job
        if not steps:
            # What had failed is not needed any more, unless it is a triage, which is chosen again.
            is_sorted = state.states[Step.CLASSIFY] is State.DONE
            kept = (Step.PUBLISH,) if is_sorted else (Step.PUBLISH, Step.CLASSIFY)
            if failed and failed.step not in kept:
                self._jobs.pop(project.folder, None)
            return
        if job and step in job.steps and time.time() - job.ended < _SECONDS_SHOWN:
            return
        is_tried = failed and failed.step is steps[0]
        if not (is_tried and failed and failed.inputs == fingerprint(work(project, steps[0]))):
            self.start(project, steps, by)

    def forget(self, folder: Path) -> None:
        """End what runs in a project, and tell nothing more of what ran in it."""
        if job := self._jobs.pop(folder, None):
            job.cancel()
            job.join()

    def end(self) -> None:
        for folder in [*self._jobs]:
            self.forget(folder)
