"""Dates, made coarser or shifted, and written as they were."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from triage.anonymise.cells import change_date, is_date, shift_of
from triage.settings import Dates

DAY, MONTH, YEAR, SHIFT = Dates.DAY, Dates.MONTH, Dates.YEAR, Dates.SHIFT


@pytest.mark.parametrize(
    ("written", "day", "month", "year", "shifted"),
    [
        ("2011-12-31", "2011-12-31", "2011-12", "2011", "2012-01-01"),
        ("2011-12-31 10:12:25", "2011-12-31", "2011-12", "2011", "2012-01-01 10:12:25"),
        ("2011-12-31T10:12:25.5Z", "2011-12-31", "2011-12", "2011", "2012-01-01T10:12:25.5Z"),
        (
            "2011-12-31T10:12+02:00",
            "2011-12-31",
            "2011-12",
            "2011",
            "2012-01-01T10:12+02:00",
        ),
        ("2011/12/31 10:12", "2011/12/31", "2011/12", "2011", "2012/01/01 10:12"),
        ("31/12/2011", "31/12/2011", "12/2011", "2011", "01/01/2012"),
        ("31/12/2011 10:12", "31/12/2011", "12/2011", "2011", "01/01/2012 10:12"),
        ("31.12.2011 à 10h12", "31.12.2011", "12.2011", "2011", "01.01.2012 à 10h12"),
        ("9/2/2012", "9/2/2012", "2/2012", "2012", "10/2/2012"),
        (" 2011-12-31 ", "2011-12-31", "2011-12", "2011", "2012-01-01"),
    ],
)
def test_text_keeps_its_form(written: str, day: str, month: str, year: str, shifted: str) -> None:
    assert [change_date(written, how) for how in (DAY, MONTH, YEAR)] == [day, month, year]
    assert change_date(written, SHIFT, 1) == shifted


def test_a_typed_date_stays_one_while_it_has_a_day() -> None:
    cell = datetime(2011, 12, 31, 10, 12, 25)
    assert change_date(cell, DAY) == datetime(2011, 12, 31)
    assert change_date(cell, SHIFT, -31) == datetime(2011, 11, 30, 10, 12, 25)
    assert (change_date(cell, MONTH), change_date(cell, YEAR)) == ("2011-12", "2011")
    assert change_date(date(2011, 12, 31), DAY) == date(2011, 12, 31)
    assert change_date(date(2011, 12, 31), SHIFT, 1) == date(2012, 1, 1)


def test_the_day_of_a_zone_is_that_of_the_zone() -> None:
    west = timezone(timedelta(hours=-5))
    cell = datetime(2011, 12, 31, 22, 0, tzinfo=west)
    assert change_date(cell, DAY) == datetime(2011, 12, 31, tzinfo=west)
    assert change_date(cell.astimezone(UTC), DAY) == datetime(2012, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("how", [DAY, MONTH, YEAR, SHIFT])
@pytest.mark.parametrize("cell", ["", "  ", None, float("nan")])
def test_a_missing_date_stays(cell: object, how: Dates) -> None:
    assert change_date(cell, how) is cell


@pytest.mark.parametrize(
    "cell",
    [
        "samedi",
        "2011-13-01",
        "30/02/2011",
        "09/17/2011",
        "17/09/11",
        "2011-09",
        "20110917",
        "0639981234",
        "le 17/09/2011",
        "2011-09-17 chez Patrice",
        "0001-01-01",
        "9999-12-31",
        "\u0662\u0660\u0661\u0661-09-17",
        1316254345,
        datetime(9999, 12, 31),
    ],
)
def test_what_is_no_date_is_not_changed(cell: object) -> None:
    assert not is_date(cell)


def test_a_shift_follows_from_the_key_and_is_never_none() -> None:
    days = {shift_of(b"key", "sender", str(n)) for n in range(20_000)}
    assert 0 not in days
    assert (min(days), max(days)) == (-365, 365)
    assert shift_of(b"key", "sender", "a") != shift_of(b"other", "sender", "a")
