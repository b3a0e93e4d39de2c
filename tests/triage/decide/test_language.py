"""The language of messages is guessed by the packs' very common words; in doubt it is French."""

import pytest

from tests.cases import cases_beside
from triage.decide.language import guess_language

CASES = cases_beside(__file__)
FRENCH, FINNISH = CASES["french"], CASES["finnish"]


def test_french_is_told_and_nothing_need_be_said() -> None:
    assert guess_language(FRENCH) == ("fr", "")


def test_a_language_without_a_pack_is_said_and_decided_as_french() -> None:
    language, note = guess_language(FINNISH)
    assert language == "fr"
    assert "look like no language of which there is a pack" in note
    assert "--language" in note


@pytest.mark.parametrize("messages", [[], ["ok"], ["lol ok bye"] * 1000])
def test_few_distinct_words_tell_nothing(messages: list[str]) -> None:
    assert guess_language(messages) == ("fr", "")


def test_the_first_thousand_messages_tell() -> None:
    assert guess_language([*FRENCH * 250, *FINNISH * 3000]) == ("fr", "")


@pytest.mark.parametrize(("messages", "language"), CASES["few_words"])
def test_few_words_tell_a_language_where_they_are_surely_its_own(
    messages: list[str], language: str
) -> None:
    assert guess_language(messages)[0] == language
