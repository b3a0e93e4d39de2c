"""Units behind numbers (300 euros, 15 min): a number with a unit is no identifier."""

from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.recogniser import any_of


def no_unit(pack: Pack) -> str:
    """Return an expression that matches where no unit follows the number before it."""
    return f"(?!{_unit(pack)})"


def no_quantity(pack: Pack) -> str:
    """Return an expression that matches where no number with a unit stands."""
    return rf"(?!\d{{1,12}}(?:[.,]\d{{1,3}})?{_unit(pack)})"


def _unit(pack: Pack) -> str:
    quantities = pack.quantities
    units, joined = any_of(quantities.units), any_of(quantities.joined)
    return rf"(?: ?(?:[€$£%°²]|{units}(?!\w))|{joined}(?!\w))"
