"""The agreement table (paper, Table 2), and the counts of its cells that a summary shows."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.decide.policy import TABLE, CellCounts, actions
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


def test_the_table_has_a_line_for_each_cell_and_each_action() -> None:
    counts = CellCounts()
    counts.add(["TA", "TA", "NTA"], ["TA", "NTA", "NTA"], ["TA", "EXPERT", "NTA"])
    counts.add(["TA"], ["TA"], ["TA"])
    order = [("TA", "TA", "TA"), ("TA", "NTA", "EXPERT"), ("UNTAGGED", "TA", "TA")]
    assert [*counts.lines(order, ["TA", "NTA", "OTHER"])] == [
        "Seek&Hide model  action   messages    share",
        "TA        TA     TA              2   50.0%",
        "TA        NTA    EXPERT          1   25.0%",
        "UNTAGGED  TA     TA              0    0.0%",
        "all              TA              2   50.0%",
        "all              NTA             1   25.0%",
        "all              OTHER           0    0.0%",
    ]
    assert counts.total == 4


def test_many_messages_are_shown_in_thousands_and_none_as_no_share() -> None:
    many = CellCounts()
    assert many.share(0) == 0.0
    many.add(["TA"] * 12_345, ["TA"] * 12_345, ["TA"] * 12_345)
    assert "   12,345  100.0%" in [*many.lines([("TA", "TA", "TA")], [])][1]


def test_columns_of_different_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        CellCounts().add(["TA", "TA"], ["TA"], ["TA", "TA"])
    with pytest.raises(ValueError, match="shorter"):
        actions([Verdict.TA, Verdict.TA], [Prediction.TA])
