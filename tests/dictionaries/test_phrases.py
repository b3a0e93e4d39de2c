"""Entries of several words: found in texts, and taken as one word where they are the user's."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import Label, LabelledWord, Lexicon, Role, WordList, label_messages
from triage.dictionaries.lexicon import YOURS, user_list
from triage.dictionaries.phrases import Phrases

PACK = [
    WordList("first_names", Role.DICTIONARY, ("rosa", "zoé")),
    WordList("forms", Role.ANTI_DICTIONARY, ("au", "le", "bar", "du", "coin", "rdv", "avec", "d")),
]


def found(text: str, *phrases: str) -> list[str]:
    spans = Phrases(dict.fromkeys(phrases, True)).find(text)
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    "written",
    [
        "Rosa Luxembourg",
        "ROSA LUXEMBOURG",
        "rosa  luxembourg",
        "rosa-luxembourg",
        "Rosa\nLuxembourg",
    ],
)
def test_a_phrase_is_found_however_it_is_written(written: str) -> None:
    assert found(f"rdv avec {written}, stp", "Rosa Luxembourg") == [written]


@pytest.mark.parametrize(
    "written", ["le café d'Émile", "Le Cafe d’Emile", "LE CAFE D EMILE", "le cafe\u0301 d'Émile"]
)
def test_accents_and_apostrophes_do_not_count(written: str) -> None:
    assert found(written, "le Café d'Émile") == [written]


@pytest.mark.parametrize("text", ["Rosalie Luxembourg", "Rosa Luxembourgeoise", "Rosa, Luxembourg"])
def test_a_phrase_is_found_as_whole_words_that_follow_each_other(text: str) -> None:
    assert found(text, "Rosa Luxembourg") == []


def test_the_longest_of_several_phrases_is_found() -> None:
    phrases = ("le Bar", "le Bar du Coin", "Coin")
    assert found("le bar du coin ou le bar du port", *phrases) == ["le bar du coin", "le bar"]


def test_a_phrase_without_words_is_nowhere() -> None:
    assert found("bof - '", "-", " ' ") == []


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_a_phrase_is_found_between_spaces_in_any_text(before: str, phrase: str, after: str) -> None:
    text = f"{before} {phrase} {after}"
    spans = Phrases({phrase: True}).find(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert bool(spans) is bool(Phrases({phrase: True}))


@pytest.mark.timing
def test_a_hostile_text_takes_time_in_proportion() -> None:
    phrases = Phrases({"a " * 50 + "b": True, "a": True})
    seconds = []
    for length in (50_000, 200_000):
        start = time.perf_counter()
        phrases.find("a " * length)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 8 * seconds[0]


# The user's own lists.


def labelled(message: str, *lists: WordList) -> list[LabelledWord]:
    """Return the words of a message, in order, labelled with the lists of a user too."""
    found = label_messages([message], Lexicon([*PACK, *lists]))
    return [found.labels[form] for form in found.words.form]


def names(path: Path, *entries: str, role: Role = Role.DICTIONARY) -> WordList:
    path.write_text("\n".join(entries), encoding="utf-8")
    return user_list(path, role)


def test_a_name_of_several_words_is_one_word(tmp_path: Path) -> None:
    mine = names(tmp_path / "noms.txt", "Rosa Luxembourg")
    words = labelled("rdv avec rosa  Luxembourg", mine)
    assert [(word.text, word.label) for word in words] == [
        ("rdv", Label.ANTI_DICTIONARY),
        ("avec", Label.ANTI_DICTIONARY),
        ("rosa  Luxembourg", Label.DICTIONARY),
    ]
    assert words[2].read_as == "rosa luxembourg"


def test_words_of_several_words_let_names_in_them_through(tmp_path: Path) -> None:
    mine = names(tmp_path / "mots.txt", "lycée Rosa Parks", role=Role.ANTI_DICTIONARY)
    words = labelled("au lycée Rosa Parks avec Rosa", mine)
    assert [word.text for word in words if word.label is Label.DICTIONARY] == ["Rosa"]


def test_an_elided_name_is_found(tmp_path: Path) -> None:
    mine = names(tmp_path / "noms.txt", "d'Artagnan")
    words = labelled("rdv avec d’artagnan", mine)
    assert (words[-1].text, words[-1].label) == ("d’artagnan", Label.DICTIONARY)


def test_a_phrase_within_an_identifier_leaves_it_whole(tmp_path: Path) -> None:
    mine = names(tmp_path / "noms.txt", "Zoé Bar")
    words = labelled("zoé.bar@mail.fr ou zoe-bar@mail.fr", mine)
    assert [word.text for word in words] == ["zoé.bar@mail.fr", "ou", "zoe-bar@mail.fr"]


def test_places_of_the_other_words_stay(tmp_path: Path) -> None:
    mine = names(tmp_path / "noms.txt", "Rosa Luxembourg")
    messages = ["Rosa Luxembourg au bar", "", "au bar avec Rosa Luxembourg Rosa"]
    found = label_messages(messages, Lexicon([*PACK, mine]))
    table = found.words
    assert table.n_messages == 3
    for form, message, start in zip(table.form, table.message, table.start, strict=True):
        text = table.forms[form].text
        assert found.labels[form].text == text
        assert messages[message][start : start + len(text)] == text
    assert [table.forms[form].text for form in table.form].count("Rosa Luxembourg") == 2


@pytest.mark.parametrize("entry", ["omar sy", "omar"])
def test_a_public_name_in_a_list_of_the_user_is_a_name(entry: str) -> None:
    mine = WordList("mine", Role.DICTIONARY, (entry,), title=YOURS)
    [_, word] = label_messages(["avec Omar Sy"], Lexicon([*PACK, mine], "fr")).labels
    assert (word.text, word.label, word.lists) == ("Omar Sy", Label.DICTIONARY, 1 << len(PACK))
