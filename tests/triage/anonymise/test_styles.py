"""The styles that say type, length and perhaps who: tag, paper, consistent, mask."""

import re
from collections.abc import Sequence

import pytest

from tests.cases import cases_beside
from triage.anonymise import styles
from triage.anonymise.entities import Spelling, StyleContext
from triage.anonymise.plan import Plan
from triage.anonymise.styles import make_style
from triage.dictionaries import Lexicon, Role, WordList
from triage.errors import TriageError
from triage.settings import StyleName, Treatment
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__, "cases.toml")
KEY = bytes(range(32))
PRE, SUR, COD = map(IdentifierType, ("PRE", "SUR", "COD"))
PAPER, CONSISTENT = StyleName.PAPER, StyleName.CONSISTENT


def _replaced(
    name: StyleName,
    lexicon: Lexicon,
    spellings: Sequence[Spelling],
    *,
    key: bytes = KEY,
    per_sender: bool = False,
    lengths: bool = False,
) -> list[str]:
    context = StyleContext(lexicon, key, dict.fromkeys(spellings, 1), per_sender=per_sender)
    return [*map(make_style(Plan(Treatment(style=name, lengths=lengths)), context), spellings)]


def _codes(
    lexicon: Lexicon, *spellings: Spelling, key: bytes = KEY, per_sender: bool = False
) -> list[str]:
    tags = _replaced(CONSISTENT, lexicon, spellings, key=key, per_sender=per_sender)
    return [tag.strip("<>").split("_")[1] for tag in tags]


def _first_names(*names: str) -> list[Spelling]:
    return [Spelling(name, PRE) for name in names]


@pytest.mark.parametrize(("style", "text", "type_", "shown", "with_length"), CASES["styles"])
def test_what_a_style_shows_of_a_spelling(
    style: str, text: str, type_: str, shown: str, with_length: str, french: Lexicon
) -> None:
    spelling, name = [Spelling(text, IdentifierType(type_))], StyleName(style)
    assert _replaced(name, french, spelling) == [shown]
    assert _replaced(name, french, spelling, lengths=True) == [with_length]


def test_the_papers_tag_numbers_the_entry_of_the_dictionary(french: Lexicon) -> None:
    names = next(words.words for words in french.lists if words.name == "first_names")
    number = [*names].index("patrice") + 1
    written = _first_names("Patrice", "PATRICE", "Patriiiice")
    expected = [f"<PRE_{len(one.text)}_{number}>" for one in written]
    assert _replaced(PAPER, french, written) == expected
    # The second list follows the first, exceptions too.
    lists = (
        WordList("first_names", Role.DICTIONARY, ("anouk", "zoé"), frozenset({"anouk"})),
        WordList("further_first_names", Role.DICTIONARY, ("Titouan",)),
    )
    found = _replaced(PAPER, Lexicon(lists), _first_names("Anouk", "zoe", "titouan"))
    assert found == ["<PRE_5_1>", "<PRE_3_2>", "<PRE_7_3>"]


def test_spellings_of_an_entity_have_one_code(french: Lexicon) -> None:
    variants = [*_first_names("Nicolas", "NICOLAS", "nicolaaas", "Nico"), Spelling("nico", SUR)]
    martin = Spelling("Martin", PRE), Spelling("Martin", IdentifierType.NOM)
    codes = _codes(french, *variants, *_first_names("Nicole", "Patrice"), *martin)
    assert len({*codes[:5]}) == 1
    assert len({*codes}) == 5
    first, second = (Spelling("Zoé", PRE, sender) for sender in ("s1", "s2"))
    assert len({*_codes(french, first, second)}) == 1
    assert len({*_codes(french, first, second, per_sender=True)}) == 2


def test_a_code_follows_from_key_and_entity_alone(
    french: Lexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
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
