"""Time ``triage classify`` as a whole process against pandas reading and writing the same CSV.

Run by ``make bench``. Both are timed in one run, turn by turn, and the best of each counts:
the machine's other work makes a run slower, never faster. Peak memory (Linux) is that of the
process and of those that it starts.
"""

import csv
import gzip
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 5
TIMES_LONGER = 10
_PANDAS = """
import sys
import pandas as pd
pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False).to_csv(sys.argv[2], index=False)
"""


@dataclass(frozen=True)
class Run:
    """Wall-clock seconds and peak memory in MB of one process."""

    seconds: float
    megabytes: float


def measure(command: Sequence[str]) -> Run:
    """Run a command to its end and measure it, the processes that it starts included."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0.0
    while process.poll() is None:
        most = max(most, _megabytes(process.pid))
        time.sleep(_EVERY)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Run(time.perf_counter() - start, most)


_EVERY = 0.01


def _megabytes(pid: int) -> float:
    """Return what a process and its children hold, what they share counted once."""
    kilobytes = 0
    for one in (pid, *_children(pid)):
        with suppress(OSError):
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="utf-8")
            kilobytes += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])  # type: ignore[index]
    return kilobytes / 1024


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
        return [int(child) for child in found.split()]
    return []


def best(runs: Sequence[Run]) -> Run:
    """Return the least time and the most memory of some runs."""
    return Run(min(run.seconds for run in runs), max(run.megabytes for run in runs))


def main(corpus: Path) -> None:
    """Print times, rates and memory."""
    with tempfile.TemporaryDirectory() as scratch:
        out = str(Path(scratch, "out.csv"))
        triage = [sys.executable, "-m", "triage.cli"]
        classify = [*triage, "classify", str(corpus), "-q", "-o", out]
        measure(classify)  # fits the shipped model, on a machine that has not yet
        ours, pandas, helps = [], [], []
        for _ in range(ROUNDS):
            ours.append(measure(classify))
            pandas.append(measure([sys.executable, "-c", _PANDAS, str(corpus), out]))
            helps.append(measure([*triage, "--help"]))
        longer = Path(scratch, "longer.csv")
        messages = _repeat(corpus, longer)
        _print(best(ours), best(pandas), best(helps), messages)
        _print_longer(measure([*triage, "classify", str(longer), "-q", "-o", out]), messages)


def _repeat(corpus: Path, target: Path) -> int:
    """Write the corpus ten times over; return how many messages it has."""
    with gzip.open(corpus, "rt", encoding="utf-8", newline="") as source:
        header, *rows = csv.reader(source)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for _ in range(TIMES_LONGER):
            writer.writerows(rows)
    return len(rows)


def _print(ours: Run, pandas: Run, helps: Run, messages: int) -> None:
    sys.stdout.write(
        f"triage classify, {messages:,} messages   {ours.seconds:6.2f} s   {ours.megabytes:5.0f} MB"
        f"   {messages / ours.seconds:,.0f} messages a second\n"
        f"pandas, read and write            {pandas.seconds:6.2f} s   {pandas.megabytes:5.0f} MB"
        f"   triage takes {ours.seconds / pandas.seconds:.1f} times as long\n"
        f"triage --help                     {helps.seconds:6.2f} s\n"
    )


def _print_longer(run: Run, messages: int) -> None:
    n = messages * TIMES_LONGER
    sys.stdout.write(
        f"triage classify, {n:,} messages  {run.seconds:6.2f} s   {run.megabytes:5.0f} MB"
        f"   {n / run.seconds:,.0f} messages a second\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
