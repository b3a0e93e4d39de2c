"""What a distinct word tells by itself, and what it keeps to itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import Kind, LabelledWord, Lexicon, Role, WordList, label_messages
from triage.dictionaries.labelling import label_word
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.words import Form
from triage.features.traits import AS_A_NAME, AS_A_WORD, Case, TraitReader, Traits, case_of

from .samples import LEXICON


def read(word: str, lexicon: Lexicon = LEXICON) -> Traits:
    return read_one(label_messages([word], lexicon).labels, lexicon)


def read_one(words: list[LabelledWord], lexicon: Lexicon = LEXICON) -> Traits:
    [word] = words
    return TraitReader(lexicon).read(word)


CASES = {
    Case.LOWER: "zoé",
    Case.CAPITAL: "Zoé Élodie ZoÉ 2Zoé",
    Case.UPPER: "ZOÉ JEAN-LUC",
    Case.MIXED: "zoÉ jean-Luc",
    Case.ONE_LOWER: "z",
    Case.ONE_UPPER: "É J'",
    Case.NONE: "18 …",
}


@pytest.mark.parametrize(("case", "words"), CASES.items())
def test_the_case_of_a_word_is_that_of_its_letters(case: Case, words: str) -> None:
    assert {case_of(word) for word in words.split()} == {case}


@pytest.mark.parametrize(
    ("word", "group", "context"),
    [
        ("Coucou", "ANTI_DICTIONARY", "coucou"),
        ("SLT", "ANTI_DICTIONARY", "slt"),
        ("crayon", "ANTI_DICTIONARY", "ANTI_DICTIONARY"),
        ("Patrice", "DICTIONARY first name", "DICTIONARY first name, Capital"),
        ("pierre", "AMBIGUOUS first name", "AMBIGUOUS first name, lower"),
        ("Durandeau", "DICTIONARY", "DICTIONARY, Capital"),
        ("ZORBULINA", "UNKNOWN", "UNKNOWN, UPPER"),
        ("!!", "PUNCTUATION", "«!»"),
        ("\ud800", "PUNCTUATION", "«\ud800»"),
    ],
)
def test_a_neighbour_sees_a_common_word_itself_and_of_others_their_group(
    word: str, group: str, context: str
) -> None:
    traits = read(word)
    assert (traits.group, traits.context) == (group, context)


@pytest.mark.parametrize(
    ("kind", "text", "nearest"),
    [
        (Kind.IBA, "FR76 3000 6000 0112 3456 7890 189", Kind.TEL),
        (Kind.AGE, "24 ans", Kind.TEL),
        (Kind.PSD, "@zorvan34", Kind.MEL),
        (Kind.LNK, "meet.exemple.fr/abc", Kind.URL),
        (Kind.CPO, "34000 Lunel", Kind.ADR),
    ],
)
def test_an_identifier_that_was_never_learnt_is_read_as_the_nearest_that_was(
    kind: Kind, text: str, nearest: Kind
) -> None:
    new, learnt = (
        read_one([label_word(form, LEXICON)])
        for form in (Form(text, kind), Form("x" * 12, nearest))
    )
    assert new == learnt


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("patriiiice", "rule letter_repetitions, DICTIONARY first name"),
        ("patrice", "rule none, DICTIONARY first name"),
        ("Zorbulína", "starts with zor-"),
        ("Zorbulína", "ends in -ina"),
        ("Zorbulína", "ends in -na."),
        ("zoé", "length 3, DICTIONARY first name"),
        ("zorbulina", "length 9, UNKNOWN"),
        ("kkkkkkzorbulina", "length 12, UNKNOWN"),
        ("zorbulina", "looks plain"),
        ("zorbuliiina", "looks stretched"),
        ("zorbu2lina", "looks digits"),
        ("zorbulína", "looks accents"),
        ("zorbu-lina", "looks hyphen"),
        ("zorbúúú-l1na", "looks stretched digits accents hyphen"),
        *zip(("zorbulina", "zoé", "lola", "patrice"), AS_A_NAME, strict=True),
        *zip(("crayon", "vois", "coucou"), AS_A_WORD, strict=True),
    ],
)
def test_a_word_tells_its_parts_its_look_and_how_common_it_is(word: str, told: str) -> None:
    assert told in read(word).own


def test_a_word_of_ones_own_list_of_names_is_read_like_a_first_name() -> None:
    words = ("zorbulina", "patrice")
    mine = LEXICON.with_lists([WordList("team", Role.DICTIONARY, words, title=YOURS)])
    known = Lexicon(
        WordList(w.name, w.role, (*w.words, "zorbulina")) if w.name == "first_names" else w
        for w in LEXICON.lists
    )
    assert read("Zorbulina", mine) == read("Zorbulina", known)
    assert read("Patrice", mine) == read("Patrice")


@pytest.mark.parametrize("word", ["Zorbulina", "zorbulina"])
def test_a_word_of_ones_own_list_to_let_through_is_not_shown_to_its_neighbours(word: str) -> None:
    own = WordList("ours", Role.ANTI_DICTIONARY, ("zorbulina",), title=YOURS)
    traits = read(word, LEXICON.with_lists([own]))
    assert (traits.group, traits.context, traits.lists) == ("ANTI_DICTIONARY",) * 2 + ("",)


# No list and no name of a feature holds three of these letters in a row.
@given(st.text("wxzWXZ", min_size=4, max_size=20))
def test_no_trait_that_becomes_a_name_of_a_weight_holds_four_letters_of_an_unknown_word(
    word: str,
) -> None:
    traits = read(word)
    shown = " ".join((traits.group, traits.lists, traits.context, *traits.own)).lower()
    assert not any(word[i : i + 4].lower() in shown for i in range(len(word) - 3))
