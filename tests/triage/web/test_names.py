"""People and names: spellings are merged, split, typed, and given replacements."""

import pytest

from triage.anonymise.table import EntityTable, Entry
from triage.errors import TriageError
from triage.vocabulary import IdentifierType
from triage.web.names import Change, changed, entities

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


@pytest.mark.parametrize(
    ("change", "number", "seen", "to", "found"),
    [
        (Change.MERGE, 2, "mayel", "Maëlle", ["maëlle", "Zorgui"]),
        (Change.SPLIT, 1, "Maëlle", "", ["maëlle", "Zorgui", "Maëlle", "mayel"]),
    ],
)
def test_spellings_become_one_person_or_two(
    change: Change, number: int, seen: str, to: str, found: list[str]
) -> None:
    table = changed(TABLE, change, number, seen, to)
    assert [one.first.spelling for one in entities(table)] == found
    assert _one(table, "maëlle").replacement == "solène"
    assert (_one(table, "mayel").replacement == "") == (change is Change.MERGE)


def test_a_type_is_that_of_all_spellings() -> None:
    table = changed(TABLE, Change.TYPE, 0, "maëlle", "NOM")
    assert {_one(table, name).type for name in ("maëlle", "Maëlle")} == {NOM}


@pytest.mark.parametrize(("change", "is_replaced"), [(Change.KEEP, False), (Change.REPLACE, True)])
def test_an_entity_may_stay(change: Change, is_replaced: bool) -> None:
    table = changed(TABLE, change, 0, "maëlle")
    assert {_one(table, name).replace for name in ("maëlle", "Maëlle")} == {is_replaced}
    assert _one(table, "Zorgui").replace


@pytest.mark.parametrize(
    ("change", "number", "seen", "problem"),
    [
        (Change.KEEP, 0, "Zorgui", "has changed"),
        (Change.KEEP, 9, "maëlle", "has changed"),
        (Change.MERGE, 0, "maëlle", "no spelling of the table"),
    ],
)
def test_a_change_of_what_is_not_there_is_an_error(
    change: Change, number: int, seen: str, problem: str
) -> None:
    with pytest.raises(TriageError, match=problem):
        changed(TABLE, change, number, seen, "Bruno")
