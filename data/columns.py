"""Which column holds the message, and which its identifier."""

from collections import Counter
from collections.abc import Sequence

from triage.data.errors import DataError
from triage.data.limits import MOST_COLUMNS
from triage.data.shown import shown_columns

_TEXT_NAMES = (
    "sms_anon",
    "text",
    "texte",
    "message",
    "messages",
    "sms",
    "body",
    "content",
    "contenu",
    "msg",
)
_ID_NAMES = (
    "id",
    "num_sms",
    "id_sms",
    "sms_id",
    "message_id",
    "id_message",
    "identifiant",
)


def find_text(columns: Sequence[str], name: str | None, source: str) -> int:
    """Return the position of the text column: the one named, else the likeliest.

    Raises
    ------
    DataError
        There is no such column, or none with a usual name.

    Examples
    --------
    >>> find_text(["num", "Message"], None, "sms.csv")
    1
    """
    if name is not None:
        return _named(columns, name, source, "--text-column")
    found = guess_text(columns)
    if found is None:
        raise DataError(
            f"{source}: no column has a usual name for messages; name it with --text-column, or"
            f" add a header if there is none; columns: {shown_columns(columns)}"
        )
    return found


def find_id(columns: Sequence[str], name: str | None, source: str) -> int | None:
    """Return the position of the identifier column, None where there is none.

    Raises
    ------
    DataError
        The named column isn't there.
    """
    if name is not None:
        return _named(columns, name, source, "--id-column")
    return _guess(columns, _ID_NAMES)


def guess_text(columns: Sequence[str]) -> int | None:
    """Return the position of the likeliest text column, None where no name is usual."""
    return _guess(columns, _TEXT_NAMES)


def check_columns(columns: Sequence[str], source: str) -> None:
    """Check that columns are not too many, and no two have one name but blank ones of exports.

    Raises
    ------
    DataError
        Some names come more than once, or there are too many columns.
    """
    if len(columns) > MOST_COLUMNS:
        raise DataError(
            f"{source} has more than {MOST_COLUMNS:,} columns: is it a file of messages?"
        )
    repeated = [name for name, times in Counter(columns).items() if times > 1 and name]
    if repeated:
        places = [str(at) for at, name in enumerate(columns, 1) if name == repeated[0]]
        raise DataError(
            f"{source}: columns {' and '.join(places[:2])} have the same name: rename all but one"
        )


def _named(columns: Sequence[str], name: str, source: str, option: str) -> int:
    if name not in columns:
        raise DataError(
            f"{source} has no column {name!r}; choose {option} among the columns: "
            f"{shown_columns(columns)}"
        )
    return list(columns).index(name)


def _guess(columns: Sequence[str], names: Sequence[str]) -> int | None:
    folded = [column.strip().casefold() for column in columns]
    return next((folded.index(name) for name in names if name in folded), None)
