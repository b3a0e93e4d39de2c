"""Recognisers that are data: those that are shipped, and the user's own, from TOML files.

A table for each, by its name. A user's has ``type`` and ``regex``; if wanted ``triggers`` (pack,
one of which must stand before), ``check`` (`triage.dictionaries.recognisers.checks.CHECKS`),
``score``, ``examples`` and ``counterexamples``, which are tried when the file is read. Those that
are shipped, in ``recognisers.toml``, have more keys, and their expressions are templates.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.lists import DictionaryError
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import FRENCH, NEVER, PACKS, Pack, load_pack, require_known
from triage.dictionaries.recognisers.checks import CHECKS, CHECKS_OF_FORMS
from triage.dictionaries.recognisers.compiled import Compiled, compiled, compiled_anew
from triage.dictionaries.recognisers.gates import atoms_of, needs_of
from triage.dictionaries.recognisers.linear import NotLinear, require_linear
from triage.dictionaries.recognisers.recogniser import (
    BY,
    FOUND,
    Place,
    Recogniser,
    any_name,
    any_of,
)
from triage.dictionaries.recognisers.search import Recognisers
from triage.dictionaries.recognisers.towns import Towns
from triage.dictionaries.recognisers.word_checks import WordChecks, before_years, said_digits
from triage.safe import read_file

_FILE = PACKS / "recognisers.toml"
_KINDS = {kind.value: kind for kind in Kind}
_FOR_USERS = ("type", "regex", "triggers", "check", "score", "examples", "counterexamples")
_ACCENTED = {of[0]: f"[{of}]" for of in ("aàâä", "cç", "eéèêë", "iîï", "oôö", "uùûü")}
# In a template: a part that is named, or settings of a pack.
_NAMES = re.compile(r"\{([a-z][a-z_0-9]*(?:\.[a-z_]+(?: [a-z]+\.[a-z_]+)*)?)\}")
_MADE: dict[str, Callable[[Pack], str]] = {"said_digits": said_digits, "of_time": before_years}
_PARTS, _NAMES_OF = "parts", "names_of_"
_GROUP = f"(?P<{FOUND}>"
_Check = Callable[[str], bool] | None


@dataclass(frozen=True, slots=True)
class _Table:
    """The keys of the table of a recogniser; only the first ones are for users."""

    type: str
    regex: str
    triggers: tuple[str, ...] | str = ()
    check: str = ""
    score: float = 0.8
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()
    form: str = "behind"
    between: str = ""
    most: int = 5
    signs: str = ""
    near: str = ""
    digits: int = 0
    trim: str = ""
    only_in: str = ""
    cased: bool = False
    shortened: bool = False
    off: bool = False
    with_town: bool = False
    place: Mapping[str, str] | None = None

    @classmethod
    def of_user(cls, table: object) -> "_Table":
        """Read a table that a user has written."""
        if not isinstance(table, dict):
            raise DictionaryError("is no table")
        for key in table:
            require_known(_FOR_USERS, key, "unknown key")
        for key in ("type", "regex"):
            if key not in table:
                raise DictionaryError(f"{key} is missing")
        read = cls(**{key: _value(key, value) for key, value in table.items()})
        require_known([one for one in _KINDS if Kind(one).is_identifier], read.type, "unknown type")
        if read.check:
            require_known(CHECKS, read.check, "unknown check")
        return read


def _value(key: str, value: Any) -> Any:  # noqa: ANN401 (of a TOML file)
    """Return a user's value in the type of its key."""
    if key == "score":
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise DictionaryError("score is a number from 0 to 1")
        return float(value)
    if key in ("triggers", "examples", "counterexamples"):
        if not isinstance(value, list) or not all(map(_is_text, value)):
            raise DictionaryError(f"{key} is a list of texts")
        return tuple(value)
    if not _is_text(value):
        raise DictionaryError(f"{key} is a text")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def load(path: str | Path, language: str = FRENCH) -> tuple[Recogniser, ...]:
    """Read the recognisers of a user's file."""
    try:
        tables = tomllib.loads(read_file(Path(path)).decode())
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DictionaryError(f"recognisers {path} cannot be read: {reason}") from None
    if not tables:
        raise DictionaryError(f"recognisers {path} holds no table such as [badge]")
    write, found = _Writer(load_pack(language)), []
    for name, table in tables.items():
        try:
            found.append(_of_user(name, _Table.of_user(table), write))
        except (DictionaryError, NotLinear, re.error, OverflowError, RecursionError) as error:
            raise DictionaryError(f"recognisers {path}, [{name}]: {error}") from None
    return tuple(found)


