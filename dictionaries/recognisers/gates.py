"""Gates: what must be in a message for an expression to match there, told from the expression.

An expression is read as the texts that it needs, in lower case and without accents, `_DIGIT` for
any digit, `_CAPITAL` for a capital, `_SIGN` for any letter or digit, `_START` and `_END` where a
word begins and ends, `_BREAK` where something is left out. Of the sets of texts of which each match
has one, the rarest are gates. What cannot be told lets more through, never less.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby, product
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from string import ascii_lowercase
from typing import Any, NamedTuple

from triage.dictionaries.normal import fold
from triage.dictionaries.recognisers.recogniser import FOUND

_DIGIT, _CAPITAL, _SIGN, _START, _END, _BREAK = "0\1\2\3\4\5"
_CLASSES = {_DIGIT: "[0-9]", _CAPITAL: "[a-z]", _SIGN: "[0-9a-z]"}
_PLAIN = frozenset(ascii_lowercase)
_A_WORD_SIGN, _NOT = (op.CATEGORY, op.CATEGORY_WORD), (op.NEGATE, None)
# How many texts, signs of a class and repetitions are written out; how many sets are looked at.
_MOST_TEXTS, _MOST_SIGNS, _MOST_COUNTS, _MOST_REPEATED, _MOST_SETS = 200, 6, 8, 32, 6
# How long the texts of gates are: of letters, of digits, of anything.
_LETTERS, _DIGITS, _LONG = 6, 3, 14
# How much a sign tells, in bits: letters, other signs, and those that tell less.
_OF_LETTER, _OF_OTHER = 3.7, 10.0
_BITS = {_DIGIT: 2.0, _CAPITAL: 0.6, _SIGN: 0.6, _START: 1.0, _END: 1.0}
_BITS |= dict.fromkeys(".,'’!", 6.0) | dict.fromkeys("?:)-", 8.0)
_OF_ANY_DIGIT, _SIGNS_OF_MESSAGE = 4.0, 60
# So many digits are rare themselves; a gate that is so much commoner may do for another.
_MANY_DIGITS, _COMMONER, _RARE = 5, 4, 0.02
_CAPITALS = 6
_Texts = frozenset[str]
_EMPTY: _Texts = frozenset({""})


class Needs(NamedTuple):
    """Sets of texts, each match having one of each; the first and the last stand at its edges."""

    sets: tuple[_Texts, ...]
    digits: int = 0
    is_found: bool = False


class Gates(NamedTuple):
    """Expressions of which a message has each in some piece between spaces."""

    pieces: tuple[str, ...]
    capitals: str


_NOTHING, _UNKNOWN = Needs((_EMPTY,)), Needs((_EMPTY, _EMPTY))
_EDGE = Needs((frozenset({_END + _START}),))
_SPACE = Needs((frozenset({_END}), frozenset({_START})))


def needs_of(expression: str) -> Needs | None:
    """Return what an expression needs; None if it never matches."""
    parsed = _parser.parse(expression)
    is_cased = not parsed.state.flags & re.IGNORECASE
    return _Reader(parsed.state.groupdict.get(FOUND), is_cased=is_cased).sequence(parsed)


class _Reader:
    """Reads the parts of a parsed expression."""

    def __init__(self, found: int | None, *, is_cased: bool) -> None:
        self._found = found
        self._groups: dict[int, Needs] = {}
        self._is_cased = is_cased

    def sequence(self, items: Any) -> Needs | None:  # noqa: ANN401 (as `re` parses)
        sets: list[_Texts] = [_EMPTY]
        beside: list[_Texts] = []
        digits, ahead, is_found = 0, 0, False
        for name, argument in items:
            needs = self._item(name, argument)
            if needs is None:
                return None
            is_found |= needs.is_found
            if name is op.ASSERT:
                ahead = max(ahead, digits + needs.digits if argument[0] > 0 else 0)
                is_start = argument[0] > 0 and all(text.endswith(_START) for text in sets[-1])
                beside += [_all(*({_START * is_start + one} for one in needs.sets[0]))]
                beside += needs.sets[1:]
                continue
            digits += needs.digits
            first, *others = needs.sets
            if len(sets[-1]) * len(first) > _MOST_TEXTS:
                sets.append(first)
            elif first is not _EMPTY:
                sets[-1] = frozenset([one + other for one in sets[-1] for other in first])
            sets += others
        if beside:
            sets += [*beside, sets[-1]]
        return Needs(tuple(sets), max(digits, ahead), is_found)

    def _item(self, name: Any, argument: Any) -> Needs | None:  # noqa: ANN401, C901 (a case each)
        match name:
            case op.LITERAL:
                return _of_class(((name, argument),), is_cased=False)
            case op.IN:
                return _of_class(tuple(argument), is_cased=self._is_cased)
            case op.BRANCH:
                return self._branch(argument[1])
            case op.SUBPATTERN:
                return self._group(*argument)
            case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
                return self._repeat(*argument)
            case op.ATOMIC_GROUP:
                return self.sequence(argument)
            case op.ASSERT:
                return self.sequence(argument[1])
            case op.ASSERT_NOT:
                return _of_word_edge(*argument)
            case op.GROUPREF:
                return self._groups.get(argument, _UNKNOWN)
            case op.AT:
                return _EDGE if argument is op.AT_BOUNDARY else _NOTHING
            case op.FAILURE:
                return None
        return _UNKNOWN

    def _group(self, number: int | None, also: int, no_more: int, items: Any) -> Needs | None:  # noqa: ANN401
        was_cased = self._is_cased
        self._is_cased = bool(no_more & re.IGNORECASE or (was_cased and not also & re.IGNORECASE))
        needs = self.sequence(items)
        self._is_cased = was_cased
        if needs and number:
            self._groups[number] = needs
            needs = needs._replace(is_found=needs.is_found or number == self._found)
        return needs

    def _branch(self, ways: Any) -> Needs | None:  # noqa: ANN401
        possible = [one for one in map(self.sequence, ways) if one]
        # What matches without the group that is wanted is no find.
        possible = [one for one in possible if one.is_found] or possible
        if not possible:
            return None
        whole = all(len(one.sets) == 1 for one in possible)
        rarest = [min(one.sets, key=_share) for one in possible]
        first, last = (
            _all(
                *(
                    texts if texts is one.sets[edge] else {left + text + right for text in texts}
                    for one, texts in zip(possible, rarest, strict=True)
                )
            )
            for edge, left, right in ((0, _BREAK, ""), (-1, "", _BREAK))
        )
        digits = min(one.digits for one in possible)
        return Needs((first,) if whole else (first, last), digits, possible[0].is_found)

    def _repeat(self, least: int, most: int, items: Any) -> Needs | None:  # noqa: ANN401
        if not least and ((most > 1 and len(items) > 1) or most > _MOST_COUNTS):
            return _UNKNOWN
        once = self.sequence(items)
        if once is None:
            return None if least else _NOTHING
        if most > 1 and once.is_found:
            # The other ways may stand beside it.
            return Needs(_UNKNOWN.sets, is_found=True)
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
    """Return what a sign of a class needs."""
    if items[0] == _NOT:
        return _SPACE if _A_WORD_SIGN in items else _UNKNOWN
    signs = "".join(map(_signs, items))
    texts = frozenset(_DIGIT if one.isdecimal() else fold(one) for one in signs)
    is_few = len(texts) <= _MOST_SIGNS and not any(map(str.isspace, signs))
    if _BREAK in signs:
        return _UNKNOWN
    if is_cased and all(one.isascii() and one.isupper() for one in signs):
        return Needs((frozenset({_CAPITAL}),))
    if not (is_few or any(map(_is_of_word, texts))):
        return _SPACE
    if not is_few and all(one.isascii() and one.isalnum() for one in texts):
        return Needs((frozenset({_SIGN}),))
    return Needs((texts,), int(texts == {_DIGIT})) if is_few else _UNKNOWN


def _signs(item: tuple[Any, Any]) -> str:
    """Return the signs of a part of a class; `_BREAK` for others."""
    name, argument = item
    if name is op.LITERAL:
        return chr(argument)
    if name is op.RANGE and chr(argument[1]).isascii():
        return "".join(map(chr, range(argument[0], argument[1] + 1)))
    return {op.CATEGORY_DIGIT: _DIGIT, op.CATEGORY_SPACE: " "}.get(argument, _BREAK)


def _of_word_edge(direction: int, items: Any) -> Needs | None:  # noqa: ANN401
    """Return what is needed where a sign of a word must not stand before, or behind."""
    if not items:
        return None
    ways = items[0][1][1] if items[0][0] is op.BRANCH else [items]
    for *conditions, (name, argument) in filter(None, ways):
        is_sign = name is op.IN and _A_WORD_SIGN in argument and argument[0] != _NOT
        if is_sign and (not conditions or (direction > 0 and _is_behind_word(*conditions))):
            return Needs((frozenset({_START if direction < 0 else _END}),))
    return _NOTHING


def _is_behind_word(condition: tuple[Any, Any], *others: Any) -> bool:  # noqa: ANN401
    r"""Return whether this is ``(?<=\w)``: where a word stands before, none goes on."""
    name, argument = condition
    is_behind = not others and name is op.ASSERT and argument[0] < 0
    return is_behind and [*argument[1]] == [(op.IN, [_A_WORD_SIGN])]


def _all(*sets: Iterable[str]) -> _Texts:
    return frozenset().union(*sets)


def _power(texts: _Texts, count: int) -> _Texts:
    return frozenset(map("".join, product(texts, repeat=count)))


def _is_of_word(sign: str) -> bool:
    return sign in _CLASSES or sign.isalnum() or sign == "_"


@cache
def _atoms(texts: _Texts) -> _Texts:
    """Return what to look for to find one of some texts: their first parts, last or rarest."""
    parts = [[*map(_atom, text.split(_BREAK))] for text in texts]
    ways = [{one[0] for one in parts}, {one[-1] for one in parts}]
    ways.append({min(one, key=_share_of) for one in parts})
    return frozenset(min(ways, key=lambda one: sum(map(_share_of, one))))


@cache
def _atom(part: str) -> str:
    """Return a part of a text from its first letter or other sign on, made short."""
    core = part.replace(_START, "").replace(_END, "").replace(_CAPITAL, _SIGN)
    told = core.lstrip(_DIGIT + _SIGN)
    if len(core) >= _LONG and all(one in _CLASSES or one in _PLAIN for one in core):
        return _SIGN * _LONG
    if not told:
        return _DIGIT * _run({core}) or core
    is_start = told == core and part.lstrip(_END).startswith(_START) and _is_of_word(told[0])
    start = _START if is_start else ""
    if len(told) > _LETTERS and _SIGN not in told:
        return start + told[:_LETTERS]
    is_end = part.rstrip(_START).endswith(_END) and _is_of_word(told[-1])
    return start + told + (_END if is_end else "")


@cache
def _share_of(atom: str) -> float:
    """Return in about which share of messages a text stands."""
    bits = sum(_BITS.get(one, _OF_LETTER if one.isalpha() else _OF_OTHER) for one in atom)
    return min(_SIGNS_OF_MESSAGE * 2 ** -(bits + _OF_ANY_DIGIT * (_DIGIT in atom)), 1)


@cache
def _share(texts: _Texts) -> float:
    return 1 if "" in texts else min(sum(map(_share_of, _atoms(texts))), 1)


def _run(texts: Iterable[str], sign: str = _DIGIT, most: int = _DIGITS) -> int:
    """Return how often a sign stands in a row in each of some texts."""
    return next((n for n in range(most, 0, -1) if all(sign * n in text for text in texts)), 0)


def choose(needs: Sequence[Needs]) -> list[Gates]:
    """Return the gates of several expressions, which are few: one may do for many."""
    runs = [max(map(_run, one.sets)) or int(one.digits > 0) for one in needs]
    told = [_rarest(one.sets, run) for one, run in zip(needs, runs, strict=True)]
    shared: dict[_Texts, None] = {}
    # Those of many texts first, which others may do with.
    for i in sorted(range(len(needs)), key=lambda i: -len(told[i][0]) if told[i] else 0):
        is_rare = needs[i].digits >= _MANY_DIGITS or runs[i] == _DIGITS
        if told[i] and not is_rare:
            limit = max(_COMMONER * _share(told[i][0]), _RARE)
            if not any(_share(one) <= limit for one in _among(shared, told[i])):
                shared[told[i][0]] = None
    return [
        _gates(one, run, sorted(_among(shared, sets), key=_share))
        for one, run, sets in zip(needs, runs, told, strict=True)
    ]


def _gates(needs: Needs, run: int, known: Iterable[_Texts]) -> Gates:
    pieces = [f"[0-9]{{{run}}}"] if run else []
    pieces += map(_written, known)
    capitals = max(_run(texts, _CAPITAL, _CAPITALS) for texts in needs.sets)
    return Gates(tuple(pieces[:2]), f"[A-Z]{{{_CAPITALS}}}" if capitals == _CAPITALS else "")


def _rarest(sets: Iterable[_Texts], run: int) -> list[_Texts]:
    """Return the rarest of some sets, as what to look for, without those that digits do for."""
    atoms = {_atoms(texts) for texts in sets if _share(texts) < 1}
    told = [one for one in atoms if all(text.strip(_DIGIT) or len(text) > run for text in one)]
    return sorted(told, key=lambda one: (_share(one), sorted(one)))[:_MOST_SETS]


def _among(gates: Iterable[_Texts], sets: Sequence[_Texts]) -> list[_Texts]:
    """Return the gates that let through whatever has a text of each of some sets."""
    return [
        gate
        for gate in gates
        if any(all(any(one in text for one in gate) for text in texts) for texts in sets)
    ]


@cache
def _written(texts: _Texts) -> str:
    """Return the expression of any of some texts: first a letter, by which places are found."""
    parts = []
    shortest = (one for one in texts if not any(other in one for other in texts if other != one))
    for (first, is_start), atoms in groupby(sorted(shortest, key=_by_first), key=_by_first):
        behind = "|".join(sorted(map(_behind, atoms)))
        # A class among letters would have each place of the text looked at.
        for sign in "0123456789" if first == _DIGIT else [_CLASSES.get(first) or re.escape(first)]:
            before = rf"(?<!\w{sign})" if is_start else ""
            parts.append(f"{sign}{before}(?:{behind})")
    return "|".join(parts)


def _by_first(atom: str) -> tuple[str, bool]:
    return atom.lstrip(_START)[0], atom.startswith(_START)


def _behind(atom: str) -> str:
    """Return the expression of what stands behind the first letter."""
    runs = ((sign, len([*same])) for sign, same in groupby(atom.strip(_START + _END)[1:]))
    signs = (f"{_CLASSES.get(sign) or re.escape(sign)}{{{count}}}" for sign, count in runs)
    return "".join(signs).replace("{1}", "") + (r"(?!\w)" if atom.endswith(_END) else "")
