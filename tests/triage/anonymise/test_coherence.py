"""The three checks before anything is replaced."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.anonymise.entity import Spelling
from triage.anonymise.styles import StyleContext, make_style
from triage.anonymise.table import Check, Entry, build_table, check
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

KEY = bytes(range(32))
PRE = IdentifierType.PRE


CASES = cases_beside(__file__, "cases.toml")


def _entry(row: str) -> Entry:
    """Read an entry: type, spelling, replacement (itself: it stays), entity, sender."""
    type_, spelling, replacement, entity, sender = (*row.split("|"), "", "")[:5]
    stays = replacement == spelling
    entity = entity or spelling.lower()
    return Entry(spelling, entity, IdentifierType(type_), 1, not stays, replacement, sender)


def _found(
    rows: Iterable[str], words: str = "", written: Sequence[Spelling] = (), *, show: bool = False
) -> dict[Check, tuple[str, ...]]:
    found = check([*map(_entry, rows)], {*words.split()}, written, show=show)
    return {one.check: one.examples for one in found}


SHARED = ["PRE|Léa|Zoé", "PRE|Inès|ZOÉ", "PRE|Hugo|Paul"]
TWO = ["LIE|Paris|Reims", "NOM|Paris|Durand", "PRE|Hugo|Paul"]


@pytest.mark.parametrize(("rows", "words", "kind", "example"), CASES["incoherent"])
def test_what_is_incoherent_is_found(rows: list[str], words: str, kind: str, example: str) -> None:
    assert _found(rows, words) == {Check(kind): (example,)}


@pytest.mark.parametrize(("rows", "words"), CASES["coherent"])
def test_what_is_coherent_is_not_found(rows: list[str], words: str) -> None:
    assert _found(rows, words) == {}


def test_a_pseudonym_is_no_name_that_is_replaced_in_the_corpus() -> None:
    written = [Spelling("Léa", PRE, "s1"), Spelling("zoéé", PRE, "s2")]
    assert _found(["PRE|Léa|Zoé"], written=written) == {Check.IN_CORPUS: ("'Zoé'",)}


def test_names_are_shown_where_they_were_asked_for() -> None:
    assert _found(SHARED, show=True) == {Check.SHARED: ("'Zoé' for inès (PRE) and léa (PRE)",)}
    assert _found(TWO, show=True) == {Check.TWO_WAYS: ("'Paris' by 'Durand' and 'Reims'",)}


def test_within_senders_only_a_senders_rows_must_agree() -> None:
    rows = ["PRE|Léa|Zoé||s1", "PRE|Léa|Eva||s2", "PRE|Inès|Zoé||s2"]
    assert len(_found(rows)) == 2
    assert check([*map(_entry, rows)], frozenset(), per_sender=True) == []


def test_many_cases_are_counted_and_a_few_named() -> None:
    (found,) = check([_entry(f"PRE|Léa{i}|Zoé{i // 2}") for i in range(2000)], set())
    assert (found.n, len(found.examples)) == (1000, 5)
    assert str(found).startswith("1,000 pseudonyms stand for two different entities: ")
    (found,) = check([_entry("COD|4512|7300")], {"7300"})
    assert str(found) == "1 pseudonym occurs in the corpus already: '7300'"


NAMES = st.sampled_from(["Zoé", "zoe", "Nico", "Nicolas", "Anouk", "Hugo", "Marie", "Jean-Luc"])
TEXTS = NAMES | st.text(st.characters(), max_size=10)
SPELLINGS = st.builds(Spelling, TEXTS, st.just(PRE), st.sampled_from(["", "s1", "s2"]))


@given(
    st.lists(SPELLINGS, min_size=1, max_size=10, unique=True),
    st.sampled_from(StyleName),
    st.booleans(),
)
@example(
    spellings=[Spelling("I", PRE), Spelling("Y", PRE)], name=StyleName.SURROGATE, per_sender=False
)
def test_what_a_style_gives_is_coherent(
    french: Lexicon, spellings: list[Spelling], name: StyleName, per_sender: bool
) -> None:
    words = {fold(one.text) for one in spellings} | {"coucou", "marine", "paul"}
    context = StyleContext(french, KEY, spellings, words, per_sender)
    table = build_table(dict.fromkeys(spellings, 1), make_style(name, context), context)
    assert check(table.entries, words, spellings, per_sender=per_sender) == []
