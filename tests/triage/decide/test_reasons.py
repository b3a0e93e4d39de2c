"""Evidence: the words that decided, for people to read."""

import pytest

from triage.decide.reasons import evidence
from triage.decide.seek_hide import verdicts
from triage.dictionaries import Lexicon, label_messages


def evidence_of(messages: list[str], lexicon: Lexicon, *, strict: bool = False) -> list[str]:
    labelled = label_messages(messages, lexicon)
    return evidence(labelled, verdicts(labelled, strict))


def test_the_names_made_a_message_ta(few_words: Lexicon) -> None:
    assert evidence_of(["coucou Zoé"], few_words) == ["«Zoé» DICTIONARY (first_names)"]


def test_of_a_message_that_names_somebody_doubts_are_left_out(few_words: Lexicon) -> None:
    assert evidence_of(["pierre zoé xqzt"], few_words) == ["«zoé» DICTIONARY (first_names)"]


def test_the_doubts_left_a_message_untagged(few_words: Lexicon) -> None:
    assert evidence_of(["une pierre xqzt"], few_words) == [
        "«pierre» AMBIGUOUS (first_names, forms) | «xqzt» UNKNOWN (in no list)"
    ]


def test_of_the_strict_reading_the_doubts_are_the_evidence(few_words: Lexicon) -> None:
    assert evidence_of(["zoé pierre"], few_words, strict=True) == [
        "«pierre» AMBIGUOUS (first_names, forms)"
    ]


def test_nothing_made_a_message_nta(few_words: Lexicon) -> None:
    assert evidence_of(["une crayon", "", "!?"], few_words) == ["", "", ""]


def test_a_rule_is_named_with_what_it_read(few_words: Lexicon) -> None:
    assert evidence_of(["zoooéééé"], few_words) == [
        "«zoooéééé» DICTIONARY (first_names; letter_repetitions: zoé)"
    ]


def test_an_identifier_is_named_by_its_type(few_words: Lexicon) -> None:
    assert evidence_of(["06 39 98 12 34"], few_words) == ["«06 39 98 12 34» DICTIONARY (TEL)"]


def test_a_word_that_comes_again_is_shown_once(few_words: Lexicon) -> None:
    assert evidence_of(["zoé zoé"], few_words) == ["«zoé» DICTIONARY (first_names)"]


def test_of_many_words_twelve_are_shown(few_words: Lexicon) -> None:
    message = " ".join(f"xq{letter}zt" for letter in "abcdefghijklmnop")
    [shown] = evidence_of([message], few_words)
    assert shown.count(" | ") == 11


@pytest.mark.parametrize("word", ["xq" * 50_000, "x" * 100_000])
def test_a_word_without_end_is_cut(word: str, few_words: Lexicon) -> None:
    [shown] = evidence_of([word], few_words)
    assert shown.startswith(f"«{word[:60]}…»")
    assert len(shown) < 200


def test_each_message_has_its_own_evidence(few_words: Lexicon) -> None:
    found = evidence_of(["pierre", "une crayon", "zoé"], few_words)
    assert [words[:8] for words in found] == ["«pierre»", "", "«zoé» DI"]
