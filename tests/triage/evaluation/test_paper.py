"""The paper's method on the sample messages: ``triage evaluate --paper``."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage.dictionaries import Lexicon
from triage.evaluation.corpus import AnnotatedCorpus, Options, prepare, read_corpus
from triage.evaluation.paper_features import name_lower_values, tree_text
from triage.evaluation.paper_models import folds
from triage.evaluation.report import evaluate, report
from triage.reports.page import Figure, Part, Table, report_html, report_markdown

from .conftest import Labelled, Rows

CASES = cases_beside(__file__)

Measure = Callable[..., Part]
OPTIONS = Options(n_folds=4, first=220)
slow = pytest.mark.slow


@pytest.fixture
def measure(french: Lexicon, corpus: AnnotatedCorpus) -> Measure:
    """Measure one part, of the sample or of another corpus."""

    def one(name: str, of: AnnotatedCorpus | None = None, **changed: object) -> Part:
        [part] = evaluate(of or corpus, replace(OPTIONS, **changed), french, name)  # type: ignore[arg-type]
        return part

    return one


def several(corpus: AnnotatedCorpus, times: int) -> AnnotatedCorpus:
    lines = [*range(len(corpus.messages) * times)]
    return AnnotatedCorpus(corpus.messages * times, corpus.labels * times, lines=lines)


def figures(part: Part) -> list[str]:
    return [block.name for block in part.blocks if isinstance(block, Figure)]


def test_a_corpus_keeps_messages_labels_senders_spans_and_lines(
    corpus: AnnotatedCorpus, french: Lexicon
) -> None:
    assert len(corpus.messages) == len(corpus.labels) == len(corpus.lines) == 260
    assert corpus.lines[0] == 2
    assert corpus.senders is not None
    assert int(corpus.is_ta.sum()) == sum(bool(spans) for spans in corpus.spans or [])
    assert prepare(corpus, french, Options()).first == 173  # two thirds


def test_spans_are_read_from_json_lines_and_left_out_where_they_are_no_json(tmp_path: Path) -> None:
    table, lines = tmp_path / "sms.csv", tmp_path / "sms.jsonl"
    table.write_text('text,label,spans\nCoucou,NTA,oops\nSalut Zoé,TA,"[[6, 9, ""PRE""]]"\n')
    row = {"text": "Salut Zoé", "label": "TA", "spans": [[6, 9, "PRE"]]}
    lines.write_text(json.dumps(row) + "\n")
    assert read_corpus(str(table)).spans == [[], [(6, 9, "PRE")]]
    assert read_corpus(str(lines)).spans == [[(6, 9, "PRE")]]


@slow
@pytest.mark.parametrize(
    ("part", "title", "column", "total"), CASES["every_message_is_counted_once"]
)
def test_every_message_is_counted_once(
    part: str, title: str, column: str, total: int, measure: Measure, rows: Rows
) -> None:
    assert sum(int(str(row[column])) for row in rows(measure(part), title)) == total


@slow
def test_cross_validation_without_senders_says_that_folds_are_not_grouped(
    measure: Measure, corpus: AnnotatedCorpus, rows: Rows
) -> None:
    part = measure("cross-validation", replace(corpus, senders=None))
    assert [row["accuracy (paper)"] for row in rows(part, "Accuracy")] == [0.5, 0.778, 0.794]
    assert part.blocks[-1] == "No column of senders: the folds could not be grouped by sender."


def test_no_sender_is_in_two_folds() -> None:
    labels, senders = np.array([True, False] * 40), np.array([str(i // 4) for i in range(80)])
    for train, test in folds(labels, senders, 5, seed=0):
        assert not set(senders[train]) & set(senders[test])


@slow
def test_later_messages_are_tested_with_all_and_half_of_the_training(
    measure: Measure, corpus: AnnotatedCorpus, rows: Rows
) -> None:
    for part, learnt_from in (
        (measure("later-messages"), {220}),  # half of them hold too few
        (measure("later-messages", several(corpus, 2), first=500), {500, 250}),
    ):
        found = rows(part, "Trained on the first")
        assert {row["learnt from"] for row in found} == learnt_from
        assert {row["tested on"] for row in found} == {"all later ones"}
        assert [row["accuracy (paper)"] for row in found][:2] == [0.746, 0.769]


@slow
@pytest.mark.parametrize(
    ("part", "first", "times", "enough", "name", "why"), CASES["a_figure_of_too_few_messages_is"]
)
def test_a_figure_of_too_few_messages_is_not_drawn(
    part: str,
    first: int,
    times: int,
    enough: int,
    name: str,
    why: str,
    measure: Measure,
    corpus: AnnotatedCorpus,
) -> None:
    few = measure(part, first=first)
    assert figures(few) == []
    assert why in str(few.blocks[-1])
    assert figures(measure(part, several(corpus, times), first=enough)) == [name]


@slow
def test_infogain_ranks_all_twelve_features_beside_the_papers(measure: Measure, rows: Rows) -> None:
    found = rows(measure("infogain"), "Features by information gain")
    assert [row["rank"] for row in found] == list(range(1, 13))
    gains = [float(str(row["balanced once"])) for row in found]
    assert gains == sorted(gains, reverse=True)
    assert {row["feature"]: row["InfoGain (paper)"] for row in found}["UpperCase"] == 0.2754


@slow
def test_a_tree_that_asks_nothing_is_not_drawn(
    measure: Measure, corpus: AnnotatedCorpus, rows: Rows
) -> None:
    part = measure("tree", replace(corpus, messages=["ok"] * 260, spans=None))
    assert [row["here"] for row in rows(part, "Its size")] == [1, 1]
    assert figures(part) == []


def grown(*leaves: tuple[float, float, str, int]) -> DecisionTreeClassifier:
    """Grow a tree on messages of two features: both values, the label, how many there are."""
    values = [leaf[:2] for leaf in leaves for _ in range(leaf[3])]
    labels = [leaf[2] for leaf in leaves for _ in range(leaf[3])]
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(values, labels)
    name_lower_values(tree, np.array(values))
    return tree


TREE = grown((1, 0, "NTA", 20), (2, 0, "TA", 9), (2, 3, "NTA", 4), (2, 3, "TA", 2))


@pytest.mark.parametrize(
    ("tree", "depth", "text"),
    [
        (TREE, 1, "UpperCase <= 1: NTA (20.0)\nUpperCase > 1: TA …"),
        (
            TREE,
            2,
            "UpperCase <= 1: NTA (20.0)\nUpperCase > 1\n"
            "|   Numbers <= 0: TA (9.0)\n|   Numbers > 0: NTA (6.0/2.0)",
        ),
        (grown((1, 1, "NTA", 10), (1, 1, "TA", 2)), 6, ": NTA (12.0/2.0)"),
        (grown((1 / 3, 0, "NTA", 1), (2, 0, "TA", 1)), 1, "UpperCase <= 0.333333: NTA (1.0)\n…"),
    ],
)
def test_a_tree_has_the_form_of_weka_and_is_cut_at_its_depth(
    tree: DecisionTreeClassifier, depth: int, text: str
) -> None:
    shown = tree_text(tree, ("UpperCase", "Numbers"), depth)
    assert shown.startswith(text.removesuffix("\n…"))
    assert len(shown.splitlines()) == len(text.splitlines())


@slow
def test_words_behind_errors_are_shown_only_when_asked_for(measure: Measure) -> None:
    hidden, shown = measure("seek-hide"), measure("seek-hide", show_words=True)
    titles = {block.title for block in hidden.blocks if isinstance(block, Table)}
    [words] = [b for b in shown.blocks if isinstance(b, Table) and b.title not in titles]
    assert words.title.endswith(": all 8 different words")
    assert len(words.rows) == 8
    [origins] = [b for b in hidden.blocks if isinstance(b, Table) and "False" in b.title]
    assert origins.note == f"All {len(origins.rows)} combinations, 8 words in all."
    # The sample has no misses, so no words stand behind any.
    assert hidden.blocks[-1] == (
        "Misses: the words of TA messages that were taken for nothing: none."
    )


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


@slow
def test_comparison_measures_all_models_on_the_same_folds(measure: Measure, rows: Rows) -> None:
    found = rows(measure("comparison"), "Models")
    assert len(found) == 6
    assert found[0]["model"] == "dummy"


@slow
def test_the_same_seed_gives_the_same_page_and_none_of_the_messages(
    corpus: AnnotatedCorpus, french: Lexicon, sample: Path
) -> None:
    pages = []
    for _ in range(2):
        parts = evaluate(corpus, OPTIONS, french, "combined")
        made = report(corpus, parts, "triage evaluate", sample)
        pages.append(report_html(made) + report_markdown(made))
    assert pages[0] == pages[1]
    assert not [text for text in corpus.messages if len(text) > 12 and text in pages[0]]


def test_the_papers_tables_are_of_the_language_of_the_messages(
    run: Run, english_messages: list[str], tmp_path: Path
) -> None:
    lines = [
        f'{"TA" if "Priya" in one else "NTA"},"{one} {i}"\n'
        for i in range(30)
        for one in english_messages
    ]
    path = tmp_path / "en.csv"
    path.write_text("label,text\n" + "".join(lines), encoding="utf-8")
    words = ("evaluate", path, "--only", "seek-hide", "--train-first", "200")
    guessed, named = run(*words), run(*words, "--language", "en")
    assert guessed.returncode == named.returncode == 0
    assert "decided as English" in guessed.stderr
    assert (named.stdout, named.stderr) == (guessed.stdout, "")


def test_a_report_is_a_page_markdown_json_and_figures(
    run: Run, sample: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "report"
    words = ("--only", "tree", "--train-first", "220", "-o", folder)
    done = run("evaluate", sample, *words)
    assert (done.returncode, done.stderr) == (0, "")
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    expected = {"report.html", "report.md", "report.json", "figures/tree.png", "figures/tree.svg"}
    assert made == expected


@slow
def test_the_whole_method_of_the_paper_is_asked_for(
    run: Run, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of so small a file one figure can be drawn; without the extra the sources are left out."""
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    folder = tmp_path / "report"
    assert run("evaluate", sample, "--paper", "--folds", "3", "-o", folder).returncode == 0
    made = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert made["about"]["Command"] == "triage evaluate sample_fr.csv --paper --folds 3"
    names = ["cross-validation", "later-messages", "infogain", "tree", "seek-hide", "combined"]
    assert [part["name"] for part in made["parts"]] == [*names, "sources"]
    [why] = made["parts"][-1]["blocks"]
    assert why["text"].startswith("Not measured: pycrfsuite is not installed")
    assert [path.name for path in (folder / "figures").glob("*.png")] == ["tree.png"]


@pytest.mark.parametrize(("words", "problem"), CASES["what_a_user_can_mend_is_one"])
def test_what_a_user_can_mend_is_one_line_and_exit_code_2(
    run: Run, sample: Path, words: tuple[str, ...], problem: str
) -> None:
    done = run("evaluate", sample, *words)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout, line[:8]) == (2, "", "triage: ")
    assert problem in line


def test_a_file_of_no_message_is_one_clear_line(run: Run, labelled: Labelled) -> None:
    path = labelled(("ok", "NTA"))
    path.write_text("text,label\n")
    done = run("evaluate", path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "holds no message" in done.stderr


@pytest.mark.parametrize("part", ["sources", "evidence", "treatment"])
def test_parts_of_marked_identifiers_need_them(part: str, run: Run, labelled: Labelled) -> None:
    done = run("evaluate", labelled(*[("Zoé", "TA"), ("ok", "NTA")] * 40), "--only", part)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the file needs a column spans" in done.stderr
