"""The inputs of groups: the sample, invented messages in each format, parts of the benchmark."""

import csv
import gzip
import shutil
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

INPUTS_FOLDER = Path(__file__).parent / "inputs"
ROOT = INPUTS_FOLDER.parents[2]
BENCHMARKS = ROOT.parent / "shared" / "benchmarks"


def _french(folder: Path) -> None:
    shutil.copy(ROOT / "data" / "sample_fr.csv", folder / "sms.csv")
    rows = list(csv.reader((folder / "sms.csv").read_text(encoding="utf-8").splitlines(True)))
    _write(folder / "no_sender.csv", ([row[0], *row[2:]] for row in rows))
    _write(folder / "few.csv", rows[:151])
    _write(folder / "part1.csv", rows[:131])
    _write(folder / "part2.csv", [rows[0], *rows[131:]])


def _english(folder: Path) -> None:
    shutil.copy(INPUTS_FOLDER / "english.csv", folder / "sms.csv")


def _formats(folder: Path) -> None:
    shutil.copytree(INPUTS_FOLDER, folder, dirs_exist_ok=True)


def _benchmark(name: str, n: int) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        with gzip.open(BENCHMARKS / name, "rt", encoding="utf-8", newline="") as file:
            _write(folder / "sms.csv", islice(csv.reader(file), n + 1))

    return write


def _write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


_INPUTS: dict[str, Callable[[Path], None]] = {
    "french": _french,
    "english": _english,
    "formats": _formats,
    "benchmark_fr": _benchmark("sms_fr.csv.gz", 3000),
    "benchmark_en": _benchmark("sms_en.csv.gz", 500),
}


def write_inputs(name: str, folder: Path) -> None:
    """Write the files of an input, and two keys."""
    _INPUTS[name](folder)
    for key, byte in (("first", b"\x01"), ("second", b"\x02")):
        path = folder / f"{key}.key"
        path.touch(mode=0o600)
        path.write_text(f"{(32 * byte).hex()}\n", encoding="ascii")


def missing(name: str) -> str:
    """Say why an input is not here; nothing if it is."""
    if name.startswith("benchmark") and not BENCHMARKS.is_dir():
        return f"there is no folder {BENCHMARKS.relative_to(ROOT.parent)} beside the project"
    return ""
