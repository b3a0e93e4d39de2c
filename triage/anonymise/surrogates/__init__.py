"""Invented identifiers: they stand for a name, a place, a number, an address.

The same entity has the same surrogate throughout its scope; two entities never have one surrogate,
and no surrogate is a name that occurs in the corpus. First names keep their gender where it is
known, towns their size. Names are drawn from lists; where those of about the same length are used
up, and for brands and nicknames, they are made up of syllables, longer ones if need be.
"""

from collections.abc import Sequence

from ...vocabulary import IdentifierType
from ..entity import Entity, Spelling, canonical
from .addresses import mail_address, street_address, web_address
from .names import name
from .numbers import code, telephone
from .scope import Scope, Writer

_WRITERS = {
    IdentifierType.TEL: telephone,
    IdentifierType.COD: code,
    IdentifierType.NUM: code,
    IdentifierType.MEL: mail_address,
    IdentifierType.URL: web_address,
    IdentifierType.ADR: street_address,
}


def surrogate_writer(scope: Scope, entity: Entity, variants: Sequence[Spelling]) -> Writer:
    """Return what writes the surrogate of an entity as each of its variants is written."""
    names = {canonical(one.text, one.type, scope.lexicon) for one in variants}
    reference = min(names, key=lambda name: (-len(name), name))
    if entity.kind in _WRITERS:
        return _WRITERS[entity.kind](scope, entity, reference)
    nickname = all(one.type is IdentifierType.SUR for one in variants)
    return name(scope, entity, reference, nickname=nickname)
