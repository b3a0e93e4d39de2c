"""Gates: what must be in a message for an expression to match there, told from the expression.

An expression is read as the texts that it needs, in lower case and without accents, `DIGIT` for
any digit, `CAPITAL` for a capital, `_SIGN` for any letter or digit, `START` and `END` where a
word begins and ends, `_BREAK` where something is left out. Of the sets of texts of which each match
has one, the rarest are gates. What cannot be told lets more through, never less.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from string import ascii_lowercase
from typing import Any, NamedTuple

from ..normal import fold

DIGIT, CAPITAL, _SIGN, START, END, _BREAK = "0\1\2\3\4\5"
# As shapes of pieces have them.
_CLASSES = {DIGIT: "0", CAPITAL: "A", _SIGN: "[Aa0]"}
_PLAIN = frozenset(ascii_lowercase)
_A_WORD_SIGN, _NOT = (op.CATEGORY, op.CATEGORY_WORD), (op.NEGATE, None)
# How many texts, signs of a class and repetitions are written out; how many gates there are.
_MOST_TEXTS, _MOST_SIGNS, _MOST_COUNTS, _MOST_REPEATED, _MOST_GATES = 200, 6, 8, 32, 4
# How long the texts of gates are: of letters and signs, of digits, of anything.
LONGEST, _DIGITS, _LONG = 6, 3, 14
# How much a sign tells, in bits: letters, other signs, and those that tell less.
_OF_LETTER, _OF_OTHER = 3.7, 10.0
_BITS = {DIGIT: 2.0, CAPITAL: 1.5, _SIGN: 0.6, START: 1.0, END: 1.0}

_OF_ANY_DIGIT, _SIGNS_OF_MESSAGE = 4.0, 60
_LONG_RUN = re.compile(f"[{''.join(_CLASSES)}]{{{_LONG}}}")
Texts = frozenset[str]
_EMPTY: Texts = frozenset({""})


class Needs(NamedTuple):
    """Sets of texts, each match having one of each; the first and the last stand at its edges."""

    sets: tuple[Texts, ...]
    digits: int = 0


_NOTHING, _UNKNOWN = Needs((_EMPTY,)), Needs((_EMPTY, _EMPTY))
_EDGE = Needs((frozenset({END + START}),))
_SPACE = Needs((frozenset({END}), frozenset({START})))


def needs_of(expression: str) -> Needs | None:
    parsed = _parser.parse(expression)
    return _Reader(is_cased=not parsed.state.flags & re.IGNORECASE).sequence(parsed)


class _Reader:
    def __init__(self, *, is_cased: bool) -> None:
        self._is_cased = is_cased

    def sequence(self, items: Any) -> Needs | None:  # noqa: ANN401 (as `re` parses)
        sets: list[Texts] = [_EMPTY]
        beside: list[Texts] = []
        digits, ahead = 0, 0
        for name, argument in items:
            needs = self._item(name, argument)
            if needs is None:
                return None
            if name is op.ASSERT:
                ahead = max(ahead, digits + needs.digits if argument[0] > 0 else 0)
                beside += needs.sets
                continue
            digits += needs.digits
            first, *others = needs.sets
            if len(sets[-1]) * len(first) > max(_MOST_TEXTS, len(sets[-1]), len(first)):
                sets.append(first)
            elif first is not _EMPTY:
                sets[-1] = frozenset([one + other for one in sets[-1] for other in first])
            sets += others
        if beside:
            sets += [*beside, sets[-1]]
        return Needs(tuple(sets), max(digits, ahead))

    def _item(self, name: Any, argument: Any) -> Needs | None:  # noqa: ANN401, C901 (a case each)
        match name:
            case op.LITERAL:
                return _of_class(((name, argument),), is_cased=False)
            case op.IN:
                return _of_class(tuple(argument), is_cased=self._is_cased)
            case op.BRANCH:
                return self._branch(argument[1])
            case op.SUBPATTERN:
                return self._group(*argument[1:])
            case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
                return self._repeat(*argument)
            case op.ATOMIC_GROUP:
                return self.sequence(argument)
            case op.ASSERT:
                return self.sequence(argument[1])
            case op.ASSERT_NOT:
                return _of_word_edge(*argument)
            case op.AT:
                return _EDGE if argument is op.AT_BOUNDARY else _NOTHING
            case op.FAILURE:
                return None
        return _UNKNOWN

    def _group(self, also: int, no_more: int, items: Any) -> Needs | None:  # noqa: ANN401
        was_cased = self._is_cased
        self._is_cased = bool(no_more & re.IGNORECASE or (was_cased and not also & re.IGNORECASE))
        needs = self.sequence(items)
        self._is_cased = was_cased
        return needs

    def _branch(self, ways: Any) -> Needs | None:  # noqa: ANN401
        possible = [one for one in map(self.sequence, ways) if one]
        if not possible:
            return None
        digits = min(one.digits for one in possible)
        rarest = [min(one.sets, key=_share) for one in possible]
        if all(len(one.sets) == 1 for one in possible):
            return Needs((_all(*rarest),), digits)
        first, last = (
            _all(
                *(
                    texts if texts is one.sets[edge] else {left + text + right for text in texts}
                    for one, texts in zip(possible, rarest, strict=True)
                )
            )
            for edge, left, right in ((0, _BREAK, ""), (-1, "", _BREAK))
        )
        return Needs((first, last), digits)

    def _repeat(self, least: int, most: int, items: Any) -> Needs | None:  # noqa: ANN401
        if not least and ((most > 1 and len(items) > 1) or most > _MOST_COUNTS):
            return _UNKNOWN
        once = self.sequence(items)
        if once is None:
            return None if least else _NOTHING
        first, *others = once.sets
        once = once._replace(digits=once.digits * least)
        if others:
            return once if least else _UNKNOWN
        counts = range(least, most + 1) if most <= _MOST_COUNTS else ()
        if 0 < sum(len(first) ** count for count in counts) <= _MOST_REPEATED:
            return once._replace(sets=(_all(*(_power(first, count) for count in counts)),))
        if not least:
            return _UNKNOWN
        sure = max(n for n in range(1, least + 1) if n == 1 or len(first) ** n <= _MOST_REPEATED)
        return once._replace(sets=(_power(first, sure),) * (1 if sure == most else 2))


@cache
def _of_class(items: tuple[tuple[Any, Any], ...], *, is_cased: bool) -> Needs:
    if items[0] == _NOT:
        return _SPACE if _A_WORD_SIGN in items else _UNKNOWN
    signs = "".join(map(_signs, items))
    texts = frozenset(DIGIT if one.isdecimal() else fold(one) for one in signs)
    is_few = len(texts) <= _MOST_SIGNS and not any(map(str.isspace, signs))
    if _BREAK in signs:
        return _UNKNOWN
    if is_cased and all(one.isascii() and one.isupper() for one in signs):
        return Needs((frozenset({CAPITAL}),))
    if not (is_few or any(map(_is_of_word, texts))):
        return _SPACE
    if not is_few and all(one.isascii() and one.isalnum() for one in texts):
        return Needs((frozenset({_SIGN}),))
    return Needs((texts,), int(texts == {DIGIT})) if is_few else _UNKNOWN


def _signs(item: tuple[Any, Any]) -> str:
    """Return the signs of a part of a class; `_BREAK` for others."""
    name, argument = item
    if name is op.LITERAL:
        return chr(argument)
    if name is op.RANGE and chr(argument[1]).isascii():
        return "".join(map(chr, range(argument[0], argument[1] + 1)))
    return {op.CATEGORY_DIGIT: DIGIT, op.CATEGORY_SPACE: " "}.get(argument, _BREAK)


def _of_word_edge(direction: int, items: Any) -> Needs | None:  # noqa: ANN401
    """Return what is needed where a sign of a word must not stand before, or behind."""
    if not items:
        return None
    ways = items[0][1][1] if items[0][0] is op.BRANCH else [items]
    for (name, argument), *others in filter(None, ways):
        if name is op.IN and not others and _A_WORD_SIGN in argument and argument[0] != _NOT:
            return Needs((frozenset({START if direction < 0 else END}),))
    return _NOTHING


def _all(*sets: Iterable[str]) -> Texts:
    return frozenset().union(*sets)


def _power(texts: Texts, count: int) -> Texts:
    return frozenset(map("".join, product(texts, repeat=count)))


def _is_of_word(sign: str) -> bool:
    return sign in _CLASSES or sign.isalnum() or sign == "_"


@cache
def atoms_of(texts: Texts) -> Texts:
    """Return what to look for to find one of some texts: the rarest part of each."""
    return frozenset(min(map(_atom, text.split(_BREAK)), key=_share_of) for text in texts)


@cache
def _atom(part: str) -> str:
    """Return a part of a text from its first letter or other sign on, made short."""
    core = part.replace(START, "").replace(END, "")
    if _LONG_RUN.search(core):
        return _SIGN * _LONG
    told = core.lstrip("".join(_CLASSES))
    if not told:
        runs = (DIGIT * n for n in range(_DIGITS, 0, -1))
        return next((run for run in runs if run in core), core)
    is_start = told == core and part.lstrip(END).startswith(START) and _is_of_word(told[0])
    is_end = part.rstrip(START).endswith(END) and _is_of_word(told[-1])
    if any(one in told for one in (_SIGN, CAPITAL)) and not _PLAIN.isdisjoint(told):
        told, is_end = re.split(f"[{_SIGN}{CAPITAL}]", told)[0], False
    if len(told) > LONGEST and not has_class(told):
        told, is_end = told[:LONGEST], False
    return START * is_start + told + END * is_end


def has_class(atom: str) -> bool:
    """Return whether an atom has signs of a class other than digits: it is sought among shapes."""
    return _SIGN in atom or CAPITAL in atom


def expression_of_shape(atom: str) -> str:
    """Return the expression of an atom as it is sought in shapes of pieces."""
    signs = (_CLASSES.get(one) or re.escape(one) for one in atom.strip(START + END))
    before, behind = r"(?<!\w)" * atom.startswith(START), r"(?!\w)" * atom.endswith(END)
    return before + "".join(signs) + behind


@cache
def _share_of(atom: str) -> float:
    """Return in about which share of messages a text stands."""
    bits = sum(_BITS.get(one, _OF_LETTER if one.isalpha() else _OF_OTHER) for one in atom)
    return min(_SIGNS_OF_MESSAGE * 2 ** -(bits + _OF_ANY_DIGIT * (DIGIT in atom)), 1)


@cache
def _share(texts: Texts) -> float:
    return 1 if "" in texts else min(sum(map(_share_of, atoms_of(texts))), 1)


def gates_of(needs: Needs) -> tuple[Texts, ...]:
    """Return the rarest of the sets of texts that an expression needs, as what to look for."""
    told = {atoms_of(texts) for texts in needs.sets if _share(texts) < 1}
    rarest = sorted(told, key=lambda one: (sum(map(_share_of, one)), sorted(one)))
    return tuple(rarest[:_MOST_GATES])
