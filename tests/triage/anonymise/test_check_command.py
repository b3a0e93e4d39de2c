"""``triage check`` as it is called, and that what ``triage anonymise`` writes is clean."""

import json
import re
import stat
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.triage.cli.program import Run
from triage import data
from triage.anonymise.keys import make_key
from triage.settings import StyleName

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
BEFORE = "id,text\n1,Coucou Patrice\n2,oui\n3,Slt Karim\n"
CLEAN = "id,text\n1,Coucou <PRE_7>\n2,oui\n3,Slt <PRE_5>\n"
LEAK = "4,ecris a patrice@zorglub.fr\n"


@pytest.fixture
def check(run: Run, tmp_path: Path) -> Run:
    """Check messages of which the last was left as it was."""

    def checked(left: str, *options: str | Path) -> CompletedProcess[str]:
        (tmp_path / "sms.csv").write_text(BEFORE + left)
        (tmp_path / "anon.csv").write_text(CLEAN + left)
        return run("check", tmp_path / "anon.csv", "--against", tmp_path / "sms.csv", *options)

    return checked


@pytest.mark.parametrize("style", [style.value for style in StyleName])
def test_the_sample_is_clean_in_every_style(style: str, run: Run, tmp_path: Path) -> None:
    triaged, output = tmp_path / "sample.triage.csv", tmp_path / "anon.csv"
    table = tmp_path / "key.csv"
    make_key(tmp_path / "k")
    run("classify", SAMPLE, "-o", triaged)
    options = ("--style", style, "--reversible", "--key", tmp_path / "k", "--key-table", table)
    assert run("anonymise", triaged, "-o", output, *options).returncode == 0
    for told in (("--against", SAMPLE), ("--key-table", table)):
        done = run("check", output, *told)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\nnothing certain is left; to be expected: residue some " in done.stdout


def test_a_clean_file_gives_code_0(check: Run) -> None:
    done = check("")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "3 rows looked through for 2 spellings that were replaced\nnothing known is left\n"
    )


def test_a_leak_gives_code_1(check: Run, tmp_path: Path) -> None:
    done = check(LEAK)
    assert (done.returncode, done.stderr) == (1, "")
    assert "certain   direct         1  identifier by its form\n" in done.stdout
    assert done.stdout.endswith(
        "--show prints them, by spelling; --report FILE writes them to a page\n"
        f"to decide them spelling by spelling: triage mine {tmp_path / 'anon.csv'} -o "
        f"{tmp_path / 'anon.candidates.csv'}\n"
        "NOT clean: something certain is left, or a message that nobody decided\n"
    )


def test_what_is_only_likely_gives_code_0(check: Run) -> None:
    done = check("4,Elsa arrive\n")
    assert done.returncode == 0
    assert "likely    direct         1" in done.stdout


def test_what_was_found_is_not_printed(check: Run) -> None:
    done = check(LEAK)
    assert "patrice" not in (done.stdout + done.stderr).lower()


def test_any_number_of_processes_finds_the_same(
    check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    left = "4,ah patrice !\n5,oui 06 39 98 12 34\n6,et Patrisse alors\n7,bisous\n"
    one, *others = (check(left, "--json", "--show", "--jobs", jobs).stdout for jobs in "123")
    assert all(f'"row": {row},' in one for row in (4, 5, 6))
    assert others == [one, one]


def test_json_tells_where_and_not_what(check: Run) -> None:
    done = check(LEAK, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "rows": 4,
        "replaced": 2,
        "clean": False,
        "undecided": 0,
        "added": 0,
        "left": [
            {
                "certainty": "certain",
                "reason": "identifier by its form",
                "severity": "direct",
                "row": 4,
                "column": "text",
                "start": 8,
                "replaced": 0,
            }
        ],
    }


@pytest.mark.parametrize(("type_", "severity"), [("PRE", "direct"), ("LIE", "indirect")])
def test_a_key_table_tells_the_severity_of_what_was_replaced(
    type_: str, severity: str, run: Run, tmp_path: Path
) -> None:
    table = tmp_path / "key.csv"
    table.write_text(f"type,identifier,replacement\n{type_},Zorglub,<{type_}_7>\n")
    (tmp_path / "anon.csv").write_text(f"text\nchez <{type_}_7>\nCoucou Zorglub ça va\n")
    [left] = json.loads(run("check", tmp_path / "anon.csv", "--key-table", table, "--json").stdout)[
        "left"
    ]
    assert (left["certainty"], left["severity"]) == ("likely", severity)


def test_what_was_replaced_is_told_in_one_way(run: Run, tmp_path: Path) -> None:
    (tmp_path / "anon.csv").write_text(CLEAN)
    told = ("--against", "sms.csv", "--key-table", "key.csv")
    done = run("check", tmp_path / "anon.csv", *told)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "give either --against or --key-table" in done.stderr


def test_with_nothing_to_compare_the_first_line_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "anon.csv").write_text(CLEAN)
    done = run("check", tmp_path / "anon.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "3 rows looked through for names and forms alone: there is nothing to compare with\n"
        "nothing known is left\n"
    )
    assert json.loads(run("check", tmp_path / "anon.csv", "--json").stdout)["replaced"] is None


