"""The anonymity sets of a file: how many names of the lists fit what is shown of an identifier."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from statistics import median_low
from typing import Any

from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import ALL_LAST_NAMES, LAST_NAMES, PERSON_NAMES

from ..decide.people import kind_of
from ..settings import StyleName
from ..vocabulary import TAG, IdentifierType
from .entity import Entity, Spelling, canonical
from .styles import Styles
from .surrogates.pools import Slot
from .surrogates.words import name_slots

_LISTS: Mapping[IdentifierType, tuple[str, ...]] = {
    IdentifierType.PRE: PERSON_NAMES,
    IdentifierType.SUR: PERSON_NAMES,
    IdentifierType.NOM: (*LAST_NAMES, ALL_LAST_NAMES),
    IdentifierType.LIE: ("cities", "places", "countries"),
    IdentifierType.MAR: ("brands",),
}


def anonymity_sets(
    shown: Mapping[Spelling, str], styles: Styles, lexicon: Lexicon
) -> list[dict[str, Any]]:
    """Return the smallest set and the median of each type of which there are lists.

    Identifiers that no name of the lists fits are left out: nobody guesses them by the lists.
    """

    @cache
    def lengths(*types: IdentifierType) -> Counter[int]:
        named = {name for type_ in types for name in _LISTS[type_]}
        lists = [words.entries for words in lexicon.lists if words.name in named]
        return Counter(map(len, frozenset().union(*lists)))

    def size(spelling: Spelling, shown: str) -> int:
        tag = re.fullmatch(TAG, shown)
        if tag is None and styles.of(spelling.type) is not StyleName.MASK:
            return min(_alike(spelling, lexicon), default=0)
        if tag and (tag["code"] or "").isdecimal():
            return 1
        found = lengths(spelling.type) if tag else lengths(*_LISTS)
        told = tag["length"] if tag else len(shown) if styles.lengths else None
        return found.total() if told is None else found[int(told)]

    sizes = defaultdict[IdentifierType, list[int]](list)
    once = {(one.text, one.type): (one, text) for one, text in shown.items() if one.type in _LISTS}
    for spelling, text in once.values():
        if found := size(spelling, text):
            sizes[spelling.type].append(found)
    return [
        {"type": type_.value, "style": styles.of(type_).value}
        | {"smallest": min(sizes[type_]), "median": median_low(sizes[type_])}
        for type_ in sorted(sizes)
    ]


def _alike(spelling: Spelling, lexicon: Lexicon) -> Iterator[int]:
    """Yield of each word of a name how many are alike, one of which is drawn for it."""
    name = canonical(spelling.text, spelling.type, lexicon)
    for slot in name_slots(lexicon, Entity(kind_of(spelling.type), name), name):
        if isinstance(slot, Slot):
            sizes = (len(slot.pool.words(one)) for one in slot.pool.alike(slot.name, slot.kinds))
            yield from filter(None, [next(filter(None, sizes), 0)])
