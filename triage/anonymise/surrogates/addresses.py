"""Surrogates of street addresses: other numbers and names, the same kind of street."""

import unicodedata
from collections.abc import Sequence
from functools import partial
from itertools import count

from triage.dictionaries.address_words import KEPT

from ..entity import TOKEN, Entity
from ..keyed import Keyed
from . import syllables
from .pools import last_names, places, street_names
from .taken import Taken
from .words import Slot, Words, Writer
from .writing import cased_like

_ARTICLES = frozenset({"des", "du", "la"})
_POSTCODE = 5
_CITY_CLASSES = ("small town", "village", "town")


def street_address(
    key: bytes, entity: Entity, reference: str, words: Words, taken: Taken
) -> Writer:
    """Return what writes the surrogate of a street address.

    Parameters
    ----------
    key : bytes
    entity : Entity
    reference : str
        The address as `triage.anonymise.entity.canonical` returns it.
    words : Words
    taken : Taken
    """
    tokens = TOKEN.findall(reference)
    named = [i for i, token in enumerate(tokens) if _is_name(token)]
    if not tokens:
        slot = Slot(tuple(entity), len(reference), endings=syllables.STREET)
        return partial(_written, ["rue", words.word(slot)])
    for attempt in count():
        keyed = Keyed(key, "address", *entity, str(attempt))
        surrogate = [_digits(keyed, token) if token.isdigit() else token for token in tokens]
        # Words are like no others; an address of numbers alone must be tried.
        if named or taken.take_code("".join(surrogate)):
            break
        tokens = tokens if attempt % _TRIES else [*tokens, "1"]
    for i in named:
        surrogate[i] = words.word(_slot(entity, tokens, i))
    return partial(_written, surrogate)


_TRIES = 30


def _is_name(token: str) -> bool:
    return not (token.isdigit() or token in KEPT or len(token) == 1)


def _digits(keyed: Keyed, number: str) -> str:
    """Return a number with as many digits, that does not begin with a zero."""
    return "".join(keyed.of("0123456789" if i else "123456789") for i in range(len(number)))


def _slot(entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    purpose = (entity.kind.value, entity.name, entity.sender, str(i))
    if any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i]):
        return Slot(purpose, len(tokens[i]), places().pool, _CITY_CLASSES, syllables.TOWN)
    before = tokens[i - 1] if i else ""
    if before in _ARTICLES:
        return Slot(purpose, len(tokens[i]), street_names(), (before,), syllables.STREET)
    return Slot(purpose, len(tokens[i]), last_names(), endings=syllables.LAST_NAME)


def _written(surrogate: Sequence[str], written: str) -> str:
    """Return a surrogate as an address was written; what it keeps, as it stands there."""
    written = unicodedata.normalize("NFC", written)
    tokens = TOKEN.findall(written)
    if len(tokens) != len(surrogate):
        return " ".join(surrogate)
    left = iter(zip(surrogate, tokens, strict=True))
    return TOKEN.sub(lambda _: _as(*next(left)), written)


def _as(word: str, token: str) -> str:
    keeps = not (_is_name(word) or word.isdigit())
    return token if keeps else cased_like(word, token)
