"""``triage plan`` and ``triage anonymise --plan``."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run, commands, one_line
from triage.anonymise.keys import make_key

CASES = cases_beside(__file__)

Anonymise = Callable[..., CompletedProcess[str]]
TRIAGED = (
    "id,sent_at,sender,text,action,note\n"
    '1,2011-09-17,a,"Coucou Patrice, ça va ?",TA,\n'
    "2,2011-09-18,a,oui et toi,NTA,\n"
    "3,2011-10-02,b,Slt patrice appelle Karim au 06 39 98 12 34,TA,Rosa Luxembourg\n"
    "4,2011-10-02,b,rdv au bar du coin,NTA,\n"
)


@pytest.fixture
def triaged(tmp_path: Path) -> Path:
    path = tmp_path / "sms.triage.csv"
    path.write_text(TRIAGED, encoding="utf-8")
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "anon.csv"


@pytest.fixture
def by_plan(run: Run, triaged: Path, output: Path, tmp_path: Path) -> Anonymise:
    """Anonymise the messages by a plan, with further options of the command line."""

    def call(plan: str, *options: str | Path) -> CompletedProcess[str]:
        path = tmp_path / "plan.toml"
        path.write_text(plan, encoding="utf-8")
        return run("anonymise", triaged, "-o", output, "--plan", path, *options)

    return call


# The default plan.


def test_the_plan_that_is_shown_holds_every_option(run: Run) -> None:
    shown = run("plan").stdout
    options = (one for one in dict(commands())["anonymise"].params if one.opts[0] != "--plan")
    names = {one.opts[0].removeprefix("--") for one in options if one.opts[0].startswith("--")}
    keys = {line.lstrip("# ").partition(" = ")[0] for line in shown.splitlines() if " = " in line}
    # The lists of a run are left out by the command line alone.
    assert names - keys == {"no-lists"}


def test_the_plan_that_is_shown_says_the_defaults(
    run: Run, triaged: Path, output: Path, by_plan: Anonymise
) -> None:
    plan = run("plan").stdout
    said = run("anonymise", triaged, "-o", output).stdout
    expected = output.read_bytes()
    for written in output.parent.glob("anon.*"):
        written.unlink()
    assert by_plan(plan).stdout == said
    assert output.read_bytes() == expected


def test_each_key_that_is_commented_out_can_be_used(run: Run) -> None:
    shown = run("plan").stdout
    assert "# style = …\n" in shown
    lines = (line.removeprefix("# ").replace("…", '"x"') for line in shown.splitlines())
    filled = [line for line in lines if line.startswith("[") or " = " in line]
    keys = [line for line in filled if line.startswith("[") or line.partition(" ")[2][0] == "="]
    assert tomllib.loads("\n".join(keys))["files"]["key"] == "x"


# What a plan does.


@pytest.mark.parametrize(
    ("plan", "said", "written"), CASES["messages_are_treated_as_the_plan_says"]
)
def test_messages_are_treated_as_the_plan_says(
    plan: str, said: str, written: str, by_plan: Anonymise, output: Path
) -> None:
    assert said in by_plan(plan).stdout
    assert written in output.read_text(encoding="utf-8")


def test_one_style_that_needs_a_key_needs_it(
    by_plan: Anonymise, output: Path, tmp_path: Path
) -> None:
    plan = '[styles]\nPRE = "surrogate"\n'
    assert "needs a key file: name it with --key" in one_line(by_plan(plan))
    make_key(tmp_path / "corpus.key")
    assert by_plan(plan + '[files]\nkey = "corpus.key"\n').returncode == 0
    text = output.read_text(encoding="utf-8")
    assert "<TEL>" in text
    assert "<PRE" not in text
    assert "Patrice" not in text


def test_the_paper_style_of_one_type_must_be_accepted(by_plan: Anonymise) -> None:
    plan = '[styles]\nPRE = "paper"\n'
    assert "add --reversible to accept that" in one_line(by_plan(plan))
    assert by_plan("[general]\nreversible = true\n" + plan).returncode == 0


def test_messages_with_a_type_to_ask_about_are_held_back(by_plan: Anonymise, output: Path) -> None:
    done = by_plan('[types]\nTEL = "ask"\n')
    assert "3 written" in done.stdout
    assert "1 message holds identifiers of types that the plan asks about: mark on" in done.stdout
    assert "Karim" not in output.read_text(encoding="utf-8")
    held = output.with_name("anon.held.csv").read_text(encoding="utf-8")
    assert "3,3,holds an identifier of a type that the plan asks about,no\n" in held


def test_a_person_answers_what_the_plan_asks(
    run: Run, output: Path, tmp_path: Path, by_plan: Anonymise
) -> None:
    by_plan("")  # writes the plan
    plan, final = tmp_path / "plan.toml", tmp_path / "final.csv"
    plan.write_text('[types]\nTEL = "ask"\n', encoding="utf-8")
    final.write_text(
        "id,text,final_action,decided_by,final_spans\n"
        '1,au 06 39 98 12 34 stp,TA,anna,"[[3, 17, ""TEL""]]"\n',
        encoding="utf-8",
    )
    run("anonymise", final, "-o", output, "--plan", plan, "--overwrite")
    assert output.read_text(encoding="utf-8") == "id,text\n1,au <TEL> stp\n"


def test_a_listed_spelling_in_a_column_that_is_kept_is_one_line(
    by_plan: Anonymise, output: Path
) -> None:
    plan = '[lists.always]\nNOM = ["Rosa Luxembourg"]\n[columns]\nkeep = ["note"]\n'
    assert "its column 'note' holds" in one_line(by_plan(plan))
    assert "last names (1 cell)" in one_line(by_plan(plan))
    assert not output.exists()


def test_the_report_tells_severities(by_plan: Anonymise) -> None:
    told = json.loads(by_plan('[severity]\nTEL = "indirect"\n[options]\njson = true\n').stdout)
    assert {row["type"]: row["severity"] for row in told["replaced"]} == {
        "PRE": "direct",
        "TEL": "indirect",
    }


# The plan and the command line.


def test_the_command_line_wins(by_plan: Anonymise, output: Path) -> None:
    plan = '[general]\nstyle = "mask"\n[styles]\nPRE = "mask"\n[columns]\nids = "number"\n'
    by_plan(plan + 'keep = ["note"]\n', "--style", "tag", "--ids", "keep", "--keep", "action")
    text = output.read_text(encoding="utf-8")
    assert text.startswith("id,sent_at,sender,text,action\n")
    assert "Coucou <PRE>" in text


def test_the_output_may_be_named_in_the_plan(run: Run, triaged: Path, tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    plan = folder / "plan.toml"
    plan.write_text('[files]\noutput = "anon.csv"\n', encoding="utf-8")
    assert run("anonymise", triaged, "--plan", plan).returncode == 0
    assert (folder / "anon.csv").exists()


def test_a_plan_is_never_replaced(run: Run, triaged: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text("", encoding="utf-8")
    done = run("anonymise", triaged, "-o", plan, "--plan", plan, "--overwrite")
    assert "is the input itself" in one_line(done)


@pytest.mark.parametrize(("plan", "problem"), CASES["a_mistake_in_the_plan_is_one"])
def test_a_mistake_in_the_plan_is_one_line(
    plan: str, problem: str, by_plan: Anonymise, output: Path
) -> None:
    assert problem in one_line(by_plan(plan))
    assert not output.exists()
