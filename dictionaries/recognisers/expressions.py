"""Facts of an expression, told in one walk: its cost, how a match begins, and what it needs.

If the steps at each position of a text are bounded, the time grows as the text does. A search
passes over all signs at once with which an expression cannot begin: `re` does not tell them of one
that begins with a look behind. A match needs texts (`triage.dictionaries.recognisers.gates`): of
each set of them, one. What cannot be told lets more through, never less.
"""

import _sre  # type: ignore[import-not-found]
import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from ..normal import fold
from .gates import BREAK, CAPITAL, DIGIT, END, SIGN, START, Texts, is_of_word, share

# Of a user's expression: some 5 µs a character at worst.
MOST_STEPS = 1_000
# Those that are shipped may take more: most of it stands behind rare words.
MOST_STEPS_SHIPPED = 10_000

# References to a group, whatever the flags.
_BACK = frozenset(getattr(op, name) for name in dir(op) if name.startswith("GROUPREF"))
_STARTS = (op.AT_BEGINNING, op.AT_BEGINNING_STRING)
Signs = frozenset[int]
# Rarer signs than these may begin anything.
_N_TOLD, _LAST = 256, 0x10FFFF
_TOLD, _NONE = frozenset(range(_N_TOLD)), Signs()
# Among the signs with which a match may begin: the start of a text, whatever stands there.
_AT_START = Signs({-1})
_BITS = 32
# Where the code of an expression says how it may begin, behind its length: what it tells of that,
# the fewest and the most signs of a match.
_TELLS, _FEWEST, _MOST = 2, 3, 4
_A_WORD_SIGN, _NOT = (op.CATEGORY, op.CATEGORY_WORD), (op.NEGATE, None)
_SIGNS = {op.CATEGORY_DIGIT: DIGIT, op.CATEGORY_SPACE: " "}
# How many texts, signs of a class and repetitions are written out.
_MOST_TEXTS, _MOST_SIGNS, _MOST_COUNTS, _MOST_REPEATED = 200, 6, 8, 32
_EMPTY: Texts = frozenset({""})
# Sets of texts: where nothing is needed, or it cannot be told what; on the edge of a word.
_NOTHING, _UNKNOWN = (_EMPTY,), (_EMPTY, _EMPTY)
_EDGE = (frozenset({END + START}),)
_SPACE = (frozenset({END}), frozenset({START}))


class NotLinear(ValueError):  # noqa: N818 (a property, not a fault of the program)
    """An expression may take longer than the text is long; the message says what to write."""


class Analysis(NamedTuple):
    """Facts of an expression, or of a part of one."""

    # Each match has a text of each; the first and the last stand at its edges. None: no match.
    sets: tuple[Texts, ...]
    digits: int = 0
    # Ways to match at one position, and steps that all take.
    ways: int = 1
    steps: int = 1
    begins: Signs = _NONE
    may_be_empty: bool = True

    @property
    def starts_texts(self) -> bool:
        """Tell if a match may begin at the start of a text with other signs than elsewhere."""
        return self.begins >= _AT_START


def require_linear(expression: str, most: int = MOST_STEPS) -> int:
    """Return how many steps an expression takes at a position of a text, no more than `most`."""
    reader = _ExpressionReader(expression)
    if (steps := reader.told.steps) > most:
        reader.problems.append(
            f"more than {most:,} ways to match at one place: write fewer repetitions, or "
            "possessive ones such as {0,40}+"
        )
    for problem in reader.problems:
        raise NotLinear(problem)
    return steps


def analyse(expression: str) -> Analysis:
    return _ExpressionReader(expression).told


def code_of(parsed: Any, told: Analysis) -> list[int]:  # noqa: ANN401 (as `re` parses)
    """Return the code of an expression, which tells the signs with which it may begin."""
    code = [*map(int, _compiler._code(parsed, 0))]
    if told.may_be_empty or code[_TELLS] or told.begins >= _TOLD:
        return code
    number = sum(1 << sign for sign in told.begins if sign >= 0)
    words = [(number >> at) % (1 << _BITS) for at in range(0, _N_TOLD, _BITS)]
    charset = [op.CHARSET, *words, op.RANGE, _N_TOLD, _LAST, op.FAILURE]
    about = [op.SRE_INFO_CHARSET, code[_FEWEST], code[_MOST], *charset]
    return [*map(int, (op.INFO, len(about) + 1, *about)), *code[1 + code[1] :]]


