"""Checks of the linear time of expressions, and the signs with which their matches begin.

At each position of a text, an expression takes at most a number of steps that follows from its
repetitions and alternatives. If that number is bounded, the time grows as the text does.

A search passes over all signs at once with which an expression cannot begin. `re` tells them by
itself of one that begins with a sign or a class. Most of those here begin with a look behind and
leave case aside, so that they would be tried at each sign of a text.
"""

import _sre  # type: ignore[import-not-found]
import re
from collections.abc import Iterable
from functools import cache
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any

# Of a user's expression: some 5 µs a character at worst.
MOST_STEPS = 1_000
# Those that are shipped may take more: most of it stands behind rare words.
MOST_STEPS_SHIPPED = 10_000

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
# References to a group, whatever the flags.
_BACK = frozenset(getattr(op, name) for name in dir(op) if name.startswith("GROUPREF"))
# Ways to match at one position, and steps that all take.
_Cost = tuple[int, int]
Signs = frozenset[int]
# Rarer signs than these may begin anything.
_N_TOLD, _LAST = 256, 0x10FFFF
_TOLD, _NONE = frozenset(range(_N_TOLD)), Signs()
_BITS = 32
# Where the code of an expression says how it may begin, behind its length: what it tells of that,
# the fewest and the most signs of a match.
_TELLS, _FEWEST, _MOST = 2, 3, 4


class NotLinear(ValueError):  # noqa: N818 (a property, not a fault of the program)
    """An expression may take longer than the text is long; the message says what to write."""


def require_linear(expression: str, most: int = MOST_STEPS) -> int:
    """Return how many steps an expression takes at a position of a text, no more than `most`."""
    _, steps = _cost_of(_parser.parse(expression))
    if steps > most:
        raise NotLinear(
            f"more than {most:,} ways to match at one place: write fewer repetitions, or "
            "possessive ones such as {0,40}+"
        )
    return steps


def _cost_of(items: Iterable[tuple[Any, Any]]) -> _Cost:
    ways, steps = 1, 0
    for name, argument in items:
        more, its = _cost_of_item(name, argument)
        ways, steps = _bounded(ways * more), _bounded(steps + ways * its)
    return ways, steps


def _cost_of_item(name: Any, argument: Any) -> _Cost:  # noqa: ANN401 (as `re` parses)
    if name in _BACK:
        raise NotLinear("a reference to a group: write out what it stands for")
    if name in _REPEATS:
        return _cost_of_repeat(*argument, is_possessive=name is op.POSSESSIVE_REPEAT)
    if name is op.BRANCH:
        ways, steps = zip(*map(_cost_of, argument[1]), strict=True)
        return _bounded(sum(ways)), _bounded(sum(steps))
    if name is op.SUBPATTERN:
        return _cost_of(argument[-1])
    if name in (op.ATOMIC_GROUP, op.ASSERT, op.ASSERT_NOT):
        inside = argument if name is op.ATOMIC_GROUP else argument[1]
        return 1, _cost_of(inside)[1]
    return 1, 1


def _cost_of_repeat(least: int, most: int, items: Any, *, is_possessive: bool) -> _Cost:  # noqa: ANN401
    if most is op.MAXREPEAT:
        # Possessive ones do not go back, but would read to the end from each position anew.
        raise NotLinear("a repetition without an end: write {0,40}")
    more, once = _cost_of(items)
    ways, steps, of_power = 0, 0, 1
    for count in range(_bounded(most) + 1):
        if count >= least:
            ways = _bounded(ways + of_power)
        if count < most:
            steps = _bounded(steps + of_power * max(once, 1))
            of_power = _bounded(of_power * more)
    return (1 if is_possessive else ways), steps


def _bounded(number: int) -> int:
    """Keep a number from growing without end: beyond that it is too large anyway."""
    return min(number, MOST_STEPS_SHIPPED + 1)


def with_beginnings(parsed: Any) -> list[int]:  # noqa: ANN401 (as `re` parses)
    """Return the code of an expression, which tells the signs with which it may begin."""
    code = [*map(int, _compiler._code(parsed, 0))]
    signs, may_be_empty = _begins(parsed, parsed.state.flags & re.IGNORECASE)
    if may_be_empty or code[_TELLS] or signs == _TOLD:
        return code
    number = sum(1 << sign for sign in signs)
    words = [(number >> at) % (1 << _BITS) for at in range(0, _N_TOLD, _BITS)]
    charset = [op.CHARSET, *words, op.RANGE, _N_TOLD, _LAST, op.FAILURE]
    about = [op.SRE_INFO_CHARSET, code[_FEWEST], code[_MOST], *charset]
    return [*map(int, (op.INFO, len(about) + 1, *about)), *code[1 + code[1] :]]


def _begins(items: Iterable[tuple[Any, Any]], ignores_case: int) -> tuple[Signs, bool]:
    """Return with which signs a match may begin, and whether it may be empty."""
    signs = _NONE
    for name, argument in items:
        more, may_be_empty = _item_begins(name, argument, ignores_case)
        signs |= more
        if not may_be_empty:
            return signs, False
    return signs, True


def _item_begins(name: Any, argument: Any, ignores_case: int) -> tuple[Signs, bool]:  # noqa: ANN401
    match name:
        case op.LITERAL | op.NOT_LITERAL | op.IN:
            items = tuple(argument) if name is op.IN else argument
            return _signs_of(name, items, ignores_case), False
        case op.BRANCH:
            ways = [_begins(way, ignores_case) for way in argument[1]]
            return _NONE.union(*(signs for signs, _ in ways)), any(empty for _, empty in ways)
        case op.SUBPATTERN:
            _, also, no_more, items = argument
            return _begins(items, (ignores_case | also) & ~no_more & re.IGNORECASE)
        case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
            signs, may_be_empty = _begins(argument[2], ignores_case)
            return signs, may_be_empty or not argument[0]
        case op.ATOMIC_GROUP:
            return _begins(argument, ignores_case)
        case op.ASSERT | op.ASSERT_NOT | op.AT:
            return _NONE, True
        case op.FAILURE:
            return _NONE, False
    return _TOLD, True


@cache
def _signs_of(name: Any, argument: Any, ignores_case: int) -> Signs:  # noqa: ANN401
    """Return which signs are of a class, as `re` finds."""
    flags = ignores_case | re.UNICODE
    part = _parser.SubPattern(_parser.State(), [(name, argument)])
    form = _sre.compile("", flags, _compiler._code(part, flags), 0, {}, (None,))
    return frozenset(sign for sign in range(_N_TOLD) if form.match(chr(sign)))
