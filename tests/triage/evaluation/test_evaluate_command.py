"""``triage evaluate`` as a command."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.cli import main

Evaluate = Callable[..., int]
SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    def run(*words: object) -> int:
        monkeypatch.setattr(sys, "argv", ["triage", "evaluate", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0)

    return run


def test_one_part_is_printed_as_a_table(
    evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(SAMPLE, "--only", "infogain", "--train-first", 220) == 0
    printed = capsys.readouterr()
    assert "UpperCase" in printed.out
    assert printed.err == ""


def test_a_report_is_a_page_markdown_json_and_figures(evaluate: Evaluate, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    words = (SAMPLE, "--only", "tree", "--train-first", 220, "-o", folder, "-q")
    assert evaluate(*words) == 0
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    expected = {"report.html", "report.md", "report.json", "figures/tree.png", "figures/tree.svg"}
    assert made == expected


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--only", "nonsense"), "there is no part 'nonsense'; there are: cross-validation"),
        (("--label-column", "nope"), "has no column 'nope'; there are: id, sender"),
        (("--sender-column", "nope"), "Name the right one with --sender-column"),
        (("--second-label", "sent_at"), "labels must be TA or NTA"),
        (("--train-first", "260"), "choose another number with --train-first"),
        (("--features", "nonsense"), "'nonsense'"),
        (("--label-column", "text"), "is the column of messages"),
        (("--folds", "200"), "choose fewer with --folds"),
        (("--only", "annotators"), "name the second annotator's column with --second-label"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_exit_code_2(
    evaluate: Evaluate,
    words: tuple[str, ...],
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert evaluate(SAMPLE, *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("triage: ")
    assert problem in line
