"""Analysis of an expression in one walk: its cost, how a match begins, and what it needs.

If the steps at each position of a text are bounded, the time grows as the text does. A search
passes over all signs at once with which an expression cannot begin, which `re` does not compute for
one that begins with a look behind. A match needs texts (`triage.dictionaries.recognisers.gates`):
of each set of them, one. Where the analysis is not exact, it lets more through, never less.
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
MAX_STEPS = 1_000
# Those that are shipped may take more: most of it stands behind rare words.
MAX_STEPS_SHIPPED = 10_000

# References to a group, whatever the flags.
_BACK = frozenset(getattr(op, name) for name in dir(op) if name.startswith("GROUPREF"))
Signs = frozenset[int]
# Only these signs are analysed; any other may begin any match.
_N_SIGNS, _LAST_SIGN = 256, 0x10FFFF
_ANY_SIGN, _NONE = frozenset(range(_N_SIGNS)), Signs()
_BITS = 32
# Places in the INFO block of the code of an expression: its flags, the fewest and the most signs of
# a match.
_INFO_FLAGS, _MIN_WIDTH, _MAX_WIDTH = 2, 3, 4
_A_WORD_SIGN, _NOT = (op.CATEGORY, op.CATEGORY_WORD), (op.NEGATE, None)
_SIGN_OF_CATEGORY = {op.CATEGORY_DIGIT: DIGIT, op.CATEGORY_SPACE: " "}
# The numbers of texts, signs of a class and repetitions that are written out.
_MAX_TEXTS, _MAX_SIGNS, _MAX_COUNTS, _MAX_REPEATED = 200, 6, 8, 32
_EMPTY: Texts = frozenset({""})
# Sets of texts: nothing is needed; what is needed is not known; the edge of a word.
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


def require_linear(expression: str, limit: int = MAX_STEPS) -> int:
    """Return how many steps an expression takes at a position; raise NotLinear above `limit`."""
    reader = ExpressionReader(expression)
    if (steps := reader.analysis.steps) > limit:
        reader.problems.append(
            f"more than {limit:,} ways to match at one place: write fewer repetitions, or "
            "possessive ones such as {0,40}+"
        )
    for problem in reader.problems:
        raise NotLinear(problem)
    return steps


def code_of(read: "ExpressionReader") -> list[int]:
    """Compile an expression to a code that includes the signs with which it may begin."""
    code, analysis = [*map(int, _compiler._code(read.parsed, 0))], read.analysis
    if analysis.may_be_empty or code[_INFO_FLAGS] or analysis.begins >= _ANY_SIGN:
        return code
    number = sum(1 << sign for sign in analysis.begins)
    words = [(number >> shift) % (1 << _BITS) for shift in range(0, _N_SIGNS, _BITS)]
    charset = [op.CHARSET, *words, op.RANGE, _N_SIGNS, _LAST_SIGN, op.FAILURE]
    info = [op.SRE_INFO_CHARSET, code[_MIN_WIDTH], code[_MAX_WIDTH], *charset]
    return [*map(int, (op.INFO, len(info) + 1, *info)), *code[1 + code[1] :]]


class ExpressionReader:
    """An expression with its analysis; alternatives that begin alike are joined as it is parsed."""

    def __init__(self, expression: str) -> None:
        self.parsed = _parser.parse(expression)
        self._flags = self.parsed.state.flags
        # Reasons why the time is not bounded.
        self.problems: list[str] = []
        self.analysis = self._sequence(self.parsed)

    def _sequence(self, items: Any) -> Analysis:  # noqa: ANN401 (as `re` parses)
        sets: list[Texts] = [_EMPTY]
        needed: list[Texts] = []
        total, is_possible, ahead = Analysis((), steps=0), True, 0
        for name, argument in items:
            analysis, before = self._item(name, argument), total
            is_possible = is_possible and bool(analysis.sets)
            total = Analysis(
                (),
                before.digits + analysis.digits * (name is not op.ASSERT),
                _bounded(before.ways * analysis.ways),
                _bounded(before.steps + before.ways * analysis.steps),
                before.begins | analysis.begins if before.may_be_empty else before.begins,
                before.may_be_empty and analysis.may_be_empty,
            )
            if name is op.ASSERT:
                ahead = max(ahead, before.digits + analysis.digits if argument[0] > 0 else 0)
                needed += analysis.sets
            elif is_possible:
                first, *others = analysis.sets
                if len(sets[-1]) * len(first) > max(_MAX_TEXTS, len(sets[-1]), len(first)):
                    sets.append(first)
                elif first is not _EMPTY:
                    sets[-1] = frozenset([one + other for one in sets[-1] for other in first])
                sets += others
        if needed:
            sets += [*needed, sets[-1]]
        found = tuple(sets) if is_possible else ()
        return total._replace(sets=found, digits=max(total.digits, ahead))

    def _item(self, name: Any, argument: Any) -> Analysis:  # noqa: ANN401
        match name:
            case op.LITERAL | op.NOT_LITERAL | op.IN:
                items = tuple(argument) if name is op.IN else ((name, argument),)
                ignores_case = self._flags & re.IGNORECASE
                analysis = _of_class(items, is_cased=name is op.IN and not ignores_case)
                begins = _signs_of(name, items if name is op.IN else argument, ignores_case)
                return analysis._replace(begins=begins, may_be_empty=False)
            case op.BRANCH:
                ways = [self._sequence(way) for way in argument[1]]
                argument[1][:] = _sharing(argument[1])
                return _alternatives(ways)
            case op.SUBPATTERN:
                _, also, no_more, items = argument
                outer = self._flags
                self._flags = (outer | also) & ~no_more
                analysis = self._sequence(items)
                self._flags = outer
                return analysis
            case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
                return self._repeat(*argument, is_possessive=name is op.POSSESSIVE_REPEAT)
            case op.ATOMIC_GROUP:
                return self._sequence(argument)._replace(ways=1)
            case op.ASSERT | op.ASSERT_NOT:
                analysis = self._sequence(argument[1])
                analysis = analysis._replace(ways=1, begins=_NONE, may_be_empty=True)
                edge = analysis._replace(sets=_of_word_edge(*argument), digits=0)
                return analysis if name is op.ASSERT else edge
            case op.AT:
                return Analysis(_EDGE if argument is op.AT_BOUNDARY else _NOTHING)
            case op.FAILURE:
                return Analysis((), may_be_empty=False)
        if name in _BACK:
            self.problems.append("a reference to a group: write out what it stands for")
        return Analysis(_UNKNOWN, begins=_ANY_SIGN)

    def _repeat(self, low: int, high: int, items: Any, *, is_possessive: bool) -> Analysis:  # noqa: ANN401
        if high is op.MAXREPEAT:
            # Possessive ones do not go back, but would read to the end from each position anew.
            self.problems.append("a repetition without an end: write {0,40}")
        once = self._sequence(items)
        ways, steps, of_power = 0, 0, 1
        for count in range(0 if high is op.MAXREPEAT else _bounded(high) + 1):
            if count >= low:
                ways = _bounded(ways + of_power)
            if count < high:
                steps = _bounded(steps + of_power * max(once.steps, 1))
                of_power = _bounded(of_power * once.ways)
        is_long = not low and ((high > 1 and len(items) > 1) or high > _MAX_COUNTS)
        sets = _UNKNOWN if is_long else _repeated(once.sets, low, high)
        digits, may_be_empty = once.digits * low, once.may_be_empty or not low
        ways = 1 if is_possessive else ways
        digits = 0 if sets is _UNKNOWN else digits
        return Analysis(sets, digits, ways, steps, once.begins, may_be_empty)


def _sharing(ways: Sequence[Any]) -> list[Any]:
    """Join alternatives that begin with the same sign: it is tried once for all of them."""
    groups, joined = list[tuple[Signs, list[Any]]](), list[Any]()
    for way in ways:
        signs = _first_signs(*way[0]) if len(way) else _NONE
        # Of alternatives that may begin alike, the earlier one is tried first.
        alike = (same for of, same in reversed(groups) if not (signs and of) or signs & of)
        if (same := next(alike, None)) and same[0].data[:1] == way.data[:1]:
            same.append(way)
        else:
            groups.append((signs, [way]))
    for _, same in groups:
        first, data = same[0], same[0].data
        if len(same) > 1 and data:
            rest = [_parser.SubPattern(way.state, way.data[1:]) for way in same]
            data = [data[0], (op.BRANCH, (None, _sharing(rest)))]
        joined.append(_parser.SubPattern(first.state, data))
    return joined


def _first_signs(name: Any, argument: Any) -> Signs:  # noqa: ANN401 (as `re` parses)
    """Return a sign, or those of a class, in all cases; nothing of what is neither."""
    items = argument if name is op.IN else [(name, argument)]
    if any(of is not op.LITERAL for of, _ in items):
        return _NONE
    lower = [_sre.unicode_tolower(sign) for _, sign in items]
    return frozenset(lower).union(*(_compiler._EXTRA_CASES.get(sign, ()) for sign in lower))


def _bounded(number: int) -> int:
    """Limit a number, so that it does not grow without end: above the limit it is too large."""
    return min(number, MAX_STEPS_SHIPPED + 1)


def _alternatives(ways: Sequence[Analysis]) -> Analysis:
    possible = [(one, min(one.sets, key=share)) for one in ways if one.sets]
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
        _bounded(sum(one.ways for one in ways)),
        _bounded(sum(one.steps for one in ways)),
        _NONE.union(*(one.begins for one in ways)),
        any(one.may_be_empty for one in ways),
    )


def _repeated(sets: tuple[Texts, ...], low: int, high: int) -> tuple[Texts, ...]:
    """Return the texts needed by a repetition of a part, from those that the part needs."""
    if not sets:
        return () if low else _NOTHING
    first, *others = sets
    if others:
        return sets if low else _UNKNOWN
    counts = range(low, high + 1) if high <= _MAX_COUNTS else range(0)
    if not 0 < sum(len(first) ** count for count in counts) <= _MAX_REPEATED:
        if not low:
            return _UNKNOWN
        n_sure = max(n for n in range(1, low + 1) if n == 1 or len(first) ** n <= _MAX_REPEATED)
        counts = range(n_sure, n_sure + 1)
    texts = frozenset("".join(one) for count in counts for one in product(first, repeat=count))
    return (texts,) if counts[-1] == high else (texts, texts)


@cache
def _of_class(items: tuple[tuple[Any, Any], ...], *, is_cased: bool) -> Analysis:
    """Analyse a sign, or a class of signs."""
    signs = ""
    for name, argument in items:
        if name is op.RANGE and chr(argument[1]).isascii():
            signs += "".join(map(chr, range(argument[0], argument[1] + 1)))
        else:
            signs += chr(argument) if name is op.LITERAL else _SIGN_OF_CATEGORY.get(argument, BREAK)
    texts = frozenset(DIGIT if one.isdecimal() else fold(one) for one in signs)
    is_few = len(texts) <= _MAX_SIGNS and not any(map(str.isspace, signs))
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
    """Return the texts needed where no sign of a word may stand before, or behind."""
    if not items:
        return ()
    ways = items[0][1][1] if items[0][0] is op.BRANCH else [items]
    for (name, argument), *others in filter(None, ways):
        if name is op.IN and not others and _A_WORD_SIGN in argument and argument[0] != _NOT:
            return (frozenset({START if direction < 0 else END}),)
    return _NOTHING


@cache
def _signs_of(name: Any, argument: Any, ignores_case: int) -> Signs:  # noqa: ANN401
    """Return the signs of a class, as `re` matches them."""
    flags = ignores_case | re.UNICODE
    part = _parser.SubPattern(_parser.State(), [(name, argument)])
    form = _sre.compile("", flags, _compiler._code(part, flags), 0, {}, (None,))
    return frozenset(sign for sign in range(_N_SIGNS) if form.match(chr(sign)))
