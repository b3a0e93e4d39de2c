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
from pathlib import Path

ROUNDS = 5
TIMES_LONGER = 10
_PANDAS = """
import sys
import pandas as pd
pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False).to_csv(sys.argv[2], index=False)
"""


def measure(command: Sequence[str]) -> float:
    """Return the seconds that a command takes as a whole process."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def peak(command: Sequence[str]) -> float:
    """Return the most memory in MB of a command and of the processes that it starts.

    Looking slows the command down, so this is another run than the timed ones.
    """
    most = 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, _megabytes(process.pid))
        time.sleep(_EVERY)
    return most


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


def main(corpus: Path) -> None:
    """Print times, rates and memory."""
    with tempfile.TemporaryDirectory() as scratch:
        out, longer = str(Path(scratch, "out.csv")), Path(scratch, "longer.csv")
        triage = [sys.executable, "-m", "triage"]
        classify = [*triage, "classify", str(corpus), "-q", "--overwrite", "-o", out]
        classify_longer = [*triage, "classify", str(longer), "-q", "--overwrite", "-o", out]
        counted = [*classify, "--features", "patel2013"]
        pandas = [sys.executable, "-c", _PANDAS, str(corpus), out]
        messages = _repeat(corpus, longer)
        for command in (classify, counted):
            measure(command)  # fits the shipped model, on a machine that has not yet
        commands = (classify, counted, pandas, [*triage, "--help"])
        rounds = [tuple(map(measure, commands)) for _ in range(ROUNDS)]
        ours, twelve, theirs, helps = (min(times) for times in zip(*rounds, strict=True))
        _print(f"triage classify, {messages:,} messages", ours, messages, peak(classify))
        _print("the same, --features patel2013", twelve, messages, peak(counted))
        _print("pandas, read and write", theirs)
        _print("triage --help", helps)
        messages *= TIMES_LONGER
        seconds = measure(classify_longer)
        _print(f"triage classify, {messages:,} messages", seconds, messages, peak(classify_longer))
        sys.stdout.write(
            f"triage takes {ours / theirs:.1f} times as long as pandas, "
            f"{ours / twelve:.1f} times as long as with the twelve features\n"
        )


def _print(what: str, seconds: float, messages: int = 0, megabytes: float = 0.0) -> None:
    line = f"{what:<38}{seconds:6.2f} s"
    if messages:
        line += f"{messages / seconds:>9,.0f} messages a second{megabytes:6.0f} MB"
    sys.stdout.write(line + "\n")


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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
