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


def test_the_model_was_given_the_features(shipped: Triage) -> None:
    features = explain(shipped, "Coucou Patrice").features
    assert list(features) == list(shipped.model.manifest.columns)
    assert (features["SMSLength"], features["UpperCase"], features["FirstName"]) == (14, 2, 1)


def test_recognisers_of_ones_own_are_seen(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[badge]\ntype = "COD"\nregex = "zx[0-9]{3}"\n', encoding="utf-8")
    words = explain(Triage.load("fr", recognisers=[own]), "prends zx123").words
    assert [(word.text, word.reason) for word in words][1:] == [("zx123", "COD")]


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


def test_the_command_takes_lists_and_a_model(run: Run, tmp_path: Path, model_path: Path) -> None:
    (tmp_path / "my_names.txt").write_text("xqztlu\n")
    done = run(
        "explain", "xqztlu", "--json", "--names", tmp_path / "my_names.txt", "-m", model_path
    )
    about = json.loads(done.stdout)
    [word] = about["words"]
    assert (word["text"], word["label"], word["reason"]) == ("xqztlu", "DICTIONARY", "my_names")
    assert (about["seek_hide"], about["model"]) == ("TA", "NTA")


def test_every_word_is_explained_in_order_by_its_lists_its_rule_or_its_kind(
    shipped: Triage,
) -> None:
    message = "Patrice, tu pierre xqztlu nicoooolllaassss tu 06 39 98 12 34 <PRE_7>"
    names = "first_names, further_first_names, last_names"
    assert [(w.text, w.label, w.reason) for w in explain(shipped, message).words] == [
        ("Patrice", "DICTIONARY", "first_names"),
        ("tu", "ANTI_DICTIONARY", "foreign_words, inflected_forms"),
        ("pierre", "AMBIGUOUS", "first_names, inflected_forms, last_names"),
        ("xqztlu", "UNKNOWN", "in no list"),
        ("nicoooolllaassss", "DICTIONARY", f"{names}; letter_repetitions: nicolas"),
        ("tu", "ANTI_DICTIONARY", "foreign_words, inflected_forms"),
        ("06 39 98 12 34", "DICTIONARY", "TEL"),
        ("<PRE_7>", "ANTI_DICTIONARY", "MASKED"),
    ]
