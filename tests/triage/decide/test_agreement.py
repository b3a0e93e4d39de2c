"""The agreement table (paper, Table 2)."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.decide.agreement import TABLE, actions
from triage.vocabulary import Action, Prediction, Verdict

Run = Callable[..., CompletedProcess[str]]
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
    done = run("classify", csv_of(*all_cells.values()), "--model", model_path, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    rows = rows_of(tmp_path / "sms.triage.csv")
    assert {(row["seek_hide"], row["model"]): row["action"] for row in rows} == TABLE_2
    assert [(row["seek_hide"], row["model"]) for row in rows] == list(all_cells)
