"""Reasons of a decision: ``triage explain`` and the function behind it."""

from pathlib import Path

import pytest

from tests.triage.cli.program import Run
from triage import Triage
from triage.decide.pipeline import explain


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
def test_a_message_without_words_is_explained(message: str, run: Run) -> None:
    assert run("explain", message).stdout.endswith("\naction:    NTA\n")


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
