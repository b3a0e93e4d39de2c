"""Evaluation measures the model in use, the method of the paper, sources and treatment."""

import json
import re
import sys
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases_beside
from tests.tables import read_rows, write_rows
from tests.triage.cli.program import Run
from tests.triage.conftest import LONG, SAMPLE
from triage import Triage, evaluation
from triage.decide.find import Found, Identifier, Rule
from triage.decide.tables import COLUMNS
from triage.dictionaries import Lexicon, label_messages
from triage.evaluation.corpus import AnnotatedCorpus, prepare, read_corpus
from triage.evaluation.in_use import Decided, decide_labelled, in_use, kept_in_words
from triage.evaluation.report import PARTS
from triage.evaluation.sources import labels_of, learn_field, spans_of
from triage.evaluation.treatment import Treated, released, residue
from triage.model.learnt import Model
from triage.reports.page import Figure, Part, Table
from triage.reports.spans import Triple
from triage.settings import PolicyName
from triage.vocabulary import Action, IdentifierType

pytestmark = pytest.mark.usefixtures("own_folder")
IN_USE = cases_beside(__file__, "in_use.toml")


@cache
def sample() -> AnnotatedCorpus:
    return read_corpus(str(SAMPLE))


def labelled(*rows: tuple[str, str], **columns: list[str]) -> Path:
    """Write messages of a label as a CSV file, with further columns."""
    names, cells = ("text", "label", *columns), zip(rows, *columns.values(), strict=True)
    path = Path("labelled.csv")
    write_rows(path, [dict(zip(names, (*row, *more), strict=True)) for row, *more in cells])
    return path


def rows_of(part: Part, title: str) -> list[dict[str, object]]:
    """Return the rows of the table whose title begins so, by column."""
    [table] = [b for b in part.blocks if isinstance(b, Table) and b.title.startswith(title)]
    return [dict(zip(table.headings, row, strict=True)) for row in table.rows]


@pytest.fixture(scope="session")
def known(french: Lexicon, numbers_are_ta: Model) -> Triage:
    """A pipeline of which each decision is known beforehand."""
    return Triage(french, numbers_are_ta)


def decided(triage: Triage, path: Path) -> Decided:
    return decide_labelled(triage, read_corpus(str(path), every_row=False))


def words(part: Part) -> str:
    return "\n".join(block for block in part.blocks if isinstance(block, str))


@pytest.mark.parametrize("corpus_evidence", [True, False])
@pytest.mark.parametrize("policy", list(PolicyName))
@pytest.mark.parametrize("strict", [True, False])
def test_messages_are_decided_as_classify_decides_them(
    policy: PolicyName, strict: bool, corpus_evidence: bool, shipped: Triage, run: Run
) -> None:
    output = Path("sample.triage.csv")
    evidence = () if corpus_evidence else ("--plan", "corpus-evidence=false")
    rules = ("--plan", "strict=true") if strict else ()
    run("classify", SAMPLE, "-o", output, "--policy", policy, *rules, *evidence)
    classified = [[row[column] for column in COLUMNS] for row in read_rows(output)]
    triage = Triage(shipped.lexicon, shipped.model, strict, policy)
    found = decide_labelled(triage, sample(), corpus_evidence).decisions
    assert [[str(cell) for cell in row] for row in found.rows()] == classified


def test_a_released_ta_message_is_leak_and_its_identifier_missed(known: Triage) -> None:
    path = labelled(
        ("pierre", "TA"),  # untagged and NTA: released
        (f"Zoé {LONG}", "TA"),
        ("Zoé", "TA"),  # for the expert
        ("ok", "NTA"),
        (f"{LONG} pierre", "NTA"),
        spans=['[[0, 6, "PRE"]]', '[[0, 3, "PRE"]]', '[[0, 3, "SUR"]]', "[]", "[]"],
    )
    part = in_use(known, decided(known, path))
    leak = rows_of(part, "Leak")
    counts = {str(row["measure"]).split(":")[0]: (row["messages"], row["of"]) for row in leak}
    expected = {"leak": (1, 3), "workload": (1, 5), "precision": (1, 2), "recall": (1, 3)}
    assert counts == expected | {"hidden": (1, 2), "left": (1, 2)}
    as_nta = "in messages that end as NTA"
    by_type = rows_of(part, "Identifiers missed, by type")
    missed = {row["type"]: (row["identifiers"], row[as_nta]) for row in by_type}
    assert missed == {"PRE": (2, 1), "SUR": (1, 0), "all": (3, 1)}
    by_label = rows_of(part, "Identifiers missed, by the label")
    words_missed = {row["label"]: (row["words"], row[as_nta]) for row in by_label}
    assert words_missed == {"DICTIONARY": (2, 0), "AMBIGUOUS": (1, 1), "all": (3, 1)}
    assert "Leak: 1 of 3 TA messages (33.33%) would be released" in words(part)


