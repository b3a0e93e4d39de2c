"""Signs with which an expression may begin: a search passes over all others at once.

`re` tells them by itself of an expression that begins with a sign or a class. Most of those here
begin with a look behind and leave case aside, so that they would be tried at each sign of a text.
"""

import _sre  # type: ignore[import-not-found]
import re
from collections.abc import Iterable
from functools import cache
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any

Signs = frozenset[int]
# Rarer signs than these may begin anything.
_N_TOLD, _LAST = 256, 0x10FFFF
_TOLD, _NONE = frozenset(range(_N_TOLD)), Signs()
_BITS = 32
# Where the code of an expression says how it may begin, behind its length: what it tells of that,
# the fewest and the most signs of a match.
_TELLS, _FEWEST, _MOST = 2, 3, 4


def with_beginnings(parsed: Any) -> list[int]:  # noqa: ANN401 (as `re` parses)
    """Return the code of an expression, which tells the signs with which it may begin."""
    code = [*map(int, _compiler._code(parsed, 0))]
    signs, may_be_empty = _of_sequence(parsed, parsed.state.flags & re.IGNORECASE)
    if may_be_empty or code[_TELLS] or signs == _TOLD:
        return code
    number = sum(1 << sign for sign in signs)
    words = [(number >> at) % (1 << _BITS) for at in range(0, _N_TOLD, _BITS)]
    charset = [op.CHARSET, *words, op.RANGE, _N_TOLD, _LAST, op.FAILURE]
    about = [op.SRE_INFO_CHARSET, code[_FEWEST], code[_MOST], *charset]
    return [*map(int, (op.INFO, len(about) + 1, *about)), *code[1 + code[1] :]]


def _of_sequence(items: Iterable[tuple[Any, Any]], ignores_case: int) -> tuple[Signs, bool]:
    """Return with which signs a match may begin, and whether it may be empty."""
    signs = _NONE
    for name, argument in items:
        more, may_be_empty = _of_item(name, argument, ignores_case)
        signs |= more
        if not may_be_empty:
            return signs, False
    return signs, True


def _of_item(name: Any, argument: Any, ignores_case: int) -> tuple[Signs, bool]:  # noqa: ANN401
    match name:
        case op.LITERAL | op.NOT_LITERAL | op.IN:
            items = tuple(argument) if name is op.IN else argument
            return _of_class(name, items, ignores_case), False
        case op.BRANCH:
            ways = [_of_sequence(way, ignores_case) for way in argument[1]]
            return _NONE.union(*(signs for signs, _ in ways)), any(empty for _, empty in ways)
        case op.SUBPATTERN:
            _, also, no_more, items = argument
            return _of_sequence(items, (ignores_case | also) & ~no_more & re.IGNORECASE)
        case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
            signs, may_be_empty = _of_sequence(argument[2], ignores_case)
            return signs, may_be_empty or not argument[0]
        case op.ATOMIC_GROUP:
            return _of_sequence(argument, ignores_case)
        case op.ASSERT | op.ASSERT_NOT | op.AT:
            return _NONE, True
        case op.FAILURE:
            return _NONE, False
    return _TOLD, True


@cache
def _of_class(name: Any, argument: Any, ignores_case: int) -> Signs:  # noqa: ANN401
    """Return which signs are of a class, as `re` finds."""
    flags = ignores_case | re.UNICODE
    part = _parser.SubPattern(_parser.State(), [(name, argument)])
    form = _sre.compile("", flags, _compiler._code(part, flags), 0, {}, (None,))
    return frozenset(sign for sign in range(_N_TOLD) if form.match(chr(sign)))
