"""Surrogates of addresses, of organisations and of handles.

Streets and schools stay what they are; e-mail and web addresses are at the domains of RFC 2606.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial

from triage.dictionaries import Lexicon
from triage.dictionaries.pack import Pack

from ...vocabulary import IdentifierType
from ..entity import TOKEN, WEB_PREFIX, Entity, Spelt, is_link, organisations, spelt
from ..keys import Keyed
from .names import cased_like, person_slot, words_like
from .numbers import code, other_signs
from .pools import (
    CLASSES,
    Scope,
    Slot,
    Writer,
    first_names,
    last_names,
    places,
    plain,
    pronounceable,
    street_names,
)

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


def place_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of an address or an organisation; as they are, those that stay."""
    pack, tokens = lexicon.pack, TOKEN.findall(reference)
    is_name = _names_of(pack, entity.kind)
    for i, token in enumerate(tokens):
        if is_name(token):
            slot = _slot(pack, entity, tokens, i)
            yield slot if len(tokens) > 1 else replace(slot, purpose=tuple(entity))
        else:
            yield token
    if not tokens:
        yield from pack.surrogates.street_type.split()
        yield Slot(tuple(entity), reference, endings=pack.surrogates.street)


def _names_of(pack: Pack, kind: IdentifierType) -> Callable[[str], bool]:
    """Return what tells names from words that stay: what a street or an organisation is."""
    of_streets, others = pack.addresses.kept, pack.entities.links | organisations(pack)
    kept: Set[str] = of_streets if kind in _OF_STREETS else others
    return lambda token: not (token.isdigit() or token in kept or len(token) == 1)


def named_place(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an address or an organisation."""
    pack = scope.lexicon.pack
    slots = [*place_slots(scope.lexicon, entity, reference)]
    words = scope.words(slots)
    # A word alone is taken as such.
    if len(slots) > 1 or words == slots:
        postcodes = places(pack).postcodes
        town = next((postcodes[word] for word in reversed(words) if word in postcodes), "")
        words = scope.code(("address", *entity), partial(_numbered, words, town)).split()
    return partial(_place_like, words, _names_of(pack, entity.kind))


def _numbered(words: Sequence[str], postcode: str, keyed: Keyed, attempt: int) -> str:
    """Return an address with other numbers; a postcode is that of the town while it is free."""

    def other(number: str) -> str:
        digits = "".join(keyed.of("0123456789" if i else "123456789") for i in range(len(number)))
        if len(number) != _POSTCODE or not postcode:
            return digits
        return postcode[:_DEPARTMENT] + digits[_DEPARTMENT:] if attempt else postcode

    longer = ["1"] * (attempt // _TRIES)
    return " ".join(other(word) if word.isdigit() else word for word in (*words, *longer))


def _slot(pack: Pack, entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    name, before = tokens[i], tokens[i - 1] if i else ""
    in_organisation = not organisations(pack).isdisjoint(tokens)
    of_organisation = in_organisation and entity.kind is not IdentifierType.ADR
    given = pack.surrogates
    if (
        entity.kind is IdentifierType.CPO
        or any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i])
        or ((of_organisation or before in given.of) and name in places(pack).sizes)
    ):
        classes = places(pack).classes(name)
        classes = classes if classes[0] in CLASSES else ("village",)
        purpose = (IdentifierType.LIE.value, name, entity.sender)
        return Slot(purpose, name, places(pack).pool, classes, given.town)
    article = before if before in given.articles else ""
    slot = partial(Slot, (IdentifierType.ADR.value, article, name, entity.sender), name)
    if article:
        return slot(street_names(pack), (article,), given.street)
    if gender := first_names(pack).gender(name):
        return slot(first_names(pack).pool, (gender,), given.last_name)
    if entity.kind is IdentifierType.ORG and not of_organisation:
        return slot(endings=given.brand)
    return slot(last_names(pack), endings=given.last_name)


def _place_like(words: Sequence[str], is_name: Callable[[str], bool], written: str) -> str:
    """Return a surrogate as an address was written; what it keeps, as it stands there."""

    def token_like(word: str, token: str) -> str:
        return cased_like(word, token) if is_name(word) or word.isdigit() else token

    in_place = words_like(words, TOKEN, unicodedata.normalize("NFC", written), token_like)
    return in_place or " ".join(words)


def handle(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a handle: that of a name, a word, other digits."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return code(scope, entity, reference)
    if len(runs) == 1:
        # A name alone would be that of the person.
        return partial(_handle_like, [scope.word(Slot(tuple(entity), runs[0]))])
    words = [_word_of(scope, entity, run) for run in runs]

    def make(keyed: Keyed, attempt: int) -> str:
        found = " ".join(w or other_signs(keyed, run) for w, run in zip(words, runs, strict=True))
        # Behind a name that has no digits, some tell two handles apart.
        return found + (other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else "")

    return partial(_handle_like, scope.code(("handle", *entity), make).split())


def _word_of(scope: Scope, entity: Entity, run: str) -> str:
    """Return what stands for a word of a handle or an e-mail address; empty for a number."""
    slots = () if run.isdigit() else _person_slots(scope, entity, run)
    return "".join(plain(scope.word(slot)) for slot in slots)


def _person_slots(scope: Scope, entity: Entity, run: str) -> Iterator[Slot]:
    """Yield the slots of a run of letters: a name in front of another word, or one word."""
    longest = min(len(run), _LONGEST_NAME)
    for length in range(longest, _SHORTEST_NAME - 1, -1):
        if slot := person_slot(scope, run[:length], entity.sender):
            yield slot
            run = run[length:]
            break
    if run:
        yield person_slot(scope, run, entity.sender) or Slot((*entity, run), run)


def _handle_like(words: Sequence[str], written: str) -> str:
    return words_like(words, TOKEN, unicodedata.normalize("NFC", written)) or "".join(words)


def mail_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an e-mail address: that of the names in it."""
    local = reference.partition("@")[0]
    # Every other piece is a sign.
    pieces = _RUN.split(local if _RUN.search(local) else _NO_NAME)
    words = [_word_of(scope, entity, run) if i % 2 else run for i, run in enumerate(pieces)]

    def make(keyed: Keyed, attempt: int) -> str:
        found = [
            word or (other_signs(keyed, run) if i % 2 else run)
            for i, (word, run) in enumerate(zip(words, pieces, strict=True))
        ]
        digits = other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else ""
        return f"{''.join(found)}{digits}@{DOMAINS[keyed.below(len(DOMAINS))]}"

    return partial(_mail_like, spelt(scope.lexicon.pack), scope.code(("mail", *entity), make))


def web_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a web address, about as long as the real one."""
    domain = DOMAINS[Keyed(scope.key, "domain", *entity).below(len(DOMAINS))]
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


def _mail_like(signs: Spelt, address: str, written: str) -> str:
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
