"""A language pack: what the rules of a language, or of several together, go by.

A pack is a folder with word lists (`triage.dictionaries.lists`) and ``pack.toml``, whose sections
and keys are those of `triage.dictionaries.sections`.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache, reduce
from pathlib import Path
from typing import Any, NamedTuple

from triage.dictionaries import sections as of
from triage.dictionaries.errors import DictionaryError

PACKS = Path(__file__).parent
FRENCH = "fr"
# No dictionary: what is known by its form, and what a corpus tells, alone.
NO_LANGUAGE = "none"
SETTINGS = "pack.toml"


class Examples(NamedTuple):
    """Messages in which a recogniser finds something, and in which it does not."""

    found: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Pack:
    """The settings of a language, or of several whose words are looked up in each."""

    language: str
    folders: tuple[Path, ...] = ()
    pack: of.About = field(default_factory=of.About)
    words: of.Splitting = field(default_factory=of.Splitting)
    spelling: of.SpellingWords = field(default_factory=of.SpellingWords)
    codes: of.Codes = field(default_factory=of.Codes)
    passwords: of.Passwords = field(default_factory=of.Passwords)
    streets: of.StreetForms = field(default_factory=of.StreetForms)
    addresses: of.AddressWords = field(default_factory=of.AddressWords)
    announced: of.Announced = field(default_factory=of.Announced)
    iban: of.Accounts = field(default_factory=of.Accounts)
    card: of.Cards = field(default_factory=of.Cards)
    nir: of.SocialSecurity = field(default_factory=of.SocialSecurity)
    plate: of.Plates = field(default_factory=of.Plates)
    company: of.Companies = field(default_factory=of.Companies)
    crypto: of.Crypto = field(default_factory=of.Crypto)
    handles: of.Handles = field(default_factory=of.Handles)
    mail: of.Mail = field(default_factory=of.Mail)
    meetings: of.Meetings = field(default_factory=of.Meetings)
    network: of.Network = field(default_factory=of.Network)
    places: of.Coordinates = field(default_factory=of.Coordinates)
    dates: of.Dates = field(default_factory=of.Dates)
    birth: of.Births = field(default_factory=of.Births)
    ages: of.Ages = field(default_factory=of.Ages)
    postcodes: of.Postcodes = field(default_factory=of.Postcodes)
    titles: of.Titles = field(default_factory=of.Titles)
    public: of.Public = field(default_factory=of.Public)
    schools: of.Schools = field(default_factory=of.Schools)
    residences: of.Residences = field(default_factory=of.Residences)
    employers: of.Employers = field(default_factory=of.Employers)
    quantities: of.Quantities = field(default_factory=of.Quantities)
    telephone: of.Telephone = field(default_factory=of.Telephone)
    numbers: of.Numbers = field(default_factory=of.Numbers)
    entities: of.Entities = field(default_factory=of.Entities)
    signatures: of.Signatures = field(default_factory=of.Signatures)
    surrogates: of.Surrogates = field(default_factory=of.Surrogates)
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, Examples] = field(default_factory=dict)

    def where(self, section: str) -> str:
        """Return where a section stands, for an error."""
        return ", ".join(f"{folder / SETTINGS}" for folder in self.folders) + f", [{section}]"

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a file of the pack, of all languages that have one."""
        for folder in self.folders:
            if (path := folder / name).exists():
                yield from path.read_text(encoding="utf-8").splitlines()

    @property
    def expressions(self) -> Iterator[tuple[str, str, str]]:
        """Each expression, with its section and key."""
        for section, keys in _SECTIONS.items():
            for key in keys:
                value = getattr(getattr(self, section), key)
                listed = (value,) if isinstance(value, str) else value
                yield from (
                    (section, key, one) for one in (listed if isinstance(listed, tuple) else ())
                )

    def check_expressions(self) -> None:
        """Raise DictionaryError for the first expression that is none."""
        for section, key, expression in self.expressions:
            try:
                re.compile(expression)
            except re.error as error:
                raise DictionaryError(
                    f"{self.where(section)}: {key} is no expression: {error}"
                ) from None


_NOTHING = Pack("")
# The keys of each section, with their defaults.
_SECTIONS: dict[str, dict[str, Any]] = {
    name: {key.name: key.default for key in fields(section)}
    for name, section in vars(_NOTHING).items()
    if is_dataclass(section)
}
_ABBREVIATIONS, _EXAMPLES = "abbreviations", "examples"


@cache
def load_pack(language: str = FRENCH) -> Pack:
    """Load the settings of a language."""
    folders = pack_folders(language)
    read = [_read(folder / SETTINGS) for folder in folders]
    return replace(reduce(_together, read, Pack("")), language=language, folders=folders)


