"""Surrogates of codes: another sign for each, a letter for a letter, a digit for a digit."""

from functools import partial
from itertools import count
from string import ascii_uppercase, digits

from ..entity import Entity
from ..keyed import Keyed
from .taken import Taken
from .words import Writer

# So often a code of a length is tried before a longer one is.
_TRIES = 20
_NO_SIGN = 4
_LONGEST = 200


def code(key: bytes, entity: Entity, reference: str, taken: Taken) -> Writer:
    """Return what writes the surrogate of a code.

    Where all codes of its shape are taken or occur in the corpus, digits come behind.

    Parameters
    ----------
    key : bytes
    entity : Entity
    reference : str
        The code as `triage.anonymise.entity.canonical` returns it.
    taken : Taken
    """
    shape = "".join(filter(str.isalnum, reference))[:_LONGEST]
    for attempt in count():
        longer = shape + "0" * (attempt // _TRIES) if shape else "0" * (_NO_SIGN + attempt)
        keyed = Keyed(key, "code", *entity, str(attempt))
        found = "".join(keyed.of(digits if c.isdigit() else ascii_uppercase) for c in longer)
        if taken.take_code(found):
            break
    return partial(_written, found)


def _written(surrogate: str, written: str) -> str:
    """Return a code with its signs set where the identifier has its own, small ones small."""
    places = [i for i, character in enumerate(written) if character.isalnum()]
    if not 0 < len(places) <= len(surrogate):
        return surrogate
    characters = list(written)
    for place, sign in zip(places, surrogate, strict=False):
        characters[place] = sign.lower() if written[place].islower() else sign
    return "".join(characters) + surrogate[len(places) :]
