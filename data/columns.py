"""Which column holds the message, and which its identifier."""

from collections import Counter
from collections.abc import Sequence

from triage.data.errors import DataError

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
    "numero",
    "numéro",
    "num",
)
# A file without a header has a message where the names should be, and no error may show it.
_LONGEST_SHOWN = 24


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
            f" add a header if there is none; columns: {_shown(columns)}"
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


def check_distinct(columns: Sequence[str], source: str) -> None:
    """Check that no two columns have one name; blank names, which exports leave, may repeat.

    Raises
    ------
    DataError
        Some names come more than once.
    """
    repeated = [name for name, times in Counter(columns).items() if times > 1 and name]
    if repeated:
        raise DataError(
            f"{source}: more than one column is named {_quoted(repeated)}: rename all but one"
        )


def _named(columns: Sequence[str], name: str, source: str, option: str) -> int:
    if name not in columns:
        raise DataError(
            f"{source} has no column {name!r}; choose {option} among the columns: {_shown(columns)}"
        )
    return list(columns).index(name)


def _guess(columns: Sequence[str], names: Sequence[str]) -> int | None:
    folded = [column.strip().casefold() for column in columns]
    return next((folded.index(name) for name in names if name in folded), None)


def _shown(columns: Sequence[str]) -> str:
    return "one, hidden lest it be a message" if len(columns) == 1 else _quoted(columns)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) if len(name) <= _LONGEST_SHOWN else "…" for name in names)
