"""``triage train`` with the evidence of words: from spans, from labels alone, by senders."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from triage import Triage
from triage.data import create_output
from triage.decide.lists import with_user_lists
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.features import FeatureSet
from triage.features.word_evidence import probability
from triage.model.annotated import read_annotated
from triage.model.learn import learn
from triage.model.learnt import Model
from triage.model.store import load_model, save_model
from triage.model.training import (
    TrainingOptions,
    UndersampledBaggedTrees,
    Undersampling,
    trees_for,
)

pytestmark = pytest.mark.slow

Run = Callable[..., CompletedProcess[str]]
Rows = list[dict[str, object]]
Spans = list[tuple[int, int, str]]

ONCE = TrainingOptions(Undersampling.ONCE)
SENDERS = ["ana", "bob", "cléo"]
NAMES = ["Zéphirine", "Namrata", "Patrice", "Lucie", "Odélisa", "Brunhild"]
WITH_NAME = ["Coucou {}, ça va ?", "Je mange chez {} demain", "Dis à {} que j'arrive"]
WITHOUT = [
    "Coucou, ça va ?",
    "Je mange à midi demain",
    "Dis que j'arrive",
    "On va à Montpellier",
    "ok mdr",
    "Tu viens ce soir ?",
]


def labelled_messages(n_of_each: int) -> tuple[list[str], list[str], list[str], list[Spans]]:
    """Return messages, labels, senders and spans, each TA message before an NTA one."""
    messages: list[str] = []
    spans: list[Spans] = []
    for i in range(n_of_each):
        form, name = WITH_NAME[i % len(WITH_NAME)], NAMES[i // 2 % len(NAMES)]
        messages += [form.format(name), WITHOUT[i % len(WITHOUT)]]
        start = form.index("{}")
        spans += [[(start, start + len(name), "PRE")], []]
    senders = [SENDERS[i // 2 % len(SENDERS)] for i in range(2 * n_of_each)]
    return messages, ["TA", "NTA"] * n_of_each, senders, spans


MESSAGES, LABELS, OF_SENDERS, SPANS = labelled_messages(36)


@pytest.fixture(scope="module", autouse=True)
def _few_trees() -> Iterator[None]:
    """Learn ten trees in place of sixty: these tests are about words."""

    def few(features: FeatureSet, options: TrainingOptions) -> UndersampledBaggedTrees:
        trees: UndersampledBaggedTrees = trees_for(features, options).set_params(n_trees=10)
        return trees

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("triage.model.learn.trees_for", few)
        yield


@pytest.fixture(scope="module")
def from_spans() -> Model:
    """Give what is learnt of messages whose identifiers are marked."""
    return learn(MESSAGES, LABELS, options=ONCE, spans=SPANS, senders=OF_SENDERS)


@pytest.fixture(scope="module")
def from_labels() -> Model:
    """Give what is learnt of the same messages, from their labels alone."""
    return learn(MESSAGES, LABELS, options=ONCE, senders=OF_SENDERS)


@pytest.fixture
def labelled(tmp_path: Path) -> Callable[..., Path]:
    """Write labelled messages, with the columns that are asked for."""

    def write(
        *columns: str, n_of_each: int = 24, name: str = "labelled.csv", **cells: Sequence[object]
    ) -> Path:
        messages, labels, senders, spans = labelled_messages(n_of_each)
        known: dict[str, Sequence[object]] = {
            "text": messages,
            "label": labels,
            "sender": senders,
            "spans": [json.dumps(found) for found in spans],
            **cells,
        }
        names = ["text", "label", *columns]
        with create_output(tmp_path / name, names) as output:
            output.write(list(zip(*(known[column] for column in names), strict=True)))
            output.commit()
        return tmp_path / name

    return write


def evidence_of(triage: Triage, message: str) -> dict[str, float]:
    """Return how surely each word of a message identifies someone."""
    labelled = triage.labeller.label([message])
    scored = triage.score(labelled, [""]).words
    assert scored is not None
    words = [labelled.words.forms[form].text for form in labelled.words.form]
    return dict(zip(words, probability(scored.log_odds).tolist(), strict=True))


# What is learnt


@pytest.mark.parametrize("name", ["from_spans", "from_labels"])
def test_the_name_is_the_likeliest_word_of_a_message(
    name: str, french: Lexicon, request: pytest.FixtureRequest
) -> None:
    triage = Triage(french, request.getfixturevalue(name))
    found = evidence_of(triage, "Coucou Thélinda, tu viens ce soir ?")
    assert max(found, key=found.__getitem__) == "Thélinda"


def test_with_spans_the_words_beside_a_name_are_none(french: Lexicon, from_spans: Model) -> None:
    found = evidence_of(Triage(french, from_spans), "Coucou Patrice, ça va ?")
    assert found["Patrice"] > 0.5
    assert max(found[word] for word in ("Coucou", "ça", "va")) < 0.2


@pytest.mark.parametrize(("name", "source"), [("from_spans", "spans"), ("from_labels", "labels")])
def test_the_manifest_says_what_words_were_learnt_from(
    name: str, source: str, request: pytest.FixtureRequest
) -> None:
    manifest = request.getfixturevalue(name).manifest
    assert (manifest.features, manifest.words_from) == ("evidence", source)


def test_spans_in_which_nothing_is_marked_are_as_none_at_all(
    from_labels: Model, tmp_path: Path
) -> None:
    empty: list[Spans] = [[] for _ in MESSAGES]
    learnt = learn(MESSAGES, LABELS, options=ONCE, spans=empty, senders=OF_SENDERS)
    for name, model in (("one", from_labels), ("other", learnt)):
        save_model(model, tmp_path / name)
    assert learnt.manifest.words_from == "labels"
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_every_message_is_scored_by_trees_that_did_not_see_its_sender(from_spans: Model) -> None:
    words = from_spans.words
    assert words is not None
    for voter in (from_spans.voter, words.voter):
        assert voter.held_out.is_ta.tolist() == [label == "TA" for label in LABELS]
        assert not np.isnan(voter.held_out.score).any()
        assert ((voter.held_out.score >= 0) & (voter.held_out.score <= 1)).all()


def test_a_set_that_weighs_no_words_learns_none() -> None:
    learnt = learn(MESSAGES, LABELS, None, "patel2013", ONCE, spans=SPANS, senders=OF_SENDERS)
    assert learnt.words is None
    assert learnt.manifest.words_from == ""


# What is kept


@pytest.mark.parametrize("corpus_evidence", [True, False])
def test_a_model_that_is_loaded_classifies_the_same(
    corpus_evidence: bool, french: Lexicon, from_spans: Model, tmp_path: Path
) -> None:
    save_model(from_spans, tmp_path / "model")
    ours, loaded = (Triage(french, m) for m in (from_spans, load_model(tmp_path / "model")))
    assert loaded.decide(MESSAGES, OF_SENDERS, corpus_evidence=corpus_evidence) == ours.decide(
        MESSAGES, OF_SENDERS, corpus_evidence=corpus_evidence
    )


def test_the_guarded_policy_promises_on_what_was_held_out(
    run: Run, from_spans: Model, csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    save_model(from_spans, tmp_path / "model")
    options = ["-m", tmp_path / "model", "--policy", "guarded", "--max-leak", "0.2", "--json"]
    about = json.loads(run("classify", csv_of(*MESSAGES), *options).stdout)
    assert about["promise"]["n_ta"] == LABELS.count("TA")


# What is read


def test_spans_and_senders_are_read_from_the_file(labelled: Callable[..., Path]) -> None:
    read = read_annotated(str(labelled("sender", "spans")))
    _, _, senders, spans = labelled_messages(24)
    assert (read.senders, read.spans) == (senders, spans)


def test_spans_of_json_lines_are_lists(labelled: Callable[..., Path]) -> None:
    spans = labelled_messages(24)[3]
    path = labelled("spans", name="labelled.jsonl", spans=spans)
    assert read_annotated(str(path)).spans == spans


def test_without_such_columns_nothing_is_known_of_spans_and_senders(
    labelled: Callable[..., Path],
) -> None:
    read = read_annotated(str(labelled()))
    assert (read.senders, read.spans) == (None, None)


@pytest.mark.parametrize("cell", ["", "?", "[1]", "[[1, 2]]", '{"a": 1}', "null", "[" * 5_000])
def test_a_cell_of_spans_that_is_none_marks_nothing(
    cell: str, labelled: Callable[..., Path]
) -> None:
    read = read_annotated(str(labelled("spans", spans=[cell] * 48)))
    assert read.spans == [[]] * 48


def test_spans_beyond_a_message_mark_nothing() -> None:
    beyond: list[Spans] = [[(900, 910, "PRE"), (-5, -1, "PRE")] for _ in MESSAGES]
    learnt = learn(MESSAGES, LABELS, options=ONCE, spans=beyond, senders=OF_SENDERS)
    assert learnt.manifest.words_from == "labels"


# Through the command line


TRAIN = ["--undersampling", "once"]


@pytest.mark.parametrize(
    ("columns", "source"),
    [(("sender", "spans"), "spans"), (("sender",), "labels"), ((), "labels")],
)
def test_a_model_is_trained_from_the_columns_there_are(
    columns: tuple[str, ...], source: str, run: Run, labelled: Callable[..., Path], tmp_path: Path
) -> None:
    done = run("train", labelled(*columns), "-o", tmp_path / "model", *TRAIN)
    assert done.stdout.startswith("learnt from 24 TA and 24 NTA messages")
    assert load_model(tmp_path / "model").manifest.words_from == source


def test_a_column_of_senders_can_be_named(
    run: Run, labelled: Callable[..., Path], tmp_path: Path
) -> None:
    two = labelled("qui", qui=["ana", "bob"] * 24)
    for name, options in (("unnamed", ()), ("named", ("--sender-column", "qui"))):
        assert run("train", two, "-o", tmp_path / name, *options, *TRAIN).returncode == 0
    # Held out by sender or one by one: what is learnt of the folds differs.
    assert (tmp_path / "unnamed").read_bytes() != (tmp_path / "named").read_bytes()


def test_a_missing_column_of_senders_is_one_clear_line(
    run: Run, labelled: Callable[..., Path], tmp_path: Path
) -> None:
    done = run("train", labelled(), "-o", tmp_path / "model", "--sender-column", "absente")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "no column 'absente'; there are: text, label. Name the right one with" in done.stderr
    assert not (tmp_path / "model").exists()


def test_messages_of_one_sender_are_learnt_from_as_of_many(
    run: Run, labelled: Callable[..., Path], tmp_path: Path
) -> None:
    alone = labelled("sender", sender=["ana"] * 48)
    assert run("train", alone, "-o", tmp_path / "model", *TRAIN).returncode == 0


def test_the_fewest_messages_allowed_are_learnt_from_but_promise_nothing(
    run: Run, labelled: Callable[..., Path], tmp_path: Path, csv_of: Callable[..., Path]
) -> None:
    few = labelled("sender", "spans", n_of_each=20)
    assert run("train", few, "-o", tmp_path / "model", "-q", *TRAIN).returncode == 0
    source = csv_of("Coucou Patrice, ça va ?", "ok mdr")
    assert run("classify", source, "-m", tmp_path / "model", "-q").returncode == 0
    options = ("--policy", "guarded", "--overwrite")
    guarded = run("classify", source, "-m", tmp_path / "model", *options)
    assert (guarded.returncode, guarded.stdout, guarded.stderr.count("\n")) == (2, "", 1)
    assert "no held-out messages to promise anything on" in guarded.stderr


def test_one_message_too_few_is_an_error() -> None:
    messages, labels, senders, spans = labelled_messages(19)
    with pytest.raises(TriageError, match="at least 20 of TA and of NTA"):
        learn([*messages, "ok"], [*labels, "NTA"], spans=[*spans, []], senders=[*senders, "ana"])


# Lists of one's own


def test_a_list_of_names_raises_the_evidence_of_its_words(
    run: Run, csv_of: Callable[..., Path], tmp_path: Path, rows_of: Callable[..., Rows]
) -> None:
    (tmp_path / "my_names.txt").write_text("xqztlu\n", encoding="utf-8")
    source, found = csv_of("j'ai vu xqztlu hier"), []
    for options in ([], ["--names", tmp_path / "my_names.txt"]):
        assert run("classify", source, "-q", "--overwrite", *options).returncode == 0
        [row] = rows_of(tmp_path / "sms.triage.csv")
        numbers = re.search(r"«xqztlu» \w+ \([^)]*\) (0\.\d\d)", str(row["evidence"]))
        found.append((float(numbers[1]) if numbers else 0.0, float(str(row["model_score"]))))
    (alone, score_alone), (listed, score_listed) = found
    assert alone < 0.5 < listed
    assert score_alone < score_listed


def test_a_list_of_names_raises_it_in_a_model_of_ones_own(
    french: Lexicon, from_spans: Model, tmp_path: Path
) -> None:
    (tmp_path / "my_names.txt").write_text("xqztlu\n", encoding="utf-8")
    with_list = with_user_lists(french, [tmp_path / "my_names.txt"], [])
    alone, listed = (
        evidence_of(Triage(lexicon, from_spans), "j'ai vu xqztlu hier")
        for lexicon in (french, with_list)
    )
    assert listed.pop("xqztlu") > alone.pop("xqztlu")
