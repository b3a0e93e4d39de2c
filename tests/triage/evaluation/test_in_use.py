"""The model in use, measured as ``triage classify`` decides."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.tables import read_rows
from tests.triage.cli.program import Run
from triage import Triage
from triage.decide.tables import COLUMNS
from triage.dictionaries import Lexicon
from triage.evaluation.corpus import AnnotatedCorpus, read_corpus
from triage.evaluation.in_use import Decided, decide_labelled, in_use, kept_in_words
from triage.model.learnt import Model
from triage.reports.page import Part, Table
from triage.settings import PolicyName

from .conftest import Labelled, Rows

CASES = cases_beside(__file__)

LONG = "0 1 2 3 4 5 6 7 8 9"


@pytest.fixture(scope="session")
def known(french: Lexicon, numbers_are_ta: Model) -> Triage:
    """A pipeline of which each decision is known beforehand: see `all_cells`."""
    return Triage(french, numbers_are_ta)


def decided(triage: Triage, path: Path) -> Decided:
    return decide_labelled(triage, read_corpus(str(path), every_row=False))


def words(part: Part) -> str:
    return "\n".join(block for block in part.blocks if isinstance(block, str))


@pytest.mark.parametrize("corpus_evidence", [True, False])
@pytest.mark.parametrize("policy", list(PolicyName))
@pytest.mark.parametrize("strict", [(), ("--plan", "strict=true")])
def test_messages_are_decided_as_classify_decides_them(
    policy: PolicyName,
    strict: Sequence[str],
    corpus_evidence: bool,
    shipped: Triage,
    sample: Path,
    corpus: AnnotatedCorpus,
    run: Run,
) -> None:
    output = Path("sample.triage.csv")
    evidence = () if corpus_evidence else ("--plan", "corpus-evidence=false")
    run("classify", sample, "-o", output, "--policy", policy, *strict, *evidence)
    classified = [[row[column] for column in COLUMNS] for row in read_rows(output)]
    triage = Triage(shipped.lexicon, shipped.model, bool(strict), policy)
    found = decide_labelled(triage, corpus, corpus_evidence).decisions
    assert [[str(cell) for cell in row] for row in found.rows()] == classified


def test_a_released_ta_message_is_leak_and_its_identifier_missed(
    known: Triage, labelled: Labelled, rows: Rows
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


@pytest.mark.parametrize(("messages", "columns", "said"), CASES["said"])
def test_what_cannot_be_measured_or_trusted_is_said(
    messages: list[tuple[str, str]],
    columns: dict[str, list[str]],
    said: str,
    known: Triage,
    labelled: Labelled,
) -> None:
    part = in_use(known, decided(known, labelled(*messages, **columns)))
    assert said in words(part)
    ranked = [b for b in part.blocks if isinstance(b, Table) and "ranks" in b.title]
    assert len(ranked) == (len({label for _, label in messages}) > 1)


def test_rows_that_cannot_be_read_are_named_by_their_lines(known: Triage, tmp_path: Path) -> None:
    path = tmp_path / "sms.csv"
    path.write_text("text,label\nok,NTA\na,b,c,d\nZoé,TA\n")
    said = words(in_use(known, decided(known, path)))
    assert "cannot be read are left out: 1, in these lines of the file: 3." in said
    assert said.startswith("2 messages")


@pytest.mark.parametrize(("leaked", "n_ta", "verdict"), CASES["a_promise_is_judged_by_what_the"])
def test_a_promise_is_judged_by_what_the_numbers_can_carry(
    leaked: int, n_ta: int, verdict: str
) -> None:
    said = kept_in_words("leak", 0.01, leaked, n_ta)
    assert said.startswith("The guarded policy promised a leak of some 1.00%; ")
    assert f" {verdict}" in said


def test_a_report_holds_no_message_and_is_the_same_again(
    run: Run, sample: Path, corpus: AnnotatedCorpus
) -> None:
    said = [run("evaluate", sample, "--json").stdout for _ in range(2)]
    assert said[0] == said[1]
    assert not [text for text in corpus.messages if len(text) > 12 and text in said[0]]


def test_a_model_of_ones_own_is_measured_and_named(
    run: Run, model_path: Path, labelled: Labelled
) -> None:
    path = labelled(*[("ok", "NTA")] * 30, *[(LONG, "TA")] * 30)
    folder = Path("report")
    done = run("evaluate", path, "--model", model_path, "-o", folder)
    assert done.returncode == 0
    assert "The model has learnt from 30 TA and 30 NTA" in done.stderr
    about = json.loads((folder / "report.json").read_text(encoding="utf-8"))["about"]
    assert about["Command"] == "triage evaluate labelled.csv --model numbers"
    assert about["Model"].startswith("the model numbers, features patel2013, learnt from 30 TA")


def test_messages_of_standard_input_are_measured(run: Run, sample: Path) -> None:
    done = run("evaluate", "-", stdin=sample.read_bytes())
    assert done.returncode == 0
    assert "without corpus evidence" in done.stdout.replace("\n", " ")
