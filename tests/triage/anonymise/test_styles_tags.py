"""The styles that say type, length and perhaps who: tag, paper, consistent, mask."""

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dictionaries.splitting import split
from triage.anonymise import styles
from triage.anonymise.entity import Spelling
from triage.anonymise.styles import Style, StyleContext, make_style
from triage.dictionaries import Kind, Lexicon, Role, WordList
from triage.dictionaries.recognisers import shipped
from triage.errors import TriageError
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

KEY = bytes(range(32))
PRE, SUR, TEL, LIE, NOM = (IdentifierType(name) for name in ("PRE", "SUR", "TEL", "LIE", "NOM"))
# Half characters too, which JSON can hold.
ANY_TEXT = st.text(st.characters(), max_size=30)
SPELLINGS = st.builds(
    Spelling, ANY_TEXT, st.sampled_from(IdentifierType), st.sampled_from(["", "s1", "s2"])
)


def _first_names(*names: str) -> list[Spelling]:
    return [Spelling(name, PRE) for name in names]


def _style(
    name: StyleName,
    lexicon: Lexicon,
    spellings: Sequence[Spelling] = (),
    *,
    per_sender: bool = False,
) -> Style:
    return make_style(name, StyleContext(lexicon, KEY, spellings, frozenset(), per_sender))


def _code(tag: str) -> str:
    return tag.strip("<>").split("_")[2]


def test_a_tag_is_that_of_the_published_corpus(french: Lexicon) -> None:
    style = _style(StyleName.TAG, french)
    assert style(Spelling("Patrice", PRE)) == "<PRE_7>"
    assert style(Spelling("06 39 98 12 34", TEL)) == "<TEL_14>"


def test_a_tag_counts_characters_as_written(french: Lexicon) -> None:
    style = _style(StyleName.TAG, french)
    assert style(Spelling("Léaaaa", PRE)) == "<PRE_6>"
    assert style(Spelling("Lea\u0301", PRE)) == "<PRE_4>"
    assert style(Spelling("👩‍🚀", SUR)) == "<SUR_3>"


def test_a_mask_is_as_long_as_what_it_hides(french: Lexicon) -> None:
    style = _style(StyleName.MASK, french)
    assert style(Spelling("Patrice", PRE)) == "xxxxxxx"


def test_the_papers_tag_numbers_the_entry_of_the_dictionary(french: Lexicon) -> None:
    style = _style(StyleName.PAPER, french)
    names = next(words.words for words in french.lists if words.name == "first_names")
    number = list(names).index("patrice") + 1
    for name in ("Patrice", "PATRICE", "Patriiiice"):
        assert style(Spelling(name, PRE)) == f"<PRE_{len(name)}_{number}>"


def test_the_second_list_of_first_names_follows_the_first() -> None:
    lists = (
        WordList("first_names", Role.DICTIONARY, ("anouk", "zoé"), frozenset({"anouk"})),
        WordList("further_first_names", Role.DICTIONARY, ("Titouan",)),
    )
    style = _style(StyleName.PAPER, Lexicon(lists))
    names = ("Anouk", "zoe", "titouan")
    assert [style(name) for name in _first_names(*names)] == [
        "<PRE_5_1>",
        "<PRE_3_2>",
        "<PRE_7_3>",
    ]


def test_what_is_no_entry_has_no_number_in_the_papers_style(french: Lexicon) -> None:
    style = _style(StyleName.PAPER, french)
    assert style(Spelling("Xqzw", PRE)) == "<PRE_4>"
    assert style(Spelling("Patrice", NOM)) == "<NOM_7>"


def test_variants_of_a_name_have_one_code(french: Lexicon) -> None:
    variants = [*_first_names("Nicolas", "NICOLAS", "nicolaaas", "Nico"), Spelling("nico", SUR)]
    others = _first_names("Nicole", "Patrice")
    style = _style(StyleName.CONSISTENT, french, variants + others)
    codes = {_code(style(one)) for one in variants}
    assert len(codes) == 1
    assert len(codes | {_code(style(one)) for one in others}) == 3