@pytest.mark.parametrize(
    ("plan", "code", "certainty"),
    [
        ("", 1, "certain"),
        ('[types]\nMEL = "keep"\n', 0, "planned"),
        ('[types]\nTEL = "keep"\n', 1, "certain"),
        ('[lists]\nnever = ["accueil@mairie-zorglub.fr"]\n', 0, "planned"),
    ],
)
def test_what_the_plan_keeps_is_no_leak(
    plan: str, code: int, certainty: str, check: Run, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(plan)
    done = check(
        "4,ecris a accueil@mairie-zorglub.fr\n", "--plan", tmp_path / "plan.toml", "--json"
    )
    found = [one["certainty"] for one in json.loads(done.stdout)["left"]]
    assert (done.returncode, found) == (code, [certainty])


def test_a_replaced_spelling_is_a_leak_whatever_types_the_plan_keeps(
    check: Run, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text('[types]\nPRE = "keep"\n')
    found = json.loads(check("4,ah Patrice !\n", "--plan", tmp_path / "plan.toml", "--json").stdout)
    assert found["left"][0]["certainty"] != "planned"


UNDECIDED = "id,text,action\n1,Coucou Patrice,TA\n2,oui,EXPERT\n3,Slt Karim,TA\n"


def test_messages_that_nobody_decided_give_code_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.triage.csv").write_text(UNDECIDED)
    (tmp_path / "anon.csv").write_text(CLEAN)
    arguments = ("check", tmp_path / "anon.csv", "--against", tmp_path / "sms.triage.csv")
    done = run(*arguments, "--show", "--report", tmp_path / "check.html")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "3 rows looked through for 2 spellings that were replaced\n"
        "undecided                1  a message that waits for the expert, and that nobody decided\n"
        "row 2: (undecided: a message that waits for the expert, and that nobody decided)\n"
        "NOT clean: something certain is left, or a message that nobody decided\n"
    )
    told = json.loads(run(*arguments, "--json").stdout)
    assert (told["clean"], told["undecided"]) == (False, 1)
    page = re.sub("<[^>]+>", " ", (tmp_path / "check.html").read_text()).split()
    assert "Whole messages row certainty reason 2 undecided a message" in " ".join(page)


def test_a_finding_in_the_header_is_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "anon.csv").write_text("id,text,zoe@example.org\n1,oui,7\n")
    hidden, shown = (run("check", tmp_path / "anon.csv", *more) for more in ((), ("--show",)))
    assert "zoe" not in hidden.stdout
    assert "certain direct: zoe@example.org (1 left): identifier by its form\n" in shown.stdout
    assert "[zoe@example.org]                                header, column 3\n" in shown.stdout


def test_the_report_is_a_page_for_its_owner_alone(check: Run, tmp_path: Path) -> None:
    report = tmp_path / "check.html"
    check("4,ah Patrice <script>\n" * 90, "--report", report)
    page = report.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "ah [Patrice] &lt;script&gt;" in page
    assert "<script>" not in page
    assert "  and 40 more" in page
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_a_report_replaces_nothing_unasked(check: Run, tmp_path: Path) -> None:
    report = tmp_path / "check.html"
    report.write_text("kept")
    done = check(LEAK, "--report", report)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert report.read_text() == "kept"
    assert check(LEAK, "--report", report, "--overwrite").returncode == 1
    assert report.read_text() != "kept"


def test_a_report_is_none_of_the_inputs(check: Run, tmp_path: Path) -> None:
    done = check(LEAK, "--report", tmp_path / "sms.csv", "--overwrite")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert (tmp_path / "sms.csv").read_text() == BEFORE + LEAK


def test_standard_input_is_checked_without_a_next_step(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sms.csv").write_text(BEFORE)
    done = run("check", "-", "--against", tmp_path / "sms.csv", stdin=(CLEAN + LEAK).encode())
    assert (done.returncode, done.stdout[:6]) == (1, "4 rows")
    assert "triage mine" not in done.stdout


@pytest.mark.slow
def test_a_message_of_a_megabyte_is_looked_through(check: Run) -> None:
    done = check('4,"' + "ah oui Patrice, on se voit demain au 06 39 98 12 34 " * 20_000 + '"\n')
    assert done.returncode == 1
    assert "certain   direct    20,000  identifier by its form\n" in done.stdout


def test_names_of_the_account_of_people_are_found(run: Run, tmp_path: Path) -> None:
    left = "dis a Fontanel que je passe"
    before = (
        f"id,sender,text\n1,Marion Fontanel,oui\n2,Karim Duvall,{left}\n3,Karim Duvall,Patrice\n"
    )
    (tmp_path / "sms.csv").write_text(before)
    (tmp_path / "anon.csv").write_text(f"id,text\n1,oui\n2,{left}\n3,<PRE>\n")
    arguments = ("check", tmp_path / "anon.csv", "--against", tmp_path / "sms.csv")
    [found] = json.loads(run(*arguments, "--json", "--show").stdout)["left"]
    assert (found["text"], found["certainty"]) == ("Fontanel", "likely")
    assert found["reason"] == "name of the account of people"
