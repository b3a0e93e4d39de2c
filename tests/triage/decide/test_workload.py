"""What a bound on the leak asks of people: counted of a triaged file, or estimated."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import Triage
from triage.decide.source import Source
from triage.decide.workload import BOUNDS, estimates, workloads
from triage.errors import TriageError

Run = Callable[..., CompletedProcess[str]]
SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"


def triaged(run: Run, path: Path, *options: str) -> Path:
    done = run("classify", SAMPLE, "-o", path, "--overwrite", *options)
    assert done.returncode == 0, done.stderr
    return path


def actions(path: Path) -> Counter[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return Counter(row["action"] for row in csv.DictReader(file))


@pytest.mark.parametrize("bound", [0.01, 0.05])
def test_the_counts_are_those_of_classifying_with_that_bound(
    bound: float, run: Run, shipped: Triage, triaged_sample: Path, tmp_path: Path
) -> None:
    [found] = workloads(shipped, Source(str(triaged_sample)), [bound])
    asked = actions(triaged(run, tmp_path / "asked.csv", "--max-leak", str(bound)))
    assert {"TA": found.ta, "NTA": found.nta, "EXPERT": found.expert} == asked


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--policy", "agreement"], "by the agreement table"),
        (["--strict"], "with --strict"),
        (["--features", "patel2013"], "with another model"),
    ],
)
def test_a_file_of_which_nothing_can_be_told_is_refused(
    options: list[str], problem: str, run: Run, shipped: Triage, tmp_path: Path
) -> None:
    path = triaged(run, tmp_path / "sms.csv", *options)
    with pytest.raises(TriageError, match=problem):
        workloads(shipped, Source(str(path)))
    path.with_suffix(".run.json").unlink()
    with pytest.raises(TriageError, match="no record of triage classify"):
        workloads(shipped, Source(str(path)))


def test_an_estimate_is_of_as_many_messages_as_there_are(shipped: Triage) -> None:
    found = estimates(shipped, 1_000)
    assert [one.max_leak for one in found] == [*BOUNDS]
    assert {one.ta + one.nta + one.expert for one in found} == {1_000}
    to_read = [one.expert for one in found]
    assert to_read == sorted(to_read, reverse=True)
    assert to_read[0] > to_read[-1]


def test_a_score_that_is_none_is_told_by_its_line(
    shipped: Triage, triaged_sample: Path, tmp_path: Path
) -> None:
    path = shutil.copytree(triaged_sample.parent, tmp_path / "copy") / triaged_sample.name
    rows = [*csv.reader(path.read_text(encoding="utf-8").splitlines())][:2]
    rows[1][rows[0].index("model_score")] = "high"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    with pytest.raises(TriageError, match="line 2: its seek_hide or model_score"):
        workloads(shipped, Source(str(path)))


def test_the_command_prints_a_line_for_each_bound(run: Run, triaged_sample: Path) -> None:
    printed = run("workload", triaged_sample)
    told = json.loads(run("workload", triaged_sample, "--json").stdout)["bounds"]
    assert len(printed.stdout.splitlines()) == 1 + len(told)
    assert f"{told[3]['expert']}" in printed.stdout.splitlines()[4]
