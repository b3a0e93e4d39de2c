"""What a distinct word tells by itself, and what it keeps to itself."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.dictionaries import Kind, Lexicon, Role, WordList, label_messages
from triage.dictionaries.labelling import label_word
from triage.dictionaries.lexicon import YOURS
from triage.dictionaries.words import Form
from triage.features.traits import AS_A_NAME, AS_A_WORD, Case, TraitReader, Traits, case_of

from .samples import LEXICON, unhurried


def read(word: str, lexicon: Lexicon = LEXICON) -> Traits:
    (labelled,) = label_messages([word], lexicon).labels
    return TraitReader(lexicon).read(labelled)


@pytest.mark.parametrize(
    ("word", "case"),
    [
        ("zoé", Case.LOWER),
        ("Zoé", Case.CAPITAL),
        ("Élodie", Case.CAPITAL),
        ("ZOÉ", Case.UPPER),
        ("zoÉ", Case.MIXED),
        ("ZoÉ", Case.CAPITAL),
        ("z", Case.ONE_LOWER),
        ("É", Case.ONE_UPPER),
        ("18", Case.NONE),
        ("", Case.NONE),
        ("J'", Case.ONE_UPPER),
        ("2Zoé", Case.CAPITAL),
        ("jean-Luc", Case.MIXED),
        ("JEAN-LUC", Case.UPPER),
    ],
)
def test_the_case_of_a_word_is_that_of_its_letters(word: str, case: Case) -> None:
    assert case_of(word) is case


@pytest.mark.parametrize("case", Case)
def test_a_lowered_case_has_no_capital(case: Case) -> None:
    assert not case.lowered.is_capital
    assert case.lowered.lowered is case.lowered


@unhurried
@given(st.text(string.ascii_letters + "éÉçÇœŒ-'’12", max_size=8))
def test_the_lowered_case_is_that_of_the_word_in_lower_case(word: str) -> None:
    assert case_of(word).lowered is case_of(word.lower())


@pytest.mark.parametrize(
    ("word", "group"),
    [
        ("Patrice", "DICTIONARY first name"),
        ("pierre", "AMBIGUOUS first name"),
        ("Durandeau", "DICTIONARY"),
        ("crayon", "ANTI_DICTIONARY"),
        ("Zorbulina", "UNKNOWN"),
        ("!", "PUNCTUATION"),
        ("18h30", "HOUR"),
        ("0639981234", "TEL"),
    ],
)
def test_a_group_is_the_label_and_whether_it_is_a_first_name_or_the_kind(
    word: str, group: str
) -> None:
    assert read(word).group == group


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
        TraitReader(LEXICON).read(label_word(form, LEXICON))
        for form in (Form(text, kind), Form("x" * 12, nearest))
    )
    assert new == learnt


def test_the_lists_that_hold_a_word_are_named_but_those_that_say_nothing_of_names() -> None:
    assert read("pierre").lists == "first_names inflected_forms"
    assert read("je").lists == "inflected_forms"
    assert read("zorbulina").lists == ""


def test_a_rule_that_read_the_word_is_told() -> None:
    assert "rule letter_repetitions, DICTIONARY first name" in read("patriiiice").own
    assert "rule none, DICTIONARY first name" in read("patrice").own


@pytest.mark.parametrize("word", ["zoé", "Zoe", "ZOÉ"])
def test_a_word_is_folded_whatever_its_case_and_accents(word: str) -> None:
    assert read(word).folded == "zoe"


@pytest.mark.parametrize("sign", ["!", "18h30", "12", "😂", ":)", "<PRE_7>", "0639981234"])
def test_what_is_no_word_has_no_folded_form_and_no_case(sign: str) -> None:
    traits = read(sign)
    assert (traits.folded, traits.is_word, traits.case) == ("", False, Case.NONE)


@pytest.mark.parametrize("sign", [",", "!!", "...", "-", ":)", "😂", "<3", "<PRE_7>"])
def test_signs_and_pictures_and_what_is_masked_are_no_candidates(sign: str) -> None:
    assert not read(sign).is_candidate


@pytest.mark.parametrize("word", ["zoé", "crayon", "18h30", "12", "0639981234", "www.zoe.fr"])
def test_words_numbers_and_identifiers_are_candidates(word: str) -> None:
    assert read(word).is_candidate


@pytest.mark.parametrize("sign", [".", "...", "!", "??", "…", ":)", "😂"])
def test_stops_and_pictures_end_a_sentence(sign: str) -> None:
    assert read(sign).ends_sentence


@pytest.mark.parametrize("sign", [",", "-", "(", "12", "zoé", "<PRE_7>"])
def test_other_signs_and_words_end_no_sentence(sign: str) -> None:
    assert not read(sign).ends_sentence


def test_a_word_tells_its_beginning_and_its_endings() -> None:
    own = read("Zorbulína").own
    assert {"starts with zor-", "ends in -ina", "ends in -na."} <= set(own)


def test_a_length_counts_up_to_twelve() -> None:
    lengths = [read(word).own[1] for word in ("zoé", "zorbulina", "k" * 6 + "zorbulina")]
    assert lengths == [
        "length 3, DICTIONARY first name",
        "length 9, UNKNOWN",
        "length 12, UNKNOWN",
    ]


@pytest.mark.parametrize(
    ("word", "look"),
    [
        ("zorbulina", "looks plain"),
        ("zorbuliiina", "looks stretched"),
        ("zorbu2lina", "looks digits"),
        ("zorbulína", "looks accents"),
        ("zorbu-lina", "looks hyphen"),
        ("zorbúúú-l1na", "looks stretched digits accents hyphen"),
    ],
)
def test_a_word_tells_its_look(word: str, look: str) -> None:
    assert look in read(word).own


def test_a_word_tells_how_common_it_is_as_a_name() -> None:
    levels = [read(word).own[-1] for word in ("zorbulina", "zoé", "lola", "patrice")]
    assert levels == list(AS_A_NAME)


def test_a_word_tells_how_common_it_is_as_a_word() -> None:
    levels = [read(word).own[-2] for word in ("crayon", "vois", "coucou")]
    assert levels == list(AS_A_WORD)


@pytest.mark.parametrize(
    ("word", "context"),
    [
        ("Coucou", "coucou"),
        ("SLT", "slt"),
        ("crayon", "ANTI_DICTIONARY"),
        ("Patrice", "DICTIONARY first name, Capital"),
        ("pierre", "AMBIGUOUS first name, lower"),
        ("ZORBULINA", "UNKNOWN, UPPER"),
        ("!!", "«!»"),
        ("18h30", "HOUR"),
    ],
)
def test_a_neighbour_sees_a_common_word_itself_and_of_others_their_group(
    word: str, context: str
) -> None:
    assert read(word).context == context


def test_a_word_of_ones_own_list_of_names_is_read_like_a_first_name() -> None:
    mine = LEXICON.with_lists([WordList("team", Role.DICTIONARY, ("zorbulina",), title=YOURS)])
    known = Lexicon(
        WordList(w.name, w.role, (*w.words, "zorbulina")) if w.name == "first_names" else w
        for w in LEXICON.lists
    )
    assert read("Zorbulina", mine) == read("Zorbulina", known)
    assert read("Zorbulina", mine).group == "DICTIONARY first name"


def test_a_first_name_on_ones_own_list_too_is_read_as_before() -> None:
    mine = LEXICON.with_lists([WordList("team", Role.DICTIONARY, ("patrice",), title=YOURS)])
    assert read("Patrice", mine) == read("Patrice")


@pytest.mark.parametrize("word", ["Zorbulina", "zorbulina"])
def test_a_word_of_ones_own_list_to_let_through_is_not_shown_to_its_neighbours(word: str) -> None:
    own = WordList("ours", Role.ANTI_DICTIONARY, ("zorbulina",), title=YOURS)
    traits = read(word, LEXICON.with_lists([own]))
    assert (traits.group, traits.context, traits.lists) == ("ANTI_DICTIONARY",) * 2 + ("",)


# No list and no name of a feature holds three of these letters in a row.
@unhurried
@given(st.text("wxzWXZ", min_size=4, max_size=20))
def test_no_trait_that_becomes_a_name_of_a_weight_holds_four_letters_of_an_unknown_word(
    word: str,
) -> None:
    traits = read(word)
    shown = " ".join((traits.group, traits.lists, traits.context, *traits.own)).lower()
    assert not any(word[i : i + 4].lower() in shown for i in range(len(word) - 3))


@pytest.mark.parametrize("sign", ["<PRE_7_17316>", "0639981234", "zoe@zorbulina.fr", "18h30"])
def test_what_is_no_word_shows_its_kind_alone(sign: str) -> None:
    traits = read(sign)
    assert traits.context == traits.group
    assert traits.own == (f"length {traits.group} {min(len(sign), 12)}",)


def test_a_lone_surrogate_is_a_sign() -> None:
    traits = read("\ud800")
    assert traits.group == Kind.PUNCTUATION
    assert not traits.is_candidate


def test_a_word_of_100000_letters_is_read_like_a_shorter_one() -> None:
    long, short = read("zor" + "bu" * 50_000 + "lina"), read("zorbubububulina")
    assert long.own == short.own


def test_one_reader_reads_a_word_always_in_the_same_way() -> None:
    reader = TraitReader(LEXICON)
    labels = label_messages(["Patrice pierre Zorbulina ! crayon je"], LEXICON).labels
    first = [reader.read(word) for word in labels]
    assert [reader.read(word) for word in reversed(labels)] == first[::-1]
