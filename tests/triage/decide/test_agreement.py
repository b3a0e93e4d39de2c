"""The agreement table (paper, Table 2)."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.decide.agreement import TABLE, CellCounts, actions
from triage.vocabulary import Action, Prediction, Verdict

Run = Callable[..., CompletedProcess[str]]
ORDER = [("TA", "TA", "TA"), ("TA", "NTA", "EXPERT"), ("NTA", "NTA", "NTA")]
Rows = Callable[..., list[dict[str, object]]]

TABLE_2 = {
    ("TA", "TA"): "TA",
    ("TA", "NTA"): "EXPERT",
    ("NTA", "TA"): "EXPERT",
    ("NTA", "NTA"): "NTA",
    ("UNTAGGED", "TA"): "TA",
    ("UNTAGGED", "NTA"): "NTA",
}


@pytest.mark.parametrize(("votes", "action"), TABLE_2.items())
def test_two_votes_make_an_action(votes: tuple[str, str], action: str) -> None:
    verdict, prediction = votes
    assert actions([Verdict(verdict)], [Prediction(prediction)]) == [Action(action)]


def test_every_pair_of_votes_has_an_action() -> None:
    assert set(TABLE) == {(verdict, vote) for verdict in Verdict for vote in Prediction}


def test_as_many_votes_of_each_are_wanted() -> None:
    with pytest.raises(ValueError, match="shorter"):
        actions([Verdict.TA, Verdict.TA], [Prediction.TA])


def test_a_file_with_a_message_for_each_cell_is_decided_by_the_table(
    all_cells: dict[tuple[str, str], str],
    model_path: Path,
    csv_of: Callable[..., Path],
    run: Run,
    rows_of: Rows,
    tmp_path: Path,
) -> None:
    options = "--model", model_path, "--policy", "agreement", "--quiet"
    done = run("classify", csv_of(*all_cells.values()), *options)
    assert (done.returncode, done.stderr) == (0, "")
    rows = rows_of(tmp_path / "sms.triage.csv")
    assert {(row["seek_hide"], row["model"]): row["action"] for row in rows} == TABLE_2
    assert [(row["seek_hide"], row["model"]) for row in rows] == list(all_cells)


@pytest.fixture
def counts() -> CellCounts:
    found = CellCounts()
    found.add(["TA", "TA", "NTA"], ["TA", "NTA", "NTA"], ["TA", "EXPERT", "NTA"])
    found.add(["TA"], ["TA"], ["TA"])
    return found


def test_messages_are_counted_by_cell_over_several_additions(counts: CellCounts) -> None:
    assert dict(counts.cells) == {
        ("TA", "TA", "TA"): 2,
        ("TA", "NTA", "EXPERT"): 1,
        ("NTA", "NTA", "NTA"): 1,
    }


def test_the_total_is_that_of_all_cells(counts: CellCounts) -> None:
    assert counts.total == 4


def test_an_action_is_counted_over_all_its_cells(counts: CellCounts) -> None:
    counts.add(["UNTAGGED"], ["TA"], ["TA"])
    assert [counts.of_action(action) for action in ("TA", "NTA", "EXPERT")] == [3, 1, 1]


def test_an_action_that_never_came_counts_nothing(counts: CellCounts) -> None:
    assert counts.of_action("OTHER") == 0


def test_a_share_is_of_all_messages(counts: CellCounts) -> None:
    assert counts.share(1) == 0.25


def test_without_messages_a_share_is_nothing() -> None:
    assert CellCounts().share(0) == 0.0


def test_two_counts_share_nothing() -> None:
    CellCounts().add(["TA"], ["TA"], ["TA"])
    assert CellCounts().total == 0


def test_columns_of_different_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        CellCounts().add(["TA", "TA"], ["TA"], ["TA", "TA"])


def test_the_table_has_a_line_for_each_cell_and_each_action(counts: CellCounts) -> None:
    assert [*counts.lines(ORDER, ["TA", "NTA", "EXPERT"])] == [
        "Seek&Hide model  action   messages    share",
        "TA        TA     TA              2   50.0%",
        "TA        NTA    EXPERT          1   25.0%",
        "NTA       NTA    NTA             1   25.0%",
        "all              TA              2   50.0%",
        "all              NTA             1   25.0%",
        "all              EXPERT          1   25.0%",
    ]


def test_a_cell_without_messages_is_shown_and_not_created(counts: CellCounts) -> None:
    _, line = counts.lines([("UNTAGGED", "TA", "TA")], [])
    assert line == "UNTAGGED  TA     TA              0    0.0%"
    assert len(counts.cells) == 3


def test_many_messages_are_shown_in_thousands() -> None:
    many = CellCounts()
    many.add(["TA"] * 12_345, ["TA"] * 12_345, ["TA"] * 12_345)
    assert "   12,345  100.0%" in [*many.lines(ORDER[:1], [])][1]
