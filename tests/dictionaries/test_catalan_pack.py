"""A pack that a linguist made in a day: the example of docs/languages.md."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.decide.pack_check import check_sample, problems
from triage.dictionaries import Kind, Label, LabelledWord, Lexicon, label_messages, load_lexicon

CATALAN = str(Path(__file__).parents[1] / "packs" / "ca")
Label1 = Callable[[str], LabelledWord]


@pytest.fixture(scope="module")
def catalan() -> Lexicon:
    return load_lexicon(CATALAN)


@pytest.mark.parametrize(
    ("word", "label", "rule"),
    [
        ("Jordi", Label.DICTIONARY, ""),
        ("petons", Label.ANTI_DICTIONARY, ""),
        ("pau", Label.AMBIGUOUS, ""),
        ("dema", Label.ANTI_DICTIONARY, "missing_accents"),
        ("laiaaaa", Label.DICTIONARY, "letter_repetitions"),
        ("jajaja", Label.ANTI_DICTIONARY, "onomatopoeia"),
        ("dOriol", Label.DICTIONARY, "apostrophe_omitted"),
        ("amblaia", Label.DICTIONARY, "concatenation"),
        ("xq", Label.ANTI_DICTIONARY, ""),
        ("zzyzx", Label.UNKNOWN, ""),
    ],
)
def test_words_are_labelled(word: str, label: Label, rule: str, catalan: Lexicon) -> None:
    (found,) = label_messages([word], catalan).labels
    assert (found.label, found.rule) == (label, rule)


def test_an_apostrophe_elides(catalan: Lexicon) -> None:
    words = label_messages(["d'Oriol, l'avui"], catalan).labels
    assert [word.text for word in words] == ["d'", "Oriol", ",", "l'", "avui"]


def test_numbers_of_its_countries_are_found(catalan: Lexicon) -> None:
    words = label_messages(["truca'm al 612 34 56 78, el codi és 4512"], catalan).labels
    assert {(w.text, w.kind) for w in words} >= {("612 34 56 78", Kind.TEL), ("4512", Kind.COD)}


def test_its_examples_are_true() -> None:
    assert problems(CATALAN) == []


def test_a_sample_tells_what_is_still_to_be_listed(catalan: Lexicon) -> None:
    messages = ["Hola Jordi", "quedem amb la Neus ?", "la Neus i en Pau", "petons"]
    found = check_sample(messages, catalan)
    assert found.unknown == (("neus", 2), ("quedem", 1))
    assert found.ambiguous == (("pau", 1),)
    assert (found.n_messages, found.n_words, found.untagged) == (4, 12, 0.5)
