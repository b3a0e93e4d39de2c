"""The words of postal addresses, and messages cut into tokens for their rules.

The rules (`triage.dictionaries.addresses`) and the statistical model that they are compared with
both read messages through this.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Self

from triage.dictionaries.lexicon import COMMON, FIRST_NAMES, FREQUENT, Lexicon
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import FRENCH, Section

# A run of letters and digits, else one sign; the longest run that is looked at is short.
_TOKEN = re.compile(r"[^\W_]++|[^\w\s]|_")
_LONGEST = 40


@dataclass(frozen=True)
class KnownWords:
    """Membership of words, in lower case without accents, in groups of lists."""

    is_town: Callable[[str], bool]
    is_first_name: Callable[[str], bool]
    is_name: Callable[[str], bool]
    is_frequent: Callable[[str], bool]
    is_word: Callable[[str], bool]
    words: Section

    @classmethod
    def of(cls, lexicon: Lexicon) -> Self:
        """Look words up in a lexicon."""

        def held_by(*names: str) -> Callable[[str], bool]:
            bits = sum(lexicon.bit.get(name, 0) for name in names)
            return lambda word: bool((lexicon.exact.get(word) | lexicon.folded.get(word)) & bits)

        return cls(
            held_by("cities"),
            held_by(*FIRST_NAMES),
            held_by(*FIRST_NAMES, "last_names", "common_first_names", "famous_names"),
            held_by("commonest_forms", "sms_forms"),
            held_by("inflected_forms", "dicollecte_forms", FREQUENT, *COMMON),
            lexicon.pack.addresses,
        )


@cache
def street_types(words: Section) -> frozenset[str]:
    """Return the types of streets, weak ones too."""
    return frozenset(words.street_types | words.weak_street_types)


@cache
def nothing_known(language: str = FRENCH) -> KnownWords:
    """Return the words of a language's addresses alone, without any list."""
    return KnownWords.of(Lexicon([], language))


class Tokens:
    """A message cut into runs of letters and digits and single signs."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.raw = _TOKEN.findall(message)
        folded = fold(normal("\n".join(raw[:_LONGEST] for raw in self.raw)))
        self.folded = folded.split("\n")

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(self.message)]

    def start(self, i: int) -> int:
        """Return the start of a token in the message."""
        return self._ends[i][0]

    def end(self, i: int) -> int:
        """Return the end of a token in the message."""
        return self._ends[i][1]

    def __len__(self) -> int:
        return len(self.raw)

    def at(self, i: int) -> str:
        """Return a token, folded; an empty string beyond the ends."""
        return self.folded[i] if 0 <= i < len(self.folded) else ""

    def is_glued(self, i: int) -> bool:
        """Return whether no space stands before a token."""
        return 0 < i < len(self.raw) and self.start(i) == self.end(i - 1)

    def is_on_new_line(self, i: int) -> bool:
        """Return whether a line ends before a token."""
        return 0 < i < len(self.raw) and "\n" in self.message[self.end(i - 1) : self.start(i)]

    @cached_property
    def _capitals_tell(self) -> bool:
        """True if the message has small letters, so that a capital is informative."""
        return any(raw[1:].islower() for raw in self.raw)

    def is_capital(self, i: int) -> bool:
        """Return whether a token starts with an informative capital."""
        raw = self.raw[i] if 0 <= i < len(self.raw) else ""
        return raw[:1].isupper() and not raw[1:].isupper() and self._capitals_tell
