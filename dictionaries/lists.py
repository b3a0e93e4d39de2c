"""The word lists of a language pack, and their notes.

A list is a folder: ``items.txt`` (an entry a line, a gloss for readers after a tab),
``exceptions.txt`` (entries taken off again, with a reason after a tab) and ``note.toml``.
"""

import tomllib
from collections import UserList
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from triage.errors import UserError
from triage.safe import read_file

from .normal import normal

_ABOUT = ("title", "source", "version", "licence", "made")


class DictionaryError(UserError):
    """A dictionary cannot be used; the message is one line and says what to do."""


class Role(StrEnum):
    """The role of a word list (paper, section 3.2)."""

    DICTIONARY = "dictionary"
    ANTI_DICTIONARY = "anti-dictionary"
    FEATURE = "feature"


@dataclass(frozen=True)
class WordList:
    """A named list of words and where it comes from."""

    name: str
    role: Role
    words: Collection[str]
    exceptions: frozenset[str] = frozenset()
    title: str = ""
    source: str = ""
    version: str = ""
    licence: str = ""
    made: str = ""

    @cached_property
    def entries(self) -> frozenset[str]:
        return frozenset(self.words) - self.exceptions


class LazyWords(UserList[str]):
    """The words of a list, read on first use."""

    def __init__(self, read: Callable[[], list[str]]) -> None:
        self._read = read

    @cached_property
    def data(self) -> list[str]:  # type: ignore[override]
        return self._read()

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)


def load_lists(folders: Iterable[Path]) -> list[WordList]:
    """Load the lists of packs, in the order of their names; of lists of one name, the union."""
    by_name: dict[str, WordList] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*/note.toml"))):
        note, name, items = read_note(path), path.parent.name, path.with_name("items.txt")
        # A generated list is long: it is read when needed, with what somebody wrote into it since.
        read, exceptions = partial(read_words, may_be_empty=True), path.with_name("exceptions.txt")
        is_late = note.get("normalised") and items.exists()
        words = LazyWords(partial(read, items)) if is_late else read(items)
        left_out = frozenset(read(exceptions) if exceptions.exists() else ())
        facts = {key: str(note[key]) for key in _ABOUT}
        new = WordList(name, Role(note["role"]), words, left_out, **facts)
        by_name[name] = _union(by_name[name], new) if name in by_name else new
    return [by_name[name] for name in sorted(by_name)]


def _union(first: WordList, second: WordList) -> WordList:
    if first.role is not second.role:
        roles = f"{first.role} in one language, {second.role} in the other"
        raise DictionaryError(f"the list {first.name} is {roles}")
    facts = (dict.fromkeys((getattr(first, key), getattr(second, key))) for key in _ABOUT)
    entries = LazyWords(lambda: sorted(first.entries | second.entries))
    return WordList(first.name, first.role, entries, frozenset(), *map(" / ".join, facts))


def read_note(path: Path) -> dict[str, Any]:
    try:
        note = tomllib.loads(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DictionaryError(f"cannot read the note {path}: {error}") from error
    if missing := [key for key in ("role", *_ABOUT) if key not in note]:
        raise DictionaryError(f"the note {path} lacks: {', '.join(missing)}")
    if note["role"] not in tuple(Role):
        roles = ", ".join(Role)
        raise DictionaryError(f"the note {path} has no known role; there are: {roles}")
    return note


def _read_text(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DictionaryError(f"cannot read the word list {path}: {reason}") from error


def read_words(path: Path, *, may_be_empty: bool = False) -> list[str]:
    """Read a list in UTF-8: a word a line, perhaps a gloss or a reason after a tab."""
    cells = (line.partition("\t")[0].strip() for line in normal(_read_text(path)).splitlines())
    words = [cell for cell in cells if cell and not cell.startswith("#")]
    if not (words or may_be_empty):
        raise DictionaryError(f"the word list {path} holds no word: write one a line")
    return words
