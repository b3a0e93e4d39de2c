"""Surrogates of telephone numbers: from the ranges that are kept for fiction in France.

ARCEP's numbering plan (decision 2018-0881) gives nobody the numbers that begin so: six blocks of
10,000, one for each region of landlines and one of mobiles.
"""

import re
from collections.abc import Iterator
from functools import partial

from ...errors import TriageError
from ..entity import Entity
from ..keyed import Keyed
from .codes import code
from .taken import Taken
from .words import Writer

BLOCKS = {
    "1": "019900",
    "2": "026191",
    "3": "035301",
    "4": "046571",
    "5": "053649",
    "6": "063998",
}
_MOBILE = "6"
_BLOCK = 10_000
_FRENCH = re.compile(r"0[1-9][0-9]{8}")
_SUBSCRIBER = 9
# Shorter ones are no telephone numbers of anybody's; they are treated as codes.
_SHORTEST = 4


def telephone(key: bytes, entity: Entity, reference: str, taken: Taken) -> Writer:
    """Return what writes the surrogate of a telephone number.

    A number of France keeps its region and its way of writing; a mobile one stays mobile. Part of
    a number becomes the end of one. A number of another country becomes French.

    Parameters
    ----------
    key : bytes
    entity : Entity
    reference : str
        The number as `triage.anonymise.entity.canonical` returns it.
    taken : Taken

    Raises
    ------
    TriageError
        If all 60,000 numbers are taken.
    """
    digits = "".join(re.findall("[0-9]", reference))
    if 0 < len(digits) < _SHORTEST:
        return code(key, entity, digits, taken)
    french = _FRENCH.fullmatch(reference) is not None
    part = len(digits) if 0 < len(digits) <= _SUBSCRIBER and "+" not in reference else 0
    for number in _numbers(key, entity, reference[1] if french else _MOBILE):
        if taken.take_code(number[-part:]):
            return partial(_written, number, part=part, french=french)
    raise TriageError(
        f"the corpus has more telephone numbers than the {len(BLOCKS) * _BLOCK:,} that are kept "
        "for fiction: use the style consistent"
    )


def _numbers(key: bytes, entity: Entity, region: str) -> Iterator[str]:
    """Yield all numbers for fiction, those of a region first."""
    start = Keyed(key, "telephone", *entity).below(_BLOCK)
    own = BLOCKS.get(region, BLOCKS[_MOBILE])
    for block in (own, *(block for block in BLOCKS.values() if block != own)):
        for i in range(_BLOCK):
            yield f"{block}{(start + i) % _BLOCK:04}"


def _written(number: str, written: str, *, part: int, french: bool) -> str:
    """Return a number, its digits set where the identifier has its own."""
    places = [match.start() for match in re.finditer("[0-9]", written)]
    digits = number[-part:] if part else number[-_SUBSCRIBER:]
    in_place = french or (part and len(places) == part)
    if in_place and len(places) >= len(digits) and not any(map(str.isalpha, written)):
        characters = list(written)
        for place, digit in zip(places[-len(digits) :], digits, strict=True):
            characters[place] = digit
        return "".join(characters)
    pairs = " ".join(number[i : i + 2] for i in range(0, len(number), 2))
    is_international = written.lstrip().startswith(("+", "00"))
    return f"+33 {pairs[1:]}" if is_international else pairs