def _of_user(name: str, table: _Table, write: "_Writer") -> Recogniser:
    re.compile(table.regex)
    require_linear(table.regex)
    triggers = any_of(map(_in_any_accents, table.triggers))
    form = write.form(table, table.regex, triggers, write("{announced.between}"))
    found = _recogniser(name, table, CHECKS.get(table.check), compiled_anew(form))
    _try_examples(found)
    return found


def _in_any_accents(words: str) -> str:
    """Return the expression of words with or without their accents."""
    return "".join(_ACCENTED.get(letter, re.escape(letter)) for letter in fold(words.strip()))


def _try_examples(recogniser: Recogniser) -> None:
    find = Recognisers([recogniser]).find
    for number, example in enumerate(recogniser.examples, 1):
        if not find(example):
            raise DictionaryError(f"example {number} is not found")
    for number, example in enumerate(recogniser.counterexamples, 1):
        if find(example):
            raise DictionaryError(f"counterexample {number} is found")


def of_pack(pack: Pack) -> list[Recogniser]:
    """Return the shipped recognisers for the words of a language, but those without words."""
    write = _Writer(pack)
    of_words = WordChecks(pack, write)
    drafts: list[tuple[str, _Table, _Check]] = []
    expressions = []
    for name, keys in _file().items():
        table = _Table(**keys) if name != _PARTS else None
        if not table or (table.only_in and table.only_in not in pack.pack.countries):
            continue
        if of_words.lacks(table.check):
            continue
        check = (CHECKS | CHECKS_OF_FORMS).get(table.check) or getattr(of_words, table.check, None)
        regex, triggers = write(table.regex), write(str(table.triggers or ""))
        form = write.form(table, regex, triggers, write(table.between))
        drafts.append((name, table, check))
        expressions.append((form, write(table.near), table.digits))
    return [
        replace(
            _recogniser(name, table, check, made),
            place=_place(table.place, write),
            announcer=of_words.is_first_name if BY in made[0].groupindex else None,
            around=Towns(of_words).around if table.with_town else None,
        )
        for (name, table, check), made in zip(drafts, compiled(expressions), strict=True)
        if all(made[1])
    ]


def _place(given: Mapping[str, str] | None, write: "_Writer") -> Place | None:
    if not given:
        return None
    for key, edge in (("behind", -1), ("before", 0)):
        if key in given:
            needs = needs_of(write(given[key]))
            beside = atoms_of(needs.sets[edge]) if needs else frozenset[str]()
            return Place(given["shape"], beside, 2 * edge + 1)
    return Place(given["shape"], given.get("behind_shape", ""))


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


class _Writer:
    """Writes the expressions of templates for the words of a pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._parts = _file()[_PARTS]
        self._written: dict[str, str] = {}

    def __call__(self, template: str, own: Mapping[str, str] | None = None) -> str:
        """Return the expression of a template, which may have names of its own."""
        known = {} if own is None else own
        # A line goes on behind a backslash.
        return _NAMES.sub(
            lambda name: known[name[1]] if name[1] in known else self._of(name[1]),
            template.replace("\\\n", ""),
        )

    def form(self, table: _Table, regex: str, triggers: str, between: str) -> str:
        """Return the whole expression of a recogniser."""
        form = regex
        if table.triggers:
            own = {"regex": regex, "triggers": triggers, "between": between or NEVER}
            own |= {"most": str(table.most), "signs": self(table.signs or "{signs}")}
            frame = self._parts[table.form]
            form = self(frame.replace(_GROUP, "(?:") if _GROUP in regex else frame, own)
        return form if table.cased else f"(?i:{form})"

    def _of(self, name: str) -> str:
        if name not in self._written:
            self._written[name] = self._settings(name) if "." in name else self._part(name)
        return self._written[name]

    def _part(self, name: str) -> str:
        if name in _MADE:
            return _MADE[name](self._pack)
        if name.startswith(_NAMES_OF):
            return any_name(getattr(self._pack.public, name.removeprefix(_NAMES_OF)))
        part = self._parts[name]
        return self(part) if isinstance(part, str) else any_of(map(self, part))

    def _settings(self, names: str) -> str:
        keys = (name.split(".") for name in names.split(" "))
        values = [getattr(getattr(self._pack, section), key) for section, key in keys]
        if isinstance(values[0], str):
            return values[0]
        return any_of(one for value in values for one in value)


def _recogniser(name: str, table: _Table, check: _Check, made: Compiled) -> Recogniser:
    form, gates, digits = made
    return Recogniser(
        name,
        _KINDS[table.type],
        form,
        gates,
        check=check,
        score=table.score,
        examples=table.examples,
        counterexamples=table.counterexamples,
        is_on=not table.off,
        digits=digits,
        trim=table.trim,
        is_shortened=table.shortened,
    )
