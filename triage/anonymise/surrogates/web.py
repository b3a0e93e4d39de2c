"""Surrogates of e-mail and web addresses: at the domains that are kept for examples (RFC 2606)."""

import re
from functools import partial

from ..entity import WEB_PREFIX, Entity
from ..keyed import Keyed
from .syllables import invented
from .words import Slot, Words, Writer

DOMAINS = ("example.com", "example.net", "example.org")
_NAME = re.compile(r"[^\W_]+")
_NO_NAME = 6
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


def mail_address(key: bytes, entity: Entity, reference: str, words: Words) -> Writer:
    """Return what writes the surrogate of an e-mail address, its name as long as the real one.

    Parameters
    ----------
    key : bytes
    entity : Entity
    reference : str
        The address as `triage.anonymise.entity.canonical` returns it.
    words : Words
    """
    local = reference.partition("@")[0]
    if not _NAME.search(local):
        local = "a" * _NO_NAME
    pieces = re.split(r"([^\W_]+)", local)
    # Every other piece is a name.
    for i in range(1, len(pieces), 2):
        pieces[i] = words.word(Slot((*entity, str(i)), len(pieces[i])))
    return partial(_written, f"{''.join(pieces)}@{_domain(key, entity)}")


def web_address(key: bytes, entity: Entity, reference: str, words: Words) -> Writer:
    """Return what writes the surrogate of a web address, about as long as the real one.

    Parameters
    ----------
    key : bytes
    entity : Entity
    reference : str
        The address as `triage.anonymise.entity.canonical` returns it.
    words : Words
    """
    domain = _domain(key, entity)
    length = min(max(len(reference) - len(domain) - 1, _SHORTEST_PATH), _LONGEST_PATH)
    # The first word is like no other; more are there for the length.
    path = words.word(Slot(tuple(entity), min(length, _SEGMENT)))
    keyed = Keyed(key, "path", *entity)
    while len(path) < length - 1:
        path += "/" + invented(keyed, min(length - len(path) - 1, _SEGMENT))
    return partial(_written_behind, f"{domain}/{path}")


def _domain(key: bytes, entity: Entity) -> str:
    return DOMAINS[Keyed(key, "domain", *entity).below(len(DOMAINS))]


def _written(address: str, written: str) -> str:
    return address.upper() if written.isupper() else address


def _written_behind(address: str, written: str) -> str:
    """Return an address behind what the identifier begins with: ``https://www.`` or nothing."""
    prefix = WEB_PREFIX.match(written.strip())
    return (prefix[0] if prefix else "") + _written(address, written)
