"""Invented identifiers: they stand for a name, a place, a number, an address.

The same entity has the same surrogate throughout its scope, and with the same key, as a rule,
whatever else a corpus holds; two entities never have one surrogate. What one sender alone writes
has no surrogate that is another identifier of this sender. First names keep their gender where it
is known, towns their size, numbers their form, but so that none is somebody's. Names are drawn from
lists; where those of about the same length are used up, and for brands and nicknames, they are made
up of syllables, longer ones if need be.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ...vocabulary import IdentifierType
from ..entity import TOKEN, Entity, Spelling, canonical, is_link, organisations
from ..keys import digest
from .addresses import handle, link, mail_address, named_place, place_slots, web_address
from .comparing import bare, plain
from .dates import age
from .forms import MAKERS, of_form
from .names import name, name_slots
from .numbers import code, telephone
from .scope import Neighbours, Rings, Scope, Slot, Wanted, Writer

_WRITERS = {
    IdentifierType.TEL: telephone,
    IdentifierType.COD: code,
    IdentifierType.NUM: code,
    IdentifierType.MEL: mail_address,
    IdentifierType.URL: web_address,
    IdentifierType.LNK: link,
    IdentifierType.PSD: handle,
    IdentifierType.AGE: age,
}
_NAMED_PLACES = frozenset({IdentifierType.ADR, IdentifierType.CPO, IdentifierType.ORG})


class _Variants(NamedTuple):
    """An entity's spellings, and what they have in common."""

    spellings: Sequence[Spelling]
    reference: str

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.spellings]

    @property
    def is_nickname(self) -> bool:
        return all(one.type is IdentifierType.SUR for one in self.spellings)


def surrogate_writers(
    key: bytes,
    lexicon: Lexicon,
    entities: Mapping[Spelling, Entity],
    corpus_words: Collection[str] = (),
    chosen: Mapping[Spelling, str] | None = None,
) -> dict[Entity, Writer]:
    """Return what writes the surrogate of each entity as each of its spellings is written."""
    spellings: dict[Entity, list[Spelling]] = defaultdict(list)
    for spelling, entity in entities.items():
        spellings[entity].append(spelling)
    variants = {entity: _variants(found, lexicon) for entity, found in spellings.items()}
    rings, neighbours = Rings(key), Neighbours(entities)
    references = (one.reference for one in variants.values())
    written = (one.text for one in entities)
    corpus = {plain(word) for word in (*corpus_words, *references, *written)}
    scopes = {
        sender: Scope(key, lexicon, sender, rings=rings, neighbours=neighbours, corpus=corpus)
        for sender in {entity.sender for entity in variants}
    }
    for spelling, text in (chosen or {}).items():
        if spelling in entities:
            whose = entities[spelling]
            _give(scopes[whose.sender], lexicon, whose, variants[whose], spelling, text)
    for sender, wanted in _wanted(lexicon, variants).items():
        scopes[sender].reserve(wanted)
    in_order = sorted(variants, key=lambda entity: digest(key, "order", *entity))
    return {entity: _writer(scopes[entity.sender], entity, variants[entity]) for entity in in_order}


def _variants(spellings: Sequence[Spelling], lexicon: Lexicon) -> _Variants:
    names = {canonical(one.text, one.type, lexicon) for one in spellings}
    return _Variants(spellings, min(names, key=lambda name: (-len(name), name)))


def _wanted(
    lexicon: Lexicon, variants: Mapping[Entity, _Variants]
) -> dict[str, Collection[Wanted]]:
    """Return the words that names need, by scope, with all that they stand for."""
    found: dict[str, dict[tuple[str, ...], Wanted]] = defaultdict(dict)
    for entity, one in variants.items():
        for slot in _slots(lexicon, entity, one):
            wanted = found[entity.sender].setdefault(slot.purpose, Wanted(slot))
            wanted.own.update(bare(text) for text in (slot.name, *one.texts))
            wanted.senders.update(spelling.sender for spelling in one.spellings)
    return {sender: wanted.values() for sender, wanted in found.items()}


def _slots(lexicon: Lexicon, entity: Entity, one: _Variants) -> Iterator[Slot]:
    if _is_named_place(lexicon.pack, entity, one.reference):
        yield from place_slots(lexicon.pack, entity, one.reference)
    elif not (entity.kind in _WRITERS or entity.kind in MAKERS):
        words = name_slots(lexicon, entity, one.reference, nickname=one.is_nickname)
        yield from (word for word in words if isinstance(word, Slot))


def _give(
    scope: Scope,
    lexicon: Lexicon,
    entity: Entity,
    one: _Variants,
    spelling: Spelling,
    text: str,
) -> None:
    """Keep a replacement for an entity; a name that is spelt in full has it in all spellings."""
    slots = [*_slots(lexicon, entity, one)]
    if len(slots) == 1 and fold(spelling.text) == one.reference and text.isalpha():
        scope.give(slots[0], text)
    else:
        scope.take(text)


def _is_named_place(pack: Pack, entity: Entity, reference: str) -> bool:
    is_organisation = not organisations(pack).isdisjoint(TOKEN.findall(reference)[:1])
    return entity.kind in _NAMED_PLACES or (entity.kind is IdentifierType.LIE and is_organisation)


def _writer(scope: Scope, entity: Entity, one: _Variants) -> Writer:
    """Return what writes the surrogate of an entity."""
    kind, reference = entity.kind, one.reference
    if _is_named_place(scope.lexicon.pack, entity, reference):
        return named_place(scope, entity, reference)
    if kind in _WRITERS:
        return _WRITERS[kind](scope, entity, reference)
    if kind is IdentifierType.GPS and is_link(reference):
        return web_address(scope, entity, reference)
    if kind in MAKERS:
        return of_form(scope, entity, reference, one.texts)
    return name(scope, entity, reference, one.texts, nickname=one.is_nickname)
