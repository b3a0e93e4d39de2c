"""The styles: invented identifiers, and those that say type, length and perhaps who."""

import random
import re
from collections.abc import Collection, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import is_valid_number, parse
from stdnum import luhn

from tests.cases import cases_beside
from triage.anonymise import forms, styles
from triage.anonymise.entities import FOR_FICTION, Entity, Spelling, StyleContext
from triage.anonymise.plan import Plan
from triage.anonymise.styles import Style, make_style
from triage.anonymise.surrogates import bare, first_names, places, sound
from triage.dictionaries import Lexicon, Role, WordList, load_lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import load_pack
from triage.errors import TriageError
from triage.settings import StyleName, Treatment
from triage.vocabulary import IdentifierType

KEY = bytes(range(32))
TYPES = IdentifierType
PRE, NOM, LIE, TEL = (TYPES(name) for name in ("PRE", "NOM", "LIE", "TEL"))
CASES = cases_beside(__file__, "cases.toml")
PLACES, FIRST_NAMES = places(load_pack("fr")), first_names(load_pack("fr"))


def _style(
    lexicon: Lexicon,
    spellings: Sequence[Spelling],
    words: Collection[str] = (),
    name: StyleName = StyleName.SURROGATE,
    *,
    key: bytes = KEY,
    per_sender: bool = False,
    lengths: bool = False,
) -> Style:
    context = StyleContext(lexicon, key, dict.fromkeys(spellings, 1), {*words}, per_sender)
    return make_style(Plan(Treatment(style=name, lengths=lengths)), context)


def _replaced(lexicon: Lexicon, type_: str, *texts: str) -> list[str]:
    spellings = [Spelling(text, TYPES(type_)) for text in texts]
    return [*map(_style(lexicon, spellings), spellings)]


OF_FORM = [(name, *case) for name in ("surrogates", "surrogates_abroad") for case in CASES[name]]


@pytest.mark.parametrize(("name", "type_", "written", "expected"), OF_FORM)
def test_forms_stay(name: str, type_: str, written: str, expected: str, french: Lexicon) -> None:
    lexicon = french if name == "surrogates" else Lexicon([], "en")
    (found,) = _replaced(lexicon, type_, written)
    assert re.fullmatch(expected, found), found
    assert found != written


def test_a_surrogate_is_written_like_each_spelling(french: Lexicon) -> None:
    found = _replaced(french, "PRE", "patrice", "Patrice", "PATRICE", "patriceee", "Patrice's")
    name = found[0]
    assert found[1:] == [name.capitalize(), name.upper(), name + name[-1] * 2, f"{found[1]}'s"]
    hyphen, space, nico, nicolas = _replaced(
        french, "PRE", "Jean-Luc", "JEAN LUC", "nico", "Nicolas"
    )
    assert space == hyphen.replace("-", " ").upper()
    assert nico == nicolas.lower()
    spaced, small = _replaced(french, "IBA", "FR76 3000 6000 0112", "fr76300060000112")
    assert small == spaced.replace(" ", "").lower()
    digits, words = _replaced(french, "DDN", "12/03/1987", "12 mars 1987")
    day, month, year = digits.split("/")
    assert words == f"{day} {french.pack.dates.names[int(month) - 1]} {year}"
    english = load_lexicon("en")
    texts = _replaced(english, "DDN", "12 march 1990", "March 12th, 1990", "12/3/90")
    day, month, year = texts[0].split()
    number = [name.lower() for name in english.pack.dates.names].index(month) + 1
    assert re.sub(r"(?<=\d)(?:st|nd|rd|th)", "", texts[1]) == f"{month.capitalize()} {day}, {year}"
    assert texts[2] == f"{day}/{number}/{year[2:]}"
    telephones = _replaced(french, "TEL", "06 12 34 56 78", "+33 6.12.34.56.78", "0612345678")
    assert len({re.sub(r"\D", "", number)[-9:] for number in telephones}) == 1


def test_a_name_without_its_accents_has_a_surrogate_without(french: Lexicon) -> None:
    accented = [name for name in FIRST_NAMES.written.values() if "é" in name and len(name) > 4]
    found = _replaced(french, "PRE", *map(fold, accented), *accented)
    assert all(name.isascii() for name in found[: len(accented)])
    assert [*map(fold, found[len(accented) :])] == found[: len(accented)]


