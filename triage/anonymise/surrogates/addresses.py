"""Surrogates of addresses, of organisations and of handles.

Streets and schools stay what they are; e-mail and web addresses are at the domains of RFC 2606.
"""

import re
import unicodedata
from collections.abc import Sequence, Set
from functools import partial
from itertools import count

from triage.dictionaries.address_words import KEPT

from ...vocabulary import IdentifierType
from ..entity import LINKS, ORGANISATIONS, SPELT_AT, SPELT_DOT, TOKEN, WEB_PREFIX, Entity, is_link
from ..keys import Keyed
from .names import cased_like
from .numbers import code, other_signs
from .pools import last_names, places, street_names
from .scope import BRAND, LAST_NAME, STREET, TOWN, Scope, Slot, Writer, pronounceable

_ARTICLES = frozenset({"des", "du", "la"})
_POSTCODE = 5
_CITY_CLASSES = ("small town", "village", "town")
# So often an address is tried before a longer one is.
_TRIES = 30
# They are kept for examples (RFC 2606).
DOMAINS = ("example.com", "example.net", "example.org")
_NAME = re.compile(r"([^\W_]+)")
_NO_NAME = "a" * 6
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


def street_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a street address: other numbers and names."""
    return _named_place(scope, entity, reference, KEPT)


def organisation(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a school, an employer: what it is, and another name."""
    return _named_place(scope, entity, reference, LINKS | ORGANISATIONS)


def _named_place(scope: Scope, entity: Entity, reference: str, kept: Set[str]) -> Writer:
    tokens = TOKEN.findall(reference)
    named = [i for i, token in enumerate(tokens) if _is_name(token, kept)]
    if not tokens:
        slot = Slot(tuple(entity), len(reference), endings=STREET)
        return partial(_place_like, ["rue", scope.word(slot)], kept)
    for attempt in count():
        keyed = Keyed(scope.key, "address", *entity, str(attempt))
        surrogate = [_digits(keyed, token) if token.isdigit() else token for token in tokens]
        # Words are like no others; an address of numbers alone must be tried.
        if named or scope.take_code("".join(surrogate)):
            break
        tokens = tokens if attempt % _TRIES else [*tokens, "1"]
    for i in named:
        surrogate[i] = scope.word(_slot(entity, tokens, i))
    return partial(_place_like, surrogate, kept)


def _is_name(token: str, kept: Set[str]) -> bool:
    return not (token.isdigit() or token in kept or len(token) == 1)


def _digits(keyed: Keyed, number: str) -> str:
    """Return a number with as many digits, that does not begin with a zero."""
    return "".join(keyed.of("0123456789" if i else "123456789") for i in range(len(number)))


def _slot(entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    purpose = (entity.kind.value, entity.name, entity.sender, str(i))
    is_of_organisation = entity.kind is not IdentifierType.ADR and not ORGANISATIONS.isdisjoint(
        tokens
    )
    is_town = (
        entity.kind is IdentifierType.CPO
        or any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i])
        or (is_of_organisation and tokens[i] in places().sizes)
    )
    if is_town:
        return Slot(purpose, len(tokens[i]), places().pool, _CITY_CLASSES, TOWN)
    before = tokens[i - 1] if i else ""
    if before in _ARTICLES:
        return Slot(purpose, len(tokens[i]), street_names(), (before,), STREET)
    if entity.kind is IdentifierType.ORG and not is_of_organisation:
        return Slot(purpose, len(tokens[i]), endings=BRAND)
    return Slot(purpose, len(tokens[i]), last_names(), endings=LAST_NAME)


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
    """Return what writes the surrogate of a handle: a word for its letters, a digit for a digit."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return code(scope, entity, reference)
    for attempt in count():
        keyed = Keyed(scope.key, "handle", *entity, str(attempt))
        found = [
            scope.word(Slot((*entity, str(attempt), str(i)), len(run)))
            if run.isalpha()
            else other_signs(keyed, run)
            for i, run in enumerate(runs)
        ]
        if scope.take_code("".join(found)):
            break
    return partial(_handle_like, found)


def _handle_like(found: Sequence[str], written: str) -> str:
    written = unicodedata.normalize("NFC", written)
    if len(TOKEN.findall(written)) != len(found):
        return "".join(found)
    left = iter(found)
    return TOKEN.sub(lambda run: cased_like(next(left), run[0]), written)


def mail_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an e-mail address, its name as long as the real one."""
    local = reference.partition("@")[0]
    pieces = _NAME.split(local if _NAME.search(local) else _NO_NAME)
    # Every other piece is a name.
    for i in range(1, len(pieces), 2):
        pieces[i] = scope.word(Slot((*entity, str(i)), len(pieces[i])))
    return partial(_mail_like, f"{''.join(pieces)}@{_domain(scope.key, entity)}")


def web_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a web address, about as long as the real one."""
    domain = _domain(scope.key, entity)
    length = min(max(len(reference) - len(domain) - 1, _SHORTEST_PATH), _LONGEST_PATH)
    # The first word is like no other; more are there for the length.
    path = scope.word(Slot(tuple(entity), min(length, _SEGMENT)))
    keyed = Keyed(scope.key, "path", *entity)
    while len(path) < length - 1:
        path += "/" + pronounceable(keyed, min(length - len(path) - 1, _SEGMENT))
    return partial(_web_like, f"{domain}/{path}")


def link(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an invitation, which may be but the number of one."""
    return (web_address if is_link(reference) else code)(scope, entity, reference)


def _domain(key: bytes, entity: Entity) -> str:
    return DOMAINS[Keyed(key, "domain", *entity).below(len(DOMAINS))]


def _mail_like(address: str, written: str) -> str:
    """Return an address with the words that stand for its signs: ``zoe arobase exemple.fr``."""
    at = SPELT_AT.search(written)
    if at and "@" not in written:
        local, _, domain = address.partition("@")
        dot = SPELT_DOT.search(written, at.end())
        address = local + at[0] + domain.replace(".", dot[0] if dot else ".")
    return address.upper() if written.isupper() else address


def _web_like(address: str, written: str) -> str:
    """Return an address behind what the identifier begins with: ``https://www.`` or nothing."""
    prefix = WEB_PREFIX.match(written.strip())
    return (prefix[0] if prefix else "") + (address.upper() if written.isupper() else address)