_START = Analysis(_NOTHING, begins=_AT_START, may_be_empty=False)
_EDGES = {op.AT_BOUNDARY: Analysis(_EDGE)}


class _ExpressionReader:
    def __init__(self, expression: str) -> None:
        parsed = _parser.parse(expression)
        self._flags = parsed.state.flags
        # Why the time is not bounded.
        self.problems: list[str] = []
        self.told = self._sequence(parsed)

    def _sequence(self, items: Any) -> Analysis:  # noqa: ANN401 (as `re` parses)
        sets: list[Texts] = [_EMPTY]
        beside: list[Texts] = []
        told, is_possible, ahead = Analysis((), steps=0), True, 0
        for name, argument in items:
            its, before = self._item(name, argument), told
            is_possible = is_possible and bool(its.sets)
            told = Analysis(
                (),
                before.digits + its.digits * (name is not op.ASSERT),
                _bounded(before.ways * its.ways),
                _bounded(before.steps + before.ways * its.steps),
                before.begins | its.begins if before.may_be_empty else before.begins,
                before.may_be_empty and its.may_be_empty,
            )
            if name is op.ASSERT:
                ahead = max(ahead, before.digits + its.digits if argument[0] > 0 else 0)
                beside += its.sets
            elif is_possible:
                first, *others = its.sets
                if len(sets[-1]) * len(first) > max(_MOST_TEXTS, len(sets[-1]), len(first)):
                    sets.append(first)
                elif first is not _EMPTY:
                    sets[-1] = frozenset([one + other for one in sets[-1] for other in first])
                sets += others
        if beside:
            sets += [*beside, sets[-1]]
        found = tuple(sets) if is_possible else ()
        return told._replace(sets=found, digits=max(told.digits, ahead))

    def _item(self, name: Any, argument: Any) -> Analysis:  # noqa: ANN401
        match name:
            case op.LITERAL | op.NOT_LITERAL | op.IN:
                items = tuple(argument) if name is op.IN else ((name, argument),)
                ignores_case = self._flags & re.IGNORECASE
                told = _of_class(items, is_cased=name is op.IN and not ignores_case)
                begins = _signs_of(name, items if name is op.IN else argument, ignores_case)
                return told._replace(begins=begins, may_be_empty=False)
            case op.BRANCH:
                return _any_of([self._sequence(way) for way in argument[1]])
            case op.SUBPATTERN:
                _, also, no_more, items = argument
                was = self._flags
                self._flags = (was | also) & ~no_more
                told = self._sequence(items)
                self._flags = was
                return told
            case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
                return self._repeat(*argument, is_possessive=name is op.POSSESSIVE_REPEAT)
            case op.ATOMIC_GROUP:
                return self._sequence(argument)._replace(ways=1)
            case op.ASSERT | op.ASSERT_NOT:
                told = self._sequence(argument[1])
                told = told._replace(ways=1, begins=_NONE, may_be_empty=True)
                is_needed = name is op.ASSERT
                return told if is_needed else told._replace(sets=_of_word_edge(*argument), digits=0)
            case op.AT:
                is_start = argument in _STARTS and not self._flags & re.MULTILINE
                return _START if is_start else _EDGES.get(argument, Analysis(_NOTHING))
            case op.FAILURE:
                return Analysis((), may_be_empty=False)
        if name in _BACK:
            self.problems.append("a reference to a group: write out what it stands for")
        return Analysis(_UNKNOWN, begins=_TOLD)

    def _repeat(self, least: int, most: int, items: Any, *, is_possessive: bool) -> Analysis:  # noqa: ANN401
        if most is op.MAXREPEAT:
            # Possessive ones do not go back, but would read to the end from each position anew.
            self.problems.append("a repetition without an end: write {0,40}")
        once = self._sequence(items)
        ways, steps, of_power = 0, 0, 1
        for count in range(0 if most is op.MAXREPEAT else _bounded(most) + 1):
            if count >= least:
                ways = _bounded(ways + of_power)
            if count < most:
                steps = _bounded(steps + of_power * max(once.steps, 1))
                of_power = _bounded(of_power * once.ways)
        is_long = not least and ((most > 1 and len(items) > 1) or most > _MOST_COUNTS)
        sets = _UNKNOWN if is_long else _repeated(once.sets, least, most)
        digits, may_be_empty = once.digits * least, once.may_be_empty or not least
        ways = 1 if is_possessive else ways
        digits = 0 if sets is _UNKNOWN else digits
        return Analysis(sets, digits, ways, steps, once.begins, may_be_empty)


