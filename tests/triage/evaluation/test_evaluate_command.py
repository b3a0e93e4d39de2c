"""The paper's method, as a command: ``triage evaluate --paper``."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.cli.main import main

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


def test_the_papers_tables_are_of_the_language_of_the_messages(
    evaluate: Evaluate,
    english_messages: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [
        f'{"TA" if "Priya" in one else "NTA"},"{one} {i}"\n'
        for i in range(30)
        for one in english_messages
    ]
    path = tmp_path / "en.csv"
    path.write_text("label,text\n" + "".join(rows), encoding="utf-8")
    words = (path, "--only", "seek-hide", "--train-first", 200)
    assert evaluate(*words) == 0
    guessed = capsys.readouterr()
    assert "decided as English" in guessed.err
    assert evaluate(*words, "--language", "en") == 0
    assert capsys.readouterr() == (guessed.out, "")


def test_a_report_is_a_page_markdown_json_and_figures(evaluate: Evaluate, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    words = (SAMPLE, "--only", "tree", "--train-first", 220, "-o", folder, "-q")
    assert evaluate(*words) == 0
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    expected = {"report.html", "report.md", "report.json", "figures/tree.png", "figures/tree.svg"}
    assert made == expected


@pytest.mark.slow
def test_the_whole_method_of_the_paper_is_asked_for(evaluate: Evaluate, tmp_path: Path) -> None:
    """Of so small a file one figure can be drawn."""
    folder = tmp_path / "report"
    assert evaluate(SAMPLE, "--paper", "--folds", 3, "-o", folder, "-q") == 0
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["about"]["Command"] == "triage evaluate sample_fr.csv --paper --folds 3"
    assert [part["name"] for part in report["parts"]] == [
        "cross-validation",
        "later-messages",
        "infogain",
        "tree",
        "seek-hide",
        "combined",
    ]
    assert [path.name for path in (folder / "figures").glob("*.png")] == ["tree.png"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--only", "nonsense"), "there is no part 'nonsense'; there are: cross-validation"),
        (("--label-column", "nope"), "has no column 'nope'; there are: id, sender"),
        (("--sender-column", "nope"), "Name the right one with --sender-column"),
        (("--paper", "--second-label", "sent_at"), "labels must be TA or NTA"),
        (("--paper", "--train-first", "260"), "choose another number with --train-first"),
        (("--paper", "--features", "nonsense"), "'nonsense'"),
        (("--label-column", "text"), "is the column of messages"),
        (("--paper", "--folds", "200"), "choose fewer with --folds"),
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
