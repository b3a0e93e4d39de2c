"""Options that several commands share, and commands and options that are mistyped."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.cli.options import ModelOptions, PolicyOptions, given, refuse, share_of
from triage.errors import TriageError

Run = Callable[..., CompletedProcess[str]]
SHARES = [
    ("2%", 0.02),
    ("0.02", 0.02),
    ("2.5%", 0.025),
    ("2,5 %", 0.025),
    ("0", 0),
    ("0%", 0),
    ("1", 1),
    ("100%", 1),
]


@pytest.mark.parametrize(("text", "share"), SHARES)
def test_a_share_is_of_a_hundred_or_of_one(text: str, share: float) -> None:
    assert share_of(text, "--double") == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "%", "dix", "-1%", "-0.1", "101%", "nan", "inf", "10 %%"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(TriageError, match=f"^--max-leak {text} is no share: it lies between"):
        share_of(text, "--max-leak")


@pytest.mark.parametrize(("text", "share"), [("2", "0.02"), ("10", "0.1"), ("1.5", "0.015")])
def test_a_percentage_without_its_sign_is_answered_by_both_ways_to_write_it(
    text: str, share: str
) -> None:
    with pytest.raises(TriageError, match=f"for {text} % write {text}% or {share}$"):
        share_of(text, "--max-leak")


@pytest.mark.parametrize(("option", "percent"), [("--max-leak", "5%"), ("--min-precision", "90%")])
def test_a_bound_of_the_guarded_policy_is_written_in_both_ways(
    option: str, percent: str, run: Run, csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    source, fraction = csv_of("Coucou Patrice"), f"{float(percent[:-1]) / 100:g}"
    written = []
    for number, share in enumerate((percent, fraction)):
        output = tmp_path / f"{number}.csv"
        done = run("classify", source, "--policy", "guarded", option, share, "-o", output)
        assert done.returncode == 0, done.stderr
        written.append((output.read_bytes(), done.stdout.replace(output.name, "")))
    assert written[0] == written[1]


@pytest.mark.parametrize("command", ["clasify sms.csv", "queue creat sms.csv"])
def test_a_mistyped_command_is_answered_by_one_suggestion(command: str, run: Run) -> None:
    done = run(*command.split())
    assert done.returncode == 2
    assert done.stderr.count("Did you mean") == 1


def test_the_page_without_its_libraries_says_how_to_install_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None in sys.modules is how Python itself marks a module that can't be imported.
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [name for name in sys.modules if name.startswith("triage.review.")]:
        monkeypatch.delitem(sys.modules, name)
    done = run("review", tmp_path / "work.queue")
    assert done.returncode == 2
    assert done.stderr.startswith("triage: the page needs uvicorn: pip install '.[review]' in ")
    assert re.search(r"pip install 'sms_triage-[0-9.]+-py3-none-any\.whl\[review\]'", done.stderr)


def test_the_help_of_train_says_what_a_model_tells_of_its_messages(run: Run) -> None:
    help_ = " ".join(run("train", "--help").stdout.split())
    assert "words of three letters and fewer stand in it whole" in help_


def test_options_of_a_group_that_were_given_are_named_as_on_the_command_line() -> None:
    chosen = PolicyOptions(
        model=Path("m"), names=[Path("n")], strict=True, max_leak=0.0, corpus_evidence=False
    )
    assert given(chosen) == {
        "--model": Path("m"),
        "--names": [Path("n")],
        "--strict": True,
        "--max-leak": 0.0,
        "--no-corpus-evidence": True,
    }
    assert given(PolicyOptions(corpus_evidence=True)) == {"--corpus-evidence": True}
    assert given(ModelOptions()) == {}


def test_the_first_option_that_does_not_apply_is_refused() -> None:
    refuse({}, "never")
    with pytest.raises(TriageError, match=r"^--model is not for this$"):
        refuse({"--model": Path("m"), "--names": []}, "is not for this")


def test_a_group_of_options_is_shown_with_the_help_of_each(run: Run) -> None:
    help_ = " ".join(run("anonymise", "--help").stdout.split())
    assert "--as-it-is COLUMN Write this column even if identifiers are found" in help_
    assert "--text-column TEXT Column of messages" in help_
    assert "--force Apply the table of entities" in help_
    assert "--no-force" not in help_
