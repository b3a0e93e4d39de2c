"""Each word's label by the dictionaries that hold it (paper, section 3.2 and Table 1)."""

from collections.abc import Callable
from pathlib import Path

import pytest

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

LabelOne = Callable[[str], LabelledWord]
LabelAll = Callable[[str], list[LabelledWord]]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Cédric", Label.DICTIONARY),
        ("crayon", Label.ANTI_DICTIONARY),
        ("Pierre", Label.AMBIGUOUS),
        ("Namrata", Label.UNKNOWN),
    ],
)
def test_the_four_words_of_table_1(word: str, expected: Label, label: LabelOne) -> None:
    assert label(word).label is expected


@pytest.mark.parametrize("written", ["Patrice", "patrice", "PATRICE", "pAtRiCe"])
def test_case_does_not_matter(written: str, label: LabelOne) -> None:
    word = label(written)
    assert (word.label, word.read_as, word.text) == (Label.DICTIONARY, "patrice", written)


@pytest.mark.parametrize("written", ["Cédric", "CÉDRIC", "Ce\u0301dric", "cedric", "Cèdric"])
def test_accents_do_not_matter(written: str, label: LabelOne) -> None:
    assert label(written).label is Label.DICTIONARY


@pytest.mark.parametrize("written", ["p'tit", "p’tit", "P’TIT"])
def test_the_kind_of_apostrophe_does_not_matter(written: str, label: LabelOne) -> None:
    assert (label(written).label, label(written).read_as) == (Label.ANTI_DICTIONARY, "p'tit")


def test_a_message_is_labelled_word_by_word(labelled: LabelAll) -> None:
    words = labelled("Coucou Patrice, tu vas chez pierre ou chez Namrata?")
    assert [(word.text, word.label.name) for word in words] == [
        ("Coucou", "ANTI_DICTIONARY"),
        ("Patrice", "DICTIONARY"),
        ("tu", "ANTI_DICTIONARY"),
        ("vas", "ANTI_DICTIONARY"),
        ("chez", "ANTI_DICTIONARY"),
        ("pierre", "AMBIGUOUS"),
        ("ou", "ANTI_DICTIONARY"),
        ("chez", "ANTI_DICTIONARY"),
        ("Namrata", "UNKNOWN"),
    ]


def test_a_name_behind_an_elided_word_is_a_name(labelled: LabelAll) -> None:
    words = labelled("la soeur d’Émilie, l'Amandine")
    assert [word.text for word in words if word.label is Label.DICTIONARY] == ["Émilie", "Amandine"]


def test_elided_words_are_words(labelled: LabelAll) -> None:
    words = labelled("c'est d’accord, j'ai qu’à m'y mettre s'il n'y va pas jusqu'à l'été")
    assert {word.label for word in words} == {Label.ANTI_DICTIONARY}


def test_a_label_names_the_lists_that_hold_the_word(label: LabelOne, lexicon: Lexicon) -> None:
    word = label("Pierre")
    assert lexicon.names(word.lists) == (
        "common_first_names", "commonest_first_names", "commonest_forms",
        "first_names", "inflected_forms", "last_names",
    )  # fmt: skip
    assert word.rule == ""


def test_an_unknown_word_has_no_list_and_no_rule(label: LabelOne) -> None:
    word = label("Namrata")
    assert (word.lists, word.rule) == (0, "")


@pytest.mark.parametrize("word", ["Do", "Mai", "Aime", "Avril", "Pense"])
def test_names_that_are_first_of_all_words_are_words(word: str, label: LabelOne) -> None:
    assert label(word).label is Label.ANTI_DICTIONARY


@pytest.mark.parametrize("word", ["Londres", "Montpellier", "France", "Facebook", "Sarkozy"])
def test_places_brands_and_public_persons_are_words(word: str, label: LabelOne) -> None:
    assert label(word).label is Label.ANTI_DICTIONARY


@pytest.mark.parametrize("word", ["tkt", "slt", "jsuis", "bcp", "mdr", "2m1", "keske", "stp", "+"])
def test_sms_forms_are_words(word: str, lexicon: Lexicon) -> None:
    (found,) = label_messages([word], lexicon).labels
    assert found.label is Label.ANTI_DICTIONARY


