"""Recognisers that are data: those that are shipped, and the user's own, from TOML files.

A table for each, by its name. A user's has ``type`` and ``regex``; if wanted ``triggers`` (pack,
one of which must stand before), ``check`` (`triage.dictionaries.recognisers.checks.CHECKS`),
``score``, ``examples`` and ``counterexamples``, which are tried when the file is read. Those that
are shipped, in ``recognisers.toml``, have more keys, and their expressions are templates.
"""

import _sre  # type: ignore[import-not-found]
import marshal
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from triage.safe import read_file

from ..cache import cached
from ..kinds import Kind
from ..lists import DictionaryError
from ..normal import fold
from ..pack import FRENCH, NEVER, PACKS, Pack, load_pack, require_known
from . import beginnings, gates
from .beginnings import with_beginnings
from .checks import CHECKS, CHECKS_OF_FORMS
from .gates import Texts, atoms_of, gates_of, needs_of
from .linear import NotLinear, require_linear
from .recogniser import BY, FOUND, Place, Recogniser, any_name, any_of
from .search import Recognisers
from .word_checks import Towns, WordChecks, before_years, said_digits

_FILE = PACKS / "recognisers.toml"
_TYPES = [kind.value for kind in Kind if kind.is_identifier]
_LISTS = ("triggers", "examples", "counterexamples")
_FOR_USERS = ("type", "regex", "triggers", "check", "score", "examples", "counterexamples")
_ACCENTED = {of[0]: f"[{of}]" for of in ("aàâä", "cç", "eéèêë", "iîï", "oôö", "uùûü")}
# In a template: a part that is named, or settings of a pack.
_NAMES = re.compile(r"\{([a-z][a-z_0-9]*(?:\.[a-z_]+(?: [a-z]+\.[a-z_]+)*)?)\}")
_MADE: dict[str, Callable[[Pack], str]] = {"said_digits": said_digits, "of_time": before_years}
_PARTS, _NAMES_OF = "parts", "names_of_"
_GROUP = f"(?P<{FOUND}>"
# Words between what announces an identifier and the identifier.
_MOST_BETWEEN = 5
_Check = Callable[[str], bool] | None
# The keys of the table of a recogniser.
_Table = Mapping[str, Any]
# An expression, what some piece of its message has, and the fewest digits, beside it.
_Expression = tuple[str, str, int]
# The expression compiled, with the texts and the digits that it needs: a text of none if it never
# matches.
_Compiled = tuple[re.Pattern[str], tuple[Texts, ...], int]


def load(path: str | Path, language: str = FRENCH) -> tuple[Recogniser, ...]:
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
            found.append(_of_user(name, table, write))
        except (DictionaryError, NotLinear, re.error, OverflowError, RecursionError) as error:
            raise DictionaryError(f"recognisers {path}, [{name}]: {error}") from None
    return tuple(found)


def _of_user(name: str, table: object, write: "_Writer") -> Recogniser:
    """Read the table of a user, and try its examples."""
    if not isinstance(table, dict):
        raise DictionaryError("is no table")
    for key in table:
        require_known(_FOR_USERS, key, "unknown key")
    for key in ("type", "regex"):
        if key not in table:
            raise DictionaryError(f"{key} is missing")
    read = {key: _value(key, value) for key, value in table.items()}
    require_known(_TYPES, read["type"], "unknown type")
    if check := read.get("check", ""):
        require_known(CHECKS, check, "unknown check")
    re.compile(read["regex"])
    require_linear(read["regex"])
    # With or without their accents.
    plain = (fold(words.strip()) for words in read.get("triggers", ()))
    triggers = any_of("".join(_ACCENTED.get(c, re.escape(c)) for c in words) for words in plain)
    form = write.form(read, read["regex"], triggers, write("{announced.between}"))
    found = _recogniser(name, read, CHECKS.get(check), _made(*_told((form, "", 0))))
    _try_examples(found)
    return found


def _try_examples(recogniser: Recogniser) -> None:
    find = Recognisers([recogniser]).find
    for number, example in enumerate(recogniser.examples, 1):
        if not find(example):
            raise DictionaryError(f"example {number} is not found")
    for number, example in enumerate(recogniser.counterexamples, 1):
        if find(example):
            raise DictionaryError(f"counterexample {number} is found")


