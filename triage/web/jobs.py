"""Long work: steps run one after another in processes of their own, one job at a time a project."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile

from ..errors import PROBLEM_FILE, UserError, read_problem
from ..progress import PROGRESS_FILE, Progress, read_progress
from ..publish import FORMS, Published
from ..safe import Staged
from .project import Project
from .publishing import hand_over
from .steps import Step, Work, fingerprint, needed, states, work

_MOST_SAID = 2_000
_PROCESS = f"{__package__}.work"
# The page that has waited for a job shows what came of it, although decisions may have come since.
_SECONDS_SHOWN = 5.0


# Seconds that a step takes: its start, then its reported parts and the rest, by megabyte.
_COSTS = {
    Step.CLASSIFY: (2.0, 0.6, 0.15, 0.1),
    Step.QUEUE: (2.0, 0.8, 0.9, 0.6),
    Step.APPLY: (1.0, 0.4),
    Step.NAMES: (2.0, 0.5, 0.15, 0.1),
    Step.ANONYMISE: (2.0, 0.5, 0.15, 0.3),
    Step.CHECK: (2.0, 0.6),
    Step.PUBLISH: (2.0, 0.5, 0.15, 1.5),
}
# What is not reported is guessed from the time it takes, and never taken for done.
_MOST_GUESSED = 0.95


@dataclass
class Job:
    """Steps that run, or have run since the server started, for a person."""

    project: Project
    steps: tuple[Step, ...]
    by: str
    publishing: Work | None = None
    n_done: int = 0
    started: float = field(default_factory=time.time)
    ended: float | None = None
    problem: UserError | None = None
    was_cancelled: bool = False
    # What the last step read.
    read: str = ""
    # Whether a page has shown what came of it.
    is_shown: bool = False
    _began: float = 0.0
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def is_running(self) -> bool:
        return self.ended is None

    @property
    def is_done(self) -> bool:
        return self.n_done == len(self.steps)

    @property
    def step(self) -> Step:
        """The step that runs, or ran last."""
        return self.steps[min(self.n_done, len(self.steps) - 1)]

    @property
    def progress(self) -> Progress | None:
        """Return what the step that runs has told; None where it has told nothing."""
        return read_progress(self._file("progress"))

    def look(self) -> tuple[float, float | None]:
        """Return the share of all steps that is done, and the seconds left where they are known."""
        size = self.project.original.stat().st_size / 1e6
        seconds = (_COSTS[step] for step in self.steps)
        costs = [(start, *(size * part for part in parts)) for start, *parts in seconds]
        done, since, silent = sum(map(sum, costs[: self.n_done])), self.started, 0.0
        if self.n_done < len(costs):
            told, since = self._told(costs[self.n_done])
            done, silent = done + sum(told[:-1]), told[-1]
        # A machine may be slower than the one on which the seconds were taken.
        slower = max(0.2, (since - self.started) / done) if done else 1.0
        done += min(_MOST_GUESSED * silent, (time.time() - since) / slower)
        total = sum(map(sum, costs))
        is_known = time.time() - self.started > 2.0
        return done / total, (total - done) * slower if is_known else None

    def _told(self, units: tuple[float, ...]) -> tuple[list[float], float]:
        """Return the units of a step that are done with the one that is silent, and since when."""
        progress, is_told = self.progress, len(units) > 2
        if progress is None:
            return [units[0] if is_told else sum(units)], self._began or self.started
        with suppress(OSError):
            since = self._file("progress").stat().st_mtime
            part = min(progress.part, len(units) - 2)
            share = min(1.0, (progress.done + 1) / (progress.of or progress.done + 1))
            told = [*units[:part], units[part] * share]
            is_last = share == 1.0 and part == len(units) - 2
            return [*told, units[-1] if is_last else 0.0], since
        return [units[0]], self._began or self.started

    def _file(self, kind: str) -> Path:
        return self.project.folder / f".{self.step}.{kind}"

    def cancel(self) -> None:
        """End the work; what it was writing does not appear."""
        self.was_cancelled = True
        self._end_process()

    def _end_process(self) -> None:
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
                states(self.project)
            self.ended = time.time()

    def _run(self, doing: Work) -> bool:
        """Run a step, and note in the log whether it was done."""
        self._began, self.read = time.time(), fingerprint(doing)
        for kind in ("progress", "problem"):
            self._file(kind).unlink(missing_ok=True)
        try:
            code = self._output_kept(doing)
        finally:
            told = read_problem(self._file("problem"))
            for kind in ("progress", "problem"):
                self._file(kind).unlink(missing_ok=True)
        self.problem = told or self.problem
        if told and told.key == "format_failed":
            # A format that was refused is not asked for again by itself.
            settings, refused = self.project.settings, told.values["form"]
            left = (one for one in settings.formats if FORMS[Published(one)].name != refused)
            self.project.write(replace(settings, formats=tuple(left)))
        is_done = code in doing.codes
        if is_done and self.step is Step.CHECK:
            hand_over(self.project)
        self.project.note(
            "step",
            step=self.step.value,
            command=doing.shown,
            by=self.by,
            exit=code,
            is_done=is_done,
            seconds=round(time.time() - self._began, 1),
            inputs=self.read,
            **doing.facts,
        )
        return is_done

    def _output_kept(self, doing: Work) -> int:
        """Run a step, and keep what it prints if it has done its work; return its exit code."""
        files = {PROGRESS_FILE: "progress", PROBLEM_FILE: "problem"}
        with ExitStack() as stack:
            errors = stack.enter_context(TemporaryFile())
            stage = Staged(doing.to, private=True, overwrite=True) if doing.to else None
            to = stack.enter_context(stage).file if stage else subprocess.DEVNULL
            self._process = subprocess.Popen(  # noqa: S603 (this program itself)
                [sys.executable, "-m", _PROCESS, json.dumps(doing.arguments), self.step],
                cwd=self.project.folder,
                env=os.environ | {name: str(self._file(kind)) for name, kind in files.items()},
                stdin=subprocess.PIPE,
                stdout=to,
                stderr=errors,
                start_new_session=True,
            )
            if self.was_cancelled:
                self._end_process()
            with self._process:
                code = self._process.wait()
            self.problem = None
            if code not in doing.codes:
                # A command that crashes tells its last line alone.
                errors.seek(max(0, errors.tell() - _MOST_SAID))
                lines = errors.read().decode(errors="replace").strip().splitlines()
                self.problem = UserError(lines[-1] if lines else "")
            elif stage:
                stage.commit()
        return code


class Jobs:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[Path, tuple[Job, threading.Thread]] = {}

    def of(self, project: Project) -> Job | None:
        """Return the work that runs in a project, or that ran last."""
        found = self._jobs.get(project.folder)
        return found[0] if found else None

    def start(
        self, project: Project, steps: tuple[Step, ...], by: str, publishing: Work | None = None
    ) -> Job | None:
        """Start steps; None if others are running in the project."""
        with self._lock:
            job = self.of(project)
            if job and job.is_running:
                return None
            job = Job(project, steps, by, publishing)
            thread = threading.Thread(target=job.run, daemon=True)
            self._jobs[project.folder] = job, thread
        thread.start()
        return job

    def bring_up_to(self, project: Project, step: Step, by: str) -> None:
        """Start the steps up to one that the present state needs, unless they failed on it."""
        steps, job = needed(project, step), self.of(project)
        if job and job.is_running:
            return
        if not steps:
            # What had failed is not needed any more.
            if job and not job.is_done and job.step is not Step.PUBLISH:
                del self._jobs[project.folder]
            return
        if job and step in job.steps and time.time() - (job.ended or 0.0) < _SECONDS_SHOWN:
            return
        is_tried = job and not job.is_done and job.step is steps[0]
        if job and is_tried and job.read == fingerprint(work(project, steps[0])):
            return
        self.start(project, steps, by)

    def cancel(self, project: Project) -> None:
        job = self.of(project)
        if job and job.is_running:
            job.cancel()

    def end(self) -> None:
        for job, thread in self._jobs.values():
            if job.is_running:
                job.cancel()
            thread.join()
