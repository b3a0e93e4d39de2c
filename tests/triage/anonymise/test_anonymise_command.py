"""``triage anonymise`` as it is called: options, what it prints, what it refuses."""

import stat
from pathlib import Path

import pytest

from tests.triage.anonymise.conftest import MARKER
from tests.triage.cli.program import Refused, Rows, Run
from triage.anonymise.keys import make_key, read_key

KEYED = ("consistent", "surrogate")
TRIAGED = (
    "id,sender,text,action\n"
    '1,a,"Coucou Patrice, ça va ?",TA\n'
    "2,a,oui et toi,NTA\n"
    "3,b,Slt patrice appelle Karim au 06 39 98 12 34,TA\n"
    f"4,b,{MARKER} on verra,TA\n"
)


def test_tags_are_the_default(anonymise: Run, tmp_path: Path) -> None:
    done = anonymise("--sender", "drop")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "anon.csv").read_text() == (
        'id,text\n1,"Coucou <PRE>, ça va ?"\n2,oui et toi\n3,Slt <PRE> appelle <PRE> au <TEL>\n'
    )


def test_the_report_counts_and_names_nobody(anonymise: Run, tmp_path: Path) -> None:
    printed = anonymise().stdout
    assert "4 messages read, 3 written to " in printed
    assert "1 held back" in printed
    assert "4 identifiers replaced in 2 messages, in the style tag" in printed
    assert f"are listed in {tmp_path / 'anon.held.csv'}" in printed
    assert not any(word in printed.lower() for word in (MARKER, "patrice", "karim", "06 39"))


def test_quiet_prints_nothing(anonymise: Run) -> None:
    done = anonymise("--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_standard_output_holds_messages_alone(
    run: Run, triaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("anonymise", triaged, "-o", "-")
    assert done.stdout.startswith("id,sender,text\n1,S000")
    assert done.stdout.count("\n") == 4
    assert "4 messages read" in done.stderr
    assert (tmp_path / "held.csv").exists()


def test_standard_input_is_read(run: Run) -> None:
    done = run("anonymise", "-", "-o", "-", stdin=b"text,action\nCoucou Patrice,TA\n")
    assert (done.returncode, done.stdout) == (0, "text\nCoucou <PRE>\n")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--style paper", "add --plan reversible=true"),
        ("--style consistent", "--style consistent needs a key"),
        ("--style surrogate", "--style surrogate needs a key"),
        ("--style surrogate --key corpsu.key", "there is no key file"),
        ("--style surrogate --key corpsu.key", "add --new-key to create it"),
        ("--new-key", "--new-key needs a key file: name it with --key"),
        ("--key corpus.key --new-key --keep none", "none"),
        *(
            (f"{option} {MARKER[:3]}", f"{option} cannot be 'zyx'; there are: {known}")
            for option, known in {
                "--style": "tag, paper",
                "--ambiguous": "hold, mask, keep, ask",
                "--hold": "none, ta, undecided",
                "--sender": "keep, pseudonym, drop",
                "--dates": "keep, day, month, year, shift, drop",
                "--ids": "keep, number",
            }.items()
        ),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_made(
    options: str,
    problem: str,
    not_anonymised: Refused,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert problem in not_anonymised(*options.split())


@pytest.mark.parametrize("style", KEYED)
def test_a_key_is_made_for_the_owner_alone(style: str, anonymise: Run, tmp_path: Path) -> None:
    key = tmp_path / "corpus.key"
    done = anonymise("--style", style, "--key", key, "--new-key")
    assert done.returncode == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_text().strip() not in done.stdout + (tmp_path / "anon.csv").read_text()


def test_a_new_key_takes_the_place_of_none(not_anonymised: Refused, tmp_path: Path) -> None:
    key = make_key(tmp_path / "corpus.key")
    error = not_anonymised("--style", "surrogate", "--key", tmp_path / "corpus.key", "--new-key")
    assert "is there already: leave --new-key out to use it" in error
    assert read_key(tmp_path / "corpus.key") == key


def test_ask_refuses_what_waits_for_the_expert(not_anonymised: Refused, triaged: Path) -> None:
    triaged.write_text(TRIAGED + "5,b,bof,EXPERT\n")
    assert "wait for the expert" in not_anonymised("--ambiguous", "ask")


def test_a_file_that_was_not_triaged_is_refused(not_anonymised: Refused, triaged: Path) -> None:
    triaged.write_text(f"text\n{MARKER}\n")
    assert "has no column 'action'" in not_anonymised()


def test_other_columns_may_be_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("corps;qui;action\nCoucou Patrice;a;TA\n")
    options = ("--text-column", "corps", "--sender-column", "qui")
    run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv", *options)
    assert (tmp_path / "anon.csv").read_text() == "corps;qui\nCoucou <PRE>;S0001\n"


def test_a_name_of_the_users_own_list_goes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Zorglub\n")
    (tmp_path / "sms.csv").write_text("text,action\nCoucou Zorglub,TA\n")
    options = ("--names", tmp_path / "names.txt")
    run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv", *options)
    assert "Zorglub" not in (tmp_path / "anon.csv").read_text()


@pytest.mark.slow
def test_a_message_of_a_megabyte_goes_through(run: Run, tmp_path: Path, rows_of: Rows) -> None:
    unit = "Coucou Patrice, ça va ? 👍🏽 "
    (tmp_path / "sms.csv").write_text(f'text,action\n"{unit * 40_000}",TA\n')
    done = run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv")
    assert done.returncode == 0
    [row] = rows_of(tmp_path / "anon.csv")
    assert row["text"] == unit.replace("Patrice", "<PRE>") * 40_000


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "Coucou <PRE>"),
        (("--plan", "lengths=true"), "Coucou <PRE_7>"),
        (("--plan", "plan.toml"), "Coucou <PRE_7>"),
    ],
)
def test_lengths_are_said_where_they_are_asked_for(
    options: tuple[str, ...],
    expected: str,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("text,action\nCoucou Patrice,TA\n")
    Path("plan.toml").write_text("[general]\nlengths = true\n")
    assert run("anonymise", "t.csv", "-o", "a.csv", *options).returncode == 0
    assert Path("a.csv").read_text() == f"text\n{expected}\n"
