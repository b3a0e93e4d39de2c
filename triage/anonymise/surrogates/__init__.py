"""Invented identifiers: they stand for a name, a place, a number, an address.

A surrogate must

- be the same for all spellings of an entity in its scope (the corpus, or a sender), and no other
  entity's there;
- be no identifier that is replaced anywhere in the corpus; if it is a number, a code or a made-up
  word, no word of the corpus at all (ages aside: every corpus holds most numbers of two digits);
- follow from the key and the identifiers of the corpus, not from their order;
- keep what makes a text read on: gender, first sound, frequency and length of a name, the size of a
  town, the form of a number, but so that the number is nobody's;
- be written like its identifier: capitals, accents, stretched letters, signs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold

from ...vocabulary import IdentifierType
from ..entity import TOKEN, Entity, Spelling, canonical, is_link, organisations
from ..keys import digest
from .numbers import OF_FORM, age, code, of_form, telephone
from .pools import Scope, Slot, Writer, bare_words, plain
from .words import (
    handle,
    mail_address,
    name,
    name_slots,
    named_place,
    place_slots,
    web_address,
)

_WRITERS = {
    IdentifierType.TEL: telephone,
    IdentifierType.COD: code,
    IdentifierType.NUM: code,
    IdentifierType.MEL: mail_address,
    IdentifierType.URL: web_address,
    IdentifierType.LNK: code,
    IdentifierType.PSD: handle,
    IdentifierType.AGE: age,
}
_LINKS = frozenset({IdentifierType.LNK, IdentifierType.GPS})
_NAMED_PLACES = frozenset({IdentifierType.ADR, IdentifierType.CPO, IdentifierType.ORG})


_Spelt = tuple[Entity, Sequence[str], str]
"""An entity, how it is spelt, and the longest of its canonical names."""


def surrogate_writers(
    key: bytes,
    lexicon: Lexicon,
    entities: Mapping[Spelling, Entity],
    replaced: Iterable[str],
    corpus_words: Iterable[str],
    chosen: Mapping[Spelling, str],
) -> dict[Entity, Writer]:
    """Return what writes the surrogate of each entity as each of its spellings is written."""
    spellings: dict[Entity, list[Spelling]] = defaultdict(list)
    for spelling, entity in entities.items():
        spellings[entity].append(spelling)
    written: dict[Entity, _Spelt] = {}
    for entity, several in spellings.items():
        names = {canonical(one.text, one.type, lexicon) for one in several}
        reference = min(names, key=lambda name: (-len(name), name))
        written[entity] = entity, [one.text for one in several], reference
    texts = {*replaced, *(reference for *_, reference in written.values())}
    words, hidden = {plain(word) for word in (*corpus_words, *texts)}, bare_words(texts)
    senders = {entity.sender for entity in written}
    scopes = {sender: Scope(key, lexicon, words, hidden) for sender in senders}
    for spelling, text in chosen.items():
        if spelling in entities:
            one = written[entities[spelling]]
            slots = [*_slots(lexicon, one)]
            # A name that is spelt in full has it in all spellings.
            is_full = fold(spelling.text) == one[2] and text.isalpha()
            is_whole = is_full and len(slots) == 1
            scopes[one[0].sender].give(text, slots[0] if is_whole else None)
    every = [
        (entity.sender, slot) for entity, one in written.items() for slot in _slots(lexicon, one)
    ]

    def turn(one: tuple[str, Slot]) -> tuple[object, ...]:
        # Neither the corpus nor the alphabet says who chooses first.
        slot = one[1]
        return digest(key, "order", *slot.purpose), slot.name, slot.kinds, slot.endings

    for sender, slot in sorted(every, key=turn):
        scopes[sender].word(slot)
    in_order = sorted(written, key=lambda entity: digest(key, "order", *entity))
    return {entity: _writer(scopes[entity.sender], written[entity]) for entity in in_order}


def _slots(lexicon: Lexicon, one: _Spelt) -> Iterator[Slot]:
    """Yield the words to be invented for the names of people, brands and places."""
    entity, _, reference = one
    is_place = _is_named_place(lexicon, entity, reference)
    if is_place or not (entity.kind in _WRITERS or entity.kind in OF_FORM):
        words = (place_slots if is_place else name_slots)(lexicon, entity, reference)
        yield from (word for word in words if isinstance(word, Slot))


def _is_named_place(lexicon: Lexicon, entity: Entity, reference: str) -> bool:
    first = TOKEN.findall(reference)[:1]
    is_organisation = not organisations(lexicon.pack).isdisjoint(first)
    return entity.kind in _NAMED_PLACES or (entity.kind is IdentifierType.LIE and is_organisation)


def _writer(scope: Scope, one: _Spelt) -> Writer:
    entity, texts, reference = one
    if _is_named_place(scope.lexicon, entity, reference):
        return named_place(scope, entity, reference)
    if entity.kind in _LINKS and is_link(reference):
        return web_address(scope, entity, reference)
    if entity.kind in _WRITERS:
        return _WRITERS[entity.kind](scope, entity, reference)
    if entity.kind in OF_FORM:
        return of_form(scope, entity, reference, texts)
    return name(scope, entity, reference)