@pytest.mark.parametrize("mark", ["<PRE_7>", "<ADR_LIE_21>", "<PRE_7_17316>"])
def test_a_masked_identifier_is_no_name(mark: str, labelled: LabelAll) -> None:
    words = labelled(f"Coucou {mark}, ça va?")
    assert [(word.text, word.label) for word in words if word.kind is Kind.MASKED] == [
        (mark, Label.ANTI_DICTIONARY)
    ]
    assert {word.label for word in words} == {Label.ANTI_DICTIONARY}


@pytest.mark.parametrize(
    ("message", "identifier", "kind"),
    [
        ("mon tel: 06 39 98 12 34", "06 39 98 12 34", Kind.TEL),
        ("écris à lola@exemple.fr", "lola@exemple.fr", Kind.MEL),
        ("va voir www.exemple.fr", "www.exemple.fr", Kind.URL),
        ("le code c'est 45B78", "45B78", Kind.COD),
        ("je suis au 12 rue des Lilas", "12 rue des Lilas", Kind.ADR),
    ],
)
def test_an_identifier_found_by_its_form_is_to_anonymise(
    message: str, identifier: str, kind: Kind, labelled: LabelAll
) -> None:
    words = [word for word in labelled(message) if word.label is Label.DICTIONARY]
    assert [(word.text, word.kind) for word in words] == [(identifier, kind)]
    assert kind.is_identifier


@pytest.mark.parametrize(
    "message",
    [
        "ça fait 12,50€",
        "rdv à 18h30 ou 12:30",
        "le 01/02/2012 18h30",
        "j'ai 3 cours demain",
        "n° 12345678901234567890",
        "le bus 1234",
        "il reste 1 place dans la voiture",
    ],
)
def test_what_only_looks_like_an_identifier_is_none(message: str, labelled: LabelAll) -> None:
    assert {word.label for word in labelled(message)} == {Label.ANTI_DICTIONARY}


@pytest.mark.parametrize(
    "message", [":)", "xD", "<3", "😂", "🇫🇷", "1️⃣", "18h30", "12,50", "...", "\0"]
)
def test_what_is_no_word_is_nothing_to_anonymise(message: str, lexicon: Lexicon) -> None:
    (found,) = label_messages([message], lexicon).labels
    assert (found.label, found.lists) == (Label.ANTI_DICTIONARY, 0)


def test_a_labeller_gives_the_same_labels_whatever_it_met_before(lexicon: Lexicon) -> None:
    messages = ["Coucou Patrice", "desole nicoooolllaassss", "", "patrice :)"]
    labeller = Labeller(lexicon)
    for message in messages:
        assert labeller.label([message]).labels == label_messages([message], lexicon).labels
    assert labeller.label(messages).labels == label_messages(messages, lexicon).labels


def test_distinct_words_are_labelled_once(lexicon: Lexicon) -> None:
    found = label_messages(["ok Lola ok", "ok Lola"], lexicon)
    assert [word.text for word in found.labels] == ["ok", "Lola"]
    assert [found.labels[form].text for form in found.words.form] == [
        "ok",
        "Lola",
        "ok",
        "ok",
        "Lola",
    ]


def test_no_messages_have_no_labels(lexicon: Lexicon) -> None:
    assert label_messages([], lexicon).labels == []


@pytest.mark.parametrize("message", ["à demain, bisous J.", "bsx Yo", "C'est Mo, rappelle moi"])
def test_a_word_where_a_name_stands_is_a_name(message: str, lexicon: Lexicon) -> None:
    named = [word for word in label_messages([message], lexicon).labels if word.rule == "place"]
    assert [(word.kind, word.label) for word in named] == [(Kind.WORD, Label.DICTIONARY)]


def test_a_known_name_where_a_name_stands_keeps_its_lists(lexicon: Lexicon) -> None:
    *_, name = label_messages(["bisous Jo"], lexicon).labels
    assert (name.label, name.rule) == (Label.DICTIONARY, "")
    assert name.lists


def test_what_the_user_calls_a_word_is_none_where_a_name_stands(
    lexicon: Lexicon, tmp_path: Path
) -> None:
    (mine := tmp_path / "mots.txt").write_text("yo", encoding="utf-8")
    with_mine = Lexicon([*lexicon.lists, user_list(mine, Role.ANTI_DICTIONARY)])
    *_, word = label_messages(["bsx Yo"], with_mine).labels
    assert (word.text, word.label) == ("Yo", Label.ANTI_DICTIONARY)
