"""The file of a plan of treatment: TOML, a table for each matter and a key for each option.

`triage plan show` prints the default one with a comment for each key.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

from triage.dictionaries.lists import read_words
from triage.dictionaries.phrases import phrase_key

from ..errors import TriageError
from ..safe import read_file
from ..vocabulary import IdentifierType, Severity
from .columns import Columns
from .plan import General, Plan
from .styles import StyleName
from .treatment import Treatment


class Section(StrEnum):
    """The tables of a plan."""

    GENERAL = "general"
    TYPES = "types"
    STYLES = "styles"
    SEVERITY = "severity"
    LISTS = "lists"
    COLUMNS = "columns"
    FILES = "files"
    OPTIONS = "options"


class ListKey(StrEnum):
    """The keys of the lists of spellings."""

    NEVER = "never"
    NEVER_FILES = "never-files"
    ALWAYS = "always"
    ALWAYS_FILES = "always-files"


Further = Mapping[Section, Mapping[str, type]]
"""Keys of tables that are options of the command line only, with the type of their values."""


def key_of(name: str) -> str:
    """Return the key of a field, which is the name of its option."""
    return name.replace("_", "-")


def read_plan(path: Path, further: Further) -> Plan:
    r"""Read a plan; paths in it are relative to its folder."""
    try:
        tables = tomllib.loads(read_file(path).decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise TriageError(
            f"{path} is no TOML file: {error}",
            "plan_unreadable",
            file=path,
        ) from None
    except UnicodeDecodeError:
        raise TriageError(
            f"cannot read the plan {path}: it is not UTF-8 text",
            "plan_unreadable",
            file=path,
        ) from None
    except OSError as error:
        raise TriageError(
            f"cannot read the plan {path}: {error.strerror}",
            "plan_unreadable",
            file=path,
        ) from None
    return _Reader(path, tables, further).plan()


class _Reader:
    """Reads the tables of a plan; each error names the file, the table and the key."""

    def __init__(self, path: Path, tables: Mapping[str, object], further: Further) -> None:
        self._path = path
        self._further = further
        self._known(tables, Section, "table")
        self._tables = {
            section: self._table(tables.get(section, {}), f"[{section}]") for section in Section
        }
        self._read_from = [path]

    def plan(self) -> Plan:
        """Return the plan; a key that is left out has its default."""
        default, listed = Plan(), self._listed()
        return Plan(
            General(**self._settings(Section.GENERAL, General)),
            {**default.types, **self._by_type(Section.TYPES, Treatment)},
            self._by_type(Section.STYLES, StyleName),
            {**default.severity, **self._by_type(Section.SEVERITY, Severity)},
            {entry: type_ for entry, type_ in listed.items() if type_},
            tuple(entry for entry, type_ in listed.items() if not type_),
            Columns(**self._settings(Section.COLUMNS, Columns)),
            dict(self._options()),
            tuple(self._read_from),
        )

    def _by_type(self, section: Section, kind: type[StrEnum]) -> dict[IdentifierType, Any]:
        table = self._tables[section]
        self._known(table, IdentifierType, f"type of identifiers in [{section}]")
        return {
            IdentifierType(key): self._value(value, kind, f"[{section}] {key}")
            for key, value in table.items()
        }

    def _settings(self, section: Section, group: type) -> dict[str, Any]:
        """Return the values of the fields of a dataclass that a table has."""
        table, hints = self._tables[section], get_type_hints(group)
        kinds = {key_of(name): kind for name, kind in hints.items()}
        self._known(table, [*kinds, *self._further.get(section, ())], f"key in [{section}]")
        return {
            name: self._value(table[key_of(name)], kind, f"[{section}] {key_of(name)}")
            for name, kind in hints.items()
            if key_of(name) in table
        }

    def _options(self) -> Iterator[tuple[str, object]]:
        """Yield the further options of the command line that the plan has."""
        for section, kinds in self._further.items():
            table = self._tables[section]
            if section in (Section.FILES, Section.OPTIONS):
                self._known(table, kinds, f"key in [{section}]")
            for key, kind in kinds.items():
                if key in table:
                    value = self._value(table[key], kind, f"[{section}] {key}")
                    yield key, self._resolved(value) if section is Section.FILES else value

    def _resolved(self, value: Any) -> Any:  # noqa: ANN401
        """Return a path of the plan, or several, as seen from here; - is a standard stream."""
        if isinstance(value, tuple):
            return tuple(map(self._resolved, value))
        return value if value == "-" else str(self._path.parent / value)

    def _listed(self) -> dict[str, IdentifierType | None]:
        """Return the listed spellings with the types as which they are replaced, if they are."""
        known: dict[tuple[str, ...], IdentifierType | None] = {}
        listed: dict[str, IdentifierType | None] = {}
        for entry, type_, where in self._entries():
            key = phrase_key(entry)
            if not key:
                raise self._error(f"{where} is empty")
            if known.setdefault(key, type_) != type_:
                raise self._error(f"{where} is listed otherwise before: list each spelling once")
            listed[entry] = type_
        return listed

    def _entries(self) -> Iterator[tuple[str, IdentifierType | None, str]]:
        """Yield each spelling of the lists with its type, and where it is listed."""
        table = self._tables[Section.LISTS]
        self._known(table, ListKey, f"key in [{Section.LISTS}]")
        for key, value in table.items():
            where = f"[{Section.LISTS}] {key}"
            if key in (ListKey.NEVER, ListKey.NEVER_FILES):
                yield from self._of_list(ListKey(key), value, None, where)
                continue
            by_type = self._table(value, f"[{Section.LISTS}.{key}]")
            self._known(by_type, IdentifierType, f"type of identifiers in [{Section.LISTS}.{key}]")
            for type_, entries in by_type.items():
                yield from self._of_list(
                    ListKey(key), entries, IdentifierType(type_), f"{where}.{type_}"
                )

    def _of_list(
        self, key: ListKey, value: object, type_: IdentifierType | None, where: str
    ) -> Iterator[tuple[str, IdentifierType | None, str]]:
        for number, entry in enumerate(self._value(value, tuple, where), 1):
            if key in (ListKey.ALWAYS, ListKey.NEVER):
                yield entry, type_, f"{where}, entry {number},"
                continue
            path = self._path.parent / entry
            self._read_from.append(path)
            yield from (
                (word, type_, f"{where}, an entry of {entry},") for word in read_words(path)
            )

    def _table(self, value: object, name: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self._error(f"{name} is a table, with a key and a value on each line")
        return value

    def _value(self, value: object, kind: Any, where: str) -> Any:  # noqa: ANN401
        """Return a value as what it is to be: a choice, a bool, a number, a text, or texts."""
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            if isinstance(value, str) and value in [*kind]:
                return kind(value)
            raise self._error(f"{where} cannot be {value!r}{_instead(value, kind)}")
        if kind in (tuple, tuple[str, ...]):
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                return tuple(value)
            raise self._error(f'{where} is a list of texts, such as ["one", "another"]')
        plain = kind if kind in (bool, int) else str
        if type(value) is not plain:
            raise self._error(f"{where} is {_WRITTEN[plain]}")
        return value

    def _known(self, names: Iterable[str], known: Iterable[str], what: str) -> None:
        """Check that names are known."""
        choices = [*known]
        for name in names:
            if name not in choices:
                raise self._error(f"there is no {what} called {name!r}{_instead(name, choices)}")

    def _error(self, problem: str) -> TriageError:
        return TriageError(f"{self._path}: {problem}", "plan_unreadable", file=self._path)


_WRITTEN = {bool: "true or false", int: "a whole number", str: 'a text, such as "one"'}


def _instead(name: object, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the nearest known one, or all."""
    by_look = {key_of(one).lower(): one for one in known}
    near = get_close_matches(key_of(str(name)).lower(), by_look, n=1)
    if near:
        return f"; did you mean {str(by_look[near[0]])!r}?"
    return f"; there are: {', '.join(by_look.values())}"
