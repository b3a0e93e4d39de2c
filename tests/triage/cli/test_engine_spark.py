"""``triage classify --engine spark``, and the errors around it."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.triage.cli.program import Run

ROWS = [
    ("1", "ana", "Je suis chez Namrata ce soir"),
    ("2", "bob", "Tu viens avec Namrata demain ?"),
    ("3", "ana", "ok pour demain 😂"),
    ("4", "", "Coucou Patrice, ça va ?"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write two files of messages into a folder."""
    folder = tmp_path / "sms"
    folder.mkdir()
    for name, rows in (("one", ROWS[:2]), ("two", ROWS[2:])):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("id", "sender", "text"), *rows])
    return folder


# pyspark warns of pandas 3, and its sockets are closed late.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")
@pytest.mark.slow
def test_a_folder_is_decided_like_one_file(run: Run, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install '.[spark]'")
    whole, out = tmp_path / "whole.csv", tmp_path / "out"
    with whole.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "sender", "text"), *ROWS])
    assert run("classify", whole, "-o", tmp_path / "decided.csv", "-q").returncode == 0
    done = run("classify", folder, "-o", out, "--engine", "spark")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"4 rows written to {out}, 0 rejected\n")
    found = [row for part in sorted(out.glob("*.csv")) for row in _rows(part)]
    assert sorted(found) == sorted(_rows(tmp_path / "decided.csv"))


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]