def test_a_code_begins_with_a_letter(french: Lexicon) -> None:
    spellings = [Spelling(f"{number:04}", IdentifierType.COD) for number in range(2000)]
    style = _style(StyleName.CONSISTENT, french, spellings)
    codes = [_code(style(one)) for one in spellings]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[a-z][a-z0-9]{9}", code) for code in codes)


def test_a_code_is_the_same_in_every_corpus(french: Lexicon) -> None:
    zoe, *others = _first_names("Zoé", "Patrice", "Anouk", "Inès", "Léo", "Hugo")
    alone = _style(StyleName.CONSISTENT, french, [zoe])
    assert alone(zoe) == _style(StyleName.CONSISTENT, french, [*others, zoe])(zoe)


def test_two_entities_with_one_code_are_an_error(
    french: Lexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(styles, "_LENGTH", 1)
    with pytest.raises(TriageError, match="use another key"):
        _style(
            StyleName.CONSISTENT,
            french,
            [Spelling(f"{n:04}", IdentifierType.COD) for n in range(40)],
        )


def test_within_a_sender_a_name_has_a_code_of_its_own(french: Lexicon) -> None:
    first, second = (Spelling("Zoé", PRE, sender) for sender in ("s1", "s2"))
    alike = _style(StyleName.CONSISTENT, french, [first, second])
    assert alike(first) == alike(second)
    apart = _style(StyleName.CONSISTENT, french, [first, second], per_sender=True)
    assert apart(first) != apart(second)


def test_codes_follow_from_the_key(french: Lexicon) -> None:
    names = _first_names("Zoé", "Patrice", "Anouk", "Inès", "Léo", "Hugo")
    other = make_style(StyleName.CONSISTENT, StyleContext(french, bytes(32), names))
    style = _style(StyleName.CONSISTENT, french, names)
    assert [style(name) for name in names] != [other(n) for n in names]


def test_what_a_person_said_of_an_entity_counts(french: Lexicon) -> None:
    names = _first_names("Titi", "Thierry")
    context = StyleContext(french, KEY, names, entities={names[0]: "thierry"})
    style = make_style(StyleName.CONSISTENT, context)
    assert len({_code(style(name)) for name in names}) == 1


@pytest.mark.parametrize("name", [StyleName.CONSISTENT, StyleName.SURROGATE])
def test_pseudonyms_need_a_key(name: StyleName, french: Lexicon) -> None:
    with pytest.raises(TriageError, match="needs a key"):
        make_style(name, StyleContext(french, b""))


@pytest.mark.parametrize("name", StyleName)
def test_no_message_is_needed_to_make_a_style(name: StyleName, french: Lexicon) -> None:
    _style(name, french)


@given(st.lists(SPELLINGS, max_size=12), st.booleans())
def test_consistent_is_one_to_one(
    french: Lexicon, spellings: list[Spelling], per_sender: bool
) -> None:
    style = _style(StyleName.CONSISTENT, french, spellings, per_sender=per_sender)
    codes = {
        StyleContext(french, per_sender=per_sender).entity(one): _code(style(one))
        for one in spellings
    }
    assert len(set(codes.values())) == len(codes)


@given(st.lists(SPELLINGS, min_size=1, max_size=12), st.randoms())
def test_codes_do_not_depend_on_the_order(
    french: Lexicon, spellings: list[Spelling], shuffler: random.Random
) -> None:
    style = _style(StyleName.CONSISTENT, french, spellings)
    other = spellings.copy()
    shuffler.shuffle(other)
    again = _style(StyleName.CONSISTENT, french, other)
    assert [style(s) for s in spellings] == [again(s) for s in spellings]


@given(SPELLINGS)
@settings(deadline=None)
def test_a_message_that_holds_tags_is_read_as_such(french: Lexicon, spelling: Spelling) -> None:
    for name in (StyleName.TAG, StyleName.PAPER, StyleName.CONSISTENT):
        tag = _style(name, french, [spelling])(spelling)
        found = shipped("fr").find(f"Coucou {tag}, ça va ?")
        assert [(span.kind, span.end - span.start) for span in found] == [(Kind.MASKED, len(tag))]
        assert [word.kind for word in split(tag)] == [Kind.MASKED]
