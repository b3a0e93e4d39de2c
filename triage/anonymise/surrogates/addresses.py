"""Surrogates of addresses, of organisations and of handles.

Streets and schools stay what they are; e-mail and web addresses are at the domains of RFC 2606.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from functools import partial
from itertools import count

from triage.dictionaries.pack import Pack

from ...vocabulary import IdentifierType
from ..entity import TOKEN, WEB_PREFIX, Entity, Spelt, is_link, organisations, spelt
from ..keys import Keyed
from .comparing import plain
from .names import cased_like, initial_slot, person_slot
from .numbers import code, other_signs
from .pools import CLASSES, first_names, last_names, places, street_names
from .scope import Scope, Slot, Writer, pronounceable

_OF_STREETS = frozenset({IdentifierType.ADR, IdentifierType.CPO})
_POSTCODE, _DEPARTMENT = 5, 2
# So often an address is tried before a longer one is.
_TRIES = 30
# They are kept for examples (RFC 2606).
DOMAINS = ("example.com", "example.net", "example.org")
_RUN = re.compile(r"(\d+|[^\W\d_]+)")
_NO_NAME = "a" * 6
# Of a name in front of another word, as in *zoedupont*.
_SHORTEST_NAME, _LONGEST_NAME = 4, 30
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


def place_slots(pack: Pack, entity: Entity, reference: str) -> Iterator[Slot]:
    """Yield the words of an address or an organisation that are replaced."""
    kept = _kept(pack, entity.kind)
    tokens = TOKEN.findall(reference)
    yield from (
        _slot(pack, entity, tokens, i) for i, one in enumerate(tokens) if _is_name(one, kept)
    )


def _kept(pack: Pack, kind: IdentifierType) -> Set[str]:
    """Return the words that stay: what a street or an organisation is."""
    return pack.addresses.kept if kind in _OF_STREETS else pack.entities.links | organisations(pack)


def named_place(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an address or an organisation."""
    pack = scope.lexicon.pack
    kept = _kept(pack, entity.kind)
    tokens = TOKEN.findall(reference)
    if not tokens:
        slot = Slot(tuple(entity), reference, endings=pack.surrogates.street)
        street = [*pack.surrogates.street_type.split(), scope.word(slot)]
        return partial(_place_like, street, kept)
    surrogate = [
        scope.word(_slot(pack, entity, tokens, i)) if _is_name(token, kept) else token
        for i, token in enumerate(tokens)
    ]
    # A word alone is taken as such.
    is_word = len(tokens) == 1 and _is_name(tokens[0], kept)
    town = next((word for word in reversed(surrogate) if word in places(pack).postcodes), "")
    for attempt in count():
        keyed = Keyed(scope.key, "address", *entity, str(attempt))
        for i, token in enumerate(tokens):
            if token.isdigit():
                surrogate[i] = _digits(keyed, token, places(pack).postcodes.get(town, ""), attempt)
        if is_word or scope.take_code(" ".join(surrogate)):
            break
        if attempt % _TRIES == _TRIES - 1:
            tokens, surrogate = [*tokens, "1"], [*surrogate, "1"]
    return partial(_place_like, surrogate, kept)


def _is_name(token: str, kept: Set[str]) -> bool:
    return not (token.isdigit() or token in kept or len(token) == 1)


def _digits(keyed: Keyed, number: str, postcode: str, attempt: int) -> str:
    """Return a number with as many digits; a postcode is that of the town while it is free."""
    other = "".join(keyed.of("0123456789" if i else "123456789") for i in range(len(number)))
    if len(number) != _POSTCODE or not postcode:
        return other
    return postcode[:_DEPARTMENT] + other[_DEPARTMENT:] if attempt else postcode


def _slot(pack: Pack, entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    name, before = tokens[i], tokens[i - 1] if i else ""
    is_alone, given = len(tokens) == 1, pack.surrogates
    street = (IdentifierType.ADR.value, before * (before in given.articles), name, entity.sender)
    town = (IdentifierType.LIE.value, name, entity.sender)
    is_of_organisation = entity.kind is not IdentifierType.ADR and not organisations(
        pack
    ).isdisjoint(tokens)
    is_town = (
        entity.kind is IdentifierType.CPO
        or any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i])
        or ((is_of_organisation or before in given.of) and name in places(pack).sizes)
    )
    if is_town:
        return Slot(
            tuple(entity) if is_alone else town,
            name,
            places(pack).pool,
            _town_classes(pack, name),
            given.town,
        )
    purpose = tuple(entity) if is_alone else street
    if before in given.articles:
        return Slot(purpose, name, street_names(pack), (before,), given.street)
    if gender := first_names(pack).gender(name):
        return Slot(purpose, name, first_names(pack).pool, (gender,), given.last_name)
    if entity.kind is IdentifierType.ORG and not is_of_organisation:
        return Slot(purpose, name, endings=given.brand)
    return Slot(purpose, name, last_names(pack), endings=given.last_name)


