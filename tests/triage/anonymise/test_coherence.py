"""The three checks before anything is replaced."""

from collections.abc import Iterable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from triage.anonymise.coherence import (
    Check,
    Finding,
    check,
)
from triage.anonymise.entity import Spelling
from triage.anonymise.styles import StyleContext, make_style
from triage.anonymise.table import Entry, build_table
from triage.dictionaries import Lexicon
from triage.settings import StyleName
from triage.vocabulary import IdentifierType

KEY = bytes(range(32))
PRE, NOM, SUR, LIE, ADR, COD = map(IdentifierType, ("PRE", "NOM", "SUR", "LIE", "ADR", "COD"))


def _entry(
    spelling: str,
    replacement: str,
    *,
    entity: str = "",
    type_: IdentifierType = PRE,
    sender: str = "",
    replace: bool = True,
) -> Entry:
    return Entry(spelling, entity or spelling.lower(), type_, 1, replace, replacement, sender)


def _found(
    kind: Check,
    entries: Sequence[Entry],
    words: Iterable[str] = (),
    *,
    per_sender: bool = False,
    show: bool = False,
) -> Finding | None:
    found = check(entries, {*words}, per_sender=per_sender, show=show)
    return next((one for one in found if one.check is kind), None)


def test_one_pseudonym_for_two_entities() -> None:
    entries = [_entry("Léa", "Zoé"), _entry("Inès", "ZOÉ"), _entry("Hugo", "Paul")]
    found = _found(Check.SHARED, entries)
    assert found is not None
    assert (found.check, found.n, found.examples) == (Check.SHARED, 1, ("'Zoé' for 2",))
    shown = _found(Check.SHARED, entries, show=True)
    assert shown is not None
    assert shown.examples == ("'Zoé' for inès (PRE) and léa (PRE)",)


def test_variants_of_an_entity_may_share_their_pseudonym() -> None:
    entries = [
        _entry("Nico", "Paul", entity="nicolas", type_=SUR),
        _entry("Nicolas", "Paul", entity="nicolas"),
    ]
    assert _found(Check.SHARED, entries) is None


def test_a_code_is_one_pseudonym_however_long_the_spelling() -> None:
    assert _found(Check.SHARED, [_entry("Léa", "<PRE_3_k3>"), _entry("Inès", "<PRE_4_k3>")])
    assert not _found(Check.SHARED, [_entry("Léa", "<PRE_3_k3>"), _entry("Inès", "<PRE_4_k4>")])


def test_what_tells_only_type_and_length_is_no_pseudonym() -> None:
    for replacement in ("<PRE_3>", "<ADR_LIE_21>", "xxx"):
        entries = [_entry("Léa", replacement), _entry("Zoé", replacement)]
        assert check(entries, {"xxx", "<pre_3>"}) == []


def test_an_age_is_no_pseudonym() -> None:
    age = IdentifierType.AGE
    entries = [_entry("17 ans", "16 ans", type_=age), _entry("16", "16 ans", type_=age)]
    assert check(entries, {"16", "16 ans"}) == []


def test_a_spelling_that_stays_takes_no_pseudonym() -> None:
    entries = [_entry("Léa", "Zoé", replace=False), _entry("Inès", "Zoé")]
    assert _found(Check.SHARED, entries) is None


def test_a_pseudonym_that_occurs_in_the_corpus() -> None:
    entries = [_entry("Léa", "Zoé"), _entry("4512", "7300", type_=COD)]
    written = [Spelling("Léa", PRE, "s1"), Spelling("zoéé", PRE, "s1")]
    found = next(one for one in check(entries, {"7300"}, written) if one.check is Check.IN_CORPUS)
    assert found.examples == ("'7300'", "'Zoé'")


def test_a_name_may_occur_where_nobody_takes_it_for_a_pseudonym() -> None:
    entries = [_entry("Léa", "Zoé"), _entry("Hugo", "Paul")]
    elsewhere = [Spelling("Léa", PRE, "s1"), Spelling("Zoé", PRE, "s2")]
    of_several = [Spelling("Hugo", PRE, "s1"), Spelling("Hugo", PRE, "s2"), Spelling("Paul", PRE)]
    assert check(entries, {"zoe", "paul"}, elsewhere + of_several) == []


