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
    parsed = _parser.parse(form)
    state, names = parsed.state, [""] * parsed.state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    # What `re.compile` hands over.
    code = (
        *(form, int(state.flags), [*map(int, _compiler._code(parsed, 0))], state.groups - 1),
        *(dict(state.groupdict), tuple(name or None for name in names)),
    )
    needs, beside = needs_of(form), needs_of(near)
    if not (needs and beside):
        return code, [()], 0
    sets = gates_of(needs._replace(sets=needs.sets + beside.sets))
    return code, [*map(tuple, map(sorted, sets))], max(needs.digits, digits)