def pack_folders(language: str) -> tuple[Path, ...]:
    """Return the folders of the packs of a language, as for `load_pack`."""
    if language == NO_LANGUAGE:
        return ()
    return tuple(_folder(name.strip()) for name in language.split(","))


def pairs(listed: Iterable[str]) -> dict[str, str]:
    """Return what is written as ``short=full``."""
    split = (one.partition("=") for one in listed)
    return {short: full for short, _, full in split}


def shipped_languages() -> list[str]:
    """Return the languages of the packs that are shipped."""
    return sorted(path.parent.name for path in PACKS.glob(f"*/{SETTINGS}"))


def _folder(name: str) -> Path:
    # What is written like a path is one, even where a pack has the same name.
    shipped = PACKS / name
    for folder in (shipped, Path(name)) if name.isalpha() else (Path(name),):
        if name and (folder / SETTINGS).is_file():
            return folder
    known = ", ".join(shipped_languages())
    raise DictionaryError(
        f"no dictionaries for the language {name!r}; there are: {known}, {NO_LANGUAGE}, or the "
        f"folder of your own pack, which holds {SETTINGS}"
    )


def _read(path: Path) -> Pack:
    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DictionaryError(f"{path} cannot be read: {reason}") from None
    found: dict[str, Any] = {}
    for section, table in tables.items():
        _known([*_SECTIONS, _ABBREVIATIONS, _EXAMPLES], section, f"{path}: no section is called")
        if not isinstance(table, dict):
            raise DictionaryError(f"{path}: {section} is a section: write [{section}]")
        where = f"{path}, [{section}]"
        if section == _ABBREVIATIONS:
            found[section] = {
                short: full
                for full, shorts in table.items()
                for short in _value(shorts, of.NO_WORDS, f"{where}: {full}")
            }
        elif section == _EXAMPLES:
            found[section] = {
                name: Examples(**_keys(one, Examples._field_defaults, f"{path}, [examples.{name}]"))
                for name, one in table.items()
            }
        else:
            values = _keys(table, _SECTIONS[section], where)
            found[section] = replace(getattr(_NOTHING, section), **values)
    return Pack("", **found)


def _keys(table: object, defaults: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the values of a section in the types of their defaults."""
    if not isinstance(table, dict):
        raise DictionaryError(f"{where} is no section")
    for key in table:
        _known(defaults, key, f"{where}: no key is called")
    return {key: _value(value, defaults[key], f"{where}: {key}") for key, value in table.items()}


def _known(known: Iterable[str], given: str, problem: str) -> None:
    names = [*known]
    if given not in names:
        near = get_close_matches(given, names, 1, 0.5)
        way_out = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names)}"
        raise DictionaryError(f"{problem} {given!r}: {way_out}")


def _value(value: object, default: object, where: str) -> Any:  # noqa: ANN401
    """Return a value in the type of the default of its key."""
    is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
    match default:
        case frozenset() if isinstance(value, str):
            return frozenset(value.split())
        case tuple() if isinstance(value, str):
            return tuple(value.split())
        case tuple() if isinstance(value, list) and is_list:
            return tuple(value)
        case str() if isinstance(value, str):
            return value
        case int() if type(value) is int:
            return value
    raise DictionaryError(f"{where} is {_WANTED[type(default)]}")


_WANTED: dict[type, str] = {
    frozenset: "a text of words",
    tuple: "a list of texts",
    str: "a text",
    int: "a whole number",
}


def _together(one: Pack, other: Pack) -> Pack:
    """Return the settings of two languages in which what either says holds."""
    return Pack(
        "",
        abbreviations={**other.abbreviations, **one.abbreviations},
        examples={**other.examples, **one.examples},
        **{
            section: replace(
                getattr(one, section),
                **{
                    key: _both(getattr(getattr(one, section), key), value, default, key)
                    for key, default in keys.items()
                    if (value := getattr(getattr(other, section), key)) != default
                },
            )
            for section, keys in _SECTIONS.items()
        },
    )


def _both(one: Any, other: Any, default: Any, key: str) -> Any:  # noqa: ANN401
    """Return what either of two values of a key says."""
    if one in (default, other):
        return other
    match one:
        case frozenset():
            return one | other
        case tuple() if key in _IN_ORDER:
            return tuple(f"{mine}|{its}" for mine, its in zip(one, other, strict=True))
        case tuple():
            return tuple(dict.fromkeys((*one, *other)))
        case str():
            # Of expressions either may match; letters and conditions are joined.
            return f"(?:{one})|(?:{other})" if default == of.NEVER else one + other
    return max(one, other)


# The months stand at their places in both.
_IN_ORDER = ("months", "names")
