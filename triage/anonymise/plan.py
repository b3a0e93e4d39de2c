"""The plan of treatment: what becomes of each type of identifier, of spellings and of columns.

Its file is TOML, a table for each matter and a key for each setting.
"""

import json
import textwrap
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

from triage.dictionaries.lists import read_words
from triage.dictionaries.phrases import FoundPhrase, Phrases, phrase_key

from .. import settings
from ..decide.find import Found, Identifier, Rule, without_overlaps
from ..errors import TriageError
from ..safe import read_file
from ..settings import OfType, Setting, SettingError, StyleName, Treatment, check_names
from ..vocabulary import SEVERITIES, IdentifierType, Severity

Choice = TypeVar("Choice", bound=StrEnum)
_TABLES = ("general", "types", "styles", "severity", "lists", "columns", "files", "options")
_BY_TYPE = ("types", "styles", "severity")
_comment = partial(textwrap.wrap, width=96, initial_indent="# ", subsequent_indent="# ")


@dataclass(frozen=True)
class Plan:
    """A treatment, with its tables by type and the spellings of its lists: what becomes of each."""

    treatment: Treatment = field(default_factory=Treatment)
    types: Mapping[IdentifierType, OfType] = field(
        default_factory=lambda: dict.fromkeys(IdentifierType, OfType.REPLACE)
    )
    styles: Mapping[IdentifierType, StyleName] = field(default_factory=dict)
    severity: Mapping[IdentifierType, Severity] = field(default_factory=SEVERITIES.copy)
    # Spellings that are always replaced as one type, and None those that never are.
    listed: Mapping[str, IdentifierType | None] = field(default_factory=dict)
    read_from: tuple[Path, ...] = ()

    @classmethod
    def of(cls, treatment: Treatment) -> "Plan":
        """Return the plan of a treatment, whose lists are read."""
        default, files = cls(), list[tuple[str | None, Path]]()
        files += [(None, Path(path)) for path in treatment.never_files]
        always = treatment.always_files.items()
        files += [(type_, Path(path)) for type_, paths in always for path in paths]
        return cls(
            treatment,
            {**default.types, **_of_types(treatment.types, OfType, "types")},
            _of_types(treatment.styles, StyleName, "styles"),
            {**default.severity, **_of_types(treatment.severity, Severity, "severity")},
            _listed(treatment, files),
            tuple(path for _, path in files),
        )

    def with_settings(self, given: Mapping[str, Any]) -> "Plan":
        """Return the plan with settings of treatment that win over its own.

        A style that is given is that of all types.
        """
        plan, tables = replace(self, treatment=replace(self.treatment, **given)), _settings()
        by_type = (one for table in (*_BY_TYPE, "lists") for one in tables[table].values())
        if any(one.name in given for one in by_type):
            plan = Plan.of(plan.treatment)
            plan = replace(plan, read_from=(*self.read_from, *plan.read_from))
        return replace(plan, styles={}) if "style" in given else plan

    def style_of(self, type_: IdentifierType) -> StyleName:
        return self.styles.get(type_, self.treatment.style or StyleName.TAG)

    @property
    def used_styles(self) -> frozenset[StyleName]:
        return frozenset(map(self.style_of, IdentifierType))

    @property
    def keyed_styles(self) -> frozenset[StyleName]:
        """The styles in use that need a key."""
        return self.used_styles & {StyleName.CONSISTENT, StyleName.SURROGATE}

    @property
    def style(self) -> str:
        """The style of all types, and in brackets those of some."""
        usual = self.treatment.style or StyleName.TAG
        others = ", ".join(f"{one}: {name}" for one, name in self.styles.items() if name != usual)
        return f"{usual} ({others})" if others else usual.value

    def recorded(self) -> dict[str, str]:
        """Return the plan for the record: types that stay or are asked about, and counts."""
        kept, asked = (
            ", ".join(type_ for type_ in self.types if self.types[type_] is treatment)
            for treatment in (OfType.KEEP, OfType.ASK)
        )
        n_always = sum(map(bool, self.listed.values()))
        return {
            "types kept": kept or "none",
            "types asked about": asked or "none",
            "spellings always": str(n_always),
            "spellings never": str(len(self.listed) - n_always),
        }

    @cached_property
    def _listed_in(self) -> Callable[[str], list[FoundPhrase[IdentifierType | None]]]:
        # Of a text each identifier is asked about.
        return lru_cache(1)(Phrases(self.listed).find)

    def found_always(self, text: str) -> list[Identifier]:
        return [
            Identifier(one.start, one.end, one.value, Rule.ALWAYS)
            for one in self._listed_in(text)
            if one.value
        ]

    def treat(self, found: Found, text: str) -> Found:
        """Return the findings of a message with those that are kept or asked about told apart."""
        if not (self._listed_in(text) or found.identifiers):
            return found
        treated: list[tuple[Identifier, OfType]] = []
        for one in without_overlaps([*found.identifiers, *self.found_always(text)], text):
            choice = self.types.get(one.type, OfType.REPLACE)
            if one.rule == Rule.ALWAYS or (one.rule == Rule.EXPERT and choice is OfType.ASK):
                # A person has answered already.
                choice = OfType.REPLACE
            elif one.rule != Rule.EXPERT and self.stays(one.start, one.end, None, text):
                choice = OfType.KEEP
            treated.append((one, choice))
        return replace(
            found,
            identifiers=[one for one, choice in treated if choice is not OfType.KEEP],
            kept=[one for one, choice in treated if choice is OfType.KEEP],
            is_asked=any(choice is OfType.ASK for _, choice in treated),
        )

    def stays(self, start: int, end: int, type_: IdentifierType | None, text: str) -> bool:
        """Return whether part of a text stays: it is of a type that does, or in a spelling."""
        if type_ and self.types.get(type_) is OfType.KEEP:
            return True
        listed = self._listed_in(text)
        n = bisect_right(listed, start, key=lambda one: one.start)
        return any(one.value is None and end <= one.end for one in listed[max(0, n - 1) : n])


