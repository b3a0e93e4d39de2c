"""Which character separates the cells of a CSV file."""

import csv
from collections.abc import Sequence
from contextlib import suppress

from triage.data.columns import guess_text
from triage.data.errors import DataError

SEPARATORS = (",", ";", "\t", "|")
# The csv module wants a separator also where each line is one message. Half of a surrogate
# pair is the one thing that no decoded file holds.
NO_SEPARATOR = "\ud800"


def find_separator(
    sample: Sequence[str], candidates: Sequence[str], text_column: str | None
) -> str | None:
    r"""Return the separator of the file that begins with the lines `sample`.

    It is the one under which the text column is found, then the one whose rows have as many
    cells as the header, then the one with most columns. A header that none of them splits is
    a single column, and there is no separator.

    Examples
    --------
    >>> find_separator(["id;text\n", "1;Oui, oui\n"], SEPARATORS, None)
    ';'
    >>> find_separator(["message\n", "Oui, oui\n"], SEPARATORS, None) is None
    True
    """
    if _has_text(_parsed(sample[:1], NO_SEPARATOR), text_column):
        return None
    ratings = {candidate: _rating(sample, candidate, text_column) for candidate in candidates}
    best = max(candidates, key=ratings.__getitem__)
    return best if ratings[best][-1] > 1 else None


def known_separator(separator: str) -> str:
    r"""Return the separator that a user names, among them ``tab`` and ``\t``.

    Raises
    ------
    DataError
        It isn't one character, or is one that cells or lines are delimited by.
    """
    found = "\t" if separator in ("tab", "\\t") else separator
    if len(found) != 1 or found in '"\r\n':
        raise DataError(f"--separator {separator!r} is not one character: try , ; | or tab")
    return found


def _rating(
    sample: Sequence[str], separator: str, text_column: str | None
) -> tuple[bool, bool, int, int]:
    rows = _parsed(sample, separator)
    width = len(rows[0]) if rows else 0
    agreeing = sum(len(row) == width for row in rows[1:])
    return width > 1, _has_text(rows, text_column), agreeing, width


def _has_text(rows: Sequence[Sequence[str]], text_column: str | None) -> bool:
    if not rows:
        return False
    return guess_text(rows[0]) is not None if text_column is None else text_column in rows[0]


def _parsed(sample: Sequence[str], separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(row for row in csv.reader(sample, delimiter=separator) if row)
    return rows
