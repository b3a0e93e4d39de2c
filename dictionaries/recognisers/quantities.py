"""Units behind numbers (300 euros, 15 min): a number with a unit is no identifier."""

from typing import Any

from triage.dictionaries.recognisers.recogniser import any_of


def no_unit(words: dict[str, dict[str, Any]]) -> str:
    """Return an expression that matches where no unit follows the number before it."""
    return f"(?!{_unit(words)})"


def no_quantity(words: dict[str, dict[str, Any]]) -> str:
    """Return an expression that matches where no number with a unit stands."""
    return rf"(?!\d{{1,12}}(?:[.,]\d{{1,3}})?{_unit(words)})"


def _unit(words: dict[str, dict[str, Any]]) -> str:
    quantities = words["quantities"]
    units, joined = any_of(quantities["units"]), any_of(quantities["joined"])
    return rf"(?: ?(?:[€$£%°²]|{units}(?!\w))|{joined}(?!\w))"