@pytest.mark.parametrize(("messages", "columns", "said"), IN_USE["said"])
def test_what_cannot_be_measured_or_trusted_is_said(
    messages: list[tuple[str, str]], columns: dict[str, list[str]], said: str, known: Triage
) -> None:
    part = in_use(known, decided(known, labelled(*messages, **columns)))
    assert said in words(part)
    ranked = [b for b in part.blocks if isinstance(b, Table) and "ranks" in b.title]
    assert len(ranked) == (len({label for _, label in messages}) > 1)


@pytest.mark.parametrize(("bound", "n", "of", "said"), IN_USE["a_promise_is_judged_by_what_the"])
def test_a_promise_is_judged_by_numbers(bound: float, n: int, of: int, said: str) -> None:
    words = kept_in_words("leak", bound, n, of)
    assert words.startswith(f"The guarded policy promised a leak of some {bound:.2%}; ")
    assert f" {said}" in words


def test_a_report_holds_no_message_and_is_the_same_again(run: Run) -> None:
    said = [run("evaluate", SAMPLE, "--json").stdout for _ in range(2)]
    assert said[0] == said[1]
    assert not [text for text in sample().messages if len(text) > 12 and text in said[0]]


PAPER = cases_beside(__file__, "paper.toml")

slow = pytest.mark.slow