def test_a_common_word_is_no_pseudonym_where_it_occurs() -> None:
    assert _found(Check.IN_CORPUS, [_entry("Léa", "Midi")], ["midi"])
    assert not _found(Check.IN_CORPUS, [_entry("Léa", "Midi")], ["coucou"])


def test_an_address_may_hold_words_of_the_corpus() -> None:
    entries = [_entry("1 rue du Lac", "2 rue du Port", type_=ADR)]
    assert _found(Check.IN_CORPUS, entries, {"rue", "du"}) is None


def test_a_tag_that_is_there_already_occurs_in_the_corpus() -> None:
    entries = [_entry("Léa", "<PRE_3_k3>")]
    assert _found(Check.IN_CORPUS, entries, {"<pre_3_k3>"})
    assert not _found(Check.IN_CORPUS, entries, {"pre", "k3"})


def test_one_spelling_replaced_in_two_ways() -> None:
    entries = [
        _entry("Paris", "Reims", type_=LIE),
        _entry("Paris", "Durand", type_=NOM),
        _entry("Hugo", "Paul"),
    ]
    found = _found(Check.TWO_WAYS, entries)
    assert found is not None
    assert (found.check, found.n) == (Check.TWO_WAYS, 1)
    assert found.examples == ("by 'Durand' and 'Reims'",)
    shown = _found(Check.TWO_WAYS, entries, show=True)
    assert shown is not None
    assert shown.examples == ("'Paris' by 'Durand' and 'Reims'",)


def test_replaced_here_and_kept_there_are_two_ways() -> None:
    entries = [_entry("Paris", "", type_=LIE, replace=False), _entry("Paris", "Durand", type_=NOM)]
    found = _found(Check.TWO_WAYS, entries)
    assert found is not None
    assert found.examples == ("by 'Durand' and itself",)


def test_within_senders_only_a_senders_rows_must_agree() -> None:
    entries = [_entry("Léa", "Zoé", sender="s1"), _entry("Léa", "Eva", sender="s2")]
    entries += [_entry("Inès", "Zoé", sender="s2")]
    assert len(check(entries, set())) == 2
    assert check(entries, frozenset(), per_sender=True) == []


def test_findings_read_as_sentences() -> None:
    entries = [_entry("Léa", "Zoé"), _entry("Inès", "Zoé")]
    written = [Spelling("Léa", PRE, "s1"), Spelling("Zoé", PRE, "s1")]
    assert [str(found) for found in check(entries, set(), written)] == [
        "1 pseudonym stands for two different entities: 'Zoé' for 2",
        "1 pseudonym occurs in the corpus already: 'Zoé'",
    ]


def test_many_cases_are_counted_and_a_few_named() -> None:
    entries = [_entry(f"Léa{i}", f"Zoé{i // 2}") for i in range(2000)]
    (found,) = check(entries, set())
    assert (found.n, len(found.examples)) == (1000, 5)
    assert str(found).startswith("1,000 pseudonyms stand for two different entities: ")


NAMES = st.sampled_from(["Zoé", "zoe", "Nico", "Nicolas", "Anouk", "Hugo", "Marie", "Jean-Luc"])
TEXTS = NAMES | st.text(st.characters(), max_size=10)
SPELLINGS = st.builds(Spelling, TEXTS, st.just(PRE), st.sampled_from(["", "s1", "s2"]))


@given(
    st.lists(SPELLINGS, min_size=1, max_size=10, unique=True),
    st.sampled_from(StyleName),
    st.booleans(),
)
@settings(deadline=None)
def test_what_a_style_gives_is_coherent(
    french: Lexicon, spellings: list[Spelling], name: StyleName, per_sender: bool
) -> None:
    from triage.dictionaries.normal import fold

    words = {fold(one.text) for one in spellings} | {"coucou", "marine", "paul"}
    context = StyleContext(french, KEY, spellings, words, per_sender)
    table = build_table(dict.fromkeys(spellings, 1), make_style(name, context), context)
    assert check(table.entries, words, spellings, per_sender=per_sender) == []
