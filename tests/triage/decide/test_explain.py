"""Why a message is decided as it is: ``triage explain`` and the function behind it."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import Triage
from triage.decide.explain import explain, explanation_text

Run = Callable[..., CompletedProcess[str]]
MESSAGE = "Coucou Patrice, tu vas chez nicoooolllaassss ?"


def test_every_word_is_explained_in_order(shipped: Triage) -> None:
    explained = explain(shipped, "Coucou Patrice, tu vas chez pierre ?")
    assert [word.text for word in explained.words] == [
        "Coucou", "Patrice", "tu", "vas", "chez", "pierre",
    ]  # fmt: skip


def test_a_word_that_comes_again_is_explained_again(shipped: Triage) -> None:
    assert len(explain(shipped, "non non non").words) == 3


def test_a_word_has_its_label_and_its_dictionary(shipped: Triage) -> None:
    words = {word.text: word for word in explain(shipped, "Patrice tu pierre xqztlu").words}
    assert {text: word.label for text, word in words.items()} == {
        "Patrice": "DICTIONARY",
        "tu": "ANTI_DICTIONARY",
        "pierre": "AMBIGUOUS",
        "xqztlu": "UNKNOWN",
    }
    assert "first_names" in words["Patrice"].reason
    assert "inflected_forms" in words["tu"].reason


def test_lists_that_only_say_how_common_a_word_is_are_no_reason(shipped: Triage) -> None:
    reasons = [word.reason for word in explain(shipped, "Patrice tu").words]
    assert not any("common" in reason or "pronouns" in reason for reason in reasons)


def test_a_word_in_no_list_says_so(shipped: Triage) -> None:
    words = {word.text: word for word in explain(shipped, "Patrice tu pierre xqztlu").words}
    assert words["xqztlu"].reason == "in no list"


def test_a_word_has_its_evidence_and_what_told_for_it(shipped: Triage) -> None:
    words = {word.text: word for word in explain(shipped, "tu vas chez pierre").words}
    name, other = words["pierre"], words["vas"]
    assert name.evidence is not None
    assert other.evidence is not None
    assert name.evidence > 0.5 > other.evidence
    assert "after: chez" in name.because
    assert other.because == []


def test_a_model_that_weighs_no_words_gives_no_evidence() -> None:
    [word] = explain(Triage.load("fr", features="patel2013"), "Patrice").words
    assert (word.evidence, word.because) == (None, [])


def test_a_word_has_the_rule_that_read_it(shipped: Triage) -> None:
    [word] = explain(shipped, "nicoooolllaassss").words
    assert word.reason.endswith("; letter_repetitions: nicolas")


@pytest.mark.parametrize(
    ("word", "kind"),
    [("06 39 98 12 34", "TEL"), ("zoe.m@exemple.fr", "MEL"), ("<PRE_7>", "MASKED")],
)
def test_what_is_no_word_has_its_kind(word: str, kind: str, shipped: Triage) -> None:
    assert explain(shipped, word).words[0].reason == kind


def test_the_decision_is_that_of_the_pipeline(shipped: Triage) -> None:
    explained = explain(shipped, MESSAGE)
    [row] = shipped.classify([MESSAGE]).to_dict("records")
    for column in ("seek_hide", "model", "model_score", "action"):
        assert getattr(explained, column) == row[column]


def test_the_model_was_given_the_features(shipped: Triage) -> None:
    features = explain(shipped, "Coucou Patrice").features
    assert list(features) == list(shipped.model.manifest.columns)
    assert (features["SMSLength"], features["UpperCase"], features["FirstName"]) == (14, 2, 1)


@pytest.mark.parametrize("message", ["", "  ", "?!", "😂"])
def test_a_message_without_words_is_explained(message: str, shipped: Triage) -> None:
    explained = explain(shipped, message)
    assert explained.action == "NTA"
    assert "action:    NTA" in explanation_text(explained)


def test_the_command_prints_words_votes_and_action(run: Run) -> None:
    done = run("explain", MESSAGE)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[1].split()[:2] == ["Patrice", "DICTIONARY"]
    assert lines[2].split()[0] == "because:"
    assert lines[6].endswith("letter_repetitions: nicolas")
    assert lines[-3] == "Seek&Hide: TA"
    assert lines[-2].startswith("model:     TA (score 0.")
    assert "FirstName 2" in lines[-2]
    assert lines[-1] == "action:    TA"


def test_the_command_prints_json(run: Run, shipped: Triage) -> None:
    done = run("explain", MESSAGE, "--json")
    about = json.loads(done.stdout)
    explained = explain(shipped, MESSAGE)
    assert about["words"][1] == vars(explained.words[1])
    assert about["features"] == explained.features
    assert [about[key] for key in ("seek_hide", "model", "action")] == ["TA", "TA", "TA"]
    assert about["model_score"] == explained.model_score


def test_the_command_reads_strictly(run: Run) -> None:
    for options, verdict in (((), "TA"), (("--strict",), "UNTAGGED")):
        done = run("explain", "Patrice xqztlu", "--json", *options)
        assert json.loads(done.stdout)["seek_hide"] == verdict


def test_the_command_takes_lists_and_a_model(run: Run, tmp_path: Path, model_path: Path) -> None:
    (tmp_path / "my_names.txt").write_text("xqztlu\n")
    done = run(
        "explain", "xqztlu", "--json", "--names", tmp_path / "my_names.txt", "-m", model_path
    )
    about = json.loads(done.stdout)
    [word] = about["words"]
    assert (word["text"], word["label"], word["reason"]) == ("xqztlu", "DICTIONARY", "my_names")
    assert (about["seek_hide"], about["model"]) == ("TA", "NTA")
