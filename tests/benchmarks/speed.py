"""Time ``triage classify`` as a whole process against pandas reading and writing the same CSV.

Run by ``make bench``. All ways are timed in one run, turn by turn, and the best of each counts:
the machine's other work makes a run slower, never faster. Larger corpora are copies of the one
given with other ids and senders. Peak memory (Linux) is that of the process and of those that it
starts; processor time is theirs together.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tests.tables import Row, read_rows, write_rows

# How many copies of the corpus, and how often each way is timed; the larger once, and its memory
# looked at meanwhile.
ROUNDS = {3: 3, 30: 1}
_LARGE = 500_000
# Every so many seconds the memory is looked at, for itself and while a command is timed.
_OFTEN, _SELDOM = 0.01, 0.5
# Of a folder of files for Spark, each a task.
_PARTS = 8
_PLAIN = "pandas, read and write"
_PANDAS = """
import sys
import pandas as pd
pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False).to_csv(sys.argv[2], index=False)
"""


class Times(NamedTuple):
    """Time and the most memory of a command, with the processes that it starts."""

    seconds: float
    processor: float
    megabytes: float


def measure(command: Sequence[str], cores: int = 1, look_every: float | None = None) -> Times:
    """Return what a command takes, if with Spark on so many cores.

    Looking at the memory, every so many seconds, slows a command down.
    """
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    megabytes, unheard = 0.0, subprocess.DEVNULL
    # Modules stay compiled, as those of pandas are and those of an installed program.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYSPARK_PYTHON": sys.executable}
    environment["PYSPARK_SUBMIT_ARGS"] = f"--master local[{cores}] pyspark-shell"
    with subprocess.Popen(command, env=environment, stdout=unheard, stderr=unheard) as process:
        while process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(look_every)
                break
            megabytes = max(megabytes, _megabytes(process.pid))
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return Times(seconds, used, megabytes)


def _megabytes(pid: int) -> float:
    """Return what a process and those below it hold, what they share counted once."""
    kilobytes, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):
                waiting += map(int, children.read_text(encoding="utf-8").split())
        with suppress(OSError):
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="utf-8")
            kilobytes += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])  # type: ignore[index]
    return kilobytes / 1024


def main(corpus: Path) -> None:
    rows = read_rows(corpus)
    with tempfile.TemporaryDirectory() as scratch:
        for copies, rounds in ROUNDS.items():
            source = Path(scratch, f"{copies}.csv")
            # Each copy has ids and senders of its own.
            many = [
                {"id": f"{row['id']}-{n}", "sender": f"{row['sender']}-{n}", "text": row["text"]}
                for n in range(copies)
                for row in rows
            ]
            write_rows(source, many)
            sys.stdout.write(f"{len(many):,} messages\n")
            _compare(source, Path(scratch, "out.csv"), many, rounds)
        helps = min(measure([sys.executable, "-m", "triage", "--help"]) for _ in range(5))
        sys.stdout.write(f"triage --help {helps.seconds:.2f} s\n")


def _compare(source: Path, out: Path, rows: list[Row], rounds: int) -> None:
    """Print how long pandas takes, and classifying with one process and with two.

    The larger corpus is also classified with Spark, if that is installed.
    """
    triage = [sys.executable, "-m", "triage", "classify", "-q", "--overwrite"]
    classify, is_large = [*triage, str(source), "-o", str(out)], len(rows) >= _LARGE
    # Each command, on how many cores of Spark, and what it is held against.
    commands = {_PLAIN: ([sys.executable, "-c", _PANDAS, str(source), str(out)], 1, _PLAIN)}
    for n in (1, 2):
        commands[f"classify --jobs {n}"] = [*classify, "--jobs", str(n)], 1, _PLAIN
    if is_large and find_spec("pyspark"):
        folder = out.parent / "parts"
        folder.mkdir()
        for part in range(_PARTS):
            write_rows(folder / f"{part}.csv", rows[part::_PARTS])
        spark = [*triage, str(folder), "--engine", "spark", "-o", str(out.with_name("spark"))]
        for n in (1, 2):
            name = f"classify --engine spark, local[{n}]"
            commands[name] = spark, n, f"classify --jobs {n}"
    measure(classify)  # fills the cache of lists, where it is empty
    looking = _SELDOM if is_large else None
    turns = [
        {name: measure(command, n, looking) for name, (command, n, _) in commands.items()}
        for _ in range(rounds)
    ]
    best = {
        name: Times(*map(min, zip(*(turn[name] for turn in turns), strict=True)))
        for name in commands
    }
    for name, (command, cores, beside) in commands.items():
        found = best[name]
        memory = found if is_large else measure(command, cores, _OFTEN)
        sys.stdout.write(
            f"  {name:<34}{found.seconds:7.2f} s  {found.processor:7.2f} s of processor time"
            f"{len(rows) / found.seconds:>9,.0f} messages a second{memory.megabytes:6.0f} MB"
            f"{found.seconds / best[beside].seconds:6.2f} times {beside}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
