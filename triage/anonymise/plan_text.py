"""A plan of treatment as TOML, which `read_plan` reads."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import StrEnum

from ..vocabulary import IdentifierType
from .plan import Plan
from .plan_file import ListKey, Section, key_of


def plan_text(plan: Plan) -> str:
    """Return a plan as TOML; what is as in the default plan is left out."""
    default = Plan()
    tables: list[tuple[str, Mapping[str, object]]] = [
        (Section.GENERAL, dict(_settings(plan.general, default.general))),
        (Section.TYPES, _changed(plan.types, default.types)),
        (Section.STYLES, _changed(plan.styles, {})),
        (Section.SEVERITY, _changed(plan.severity, default.severity)),
        (Section.LISTS, {"never": plan.never} if plan.never else {}),
        (f"{Section.LISTS}.{ListKey.ALWAYS}", _by_type(plan.always)),
        (Section.COLUMNS, dict(_settings(plan.columns, default.columns))),
    ]
    written = (
        "\n".join([f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items()), ""])
        for name, table in tables
        if table
    )
    return "\n".join(written)


def _settings(group: object, default: object) -> Iterator[tuple[str, object]]:
    for one in fields(group):  # type: ignore[arg-type]
        value = getattr(group, one.name)
        if value != getattr(default, one.name):
            yield key_of(one.name), value


def _changed(
    values: Mapping[IdentifierType, StrEnum], default: Mapping[IdentifierType, StrEnum]
) -> dict[str, object]:
    return {kind: value for kind, value in values.items() if value != default.get(kind)}


def _by_type(always: Mapping[str, IdentifierType]) -> dict[str, object]:
    found: dict[str, list[str]] = {}
    for spelling, kind in always.items():
        found.setdefault(kind.value, []).append(spelling)
    return {**found}


def _toml(value: object) -> str:
    """Return a bool, a number, a text or texts, which TOML writes as JSON does but for DEL."""
    written = json.dumps([*value] if isinstance(value, tuple) else value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")
