"""Shells complete commands, options and the choices of options."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage.cli.completion import _SLOW
from triage.evaluation.report import PartName
from triage.model.training import Undersampling

Run = Callable[..., CompletedProcess[str]]
SHELLS = ["bash", "zsh", "fish", "powershell"]


def completed(run: Run, monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """Return what bash is told behind a line, whose last word may be unfinished."""
    words = line.split(" ")
    monkeypatch.setenv("_TRIAGE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("triage cl", ["classify"]),
        ("triage queue a", ["add", "assign", "apply"]),
        ("triage classify sms.csv --poli", ["--policy"]),
        ("triage classify sms.csv --policy ", ["agreement", "guarded"]),
        ("triage classify sms.csv --format s", ["sms-backup", "signal", "sqlite"]),
        ("triage classify sms.csv --find s", ["school"]),
        ("triage anonymise sms.csv --style ", ["tag", "paper", "consistent", "surrogate", "mask"]),
        ("triage anonymise sms.csv --dates m", ["month"]),
        ("triage queue export work.queue --format d", ["doccano", "datasets"]),
        ("triage queue export work.queue --state d", ["decided", "disagreed"]),
        ("triage train sms.csv --features p", ["patel2013", "patel2013-normalised"]),
        ("triage mine sms.csv --language ", ["fr", "none"]),
        ("triage review work.queue --lang ", ["fr", "en"]),
        ("triage evaluate sms.csv --only t", ["tree", "treatment"]),
        ("triage schema q", ["queue"]),
    ],
)
def test_what_is_known_is_completed(
    line: str, expected: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed(run, monkeypatch, line) == expected


def test_files_are_left_to_the_shell(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed(run, monkeypatch, "triage classify ") == []
    assert "complete -o default" in run_source("bash")


def test_choices_that_are_written_down_are_those_there_are() -> None:
    assert {"only": tuple(PartName), "undersampling": ("per_bag", "once")} == _SLOW
    assert {*Undersampling} == {*_SLOW["undersampling"]}


def run_source(shell: str) -> str:
    """Return the script that makes a shell complete."""
    done = subprocess.run(
        [sys.executable, "-m", "triage"],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "_TRIAGE_COMPLETE": f"source_{shell}",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str) -> None:
    assert "_TRIAGE_COMPLETE" in run_source(shell)


@pytest.mark.slow
def test_bash_completes_by_its_script(shell: Run, tmp_path: Path) -> None:
    program = tmp_path / "triage"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m triage "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    done = shell(
        'unset -f triage; PATH="$PWD:$PATH"; eval "$(_TRIAGE_COMPLETE=source_bash triage)"\n'
        "COMP_WORDS=(triage classify sms.csv --policy g) COMP_CWORD=4\n"
        "_triage_completion triage; echo ${COMPREPLY[@]}"
    )
    assert (done.stdout, done.stderr) == ("guarded\n", "")
