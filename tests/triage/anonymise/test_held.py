"""The list of what is held back, which stands beside an output, is read back or refused."""

from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.anonymise.conftest import MARKER
from tests.triage.cli.program import Run
from triage.anonymise.record import read_held
from triage.errors import TriageError

TRIAGED = "id,text,action\n=1+1,oui,EXPERT\n"
CASES = cases_beside(__file__)


def test_an_id_that_a_spreadsheet_would_run_is_read_back(anonymise: Run) -> None:
    anonymise("--hold", "none")
    assert "\n1,'=1+1," in Path("anon.held.csv").read_text()
    assert [one.id for one in read_held("anon.csv")] == ["=1+1"]


@pytest.mark.parametrize("content", CASES["no_list"])
def test_another_file_in_the_place_of_the_list_is_an_error(content: str, tmp_path: Path) -> None:
    assert read_held(str(tmp_path / "anon.csv")) == []
    (tmp_path / "anon.held.csv").write_text(content)
    with pytest.raises(TriageError, match="is no list of messages held back") as error:
        read_held(str(tmp_path / "anon.csv"))
    assert MARKER not in str(error.value)
