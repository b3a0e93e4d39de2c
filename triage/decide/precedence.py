"""Identifiers, the rules that find them, and which of two stands where they overlap.

The order of `Rule` is the precedence, and it is said nowhere else.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby, pairwise
from typing import NamedTuple

from ..vocabulary import IdentifierType


class Rule(StrEnum):
    """The rules that find identifiers; of two overlapping finds, the earlier rule stands."""

    ALWAYS = "always"
    EXPERT = "expert"
    LIST = "list"
    ADDRESS = "address"
    PATTERN = "pattern"
    EVIDENCE = "evidence"
    DICTIONARY = "dictionary"
    CARRIED = "carried"


_RANK = {rule: rank for rank, rule in enumerate(Rule)}


class Identifier(NamedTuple):
    """An identifier that was found in a text: its span, and the rule that found it."""

    start: int
    end: int
    type: IdentifierType
    rule: str


def apart(found: Iterable[Identifier], text: str) -> list[Identifier]:
    """Return the identifiers found in a text in order, none overlapping."""
    in_order = sorted(found)
    if all(before.end <= one.start for before, one in pairwise(in_order)):
        return in_order
    by_rank = sorted(in_order, key=_place)
    owner = [len(by_rank)] * len(text)
    for number, one in reversed([*enumerate(by_rank)]):
        owner[one.start : one.end] = [number] * (one.end - one.start)
    return [*_pieces(by_rank, owner, text)]


def _place(one: Identifier) -> tuple[int, int]:
    return _RANK[Rule(one.rule)], one.start - one.end


def _pieces(by_rank: list[Identifier], owner: list[int], text: str) -> Iterator[Identifier]:
    """Yield the stretches of characters of one owner."""
    start = 0
    for number, characters in groupby(owner):
        end = start + len([*characters])
        if number < len(by_rank) and any(map(str.isalnum, text[start:end])):
            yield by_rank[number]._replace(start=start, end=end)
        start = end