def test_initials_are_those_of_the_surrogate(french: Lexicon) -> None:
    spellings = [Spelling(text, PRE) for text in ("Jean-Luc", "JL", "J-L")]
    context = StyleContext(
        french, KEY, dict.fromkeys(spellings, 1), entities=dict.fromkeys(spellings, "jean-luc")
    )
    full, glued, hyphen = map(
        make_style(Plan(Treatment(style=StyleName.SURROGATE)), context), spellings
    )
    first, last = full.split("-")
    assert (glued, hyphen) == (first[0] + last[0], f"{first[0]}-{last[0]}")


def test_first_names_keep_gender_sound_frequency_and_length(french: Lexicon) -> None:
    names = [name for name in sorted(FIRST_NAMES.genders)[::29] if 4 < len(name) < 9]
    for name, found in zip(names, map(fold, _replaced(french, "PRE", *names)), strict=True):
        assert FIRST_NAMES.genders[found] == FIRST_NAMES.genders[name]
        assert abs(len(found) - len(name)) <= 1
        # The first words that may stand for a name are as frequent.
        assert found in map(fold, FIRST_NAMES.pool.words(next(FIRST_NAMES.pool.alike(name, [""]))))


@pytest.mark.parametrize(("type_", "names"), CASES["elided"].items())
def test_what_was_elided_can_be_elided_still(type_: str, names: list[str], french: Lexicon) -> None:
    assert [*map(sound, _replaced(french, type_, *names))] == [*map(sound, names)]


def test_names_that_are_used_up_are_made_up(french: Lexicon) -> None:
    every = [name for name in FIRST_NAMES.genders if len(name) > 1]
    found = dict(zip(every, map(bare, _replaced(french, "PRE", *every)), strict=True))
    context = StyleContext(french)
    people = {context.entity(Spelling(name, PRE)): found[name] for name in every}
    assert len({*people.values()}) == len(people)
    assert not {*found.values()} & {*map(bare, every)}
    assert re.search("(el|in|ien|ot|an|ic)$", found["patrice"])
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    found_letters = _replaced(french, "PRE", *letters)
    assert len({*found_letters, *letters}) == 52
    assert {*map(len, found_letters)} == {2}


def test_no_name_that_is_replaced_by_a_tag_is_a_surrogate(french: Lexicon) -> None:
    zoe = Spelling("Zoé", PRE)
    styles = Plan(Treatment(style=StyleName.SURROGATE), styles={NOM: StyleName.TAG})
    first = make_style(styles, StyleContext(french, KEY, {zoe: 1}))(zoe)
    tagged = StyleContext(french, KEY, {zoe: 1, Spelling(first, NOM, "s2"): 1})
    assert make_style(styles, tagged)(zoe) != first


def test_an_address_of_somebody_has_the_names_of_the_surrogate(french: Lexicon) -> None:
    spellings = [Spelling(text, TYPES(of)) for text, of in CASES["of_somebody"].items()]
    first, last, full, mail, handle, glued, marion = map(_style(french, spellings), spellings)
    assert full == f"{first} {last}"
    assert re.fullmatch(rf"{fold(first)}\.{fold(last)}\d\d@example\.\w+", mail)
    assert handle == f"@{fold(first)}_{fold(last)}"
    assert glued.startswith(fold(marion))


def test_a_town_has_one_of_its_size_and_its_postcode(french: Lexicon) -> None:
    found = _replaced(french, "LIE", "Montpellier", "Lunel", "Japon", "Trifouillis")
    sizes = [PLACES.sizes[fold(name)] for name in found]
    assert sizes == ["city", "town", "country", "village"]
    town, with_code = Spelling("Lunel", LIE), Spelling("34400 Lunel", TYPES.CPO)
    style = _style(french, [town, with_code])
    assert style(with_code) == f"{PLACES.postcodes[style(town)]} {style(town)}"
    cities = [name for name, size in PLACES.sizes.items() if size == "city"]
    marseille, *_ = _replaced(french, "LIE", "Marseille", *cities)
    assert PLACES.sizes[fold(marseille)] in ("town", "small town")


