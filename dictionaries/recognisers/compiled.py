"""Expressions as `re` compiles them, and what they need: kept, since all take half a second."""

import _sre  # type: ignore[import-not-found]
import marshal
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from triage.dictionaries.cache import cached
from triage.dictionaries.recognisers import gates
from triage.dictionaries.recognisers.gates import Texts, gates_of, needs_of


class Expression(NamedTuple):
    """An expression, what some piece of its message has, and the fewest digits, beside it."""

    form: str
    near: str = ""
    digits: int = 0


class Compiled(NamedTuple):
    """An expression with the texts and the digits that it needs."""

    form: re.Pattern[str]
    gates: tuple[Texts, ...]
    digits: int

    @property
    def can_match(self) -> bool:
        """Return whether it matches anything: not if a text of none is needed."""
        return all(self.gates)


def compiled(expressions: Sequence[Expression]) -> list[Compiled]:
    """Return expressions compiled, from the cache if they are the same."""
    made_by = sys.version, Path(gates.__file__).read_text(encoding="utf-8"), expressions
    told = cached("recognisers", made_by, lambda: marshal.dumps([*map(_told, expressions)]))
    return [_made(*one) for one in marshal.loads(told)]  # noqa: S302 (see `cached`)


def compiled_anew(expression: Expression) -> Compiled:
    """Return an expression compiled, which is not kept."""
    return _made(*_told(expression))


def _made(code: tuple[Any, ...], sets: list[tuple[str, ...]], digits: int) -> Compiled:
    return Compiled(_sre.compile(*code), tuple(map(frozenset, sets)), digits)


def _told(expression: Expression) -> tuple[Any, ...]:
    """Return what is computed of an expression, as plain data: code, gates, and how many digits."""
    needs, near = needs_of(expression.form), needs_of(expression.near)
    if not (needs and near):
        return _code_of(expression.form), [()], 0
    sets = gates_of(needs._replace(sets=needs.sets + near.sets))
    digits = max(needs.digits, expression.digits)
    return _code_of(expression.form), [*map(tuple, map(sorted, sets))], digits


def _code_of(expression: str) -> tuple[Any, ...]:
    """Return what `re.compile` hands over of an expression."""
    parsed = _parser.parse(expression)
    state, names = parsed.state, [""] * parsed.state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    code = [*map(int, _compiler._code(parsed, 0))]
    named = tuple(name or None for name in names)
    return expression, int(state.flags), code, state.groups - 1, dict(state.groupdict), named
