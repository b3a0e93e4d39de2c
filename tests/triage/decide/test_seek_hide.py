"""Seek&Hide's verdict on a message, and the words that decided, for people to read."""

import pytest

from tests.cases import cases_beside
from triage.decide.verdicts import evidence_texts, verdicts
from triage.dictionaries import Lexicon, label_messages
from triage.features.messages import LABELS, count_labels

CASES = cases_beside(__file__)
NAME = "«zoé» DICTIONARY (first_names)"


@pytest.mark.parametrize(("message", "verdict", "strict"), CASES["verdicts"])
def test_a_name_is_ta_and_doubt_is_untagged_of_the_strict_reading_any_doubt(
    message: str, verdict: str, strict: str, few_words: Lexicon
) -> None:
    labelled = label_messages(["coucou", message, "zoé"], few_words)
    assert verdicts(labelled) == ["NTA", verdict, "TA"]
    assert verdicts(labelled, strict=True) == ["NTA", strict, "TA"]


def test_no_message_has_no_verdict(few_words: Lexicon) -> None:
    assert verdicts(label_messages([], few_words)) == []


def test_labels_are_counted_by_message(few_words: Lexicon) -> None:
    counts = count_labels(label_messages(["zoé zoé pierre", "", "xqzt une"], few_words))
    in_order = {label.name: counts[:, LABELS.index(label)].tolist() for label in LABELS}
    assert in_order == {
        "DICTIONARY": [2, 0, 0],
        "ANTI_DICTIONARY": [0, 0, 1],
        "AMBIGUOUS": [1, 0, 0],
        "UNKNOWN": [0, 0, 1],
    }


@pytest.mark.parametrize(("message", "strict", "shown"), CASES["evidence"])
def test_the_evidence_is_the_words_that_decided(
    message: str, strict: bool, shown: str, few_words: Lexicon
) -> None:
    labelled = label_messages(["une crayon", message, "zoé"], few_words)
    assert evidence_texts(labelled, verdicts(labelled, strict)) == ["", shown, NAME]


@pytest.mark.parametrize("word", ["xq" * 50_000, "x" * 100_000])
def test_twelve_words_are_shown_and_one_without_end_is_cut(word: str, few_words: Lexicon) -> None:
    labelled = label_messages(
        [" ".join(f"xq{one}zt" for one in "abcdefghijklmnop"), word], few_words
    )
    many, long = evidence_texts(labelled, verdicts(labelled))
    assert many.count(" | ") == 11
    assert long.startswith(f"«{word[:60]}…»")
    assert len(long) < 200
