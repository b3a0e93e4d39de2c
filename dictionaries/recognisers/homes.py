"""Identifiers of homes: streets that one expression finds, residences, doors, postcodes with towns.

`triage.dictionaries.addresses` finds whole addresses.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import known_words
from triage.dictionaries.recognisers.recogniser import (
    FOUND,
    Recogniser,
    any_of,
    behind,
    first_words,
)


def streets(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recogniser of street addresses."""
    street = any_of(pack.streets.types)
    link = any_of(pack.streets.links)
    capital = f"(?-i:[{pack.streets.capitals}])"
    suffix = any_of((*pack.streets.suffixes, r"[a-dA-D]\b"))
    form = (
        rf"\b\d{{1,4}}(?: ?{suffix})?,? {{1,2}}{street} (?:{link} ?)?"
        rf"[^\W\d_]['’\w-]{{1,30}}(?: {capital}[\w'’-]{{1,30}}){{0,4}}"
        rf"(?:,? {{0,2}}\d{{5}}(?: {capital}[\w'’-]{{1,40}}){{0,3}})?"
    )
    return (
        Recogniser(
            "street",
            Kind.ADR,
            re.compile(f"(?i:{form})"),
            gate="[0-9]",
            near=pack.streets.near,
            score=0.85,
        ),
    )


_UPPER = r"(?=[^\W\d_a-zà-öø-ÿ])"
# Without digits, which are of a code.
_WORD = r"[^\W\d_](?:[^\W\d_]|['’-]){1,30}+(?!\w)"


def residences(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of residences, of streets that somebody lives in, and of doors."""
    given, known = pack.residences, known_words(pack)
    link = any_of(given.links)
    linked = rf"(?: (?i:{link})(?!\w))? ?(?<=[ '’])"
    names = rf"{_UPPER}{_WORD}(?: (?:{link} ?(?<=[ '’]))?{_UPPER}{_WORD}){{0,3}}+"
    kinds = any_of((*given.kinds, *given.weak_kinds))
    street = any_of(pack.streets.types)

    def is_name(found: str) -> bool:
        last = re.split("[ '’]", found)[-1]
        return last[0].isupper() or not known.is_ordinary(last)

    def is_named(found: str) -> bool:
        return is_name(found) and not known.is_common(re.split("[ '’]", found)[-1])

    return (
        Recogniser(
            "residence",
            Kind.LIE,
            re.compile(rf"(?<![\w-])(?i:{kinds}){linked}{names}"),
            gate=first_words((*given.kinds, *given.weak_kinds)),
            check=is_named,
            score=0.7,
            is_shortened=True,
        ),
        Recogniser(
            "residence_behind_article",
            Kind.LIE,
            re.compile(rf"(?i:(?<![\w-]){any_of(given.kinds)} {link} ?(?<=[ '’]){_WORD})"),
            gate=first_words(given.kinds),
            check=is_name,
            score=0.7,
        ),
        Recogniser(
            "home_street",
            Kind.ADR,
            re.compile(
                rf"(?<!\w)(?i:{any_of(given.homes)}(?!\w)(?:,? [\w'’]{{1,12}}+){{0,3}}?,? "
                rf"(?P<{FOUND}>{street}{linked}{_WORD}))"
            ),
            gate=first_words(given.homes),
            near=pack.streets.near,
            check=is_name,
            score=0.75,
        ),
        Recogniser(
            "door",
            Kind.ADR,
            re.compile(rf"(?<!\w)(?i:{given.door})(?!\w)"),
            gate="[0-9]",
            near=given.door_gate,
            score=0.75,
            digits=2,
        ),
    )


_BETWEEN_WORDS = re.compile("[ -]")
_REACH = 80


class _Towns:
    """Tells where the name of a town begins and ends, and whether it is one."""

    def __init__(self, pack: Pack) -> None:
        given = pack.postcodes
        word = rf"(?!(?i:{given.town_suffix}))[^\W\d_](?:['’-]?[^\W\d_]){{1,30}}"
        town = rf"(?P<town>(?:{given.elided})?{word}(?: {word}){{0,4}})"
        self.behind = re.compile(rf"[ ,:\n-]{{1,3}}{town}")
        self.before = re.compile(rf"(?<![\w'’-]){town}(?:[ ,:\n-]{{1,3}}| ?\()\Z")
        self.suffix = re.compile(
            rf"(?i: \d{{1,2}} ?{any_of(given.districts)}\b"
            rf"| {given.town_suffix}(?: \d{{1,2}}(?!\w))?)"
        )
        self._article = re.compile(f"(?i:{any_of(given.articles)})")
        self._links, self._large = given.links, given.large_towns
        self._known = known_words(pack)

    def hold(self, name: str) -> bool:
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


@dataclass(frozen=True, slots=True)
class _WithTown(Recogniser):
    """Finds a postcode together with the town behind it or before it."""

    towns: _Towns = field(kw_only=True)

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
        towns = self.towns
        found = towns.behind.match(text, start)
        if not found:
            return 0
        words = found["town"].split(" ")
        for n_words in range(len(words), 0, -1):
            name = " ".join(words[:n_words])
            if towns.hold(name):
                end = found.start("town") + len(name)
                suffix = towns.suffix.match(text, end)
                return suffix.end() if suffix else end
        return 0

    def _start_of_town(self, text: str, end: int) -> int:
        """Return where the town before a postcode starts; -1 if there is none."""
        towns, first = self.towns, max(0, end - _REACH)
        found = towns.before.search(text[first:end])
        if not found:
            return -1
        words = found["town"].split(" ")
        for n_words in range(len(words), 0, -1):
            name = " ".join(words[-n_words:])
            if towns.hold(name):
                return first + found.end("town") - len(name)
        return -1


def postcodes(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of postcodes: with a town, and announced."""
    postcodes = pack.postcodes
    free = rf"(?<![\w.,/+-]){postcodes.form}"
    announced = behind(postcodes.triggers, postcodes.between, free)
    return (
        _WithTown(
            "postcode",
            Kind.CPO,
            re.compile(free),
            gate=r"[0-9]{3}",
            score=0.88,
            towns=_Towns(pack),
        ),
        Recogniser(
            "postcode_alone",
            Kind.CPO,
            re.compile(f"(?i:{announced})"),
            gate=r"[0-9]{3}",
            score=0.85,
        ),
    )
