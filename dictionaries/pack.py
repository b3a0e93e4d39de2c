"""A language pack: what the rules of a language, or of several together, go by.

A pack is a folder with word lists (`triage.dictionaries.lists`) and ``pack.toml``, whose sections
and keys are those of ``settings.toml``, where each is explained and has its default.
"""

import re
import tomllib
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from .lists import DictionaryError

PACKS = Path(__file__).parent
FRENCH = "fr"
# No dictionary: what is known by its form, and what a corpus tells, alone.
NO_LANGUAGE = "none"
SETTINGS, DEFAULTS = "pack.toml", "settings.toml"
# An expression that never matches.
NEVER = "(?!)"
_TYPE_TEXTS: dict[type, str] = {
    frozenset: "a text of words",
    tuple: "a list of texts",
    str: "a text",
    int: "a whole number",
}
# Values of a section, or of an example, by key; sections by name.
_Values = dict[str, Any]
_Sections = dict[str, _Values]
# Tables whose keys are no settings.
_TABLES = _ABBREVIATIONS, _EXAMPLES = "abbreviations", "examples"


# The values of a section, as attributes.
Section = SimpleNamespace


class Examples(NamedTuple):
    """Messages in which a recogniser finds something, and in which it does not."""

    found: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Pack:
    """The settings of a language, or of several whose words are looked up in each."""

    language: str
    folders: tuple[Path, ...]
    sections: Mapping[str, Section]
    abbreviations: Mapping[str, str]
    examples: Mapping[str, Examples]

    def __getattr__(self, name: str) -> Section:
        # `copy` looks attributes up before there are sections.
        if name == "sections" or name not in self.sections:
            raise AttributeError(f"no section is called {name}")
        return self.sections[name]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that its settings were read from."""
        return PACKS / DEFAULTS, *(folder / SETTINGS for folder in self.folders)

    def location(self, section: str) -> str:
        return ", ".join(f"{folder / SETTINGS}" for folder in self.folders) + f", [{section}]"

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a file of the pack, of all languages that have one."""
        for folder in self.folders:
            if (path := folder / name).exists():
                yield from path.read_text(encoding="utf-8").splitlines()

    def check(self) -> None:
        """Raise DictionaryError for the first country or expression that is wrong."""
        from phonenumbers import SUPPORTED_REGIONS

        for country in self.pack.countries:
            if country.upper() not in SUPPORTED_REGIONS:
                problem = f"{country!r} is no country of ISO 3166, as gb, us and fr are"
                raise DictionaryError(f"{self.location('pack')}: countries: {problem}")
        for name, section in self.sections.items():
            for key, value in vars(section).items():
                try:
                    for expression in value if isinstance(value, tuple) else [value]:
                        re.compile(expression if isinstance(expression, str) else "")
                except re.error as error:
                    problem = f"{self.location(name)}: {key} is no expression: {error}"
                    raise DictionaryError(problem) from None


@cache
def load_pack(language: str = FRENCH) -> Pack:
    folders = pack_folders(language)
    tables_read = [_read(folder / SETTINGS) for folder in folders]
    sections = {}
    for name, keys in _defaults().items():
        section_of_each = [keys | one.get(name, {}) for one in tables_read]
        values = {key: [one[key] for one in section_of_each] for key in keys}
        sections[name] = Section(**{key: _merged(values[key], keys[key], key) for key in keys})
    # Of two languages the first counts.
    tables = (ChainMap(*(one.get(name, {}) for one in tables_read)) for name in _TABLES)
    pack = Pack(language, folders, sections, *map(dict, tables))
    # Those that are shipped are tested.
    if any(folder.parent != PACKS for folder in folders):
        pack.check()
    return pack


def pack_folders(language: str) -> tuple[Path, ...]:
    if language == NO_LANGUAGE:
        return ()
    folders = []
    for name in map(str.strip, language.split(",")):
        # What is written like a path is one, even where a pack has the same name.
        ways = (PACKS / name, Path(name)) if name.isalpha() else (Path(name),)
        folder = next((one for one in ways if name and (one / SETTINGS).is_file()), None)
        if folder is None:
            known = ", ".join(shipped_languages())
            raise DictionaryError(
                f"no dictionaries for the language {name!r}; there are: {known}, {NO_LANGUAGE}, or "
                f"the folder of your own pack, which holds {SETTINGS}"
            )
        folders.append(folder)
    return tuple(folders)