def test_a_number_abroad_is_one_that_its_country_gives_to_nobody(french: Lexicon) -> None:
    found = _replaced(french, "TEL", "+65 9123 4567", "+212 6 12 34 56 78", "+91 98765 43210")
    forms = r"\+65 9\d{3} \d{4}", r"\+212 6 \d\d \d\d \d\d \d\d", r"\+91 [1-8]\d{4} \d{5}"
    assert all(re.fullmatch(form, one) for form, one in zip(forms, found, strict=True))
    assert not any(is_valid_number(parse(one)) for one in found)
    at_home, abroad = _replaced(Lexicon([], "en"), "TEL", "91234567", "+65 9123 4567")
    assert re.sub(r"\D", "", abroad) == f"65{at_home}"


def test_too_many_numbers_are_an_error(french: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FOR_FICTION, "33", ["63998000_"])
    several = [f"06 12 34 56 {i:02}" for i in range(11)]
    others = {*_replaced(french, "TEL", *several)}
    assert len(others) == 11
    assert sum(one.startswith("06 39 98 00 0") for one in others) == 10
    monkeypatch.setattr(forms, "_KEPT", ())
    assert len({*_replaced(french, "TEL", *several[:10])}) == 10
    with pytest.raises(TriageError, match="use the style consistent"):
        _replaced(french, "TEL", *several)


def test_check_digits_of_surrogates_do_not_hold(french: Lexicon) -> None:
    assert luhn.is_valid("4539148803436467")
    many = [f"{i:016}" for i in range(60)]
    cards = _replaced(french, "CRT", *many)
    companies = _replaced(french, "SIR", *(number[-14:] for number in many))
    assert not any(map(luhn.is_valid, [*cards, *companies, *(number[:9] for number in companies)]))
    accounts = _replaced(french, "IBA", *(f"FR76{number}" for number in many * 5))
    assert all(int(f"{account[4:]}1527{account[2:4]}") % 97 != 1 for account in accounts)


@pytest.mark.parametrize("scope", ["s1", ""])
def test_ages_change_but_stay_in_their_band_and_apart(scope: str, french: Lexicon) -> None:
    ages = [Spelling(f"{n} ans", TYPES.AGE, scope) for n in range(100)]
    style = _style(french, ages, per_sender=True)
    found = [int(style(one).removesuffix(" ans")) for one in ages]
    assert sorted(found) == [*range(100)]
    assert all(new != old and abs(new - old) <= 4 for old, new in enumerate(found))
    assert all((new < 18) == (old < 18) for old, new in enumerate(found))


@pytest.mark.parametrize(("type_", "forms", "others"), CASES["used_up"])
def test_where_a_form_is_used_up_surrogates_grow_and_stay_apart(
    type_: str, forms: dict[str, list[list[int]]], others: list[str], french: Lexicon
) -> None:
    numbers = {form: product(*(range(*of) for of in ranges)) for form, ranges in forms.items()}
    texts = [*others, *(form.format(*n) for form, several in numbers.items() for n in several)]
    found = _replaced(french, type_, *texts)
    assert len({*found}) == len(texts)
    assert not {*found} & {*texts}


# Names, numbers and addresses more often than signs; digits in the forms that are read.
LIKELY = st.text("aàbcdeéilmnorstuzAÉZ 0123-'.@/", max_size=16)
SHAPED = st.sampled_from([*CASES["forms"]]).flatmap(
    lambda type_: st.builds(
        Spelling,
        st.from_regex(re.compile(CASES["forms"][type_], re.ASCII), fullmatch=True),
        st.just(TYPES(type_)),
    )
)
NAMES = st.sampled_from([*sorted(FIRST_NAMES.genders)[::7], "I", "Y", "Lunel", "Dupont"])
ANY = st.builds(
    Spelling,
    NAMES | LIKELY | st.text(st.characters(), max_size=20),
    # Every corpus holds most ages.
    st.sampled_from([type_ for type_ in TYPES if type_ is not TYPES.AGE]),
    st.sampled_from(["", "s1", "s2"]),
)
SPELLINGS = st.lists(ANY | SHAPED, max_size=10)


