"""Expressions as `re` compiles them, and what they need: kept, since all take half a second."""

import _sre  # type: ignore[import-not-found]
import marshal
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

from triage.dictionaries.cache import cached
from triage.dictionaries.recognisers import gates
from triage.dictionaries.recognisers.gates import Texts, gates_of, needs_of

# An expression, what some piece of its message has, and the fewest digits, beside it.
Expression = tuple[str, str, int]
# The expression compiled, with the texts and the digits that it needs: a text of none if it never
# matches.
Compiled = tuple[re.Pattern[str], tuple[Texts, ...], int]


def compiled(expressions: Sequence[Expression]) -> list[Compiled]:
    """Return expressions compiled, from the cache if they are the same."""
    made_by = sys.version, Path(gates.__file__).read_text(encoding="utf-8"), expressions
    told = cached("recognisers", made_by, lambda: marshal.dumps([*map(_told, expressions)]))
    return [_made(*one) for one in marshal.loads(told)]  # noqa: S302 (see `cached`)


def compiled_anew(expression: str) -> Compiled:
    """Return an expression compiled, which is not kept."""
    return _made(*_told((expression, "", 0)))


def _made(code: tuple[Any, ...], sets: list[tuple[str, ...]], digits: int) -> Compiled:
    return _sre.compile(*code), tuple(map(frozenset, sets)), digits


def _told(expression: Expression) -> tuple[Any, ...]:
    """Return what is computed of an expression, as plain data: code, gates, and how many digits."""
    form, near, digits = expression
    needs, beside = needs_of(form), needs_of(near)
    if not (needs and beside):
        return _code_of(form), [()], 0
    sets = gates_of(needs._replace(sets=needs.sets + beside.sets))
    return _code_of(form), [*map(tuple, map(sorted, sets))], max(needs.digits, digits)


def _code_of(expression: str) -> tuple[Any, ...]:
    """Return what `re.compile` hands over of an expression."""
    parsed = _parser.parse(expression)
    state, names = parsed.state, [""] * parsed.state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    code = [*map(int, _compiler._code(parsed, 0))]
    named = tuple(name or None for name in names)
    return expression, int(state.flags), code, state.groups - 1, dict(state.groupdict), named
