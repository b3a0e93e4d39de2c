"""The style that replaces identifiers by invented ones."""

import random
import re
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.anonymise.entity import LINKS, Spelling
from triage.anonymise.styles import Style, StyleContext, StyleName, make_style
from triage.anonymise.surrogates import numbers
from triage.anonymise.surrogates.pools import first_names, places
from triage.dictionaries import Kind, Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.recognisers import shipped
from triage.errors import TriageError
from triage.vocabulary import IdentifierType

KEY = bytes(range(32))
PRE, NOM, SUR, ADR, LIE, TEL, COD, URL, MAR, MEL = IdentifierType
ANY_TEXT = st.text(st.characters(), max_size=20)
# Names, numbers and addresses more often than signs.
LIKELY_TEXT = st.text("aàbcdeéilmnorstuzAÉZ 0123-'.@/", max_size=16)
SPELLINGS = st.builds(
    Spelling,
    ANY_TEXT | LIKELY_TEXT,
    st.sampled_from(IdentifierType),
    st.sampled_from(["", "s1", "s2"]),
)
NAMES = frozenset({PRE, NOM, SUR, LIE, MAR})


def _style(
    lexicon: Lexicon,
    spellings: Sequence[Spelling],
    words: Collection[str] = (),
    *,
    per_sender: bool = False,
) -> Style:
    context = StyleContext(lexicon, KEY, spellings, {*words}, per_sender)
    return make_style(StyleName.SURROGATE, context)


def _replaced(
    lexicon: Lexicon, type_: IdentifierType, *texts: str, words: Collection[str] = ()
) -> list[str]:
    spellings = [Spelling(text, type_) for text in texts]
    style = _style(lexicon, spellings, words)
    return [style(one) for one in spellings]


def test_variants_have_one_surrogate_each_written_like_its_own(french: Lexicon) -> None:
    upper, capital, small, stretched = _replaced(
        french, PRE, "PATRICE", "Patrice", "patrice", "patriceee"
    )
    assert upper == capital.upper()
    assert small == capital.lower()
    assert capital == small.capitalize()
    assert stretched == small + small[-1] * 2


@pytest.mark.parametrize(
    ("name", "gender"), [("Patrice", "m"), ("Thomas", "m"), ("Anaïs", "f"), ("Zoé", "f")]
)
def test_a_surrogate_keeps_gender_and_about_the_length(
    name: str, gender: str, french: Lexicon
) -> None:
    (found,) = _replaced(french, PRE, name)
    assert first_names().gender(fold(found)) == gender
    assert abs(len(found) - len(name)) <= 2


def test_gender_is_kept_when_all_names_are_used_up(french: Lexicon) -> None:
    every_name = {fold(name) for name in first_names().genders}
    found = _replaced(french, PRE, "Patrice", "Mélissa", words=every_name)
    assert len(set(found)) == 2
    assert not {fold(name) for name in found} & every_name
    assert [len(name) for name in found] == [7, 7]


def test_parts_of_a_compound_are_replaced_alike(french: Lexicon) -> None:
    hyphen, space = _replaced(french, PRE, "Jean-Luc", "JEAN LUC")
    assert re.fullmatch(r"\w+-\w+", hyphen)
    assert space == hyphen.replace("-", " ").upper()


def test_a_full_name_has_the_surrogates_of_its_parts(french: Lexicon) -> None:
    spellings = [Spelling("Patrice", PRE), Spelling("Dupont", NOM), Spelling("Patrice Dupont", NOM)]
    style = _style(french, spellings)
    first, last, full = map(style, spellings)
    assert full == f"{first} {last}"


def test_a_title_and_a_particle_stay(french: Lexicon) -> None:
    first, second = _replaced(french, NOM, "Mme Dupont", "de la Vernède")
    assert first.startswith("Mme ")
    assert "Dupont" not in first
    assert second.startswith("de la ")


def test_a_nickname_is_made_up(french: Lexicon) -> None:
    (found,) = _replaced(french, SUR, "choupette")
    assert found.islower()
    assert len(found) == len("choupette")
    assert not french.exact.get(found)


