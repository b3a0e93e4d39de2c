"""Options that several commands share, and commands and options that are mistyped."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run, commands
from tests.triage.conftest import SAMPLE
from triage.errors import TriageError
from triage.model.learnt import load_model
from triage.settings import (
    Policy,
    Reading,
    SettingError,
    Setup,
    Treatment,
    build,
    settings_of,
    share_of,
)

CASES = cases_beside(__file__)


@pytest.mark.parametrize(("text", "share"), CASES["shares"])
def test_a_share_is_of_a_hundred_or_of_one(text: str, share: float) -> None:
    assert share_of(text, "--double") == pytest.approx(share)


@pytest.mark.parametrize(("text", "problem"), CASES["no_shares"])
def test_what_is_no_share_is_refused(text: str, problem: str) -> None:
    with pytest.raises(TriageError, match=problem):
        share_of(text, "--max-leak")


def test_the_page_without_its_libraries_says_how_to_install_them(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None in sys.modules is how Python itself marks a module that can't be imported.
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [name for name in sys.modules if name.startswith("triage.web.")]:
        monkeypatch.delitem(sys.modules, name)
    error = refused("review", Path("work.queue"))
    assert error.startswith("triage: uvicorn is not installed: pip install '.[review]' in ")
    assert re.search(r"pip install 'sms_triage-[0-9.]+-py3-none-any\.whl\[review\]'", error)


def test_what_is_chosen_for_a_model_is_in_its_manifest(run: Run) -> None:
    chosen = [
        "--undersampling",
        "once",
        "--plan",
        "features=patel2013-normalised",
        "--plan",
        "seed=9",
    ]
    run("train", SAMPLE, "-o", Path("model"), *chosen)
    about = load_model(Path("model")).manifest
    assert (about.undersampling, about.features, about.seed) == ("once", "patel2013-normalised", 9)


@pytest.mark.parametrize(("record", "values", "problem"), CASES["wrong_settings"])
def test_a_setting_that_is_wrong_is_told_with_what_is_right(
    record: str, values: dict[str, object], problem: str
) -> None:
    records: dict[str, type] = {"setup": Setup, "treatment": Treatment, "reading": Reading}
    with pytest.raises(SettingError) as error:
        build(records[record], values)
    assert str(error.value).startswith(problem)


@pytest.mark.parametrize("values", [{"strict": "x"}, {"recognisers": "abc"}, {"model": 3}])
def test_a_setup_is_checked_where_it_is_made(values: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"^{next(iter(values))} is "):
        Setup(**values)


def test_a_policy_is_a_name_and_its_bounds() -> None:
    assert Setup(policy=Policy(max_leak=0.01)) == Setup(policy="guarded", max_leak=0.01)
    assert Setup(policy="agreement").chosen_policy() == Policy("agreement")
    with pytest.raises(TriageError, match=r"^max-leak is of the guarded policy"):
        Setup(policy="agreement", max_leak=0.01).chosen_policy()


def test_every_setting_of_reading_is_an_option() -> None:
    # The desk hands them to classify.
    options = {option for one in dict(commands())["classify"].params for option in one.opts}
    assert {f"--{one.key}" for one in settings_of(Reading).values()} <= options


def test_the_plan_that_is_shown_holds_every_option(run: Run) -> None:
    shown = run("plan").stdout
    options = (one for one in dict(commands())["anonymise"].params if one.opts[0] != "--plan")
    names = {one.opts[0].removeprefix("--") for one in options if one.opts[0].startswith("--")}
    keys = {line.lstrip("# ").partition(" = ")[0] for line in shown.splitlines() if " = " in line}
    assert names <= keys


def test_the_plan_that_is_shown_says_the_defaults(run: Run) -> None:
    Path("t.csv").write_text("id,sender,text,action\n1,a,Coucou Patrice,TA\n2,a,oui,NTA\n")
    Path("plan.toml").write_text(run("plan").stdout, encoding="utf-8")
    said = run("anonymise", "t.csv", "-o", "anon.csv").stdout
    expected = Path("anon.csv").read_bytes()
    planned = run("anonymise", "t.csv", "-o", "anon.csv", "--plan", "plan.toml", "--overwrite")
    assert (planned.stdout, Path("anon.csv").read_bytes()) == (said, expected)


def test_each_key_that_is_commented_out_can_be_used(run: Run) -> None:
    shown = run("plan").stdout
    assert "# style = …\n" in shown
    lines = (line.removeprefix("# ").replace("…", '"x"') for line in shown.splitlines())
    filled = [line for line in lines if line.startswith("[") or " = " in line]
    keys = [line for line in filled if line.startswith("[") or line.partition(" ")[2][0] == "="]
    assert tomllib.loads("\n".join(keys))["files"]["key"] == "x"