def _value(key: str, value: Any) -> Any:  # noqa: ANN401 (of a TOML file)
    """Return a user's value in the type of its key."""
    if key == "score":
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise DictionaryError("score is a number from 0 to 1")
        return float(value)
    if key in _LISTS:
        if not isinstance(value, list) or not all(map(_is_text, value)):
            raise DictionaryError(f"{key} is a list of texts")
        return tuple(value)
    if not _is_text(value):
        raise DictionaryError(f"{key} is a text")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def of_pack(pack: Pack) -> list[Recogniser]:
    write = _Writer(pack)
    of_words = WordChecks(pack, write)
    drafts: list[tuple[str, _Table, _Check]] = []
    expressions: list[_Expression] = []
    for name, table in _file().items():
        check, country = table.get("check", ""), table.get("only_in", "")
        is_abroad = country and country not in pack.pack.countries
        if name == _PARTS or is_abroad or of_words.lacks(check):
            continue
        is_valid = (CHECKS | CHECKS_OF_FORMS).get(check) or getattr(of_words, check or "-", None)
        regex, triggers = write(table["regex"]), write(table.get("triggers", ""))
        form = write.form(table, regex, triggers, write(table.get("between", "")))
        drafts.append((name, table, is_valid))
        expressions.append((form, write(table.get("near", "")), table.get("digits", 0)))
    by = (Path(str(module.__file__)).read_text("utf-8") for module in (beginnings, gates))
    made_by = sys.version, *by, expressions
    told = cached("recognisers", made_by, lambda: marshal.dumps([*map(_told, expressions)]))
    compiled = (_made(*one) for one in marshal.loads(told))  # noqa: S302 (see `cached`)
    return [
        replace(
            _recogniser(name, table, check, made),
            place=_place(table["place"], write) if "place" in table else None,
            announcer=of_words.is_first_name if BY in made[0].groupindex else None,
            around=Towns(of_words).around if table.get("with_town") else None,
        )
        for (name, table, check), made in zip(drafts, compiled, strict=True)
        if all(made[1])
    ]


def _place(given: Mapping[str, str], write: "_Writer") -> Place:
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
        if table.get("triggers"):
            own = {"regex": regex, "triggers": triggers, "between": between or NEVER}
            own["most"] = str(table.get("most", _MOST_BETWEEN))
            own["signs"] = self(table.get("signs", "{signs}"))
            frame = self._parts[table.get("form", "behind")]
            form = self(frame.replace(_GROUP, "(?:") if _GROUP in regex else frame, own)
        return form if table.get("cased") else f"(?i:{form})"

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


def _made(code: tuple[Any, ...], sets: list[tuple[str, ...]], digits: int) -> _Compiled:
    return _sre.compile(*code), tuple(map(frozenset, sets)), digits


def _told(expression: _Expression) -> tuple[Any, ...]:
    """Return what is computed of an expression, as plain data: code, gates, and how many digits."""
    form, near, digits = expression
    parsed = _parser.parse(form)
    state, names = parsed.state, [""] * parsed.state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    # What `re.compile` hands over.
    code = (
        *(form, int(state.flags), with_beginnings(parsed), state.groups - 1),
        *(dict(state.groupdict), tuple(name or None for name in names)),
    )
    needs, beside = needs_of(form), needs_of(near)
    if not (needs and beside):
        return code, [()], 0
    sets = gates_of(needs._replace(sets=needs.sets + beside.sets))
    return code, [*map(tuple, map(sorted, sets))], max(needs.digits, digits)


def _recogniser(name: str, table: _Table, check: _Check, made: _Compiled) -> Recogniser:
    form, gates, digits = made
    return Recogniser(
        name,
        Kind(table["type"]),
        form,
        gates,
        check=check,
        score=table.get("score", 0.8),
        examples=table.get("examples", ()),
        counterexamples=table.get("counterexamples", ()),
        is_on=not table.get("off"),
        digits=digits,
        trim=table.get("trim", ""),
        is_shortened=table.get("shortened", False),
    )
