"""Guess of which type an identifier is, from its form and from the lists that hold it."""

import re
from functools import cache

from triage.dictionaries import Kind, LabelledWord, Lexicon
from triage.dictionaries.lexicon import KNOWN_FIRST_NAMES, LAST_NAMES
from triage.dictionaries.pack import NEVER, Pack

from ..vocabulary import IdentifierType

# In this order: a word of several lists is of the first type.
_TYPE_OF_LIST = {
    "first_names": IdentifierType.PRE,
    "nicknames": IdentifierType.SUR,
    "further_first_names": IdentifierType.PRE,
    "recent_first_names": IdentifierType.PRE,
    "first_names_abroad": IdentifierType.PRE,
    "brands": IdentifierType.MAR,
    "cities": IdentifierType.LIE,
    "places": IdentifierType.LIE,
    "countries": IdentifierType.LIE,
    "last_names": IdentifierType.NOM,
    "further_last_names": IdentifierType.NOM,
}


def likely_type(word: LabelledWord, lexicon: Lexicon) -> IdentifierType:
    """Return the type of identifier that a word most likely is, if it is one."""
    if word.kind.is_identifier:
        return IdentifierType(word.kind.value)
    if word.kind is not Kind.WORD:
        return IdentifierType.COD
    held = lexicon.names(word.lists)
    found = (kind for name, kind in _TYPE_OF_LIST.items() if name in held)
    return next(found, IdentifierType.PRE)


@cache
def _titled(pack: Pack) -> re.Pattern[str]:
    """Return the expression of a title at the end of a text."""
    titles = "|".join(map(re.escape, pack.titles.persons)) or NEVER
    return re.compile(rf"(?i)(?<!\w)(?:{titles})\.?\s{{1,2}}$")


# So many characters before a word are read.
_REACH = 16


def type_behind(before: str, word: LabelledWord, lexicon: Lexicon) -> IdentifierType:
    """Return the type that a word most likely is behind a text: a last name behind a title."""
    found = likely_type(word, lexicon)
    if found not in _OF_PERSONS or word.kind is not Kind.WORD:
        return found
    held = {*lexicon.names(word.lists)}
    if held.intersection(KNOWN_FIRST_NAMES) and not held.intersection(LAST_NAMES):
        return found
    return IdentifierType.NOM if _titled(lexicon.pack).search(before[-_REACH:]) else found


_OF_PERSONS = frozenset({IdentifierType.PRE, IdentifierType.SUR})
