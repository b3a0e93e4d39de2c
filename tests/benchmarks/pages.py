"""Time each screen of the desk, and answering, on a project of 100,000 messages.

Run by ``make bench``. The messages are invented, from templates. The steps are run as the desk runs
them; then each page is asked for over HTTP on this machine: once after the server was started, when
it reads the files, and again, when it knows them. An answer is timed until the next message.
"""

import csv
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.cases import cases_beside
from tests.triage.web.desks import PAGES, STEPS, Visitor, serving, visiting
from tests.triage.web.queues import STEP, fields
from triage.web import quality
from triage.web.homes import create
from triage.web.jobs import Jobs
from triage.web.project import Project

CASES = cases_beside(__file__)

ROWS = 100_000
ASKED, ANSWERED = 9, 200
WANTED = 100.0
_NAMES = CASES["names"]
_TEMPLATES = CASES["templates"]
TIMED = (*PAGES, "progress", "read/", "read/list", "read/only/spelling", "read/status")


def messages(n: int) -> Iterator[tuple[int, str, str]]:
    """Yield numbers, senders and texts; each text is another one."""
    chance = random.Random(0)
    for i in range(n):
        name, other = chance.choices(_NAMES, k=2)
        a, b = divmod(i, 100)
        text = chance.choice(_TEMPLATES).format(name=name, other=other, n=i, a=a % 100, b=b)
        yield i, f"S{i % 700}", text


def project_of(home: Path, n: int) -> Project:
    """Return a project of n messages that was taken to its check, with the seconds printed."""
    file = home.parent / "sms.csv"
    with file.open("w", encoding="utf-8", newline="") as written:
        writer = csv.writer(written)
        writer.writerow(["id", "sender", "text"])
        writer.writerows(messages(n))
    project, jobs = create(home, file, "sms"), Jobs()
    for step in STEPS:
        start = time.perf_counter()
        job = jobs.start(project, (step,), "anna")
        assert job
        while job.is_running:
            time.sleep(0.1)
        if not job.is_done:
            sys.exit(f"{step}: {job.problem}")
        print(f"{step:<12} {time.perf_counter() - start:6.1f} s", flush=True)
    quality.begin(project, 0.01)
    return project


def times(visitor: Visitor, path: str) -> tuple[float, float]:
    """Return the milliseconds of a page the first time, and in the middle of later times."""
    taken = []
    for _ in range(1 + ASKED):
        start = time.perf_counter()
        visitor.get(path)
        taken.append(1000 * (time.perf_counter() - start))
    return taken[0], statistics.median(taken[1:])


def answers(visitor: Visitor, reader: str) -> list[float]:
    """Answer messages as a browser does; return the milliseconds of each until the next one."""
    page, taken = visitor.get(reader), []
    for i in range(ANSWERED):
        form, start = fields(page, [*STEP, "back"]), time.perf_counter()
        # A TA with nothing marked is noted without asking for the word.
        said = {"answer": ("NTA", "TA", "SKIP")[i % 3], "bare": "1"}
        page = visitor.post(f"{reader}decide", **form, **said)
        taken.append(1000 * (time.perf_counter() - start))
    return taken


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        home.mkdir()
        project_of(home, n)
        print(f"\n{n:,} messages        first time    again")
        with serving(home, host="127.0.0.1") as served, visiting(served) as visitor:
            for page in ("/", *(f"/project/sms/{page}" for page in TIMED)):
                first, again = times(visitor, page)
                slow = "  slow" if again > WANTED else ""
                print(f"{page:<32} {first:7.0f} ms {again:5.0f} ms{slow}", flush=True)
            steps = answers(visitor, "/project/sms/read/")
            middle, slowest = statistics.median(steps), max(steps)
            print(f"an answer {middle:.0f} ms, the slowest of {ANSWERED} {slowest:.0f} ms")
            status = Path(f"/proc/{served.process.pid}/status")
            if status.exists():
                [line] = [one for one in status.read_text().splitlines() if "VmRSS" in one]
                print(f"memory of the server {int(line.split()[1]) / 1000:.0f} MB")


if __name__ == "__main__":
    main()
