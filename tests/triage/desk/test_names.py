"""People and names: spellings are merged, split, typed, and given replacements."""

import pytest

from triage.anonymise.table import EntityTable, Entry
from triage.desk.names import Change, changed, entities
from triage.errors import TriageError
from triage.vocabulary import IdentifierType

PRE, NOM = IdentifierType.PRE, IdentifierType.NOM
TABLE = EntityTable(
    [
        Entry("maëlle", "maelle", PRE, 7, True, "solène"),
        Entry("Maëlle", "maelle", PRE, 2, True, "Solène"),
        Entry("mayel", "mayel", PRE, 1, True, "lilou"),
        Entry("Zorgui", "zorgui", NOM, 3, True, "Besnard"),
    ]
)


def _one(table: EntityTable, spelling: str) -> Entry:
    return next(entry for entry in table.entries if entry.spelling == spelling)


def test_entities_come_with_their_spellings_the_most_frequent_first() -> None:
    found = [(one.first.spelling, one.count, len(one.entries)) for one in entities(TABLE)]
    assert found == [("maëlle", 9, 2), ("Zorgui", 3, 1), ("mayel", 1, 1)]


def test_a_replacement_is_given_to_one_spelling_and_the_others_follow() -> None:
    table = changed(TABLE, Change.NAME, 0, "maëlle", " inès ")
    assert _one(table, "maëlle").replacement == "inès"
    assert _one(table, "Maëlle").replacement == ""
    assert _one(table, "Zorgui") == _one(TABLE, "Zorgui")


def test_two_spellings_become_one_person() -> None:
    table = changed(TABLE, Change.MERGE, 2, "mayel", "Maëlle")
    assert [len(one.entries) for one in entities(table)] == [3, 1]
    assert _one(table, "mayel").replacement == ""


def test_a_spelling_becomes_somebody_else() -> None:
    table = changed(TABLE, Change.SPLIT, 1, "Maëlle")
    assert [one.first.spelling for one in entities(table)] == [
        *("maëlle", "Zorgui", "Maëlle", "mayel"),
    ]
    assert _one(table, "maëlle").replacement == "solène"


def test_a_type_is_that_of_all_spellings() -> None:
    table = changed(TABLE, Change.TYPE, 0, "maëlle", "NOM")
    assert {_one(table, name).type for name in ("maëlle", "Maëlle")} == {NOM}


@pytest.mark.parametrize(("change", "is_replaced"), [(Change.KEEP, False), (Change.REPLACE, True)])
def test_an_entity_may_stay(change: Change, is_replaced: bool) -> None:
    table = changed(TABLE, change, 0, "maëlle")
    assert {_one(table, name).replace for name in ("maëlle", "Maëlle")} == {is_replaced}
    assert _one(table, "Zorgui").replace


@pytest.mark.parametrize(("number", "seen"), [(0, "Zorgui"), (9, "maëlle")])
def test_a_table_that_changed_meanwhile_is_left_alone(number: int, seen: str) -> None:
    with pytest.raises(TriageError, match="has changed"):
        changed(TABLE, Change.KEEP, number, seen)


def test_merging_with_what_is_not_there_is_an_error() -> None:
    with pytest.raises(TriageError, match="no spelling of the table"):
        changed(TABLE, Change.MERGE, 0, "maëlle", "Bruno")
