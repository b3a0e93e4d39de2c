"""The file of contexts that proved good, from which another corpus can start (annex 1).

Identifiers stand in it as their types, but a name that nobody has found yet may stand in a context:
only its owner may read it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from triage.data import OutputFile, create_output
from triage.data.values import whole_characters

from .contexts import Context, Side
from .tables import number_of, read_rows

COLUMNS = ("side", "context", "identifiers", "words")
_LONGEST = 2


def contexts_output(
    path: str | Path, contexts: Iterable[Context], *, overwrite: bool = False
) -> OutputFile:
    """Return an output that holds contexts, to be committed."""
    output = create_output(path, COLUMNS, private=True, guard_formulas=True, overwrite=overwrite)
    output.write(
        [one.side.value, whole_characters(" ".join(one.words)), one.names, one.total]
        for one in contexts
    )
    return output


def read_contexts(path: str | Path) -> list[Context]:
    """Read what `contexts_output` wrote."""
    return read_rows(path, ("context", *COLUMNS), _context)


def _context(cells: Mapping[str, str]) -> Context:
    words = tuple(cells["context"].split())
    names, total = (int(number_of(cells[name]) or 0) for name in COLUMNS[2:])
    if cells["side"] not in [*Side]:
        raise ValueError(f"its side is none of {', '.join(Side)}")
    if not 0 < len(words) <= _LONGEST or not 0 <= names <= total or total == 0:
        raise ValueError("it is no context of one or two words, with counts")
    return Context(Side(cells["side"]), words, names, total)
