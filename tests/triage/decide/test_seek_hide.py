"""Seek&Hide's verdict on a message, from the labels of its words (paper, section 3)."""

import numpy as np
import pytest

from triage.decide.seek_hide import LABELS, count_labels, verdicts
from triage.dictionaries import Lexicon, label_messages
from triage.vocabulary import Verdict

TA, NTA, UNTAGGED = Verdict.TA, Verdict.NTA, Verdict.UNTAGGED


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("coucou zoé", TA),
        ("une pierre", UNTAGGED),
        ("une xqzt", UNTAGGED),
        ("une crayon", NTA),
        ("zoé une pierre xqzt", TA),
    ],
)
def test_a_name_is_ta_and_doubt_is_untagged(
    message: str, verdict: Verdict, few_words: Lexicon
) -> None:
    assert verdicts(label_messages([message], few_words)) == [verdict]


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("coucou zoé", TA),
        ("zoé pierre", UNTAGGED),
        ("zoé xqzt", UNTAGGED),
        ("une crayon", NTA),
    ],
)
def test_the_strict_reading_leaves_a_message_untagged_for_any_doubt(
    message: str, verdict: Verdict, few_words: Lexicon
) -> None:
    assert verdicts(label_messages([message], few_words), strict=True) == [verdict]


@pytest.mark.parametrize("message", ["", "   ", "\n", "😀😀", "!?", "12h30"])
@pytest.mark.parametrize("strict", [False, True])
def test_a_message_without_words_is_nta(message: str, strict: bool, few_words: Lexicon) -> None:
    assert verdicts(label_messages([message], few_words), strict) == [NTA]


@pytest.mark.parametrize("identifier", ["06 39 98 12 34", "zoe.m@exemple.fr", "www.exemple.fr"])
def test_an_identifier_by_its_form_is_ta(identifier: str, few_words: Lexicon) -> None:
    assert verdicts(label_messages([f"une {identifier}"], few_words)) == [TA]


def test_each_message_has_its_own_verdict(few_words: Lexicon) -> None:
    messages = ["coucou", "zoé", "", "pierre", "zoé"]
    found = verdicts(label_messages(messages, few_words))
    assert found == [NTA, TA, NTA, UNTAGGED, TA]


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
    assert counts.dtype == np.int64
