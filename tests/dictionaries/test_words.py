"""A message is split into its words (paper, section 3.2, step 1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dictionaries.cases import read
from tests.dictionaries.splitting import Word, split
from triage.dictionaries import split_all

CASES = read("words")


def texts(message: str) -> list[str]:
    return [word.text for word in split(message)]


@pytest.mark.parametrize(
    ("message", "words"), [case for cases in CASES["split"].values() for case in cases], ids=ascii
)
def test_a_message_is_split(message: str, words: list[str]) -> None:
    assert texts(message) == words


@pytest.mark.parametrize(
    ("kind", "word"), [(kind, word) for kind, words in CASES["one"].items() for word in words]
)
def test_one_word_has_its_kind(kind: str, word: str) -> None:
    assert {found.kind.value for found in split(word)} == {kind}
    assert texts(f"ok {word} bisous") == ["ok", word, "bisous"]
    if kind not in ("SMILEY", "PUNCTUATION"):
        assert texts(f"ok {word}, toi {word}!") == ["ok", word, ",", "toi", word, "!"]


def test_a_table_holds_each_distinct_word_once() -> None:
    table = split_all(["Ok ok Lola", "ok !", "Lola"])
    assert [form.text for form in table.forms] == ["Ok", "ok", "Lola", "!"]
    assert table.form.tolist() == [0, 1, 2, 1, 3, 2]
    assert table.message.tolist() == [0, 0, 0, 1, 1, 2]
    assert table.start.tolist() == [0, 3, 6, 0, 3, 0]


PIECES = st.one_of(
    st.text(max_size=8),
    st.text(alphabet="aàeé'’-_ .,:;)(<>3^xXDdoO0128hH@/+\n", max_size=8),
    st.sampled_from(
        [
            *("Coucou", "Patrice,", "c'est", "j’ai", "Jean-Luc", "e\u0301te\u0301", "2m1", " "),
            *(":)", "xD", "<3", "^^", "o_O", "👨‍👩‍👧", "👍🏽", "🇫🇷", "1️⃣", "\0", "\ufe0f"),
            *("18h30", "12,50€", "06 39 98 12 34", "+33 6 39 98 12 34", "<PRE_7>", "<ADR_LIE_21>"),
            *("lola@exemple.fr", "http://exemple.fr/a?b=c)", "www.exemple.fr", "code 45B78"),
            "12 rue des Lilas 34000 Montpellier",
        ]
    ),
)
MESSAGES = st.lists(PIECES, max_size=8).map("".join)


@given(MESSAGES)
def test_words_stand_in_order_where_they_say_with_white_space_alone_between(message: str) -> None:
    at = 0
    for word in split(message):
        assert message[at : word.start].strip() == ""
        assert message[word.start : word.end] == word.text != ""
        at = word.end
    assert message[at:].strip() == ""


@given(st.lists(MESSAGES, max_size=6))
def test_messages_split_together_are_split_as_each_alone(messages: list[str]) -> None:
    table = split_all(messages)
    together: list[list[Word]] = [[] for _ in messages]
    for form, message, start in zip(table.form, table.message, table.start, strict=True):
        text, kind = table.forms[form]
        together[message].append(Word(text, kind, int(start), int(start) + len(text)))
    assert together == [split(message) for message in messages]
    assert len(set(table.forms)) == len(table.forms)
    assert set(table.form.tolist()) == set(range(len(table.forms)))
