"""The measurements of ``make reports`` run on any corpus with marked identifiers."""

import gzip
import re
from pathlib import Path

import pytest

from tests.benchmarks import leaks
from tests.benchmarks.files import TRAINING_IDS
from tests.benchmarks.planted import Leak
from tests.tables import read_rows, write_rows
from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE


@pytest.mark.slow
@pytest.mark.usefixtures("few_trees")
def test_planted_leaks_are_counted_by_kind(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaks, "N_PLANTED", 2)
    monkeypatch.setattr(leaks, "_run", lambda *command: run(*command).stdout)
    rows = read_rows(SAMPLE)
    # Every other message is one of those to be tried.
    many = [{**row, "id": str(n + TRAINING_IDS * (n % 2))} for n, row in enumerate(rows * 3, 1)]
    write_rows(tmp_path / "sms.csv", many)
    packed = gzip.compress((tmp_path / "sms.csv").read_bytes())
    (tmp_path / "sms_fr.csv.gz").write_bytes(packed)
    leaks.main(tmp_path, tmp_path / "page")
    told = (tmp_path / "page" / "README.md").read_text(encoding="utf-8")
    counts = re.findall(r"^\| ([a-z -]+) \| 2 \| \d \| \d \| \d+% \|$", told, re.MULTILINE)
    assert len(counts) == len(Leak)
