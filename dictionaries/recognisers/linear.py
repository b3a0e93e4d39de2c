"""Proof from an expression alone that it takes linear time on any text.

At each position of a text, an expression takes at most a number of steps that follows from its
repetitions and alternatives. If that number is bounded, the time grows as the text does.
"""

from collections.abc import Iterable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

# Of a user's expression: some 5 µs a character at worst.
MOST_STEPS = 1_000
# Those that are shipped may take more: most of it stands behind rare words.
MOST_STEPS_SHIPPED = 10_000

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
# References to a group, whatever the flags.
_BACK = frozenset(getattr(op, name) for name in dir(op) if name.startswith("GROUPREF"))
# Ways to match at one position, and steps that all take.
_Cost = tuple[int, int]


class NotLinear(ValueError):  # noqa: N818 (a property, not a fault of the program)
    """An expression may take longer than the text is long; the message says what to write."""


def require_linear(expression: str, most: int = MOST_STEPS) -> int:
    """Return how many steps an expression takes at a position of a text, no more than `most`."""
    _, steps = _of_sequence(_parser.parse(expression))
    if steps > most:
        raise NotLinear(
            f"more than {most:,} ways to match at one place: write fewer repetitions, or "
            "possessive ones such as {0,40}+"
        )
    return steps


def _of_sequence(items: Iterable[tuple[Any, Any]]) -> _Cost:
    ways, steps = 1, 0
    for name, argument in items:
        more, its = _of_item(name, argument)
        ways, steps = _bounded(ways * more), _bounded(steps + ways * its)
    return ways, steps


def _of_item(name: Any, argument: Any) -> _Cost:  # noqa: ANN401 (as `re` parses)
    if name in _BACK:
        raise NotLinear("a reference to a group: write out what it stands for")
    if name in _REPEATS or name is op.POSSESSIVE_REPEAT:
        return _of_repeat(*argument, is_possessive=name is op.POSSESSIVE_REPEAT)
    if name is op.BRANCH:
        ways, steps = zip(*map(_of_sequence, argument[1]), strict=True)
        return _bounded(sum(ways)), _bounded(sum(steps))
    if name is op.SUBPATTERN:
        return _of_sequence(argument[-1])
    if name in (op.ATOMIC_GROUP, op.ASSERT, op.ASSERT_NOT):
        inside = argument if name is op.ATOMIC_GROUP else argument[1]
        return 1, _of_sequence(inside)[1]
    return 1, 1


def _of_repeat(least: int, most: int, items: Any, *, is_possessive: bool) -> _Cost:  # noqa: ANN401
    """Return the cost of a repetition: all ways of once, of twice, and so on."""
    if most is op.MAXREPEAT:
        # Possessive ones do not go back, but would read to the end from each position anew.
        raise NotLinear("a repetition without an end: write {0,40}")
    more, once = _of_sequence(items)
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
