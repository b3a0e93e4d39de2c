"""Time the review page on a queue of 100,000 messages, beside one of a thousand.

Run by ``make bench``. The messages are those of a file given, repeated with a mark. Opening is
timed from the start of the process to the first page, steps from the click to the next page, over
HTTP on this machine.
"""

import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.benchmarks.files import read_rows, write_rows

LARGE, SMALL = 100_000, 1_000
STEPS = 200
_FIELDS = ("last", "back", "item", "seen", "spans")


def messages(source: Path, n: int) -> Iterator[dict[str, str]]:
    """Yield n messages: those of a file, again and again, with a mark that makes each another."""
    rows = read_rows(source)
    for i in range(n):
        turn, row = divmod(i, len(rows))[0], rows[i % len(rows)]
        mark = f" {'x' * (2 + turn)}" if turn else ""
        yield {"id": str(i), "sender": f"{row['sender']}-{turn}", "text": row["text"] + mark}


def make_queue(folder: Path, source: Path, n: int, *, all_to_expert: bool) -> tuple[Path, float]:
    """Make a queue of n messages; return it and the seconds that `triage queue create` took."""
    plain, triaged, queue = (folder / f"{n}.{end}" for end in ("csv", "triage.csv", "queue"))
    write_rows(plain, list(messages(source, n)))
    subprocess.run(["triage", "classify", plain, "-o", triaged, "--quiet"], check=True)
    if all_to_expert:
        write_rows(triaged, [row | {"action": "EXPERT"} for row in read_rows(triaged)])
    start = time.perf_counter()
    subprocess.run(["triage", "queue", "create", triaged, "-o", queue, "--quiet"], check=True)
    return queue, time.perf_counter() - start


def visit(queue: Path) -> tuple[float, list[float]]:
    """Open the page and decide; return the seconds to the first page, and of each step."""
    start = time.perf_counter()
    command = ["triage", "review", str(queue), "--no-browser", "--host", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = _address(server)
            with httpx.Client(follow_redirects=True, trust_env=False) as client:
                page = client.get(address).raise_for_status().text
                opened = time.perf_counter() - start
                origin = address.partition("/?")[0]
                return opened, list(_steps(client, origin, page))
        finally:
            server.kill()


def _address(server: "subprocess.Popen[str]") -> str:
    assert server.stdout
    return server.stdout.readline().split()[1]


def _steps(client: httpx.Client, origin: str, page: str) -> Iterator[float]:
    for i in range(STEPS):
        form = re.search(r'<form id="answer".*?</form>', page, re.DOTALL)
        assert form, "the page has no form to answer"
        fields = {name: _field(form[0], name) for name in _FIELDS}
        start = time.perf_counter()
        answered = client.post(
            f"{origin}/decide",
            # A TA with nothing marked is noted without asking for the word.
            data=fields | {"answer": ("NTA", "TA", "SKIP")[i % 3], "bare": "1"},
            headers={"Origin": origin},
        )
        yield time.perf_counter() - start
        page = answered.raise_for_status().text


def _field(form: str, name: str) -> str:
    found = re.search(rf'name="{name}"[^>]* value="([^"]*)"', form)
    assert found, name
    return found[1].replace("&#34;", '"')


def main() -> None:
    source = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n, all_to_expert in ((SMALL, True), (LARGE, False), (LARGE, True)):
            kind = folder / ("all" if all_to_expert else "some")
            kind.mkdir(exist_ok=True)
            queue, made = make_queue(kind, source, n, all_to_expert=all_to_expert)
            opened, steps = visit(queue)
            milliseconds = sorted(1000 * step for step in steps)
            print(
                f"{n:>8,} messages, {'all' if all_to_expert else 'some'} of them the expert's: "
                f"made in {made:.1f} s, opened in {opened:.2f} s, a step in "
                f"{statistics.median(milliseconds):.0f} ms (the slowest of {STEPS} in "
                f"{milliseconds[-1]:.0f} ms)"
            )


if __name__ == "__main__":
    main()