def _of_types(
    table: Mapping[str, object], kind: type[Choice], name: str
) -> dict[IdentifierType, Choice]:
    check_names(table, IdentifierType, f"type of identifiers in [{name}]")
    return {
        IdentifierType(key): settings.choice(kind, value, f"[{name}] {key}")
        for key, value in table.items()
    }


def _listed(
    treatment: Treatment, files: Iterable[tuple[str | None, Path]]
) -> dict[str, IdentifierType | None]:
    """Return the listed spellings with the types as which they are replaced, if they are."""
    problem_key, always = "type of identifiers in [lists.{}]", treatment.always
    check_names(always, IdentifierType, problem_key.format("always"))
    check_names(treatment.always_files, IdentifierType, problem_key.format("always-files"))
    lists: list[tuple[str | None, str, Iterable[str]]] = [
        (None, "[lists] never, entry {},", treatment.never),
        *((type_, f"[lists] always.{type_}, entry {{}},", always[type_]) for type_ in always),
        *((type_, f"an entry of {path}", read_words(path)) for type_, path in files),
    ]
    known: dict[tuple[str, ...], IdentifierType | None] = {}
    listed: dict[str, IdentifierType | None] = {}
    for type_, place, entries in lists:
        kind = IdentifierType(type_) if type_ else None
        for number, entry in enumerate(entries, 1):
            key = phrase_key(entry)
            if not key:
                raise SettingError(f"{place.format(number)} is empty")
            if known.setdefault(key, kind) != kind:
                problem = "is listed otherwise before: list each spelling once"
                raise SettingError(f"{place.format(number)} {problem}")
            listed[entry] = kind
    return listed


def _settings() -> dict[str, dict[str, Setting]]:
    """Return the settings that a plan may have, by table and key."""
    by_table: dict[str, dict[str, Setting]] = {table: {} for table in _TABLES}
    for record in settings.RECORDS:
        for one in settings.settings_of(record).values():
            by_table[one.table or one.key][one.key] = one
    return by_table


def read_plan(
    path: Path | None = None, *, without: Iterable[str] = (), given: Iterable[str] = ()
) -> tuple[Plan, dict[str, Any]]:
    """Read a plan and all its settings by name, over which those win that are `given`."""
    try:
        values: dict[str, Any] = {}
        if path:
            tables = tomllib.loads(read_file(path).decode("utf-8-sig"))
            values = _values(tables, path.parent, {*without})
        values |= _values(_tables_of(given), Path(), set())
        names = {name: values[name] for name in settings.settings_of(Treatment) if name in values}
        plan = Plan.of(Treatment(**names))
        return replace(plan, read_from=(*([path] if path else []), *plan.read_from)), values
    except tomllib.TOMLDecodeError as error:
        problem = f"{path} is no TOML file: {error}"
    except UnicodeDecodeError:
        problem = f"cannot read the plan {path}: it is not UTF-8 text"
    except OSError as error:
        problem = f"cannot read the plan {path}: {error.strerror}"
    except SettingError as error:
        problem = f"{path or '--plan'}: {error}"
    raise TriageError(problem, "plan_unreadable", file=path)