def any_of(expressions: Iterable[str]) -> str:
    """Return an expression for any of several, of which the first that matches counts."""
    return f"(?:{'|'.join(expressions) or NEVER})"


def pairs(listed: Iterable[str]) -> dict[str, str]:
    """Parse texts such as ``short=full``."""
    return {short: full for short, _, full in (one.partition("=") for one in listed)}


def shipped_languages() -> list[str]:
    return sorted(path.parent.name for path in PACKS.glob(f"*/{SETTINGS}"))


def require_known(known_names: Iterable[str], name: str, problem: str) -> None:
    """Raise DictionaryError with the nearest known name, or all of them, for another name."""
    names = [*known_names]
    if name not in names:
        near = get_close_matches(name, names, 1, 0.5)
        way_out = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names)}"
        raise DictionaryError(f"{problem} {name!r}: {way_out}")


@cache
def _defaults() -> _Sections:
    """Return the keys of each section with their defaults, whose types their values have."""
    sections = tomllib.loads((PACKS / DEFAULTS).read_text(encoding="utf-8"))
    del sections[_ABBREVIATIONS]
    for keys in sections.values():
        for key, value in keys.items():
            if isinstance(value, list):
                keys[key] = tuple(value)
            elif str(value).isspace():
                keys[key] = frozenset()
    return sections


def _read(path: Path) -> _Sections:
    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DictionaryError(f"{path} cannot be read: {reason}") from None
    defaults, sections = _defaults(), _Sections()
    for name, table in tables.items():
        require_known([*defaults, *_TABLES], name, f"{path}: no section is called")
        if not isinstance(table, dict):
            raise DictionaryError(f"{path}: {name} is a section: write [{name}]")
        if name == _ABBREVIATIONS:
            words = _values(table, dict.fromkeys(table, frozenset()), f"{path}, [{name}]")
            sections[name] = {short: full for full, shorts in words.items() for short in shorts}
        elif name == _EXAMPLES:
            sections[name] = {
                key: Examples(**_values(one, Examples._field_defaults, f"{path}, [{name}.{key}]"))
                for key, one in table.items()
            }
        else:
            sections[name] = _values(table, defaults[name], f"{path}, [{name}]")
    return sections


def _values(table: object, defaults: Mapping[str, Any], where: str) -> _Values:
    if not isinstance(table, dict):
        raise DictionaryError(f"{where} is no section")
    for key in table:
        require_known(defaults, key, f"{where}: no key is called")
    return {key: _value(value, defaults[key], f"{where}: {key}") for key, value in table.items()}


def _value(value: object, default: object, where: str) -> Any:  # noqa: ANN401
    match default:
        case frozenset() if isinstance(value, str):
            return frozenset(value.split())
        case tuple() if isinstance(value, str):
            return tuple(value.split())
        case tuple() if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        case str() if isinstance(value, str):
            return value
        case int() if type(value) is int:
            return value
    raise DictionaryError(f"{where} is {_TYPE_TEXTS[type(default)]}")


def _merged(values: Iterable[Any], default: Any, key: str) -> Any:  # noqa: ANN401
    """Merge the values of a key, one of each language; defaults do not count."""
    given = [one for one in dict.fromkeys(values) if one != default]
    if len(given) <= 1:
        return given[0] if given else default
    match default:
        case frozenset():
            return default.union(*given)
        # The months stand at their places in each language.
        case tuple() if key in ("months", "names"):
            return tuple(map("|".join, zip(*given, strict=True)))
        case tuple():
            return tuple(dict.fromkeys(chain.from_iterable(given)))
        case str():
            # Of expressions any may match; letters and conditions are joined.
            return "|".join(f"(?:{one})" for one in given) if default == NEVER else "".join(given)
    return max(given)
