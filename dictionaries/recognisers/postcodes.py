"""Postcodes with their towns."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.known import is_first_name, is_ordinary, is_town
from triage.dictionaries.recognisers.recogniser import Recogniser, behind

# Departments, Corsica among them by its number of old, and the territories overseas.
_POSTCODE = r"(?:(?:0[1-9]|[1-8]\d|9[0-5])[ .]?\d|97[1-6]|98[678])\d\d(?!\w|[.,/-]\d)"
_FREE = rf"(?<![\w.,/+-])(?:(?i:fr?) ?- ?)?{_POSTCODE}"
_WORD = r"(?!(?i:cedex))[^\W\d_](?:['’-]?[^\W\d_]){1,30}"
_TOWN = rf"(?P<town>(?:l['’])?{_WORD}(?: {_WORD}){{0,4}})"
_BEHIND = re.compile(rf"[ ,:\n-]{{1,3}}{_TOWN}")
_BEFORE = re.compile(rf"(?<![\w'’-]){_TOWN}(?:[ ,:\n-]{{1,3}}| ?\()\Z")
_SUFFIX = re.compile(r"(?i: \d{1,2} ?(?:er|i?[eè]me|e)\b| cedex(?: \d{1,2}(?!\w))?)")
_ARTICLE = re.compile("(?i:l['’]|l[ae]s? )")
_BETWEEN_WORDS = re.compile("[ -]")
_REACH = 80


@dataclass(frozen=True, slots=True)
class _WithTown(Recogniser):
    """Finds a postcode together with the town behind it or before it."""

    links: frozenset[str] = frozenset()
    large_towns: frozenset[str] = frozenset()

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        """Yield where postcodes stand with their towns."""
        for match in self.form.finditer(text):
            start, end = match.span()
            if behind := self._end_of_town(text, end):
                yield start, behind
            elif (before := self._start_of_town(text, start)) >= 0:
                is_bracketed = text[start - 1] == "(" and text[end : end + 1] == ")"
                yield before, end + is_bracketed

    def _end_of_town(self, text: str, start: int) -> int:
        """Return where the town behind a postcode ends; 0 if there is none."""
        found = _BEHIND.match(text, start)
        if not found:
            return 0
        words = found["town"].split(" ")
        for n_words in range(len(words), 0, -1):
            name = " ".join(words[:n_words])
            if self._is_town(name):
                end = found.start("town") + len(name)
                suffix = _SUFFIX.match(text, end)
                return suffix.end() if suffix else end
        return 0

    def _start_of_town(self, text: str, end: int) -> int:
        """Return where the town before a postcode starts; -1 if there is none."""
        first = max(0, end - _REACH)
        found = _BEFORE.search(text[first:end])
        if not found:
            return -1
        words = found["town"].split(" ")
        for n_words in range(len(words), 0, -1):
            name = " ".join(words[-n_words:])
            if self._is_town(name):
                return first + found.end("town") - len(name)
        return -1

    def _is_town(self, name: str) -> bool:
        """Tell a town from what a number counts: "34000 personnes", "10000 tours"."""
        words = [word for word in _BETWEEN_WORDS.split(name) if word.lower() not in self.links]
        if not words:
            return False
        is_capital = all(word[0].isupper() for word in words)
        if is_town(name) or is_town(_ARTICLE.sub("", name)):
            is_plain = len(words) > 1 or name.lower() in self.large_towns
            return is_plain or is_capital or not is_ordinary(name)
        if name.split(" ")[-1].lower() in self.links:
            return False
        is_name = len(words) > 1 or not (is_ordinary(words[0]) or is_first_name(words[0]))
        return is_capital and is_name


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of postcodes: with a town, and behind "code postal"."""
    postcodes = words["postcodes"]
    announced = behind(postcodes["triggers"], postcodes["between"], _FREE)
    return (
        _WithTown(
            "postcode",
            Kind.CPO,
            re.compile(_FREE),
            gate=r"[0-9]{3}",
            score=0.88,
            examples=("j'habite à montpellier 34000", "34 070 Montpellier"),
            counterexamples=("34000 euros", "34000 Personnes"),
            links=frozenset(postcodes["links"].split()),
            large_towns=frozenset(postcodes["large_towns"].split()),
        ),
        Recogniser(
            "postcode_alone",
            Kind.CPO,
            re.compile(f"(?i:{announced})"),
            gate=r"[0-9]{3}",
            score=0.85,
            examples=("code postal : 34090",),
            counterexamples=("code 34090",),
        ),
    )