@pytest.mark.parametrize("name", [StyleName.CONSISTENT, StyleName.SURROGATE])
@given(SPELLINGS, st.lists(LIKELY | NAMES, max_size=20), st.booleans(), st.randoms())
def test_people_are_told_apart_whatever_the_order(
    name: StyleName,
    french: Lexicon,
    spellings: list[Spelling],
    words: list[str],
    per_sender: bool,
    shuffler: random.Random,
) -> None:
    corpus = {fold(text) for text in (*words, *(one.text for one in spellings))}
    style = _style(french, spellings, corpus, name, per_sender=per_sender)
    shuffled = shuffler.sample(spellings, len(spellings))
    again = _style(french, shuffled, corpus, name, per_sender=per_sender)
    names = {bare(one.text) for one in spellings}
    owners: dict[tuple[str, str], set[Entity]] = {}
    for one in spellings:
        found = style(one)
        assert found == again(one)
        assert fold(found) not in {"", fold(one.text)}
        of_name = one.type in ("PRE", "NOM", "SUR", "LIE", "MAR")
        assert bare(found) not in names if of_name else fold(found) not in corpus
        entity = StyleContext(french, per_sender=per_sender).entity(one)
        # What is written otherwise (capitals, +33) may make one number or code look like two.
        plain = re.sub(r"[\W_]+", "", fold(found))
        owners.setdefault((entity.sender, plain), set()).add(entity)
    assert all(len(found) == 1 for found in owners.values())


SUR, COD = TYPES.SUR, TYPES.COD
PAPER, CONSISTENT = StyleName.PAPER, StyleName.CONSISTENT


def _shown(
    name: StyleName, lexicon: Lexicon, spellings: Sequence[Spelling], **how: Any
) -> list[str]:
    return [*map(_style(lexicon, spellings, name=name, **how), spellings)]


def _codes(lexicon: Lexicon, *spellings: Spelling, **how: Any) -> list[str]:
    tags = _shown(CONSISTENT, lexicon, spellings, **how)
    return [tag.strip("<>").split("_")[1] for tag in tags]


def _first_names(*names: str) -> list[Spelling]:
    return [Spelling(name, PRE) for name in names]


@pytest.mark.parametrize(("style", "text", "type_", "shown", "with_length"), CASES["styles"])
def test_what_a_style_shows_of_a_spelling(
    style: str, text: str, type_: str, shown: str, with_length: str, french: Lexicon
) -> None:
    spelling, name = [Spelling(text, TYPES(type_))], StyleName(style)
    assert _shown(name, french, spelling) == [shown]
    assert _shown(name, french, spelling, lengths=True) == [with_length]


def test_the_papers_tag_numbers_the_entry_of_the_dictionary(french: Lexicon) -> None:
    names = next(words.words for words in french.lists if words.name == "first_names")
    number = [*names].index("patrice") + 1
    written = _first_names("Patrice", "PATRICE", "Patriiiice")
    expected = [f"<PRE_{len(one.text)}_{number}>" for one in written]
    assert _shown(PAPER, french, written) == expected
    # The second list follows the first, exceptions too.
    lists = (
        WordList("first_names", Role.DICTIONARY, ("anouk", "zoé"), frozenset({"anouk"})),
        WordList("further_first_names", Role.DICTIONARY, ("Titouan",)),
    )
    found = _shown(PAPER, Lexicon(lists), _first_names("Anouk", "zoe", "titouan"))
    assert found == ["<PRE_5_1>", "<PRE_3_2>", "<PRE_7_3>"]


def test_spellings_of_an_entity_have_one_code(french: Lexicon) -> None:
    variants = [*_first_names("Nicolas", "NICOLAS", "nicolaaas", "Nico"), Spelling("nico", SUR)]
    martin = Spelling("Martin", PRE), Spelling("Martin", TYPES.NOM)
    codes = _codes(french, *variants, *_first_names("Nicole", "Patrice"), *martin)
    assert len({*codes[:5]}) == 1
    assert len({*codes}) == 5
    first, second = (Spelling("Zoé", PRE, sender) for sender in ("s1", "s2"))
    assert len({*_codes(french, first, second)}) == 1
    assert len({*_codes(french, first, second, per_sender=True)}) == 2


def test_a_code_is_of_key_and_entity(french: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    zoe, *others = _first_names("Zoé", "Patrice", "Anouk", "Inès", "Léo", "Hugo")
    assert _codes(french, zoe) == _codes(french, *others, zoe)[-1:]
    assert _codes(french, zoe) != _codes(french, zoe, key=bytes(32))
    many = [Spelling(f"{number:04}", COD) for number in range(2000)]
    codes = _codes(french, *many)
    assert len({*codes}) == len(codes)
    assert all(re.fullmatch("[a-z][a-z0-9]{9}", code) for code in codes)
    monkeypatch.setattr(styles, "_LENGTH", 1)
    with pytest.raises(TriageError, match="use another key"):
        _codes(french, *many)
