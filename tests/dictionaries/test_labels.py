"""Labels by the dictionaries that hold a word and by spelling rules (paper, 3.2, Table 1)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.dictionaries.cases import read
from triage.dictionaries import (
    Kind,
    Label,
    LabelledWord,
    Labeller,
    Lexicon,
    Role,
    label_messages,
    user_list,
)

LabelEach = Callable[[str, list[str]], list[LabelledWord]]
CASES = [(lexicon, *case) for lexicon, cases in read("labels").items() for case in cases.items()]


@pytest.fixture(scope="module")
def label(french: Lexicon, english: Lexicon, catalan: Lexicon) -> LabelEach:
    without_sms_forms = Lexicon([words for words in french.lists if words.name != "sms_forms"])
    lexicons = {"fr": french, "en": english, "ca": catalan, "no_sms_forms": without_sms_forms}
    labellers = {name: Labeller(one) for name, one in lexicons.items()}

    def label_each(name: str, words: list[str]) -> list[LabelledWord]:
        labels = [labellers[name].label([word]).labels for word in words]
        assert {len(found) for found in labels} == {1}
        return [found for (found,) in labels]

    return label_each


@pytest.mark.parametrize(
    ("lexicon", "case"),
    [(lexicon, case) for lexicon, _, case in CASES],
    ids=[f"{lexicon}: {about}" for lexicon, about, _ in CASES],
)
def test_words_are_labelled(lexicon: str, case: dict[str, Any], label: LabelEach) -> None:
    read_as = case.get("read_as") or [[word, ""] for word in case["words"]]
    found = label(lexicon, [written for written, _ in read_as])
    for (written, reading), word in zip(read_as, found, strict=True):
        assert (word.text, word.label.name) == (written, case["label"])
        assert word.rule == case.get("rule", word.rule), written
        assert word.read_as == (reading or word.read_as)


def labelled(message: str, lexicon: Lexicon) -> list[LabelledWord]:
    """Label the words of a message where they stand, punctuation left out."""
    found = label_messages([message], lexicon)
    words = [found.labels[form] for form in found.words.form]
    return [word for word in words if word.kind is not Kind.PUNCTUATION]


@pytest.mark.parametrize(("message", "named"), read("named")["named"])
def test_all_other_words_of_a_message_name_nobody(
    message: str, named: list[str], french: Lexicon
) -> None:
    words = labelled(message, french)
    assert [word.text for word in words if word.label is Label.DICTIONARY] == named
    others = {word.label for word in words if word.text not in named}
    assert others <= {Label.ANTI_DICTIONARY}


def test_a_labeller_gives_the_same_labels_whatever_it_met_before(french: Lexicon) -> None:
    messages = ["Coucou Patrice", "desole nicoooolllaassss", "", "patrice :)"]
    labeller = Labeller(french)
    for message in messages:
        assert labeller.label([message]).labels == label_messages([message], french).labels
    assert labeller.label(messages).labels == label_messages(messages, french).labels
    assert label_messages(["Patrice"], Lexicon([])).labels[0].label is Label.UNKNOWN


@pytest.mark.parametrize(
    "message", ["à demain, bisous J.", "bsx Yo", "C'est Mo, rappelle moi", "bisous Jo"]
)
def test_a_word_where_a_name_stands_is_a_name(message: str, french: Lexicon) -> None:
    [named] = [word for word in labelled(message, french) if word.label is Label.DICTIONARY]
    # A name that a list holds keeps its lists, and needs no rule.
    rule = "" if named.text == "Jo" else "place"
    assert (named.kind, named.rule, bool(named.lists)) == (Kind.WORD, rule, not rule)


def test_what_the_user_calls_a_word_is_none_where_a_name_stands(
    french: Lexicon, tmp_path: Path
) -> None:
    (mine := tmp_path / "mots.txt").write_text("yo", encoding="utf-8")
    with_mine = Lexicon([*french.lists, user_list(mine, Role.ANTI_DICTIONARY)])
    *_, word = label_messages(["bsx Yo"], with_mine).labels
    assert (word.text, word.label) == ("Yo", Label.ANTI_DICTIONARY)
