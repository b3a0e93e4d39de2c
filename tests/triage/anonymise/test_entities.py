"""The table of entities, written, changed by a person, followed; and the senders' own names."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import cases_beside
from triage.anonymise import styles
from triage.anonymise.entities import Entity, Spelling, StyleContext, canonical, short_forms
from triage.anonymise.plan import Plan
from triage.anonymise.styles import make_style, signed
from triage.decide.find import Identifier, Rule
from triage.decide.people import Entry, read_people
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import load_pack
from triage.settings import StyleName, Treatment
from triage.vocabulary import IdentifierType

CASES = cases_beside(__file__, "cases.toml")

KEY = bytes(range(32))
PRE, NOM, LIE = map(IdentifierType, ("PRE", "NOM", "LIE"))
COUNTS = {
    Spelling("Zoé", PRE, "s1"): 3,
    Spelling("Zoé", PRE, "s2"): 1,
    Spelling("zoeee", PRE, "s1"): 2,
    Spelling("Lunel", LIE, "s1"): 1,
}
Done = CompletedProcess[str]


def _built(french: Lexicon, *, per_sender: bool = False) -> list[Entry]:
    context = StyleContext(french, KEY, COUNTS, frozenset(), per_sender)
    return styles.build_table(
        make_style(Plan(Treatment(style=StyleName.CONSISTENT)), context), context
    )


def test_a_table_has_a_row_for_each_spelling_of_a_scope(french: Lexicon) -> None:
    entries = _built(french)
    rows = [(e.spelling, e.entity, e.type, e.count, e.replace, e.sender) for e in entries]
    assert rows == [
        ("Zoé", "zoe", PRE, 4, True, ""),
        ("zoeee", "zoe", PRE, 2, True, ""),
        ("Lunel", "lunel", LIE, 1, True, ""),
    ]
    assert entries[0].replacement[7:] == entries[1].replacement[7:]
    apart = _built(french, per_sender=True)
    counts = [(e.spelling, e.sender, e.count) for e in apart]
    assert counts == [("Zoé", "s1", 3), ("zoeee", "s1", 2), ("Zoé", "s2", 1), ("Lunel", "s1", 1)]
    assert apart[0].replacement != apart[2].replacement


@pytest.mark.parametrize("extension", ["csv", "tsv", "xlsx", "jsonl"])
def test_a_table_comes_back_as_it_was(extension: str, french: Lexicon, tmp_path: Path) -> None:
    path = tmp_path / f"table.{extension}"
    first, *others = _built(french)
    formula = Entry("=1+1", "=1+1", IdentifierType.COD, 1, True, "+33 6 39 98 12 34")
    table = [replace(first, name_of="7", confirmed=True), *others, formula]
    styles.write_table(path, table)
    assert read_people(path) == table
    assert path.stat().st_mode & 0o777 == 0o600
    assert extension != "csv" or "'=1+1" in path.read_text(encoding="utf-8")


def test_a_row_is_found_by_sender_and_type_first(french: Lexicon) -> None:
    table = [*map(_entry, CASES["of_senders"]["rows"])]
    said = {
        Spelling(text, IdentifierType(of), *sender): replacement
        for replacement, of, text, *sender in CASES["of_senders"]["said"]
    }
    style = styles.style_of_table(table, Plan(), StyleContext(french, per_sender=True))
    assert {one: style(one) for one in said} == said


def test_other_spellings_follow_what_the_table_gives_and_no_other_name(french: Lexicon) -> None:
    spellings = [Spelling(text, PRE) for text in ("Anouk", "zoéééé", "ZOE")]
    context = StyleContext(french, KEY, dict.fromkeys(spellings, 1))
    plan = Plan(Treatment(style=StyleName.SURROGATE))
    taken = make_style(plan, context)(spellings[0])
    table = [Entry("Zoé", "zoe", PRE, 3, True, taken)]
    anouk, *zoes = map(styles.style_of_table(table, plan, context), spellings)
    assert anouk != taken
    assert zoes == [taken.lower() + taken[-1] * 3, taken.upper()]


def _counts(names: Mapping[str, int]) -> dict[Spelling, int]:
    """Read names with the sender behind a sign: those of sender 7 without."""
    spellings = ((*name.split("@"), "7")[:2] for name in names)
    return {
        Spelling(text, PRE, sender): n
        for (text, sender), n in zip(spellings, names.values(), strict=True)
    }


@pytest.mark.parametrize(("signing", "found", "senders"), CASES["mostly_signed"])
def test_a_name_that_mostly_signs_is_suggested(
    signing: dict[str, int], found: dict[str, int], senders: list[str], french: Lexicon
) -> None:
    context = StyleContext(french, spellings=_counts(found or signing))
    own = styles.own_names(_counts(signing), context)
    assert own == dict.fromkeys(senders, Entity(PRE, "marie"))


def _names(type_: str, texts: Iterable[str], lexicon: Lexicon) -> set[str]:
    return {canonical(text, IdentifierType(type_), lexicon) for text in texts}


@pytest.mark.parametrize(
    ("case", "is_one"), [(case, kind == "one") for kind in ("one", "apart") for case in CASES[kind]]
)
def test_spellings_of_one_thing_are_one(case: list[str], is_one: bool, french: Lexicon) -> None:
    type_, *texts = case
    assert len(_names(type_, texts, french)) == (1 if is_one else len(texts))


def test_the_list_of_short_forms_is_sound(french: Lexicon) -> None:
    forms = short_forms(french.pack)
    assert len(forms) > 150
    assert not {*forms} & {*forms.values()}
    for short, full in forms.items():
        assert _names("PRE", [short, full], french) == {full}
    lines = french.pack.lines("surrogates/short_forms.txt")
    listed = [line.split("\t") for line in lines if not line.startswith("#")]
    short_ones = [fold(short) for _, several in listed for short in several.split()]
    assert len(short_ones) == len({*short_ones})
    assert len(listed) == len({fold(full) for full, _ in listed})


@given(st.text(st.characters(), max_size=30), st.sampled_from(IdentifierType))
# A very long stretch takes no time.
@example("l" + "é" * 100_000, PRE)
@example("ab" * 100_000, PRE)
def test_any_text_stands_for_something(french: Lexicon, text: str, type_: IdentifierType) -> None:
    assert bool(canonical(text, type_, french)) == bool(text)


def _entry(row: str) -> Entry:
    """Read an entry: type, spelling, replacement (itself: it stays), entity, sender."""
    type_, spelling, replacement, entity, sender = (*row.split("|"), "", "")[:5]
    stays = replacement == spelling
    entity = entity or spelling.lower()
    return Entry(spelling, entity, IdentifierType(type_), 1, not stays, replacement, sender)


@pytest.mark.parametrize(("rows", "corpus", "lines"), CASES["coherence"])
def test_what_is_incoherent_is_found(
    rows: list[str], corpus: dict[str, Any], lines: list[str], french: Lexicon
) -> None:
    words = {*corpus.get("words", "").split()}
    names = {Spelling(name, PRE): 1 for name in corpus.get("names", ())}
    context = StyleContext(french, b"", names, words)
    found = styles.check(map(_entry, rows), context, show=corpus.get("show", False))
    assert [one.line for one in found] == lines
    assert all(one.texts for one in found)


def test_many_cases_are_counted_and_a_few_named(french: Lexicon) -> None:
    rows = [_entry(f"PRE|Léa{i}|Zoé{i // 2}") for i in range(2000)]
    (found,) = styles.check(rows, StyleContext(french))
    counted, _, examples = found.line.partition(": ")
    assert len(found.texts) == 1000
    assert counted == "1,000 pseudonyms stand for two different entities"
    assert len(examples.split("; ")) == 5


FRENCH_PACK = load_pack("fr")


SIGNED = [(text, kind == "signed") for kind in ("signed", "unsigned") for text in CASES[kind]]


@pytest.mark.parametrize(("text", "is_signed"), SIGNED)
def test_a_message_is_signed_where_the_sender_gives_a_name(text: str, is_signed: bool) -> None:
    at = text.index("Marie")
    marie = Identifier(at, at + len("Marie"), PRE, Rule.EVIDENCE)
    assert [*signed(text, [marie], FRENCH_PACK)] == [marie] * is_signed
    # Of first and last name, the first signs.
    full = text[: marie.end] + " Dupont" + text[marie.end :]
    dupont = Identifier(marie.end + 1, marie.end + 7, NOM, Rule.EVIDENCE)
    assert [*signed(full, [marie, dupont], FRENCH_PACK)] == [marie] * is_signed


@pytest.mark.slow
@pytest.mark.parametrize("stretch", ["bisous ", "a plus, ", "\n ", "c'est ", "bonne a-", "Marie "])
def test_a_long_message_takes_a_time_in_proportion(stretch: str) -> None:
    text = stretch * (200_000 // len(stretch))
    found = [Identifier(at, at + 5, PRE, Rule.EVIDENCE) for at in range(0, len(text) - 7, 7)]
    start = time.process_time()
    assert len([*signed(text, found, FRENCH_PACK)]) <= len(found)
    assert time.process_time() - start < 5
