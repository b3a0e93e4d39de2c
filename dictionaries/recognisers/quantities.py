"""What a number counts: 300 euros, 15 min; such a number names nothing."""

from typing import Any

from triage.dictionaries.recognisers.recogniser import any_of


def no_unit(words: dict[str, dict[str, Any]]) -> str:
    """Return an expression that matches where no unit follows the number before it."""
    units = any_of(words["quantities"]["units"])
    return rf"(?! ?(?:[€$£%°²]|{units}(?!\w)))"


def no_quantity(words: dict[str, dict[str, Any]]) -> str:
    """Return an expression that matches where no number with a unit stands."""
    units = any_of(words["quantities"]["units"])
    return rf"(?!\d{{1,12}}(?:[.,]\d{{1,3}})? ?(?:[€$£%°²]|{units}(?!\w)))"