def test_a_town_stands_for_one_of_its_size_and_a_country_for_a_country(french: Lexicon) -> None:
    found = _replaced(french, LIE, "Montpellier", "Lunel", "Japon", "Trifouillis")
    sizes = [places().sizes[fold(name)] for name in found]
    assert sizes == ["city", "town", "country", "village"]


def test_when_large_towns_are_used_up_smaller_ones_serve(french: Lexicon) -> None:
    cities = {name for name, size in places().sizes.items() if size == "city"}
    (found,) = _replaced(french, LIE, "Marseille", words=cities)
    assert places().sizes[fold(found)] in ("town", "small town")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("06 12 34 56 78", r"06 39 98 \d\d \d\d"),
        ("07.12.34.56.78", r"07.39.98.\d\d.\d\d"),
        ("0612345678", r"063998\d{4}"),
        ("+33 6 12 34 56 78", r"\+33 6 39 98 \d\d \d\d"),
        ("0033612345678", r"003363998\d{4}"),
        ("+33 (0)6 12 34 56 78", r"\+33 \(0\)6 39 98 \d\d \d\d"),
        ("01-23-45-67-89", r"01-99-00-\d\d-\d\d"),
        ("02 23 45 67 89", r"02 61 91 \d\d \d\d"),
        ("03 23 45 67 89", r"03 53 01 \d\d \d\d"),
        ("04 23 45 67 89", r"04 65 71 \d\d \d\d"),
        ("05 23 45 67 89", r"05 36 49 \d\d \d\d"),
        ("0499 123 456", r"0465 71\d \d{3}"),
        ("12 34 56 78", r"39 98 \d\d \d\d"),
        ("+44 20 7946 0958", r"\+33 6 39 98 \d\d \d\d"),
        ("tel Zoé 0612345678", r"06 39 98 \d\d \d\d"),
        ("zéro six", r"06 39 98 \d\d \d\d"),
    ],
)
def test_a_telephone_number_is_one_for_fiction_as_it_was_written(
    written: str, expected: str, french: Lexicon
) -> None:
    (found,) = _replaced(french, TEL, written)
    # A mobile number of fiction begins with 06 alone.
    assert re.fullmatch(expected.replace("07.39", "06.39"), found)


def test_ways_to_write_a_number_have_one_surrogate(french: Lexicon) -> None:
    found = _replaced(french, TEL, "06 12 34 56 78", "+33 6.12.34.56.78", "0612345678")
    assert len({re.sub(r"\D", "", number)[-9:] for number in found}) == 1


def test_more_numbers_than_there_are_for_fiction_are_an_error(
    french: Lexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "_BLOCK", 1)
    several = [f"06 12 34 56 {i:02}" for i in range(7)]
    assert len(set(_replaced(french, TEL, *several[:6]))) == 6
    with pytest.raises(TriageError, match="use the style consistent"):
        _replaced(french, TEL, *several)


def test_mail_and_web_addresses_are_at_domains_for_examples(french: Lexicon) -> None:
    (mail,) = _replaced(french, MEL, "zoe.dupont34@gmail.com")
    assert re.fullmatch(r"[a-z]{3}\.[a-z]{8}@example\.(?:com|net|org)", mail)
    web, short = _replaced(french, URL, "https://www.facebook.com/zoe.dupont", "skyrock.fr")
    assert re.fullmatch(r"https://www\.example\.(?:com|net|org)/[a-z/]+", web)
    assert abs(len(web) - len("https://www.facebook.com/zoe.dupont")) <= 2
    assert short.startswith("example.")


def test_a_code_keeps_its_shape(french: Lexicon) -> None:
    upper, small = _replaced(french, COD, "45B78*", "45b78")
    assert re.fullmatch(r"\d\d[A-Z]\d\d\*", upper)
    assert small == upper[:-1].lower()


def test_when_all_codes_of_a_shape_are_taken_they_grow(french: Lexicon) -> None:
    texts = [str(digit) for digit in range(10)]
    found = _replaced(french, COD, *texts)
    assert len(set(found)) == 10
    assert not set(found) & set(texts)


