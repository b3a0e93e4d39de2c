"""Tables that people fill in: answers, catalogues, contexts."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.data import DataError
from triage.errors import TriageError
from triage.mining.answers import Answer, Said, places_cell, read_answers
from triage.mining.catalogue import read_catalogue
from triage.mining.contexts import Context, Side
from triage.mining.good_contexts import contexts_output, read_contexts
from triage.vocabulary import IdentifierType


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: str) -> Path:
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


Table = Callable[..., Path]


def test_answers_are_read_by_the_folded_spelling(table: Table) -> None:
    path = table("spelling,answer,type,entity", "Léa,always,SUR,p1", "matin,Never,,", "zora,,,")
    assert read_answers(path) == {
        "lea": Answer("Léa", Said.ALWAYS, IdentifierType.SUR, "p1"),
        "matin": Answer("matin", Said.NEVER),
    }


def test_an_answer_for_some_places_names_them(table: Table) -> None:
    path = table("spelling,answer,places", "rose,here,3:7 12:0")
    assert read_answers(path)["rose"].places == {(3, 7), (12, 0)}


@given(st.frozensets(st.tuples(st.integers(1, 10**6), st.integers(0, 10**4))))
def test_places_come_back_as_they_were_written(places: frozenset[tuple[int, int]]) -> None:
    cell = places_cell(places)
    assert frozenset(tuple(map(int, one.split(":"))) for one in cell.split()) == places


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("zora,toujours,", "line 2: the answer is none of always, never, here, later"),
        ("zora,always,XXX", "line 2: its type is none of PRE"),
        ("zora,here,", "line 2: of an answer 'here' the places are needed"),
        ("-,always,", "line 2: it has no spelling"),
    ],
)
def test_a_wrong_answer_is_named_by_its_line_alone(table: Table, row: str, problem: str) -> None:
    with pytest.raises(TriageError, match=re.escape(problem)) as raised:
        read_answers(table("spelling,answer,type", row))
    assert "zora" not in str(raised.value)


def test_a_table_without_answers_is_refused(table: Table) -> None:
    with pytest.raises(TriageError, match="no column 'answer'"):
        read_answers(table("spelling,type", "zora,PRE"))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        read_answers(tmp_path / "none.csv")


def test_a_catalogue_has_an_entity_a_row(table: Table) -> None:
    path = table(
        "entity,type,spellings", "p1,PRE,Léa|Lélé", 'l1,LIE,"Saint-Clar; st clar"', ",,Zoé"
    )
    assert [(one.spelling, one.type.value, one.entity) for one in read_catalogue(path)] == [
        ("Léa", "PRE", "p1"),
        ("Lélé", "PRE", "p1"),
        ("Saint-Clar", "LIE", "l1"),
        ("st clar", "LIE", "l1"),
        ("Zoé", "PRE", "Zoé"),
    ]


def test_a_row_of_a_catalogue_needs_a_spelling(table: Table) -> None:
    with pytest.raises(TriageError, match="line 3: it has no spelling"):
        read_catalogue(table("entity,type,spellings", "p1,PRE,Léa", "p2,PRE,"))


def test_contexts_come_back_as_they_were_written(tmp_path: Path) -> None:
    contexts = [
        Context(Side.LEFT, ("bisous",), 3, 4),
        Context(Side.RIGHT, ("<PRE>", "="), 2, 2),
        Context(Side.LEFT, ("=", "—"), 2, 5),
    ]
    path = tmp_path / "contexts.csv"
    with contexts_output(path, contexts) as output:
        output.commit()
    assert read_contexts(path) == contexts


@pytest.mark.parametrize(
    "row", ["left,bisous,5,4", "up,bisous,1,2", "left,a b c,1,2", "left,a,x,2"]
)
def test_a_wrong_context_is_refused(table: Table, row: str) -> None:
    with pytest.raises(TriageError, match="line 2"):
        read_contexts(table("side,context,identifiers,words", row))
