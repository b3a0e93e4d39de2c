"""Entries of several words: found in texts, and taken as one word where they are the user's."""

import pytest

from tests.cases import cases_beside
from triage.dictionaries import Label, Lexicon, Role, WordList, label_messages
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.phrases import Phrases

CASES = cases_beside(__file__)

PACK = [
    WordList("first_names", Role.DICTIONARY, ("rosa", "zoé")),
    WordList("forms", Role.ANTI_DICTIONARY, ("au", "le", "bar", "du", "coin", "rdv", "avec", "d")),
]


@pytest.mark.parametrize(("text", "phrases", "found"), CASES["phrases"])
def test_a_phrase_is_found_as_whole_words_however_it_is_written(
    text: str, phrases: list[str], found: list[str]
) -> None:
    spans = Phrases(dict.fromkeys(phrases, True)).find(text)
    assert [text[span.start : span.end] for span in spans] == found


@pytest.mark.parametrize(("entry", "role", "message", "words"), CASES["of_user"])
def test_a_phrase_of_the_user_is_one_word_outside_identifiers(
    entry: str, role: str, message: str, words: dict[str, bool]
) -> None:
    mine = WordList("mine", Role(role), (entry,), title=YOURS)
    found = label_messages([message], Lexicon([*PACK, mine], "fr"))
    labels = [found.labels[form] for form in found.words.form]
    assert {word.text: word.label is Label.DICTIONARY for word in labels} == words
