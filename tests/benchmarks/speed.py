"""Time ``triage classify`` as a whole process against pandas reading and writing the same CSV.

Run by ``make bench``. Both are timed in one run, turn by turn, and the best of each counts:
the machine's other work makes a run slower, never faster. Peak memory is the process's own.
"""

import csv
import gzip
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
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
    """Run a command to its end and measure it."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = _wait(process.pid)
        process.returncode = status
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    return Run(time.perf_counter() - start, usage.ru_maxrss / 1024)


def _wait(pid: int) -> tuple[int, int, resource.struct_rusage]:
    import os

    return os.wait4(pid, 0)


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
