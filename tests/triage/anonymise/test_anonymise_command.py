"""``triage anonymise`` as it is called: options, what it prints, what it refuses."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.anonymise.keys import make_key, read_key

Run = Callable[..., CompletedProcess[str]]
Rows = Callable[..., list[dict[str, object]]]
KEYED = ("consistent", "surrogate")
# A word that neither report nor error may hold.
MARKER = "zyxsecret"
TRIAGED = (
    "id,sender,text,action\n"
    '1,a,"Coucou Patrice, ça va ?",TA\n'
    "2,a,oui et toi,NTA\n"
    "3,b,Slt patrice appelle Karim au 06 39 98 12 34,TA\n"
    f"4,b,{MARKER} on verra,TA\n"
)


@pytest.fixture
def triaged(tmp_path: Path) -> Path:
    path = tmp_path / "sms.triage.csv"
    path.write_text(TRIAGED)
    return path


def _refused(done: CompletedProcess[str]) -> str:
    """Return the one line of an error."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert MARKER not in done.stderr
    return done.stderr


def test_tags_are_the_default(run: Run, triaged: Path, tmp_path: Path) -> None:
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--sender", "drop")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "anon.csv").read_text() == (
        "id,text\n"
        '1,"Coucou <PRE_7>, ça va ?"\n'
        "2,oui et toi\n"
        "3,Slt <PRE_7> appelle <PRE_5> au <TEL_14>\n"
    )


def test_the_report_counts_and_names_nobody(run: Run, triaged: Path, tmp_path: Path) -> None:
    printed = run("anonymise", triaged, "-o", tmp_path / "anon.csv").stdout
    assert "4 messages read, 3 written to " in printed
    assert "1 held back" in printed
    assert "4 identifiers replaced in 2 messages, in the style tag" in printed
    assert f"are listed in {tmp_path / 'anon.held.csv'}" in printed
    assert not any(word in printed.lower() for word in (MARKER, "patrice", "karim", "06 39"))


