"""The table of entities: made, changed by a person, read back, applied."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from triage.anonymise.entity import Spelling
from triage.anonymise.styles import StyleContext, StyleName, Styles, make_style
from triage.anonymise.table import (
    COLUMNS,
    EntityTable,
    Entry,
    build_table,
    read_table,
    write_table,
)
from triage.data import DataError
from triage.data.values import whole_characters
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.vocabulary import IdentifierType

KEY = bytes(range(32))
PRE, NOM, LIE = IdentifierType.PRE, IdentifierType.NOM, IdentifierType.LIE
COUNTS = {
    Spelling("Zoé", PRE, "s1"): 3,
    Spelling("Zoé", PRE, "s2"): 1,
    Spelling("zoeee", PRE, "s1"): 2,
    Spelling("Lunel", LIE, "s1"): 1,
}
HEADER = ",".join(COLUMNS)
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def _built(french: Lexicon, *, per_sender: bool = False) -> EntityTable:
    context = StyleContext(french, KEY, COUNTS, frozenset(), per_sender)
    return build_table(COUNTS, make_style(StyleName.CONSISTENT, context), context)


def test_a_table_has_a_row_for_each_spelling(french: Lexicon) -> None:
    table = _built(french)
    rows = [(e.spelling, e.entity, e.type, e.count, e.replace, e.sender) for e in table.entries]
    assert rows == [
        ("Zoé", "zoe", PRE, 4, True, ""),
        ("zoeee", "zoe", PRE, 2, True, ""),
        ("Lunel", "lunel", LIE, 1, True, ""),
    ]
    assert table.entries[0].replacement.startswith("<PRE_3_")
    assert table.entries[0].replacement[7:] == table.entries[1].replacement[7:]


def test_within_senders_each_sender_has_rows(french: Lexicon) -> None:
    table = _built(french, per_sender=True)
    rows = [(e.spelling, e.sender, e.count) for e in table.entries]
    assert rows == [("Zoé", "s1", 3), ("zoeee", "s1", 2), ("Zoé", "s2", 1), ("Lunel", "s1", 1)]
    assert table.entries[0].replacement != table.entries[2].replacement


@pytest.mark.parametrize("extension", ["csv", "tsv", "xlsx", "jsonl"])
def test_a_table_comes_back_as_it_was(extension: str, french: Lexicon, tmp_path: Path) -> None:
    path = tmp_path / f"table.{extension}"
    first, *others = _built(french).entries
    table = EntityTable([replace(first, name_of="7", confirmed=True), *others])
    write_table(path, table)
    assert read_table(path).entries == table.entries
    assert path.stat().st_mode & 0o777 == 0o600


TEXT = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=12)
ENTRIES = st.builds(
    Entry,
    spelling=TEXT,
    entity=TEXT.map(str.strip).filter(bool),
    type=st.sampled_from(IdentifierType),
    count=st.integers(0, 10**6),
    replace=st.booleans(),
    replacement=TEXT | st.just(""),
    sender=TEXT | st.just(""),
    name_of=TEXT | st.just(""),
)


@given(st.lists(ENTRIES, max_size=6))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back(tmp_path: Path, entries: list[Entry]) -> None:
    path = tmp_path / "table.csv"
    path.unlink(missing_ok=True)
    write_table(path, EntityTable(entries))
    found = read_table(path)
    assert [e.spelling for e in found.entries] == [whole_characters(e.spelling) for e in entries]
    assert [e.name_of for e in found.entries] == [whole_characters(e.name_of) for e in entries]
    before = EntityTable(entries)
    for entry in entries:
        said = before.replacement_of(entry.written)
        again = found.replacement_of(entry.written)
        assert whole_characters(again or "") == whole_characters(said or "")


def test_formulas_are_made_inert_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    entry = Entry("=1+1", "=1+1", IdentifierType.COD, 1, True, "+33 6 39 98 12 34")
    write_table(path, EntityTable([entry]))
    assert "'=1+1" in path.read_text(encoding="utf-8")
    assert read_table(path).entries == (entry,)


def test_a_row_of_a_sender_comes_before_that_for_everywhere() -> None:
    table = EntityTable(
        [
            Entry("Martin", "martin", NOM, 3, True, "Durand"),
            Entry("Martin", "martin (his)", NOM, 1, True, "Lefort", "s1"),
        ]
    )
    assert table.replacement_of(Spelling("Martin", NOM, "s1")) == "Lefort"
    assert table.replacement_of(Spelling("Martin", NOM, "s2")) == "Durand"


def test_homonyms_are_told_apart_by_type() -> None:
    table = EntityTable(
        [
            Entry("Paris", "paris (town)", LIE, 3, False, ""),
            Entry("Paris", "paris (Sylvie)", NOM, 1, True, "Durand"),
        ]
    )
    assert table.replacement_of(Spelling("Paris", LIE)) == "Paris"
    assert table.replacement_of(Spelling("Paris", NOM)) == "Durand"


def test_a_type_that_a_person_set_right_is_found() -> None:
    table = EntityTable([Entry("Lunel", "lunel", LIE, 1, True, "Niort")])
    assert table.replacement_of(Spelling("Lunel", NOM)) == "Niort"


def test_what_the_table_does_not_know_is_left_to_the_style(french: Lexicon) -> None:
    table = EntityTable([Entry("Zoé", "zoe", PRE, 1, True, "Ada")])
    assert table.replacement_of(Spelling("Anouk", PRE)) is None
    style, _ = table.style(Styles(StyleName.TAG), StyleContext(french))
    assert [style(Spelling(name, PRE)) for name in ("Zoé", "Anouk")] == [
        "Ada",
        "<PRE_5>",
    ]


def test_two_spellings_that_a_person_brought_together_get_one_code(french: Lexicon) -> None:
    table = EntityTable(
        [
            Entry("Thierry", "thierry", PRE, 2, True, ""),
            Entry("Titi", "thierry", PRE, 1, True, ""),
            Entry("Anouk", "anouk", PRE, 1, False, ""),
        ]
    )
    titi = Spelling("Titi", PRE, "s1")
    style, filled = table.style(Styles(StyleName.CONSISTENT), StyleContext(french, KEY, [titi]))
    first, second, kept = filled.entries
    assert first.replacement.split("_")[2] == second.replacement.split("_")[2]
    assert style(titi) == second.replacement
    assert kept.replacement == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("oui", True),
        ("YES", True),
        ("", True),
        ("1", True),
        ("non", False),
        ("No", False),
        ("FAUX", False),
    ],
)
def test_yes_and_no_as_spreadsheets_write_them(text: str, said: bool, write: Write) -> None:
    table = read_table(write(f"{HEADER}\nZoé,zoe,PRE,1,{text},Ada,,,\n"))
    assert table.entries[0].replace is said


def test_count_and_sender_may_be_left_out(write: Write) -> None:
    path = write("spelling;entity;type;replace;replacement\nZoé;;pre;yes;Ada\n")
    assert read_table(path).entries == (Entry("Zoé", "Zoé", PRE, 0, True, "Ada"),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("Zoé,zoe,XXX,1,yes,Ada,,,", "line 3: its type is none of PRE"),
        ("Zoé,zoe,PRE,1,perhaps,Ada,,,", "line 3: whether to replace is neither yes nor no"),
        ("Zoé,zoe,PRE,many,yes,Ada,,,", "line 3: its count is no number"),
        ("Zoé,zoe,PRE,inf,yes,Ada,,,", "line 3: its count is no number"),
        (",zoe,PRE,1,yes,Ada,,,", "line 3: it has no spelling"),
        ("Zoé,zoe,PRE,1,yes,Ada,,7,maybe", "line 3: whether it is the sender's name is neither"),
        ("Zoé,zoe,PRE,1,yes,Ada,,,yes", "line 3: it confirms whose name it is, but name_of is"),
        ("Zoé,zoe,PRE,1,no,,,7,yes", "line 3: a name that stays cannot stand for its sender"),
        ("Zoé,zoe,PRE", "line 3: "),
    ],
)
def test_a_wrong_row_is_named_by_its_line_and_not_shown(
    row: str, reason: str, write: Write
) -> None:
    path = write(f"{HEADER}\nAnouk,anouk,PRE,1,yes,Inès,,,\n{row}\n")
    with pytest.raises(TriageError, match=reason) as caught:
        read_table(path)
    assert "Zoé" not in str(caught.value)


@pytest.mark.parametrize("missing", ["spelling", "entity", "type", "replace", "replacement"])
def test_a_missing_column_is_named(missing: str, write: Write) -> None:
    columns = [column for column in COLUMNS if column != missing]
    path = write(",".join(columns) + "\n" + ",".join("x" for _ in columns) + "\n")
    with pytest.raises(TriageError, match=f"has no column '{missing}'"):
        read_table(path)


def test_an_unknown_column_is_named(write: Write) -> None:
    with pytest.raises(TriageError, match="columns that mean nothing here, 'remark'"):
        read_table(write(f"{HEADER},remark\nZoé,zoe,PRE,1,yes,Ada,,,,x\n"))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        read_table(tmp_path / "none.csv")


def test_a_second_wave_follows_the_table_of_the_first(french: Lexicon) -> None:
    table = EntityTable([Entry("Zoé", "zoe", PRE, 3, True, "Berthe")])
    spellings = [Spelling(text, PRE) for text in ("zoéééé", "ZOE", "Anouk")]
    context = StyleContext(french, KEY, spellings)
    style, _ = table.style(Styles(StyleName.SURROGATE), context)
    assert [style(one) for one in spellings[:2]] == ["bertheeee", "BERTHE"]


def test_what_the_table_gives_away_no_other_name_gets(french: Lexicon) -> None:
    anouk = Spelling("Anouk", PRE)
    context = StyleContext(french, KEY, [anouk])
    taken = make_style(StyleName.SURROGATE, context)(anouk)
    table = EntityTable([Entry("Zoé", "zoe", PRE, 3, True, taken)])
    style, _ = table.style(Styles(StyleName.SURROGATE), context)
    assert style(anouk) != taken
