"""Postcodes together with the name of the town behind them or before them."""

import re

from .recogniser import any_of
from .word_checks import WordChecks

_BETWEEN_WORDS = re.compile("[ -]")
_REACH = 80


class Towns:
    """Tells where the name of a town begins and ends, and whether it is one."""

    def __init__(self, known: WordChecks) -> None:
        given = known.pack.postcodes
        word = rf"(?!(?i:{given.town_suffix}))[^\W\d_](?:['’-]?[^\W\d_]){{1,30}}"
        town = rf"(?P<town>(?:{given.elided})?{word}(?: {word}){{0,4}})"
        self._behind = re.compile(rf"[ ,:\n-]{{1,3}}{town}")
        self._before = re.compile(rf"(?<![\w'’-]){town}(?:[ ,:\n-]{{1,3}}| ?\()\Z")
        self._suffix = re.compile(
            rf"(?i: \d{{1,2}} ?{any_of(given.districts)}\b"
            rf"| {given.town_suffix}(?: \d{{1,2}}(?!\w))?)"
        )
        self._article = re.compile(f"(?i:{any_of(given.articles)})")
        self._links, self._large = given.links, given.large_towns
        self._known = known

    def _hold(self, name: str) -> bool:
        """Tell a town from what a number counts: "34000 personnes", "10000 tours"."""
        known = self._known
        words = [word for word in _BETWEEN_WORDS.split(name) if word.lower() not in self._links]
        if not words:
            return False
        is_capital = all(word[0].isupper() for word in words)
        if known.is_town(name) or known.is_town(self._article.sub("", name)):
            is_plain = len(words) > 1 or name.lower() in self._large
            return is_plain or is_capital or not known.is_ordinary(name)
        if name.split(" ")[-1].lower() in self._links:
            return False
        is_name = len(words) > 1 or not (
            known.is_ordinary(words[0]) or known.is_first_name(words[0])
        )
        return is_capital and is_name

    def around(self, postcode: re.Match[str]) -> tuple[int, int] | None:
        """Return where a postcode stands with the town behind it or before it; None without."""
        text, (start, end) = postcode.string, postcode.span()
        found = self._behind.match(text, end)
        if found and (name := self._longest(found["town"].split(" "), is_before=False)):
            behind = found.start("town") + len(name)
            suffix = self._suffix.match(text, behind)
            return start, suffix.end() if suffix else behind
        first = max(0, start - _REACH)
        found = self._before.search(text[first:start])
        if found and (name := self._longest(found["town"].split(" "), is_before=True)):
            is_bracketed = text[start - 1] == "(" and text[end : end + 1] == ")"
            return first + found.end("town") - len(name), end + is_bracketed
        return None

    def _longest(self, words: list[str], *, is_before: bool) -> str:
        """Return the longest name of a town next to a postcode; empty if there is none."""
        n = len(words)
        some = (words[i:] if is_before else words[: n - i] for i in range(n))
        return next(filter(self._hold, map(" ".join, some)), "")
