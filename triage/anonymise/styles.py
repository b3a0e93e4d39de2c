"""The styles in which identifiers are replaced, what they are made from, and what they reveal."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import median_low
from typing import Any

from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import ALL_LAST_NAMES, FIRST_NAMES, LAST_NAMES, PERSON_NAMES
from triage.dictionaries.normal import fold, normal

from ..errors import TriageError
from ..settings import StyleName
from ..vocabulary import TAG, IdentifierType
from .entities import Spelling, StyleContext, canonical
from .keys import KEY_BYTES, Keyed
from .pools import Slot
from .surrogates import name_slots, surrogate_writers

Style = Callable[[Spelling], str]
"""Returns the replacement of a spelling, one of those that the style was made for."""


_MASK_LENGTH = 3
_KEYED = frozenset({StyleName.CONSISTENT, StyleName.SURROGATE})


@dataclass(frozen=True)
class Styles:
    default: StyleName = StyleName.TAG
    of_type: Mapping[IdentifierType, StyleName] = field(default_factory=dict)
    lengths: bool = False

    def of(self, type_: IdentifierType) -> StyleName:
        return self.of_type.get(type_, self.default)

    @property
    def used(self) -> frozenset[StyleName]:
        return frozenset(map(self.of, IdentifierType))

    @property
    def needs_key(self) -> bool:
        return not self.used.isdisjoint(_KEYED)

    def __str__(self) -> str:
        others = {kind: name for kind, name in self.of_type.items() if name != self.default}
        listed = ", ".join(f"{kind}: {name}" for kind, name in others.items())
        return f"{self.default} ({listed})" if listed else self.default.value


def make_style(styles: Styles, context: StyleContext) -> Style:
    """Make what replaces the spellings of a context, those of each type in its style."""
    keyed = styles.used & _KEYED
    if keyed and len(context.key) < KEY_BYTES:
        raise TriageError(
            f"the style {min(keyed)} needs a key of {KEY_BYTES} bytes, which a key file holds: "
            "name one with --key, and add --new-key to make it"
        )
    coded, invented = (
        {one: context.entity(one) for one in context.spellings if styles.of(one.type) is name}
        for name in (StyleName.CONSISTENT, StyleName.SURROGATE)
    )
    bearers: dict[Spelling, tuple[str, ...]] = {**coded}
    for one in coded.keys() & context.persons.keys():
        bearers[one] = "person", context.persons[one], coded[one].sender
    codes = _codes(context.key, bearers.values())
    writers = surrogate_writers(context, invented) if invented else {}
    numbered = _numbered(context.lexicon) if StyleName.PAPER in styles.used else tag

    def style(spelling: Spelling) -> str:
        match styles.of(spelling.type):
            case StyleName.MASK:
                return "x" * (len(spelling.text) if styles.lengths else _MASK_LENGTH)
            case StyleName.PAPER:
                return numbered(spelling)
            case StyleName.CONSISTENT:
                return tag(spelling, codes[bearers[spelling]], lengths=styles.lengths)
            case StyleName.SURROGATE:
                return writers[invented[spelling]](spelling.text)
        return tag(spelling, lengths=styles.lengths)

    return style


def tag(spelling: Spelling, code: str = "", *, lengths: bool = True) -> str:
    """Return a tag of a type, perhaps with a length in characters (as published) and a code."""
    length = str(len(spelling.text)) if lengths else ""
    return f"<{'_'.join(filter(None, (spelling.type.value, length, code)))}>"


def _numbered(lexicon: Lexicon) -> Style:
    """Make the style of the paper (section 3.1): tags of first names hold their entry's number."""
    exact: dict[str, int] = {}
    folded: dict[str, int] = {}
    lists = [words for name in FIRST_NAMES for words in lexicon.lists if words.name == name]
    # Exceptions too: a number is the line of a list.
    for number, name in enumerate((name for words in lists for name in words.words), 1):
        exact.setdefault(normal(name), number)
        folded.setdefault(fold(name), number)

    def style(spelling: Spelling) -> str:
        text = spelling.text
        if spelling.type is not IdentifierType.PRE:
            return tag(spelling)
        number = exact.get(normal(text)) or folded.get(fold(text))
        number = number or folded.get(canonical(text, spelling.type, lexicon))
        return tag(spelling, str(number or ""))

    return style


# Small letters and digits without those that are easily misread. A code begins with a letter, so
# that nobody takes it for a number of the paper's dictionary.
_DIGITS = "0123456789"
_LETTERS = "abcdefghjkmnpqrstvwxyz"
# So long that two of a million entities have one code in less than one corpus of a thousand.
_LENGTH = 10


def _codes(key: bytes, entities: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Return the code of each entity, a keyed hash (HMAC-SHA256) of it."""
    codes = {}
    for entity in set(entities):
        keyed = Keyed(key, "consistent", *entity)
        others = (keyed.of(_LETTERS + _DIGITS) for _ in range(_LENGTH - 1))
        codes[entity] = keyed.of(_LETTERS) + "".join(others)
    if len({*codes.values()}) < len(codes):
        raise TriageError(
            "two entities have one code, which chance almost never brings about: use another key"
        )
    return codes


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
    """Return how many names of the lists fit what is shown: the fewest and the median by type.

    Identifiers that no name of the lists fits are left out: nobody guesses them by the lists.
    """

    @cache
    def lengths(*types: IdentifierType) -> Counter[int]:
        named = {name for type_ in types for name in _LISTS[type_]}
        lists = [words.entries for words in lexicon.lists if words.name in named]
        return Counter(map(len, frozenset().union(*lists)))

    def size(spelling: Spelling, shown: str) -> int:
        kind, found = re.fullmatch(TAG, shown), []
        if kind is None and styles.of(spelling.type) is not StyleName.MASK:
            # Of each word of a name as many are alike, one of which is drawn for it.
            entity = StyleContext(lexicon).entity(spelling)
            for slot in name_slots(lexicon, entity, entity.name):
                if isinstance(slot, Slot):
                    alike = map(slot.pool.words, slot.pool.alike(slot.name, slot.kinds))
                    found.append(next((len(words) for words in alike if words), 0))
            return min(filter(None, found), default=0)
        if kind and (kind["code"] or "").isdecimal():
            return 1
        fitting = lengths(spelling.type) if kind else lengths(*_LISTS)
        told = kind["length"] if kind else len(shown) if styles.lengths else None
        return fitting.total() if told is None else fitting[int(told)]

    of_type = defaultdict[IdentifierType, list[int]](list)
    once = {(one.text, one.type): (one, text) for one, text in shown.items() if one.type in _LISTS}
    for spelling, text in once.values():
        if found := size(spelling, text):
            of_type[spelling.type].append(found)
    return [
        {"type": type_.value, "style": styles.of(type_).value}
        | {"smallest": min(of_type[type_]), "median": median_low(of_type[type_])}
        for type_ in sorted(of_type)
    ]
