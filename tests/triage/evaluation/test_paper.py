"""The paper's method on the sample messages: ``triage evaluate --paper``."""

import json
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage import evaluation
from triage.evaluation.corpus import AnnotatedCorpus, read_corpus
from triage.reports.page import Figure

from .conftest import Measure, Rows

CASES = cases_beside(__file__)

slow = pytest.mark.slow


def test_the_words_of_reports_are_all_there_and_all_used() -> None:
    folder = Path(evaluation.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    parts = tomllib.loads((folder / "texts.toml").read_text(encoding="utf-8"))
    named = re.findall(r'TEXTS\.\w+\(\s*f?"([^"]+)"', code)
    used = re.compile("|".join(re.sub(r"\\{.*?\\}", ".+", re.escape(name)) for name in named))
    held = {f"{part}.{key}" for part, keys in parts.items() for key in keys if key != "title"}
    held -= {name for name in held if name.startswith("paper.")}
    assert [name for name in sorted(held) if not used.fullmatch(name)] == []
    static = {name for name in named if "." in name and "{" not in name}
    assert static <= held


def test_spans_are_read_from_tables_and_json_lines(tmp_path: Path) -> None:
    table, lines = tmp_path / "sms.csv", tmp_path / "sms.jsonl"
    table.write_text('text,label,spans\nCoucou,NTA,\nSalut Zoé,TA,"[[6, 9, ""PRE""]]"\n')
    row = {"text": "Salut Zoé", "label": "TA", "spans": [[6, 9, "PRE"]]}
    lines.write_text(json.dumps(row) + "\n")
    assert read_corpus(str(table)).spans == [[], [(6, 9, "PRE")]]
    assert read_corpus(str(lines)).spans == [[(6, 9, "PRE")]]


@slow
@pytest.mark.parametrize(("part", "times", "first", "name"), CASES["a_figure_is_drawn_of_enough"])
def test_a_figure_is_drawn_of_enough_messages(
    part: str, times: int, first: int, name: str, measure: Measure, corpus: AnnotatedCorpus
) -> None:
    lines = [*range(len(corpus.messages) * times)]
    many = AnnotatedCorpus(corpus.messages * times, corpus.labels * times, lines=lines)
    drawn = [b.name for b in measure(part, many, first=first).blocks if isinstance(b, Figure)]
    assert drawn == [name]


@slow
def test_annotators_are_compared_and_rows_on_which_they_differ_are_named(
    measure: Measure, corpus: AnnotatedCorpus, rows: Rows
) -> None:
    same = measure("annotators", replace(corpus, second=corpus.labels))
    assert rows(same, "Agreement")[0]["Cohen's kappa"] == 1.0
    second = ["TA" if i == 3 else label for i, label in enumerate(corpus.labels)]
    assert corpus.labels[3] == "NTA"
    differing = measure("annotators", replace(corpus, second=second))
    assert str(differing.blocks[-1]).endswith(f": {corpus.lines[3]}.")


def test_the_papers_tables_are_of_the_language_of_the_messages(
    run: Run, english_messages: list[str]
) -> None:
    lines = [
        f'{"TA" if "Priya" in one else "NTA"},"{one} {i}"\n'
        for i in range(30)
        for one in english_messages
    ]
    path = Path("en.csv")
    path.write_text("label,text\n" + "".join(lines), encoding="utf-8")
    words = ("evaluate", path, "--only", "seek-hide", "--train-first", "200")
    guessed, named = run(*words), run(*words, "--language", "en")
    assert guessed.returncode == named.returncode == 0
    assert "decided as English" in guessed.stderr
    assert (named.stdout, named.stderr) == (guessed.stdout, "")


@slow
def test_the_whole_method_of_the_paper_is_asked_for(
    run: Run, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of so small a file one figure can be drawn; without the extra the sources are left out."""
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    folder = Path("report")
    assert run("evaluate", sample, "--paper", "--folds", "3", "-o", folder).returncode == 0
    made = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert made["about"]["Command"] == "triage evaluate sample_fr.csv --paper --folds 3"
    names = ["cross-validation", "later-messages", "infogain", "tree", "seek-hide", "combined"]
    assert [part["name"] for part in made["parts"]] == [*names, "sources"]
    [why] = made["parts"][-1]["blocks"]
    assert why["text"].startswith("Not measured: pycrfsuite is not installed")
    figures = sorted(path.name for path in (folder / "figures").iterdir())
    assert figures == ["tree.png", "tree.svg"]
