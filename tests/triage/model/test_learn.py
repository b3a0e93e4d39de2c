"""``triage train`` with the evidence of words: from spans, from labels alone, by senders."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage import Triage
from triage.data import create_output
from triage.decide.find import covered
from triage.dictionaries import Lexicon
from triage.features.word_evidence import probability
from triage.model.annotated import AnnotatedMessages
from triage.model.learn import learn
from triage.model.learnt import Model, load_model

CASES = cases_beside(__file__)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_trees")]

Rows = list[dict[str, object]]
Spans = list[tuple[int, int, str]]

SENDERS = ["ana", "bob", "cléo"]
NAMES = ["Zéphirine", "Namrata", "Patrice", "Lucie", "Odélisa", "Brunhild"]
WITH_NAME = ["Coucou {}, ça va ?", "Je mange chez {} demain", "Dis à {} que j'arrive"]
WITHOUT = CASES["without"]


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


@pytest.fixture(scope="module")
def from_spans(few_trees: pytest.MonkeyPatch) -> Model:  # noqa: ARG001
    return learn(
        AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS, SPANS), undersampling="once", cover=covered
    )


@pytest.fixture(scope="module")
def from_labels(few_trees: pytest.MonkeyPatch) -> Model:  # noqa: ARG001
    return learn(
        AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS), undersampling="once", cover=covered
    )


@pytest.fixture
def labelled(tmp_path: Path) -> Callable[..., Path]:

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
    labelled = triage.labeller.label([message])
    scored = triage.score(labelled, [""]).words
    assert scored is not None
    words = [labelled.words.forms[form].text for form in labelled.words.form]
    return dict(zip(words, probability(scored.log_odds).tolist(), strict=True))


TRAIN = ["--undersampling", "once"]


@pytest.mark.parametrize(
    ("columns", "source"), [(("sender", "spans"), "spans"), (("sender",), "labels"), ((), "labels")]
)
def test_a_model_is_trained_from_the_columns_there_are(
    columns: tuple[str, ...], source: str, run: Run, labelled: Callable[..., Path], tmp_path: Path
) -> None:
    done = run("train", labelled(*columns), "-o", tmp_path / "model", *TRAIN)
    assert done.stdout.startswith("learnt from 24 TA and 24 NTA messages")
    assert load_model(tmp_path / "model").manifest.words_from == source


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


@pytest.mark.parametrize("source", ["spans", "labels"])
def test_the_name_is_the_likeliest_word_of_a_message(
    source: str, french: Lexicon, request: pytest.FixtureRequest
) -> None:
    learnt: Model = request.getfixturevalue(f"from_{source}")
    assert (learnt.manifest.features, learnt.manifest.words_from) == ("evidence", source)
    found = evidence_of(Triage(french, learnt), "Coucou Thélinda, tu viens ce soir ?")
    assert max(found, key=found.__getitem__) == "Thélinda"
    if source == "spans":
        found = evidence_of(Triage(french, learnt), "Coucou Patrice, ça va ?")
        assert found["Patrice"] > 0.5
        assert max(found[word] for word in ("Coucou", "ça", "va")) < 0.2


def test_spans_in_which_nothing_is_marked_are_as_none_at_all(from_labels: Model) -> None:
    beyond: list[Spans] = [[(900, 910, "PRE"), (-5, -1, "PRE")] for _ in MESSAGES]
    learnt = learn(
        AnnotatedMessages(MESSAGES, LABELS, OF_SENDERS, beyond), undersampling="once", cover=covered
    )
    assert learnt.manifest == from_labels.manifest
    assert learnt.words is not None
    assert from_labels.words is not None
    assert learnt.words.words == from_labels.words.words
