"""What a spreadsheet can't hold, said before it is lost."""

import re
from datetime import date, datetime, time
from typing import TypeGuard

from triage.data.errors import DataError
from triage.data.values import as_text

_MAX_ROWS = 1_048_576
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Whole numbers beyond this lose digits in a spreadsheet, so they are written as text.
_LAST_EXACT = 2**53


def check_row_fits(number: int) -> None:
    """Check that a sheet has room for row `number` below its header.

    Raises
    ------
    DataError
        It hasn't.
    """
    if number >= _MAX_ROWS:
        raise DataError(
            f"row {number} is beyond the {_MAX_ROWS:,} rows that a spreadsheet can hold: write CSV"
        )


def sheet_text(value: object, number: int) -> str:
    """Return the text of a cell in row `number`, if a spreadsheet can hold it.

    Raises
    ------
    DataError
        It has characters that XML can't hold.
    """
    text = as_text(value)
    if _FORBIDDEN.search(text):
        raise DataError(
            f"row {number} holds a control character, which a spreadsheet can't hold: write CSV"
        )
    return text


def is_sheet_time(value: object) -> TypeGuard[date | time]:
    """Return whether `value` is a date or a time that a spreadsheet can hold: without zone."""
    if isinstance(value, datetime | time):
        return value.tzinfo is None
    return isinstance(value, date)


def is_exact_number(value: object) -> bool:
    """Return whether a spreadsheet keeps `value` as a number without loss."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LAST_EXACT
