"""Kill commands at random moments: an output is whole or absent, and another run mends the rest.

Each command is run once undisturbed; then again and again, each time killed (SIGKILL) after a
random part of the time that it takes. Whatever stands at the path of an output then must be what
the undisturbed run wrote, byte for byte, the input must be as it was, and the same command run
once more must end well and leave no hidden file behind.
"""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from triage import data

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Command:
    """A command line, run in a folder that holds the sample and what `before` makes."""

    arguments: str
    outputs: tuple[str, ...]
    before: tuple[str, ...] = ()


_CLASSIFY = "classify sms.csv -o out.csv --queue queue.csv"
_QUEUE = (_CLASSIFY, "queue create out.csv -o work.queue")
COMMANDS = (
    Command(_CLASSIFY, ("out.csv", "queue.csv", "out.run.json")),
    Command("classify sms.csv -o out.xlsx", ("out.xlsx",)),
    Command(
        "anonymise out.csv -o anon.csv --key-table keys.csv",
        ("anon.csv", "keys.csv", "anon.record.json", "anon.record.html"),
        (_CLASSIFY,),
    ),
    Command("queue export work.queue -o items.csv", ("items.csv",), _QUEUE),
    Command("queue apply work.queue -o final.csv", ("final.csv", "final.run.json"), _QUEUE),
    Command("train sms.csv -o model --features patel2013", ("model",)),
)


class BrokenError(AssertionError):
    """A kill left something that it must not leave."""


def run(seconds: float, seed: int) -> dict[str, int]:
    draw, counts = random.Random(seed), Counter[str]()
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        folders = [*_prepared(Path(name))]
        while True:
            for command, folder, whole, took in folders:
                counts.update(_kill_once(command, folder, whole, draw.uniform(0, took)))
            if time.monotonic() > ends:
                return dict(sorted(counts.items()))


def _prepared(top: Path) -> Iterator[tuple[Command, Path, dict[str, str], float]]:
    """Yield each command, a folder for it, what it writes undisturbed, and how long it takes."""
    for number, command in enumerate(COMMANDS):
        folder = top / str(number)
        folder.mkdir()
        shutil.copy(SAMPLE, folder / "sms.csv")
        for before in command.before:
            _finish(before, folder)
        kept = top / f"{number}-kept"
        shutil.copytree(folder, kept)
        _finish(command.arguments, folder)
        whole = _hashes(folder, command.outputs)
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        started = time.monotonic()
        _finish(command.arguments, folder)
        took = time.monotonic() - started
        if _hashes(folder, command.outputs) != whole:
            raise BrokenError(f"{command.arguments}: two undisturbed runs differ")
        yield command, kept, whole, took


def _kill_once(command: Command, kept: Path, whole: dict[str, str], delay: float) -> list[str]:
    """Kill a command after a delay, look at what it left, and run it again."""
    folder = kept.with_name("now")
    shutil.copytree(kept, folder)
    try:
        process = _start(command.arguments, folder)
        try:
            process.communicate(timeout=delay)
            left = ["ended before it was killed"]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            left = ["killed"]
        there = _hashes(folder, command.outputs)
        if any(whole[name] != found for name, found in there.items()):
            raise BrokenError(
                f"{command.arguments}: killed after {delay:.3f} s it left half an output"
            )
        left.append(f"left {len(there)} of {len(whole)} outputs")
        if _hashes(folder, ["sms.csv"]) != _hashes(kept, ["sms.csv"]):
            raise BrokenError(f"{command.arguments}: the input changed")
        _finish(f"{command.arguments} --overwrite", folder)
        if _hashes(folder, command.outputs) != whole:
            raise BrokenError(f"{command.arguments}: another run does not mend what the kill left")
        if hidden := [path.name for path in folder.iterdir() if path.name.startswith(".")]:
            raise BrokenError(f"{command.arguments}: another run leaves {hidden} behind")
        return left
    finally:
        shutil.rmtree(folder)


def _start(arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "triage", *arguments.split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _finish(arguments: str, folder: Path) -> None:
    process = _start(arguments, folder)
    _, errors = process.communicate()
    if process.returncode:
        raise BrokenError(f"{arguments} ended with {process.returncode}: {errors.decode()}")


def _hashes(folder: Path, names: tuple[str, ...] | list[str]) -> dict[str, str]:
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in names
        if (folder / name).exists()
    }
