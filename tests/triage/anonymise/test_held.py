"""What nobody has decided is held back, and listed beside the output."""

import stat
from pathlib import Path

import pytest

from tests.triage.anonymise.conftest import MARKER
from tests.triage.cli.program import Run
from triage.anonymise.held import HeldMessage, Reason, read_held
from triage.errors import TriageError

TRIAGED = (
    "id,text,action\n"
    "m1,Coucou Patrice,TA\n"
    f"m2,{MARKER} pierre,EXPERT\n"
    "m3,oui et toi,NTA\n"
    f"m4,{MARKER} on verra,TA\n"
)
LISTED = "row,id,reason,written\n"
EXPERT_ROW = "2,m2,waits for the expert"
TA_ROW = "4,m4,TA in which nothing was found to replace"


def _ids(tmp_path: Path) -> list[str]:
    lines = (tmp_path / "anon.csv").read_text().splitlines()[1:]
    return [line.split(",")[0] for line in lines]


def test_what_nobody_has_decided_is_not_written_but_listed(anonymise: Run, tmp_path: Path) -> None:
    assert anonymise().returncode == 0
    assert _ids(tmp_path) == ["m1", "m3"]
    listed = (tmp_path / "anon.held.csv").read_text()
    assert listed == f"{LISTED}{EXPERT_ROW},no\n{TA_ROW},no\n"


def test_only_its_owner_may_read_the_list(anonymise: Run, tmp_path: Path) -> None:
    (tmp_path / "anon.held.csv").touch(0o644)
    anonymise("--overwrite")
    assert stat.S_IMODE((tmp_path / "anon.held.csv").stat().st_mode) == 0o600


@pytest.mark.parametrize("by", ["", "machine", "anna"])
def test_expert_is_nobodys_answer_whoever_is_said_to_have_decided(
    by: str, anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text(f"id,text,final_action,decided_by\nm1,oui,EXPERT,{by}\nm2,ok,NTA,anna\n")
    anonymise()
    assert _ids(tmp_path) == ["m2"]


def test_the_summary_says_how_many_wait_and_what_to_do(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    told = anonymise().stdout
    assert "4 messages read, 2 written to" in told
    assert f"\n1 message waits for the expert: decide them with triage review {triaged}, " in told
    assert "\n1 TA message in which nothing was found to replace: mark" in told
    assert f"They are listed in {tmp_path / 'anon.held.csv'}" in told
    assert MARKER not in told


DOUBTFUL = "id,text,action\nm1,le juju du jour,TA\nm2,ok,NTA\n"
DOUBTFUL_ROW = "1,m1,TA with a word in doubt"


def test_a_ta_message_with_a_word_in_doubt_is_held_back(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text(DOUBTFUL)
    told = anonymise().stdout
    assert "\n1 TA message with a word in doubt: mark" in told
    assert _ids(tmp_path) == ["m2"]
    assert (tmp_path / "anon.held.csv").read_text() == f"{LISTED}{DOUBTFUL_ROW},no\n"


@pytest.mark.parametrize("hold", ["ta", "none"])
def test_a_word_in_doubt_is_replaced_where_its_message_is_written_all_the_same(
    hold: str, anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text(DOUBTFUL)
    anonymise("--hold", hold)
    assert (tmp_path / "anon.csv").read_text() == "id,text\nm1,le <SUR> du jour\nm2,ok\n"
    assert (tmp_path / "anon.held.csv").read_text() == f"{LISTED}{DOUBTFUL_ROW},yes\n"


def test_mask_replaces_words_in_doubt_without_more_ado(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text(DOUBTFUL)
    anonymise("--ambiguous", "mask")
    assert (tmp_path / "anon.csv").read_text() == "id,text\nm1,le <SUR> du jour\nm2,ok\n"
    assert not (tmp_path / "anon.held.csv").exists()


def test_keep_holds_a_ta_message_of_which_nothing_but_words_in_doubt_would_be_replaced(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text(DOUBTFUL)
    anonymise("--ambiguous", "keep")
    listed = (tmp_path / "anon.held.csv").read_text()
    assert listed == f"{LISTED}1,m1,TA in which nothing was found to replace,no\n"


def test_of_a_file_of_the_queue_the_summary_names_that_queue(anonymise: Run, triaged: Path) -> None:
    triaged.write_text("id,text,action,final_action,decided_by\nm1,oui,EXPERT,EXPERT,\n")
    told = anonymise().stdout
    assert "1 message waits for the expert: decide them in their queue" in told
    assert "queue create" not in told


def test_the_summary_says_what_was_written_undecided(anonymise: Run) -> None:
    assert "\n1 message waits for the expert: WRITTEN\n" in anonymise("--hold", "none").stdout


def test_a_list_of_an_earlier_run_does_not_survive(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    anonymise()
    triaged.write_text("id,text,action\nm1,Coucou Patrice,TA\n")
    anonymise("--overwrite")
    assert not (tmp_path / "anon.held.csv").exists()


@pytest.mark.parametrize(
    ("hold", "written", "listed"),
    [("ta", ["m1", "m2", "m3"], (True, False)), ("none", ["m1", "m2", "m3", "m4"], (True, True))],
)
def test_what_is_written_undecided_is_listed_and_read_back(
    hold: str, written: list[str], listed: tuple[bool, bool], anonymise: Run, tmp_path: Path
) -> None:
    anonymise("--hold", hold)
    assert _ids(tmp_path) == written
    assert read_held(str(tmp_path / "anon.csv")) == [
        HeldMessage(2, "m2", Reason.WAITS, written=listed[0]),
        HeldMessage(4, "m4", Reason.NOTHING_FOUND, written=listed[1]),
    ]


def test_an_id_that_a_spreadsheet_would_run_is_read_back(
    anonymise: Run, triaged: Path, tmp_path: Path
) -> None:
    triaged.write_text("id,text,action\n=1+1,oui,EXPERT\n")
    anonymise("--hold", "none")
    assert "\n1,'=1+1," in (tmp_path / "anon.held.csv").read_text()
    assert [one.id for one in read_held(str(tmp_path / "anon.csv"))] == ["=1+1"]


def test_where_no_list_stands_nothing_is_known(tmp_path: Path) -> None:
    assert read_held(str(tmp_path / "other.csv")) == []
    assert read_held("-") == []


@pytest.mark.parametrize(
    "content",
    [
        "line,reason,row\n3,TA,2\n",
        f"{LISTED}x,m1,waits for the expert,yes\n",
        f"{LISTED}1,m1,{MARKER},yes\n",
        f"{LISTED}1,m1\n",
    ],
)
def test_another_file_in_the_place_of_the_list_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "anon.held.csv").write_text(content)
    with pytest.raises(TriageError, match="is no list of messages held back") as error:
        read_held(str(tmp_path / "anon.csv"))
    assert MARKER not in str(error.value)