def test_an_address_keeps_the_kind_of_street_and_how_it_is_written(french: Lexicon) -> None:
    first, second, third = _replaced(
        french, ADR, "12 rue de la Paix", "12, RUE DE LA PAIX", "3 bis av Jaurès, 34000 Lunel"
    )
    assert re.fullmatch(r"\d\d rue de la [^\W\d]+", first)
    assert second == re.sub(r"^(\d+)", r"\1,", first).upper()
    assert re.fullmatch(r"\d bis av \w+, \d{5} \w+", third)
    assert not {"Jaurès", "Lunel", "34000"} & set(re.findall(r"\w+", third))
    assert [span.kind for span in shipped("fr").find(first)] == [Kind.ADR]


def test_a_brand_is_made_up(french: Lexicon) -> None:
    (found,) = _replaced(french, MAR, "Carrefour")
    assert len(found) == len("Carrefour")
    assert not french.exact.get(found.lower())


def test_senders_have_surrogates_of_their_own(french: Lexicon) -> None:
    spellings = [Spelling("Patrice", PRE, f"s{i}") for i in range(20)]
    style = _style(french, spellings, per_sender=True)
    assert len({style(one) for one in spellings}) > 10


def test_what_a_name_is_short_for_is_no_surrogate(french: Lexicon) -> None:
    names = [name for name in first_names().genders if len(name) == 7]
    others = {fold(name) for name in names} - {"nicolas"}
    (found,) = _replaced(french, PRE, "Nico", words=others)
    assert found.lower() != "nicolas"


def test_the_same_key_and_corpus_give_the_same_surrogates(french: Lexicon) -> None:
    texts = ["Zoé", "Patrice", "Anouk", "Inès", "Léo", "Hugo", "Marie", "Paul", "Léa"]
    found = dict(zip(texts, _replaced(french, PRE, *texts), strict=True))
    shuffled = texts.copy()
    random.Random(7).shuffle(shuffled)  # noqa: S311 (an order of a test)
    assert found == dict(zip(shuffled, _replaced(french, PRE, *shuffled), strict=True))


def test_a_large_corpus_uses_no_name_twice(french: Lexicon) -> None:
    texts = [name.capitalize() for name in first_names().genders]
    found = _replaced(french, PRE, *texts)
    spellings = [Spelling(text, PRE) for text in texts]
    context = StyleContext(french)
    entities = {context.entity(one): name for one, name in zip(spellings, found, strict=True)}
    folded = {fold(name) for name in entities.values()}
    assert len(folded) == len(entities)
    assert not folded & {fold(text) for text in texts}


@given(
    st.lists(SPELLINGS, max_size=10),
    st.lists(LIKELY_TEXT | st.sampled_from(sorted(first_names().genders)), max_size=30),
    st.booleans(),
)
@settings(deadline=None)
def test_no_surrogate_occurs_in_the_corpus_or_twice(
    french: Lexicon, spellings: list[Spelling], words: list[str], per_sender: bool
) -> None:
    corpus = {fold(word) for word in words} | {fold(one.text) for one in spellings}
    style = _style(french, spellings, corpus, per_sender=per_sender)
    owners: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    for one in spellings:
        found = style(one)
        assert found
        assert fold(found) not in corpus
        if one.type in NAMES:
            assert not (set(re.split(r"[\W_]+", fold(found))) - LINKS - {""}) & corpus
        entity = StyleContext(french, per_sender=per_sender).entity(one)
        plain = re.sub(r"[\W_]+", "", fold(found))
        owners.setdefault((entity.sender, plain), set()).add(entity)
    # What is written otherwise (capitals, +33) may make one number or code look like two.
    assert all(len(found) == 1 for found in owners.values())


@given(st.lists(SPELLINGS, min_size=1, max_size=8), st.randoms())
@settings(deadline=None)
def test_surrogates_do_not_depend_on_the_order(
    french: Lexicon, spellings: list[Spelling], shuffler: random.Random
) -> None:
    style = _style(french, spellings)
    other = spellings.copy()
    shuffler.shuffle(other)
    again = _style(french, other)
    assert [style(s) for s in spellings] == [again(s) for s in spellings]
