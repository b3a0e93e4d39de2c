"""Surrogates of telephone numbers, which are nobody's, and of codes.

ARCEP's numbering plan (decision 2018-0881) gives nobody the numbers that begin so: six blocks of
10,000, one for each region of landlines and one of mobiles.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import count
from string import ascii_uppercase, digits

from triage.dictionaries.pack import Pack

from ...errors import TriageError
from ..abroad import invented, is_home, number_abroad, written_like
from ..entity import Entity, labels
from ..keys import Keyed
from .scope import Scope, Writer

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
_OF_FRANCE = re.compile(r"0[1-9][0-9]{8}")
_SUBSCRIBER = 9
# Shorter ones are no telephone numbers of anybody's; they are replaced as codes are.
_SHORTEST = 4
# So often a code of a length is tried before a longer one is.
_TRIES = 20
_LENGTH_OF_NONE = 4
_LONGEST = 200


def telephone(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a telephone number."""
    found = "".join(re.findall("[0-9]", reference))
    if 0 < len(found) < _SHORTEST:
        return code(scope, entity, found)
    french = _OF_FRANCE.fullmatch(reference) is not None
    countries = scope.lexicon.pack.pack.countries
    abroad = None if french and is_home(countries) else number_abroad(reference, countries)
    if abroad:
        for other in invented(Keyed(scope.key, "telephone", *entity), abroad):
            if scope.take_codes([other, f"{abroad.country}{other}"]):
                return partial(written_like, abroad, other)
    part = len(found) if 0 < len(found) <= _SUBSCRIBER and "+" not in reference else 0
    for number in _numbers(scope.key, entity, reference[1] if french else _MOBILE):
        if scope.take_code(number[-part:]):
            return partial(_telephone_like, number, part=part, french=french)
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


def _telephone_like(number: str, written: str, *, part: int, french: bool) -> str:
    """Return a number, its digits set where the identifier has its own."""
    places = [match.start() for match in re.finditer("[0-9]", written)]
    own = number[-part:] if part else number[-_SUBSCRIBER:]
    in_place = french or (part and len(places) == part)
    if in_place and len(places) >= len(own) and not any(map(str.isalpha, written)):
        characters = list(written)
        for place, digit in zip(places[-len(own) :], own, strict=True):
            characters[place] = digit
        return "".join(characters)
    pairs = " ".join(number[i : i + 2] for i in range(0, len(number), 2))
    is_international = written.lstrip().startswith(("+", "00"))
    return f"+33 {pairs[1:]}" if is_international else pairs


def code(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a code: a letter for a letter, a digit for a digit."""
    for attempt in count():
        keyed = Keyed(scope.key, "code", *entity, str(attempt))
        found = other_signs(keyed, reference, attempt // _TRIES)
        if scope.take_code(found):
            break
    return partial(code_like, scope.lexicon.pack, found)


def other_signs(
    keyed: Keyed, reference: str, longer: int = 0, *, letters: str = ascii_uppercase
) -> str:
    """Return a letter for each letter, a digit for each digit, and so many digits behind."""
    shape = "".join(filter(str.isalnum, reference))[:_LONGEST]
    zeros = longer if shape else _LENGTH_OF_NONE + longer
    signs = (digits if sign.isdigit() else letters for sign in shape + "0" * zeros)
    return "".join(map(keyed.of, signs))


def code_like(pack: Pack, surrogate: str, written: str) -> str:
    """Return a code with its signs set where the identifier has its own, small ones small."""
    kept_words = labels(pack).finditer(written) if " " in written else ()
    kept = {i for word in kept_words for i in range(*word.span())}
    places = [i for i, sign in enumerate(written) if sign.isalnum() and i not in kept]
    if not 0 < len(places) <= len(surrogate):
        return surrogate
    characters, all_small = list(written), written.islower()
    for place, sign in zip(places, surrogate, strict=False):
        own = written[place]
        if own.islower() or (all_small and not own.isalpha()):
            characters[place] = sign.lower()
        else:
            characters[place] = sign.upper() if own.isupper() else sign
    return "".join(characters) + surrogate[len(places) :]
