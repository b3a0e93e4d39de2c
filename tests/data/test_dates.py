"""Dates as files write them: read, told, and written alike."""

from datetime import timedelta

import pytest

from tests.cases import cases_beside
from triage.data.dates import DateTally, moment_of, read_date

CASES = cases_beside(__file__)


@pytest.mark.parametrize(
    ("cell", "expected"), [*CASES["read"], *((cell, None) for cell in [None, *CASES["no_dates"]])]
)
def test_a_date_of_any_form_is_read(cell: object, expected: object) -> None:
    assert moment_of(cell) == expected


@pytest.mark.parametrize(("written", "moved", "month"), CASES["another_date_is_written_alike"])
def test_another_date_is_written_alike(written: str, moved: str, month: str) -> None:
    found = read_date(written)
    assert found
    assert found.day
    assert found.with_day(found.day + timedelta(1)) == moved
    assert found.only("month", "year") == month


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        *((cells, said and f"dates in date{said}") for cells, said in CASES["said"]),
        (["10:12", "hier"], "no dates in date"),
    ],
)
def test_what_is_not_ordinary_of_dates_is_said(cells: list[object], said: str) -> None:
    tally = DateTally()
    for cell in cells:
        tally.add([cell])
    assert tally.note("date") == said