def _bounded(number: int) -> int:
    """Keep a number from growing without end: beyond that it is too large anyway."""
    return min(number, MOST_STEPS_SHIPPED + 1)


def _any_of(told: Sequence[Analysis]) -> Analysis:
    possible = [(one, min(one.sets, key=share)) for one in told if one.sets]
    sets: tuple[Texts, ...] = (frozenset[str]().union(*(rarest for _, rarest in possible)),)
    if any(len(one.sets) > 1 for one, _ in possible):
        sets = tuple(
            frozenset(
                text if rarest is one.sets[edge] else left + text + right
                for one, rarest in possible
                for text in rarest
            )
            for edge, left, right in ((0, BREAK, ""), (-1, "", BREAK))
        )
    return Analysis(
        sets if possible else (),
        min((one.digits for one, _ in possible), default=0),
        _bounded(sum(one.ways for one in told)),
        _bounded(sum(one.steps for one in told)),
        _NONE.union(*(one.begins for one in told)),
        any(one.may_be_empty for one in told),
    )


def _repeated(sets: tuple[Texts, ...], least: int, most: int) -> tuple[Texts, ...]:
    """Return what is needed where a part that needs such texts stands so many times."""
    if not sets:
        return () if least else _NOTHING
    first, *others = sets
    if others:
        return sets if least else _UNKNOWN
    counts = range(least, most + 1) if most <= _MOST_COUNTS else range(0)
    if not 0 < sum(len(first) ** count for count in counts) <= _MOST_REPEATED:
        if not least:
            return _UNKNOWN
        sure = max(n for n in range(1, least + 1) if n == 1 or len(first) ** n <= _MOST_REPEATED)
        counts = range(sure, sure + 1)
    texts = frozenset("".join(one) for count in counts for one in product(first, repeat=count))
    return (texts,) if counts[-1] == most else (texts, texts)


@cache
def _of_class(items: tuple[tuple[Any, Any], ...], *, is_cased: bool) -> Analysis:
    """Return what is needed of a sign, or of one of a class."""
    signs = ""
    for name, argument in items:
        if name is op.RANGE and chr(argument[1]).isascii():
            signs += "".join(map(chr, range(argument[0], argument[1] + 1)))
        else:
            signs += chr(argument) if name is op.LITERAL else _SIGNS.get(argument, BREAK)
    texts = frozenset(DIGIT if one.isdecimal() else fold(one) for one in signs)
    is_few = len(texts) <= _MOST_SIGNS and not any(map(str.isspace, signs))
    if items[0] == _NOT:
        return Analysis(_SPACE if _A_WORD_SIGN in items else _UNKNOWN)
    if BREAK in signs:
        return Analysis(_UNKNOWN)
    if is_cased and all(one.isascii() and one.isupper() for one in signs):
        return Analysis((frozenset({CAPITAL}),))
    if not (is_few or any(map(is_of_word, texts))):
        return Analysis(_SPACE)
    if not is_few and all(one.isascii() and one.isalnum() for one in texts):
        return Analysis((frozenset({SIGN}),))
    return Analysis((texts,), int(texts == {DIGIT})) if is_few else Analysis(_UNKNOWN)


def _of_word_edge(direction: int, items: Any) -> tuple[Texts, ...]:  # noqa: ANN401
    """Return what is needed where a sign of a word must not stand before, or behind."""
    if not items:
        return ()
    ways = items[0][1][1] if items[0][0] is op.BRANCH else [items]
    for (name, argument), *others in filter(None, ways):
        if name is op.IN and not others and _A_WORD_SIGN in argument and argument[0] != _NOT:
            return (frozenset({START if direction < 0 else END}),)
    return _NOTHING


@cache
def _signs_of(name: Any, argument: Any, ignores_case: int) -> Signs:  # noqa: ANN401
    """Return which signs are of a class, as `re` finds."""
    flags = ignores_case | re.UNICODE
    part = _parser.SubPattern(_parser.State(), [(name, argument)])
    form = _sre.compile("", flags, _compiler._code(part, flags), 0, {}, (None,))
    return frozenset(sign for sign in range(_N_TOLD) if form.match(chr(sign)))
