"""A catalogue: the spellings that are known of a corpus, such as a class list (step 2)."""

import re
from collections.abc import Mapping
from pathlib import Path

from .corpus import key_of
from .known import Known
from .tables import read_rows, type_of

_BETWEEN = re.compile("[;|]")


def read_catalogue(path: str | Path) -> list[Known]:
    r"""Read a table with the columns entity, type and spellings, which ``;`` or ``|`` separates."""
    rows = read_rows(path, ("spellings", "entity", "type"), _known)
    return [one for row in rows for one in row]


def _known(cells: Mapping[str, str]) -> list[Known]:
    spellings = [one.strip() for one in _BETWEEN.split(cells["spellings"]) if key_of(one)]
    if not spellings:
        raise ValueError("it has no spelling; write one, or remove the row")
    entity, type_ = cells["entity"] or spellings[0], type_of(cells["type"])
    return [Known(one, type_, entity) for one in spellings]