def test_the_report_may_be_json(run: Run, triaged: Path, tmp_path: Path) -> None:
    told = json.loads(run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--json").stdout)
    assert (told["rows_read"], told["rows_written"], told["rows_held"]) == (4, 3, 1)
    number = {"type": "TEL", "rule": "pattern", "identifiers": 1, "severity": "direct"}
    assert number in told["replaced"]
    assert told["style"] == "tag"


def test_quiet_prints_nothing(run: Run, triaged: Path, tmp_path: Path) -> None:
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--quiet")
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
    assert (done.returncode, done.stdout) == (0, "text\nCoucou <PRE_7>\n")


def test_a_mask_is_as_long(run: Run, triaged: Path, tmp_path: Path, rows_of: Rows) -> None:
    run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--style", "mask")
    assert rows_of(tmp_path / "anon.csv")[0]["text"] == "Coucou xxxxxxx, ça va ?"


def test_paper_wants_to_be_told_that_it_is_reversible(
    run: Run, triaged: Path, tmp_path: Path
) -> None:
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--style", "paper")
    assert "add --reversible" in _refused(done)
    assert [*tmp_path.iterdir()] == [triaged]


def test_paper_numbers_names(run: Run, triaged: Path, tmp_path: Path, rows_of: Rows) -> None:
    output = tmp_path / "anon.csv"
    run("anonymise", triaged, "-o", output, "--style", "paper", "--reversible")
    assert str(rows_of(output)[0]["text"]).startswith("Coucou <PRE_7_")


@pytest.mark.parametrize("style", KEYED)
def test_styles_that_follow_from_a_key_want_one(
    style: str, run: Run, triaged: Path, tmp_path: Path
) -> None:
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--style", style)
    assert f"--style {style} needs a key" in _refused(done)
    assert [*tmp_path.iterdir()] == [triaged]


@pytest.mark.parametrize("style", KEYED)
def test_a_key_is_made_for_the_owner_alone(
    style: str, run: Run, triaged: Path, tmp_path: Path
) -> None:
    key = tmp_path / "corpus.key"
    options = ("--style", style, "--key", key, "--new-key")
    done = run("anonymise", triaged, "-o", tmp_path / "a.csv", *options)
    assert done.returncode == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_text().strip() not in done.stdout + (tmp_path / "a.csv").read_text()


def test_a_mistyped_key_makes_no_new_one(run: Run, triaged: Path, tmp_path: Path) -> None:
    options = ("--style", "surrogate", "--key", tmp_path / "corpsu.key")
    error = _refused(run("anonymise", triaged, "-o", tmp_path / "a.csv", *options))
    assert "there is no key file" in error
    assert "add --new-key to create it" in error
    assert [*tmp_path.iterdir()] == [triaged]


def test_a_new_key_takes_the_place_of_none(run: Run, triaged: Path, tmp_path: Path) -> None:
    key = make_key(tmp_path / "corpus.key")
    options = ("--style", "surrogate", "--key", tmp_path / "corpus.key", "--new-key")
    error = _refused(run("anonymise", triaged, "-o", tmp_path / "a.csv", *options))
    assert "is there already: leave --new-key out to use it" in error
    assert read_key(tmp_path / "corpus.key") == key


def test_a_new_key_wants_a_name(run: Run, triaged: Path, tmp_path: Path) -> None:
    done = run("anonymise", triaged, "-o", tmp_path / "a.csv", "--new-key")
    assert "--new-key needs a key file: name it with --key" in _refused(done)


def test_what_is_refused_makes_no_key(run: Run, triaged: Path, tmp_path: Path) -> None:
    options = ("--key", tmp_path / "corpus.key", "--new-key", "--keep", "none")
    _refused(run("anonymise", triaged, "-o", tmp_path / "a.csv", *options))
    assert [*tmp_path.iterdir()] == [triaged]


@pytest.mark.parametrize("style", KEYED)
def test_the_same_key_gives_the_same_bytes(
    style: str, run: Run, triaged: Path, tmp_path: Path
) -> None:
    options = ("--style", style, "--key", tmp_path / "corpus.key")
    run("anonymise", triaged, "-o", tmp_path / "a.csv", *options, "--new-key")
    run("anonymise", triaged, "-o", tmp_path / "b.csv", *options, "--overwrite")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_key_that_is_not_there_is_not_made_unasked(
    run: Run, triaged: Path, tmp_path: Path
) -> None:
    options = ("--style", "surrogate", "--key", tmp_path / "crops.key")
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", *options)
    assert "there is no key file" in _refused(done)
    assert "or add --new-key to create it" in done.stderr
    assert [*tmp_path.iterdir()] == [triaged]


def test_a_key_that_is_there_is_not_made_again(run: Run, triaged: Path, tmp_path: Path) -> None:
    key = tmp_path / "corpus.key"
    key.write_text("0a" * 32)
    key.chmod(0o600)
    options = ("--style", "surrogate", "--key", key, "--new-key", "--overwrite")
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", *options)
    assert "is there already: leave --new-key out to use it" in _refused(done)
    assert key.read_text() == "0a" * 32


def test_another_key_gives_other_names(run: Run, triaged: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.key").write_text(f"0{name}" * 32)
        (tmp_path / f"{name}.key").chmod(0o600)
        options = ("--style", "surrogate", "--key", tmp_path / f"{name}.key")
        run("anonymise", triaged, "-o", tmp_path / f"{name}.csv", *options)
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "b.csv").read_bytes()


def test_variants_of_a_name_are_one_person(
    run: Run, triaged: Path, tmp_path: Path, rows_of: Rows
) -> None:
    output = tmp_path / "anon.csv"
    options = ("--style", "consistent", "--key", tmp_path / "corpus.key", "--new-key")
    run("anonymise", triaged, "-o", output, *options)
    first, _, third = (str(row["text"]) for row in rows_of(output))
    tag = first.removeprefix("Coucou ").partition(",")[0]
    assert tag.startswith("<PRE_7_")
    assert third.startswith(f"Slt {tag} appelle ")


def test_per_sender_a_name_is_another_person(
    run: Run, triaged: Path, tmp_path: Path, rows_of: Rows
) -> None:
    output = tmp_path / "anon.csv"
    options = ("--style", "consistent", "--key", tmp_path / "corpus.key", "--new-key")
    run("anonymise", triaged, "-o", output, *options, "--per-sender")
    first, _, third = (str(row["text"]) for row in rows_of(output))
    tag = first.removeprefix("Coucou ").partition(",")[0]
    assert tag not in third


@pytest.mark.parametrize(
    ("option", "value", "known"),
    [
        ("--style", MARKER[:3], "tag, paper"),
        ("--ambiguous", MARKER[:3], "hold, mask, keep, ask"),
        ("--hold", MARKER[:3], "none, ta, undecided"),
        ("--sender", MARKER[:3], "keep, pseudonym, drop"),
        ("--dates", MARKER[:3], "keep, day, month, year, shift, drop"),
        ("--ids", MARKER[:3], "keep, number"),
    ],
)
def test_a_choice_that_is_none_lists_those_there_are(
    option: str, value: str, known: str, run: Run, triaged: Path, tmp_path: Path
) -> None:
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", option, value)
    assert f"{option} cannot be 'zyx'; there are: {known}" in _refused(done)


def test_the_output_may_not_be_the_input(run: Run, triaged: Path) -> None:
    assert "is the input itself" in _refused(run("anonymise", triaged, "-o", triaged))
    assert triaged.read_text() == TRIAGED


def test_the_key_table_is_for_the_owner(run: Run, triaged: Path, tmp_path: Path) -> None:
    table = tmp_path / "key.csv"
    run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--key-table", table)
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    assert [line.split(",")[-2] for line in table.read_text().splitlines()[1:]] == [
        "Patrice",
        "patrice",
        "Karim",
        "06 39 98 12 34",
    ]


def test_ask_refuses_what_waits_for_the_expert(run: Run, triaged: Path, tmp_path: Path) -> None:
    triaged.write_text(TRIAGED + "5,b,bof,EXPERT\n")
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--ambiguous", "ask")
    assert "wait for the expert" in _refused(done)
    assert [*tmp_path.iterdir()] == [triaged]


def test_hostile_spans_are_an_error_of_one_line(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "final.csv"
    header = "text,final_action,decided_by,final_spans\n"
    source.write_text(f'{header}{MARKER} oui,TA,anna,"[[0, 500, ""PRE""]]"\n')
    done = run("anonymise", source, "-o", tmp_path / "anon.csv")
    assert "final.csv, line 2: " in _refused(done)
    assert [*tmp_path.iterdir()] == [source]


def test_a_file_that_was_not_triaged_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text(f"text\n{MARKER}\n")
    done = run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv")
    assert "has no column 'action'" in _refused(done)


def test_other_columns_may_be_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text("corps;qui;action\nCoucou Patrice;a;TA\n")
    options = ("--text-column", "corps", "--sender-column", "qui")
    run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv", *options)
    assert (tmp_path / "anon.csv").read_text() == "corps;qui\nCoucou <PRE_7>;S0001\n"


def test_a_name_of_the_users_own_list_goes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Zorglub\n")
    (tmp_path / "sms.csv").write_text("text,action\nCoucou Zorglub,TA\n")
    options = ("--names", tmp_path / "names.txt")
    run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv", *options)
    assert "Zorglub" not in (tmp_path / "anon.csv").read_text()


def test_what_classify_writes_is_read(run: Run, tmp_path: Path, rows_of: Rows) -> None:
    (tmp_path / "sms.csv").write_text("id,text\n1,Coucou Patrice\n2,oui\n")
    run("classify", tmp_path / "sms.csv")
    run("anonymise", tmp_path / "sms.triage.csv", "-o", tmp_path / "anon.csv")
    assert rows_of(tmp_path / "anon.csv") == [
        {"id": "1", "text": "Coucou <PRE_7>"},
        {"id": "2", "text": "oui"},
    ]


@pytest.mark.slow
def test_a_message_of_a_megabyte_goes_through(run: Run, tmp_path: Path, rows_of: Rows) -> None:
    unit = "Coucou Patrice, ça va ? 👍🏽 "
    (tmp_path / "sms.csv").write_text(f'text,action\n"{unit * 40_000}",TA\n')
    done = run("anonymise", tmp_path / "sms.csv", "-o", tmp_path / "anon.csv")
    assert done.returncode == 0
    [row] = rows_of(tmp_path / "anon.csv")
    assert row["text"] == unit.replace("Patrice", "<PRE_7>") * 40_000


def test_a_first_run_with_entities_writes_the_table_alone(
    run: Run, triaged: Path, tmp_path: Path
) -> None:
    table = tmp_path / "entities.csv"
    done = run("anonymise", triaged, "-o", tmp_path / "anon.csv", "--entities", table)
    assert done.returncode == 0
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    assert not (tmp_path / "anon.csv").exists()


def test_a_second_run_with_entities_follows_the_table(
    run: Run, triaged: Path, tmp_path: Path, rows_of: Rows
) -> None:
    table, output = tmp_path / "entities.csv", tmp_path / "anon.csv"
    (tmp_path / "corpus.key").write_text("0a" * 32)
    (tmp_path / "corpus.key").chmod(0o600)
    options = ("--entities", table, "--style", "surrogate", "--key", tmp_path / "corpus.key")
    run("anonymise", triaged, "-o", output, *options)
    header, *lines = table.read_text().splitlines()
    at = header.split(",").index("replacement")
    edited = [line.split(",") for line in lines]
    for cells in edited:
        if cells[0] == "Karim":
            cells[at] = "Fantasio"
    table.write_text("\n".join([header, *map(",".join, edited)]) + "\n")
    done = run("anonymise", triaged, "-o", output, *options)
    assert done.returncode == 0
    assert " appelle Fantasio au " in str(rows_of(output)[2]["text"])
