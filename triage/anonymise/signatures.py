"""Where a message is signed: which of its names is the sender's own.

A name signs where it introduces itself (*Coucou, c'est Marie*, *Marie à l'appareil*), stands alone
on the last line, or behind a farewell and a sign (*Bisous, Marie*). *Bisous Marie* is as often said
to Marie.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ..decide.precedence import Identifier
from ..vocabulary import IdentifierType
from .entity import PERSONS

_NAMES = PERSONS | {IdentifierType.NOM}
# So many characters before and behind a name are read.
_REACH = 60

_LAST_LINE = re.compile(r"\S\s{0,3}\n\s{0,3}[-–—@]?\s{0,2}$")
_NOTHING = re.compile(r"(?:<3|[^\w?]){0,12}")


class _Forms(NamedTuple):
    """What stands before and behind the name of who signs, in a language."""

    introduces: re.Pattern[str]
    signs_off: re.Pattern[str]
    at_the_phone: re.Pattern[str]
    of_another: re.Pattern[str]


@cache
def _forms(pack: Pack) -> _Forms:
    given = pack.signatures
    return _Forms(
        # Where a message or a sentence begins, perhaps behind a greeting.
        re.compile(
            rf"(?:^|[.!?,;:\n])\s{{0,3}}(?:(?:{given.greetings})(?: [^\W\d_]{{1,15}}){{0,2}},?"
            rf"\s{{1,2}})?(?:{given.introductions})\s{{0,2}}[:,]?\s{{0,2}}$"
        ),
        re.compile(
            rf"(?<![^\W_])(?:{given.farewells})(?: [^\W\d_]{{1,12}}){{0,4}}\s{{0,2}}"
            r"[.,!;:…~–—-]{1,3}\s{0,3}$"
        ),
        re.compile(rf"\s{{1,2}}(?:{given.at_the_phone})\b"),
        re.compile(rf"\s{{0,2}}(?:\?|(?:{given.of_another})\b)"),
    )


def signed(text: str, found: Iterable[Identifier], pack: Pack) -> Iterator[Identifier]:
    """Yield the names of persons with which a message is signed; of *Marie Dupont*, the first."""
    run: list[Identifier] = []
    for one in [*found, None]:
        if run and (one is None or one.start > run[-1].end + 1):
            before = fold(text[max(0, run[0].start - _REACH) : run[0].start])
            behind = fold(text[run[-1].end : run[-1].end + _REACH])
            if run[0].type in _NAMES and _is_signed(before, behind, _forms(pack)):
                yield run[0]
            run = []
        if one:
            run.append(one)


def _is_signed(before: str, behind: str, forms: _Forms) -> bool:
    if forms.at_the_phone.match(behind):
        return True
    if forms.introduces.search(before):
        return not forms.of_another.match(behind)
    is_last = len(behind) < _REACH and _NOTHING.fullmatch(behind)
    return bool(is_last and (_LAST_LINE.search(before) or forms.signs_off.search(before)))