def _town_classes(pack: Pack, name: str) -> tuple[str, ...]:
    """Return the classes of towns that may stand for a town, the best one first."""
    classes = places(pack).classes(name)
    return classes if classes[0] in CLASSES else ("village",)


def _place_like(surrogate: Sequence[str], kept: Set[str], written: str) -> str:
    """Return a surrogate as an address was written; what it keeps, as it stands there."""
    written = unicodedata.normalize("NFC", written)
    if len(TOKEN.findall(written)) != len(surrogate):
        return " ".join(surrogate)
    left = iter(surrogate)
    return TOKEN.sub(lambda token: _token_like(next(left), kept, token[0]), written)


def _token_like(word: str, kept: Set[str], token: str) -> str:
    return cased_like(word, token) if _is_name(word, kept) or word.isdigit() else token


def handle(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a handle: that of a name, a word, other digits."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return code(scope, entity, reference)
    if len(runs) == 1:
        # A name alone would be that of the person.
        return partial(_handle_like, [scope.word(Slot(tuple(entity), runs[0]))])
    words = {i: word for i, run in enumerate(runs) if (word := _word_of(scope, entity, run))}
    for attempt in count():
        keyed = Keyed(scope.key, "handle", *entity, str(attempt))
        found = [words.get(i) or other_signs(keyed, run) for i, run in enumerate(runs)]
        # Behind a name that has no digits, some tell two handles apart.
        found[-1] += other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else ""
        if scope.take_code("".join(found)):
            break
    return partial(_handle_like, found)


def _word_of(scope: Scope, entity: Entity, run: str) -> str:
    """Return what stands for a word of a handle or an e-mail address; empty for a number."""
    if run.isdigit():
        return ""
    slots = _person_slots(scope, entity, run)
    return "".join(plain(scope.word(slot)) for slot in slots)


def _person_slots(scope: Scope, entity: Entity, run: str) -> Iterator[Slot]:
    if len(run) == 1:
        yield initial_slot(run, entity.sender)
        return
    longest = min(len(run), _LONGEST_NAME)
    for length in range(longest, _SHORTEST_NAME - 1, -1):
        if slot := person_slot(scope, run[:length], entity.sender):
            yield slot
            run = run[length:]
            break
    if run:
        yield person_slot(scope, run, entity.sender) or Slot((*entity, run), run)


def _handle_like(found: Sequence[str], written: str) -> str:
    written = unicodedata.normalize("NFC", written)
    if len(TOKEN.findall(written)) != len(found):
        return "".join(found)
    left = iter(found)
    return TOKEN.sub(lambda run: cased_like(next(left), run[0]), written)


def mail_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an e-mail address: that of the names in it."""
    local = reference.partition("@")[0]
    pieces = _RUN.split(local if _RUN.search(local) else _NO_NAME)
    words = {i: _word_of(scope, entity, pieces[i]) for i in range(1, len(pieces), 2)}
    for attempt in count():
        keyed = Keyed(scope.key, "mail", *entity, str(attempt))
        # Every other piece is a sign.
        found = [
            words.get(i) or (other_signs(keyed, run) if i % 2 else run)
            for i, run in enumerate(pieces)
        ]
        digits = other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else ""
        address = f"{''.join(found)}{digits}@{DOMAINS[keyed.below(len(DOMAINS))]}"
        if scope.take_code(address):
            break
    return partial(_mail_like, spelt(scope.lexicon.pack), address)


def web_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a web address, about as long as the real one."""
    domain = _domain(scope.key, entity)
    length = min(max(len(reference) - len(domain) - 1, _SHORTEST_PATH), _LONGEST_PATH)
    # The first word is like no other; more are there for the length.
    path = scope.word(Slot(tuple(entity), (reference + _NO_NAME)[: min(length, _SEGMENT)]))
    keyed = Keyed(scope.key, "path", *entity)
    while len(path) < length - 1:
        path += "/" + pronounceable(keyed, min(length - len(path) - 1, _SEGMENT))
    return partial(_web_like, f"{domain}/{path}")


def link(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an invitation, which may be but the number of one."""
    return (web_address if is_link(reference) else code)(scope, entity, reference)


def _domain(key: bytes, entity: Entity) -> str:
    return DOMAINS[Keyed(key, "domain", *entity).below(len(DOMAINS))]


def _mail_like(signs: Spelt, address: str, written: str) -> str:
    """Return an address with the words that stand for its signs."""
    at = signs.at.search(written)
    if at and "@" not in written:
        local, _, domain = address.partition("@")
        dot = signs.dot.search(written, at.end())
        address = local + at[0] + domain.replace(".", dot[0] if dot else ".")
    return address.upper() if written.isupper() else address


def _web_like(address: str, written: str) -> str:
    """Return an address behind what the identifier begins with: ``https://www.`` or nothing."""
    prefix = WEB_PREFIX.match(written.strip())
    return (prefix[0] if prefix else "") + (address.upper() if written.isupper() else address)