def test_the_words_of_reports_are_all_there_and_all_used() -> None:
    folder = Path(evaluation.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    parts = tomllib.loads((folder / "texts.toml").read_text(encoding="utf-8"))
    named = re.findall(r'TEXTS\.\w+\(\s*f?"([^"]+)"', code)
    named += [f"refused.{one}" for one in re.findall(r'refused\("([^"]+)"', code)]
    used = re.compile("|".join(re.sub(r"\\{.*?\\}", ".+", re.escape(name)) for name in named))
    held = {f"{part}.{key}" for part, keys in parts.items() for key in keys if key != "title"}
    held -= {name for name in held if name.startswith("paper.")}
    assert [name for name in sorted(held) if not used.fullmatch(name)] == []
    static = {name for name in named if "." in name and "{" not in name}
    assert static <= held


def test_spans_are_read_from_tables_and_json_lines() -> None:
    table = labelled(("Coucou", "NTA"), ("Salut Zoé", "TA"), spans=["", '[[6, 9, "PRE"]]'])
    lines, row = Path("sms.jsonl"), {"text": "Salut Zoé", "label": "TA", "spans": [[6, 9, "PRE"]]}
    lines.write_text(json.dumps(row) + "\n")
    assert read_corpus(str(table)).spans == [[], [(6, 9, "PRE")]]
    assert read_corpus(str(lines)).spans == [[(6, 9, "PRE")]]


def measure(name: str, of: AnnotatedCorpus, french: Lexicon, first: int = 220) -> Part:
    return PARTS[name](replace(prepare(of, french, first=first), n_folds=4))


@slow
@pytest.mark.parametrize(("part", "times", "first", "name"), PAPER["a_figure_is_drawn_of_enough"])
def test_a_figure_is_drawn(part: str, times: int, first: int, name: str, french: Lexicon) -> None:
    corpus = sample()
    lines = [*range(len(corpus.messages) * times)]
    many = AnnotatedCorpus(corpus.messages * times, corpus.labels * times, lines=lines)
    drawn = [b.name for b in measure(part, many, french, first).blocks if isinstance(b, Figure)]
    assert drawn == [name]


@slow
def test_annotators_are_compared_and_rows_where_they_differ_are_named(french: Lexicon) -> None:
    corpus = sample()
    same = measure("annotators", replace(corpus, second=corpus.labels), french)
    assert rows_of(same, "Agreement")[0]["Cohen's kappa"] == 1.0
    second = ["TA" if i == 3 else label for i, label in enumerate(corpus.labels)]
    assert corpus.labels[3] == "NTA"
    differing = measure("annotators", replace(corpus, second=second), french)
    assert str(differing.blocks[-1]).endswith(f": {corpus.lines[3]}.")


def test_the_papers_tables_are_in_its_language(run: Run, english_messages: list[str]) -> None:
    texts = [f"{one} {i}" for i in range(30) for one in english_messages]
    rows = [(text, "TA" if "Priya" in text else "NTA") for text in texts]
    words = ("evaluate", labelled(*rows), "--only", "seek-hide", "--train-first", "200")
    guessed, named = run(*words), run(*words, "--language", "en")
    assert guessed.returncode == named.returncode == 0
    assert "decided as English" in guessed.stderr
    assert (named.stdout, named.stderr) == (guessed.stdout, "")


@slow
def test_the_whole_method_of_the_paper_is_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of so small a file one figure can be drawn; without the extra the sources are left out."""
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    folder = Path("report")
    assert run("evaluate", SAMPLE, "--paper", "--folds", "3", "-o", folder).returncode == 0
    made = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert made["about"]["Command"] == "triage evaluate sample_fr.csv --paper --folds 3"
    names = ["cross-validation", "later-messages", "infogain", "tree", "seek-hide", "combined"]
    assert [part["name"] for part in made["parts"]] == [*names, "sources"]
    [why] = made["parts"][-1]["blocks"]
    assert why["text"].startswith("Not measured: pycrfsuite is not installed")
    figures = sorted(path.name for path in (folder / "figures").iterdir())
    assert figures == ["tree.png", "tree.svg"]


# Tokens of three characters with a space between.
TOLD = "lea dit que zoe roy est par ici"
TOKENS = [(at, at + 3) for at in range(0, len(TOLD), 4)]
SOME_TYPES = ("PRE", "NOM", "ADR")


def seen(text: str) -> list[list[str]]:
    return [[f"is {word}"] for word in text.split()]


def test_a_field_finds_spans_of_several_types_by_the_features_that_it_has_learnt() -> None:
    spans: list[Triple] = [(0, 3, "PRE"), (12, 19, "NOM")]
    example = (seen(TOLD), labels_of(TOKENS, spans))
    field = learn_field([example] * 5)
    more = [[*names, "is never seen"] for names in seen(TOLD)]
    for tokens in (seen(TOLD), more):
        assert spans_of(field.tag(tokens), TOKENS) == spans
    assert spans_of(field.tag([]), []) == []


@given(st.data())
def test_labels_and_spans_are_inverse(data: st.DataObject) -> None:
    spans: list[Triple] = []
    token = data.draw(st.integers(0, 3))
    while token < len(TOKENS):
        last = data.draw(st.integers(token, len(TOKENS) - 1))
        spans.append((TOKENS[token][0], TOKENS[last][1], data.draw(st.sampled_from(SOME_TYPES))))
        token = last + 1 + data.draw(st.integers(0, 3))
    assert spans_of(labels_of(TOKENS, spans), TOKENS) == spans


PATRICE = (7, 14, "PRE")


def of_evidence(*spans: tuple[int, int]) -> Found:
    return Found([Identifier(*span, IdentifierType.PRE, Rule.EVIDENCE) for span in spans])


IN_DOUBT = replace(of_evidence((0, 6)), ambiguous=1)


def test_residue_counts_what_is_held_back_and_what_an_expert_sees() -> None:
    gold: list[list[Triple]] = [[PATRICE], [PATRICE], [PATRICE], [], [PATRICE]]
    found = [of_evidence(), of_evidence(), of_evidence((7, 14)), of_evidence(), IN_DOUBT]
    actions = [Action.TA, Action.EXPERT, Action.TA, Action.NTA, Action.TA]
    steps, _ = residue(gold, Treated("agreement", actions, found))
    assert [row[1] for row in steps.rows][-4:] == [3, 2, 1, 0]
    assert [str(row[0]) for row in steps.rows][-3:] == [
        "+ holding back 1 TA messages in which nothing was found",
        "+ holding back 1 TA messages with a word in doubt",
        "+ an expert on the 1 undecided",
    ]


def test_words_of_messages_held_back_are_counted_apart_from_those_replaced(french: Lexicon) -> None:
    labelled = label_messages(["Coucou Patrice"] * 3, french)
    found = [of_evidence(), replace(of_evidence((0, 6), (7, 14)), ambiguous=1), of_evidence()]
    result = Treated("agreement", [Action.EXPERT, Action.TA, Action.TA], found)
    table = released([[PATRICE], [PATRICE], []], labelled, [result])
    told = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
    columns = ("held back: messages", "still hold an identifier: messages", "precision")
    lost = ("words lost by replacing", "words lost by holding back")
    # Of four words that identify nobody one is replaced beside one in doubt, one waits, two stand
    # in a TA message in which nothing was found.
    assert [tuple(row[column] for column in (*columns, *lost)) for row in told[:3]] == [
        (0, 1, 1 / 2, 1 / 4, 0),
        (1, 1, 1 / 2, 1 / 4, 2 / 4),
        (2, 0, 1 / 2, 1 / 4, 3 / 4),
    ]
    assert told[3]["held back: messages"] == 3
    assert told[3]["words lost by replacing"] == 0
