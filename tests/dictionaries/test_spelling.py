"""The spelling rules of text messages, each by its example (paper, section 3.2).

The list of SMS forms holds some examples as they are written, and what a list holds needs no
rule; so the rules are shown on the pack without it.
"""

from collections.abc import Callable

import pytest

from triage.dictionaries import Label, LabelledWord, Labeller, Lexicon, Role, WordList

LabelOne = Callable[[str], LabelledWord]


@pytest.fixture(scope="module")
def by_rule(without_sms_forms: Lexicon) -> LabelOne:
    """Label one word without the SMS forms."""
    labeller = Labeller(without_sms_forms)

    def label(word: str) -> LabelledWord:
        (found,) = labeller.label([word]).labels
        return found

    return label


def test_every_example_of_the_paper_is_understood(label: LabelOne) -> None:
    words = ("surment", "desole", "dèsolé", "mouhahaha", "jexplique", "jtaime")
    assert {label(word).label for word in words} == {Label.ANTI_DICTIONARY}
    assert label("nicoooooollaassss").label is Label.DICTIONARY


@pytest.mark.parametrize("word", ["cest", "jai", "jsuis", "quil"])
def test_frequent_omissions_of_the_apostrophe_are_sms_forms(word: str, label: LabelOne) -> None:
    assert (label(word).label, label(word).rule) == (Label.ANTI_DICTIONARY, "")


@pytest.mark.parametrize("word", ["desole", "Ecole", "bientot", "etes"])
def test_missing_accents(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule) == (Label.ANTI_DICTIONARY, "missing_accents")


def test_missing_accents_of_a_name(by_rule: LabelOne) -> None:
    found = by_rule("Abelard")
    assert (found.label, found.rule) == (Label.DICTIONARY, "missing_accents")


@pytest.mark.parametrize("word", ["dèsolé", "dèsolè", "désôlé"])
def test_misplaced_accents(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.ANTI_DICTIONARY,
        "misplaced_accents",
        "desole",
    )


def test_misplaced_accents_of_a_name(by_rule: LabelOne) -> None:
    found = by_rule("Cèdric")
    assert (found.label, found.rule) == (Label.DICTIONARY, "misplaced_accents")


@pytest.mark.parametrize(
    ("word", "read_as"),
    [
        ("nicoooolllaassss", "nicolas"),
        ("nicoooooollaassss", "nicolas"),
        ("Paaatriiice", "patrice"),
        ("Annnna", "anna"),
        ("Emmmma", "emma"),
    ],
)
def test_a_stretched_name_is_a_name(word: str, read_as: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.DICTIONARY,
        "letter_repetitions",
        read_as,
    )


@pytest.mark.parametrize(
    ("word", "read_as"), [("saluuuut", "salut"), ("demaiiiin", "demain"), ("bonnnne", "bonne")]
)
def test_a_stretched_word_is_a_word(word: str, read_as: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.ANTI_DICTIONARY,
        "letter_repetitions",
        read_as,
    )


@pytest.mark.parametrize(
    "word", ["mouhahaha", "Hahahaha", "ahahah", "hihihi", "mdrrrr", "ptdrrr", "ouhouhouh"]
)
def test_onomatopoeia(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule) == (Label.ANTI_DICTIONARY, "onomatopoeia")


def test_an_onomatopoeia_stands_in_no_list(by_rule: LabelOne, without_sms_forms: Lexicon) -> None:
    assert without_sms_forms.names(by_rule("mouhahaha").lists) == ()


@pytest.mark.parametrize("name", ["Jahel", "Hajar", "Maha", "Joachim"])
def test_a_name_is_no_onomatopoeia(name: str, label: LabelOne) -> None:
    assert label(name).label is not Label.ANTI_DICTIONARY


@pytest.mark.parametrize(
    ("word", "read_as"),
    [
        ("jexplique", "j'explique"),
        ("jarrive", "j'arrive"),
        ("dhabitude", "d'habitude"),
        ("lheure", "l'heure"),
        ("nimporte", "n'importe"),
        ("tinquiete", "t'inquiete"),
    ],
)
def test_apostrophe_omitted(word: str, read_as: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.ANTI_DICTIONARY,
        "apostrophe_omitted",
        read_as,
    )


