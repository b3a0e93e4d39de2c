"""A desk that is served from a process of its own, and somebody who asks it without a browser."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.triage.web.queues import PORT, SITE, TOKEN, Person, client_of
from triage.web.app import routes
from triage.web.jobs import Job
from triage.web.people import Sessions
from triage.web.project import Project
from triage.web.server import Guard, Hosts
from triage.web.stages import Step, fingerprint, work
from triage.web.visits import Desk

# The pages of a project, beside those of its reader.
PAGES = (
    *("project", "import", "read", "replace", "replace/names", "verify", "verify/sample"),
    "publish",
)
# All but publishing, which is told what is published.
STEPS = tuple(step for step in Step if step is not Step.PUBLISH)
_HERE = Path(__file__).parent
_SERVE = (
    "import resource, sys; from pathlib import Path; from triage.web.{} import serve; "
    "resource.setrlimit(resource.RLIMIT_NOFILE, ({},) * 2) if {} else None; "
    "serve(Path(sys.argv[1]), 'anna', host=sys.argv[2] or None, open_browser=False)"
)


def client_at(desk: Desk, language: str = "en", *, logged_in: bool = True) -> Person:
    """Return the owner of a desk, without a server."""
    sessions = Sessions(TOKEN, people=desk.people.opened_by)
    app = Guard(routes(desk), sessions, Hosts(SITE, PORT))
    return client_of(app, language=language, logged_in=logged_in)


@dataclass(frozen=True)
class Moment:
    """An audit event of Python at which a process is held, which then writes its number to a file.

    The name has a part of the event's argument: ``os.rename:/final.csv``. The process is told by
    a word of its command line: that of a step has ``triage``, that of the server ``-c``.
    """

    name: str
    held: Path
    process: str = "triage"

    @property
    def environment(self) -> dict[str, str]:
        held = {"TRIAGE_HOLD": self.name, "TRIAGE_HELD": str(self.held)}
        return held | {"TRIAGE_HOLD_IN": self.process}

    def reached(self) -> int:
        """Wait for the moment; return the number of the process that is held."""
        until(lambda: self.held.exists() and bool(self.held.read_text()))
        return int(self.held.read_text())


@dataclass
class Served:
    """A server in a process of its own, and the address that it printed."""

    process: "subprocess.Popen[str]"
    link: str

    @property
    def address(self) -> str:
        return self.link.partition("/?")[0]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=10)


def done(project: Project, *steps: Step) -> None:
    for step in steps:
        doing = work(project, step)
        if not doing.output.exists():
            doing.output.write_text("text,action\n" if doing.output.suffix == ".csv" else "")
        project.note("step", step=step.value, by="anna", is_done=True, inputs=fingerprint(doing))


@contextmanager
def serving(
    path: Path,
    module: str = "app",
    *,
    host: str = "",
    moment: Moment | None = None,
    most_files: int = 0,
) -> Iterator[Served]:
    """Serve a folder of projects, or a queue, from a process of its own, which may be held."""
    code = _SERVE.format(module, most_files, most_files)
    found = [str(_HERE.parents[2]), *([str(_HERE / "hold")] if moment else [])]
    hold = moment.environment if moment else {}
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), host],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **hold, "PYTHONPATH": os.pathsep.join(found)},
    )
    assert process.stdout
    try:
        line = process.stdout.readline()
        assert line.startswith("Open http://"), line
        yield Served(process, line.split()[1])
    finally:
        process.kill()
        process.communicate()


class Visitor:
    """Somebody who asks a desk that is served."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def get(self, path: str) -> str:
        return self._client.get(path).raise_for_status().text

    def post(self, to: str, **fields: str) -> str:
        sent = self._client.post(to, data={"a": "1"} | fields)
        return sent.raise_for_status().text

    def upload(self, name: str, content: Iterator[bytes] | bytes) -> str:
        headers = {"Content-Type": "application/octet-stream"}
        sent = self._client.post(f"/upload?name={name}", content=content, headers=headers)
        return sent.raise_for_status().text

    def wait(self, project: str) -> None:
        until(lambda: not self._client.get(f"{project}progress").json()["running"])


@contextmanager
def visiting(served: Served) -> Iterator[Visitor]:
    """Open the link of a desk."""
    with httpx.Client(
        base_url=served.address,
        follow_redirects=True,
        headers={"Origin": served.address, "Accept-Language": "en"},
        trust_env=False,
        timeout=60,
    ) as client:
        client.get(served.link).raise_for_status()
        yield Visitor(client)


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 90
    while not is_so():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Not every system has one, and the process may end meanwhile.
    with suppress(OSError):
        return "State:\tZ" not in status.read_text()
    return True


def ended(job: Job | None) -> Job:
    assert job
    job.join()
    return job