def _tables_of(given: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return settings that were written ``key=value`` as the tables of a plan."""
    known = {key: setting for table in _settings().values() for key, setting in table.items()}
    tables: dict[str, dict[str, Any]] = {}
    for key, _, value in (one.partition("=") for one in given):
        check_names([key], known, "setting")
        setting, parsed = known[key], cast(Any, value)
        if setting.kind in (bool, int) or value.startswith("["):
            with suppress(ValueError):
                parsed = json.loads(value)
        table = tables.setdefault(setting.table or key, {})
        texts = parsed if isinstance(parsed, list) else [parsed]
        table[key] = [*table.get(key, []), *texts] if setting.shape is tuple else parsed
    return tables


def _values(tables: Mapping[str, Any], folder: Path, without: set[str]) -> dict[str, Any]:
    table_of = {key: table for table, known in _settings().items() for key in known}
    for name in tables:
        if name not in _TABLES and name in table_of:
            raise SettingError(f"{name!r} is a key of the table [{table_of[name]}]: write it there")
    check_names(tables, _TABLES, "table")
    values = {}
    for table, known in _settings().items():
        if table in _BY_TYPE:
            entries = {table: tables[table]} if table in tables else {}
        else:
            entries = tables.get(table, {})
        if not isinstance(entries, Mapping):
            raise SettingError(f"[{table}] is a table, with a key and a value on each line")
        check_names(entries, () if table in without else known, f"key in [{table}]")
        for key, value in entries.items():
            setting = known[key]
            where = f"[{table}.{key}]" if setting.shape is Mapping else f"[{table}] {key}"
            texts = value if isinstance(value, list) else [value]
            paths = [*map(Path, map(str, texts))] if setting.holds_words else value
            checked = setting.checked(paths, f"[{table}]" if table in _BY_TYPE else where)
            values[setting.name] = _resolved(checked, folder) if setting.is_path else checked
    return values


def _resolved(value: Any, folder: Path) -> Any:  # noqa: ANN401
    """Return a path of the plan, or several, as seen from here; - is a standard stream."""
    if isinstance(value, tuple):
        return tuple(_resolved(one, folder) for one in value)
    if isinstance(value, dict):
        return {key: _resolved(one, folder) for key, one in value.items()}
    if isinstance(value, Path):
        return folder / value
    return value if value == "-" else str(folder / value)


def plan_text(plan: Plan) -> str:
    """Return a plan as TOML, with its lists, without options and what is as by default."""
    default, given = Plan(), settings.changed(plan.treatment)
    never, always = dict[str, list[str]](), dict[str, list[str]]()
    for spelling, kind in plan.listed.items():
        (always if kind else never).setdefault(kind or "never", []).append(spelling)
    tables: dict[str, Mapping[str, object]] = {}
    for name, of_table in _settings().items():
        if name in _BY_TYPE:
            chosen, usual = getattr(plan, name), getattr(default, name)
            tables[name] = {kind: one for kind, one in chosen.items() if one != usual.get(kind)}
        elif name == "lists":
            tables |= {name: never, "lists.always": always}
        elif name in ("general", "columns"):
            chosen = (one for one in of_table.values() if one.name in given)
            tables[name] = {one.key: given[one.name] for one in chosen}
    return "\n".join(
        "\n".join([f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items()), ""])
        for name, table in tables.items()
        if table
    )


def plan_shown() -> str:
    """Return the default plan as TOML, with a comment for each key."""
    lines = _comment(
        "A plan of treatment for triage anonymise --plan. A key that is left out has the value "
        "that it has here; what the command line says wins. The types of identifiers are in "
        "docs/reference/types.md. Paths are relative to the folder of the plan."
    )
    by_type: Mapping[str, Mapping[Any, Any]] = vars(Plan())
    for table, of_table in _settings().items():
        lines += ["", f"[{table}]"]
        for one in of_table.values():
            lines += _comment(one.help.replace("; repeatable", ""))
            if table in _BY_TYPE:
                lines += [f"{type_} = {_toml(value)}" for type_, value in by_type[table].items()]
            elif one.shape is Mapping:
                lines.append(f"# [{table}.{one.key}]")
            else:
                value = one.default
                lines.append(f"# {one.key} = …" if value is None else f"{one.key} = {_toml(value)}")
    return "\n".join(lines)


def _toml(value: object) -> str:
    """Return a bool, a number, a text or texts, which TOML writes as JSON does but for DEL."""
    written = json.dumps([*value] if isinstance(value, tuple) else value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")
