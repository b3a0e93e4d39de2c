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


@pytest.mark.parametrize(("options", "written", "held"), CASES["held"])
def test_what_is_in_doubt_is_held_back_or_written_and_listed(
    options: str, written: str, held: str, anonymise: Run, triaged: Path
) -> None:
    triaged.write_text(CASES["messages"])
    told = anonymise(*options.split()).stdout
    assert Path("anon.csv").read_text() == f"id,text\n{written}"
    assert Path("anon.held.csv").read_text() == f"row,id,reason,written\n{held}"
    assert ("\n1 message waits for the expert: WRITTEN\n" in told) is ("--hold" in options)
    assert ("\n1 TA message with a word in doubt: mark" in told) is (options == "")


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
