"""A message is split into its words (paper, section 3.2, step 1)."""

import pytest

from tests.dictionaries.cases import read
from tests.dictionaries.splitting import split
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
