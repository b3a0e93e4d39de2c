"""The model in use, measured as ``triage classify`` decides."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import Triage, data
from triage.decide.pipeline import COLUMNS
from triage.decide.promise import Promise
from triage.decide.run import classify_file
from triage.decide.source import Request, Source, read_here
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.evaluation.in_use import (
    Decided,
    Kept,
    decide_labelled_stream,
    in_use,
    in_use_report,
    kept,
    kept_in_words,
)
from triage.model.learnt import Model
from triage.reports.document import Part, Table
from triage.reports.render import report_html
from triage.settings import Policy, PolicyName

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
Run = Callable[..., CompletedProcess[str]]
Row = dict[str, object]
Labelled = Callable[..., Path]
LONG = "0 1 2 3 4 5 6 7 8 9"


@pytest.fixture(scope="session")
def known(french: Lexicon, numbers_are_ta: Model) -> Triage:
    """A pipeline of which each decision is known beforehand: see `all_cells`."""
    return Triage(french, numbers_are_ta)


@pytest.fixture
def labelled(tmp_path: Path) -> Labelled:
    """Write messages of a label as a CSV file, with further columns."""

    def write(*rows: tuple[str, str], **columns: list[str]) -> Path:
        path = tmp_path / "labelled.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "label", *columns])
            writer.writerows(zip(*zip(*rows, strict=True), *columns.values(), strict=True))
        return path

    return write


def decided(triage: Triage, path: Path, corpus_evidence: bool | None = None) -> Decided:
    request = Request(Source(str(path)), corpus_evidence=corpus_evidence)
    with read_here(request.source) as stream:
        return decide_labelled_stream(triage, request, stream)


def tables(part: Part) -> Iterator[Table]:
    return (block for block in part.blocks if isinstance(block, Table))


def rows(part: Part, title: str) -> list[Row]:
    [table] = [table for table in tables(part) if table.title.startswith(title)]
    return [dict(zip(table.headings, row, strict=True)) for row in table.rows]


def words(part: Part) -> str:
    return "\n".join(block for block in part.blocks if isinstance(block, str))


def share(part: Part, name: str) -> Row:
    [row] = [r for r in rows(part, "Leak,") if str(r["measure"]).startswith(name)]
    return row


# One path


@pytest.mark.parametrize("corpus_evidence", [True, False])
@pytest.mark.parametrize("policy", list(PolicyName))
@pytest.mark.parametrize("strict", [False, True])
def test_messages_are_decided_as_classify_decides_them(
    policy: PolicyName,
    strict: bool,
    corpus_evidence: bool,
    shipped: Triage,
    tmp_path: Path,
) -> None:
    triage = Triage(shipped.lexicon, shipped.model, strict, Policy(policy))
    output = tmp_path / "sample.triage.csv"
    classify_file(
        triage, Request(Source(str(SAMPLE)), str(output), corpus_evidence=corpus_evidence)
    )
    with output.open(encoding="utf-8", newline="") as file:
        classified = [[row[column] for column in COLUMNS] for row in csv.DictReader(file)]
    found = decided(triage, SAMPLE, corpus_evidence=corpus_evidence).decisions
    assert [[str(cell) for cell in row] for row in found.rows()] == classified


def test_labels_change_no_decision(shipped: Triage, tmp_path: Path) -> None:
    turned = tmp_path / "turned.csv"
    text = SAMPLE.read_text(encoding="utf-8")
    turned.write_text(text.replace(",NTA,", ",X,").replace(",TA,", ",NTA,").replace(",X,", ",TA,"))
    one, other = decided(shipped, SAMPLE), decided(shipped, turned)
    assert one.corpus.labels != other.corpus.labels
    assert one.decisions == other.decisions


# What is measured


def test_a_released_ta_message_is_leak_and_its_identifier_missed(
    known: Triage, labelled: Labelled
) -> None:
    path = labelled(
        ("pierre", "TA"),  # untagged and NTA: released
        (f"Zoé {LONG}", "TA"),
        ("Zoé", "TA"),  # for the expert
        ("ok", "NTA"),
        (f"{LONG} pierre", "NTA"),
        spans=['[[0, 6, "PRE"]]', '[[0, 3, "PRE"]]', '[[0, 3, "SUR"]]', "[]", "[]"],
    )
    part = in_use(known, decided(known, path))
    counts = {str(r["measure"]).split(":")[0]: (r["messages"], r["of"]) for r in rows(part, "Leak")}
    assert counts == {
        "leak": (1, 3),
        "workload": (1, 5),
        "precision": (1, 2),
        "recall": (1, 3),
        "hidden": (1, 2),
        "left": (1, 2),
    }
    missed = {
        r["type"]: (r["identifiers"], r["in messages that end as NTA"])
        for r in rows(part, "Identifiers missed, by type")
    }
    assert missed == {"PRE": (2, 1), "SUR": (1, 0), "all": (3, 1)}
    by_label = {
        r["label"]: (r["words"], r["in messages that end as NTA"])
        for r in rows(part, "Identifiers missed, by the label")
    }
    assert by_label == {"DICTIONARY": (2, 0), "AMBIGUOUS": (1, 1), "all": (3, 1)}
    assert "Leak: 1 of 3 TA messages (33.33%) would be released" in words(part)


def test_each_cell_of_the_agreement_table_has_its_messages_by_label(
    known: Triage, all_cells: dict[tuple[str, str], str], labelled: Labelled
) -> None:
    path = labelled(*((text, "TA") for text in all_cells.values()), ("ok", "NTA"))
    found = {
        (r["Seek&Hide"], r["learnt model"]): (r["labelled TA"], r["labelled NTA"])
        for r in rows(in_use(known, decided(known, path)), "Both votes")
    }
    assert found == {cell: (1, int(cell == ("NTA", "NTA"))) for cell in all_cells}


def test_intervals_hold_their_share(shipped: Triage) -> None:
    for row in rows(in_use(shipped, decided(shipped, SAMPLE)), "Leak"):
        low, estimate, high = (float(str(row[name])) for name in ("95 % from", "share", "to"))
        assert low <= estimate <= high
        if row["by sender: from"] is not None:
            assert float(str(row["by sender: from"])) <= estimate


def test_where_none_or_all_count_no_interval_by_sender_is_shown(
    known: Triage, labelled: Labelled
) -> None:
    """Drawn again, they would all give the same, as if that were certain."""
    path = labelled(*[("ok", "NTA")] * 20, sender=[str(i) for i in range(20)])
    workload = share(in_use(known, decided(known, path)), "workload")
    assert (workload["share"], workload["by sender: from"], workload["by sender: to"]) == (
        0,
        None,
        None,
    )
    assert float(str(workload["to"])) > 0.1


def test_few_senders_give_no_interval_by_sender(known: Triage, labelled: Labelled) -> None:
    path = labelled(*[("ok", "NTA"), ("Zoé", "TA")] * 10, sender=["1", "2"] * 10)
    assert share(in_use(known, decided(known, path)), "workload")["by sender: from"] is None


# What cannot be measured


@pytest.mark.parametrize(
    ("label", "missing"),
    [
        ("NTA", "No message is labelled TA: neither leak nor recall can be measured."),
        ("TA", "No message is labelled NTA: what is hidden for nothing cannot be measured."),
    ],
)
def test_one_label_only_is_measured_as_far_as_it_goes(
    label: str, missing: str, known: Triage, labelled: Labelled
) -> None:
    part = in_use(known, decided(known, labelled(*[("ok", label)] * 5)))
    assert missing in words(part)
    assert "No message ends as TA: the precision cannot be measured." in words(part)
    assert not [table for table in tables(part) if "ranks" in table.title]
    assert share(part, "workload")["of"] == 5


def test_one_message_is_measured(known: Triage, labelled: Labelled) -> None:
    part = in_use(known, decided(known, labelled(("pierre", "TA"))))
    assert share(part, "leak")["share"] == 1


def test_without_senders_and_spans_that_is_said(known: Triage, labelled: Labelled) -> None:
    said = words(in_use(known, decided(known, labelled(("ok", "NTA"), ("Zoé", "TA")))))
    assert "The file has no column spans" in said
    assert "It is not known who sent the messages" in said


def test_a_file_of_no_message_is_one_clear_line(known: Triage, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("text,label\n")
    with pytest.raises(TriageError, match="holds no message"):
        decided(known, path)


def test_rows_that_cannot_be_read_are_named_by_their_lines(known: Triage, tmp_path: Path) -> None:
    path = tmp_path / "sms.csv"
    path.write_text("text,label\nok,NTA\na,b,c,d\nZoé,TA\n")
    part = in_use(known, decided(known, path))
    assert "cannot be read are left out: 1, in these lines of the file: 3." in words(part)
    assert share(part, "workload")["of"] == 2


def test_labels_and_marks_that_differ_are_counted(known: Triage, labelled: Labelled) -> None:
    path = labelled(
        ("ok", "TA"), ("Zoé", "NTA"), ("Zoé", "TA"), spans=["", '[[0,3,"PRE"]]', '[[0,3,"PRE"]]']
    )
    said = words(in_use(known, decided(known, path)))
    assert "labelled TA and have no marked identifier: 1; that are labelled NTA" in said


# The promise


@pytest.mark.parametrize(
    ("leaked", "n_ta", "verdict"),
    [
        (0, 298, Kept.UNKNOWN),
        (0, 299, Kept.KEPT),
        (3, 489, Kept.UNKNOWN),
        (1, 1, Kept.NOT_KEPT),
        (20, 489, Kept.NOT_KEPT),
        (0, 0, Kept.UNKNOWN),
    ],
)
def test_a_promise_is_judged_by_what_the_numbers_can_carry(
    leaked: int, n_ta: int, verdict: Kept
) -> None:
    assert kept(0.01, leaked, n_ta) is verdict


def test_the_promise_is_compared_in_words() -> None:
    promised = Promise(0.2, 0.9, asked=0.01, leak=0.01, n_ta=489)
    assert kept_in_words(promised, 3, 489) == (
        "The guarded policy promised a leak of at most 1.00%; on these messages it is 0.61% (3 of "
        "489 TA messages; at most 1.58% with 95 % confidence): these messages are too few to tell. "
        "It takes 299 TA messages to show it, if none of them is released."
    )


def test_a_promise_that_was_less_than_asked_for_says_both() -> None:
    promised = Promise(0.2, 0.9, asked=0.001, leak=0.0047, n_ta=489)
    assert "at most 0.47% (0.10% was asked for); here no message" in kept_in_words(promised, 0, 0)


# Where it comes from


def test_as_many_messages_as_the_model_has_learnt_from_are_suspected(
    known: Triage, labelled: Labelled
) -> None:
    same = labelled(*[("ok", "NTA")] * 30, *[(LONG, "TA")] * 30)
    assert "all figures below flatter it" in words(in_use(known, decided(known, same)))
    other = labelled(*[("ok", "NTA")] * 30, *[(LONG, "TA")] * 29)
    assert "flatter" not in words(in_use(known, decided(known, other)))


def test_a_report_holds_no_message_and_is_the_same_again(shipped: Triage) -> None:
    found = decided(shipped, SAMPLE)
    pages = [report_html(in_use_report(shipped, found, "triage", SAMPLE)) for _ in range(2)]
    assert pages[0] == pages[1]
    assert not [text for text in found.corpus.messages if len(text) > 12 and text in pages[0]]


# The command


def test_by_default_the_model_in_use_is_measured(run: Run) -> None:
    done = run("evaluate", SAMPLE, "--policy", "guarded", "--max-leak", "0.05")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The model in use, on these messages\n")
    assert "promised a leak of at most 5.00%" in done.stdout.replace("\n", " ")


def test_a_model_of_ones_own_is_measured_and_named(
    run: Run, model_path: Path, labelled: Labelled, tmp_path: Path
) -> None:
    path = labelled(*[("ok", "NTA")] * 30, *[(LONG, "TA")] * 30)
    folder = tmp_path / "report"
    done = run("evaluate", path, "--model", model_path, "-o", folder)
    assert done.returncode == 0
    assert "The model has learnt from 30 TA and 30 NTA" in done.stderr
    about = json.loads((folder / "report.json").read_text(encoding="utf-8"))["about"]
    assert about["Command"] == "triage evaluate labelled.csv --model numbers"
    assert about["Model"].startswith("the model numbers, features patel2013, learnt from 30 TA")


def test_messages_of_standard_input_are_measured(run: Run) -> None:
    done = run("evaluate", "-", stdin=SAMPLE.read_bytes())
    assert done.returncode == 0
    assert "without corpus evidence" in done.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--folds", "3"), "--folds applies only with --paper"),
        (("--compare",), "--compare applies only with --paper"),
        (("--jobs", "2"), "--jobs applies only with --paper"),
        (("--paper", "--policy", "guarded"), "--policy does not apply to --paper"),
        (("--only", "tree", "--strict"), "--strict does not apply to --paper"),
        (("--paper", "--no-corpus-evidence"), "--no-corpus-evidence does not apply"),
        (
            ("--policy", "agreement", "--max-leak", "0.02"),
            "--max-leak is of the guarded policy",
        ),
        (("--features", "nonsense"), "there is no model for 'fr' with the features 'nonsense'"),
        (("--label-column", "sender"), "labels must be TA or NTA; there are also … (line 2)"),
        (("--features", "patel2013", "--corpus-evidence"), "--corpus-evidence needs a model that"),
    ],
)
def test_options_of_the_other_evaluation_and_mistakes_are_one_clear_line(
    words: tuple[str, ...], problem: str, run: Run
) -> None:
    done = run("evaluate", SAMPLE, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert problem in done.stderr
