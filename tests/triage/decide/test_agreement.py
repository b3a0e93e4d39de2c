"""The agreement table (paper, Table 2)."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.decide.policy import TABLE, actions
from triage.vocabulary import Prediction, Verdict

TABLE_2 = {
    ("TA", "TA"): "TA",
    ("TA", "NTA"): "EXPERT",
    ("NTA", "TA"): "EXPERT",
    ("NTA", "NTA"): "NTA",
    ("UNTAGGED", "TA"): "TA",
    ("UNTAGGED", "NTA"): "NTA",
}


def test_two_votes_make_an_action() -> None:
    assert {(verdict, vote) for verdict in Verdict for vote in Prediction} == {*TABLE}
    votes, expected = zip(*TABLE_2.items(), strict=True)
    verdicts = [Verdict(verdict) for verdict, _ in votes]
    assert actions(verdicts, [Prediction(vote) for _, vote in votes]) == [*expected]


def test_a_file_with_a_message_for_each_cell_is_decided_by_the_table(
    all_cells: dict[tuple[str, str], str],
    model_path: Path,
    csv_of: Callable[..., Path],
    run: Callable[..., CompletedProcess[str]],
    rows_of: Callable[..., list[dict[str, object]]],
    tmp_path: Path,
) -> None:
    options = "--model", model_path, "--policy", "agreement", "--quiet"
    done = run("classify", csv_of(*all_cells.values()), *options)
    assert (done.returncode, done.stderr) == (0, "")
    rows = rows_of(tmp_path / "sms.triage.csv")
    assert {(row["seek_hide"], row["model"]): row["action"] for row in rows} == TABLE_2
    assert [(row["seek_hide"], row["model"]) for row in rows] == list(all_cells)


def test_votes_of_different_numbers_are_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        actions([Verdict.TA, Verdict.TA], [Prediction.TA])