@pytest.mark.parametrize(
    ("word", "read_as"),
    [("demilie", "d'emilie"), ("dElodie", "d'elodie"), ("lamandine", "l'amandine")],
)
def test_apostrophe_omitted_before_a_name(word: str, read_as: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.DICTIONARY,
        "apostrophe_omitted",
        read_as,
    )


@pytest.mark.parametrize("word", ["jtaime", "jtadore", "tupeux"])
def test_concatenation(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule) == (Label.ANTI_DICTIONARY, "concatenation")


@pytest.mark.parametrize("word", ["chezsophie", "avecpatrice", "coucouPatrice", "bisouscédric"])
def test_concatenation_with_a_name(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule) == (Label.DICTIONARY, "concatenation")


@pytest.mark.parametrize(
    ("word", "read_as"),
    [
        ("surment", "surement"),
        ("sûrment", "surement"),
        ("seulemnt", "seulement"),
        ("toujuors", "toujours"),
        ("résevation", "reservation"),
    ],
)
def test_misspelling(word: str, read_as: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.ANTI_DICTIONARY,
        "misspelling",
        read_as,
    )


@pytest.mark.parametrize(
    "name", ["Namrata", "Zelviandre", "Zorvan", "Thandorin", "Yldric", "Kerwaldine", "Lunhilde"]
)
def test_a_name_in_no_list_is_not_explained_away(name: str, label: LabelOne) -> None:
    assert (label(name).label, label(name).rule) == (Label.UNKNOWN, "")


def test_a_short_word_is_not_taken_for_a_misspelt_one(by_rule: LabelOne) -> None:
    assert by_rule("Semane").label is Label.UNKNOWN  # one letter from "semaine"


@pytest.mark.parametrize("word", ["caroilne", "Patirce", "Nathalei"])
def test_swapped_letters_in_a_name(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule) == (Label.DICTIONARY, "swapped_letters")


@pytest.mark.parametrize("word", ["guillau", "Bertran", "nathal"])
def test_a_name_cut_short(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule, found.read_as) == (
        Label.DICTIONARY,
        "cut_short",
        f"{word.lower()}…",
    )


@pytest.mark.parametrize("word", ["3cours", "15minutes", "2heures"])
def test_number_and_word(word: str, by_rule: LabelOne) -> None:
    found = by_rule(word)
    assert (found.label, found.rule) == (Label.ANTI_DICTIONARY, "number_and_word")


def test_a_number_before_a_name_explains_nothing(by_rule: LabelOne) -> None:
    assert by_rule("3patrice").label is Label.UNKNOWN


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dis-moi", Label.ANTI_DICTIONARY),
        ("p'tit-déj", Label.ANTI_DICTIONARY),
        ("Lola-Sophie", Label.DICTIONARY),
        ("Lola-Zorvan", Label.DICTIONARY),  # one part is a name and nothing else
        ("Pierre-Noël", Label.DICTIONARY),  # both parts can be names
        ("Jean-Loup", Label.AMBIGUOUS),  # one part can be a name, the other is a word
        ("Pierre-Zorvan", Label.UNKNOWN),
        ("Zorvan-le", Label.UNKNOWN),
    ],
)
def test_a_compound_is_what_its_parts_are(word: str, expected: Label, label: LabelOne) -> None:
    assert label(word).label is expected
    assert label(word).rule == ("" if expected is Label.UNKNOWN else "parts")


def test_a_compound_that_a_list_holds_needs_no_rule(label: LabelOne, lexicon: Lexicon) -> None:
    found = label("Jean-Luc")
    assert (found.label, found.rule) == (Label.DICTIONARY, "")
    assert "first_names" in lexicon.names(found.lists)


def test_the_rules_run_on_any_lexicon() -> None:
    names = WordList("first_names", Role.DICTIONARY, ("zoé", "caroline"))
    words = WordList("frequent_forms", Role.ANTI_DICTIONARY, ("désolé", "maison", "surement"))
    labeller = Labeller(Lexicon([names, words]))
    found = labeller.label(["zoooé desole lamaison surment caroilne mouhahaha"]).labels
    assert [word.rule for word in found] == [
        "letter_repetitions",
        "missing_accents",
        "concatenation",
        "misspelling",
        "swapped_letters",
        "onomatopoeia",
    ]


def test_an_empty_lexicon_knows_no_word() -> None:
    (found,) = Labeller(Lexicon([])).label(["Patrice"]).labels
    assert found.label is Label.UNKNOWN
