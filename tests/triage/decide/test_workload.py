"""The work that bounds on residue or leak ask of people: counted of a file, or estimated."""

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import Triage
from triage.decide.policy import LEAKS, RESIDUES, estimates
from triage.decide.run_record import workloads_of
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


@pytest.mark.parametrize(
    ("measure", "bound"), [("residue", 0.0005), ("residue", 0.01), ("leak", 0.01), ("leak", 0.05)]
)
def test_the_counts_are_those_of_classifying_with_that_bound(
    measure: str, bound: float, run: Run, triaged_sample: Path, tmp_path: Path
) -> None:
    told = {(one.measure, one.bound): one for one in workloads_of(str(triaged_sample))}
    found = told[measure, bound]
    asked = actions(triaged(run, tmp_path / "asked.csv", f"--max-{measure}", str(bound)))
    assert {"TA": found.ta, "NTA": found.nta, "EXPERT": found.expert} == asked


@pytest.mark.parametrize("options", [["--policy", "agreement"], ["--features", "patel2013"]])
def test_a_file_of_which_nothing_can_be_told_is_refused(
    options: list[str], run: Run, tmp_path: Path
) -> None:
    path = triaged(run, tmp_path / "sms.csv", *options)
    with pytest.raises(TriageError, match="so that no bound can be told"):
        workloads_of(str(path))
    path.with_suffix(".run.json").unlink()
    with pytest.raises(TriageError, match="no record of triage classify"):
        workloads_of(str(path))


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(TriageError, match=r"cannot read .*missing\.csv: No such file"):
        workloads_of(str(tmp_path / "missing.csv"))


def test_an_estimate_is_of_as_many_messages_as_there_are(shipped: Triage) -> None:
    found = estimates(shipped.voter(corpus_evidence=True).held_out, 0.95, 1_000)
    assert [one.bound for one in found] == [*RESIDUES, *LEAKS]
    assert {one.ta + one.nta + one.expert for one in found} == {1_000}
    for measure in ("residue", "leak"):
        to_read = [one.expert for one in found if one.measure == measure]
        assert to_read == sorted(to_read, reverse=True)
        assert to_read[0] > to_read[-1]


def test_the_command_prints_a_line_for_each_bound(run: Run, triaged_sample: Path) -> None:
    printed = run("workload", triaged_sample)
    told = json.loads(run("workload", triaged_sample, "--json").stdout)["bounds"]
    assert len(printed.stdout.splitlines()) == 1 + len(told)
    assert f"{told[3]['expert']}" in printed.stdout.splitlines()[4]
