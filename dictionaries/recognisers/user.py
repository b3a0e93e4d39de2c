"""The user's own recognisers, from a file.

A table for each, by its name: ``type`` and ``regex``; if wanted ``triggers`` (pack, one of which
must stand before), ``check`` (`triage.dictionaries.recognisers.checks.CHECKS`), ``score``,
``examples`` and ``counterexamples``, which are tried when the file is read.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.lists import DictionaryError
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import FRENCH, load_pack, require_known
from triage.dictionaries.recognisers.checks import CHECKS
from triage.dictionaries.recognisers.linear import NotLinear, require_linear
from triage.dictionaries.recognisers.recogniser import Recogniser, Recognisers, any_of, behind
from triage.safe import read_file

_KINDS = {kind.value: kind for kind in Kind if kind.is_identifier}
_SCORE = 0.8
_ACCENTED = {of[0]: f"[{of}]" for of in ("aàâä", "cç", "eéèêë", "iîï", "oôö", "uùûü")}


def load(path: str | Path, language: str = FRENCH) -> tuple[Recogniser, ...]:
    """Read the recognisers of a file."""
    try:
        tables = tomllib.loads(read_file(Path(path)).decode())
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DictionaryError(f"recognisers {path} cannot be read: {reason}") from None
    if not tables:
        raise DictionaryError(f"recognisers {path} holds no table such as [badge]")
    between = load_pack(language).announced.between
    found = []
    for name, table in tables.items():
        try:
            found.append(_recogniser(name, _Table.of(table), between))
        except (DictionaryError, NotLinear, re.error, OverflowError, RecursionError) as error:
            raise DictionaryError(f"recognisers {path}, [{name}]: {error}") from None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Table:
    """The keys of the table of a recogniser."""

    type: str
    regex: str
    triggers: tuple[str, ...] = ()
    check: str = ""
    score: float = _SCORE
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: object) -> "_Table":
        """Read a table."""
        if not isinstance(table, dict):
            raise DictionaryError("is no table")
        keys = [*cls.__dataclass_fields__]
        for key in table:
            require_known(keys, key, "unknown key")
        for key in ("type", "regex"):
            if key not in table:
                raise DictionaryError(f"{key} is missing")
        return cls(**{key: _value(key, value) for key, value in table.items()})


def _value(key: str, value: Any) -> Any:  # noqa: ANN401 (of a TOML file)
    """Return a value in the type of its key."""
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


def _recogniser(name: str, table: _Table, between: Sequence[str]) -> Recogniser:
    require_known(_KINDS, table.type, "unknown type")
    if table.check:
        require_known(CHECKS, table.check, "unknown check")
    re.compile(table.regex)
    triggers = [_in_any_accents(trigger) for trigger in table.triggers]
    form = behind(triggers, between, table.regex) if triggers else table.regex
    require_linear(f"(?i:{form})")
    found = Recogniser(
        name,
        _KINDS[table.type],
        re.compile(f"(?i:{form})"),
        gate=_gate(table.triggers),
        check=CHECKS.get(table.check),
        score=table.score,
        examples=table.examples,
        counterexamples=table.counterexamples,
    )
    _try_examples(found)
    return found


def _gate(triggers: tuple[str, ...]) -> str:
    """Return what is in a piece between spaces of each message that holds a trigger."""
    if not triggers:
        return ""
    return any_of(_in_any_accents(max(trigger.lower().split(), key=len)) for trigger in triggers)


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
