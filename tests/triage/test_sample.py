"""The sample of invented messages, from end to end."""

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from triage import data

Run = Callable[..., CompletedProcess[str]]
Rows = list[dict[str, object]]
SAMPLE = Path(data.__file__).parent / "sample_fr.csv"
NUMBER_OR_ADDRESS = re.compile(r"\b0[1-9](?:[ .-]?\d\d){4}\b|[\w.]+@[\w-]+\.\w+")


@pytest.fixture
def rows(run: Run, rows_of: Callable[..., Rows], tmp_path: Path) -> Rows:
    done = run("classify", SAMPLE, "-o", tmp_path / "out.csv", "--queue", tmp_path / "queue.csv")
    assert done.returncode == 0
    assert ", 0 rejected" in done.stdout
    return rows_of(tmp_path / "out.csv")


def test_every_row_comes_out_as_it_went_in(
    rows: Rows, rows_of: Callable[..., Rows], tmp_path: Path
) -> None:
    sample = rows_of(SAMPLE)
    assert len(sample) >= 200
    assert [{name: row[name] for name in sample[0]} for row in rows] == sample
    queue = rows_of(tmp_path / "queue.csv", guarded=True)
    assert sorted(queue, key=rows.index) == [row for row in rows if row["action"] == "EXPERT"]


def test_a_telephone_number_or_an_e_mail_address_is_never_let_through(rows: Rows) -> None:
    identifying = [row for row in rows if NUMBER_OR_ADDRESS.search(str(row["text"]))]
    assert len(identifying) >= 5
    assert {row["action"] for row in identifying} <= {"TA", "EXPERT"}
    assert {row["seek_hide"] for row in identifying} == {"TA"}


def test_names_leak_less_often_than_they_are_caught(rows: Rows) -> None:
    actions = [row["action"] for row in rows if row["label"] == "TA"]
    assert actions.count("NTA") < actions.count("TA")


def test_most_messages_need_no_expert(rows: Rows) -> None:
    actions = [row["action"] for row in rows]
    assert actions.count("EXPERT") < len(rows) / 2
    assert set(actions) == {"TA", "NTA", "EXPERT"}
