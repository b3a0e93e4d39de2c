"""Tags that say which identifiers are the same, and not what they are."""

from collections.abc import Iterable, Iterator

from ..entity import Entity
from ..keyed import Keyed
from ..records import Spelling, StyleName
from .context import StyleContext
from .tag import tag

# Small letters and digits without those that are easily misread. A code begins with a letter, so
# that nobody takes it for a number of the paper's dictionary.
_DIGITS = "0123456789"
_LETTERS = "abcdefghjkmnpqrstvwxyz"
_SHORTEST, _LONGEST = 2, 12


class Consistent:
    """Replaces an identifier by its type, its length and a code of what it stands for.

    The same entity has the same code throughout, or within a sender; two entities never have one
    code. A code is the beginning of a keyed hash (HMAC-SHA256), as long as it takes to tell the
    entities apart: the same key and corpus give the same codes, in whatever order messages come,
    and without the key nobody can compute them.

    Parameters
    ----------
    context : StyleContext

    Raises
    ------
    TriageError
        If there is no key.
    """

    reversible = False

    def __init__(self, context: StyleContext) -> None:
        context.check_key(StyleName.CONSISTENT)
        self._entities = {spelling: context.entity(spelling) for spelling in context.spellings}
        self._codes = _codes(context.key, self._entities.values())

    def replacement(self, spelling: Spelling) -> str:
        """Return the tag of a spelling.

        Raises
        ------
        KeyError
            If it is none of those that the style was made for.
        """
        return tag(spelling, self._codes[self._entities[spelling]])


def _codes(key: bytes, entities: Iterable[Entity]) -> dict[Entity, str]:
    """Return the code of each entity: the shortest beginning that no other entity's code has."""
    left = {entity: "".join(_letters(key, entity)) for entity in set(entities)}
    codes: dict[Entity, str] = {}
    for length in range(_SHORTEST, _LONGEST + 1):
        beginnings: dict[str, list[Entity]] = {}
        for entity, code in left.items():
            beginnings.setdefault(code[:length], []).append(entity)
        # At full length two codes of 58 bits that are one would take 10^8 entities.
        codes |= {one[0]: code for code, one in beginnings.items() if len(one) == 1}
        left = {entity: code for entity, code in left.items() if entity not in codes}
        if not left:
            break
    return codes


def _letters(key: bytes, entity: Entity) -> Iterator[str]:
    keyed = Keyed(key, "consistent", *entity)
    yield keyed.of(_LETTERS)
    for _ in range(_LONGEST - 1):
        yield keyed.of(_LETTERS + _DIGITS)
