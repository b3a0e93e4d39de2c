"""What nobody has decided is held back, and listed beside the output."""

from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.anonymise.conftest import MARKER
from tests.triage.cli.program import Run
from triage.anonymise.record import HeldFor, HeldMessage, read_held
from triage.errors import TriageError

TRIAGED = (
    "id,text,action\n"
    "m1,Coucou Patrice,TA\n"
    f"m2,{MARKER} pierre,EXPERT\n"
    "m3,oui et toi,NTA\n"
    f"m4,{MARKER} on verra,TA\n"
)
CASES = cases_beside(__file__)
LISTED = "row,id,reason,written\n"


def _ids() -> list[str]:
    lines = Path("anon.csv").read_text().splitlines()[1:]
    return [line.split(",")[0] for line in lines]


DOUBTFUL = "id,text,action\nm1,le juju du jour,TA\nm2,ok,NTA\n"


@pytest.mark.parametrize(("options", "is_written", "listed"), CASES["in_doubt"])
def test_a_word_in_doubt_holds_its_message_back_or_is_replaced(
    options: str, is_written: bool, listed: str, anonymise: Run, triaged: Path
) -> None:
    triaged.write_text(DOUBTFUL)
    told = anonymise(*options.split()).stdout
    assert ("\n1 TA message with a word in doubt: mark" in told) is (not options)
    written = "m1,le <SUR> du jour\n" * is_written
    assert Path("anon.csv").read_text() == f"id,text\n{written}m2,ok\n"
    held = Path("anon.held.csv")
    assert (held.read_text() if held.exists() else "") == (f"{LISTED}{listed}\n" if listed else "")


@pytest.mark.parametrize(
    ("hold", "written", "listed"),
    [("ta", ["m1", "m2", "m3"], (True, False)), ("none", ["m1", "m2", "m3", "m4"], (True, True))],
)
def test_what_is_written_undecided_is_listed_and_read_back(
    hold: str, written: list[str], listed: tuple[bool, bool], anonymise: Run
) -> None:
    anonymise("--hold", hold)
    assert _ids() == written
    assert read_held(str(Path("anon.csv"))) == [
        HeldMessage(2, "m2", HeldFor.WAITS, written=listed[0]),
        HeldMessage(4, "m4", HeldFor.NOTHING_FOUND, written=listed[1]),
    ]


def test_an_id_that_a_spreadsheet_would_run_is_read_back(anonymise: Run, triaged: Path) -> None:
    triaged.write_text("id,text,action\n=1+1,oui,EXPERT\n")
    anonymise("--hold", "none")
    assert "\n1,'=1+1," in Path("anon.held.csv").read_text()
    assert [one.id for one in read_held(str(Path("anon.csv")))] == ["=1+1"]


@pytest.mark.parametrize("content", CASES["no_list"])
def test_another_file_in_the_place_of_the_list_is_an_error(content: str, tmp_path: Path) -> None:
    assert read_held(str(tmp_path / "anon.csv")) == []
    (tmp_path / "anon.held.csv").write_text(content)
    with pytest.raises(TriageError, match="is no list of messages held back") as error:
        read_held(str(tmp_path / "anon.csv"))
    assert MARKER not in str(error.value)
