"""The guard against formulas."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.data import Chunk, MessageFile, create_output, guard, unguard

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]

risky = st.text(alphabet="'=+-@\t\r\n＝＋－＠ aé", max_size=6)


@given(st.text() | risky)
def test_unguard_gives_back_every_cell(cell: str) -> None:
    assert unguard(guard(cell)) == cell


@given(risky, risky)
def test_guard_keeps_different_cells_different(one: str, other: str) -> None:
    assert (guard(one) == guard(other)) == (one == other)


@given(st.text() | risky)
def test_no_guarded_cell_begins_like_a_formula(cell: str) -> None:
    assert not guard(cell).startswith(
        ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
    )


@pytest.mark.parametrize("cell", ["Coucou Zoé", "'tite Léa", "", "1+1", " =1"])
def test_ordinary_text_needs_no_guard(cell: str) -> None:
    assert guard(cell) == unguard(cell) == cell


@pytest.mark.parametrize("name", ["sms.csv", "sms.tsv"])
def test_a_guarded_file_reads_back_unchanged(
    name: str, tmp_path: Path, read: Read, write: Write
) -> None:
    rows: list[list[object]] = [["=1+1", "+33612345678"], ["'=1+1", "'-"], ["\rà Léa", "@Hugo"]]
    path = write(tmp_path / name, ["text", "=id"], rows, guard_formulas=True)
    messages, chunk = read(path, guarded=True)
    assert chunk.rows == rows
    assert messages.columns == ("text", "=id")


def test_a_guarded_file_holds_no_formula(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.csv", ["text"], [["=HYPERLINK(A1)"]], guard_formulas=True)
    assert path.read_text() == "text\n'=HYPERLINK(A1)\n"


def test_numbers_are_not_guarded(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "sms.csv", ["text", "n"], [["Ok", -5]], guard_formulas=True)
    assert path.read_text() == "text,n\nOk,-5\n"


@pytest.mark.parametrize("name", ["sms.csv", "sms.tsv"])
def test_cells_that_a_spreadsheet_may_take_for_formulas_are_counted(
    name: str, tmp_path: Path
) -> None:
    rows: list[list[object]] = [["=) ok", "+33612345678"], ["- pain", -5], ["oui", "@Hugo"]]
    with create_output(tmp_path / name, ["text", "n"]) as output:
        output.write(rows)
        output.write([["=1", None]])
        assert output.formulas == {"text": 3, "n": 1}


@pytest.mark.parametrize("name", ["sms.jsonl", "sms.xlsx"])
def test_formats_with_types_have_none(name: str, tmp_path: Path) -> None:
    with create_output(tmp_path / name, ["text"]) as output:
        output.write([["=1"]])
        assert output.formulas == {}


def test_a_guarded_file_has_none(tmp_path: Path) -> None:
    with create_output(tmp_path / "sms.csv", ["text"], guard_formulas=True) as output:
        output.write([["=1"]])
        assert output.formulas == {}
