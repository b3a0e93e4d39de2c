"""Names of the types of identifiers: in words, by Presidio, and in TEI; ``type_names.csv``.

Presidio's names are those of its recognisers and of its mapping of models (``ID``, ``AGE``,
``ORGANIZATION``); `OURS` are made like them for what it has no name for. TEI's elements (P5) are
those that may stand in running text.
"""

from importlib.resources import files
from typing import NamedTuple

from .vocabulary import IdentifierType


class TypeName(NamedTuple):
    """The names of a type."""

    one: str
    several: str
    presidio: str
    tei: str


_ROWS = (files(__package__) / "type_names.csv").read_text(encoding="utf-8").splitlines()[1:]
TYPE_NAMES = {
    IdentifierType(type_): TypeName(*names) for type_, *names in (row.split(";") for row in _ROWS)
}
# Presidio has no entity of these.
OURS = frozenset({"FR_NIR", "FR_SIREN", "FR_VEHICLE_REGISTRATION", "USERNAME"})
