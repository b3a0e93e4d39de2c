"""Time ``triage classify`` as a whole process against pandas reading and writing the same CSV.

Run by ``make bench``. All ways are timed in one run, turn by turn, and the best of each counts:
the machine's other work makes a run slower, never faster. Larger corpora are copies of the one
given with other ids and senders. Peak memory (Linux) is that of the process and of those that it
starts; processor time is theirs together.
"""

import csv
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

from tests.benchmarks.files import read_rows, write_rows

# How many copies of the corpus, and how often each way is timed; the larger once, and its memory
# looked at meanwhile.
ROUNDS = {3: 3, 30: 1}
_UNHEARD = subprocess.DEVNULL
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


def measure(
    command: Sequence[str], spark_cores: int | None = None, look_every: float | None = None
) -> Times:
    """Return what a command takes, perhaps with Spark on so many cores.

    Looking at the memory, every so many seconds, slows a command down.
    """
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    megabytes = 0.0
    with subprocess.Popen(
        command, env=_environment(spark_cores), stdout=_UNHEARD, stderr=_UNHEARD
    ) as process:
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


def _environment(spark_cores: int | None) -> dict[str, str]:
    # Modules stay compiled, as those of pandas are and those of an installed program.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    if spark_cores is None:
        return environment
    submit = f"--master local[{spark_cores}] pyspark-shell"
    return environment | {"PYSPARK_SUBMIT_ARGS": submit, "PYSPARK_PYTHON": sys.executable}


def _megabytes(pid: int) -> float:
    """Return what a process and those below it hold, what they share counted once."""
    kilobytes, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        waiting += _children(one)
        with suppress(OSError):
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="utf-8")
            kilobytes += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])  # type: ignore[index]
    return kilobytes / 1024


def _children(pid: int) -> list[int]:
    """Return the processes that any thread of a process has started."""
    found: list[str] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += children.read_text(encoding="utf-8").split()
    return [*map(int, found)]


def main(corpus: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for copies, rounds in ROUNDS.items():
            source = Path(scratch, f"{copies}.csv")
            messages = _copy(corpus, source, copies)
            sys.stdout.write(f"{messages:,} messages\n")
            _compare(source, Path(scratch, "out.csv"), messages, rounds)
        helps = min(measure([sys.executable, "-m", "triage", "--help"]) for _ in range(5))
        sys.stdout.write(f"triage --help {helps.seconds:.2f} s\n")


def _compare(source: Path, out: Path, messages: int, rounds: int) -> None:
    """Print how long pandas takes, and classifying with one process and with two.

    The larger corpus is also classified with Spark, if that is installed.
    """
    classify = [sys.executable, "-m", "triage", "classify", str(source), "-q", "--overwrite"]
    classify += ["-o", str(out)]
    commands = {_PLAIN: [sys.executable, "-c", _PANDAS, str(source), str(out)]}
    cores: dict[str, int] = {}
    is_large = messages >= _LARGE
    for n in (1, 2):
        commands[f"classify --jobs {n}"] = [*classify, "--jobs", str(n)]
    if is_large and find_spec("pyspark"):
        parts = _parted(source, Path(out.parent, "parts"))
        spark = [*classify[:4], str(parts), "-q", "--overwrite", "--engine", "spark"]
        for n in (1, 2):
            name = f"classify --engine spark, local[{n}]"
            commands[name] = [*spark, "-o", str(out.with_name("spark"))]
            cores[name] = n
    measure(classify)  # fills the cache of lists, where it is empty
    looking = _SELDOM if is_large else None
    turns = [
        {name: measure(command, cores.get(name), looking) for name, command in commands.items()}
        for _ in range(rounds)
    ]
    best = {
        name: Times(*map(min, zip(*(turn[name] for turn in turns), strict=True)))
        for name in commands
    }
    if not is_large:
        for name, command in commands.items():
            best[name] = best[name]._replace(megabytes=measure(command, None, _OFTEN).megabytes)
    for name, found in best.items():
        beside = f"classify --jobs {cores[name]}" if name in cores else _PLAIN
        sys.stdout.write(
            f"  {name:<34}{found.seconds:7.2f} s  {found.processor:7.2f} s of processor time"
            f"{messages / found.seconds:>9,.0f} messages a second{found.megabytes:6.0f} MB"
            f"{found.seconds / best[beside].seconds:6.2f} times {beside}\n"
        )
        sys.stdout.flush()


_PLAIN = "pandas, read and write"
# Every so many seconds the memory is looked at, for itself and while a command is timed.
_OFTEN, _SELDOM = 0.01, 0.5


def _parted(source: Path, folder: Path) -> Path:
    """Write the rows of a file into a folder of eight files, each a task of Spark."""
    folder.mkdir()
    rows = read_rows(source)
    for part in range(_PARTS):
        write_rows(folder / f"{part}.csv", rows[part::_PARTS])
    return folder


_PARTS = 8
_LARGE = 500_000


def _copy(corpus: Path, target: Path, copies: int) -> int:
    """Write copies of a corpus, each with ids and senders of its own; return how many messages."""
    rows = read_rows(corpus)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "sender", "text"])
        for copy in range(copies):
            writer.writerows(
                [f"{r['id']}-{copy}", f"{r['sender']}-{copy}", r["text"]] for r in rows
            )
    return copies * len(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
