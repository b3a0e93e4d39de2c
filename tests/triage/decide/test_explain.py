"""Why a message is decided as it is: ``triage explain`` and the function behind it."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import Triage
from triage.decide.seek_hide import explain, explanation_lines

Run = Callable[..., CompletedProcess[str]]
MESSAGE = "Coucou Patrice, tu vas chez nicoooolllaassss ?"


def test_a_word_has_its_evidence_and_what_told_for_it(shipped: Triage) -> None:
    explained = explain(shipped, "tu vas chez pierre")
    words = {word["text"]: word for word in explained["words"]}
    name, other = words["pierre"], words["vas"]
    assert name["evidence"] > 0.5 > other["evidence"]
    assert "after: chez" in name["because"]
    assert other["because"] == []
    assert list(explained["features"]) == list(shipped.model.manifest.columns)


def test_a_model_that_weighs_no_words_gives_no_evidence() -> None:
    [word] = explain(Triage.load("fr", features="patel2013"), "Patrice")["words"]
    assert (word["evidence"], word["because"]) == (None, [])


@pytest.mark.parametrize("message", ["", "  ", "?!", "😂"])
def test_a_message_without_words_is_explained(message: str, shipped: Triage) -> None:
    assert explanation_lines(explain(shipped, message))[-1] == "action:    NTA"


def test_the_command_prints_words_votes_and_action(run: Run, shipped: Triage) -> None:
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
    assert json.loads(run("explain", MESSAGE, "--json").stdout) == explain(shipped, MESSAGE)


def test_the_command_takes_lists_and_a_model(run: Run, tmp_path: Path, model_path: Path) -> None:
    names = tmp_path / "my_names.txt"
    names.write_text("xqztlu\n")
    about = json.loads(
        run("explain", "xqztlu", "--json", "--names", names, "-m", model_path).stdout
    )
    [word] = about["words"]
    assert (word["text"], word["label"], word["reason"]) == ("xqztlu", "DICTIONARY", "my_names")
    assert (about["seek_hide"], about["model"]) == ("TA", "NTA")


def test_every_word_is_explained_in_order_by_its_lists_its_rule_or_its_kind(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[badge]\ntype = "COD"\nregex = "zx[0-9]{3}"\n', encoding="utf-8")
    message = "Patrice, tu pierre xqztlu nicoooolllaassss tu 06 39 98 12 34 <PRE_7> zx123"
    names = "first_names, further_first_names, last_names"
    words = explain(Triage.load("fr", recognisers=[own]), message)["words"]
    assert [(one["text"], one["label"], one["reason"]) for one in words] == [
        ("Patrice", "DICTIONARY", "first_names"),
        ("tu", "ANTI_DICTIONARY", "foreign_words, inflected_forms"),
        ("pierre", "AMBIGUOUS", "first_names, inflected_forms, last_names"),
        ("xqztlu", "UNKNOWN", "in no list"),
        ("nicoooolllaassss", "DICTIONARY", f"{names}; letter_repetitions: nicolas"),
        ("tu", "ANTI_DICTIONARY", "foreign_words, inflected_forms"),
        ("06 39 98 12 34", "DICTIONARY", "TEL"),
        ("<PRE_7>", "ANTI_DICTIONARY", "MASKED"),
        ("zx123", "DICTIONARY", "COD"),
    ]
