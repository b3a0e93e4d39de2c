"""What can be wrong with a model or a request."""

from enum import StrEnum
from typing import TypeVar

Choice = TypeVar("Choice", bound=StrEnum)


class TriageError(ValueError):
    """A request cannot be met; the message is one line and says what to do."""


def chosen(choices: type[Choice], name: str, option: str) -> Choice:
    """Return the choice that an option names; raise TriageError with the known ones otherwise."""
    try:
        return choices(name)
    except ValueError:
        known = ", ".join(choices)
        raise TriageError(f"{option} is one of {known}, not {name!r}") from None
