"""Long work: a step runs in a process of its own, one at a time in a project."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

from ..errors import PROBLEM_FILE, TriageError, UserError, read_problem
from ..progress import PROGRESS_FILE, Progress, read_progress
from ..safe import Staged
from .project import Project
from .publishing import hand_over
from .steps import Step, Work, fingerprint, states, work

_MOST_SAID = 2_000
# The exit code of a step that could not be waited for.
_BROKEN = -1


@dataclass
class Job:
    """A step that runs, or has run since the server started."""

    step: StrEnum
    process: "subprocess.Popen[bytes]"
    progress_file: Path
    started: float = field(default_factory=time.monotonic)
    code: int | None = None
    problem: UserError | None = None
    is_done: bool = False
    was_cancelled: bool = False

    @property
    def is_running(self) -> bool:
        return self.code is None

    @property
    def progress(self) -> Progress | None:
        """Return how far it is; None where it has not said so."""
        return read_progress(self.progress_file)

    @property
    def seconds_left(self) -> float | None:
        """Return how long it will take, if it goes on as it did; None if that is unknown."""
        progress = self.progress
        if progress is None or not progress.done or progress.of is None:
            return None
        took = time.monotonic() - self.started
        return took / progress.done * max(0, progress.of - progress.done)


class Jobs:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[Path, Job] = {}

    def of(self, project: Project) -> Job | None:
        """Return the work that runs in a project, or that ran last."""
        return self._jobs.get(project.folder)

    def start(self, project: Project, step: StrEnum, by: str, doing: Work | None = None) -> Job:
        with self._lock:
            job = self.of(project)
            if job and job.is_running:
                raise TriageError(f"{job.step} is running in this project", "step_running")
            doing = doing or work(project, Step(step))
            job = _start(project, step, doing)
            self._jobs[project.folder] = job
        after = threading.Thread(target=_finish, args=(project, job, doing, by), daemon=True)
        after.start()
        return job

    def cancel(self, project: Project) -> None:
        """End the work of a project; what it was writing does not appear."""
        job = self.of(project)
        if job and job.is_running and job.process.stdin:
            job.was_cancelled = True
            job.process.stdin.close()

    def end(self) -> None:
        for folder, job in self._jobs.items():
            self.cancel(Project(folder))
            job.process.wait()


def _start(project: Project, step: StrEnum, doing: Work) -> Job:
    progress = project.folder / f".{step}.progress"
    problem = _problem_file(progress)
    environment = os.environ | {PROGRESS_FILE: str(progress), PROBLEM_FILE: str(problem)}
    for file in (progress, problem):
        file.unlink(missing_ok=True)
    process = subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-m", f"{__package__}.work", json.dumps(doing.arguments), step],
        cwd=project.folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if doing.to else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return Job(step, process, progress)


def _finish(project: Project, job: Job, doing: Work, by: str) -> None:
    """Wait for a step, and note in the log whether it was done."""
    code = _BROKEN
    try:
        before = fingerprint(doing)
        code = _output_kept(job, doing)
        job.is_done = code in doing.codes
        if job.is_done and job.step is Step.CHECK:
            hand_over(project)
        seconds = round(time.monotonic() - job.started, 1)
        project.note(
            "step",
            step=job.step.value,
            command=doing.shown,
            by=by,
            exit=code,
            is_done=job.is_done,
            seconds=seconds,
            inputs=before,
            **doing.facts,
        )
    except (OSError, ValueError) as error:
        # Such as a full disk: what was not noted was not done.
        job.is_done = False
        job.problem = error if isinstance(error, UserError) else UserError(str(error))
        job.process.kill()
    finally:
        job.was_cancelled = job.was_cancelled and not job.is_done
        job.progress_file.unlink(missing_ok=True)
        _problem_file(job.progress_file).unlink(missing_ok=True)
        with suppress(OSError, UserError):
            # The next page asks for them, and large files are read here rather than there.
            states(project)
        job.code = code


def _output_kept(job: Job, doing: Work) -> int:
    """Wait for a step, and keep what it prints if it has done its work; return its exit code."""
    with ExitStack() as stack:
        # Its pipes are closed at the end.
        stack.enter_context(job.process)
        errors = stack.enter_context(_Reader(job.process.stderr))
        stage = None
        if doing.to and job.process.stdout:
            stage = stack.enter_context(Staged(doing.to, private=True, overwrite=True))
            while block := job.process.stdout.read(2**16):
                stage.file.write(block)
        code = job.process.wait()
        if stage and code in doing.codes:
            stage.commit()
    told = read_problem(_problem_file(job.progress_file))
    # A command that crashes tells its last line alone.
    job.problem = told or UserError(errors.last_line)
    return code


def _problem_file(progress: Path) -> Path:
    return progress.with_suffix(".problem")


class _Reader:
    """Reads a pipe in a thread, so that it never fills; keeps its last line."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._pipe = pipe
        self._tail = b""
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> "_Reader":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    @property
    def last_line(self) -> str:
        """The last line that was read, not whole if it is very long."""
        lines = self._tail.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _read(self) -> None:
        while self._pipe and (block := self._pipe.read1(2**12)):  # type: ignore[attr-defined]
            self._tail = (self._tail + block)[-_MOST_SAID:]
