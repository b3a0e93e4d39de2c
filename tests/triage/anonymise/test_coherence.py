"""The three checks before anything is replaced."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.anonymise.entity import Spelling
from triage.anonymise.styles import StyleContext, make_style
from triage.anonymise.table import Entry, build_table, check
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


@pytest.mark.parametrize(("rows", "words", "line"), CASES["incoherent"])
def test_what_is_incoherent_is_found(rows: list[str], words: str, line: str) -> None:
    assert check([*map(_entry, rows)], {*words.split()}) == [line]


@pytest.mark.parametrize(("rows", "words"), CASES["coherent"])
def test_what_is_coherent_is_not_found(rows: list[str], words: str) -> None:
    assert check([*map(_entry, rows)], {*words.split()}) == []


def test_a_pseudonym_is_no_name_that_is_replaced_in_the_corpus() -> None:
    written = [Spelling("Léa", PRE, "s1"), Spelling("zoéé", PRE, "s2")]
    found = check([_entry("PRE|Léa|Zoé")], set(), written)
    assert found == ["1 pseudonym occurs in the corpus already: 'Zoé'"]


def test_names_are_shown_where_they_were_asked_for() -> None:
    rows = CASES["incoherent"][0][0] + CASES["incoherent"][5][0]
    assert [line.partition(": ")[2] for line in check([*map(_entry, rows)], set(), show=True)] == [
        "'Zoé' for inès (PRE) and léa (PRE)",
        "'Paris' by 'Durand' and 'Reims'",
    ]


def test_within_senders_only_a_senders_rows_must_agree() -> None:
    rows = ["PRE|Léa|Zoé||s1", "PRE|Léa|Eva||s2", "PRE|Inès|Zoé||s2"]
    assert len(check([*map(_entry, rows)], set())) == 2
    assert check([*map(_entry, rows)], frozenset(), per_sender=True) == []


def test_many_cases_are_counted_and_a_few_named() -> None:
    (found,) = check([_entry(f"PRE|Léa{i}|Zoé{i // 2}") for i in range(2000)], set())
    counted, _, examples = found.partition(": ")
    assert counted == "1,000 pseudonyms stand for two different entities"
    assert len(examples.split("; ")) == 5


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
