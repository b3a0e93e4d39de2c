"""Counts by the cells of the agreement table (paper, Table 2)."""

import pytest

from triage.reports.cells import CellCounts, cells_table

ORDER = [("TA", "TA", "TA"), ("TA", "NTA", "EXPERT"), ("NTA", "NTA", "NTA")]


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
    assert cells_table(counts, ORDER, ["TA", "NTA", "EXPERT"]).splitlines() == [
        "Seek&Hide model  action   messages    share",
        "TA        TA     TA              2   50.0%",
        "TA        NTA    EXPERT          1   25.0%",
        "NTA       NTA    NTA             1   25.0%",
        "all              TA              2   50.0%",
        "all              NTA             1   25.0%",
        "all              EXPERT          1   25.0%",
    ]


def test_a_cell_without_messages_is_shown_and_not_created(counts: CellCounts) -> None:
    table = cells_table(counts, [("UNTAGGED", "TA", "TA")], [])
    assert table.splitlines()[1] == "UNTAGGED  TA     TA              0    0.0%"
    assert len(counts.cells) == 3


def test_many_messages_are_shown_in_thousands() -> None:
    many = CellCounts()
    many.add(["TA"] * 12_345, ["TA"] * 12_345, ["TA"] * 12_345)
    assert "   12,345  100.0%" in cells_table(many, ORDER[:1], [])
