"""Entries of several words: found in texts, and taken as one word where they are the user's."""

import time

import pytest

from triage.dictionaries import Label, Lexicon, Role, WordList, label_messages
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.phrases import Phrases

PACK = [
    WordList("first_names", Role.DICTIONARY, ("rosa", "zoé")),
    WordList("forms", Role.ANTI_DICTIONARY, ("au", "le", "bar", "du", "coin", "rdv", "avec", "d")),
]


@pytest.mark.parametrize(
    ("text", "phrases", "found"),
    [
        *(
            (f"avec {one}, ok", ["Rosa Luxembourg"], [one])
            for one in (
                "ROSA LUXEMBOURG",
                "rosa  luxembourg",
                "rosa-luxembourg",
                "Rosa\nLuxembourg",
            )
        ),
        *(
            (one, ["le Café d'Émile"], [one])
            for one in ("Le Cafe d’Emile", "LE CAFE D EMILE", "le cafe\u0301 d'Émile")
        ),
        ("Rosalie Luxembourg, Rosa Luxembourgeoise, Rosa, Luxembourg", ["Rosa Luxembourg"], []),
        (
            "le bar du coin ou le bar du port",
            ["le Bar", "le Bar du Coin", "Coin"],
            ["le bar du coin", "le bar"],
        ),
        ("bof - '", ["-", " ' "], []),
    ],
)
def test_a_phrase_is_found_as_whole_words_however_it_is_written(
    text: str, phrases: list[str], found: list[str]
) -> None:
    spans = Phrases(dict.fromkeys(phrases, True)).find(text)
    assert [text[span.start : span.end] for span in spans] == found


@pytest.mark.timing
def test_a_hostile_text_takes_time_in_proportion() -> None:
    phrases = Phrases({"a " * 50 + "b": True, "a": True})
    seconds = []
    for length in (50_000, 200_000):
        start = time.perf_counter()
        phrases.find("a " * length)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 8 * seconds[0]


@pytest.mark.parametrize(
    ("entry", "role", "message", "words"),
    [
        (
            "rosa luxembourg",
            Role.DICTIONARY,
            "rdv avec rosa  Luxembourg",
            {"rdv": False, "avec": False, "rosa  Luxembourg": True},
        ),
        (
            "lycée rosa parks",
            Role.ANTI_DICTIONARY,
            "au lycée Rosa Parks avec Rosa",
            {"au": False, "lycée Rosa Parks": False, "avec": False, "Rosa": True},
        ),
        ("d'artagnan", Role.DICTIONARY, "avec d’artagnan", {"avec": False, "d’artagnan": True}),
        (
            "zoé bar",
            Role.DICTIONARY,
            "zoé.bar@mail.fr ou zoe-bar@mail.fr",
            {"zoé.bar@mail.fr": True, "ou": False, "zoe-bar@mail.fr": True},
        ),
        *((one, Role.DICTIONARY, "avec Omar Sy", {"avec": False, "Omar Sy": True})
          for one in ("omar sy", "omar")),
    ],
)  # fmt: skip
def test_a_phrase_of_the_user_is_one_word_outside_identifiers(
    entry: str, role: Role, message: str, words: dict[str, bool]
) -> None:
    mine = WordList("mine", role, (entry,), title=YOURS)
    found = label_messages([message], Lexicon([*PACK, mine], "fr"))
    labels = [found.labels[form] for form in found.words.form]
    assert {word.text: word.label is Label.DICTIONARY for word in labels} == words
