"""Spellings that are akin to a known name by their form (Reffay et al., 4.2, and what SMS add)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from triage.dictionaries.edits import NameVariants, distance_within
from triage.dictionaries.normal import without_runs

from ..anonymise.entity import PERSONS
from ..vocabulary import IdentifierType
from .corpus import key_of
from .known import Known


class Reason(StrEnum):
    """Reasons for which a spelling is a candidate."""

    REPLACED = "replaced elsewhere"
    ONE_EDIT = "one edit from"
    TWO_EDITS = "two edits from"
    STRETCHED = "stretched"
    SHORT = "short form of"
    INITIALS = "initials of"
    GLUED = "glued to a word"
    HANDLE = "handle that holds"
    BESIDE = "beside a name"
    CONTEXT = "stands where names stand"
    EVIDENCE = "evidence of the model"
    CAPITAL = "capital inside a message"


class Kin(NamedTuple):
    """A reason why a word is akin to a known one."""

    reason: Reason
    known: Known


_NAMES = PERSONS | {IdentifierType.NOM}
# A shorter name is part of too many words.
_SHORTEST_PART = 4
_SHORTEST_FORM = 3
# Shorter words joined to a name make another word, such as "sport" and "années".
_SHORTEST_JOINED = 3
# So many letters at least are left out of a name that is cut short.
_CUT = 2
_LONGEST = 40
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile("[0-9]")


class Kinship:
    """Finds the known names that a word is akin to."""

    def __init__(
        self,
        known: Iterable[Known],
        words: frozenset[str],
        short_forms: Mapping[str, str] | None = None,
    ) -> None:
        self._words = words
        self._short = short_forms or {}
        self._names: dict[str, Known] = {}
        full: dict[str, list[str]] = {}
        for one in known:
            key = key_of(one.spelling)
            # The words of an address are not names by themselves.
            for word in key if len(key) == 1 or one.type in _NAMES else ():
                self._names.setdefault(word, one)
            if one.type in _NAMES:
                full.setdefault(one.entity or one.spelling, []).extend(key)
        self._initials: dict[str, Known] = {}
        for letters, one in self._initials_of(full):
            self._initials.setdefault(letters, one)
        self._runs: dict[str, str] = {}
        self._starts: dict[str, str] = {}
        self._by_full: dict[str, str] = {}
        for name in sorted(self._names):
            self._runs.setdefault(without_runs(name), name)
            self._by_full.setdefault(self._short.get(name, name), name)
            for end in range(_SHORTEST_FORM, len(name) - _CUT + 1):
                self._starts.setdefault(name[:end], name)
        strength = {name: 1.0 + one.replaced for name, one in self._names.items()}
        self._variant = NameVariants(strength)

    def _initials_of(self, full: Mapping[str, list[str]]) -> Iterator[tuple[str, Known]]:
        for words in full.values():
            letters = "".join(word[0] for word in dict.fromkeys(words))
            if len(letters) > 1:
                yield letters, self._names[words[0]]
        for name, one in self._names.items():
            yield name[0], one

    def __call__(self, word: str) -> list[Kin]:
        """Return the known names that a word is akin to; none of a known one."""
        if len(word) > _LONGEST:
            return []
        found = [Kin(reason, self._names[name]) for reason, name in self._by_form(word)]
        if word in self._initials:
            found.append(Kin(Reason.INITIALS, self._initials[word]))
        return [one for one in found if word not in key_of(one.known.spelling)]

    def _by_form(self, word: str) -> Iterator[tuple[Reason, str]]:
        if _DIGIT.search(word):
            yield from ((Reason.HANDLE, name) for name in self._held(word))
            return
        stretched = self._runs.get(without_runs(word))
        if stretched and stretched != word:
            yield Reason.STRETCHED, stretched
        elif name := self._variant(word):
            is_one = distance_within(word, name, 1)
            yield (Reason.ONE_EDIT if is_one else Reason.TWO_EDITS), name
        short = self._by_full.get(self._short.get(word, word)) or self._starts.get(word)
        if short and short != word:
            yield Reason.SHORT, short
        if glued := self._glued(word):
            yield Reason.GLUED, glued

    def _held(self, word: str) -> list[str]:
        """Return the longest name that a word with digits holds."""
        parts = [
            run[start:end]
            for run in _LETTERS.findall(word)
            for start in range(len(run))
            for end in range(start + _SHORTEST_PART, len(run) + 1)
        ]
        held = [part for part in parts if part in self._names]
        return [max(held, key=len)] if held else []

    def _glued(self, word: str) -> str | None:
        """Return the name that is written together with a word or another name."""
        for at in range(1, len(word)):
            head, tail = word[:at], word[at:]
            for name, other in ((tail, head), (head, tail)):
                if len(name) >= _SHORTEST_PART and name in self._names and self._joins(other):
                    return name
        return None

    def _joins(self, word: str) -> bool:
        return len(word) >= _SHORTEST_JOINED and (word in self._words or word in self._names)
