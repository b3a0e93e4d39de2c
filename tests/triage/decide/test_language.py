"""The language of messages is guessed by the packs' very common words; in doubt it is French."""

import pytest

from triage.decide.language import guess_language

FRENCH = [
    "on se voit demain avec les autres ? je suis en retard, tu peux prendre du pain",
    "et les clés de la maison, merci pour tout et bonne soirée, il est où ton frère",
    "ça fait longtemps que je ne vous ai pas vus, dis moi si tu viens avec nous samedi",
    "ou pas, on mange chez mes parents le soir",
]
FINNISH = [
    "mitä kuuluu tänään, tulen vähän myöhässä koska bussi meni ohi, voitko ostaa leipää",
    "kaupasta, kiitos paljon ja hyvää yötä kaikille, missä sinä olet nyt, soita minulle",
    "kun pääset kotiin, nähdään huomenna koulun jälkeen aseman edessä, muista ottaa",
    "avaimet mukaan sillä ovi on lukossa enkä pääse sisään ennen iltaa, meillä on",
    "vieraita koko viikonlopun ajan mökillä järven rannalla",
]


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


@pytest.mark.parametrize(
    ("messages", "language"),
    [
        (["Can you bring the milk?", "I will be late tonight", "Where are you?"], "en"),
        (["Tell Kelvin to ring me"], "en"),
        (["ok cool"], "fr"),
        (["coucou on se voit ce soir ?"], "fr"),
    ],
)
def test_few_words_tell_a_language_where_they_are_surely_its_own(
    messages: list[str], language: str
) -> None:
    assert guess_language(messages)[0] == language
