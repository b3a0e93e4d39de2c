"""Dates as files write them: read, told, and written alike."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from tests.cases import cases_beside
from triage.data.dates import DateTally, moment_of, read_date

CASES = cases_beside(__file__)

WEST = timezone(timedelta(hours=-5))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("15 sept. 2011 07:28:55", datetime(2011, 9, 15, 7, 28, 55)),
        ("7 oct. 2011 11:58:35", datetime(2011, 10, 7, 11, 58, 35)),
        ("1er févr. 2012", datetime(2012, 2, 1)),
        ("3 aout 2012 7:05", datetime(2012, 8, 3, 7, 5)),
        ("dimanche 31 janvier 2021 à 14:06:00 UTC", datetime(2021, 1, 31, 14, 6, tzinfo=UTC)),
        ("Sunday, January 31, 2021 at 2:06 PM UTC", datetime(2021, 1, 31, 14, 6, tzinfo=UTC)),
        ("May 17, 2022  5:29:42 PM", datetime(2022, 5, 17, 17, 29, 42)),
        ("17 de mayo de 2022, 5:29 p. m.", datetime(2022, 5, 17, 17, 29)),
        ("17. März 2022 um 17:29", datetime(2022, 3, 17, 17, 29)),
        ("2011-12-31", datetime(2011, 12, 31)),
        ("2011-12-31T10:12:25.5Z", datetime(2011, 12, 31, 10, 12, 25, tzinfo=UTC)),
        ("2011-12-31 10:12-05:00", datetime(2011, 12, 31, 10, 12, tzinfo=WEST)),
        ("31/12/2011 10h12", datetime(2011, 12, 31, 10, 12)),
        ("31/12/11, 10:12", datetime(2011, 12, 31, 10, 12)),
        ("1285799668193", datetime(2010, 9, 29, 22, 34, 28)),
        (1285799668, datetime(2010, 9, 29, 22, 34, 28)),
        (date(2011, 12, 31), datetime(2011, 12, 31)),
        (datetime(2011, 12, 31, 7), datetime(2011, 12, 31, 7)),
        *((cell, None) for cell in ("", "hier", "2011-13-01", "30 févr. 2011", "31 juin 2011")),
        *((cell, None) for cell in ("17/09/11", "20110917", "le 17/09/2011", "15 xyz 2011")),
        *((cell, None) for cell in ("2011-09-17 25:00", "2011-09-17 10:12 chez Zoé", None, True)),
        *((cell, None) for cell in (7, 0.5, "0639981234", "1" * 30, "9" * 5000)),
    ],
)
def test_a_date_of_any_form_is_read(cell: object, expected: datetime | None) -> None:
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
        (["2011-12-31", "2011-12-31T10:12Z", datetime(2011, 1, 1)], ""),
        ([], ""),
        (["15 sept. 2011 07:28:55", "7 oct. 2011 11:58:35"], " as day month year"),
        (["01/02/2011", "13/02/2011", "x"], " as day/month/year, none in 1 of 3 rows"),
        (["01/02/2011", "02/13/2011"], " as month/day/year"),
        (["1285799668193", 1285799668, ""], ", none in 1 of 3 rows"),
        ([datetime(2011, 1, 1), None], ", none in 1 of 2 rows"),
    ],
)
def test_what_is_not_ordinary_of_dates_is_said(cells: list[object], said: str) -> None:
    tally = DateTally()
    for cell in cells:
        tally.add([cell])
    assert tally.said("date") == (said and f"dates in date{said}")
    assert DateTally().said("date") == ""


def test_a_column_without_dates_is_said_to_have_none() -> None:
    tally = DateTally()
    tally.add(["10:12", "hier"])
    assert tally.said("time") == "no dates in time"
