"""Invented identifiers: they stand for a name, a place, a number, an address.

The same entity has the same surrogate throughout its scope; two entities never have one surrogate,
and no surrogate is a name or number that occurs in the corpus (ages aside). First names keep their
gender where it is known, towns their size, numbers their form, but so that none is somebody's.
Names are drawn from lists; where those of about the same length are used up, and for brands and
nicknames, they are made up of syllables, longer ones if need be.
"""

from collections.abc import Sequence

from ...vocabulary import IdentifierType
from ..entity import ORGANISATIONS, TOKEN, Entity, Spelling, canonical, is_link
from .addresses import handle, link, mail_address, organisation, street_address, web_address
from .dates import age
from .forms import MAKERS, of_form
from .names import name
from .numbers import code, telephone
from .scope import Scope, Writer

_WRITERS = {
    IdentifierType.TEL: telephone,
    IdentifierType.COD: code,
    IdentifierType.NUM: code,
    IdentifierType.MEL: mail_address,
    IdentifierType.URL: web_address,
    IdentifierType.LNK: link,
    IdentifierType.ADR: street_address,
    IdentifierType.CPO: street_address,
    IdentifierType.ORG: organisation,
    IdentifierType.PSD: handle,
    IdentifierType.AGE: age,
}


def surrogate_writer(scope: Scope, entity: Entity, variants: Sequence[Spelling]) -> Writer:
    """Return what writes the surrogate of an entity as each of its variants is written."""
    names = {canonical(one.text, one.type, scope.lexicon) for one in variants}
    reference = min(names, key=lambda name: (-len(name), name))
    kind = entity.kind
    if kind in _WRITERS:
        return _WRITERS[kind](scope, entity, reference)
    if kind is IdentifierType.GPS and is_link(reference):
        return web_address(scope, entity, reference)
    if kind in MAKERS:
        return of_form(scope, entity, reference, [one.text for one in variants])
    if kind is IdentifierType.LIE and not ORGANISATIONS.isdisjoint(TOKEN.findall(reference)[:1]):
        return organisation(scope, entity, reference)
    nickname = all(one.type is IdentifierType.SUR for one in variants)
    return name(scope, entity, reference, nickname=nickname)
