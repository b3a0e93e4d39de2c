"""Schools and employers: a word for the kind of house, or for working, and a name."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import PackWords, known_words
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, first_words

_WORD = r"[^\W\d_](?:['’&-]?\w){1,30}"
# Shorter words that no list holds are abbreviations of chats.
_SHORTEST_UNKNOWN = 5
_NAME = rf"{_WORD}(?: {_WORD}){{0,3}}"


@dataclass(frozen=True, slots=True)
class _Names:
    """Tells names from other words."""

    links: frozenset[str]
    titles: frozenset[str]
    firms: frozenset[str]
    known: PackWords

    def is_place(self, name: str) -> bool:
        """Tell of what stands behind a kind of house whether it names one."""
        if not name:
            return False
        *first, last = name.split(" ")
        if first and first[-1].lower() in self.titles:
            return last.lower() not in self.titles
        is_capital = self._is_capital(name)
        if self.known.is_town(name) and (is_capital or not self.known.is_ordinary(name)):
            return True
        if first and all(map(self.known.is_first_name, first)):
            return not self.known.is_common(last)
        if is_capital:
            return not self.known.is_common(_bare(last))
        return not first and not self.known.is_first_name(last) and self._is_unknown(last)

    def is_firm(self, name: str) -> bool:
        """Tell of what a firm's name may stand for whether it is one, and nobody's home."""
        if self.is_brand(name):
            return True
        if self.known.is_first_name(name) or self.known.is_town(name):
            return False
        if self._is_capital(name):
            return not all(map(self.known.is_ordinary, name.split(" ")))
        return self._is_unknown(name)

    def is_brand(self, name: str) -> bool:
        """Return whether a list of brands or firms holds it."""
        return self.known.is_brand(name.replace(" ", "-")) or name.lower() in self.firms

    def _is_unknown(self, word: str) -> bool:
        """Return whether it is one word, no abbreviation of chats, and not of the language."""
        is_long = " " not in word and len(word) >= _SHORTEST_UNKNOWN
        return is_long and not self.known.is_word(_bare(word))

    def _is_capital(self, name: str) -> bool:
        *others, last = name.split(" ")
        return last[0].isupper() and all(word[0].isupper() or word in self.links for word in others)


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
    """Return the recognisers of schools and of employers, which are off unless asked for."""
    schools, work = pack.schools, pack.employers
    links = any_of(schools.links)
    no_links = rf"(?!{links}(?!\w))"
    school = rf"{any_of(schools.types)}(?: {any_of(schools.kinds)})?"
    house = any_of(work.houses)
    filler = rf"(?:[ ,]{{1,2}}(?!{any_of(work.stops)}(?!\w))[\w'’]{{1,20}}){{0,5}}?[ ,]{{1,2}}"
    working = rf"(?<!\w){any_of(work.triggers)}(?!\w){filler}"
    gate = first_words(work.triggers)
    names = _Names(
        schools.in_names,
        schools.titles,
        work.firms,
        known_words(pack),
    )
    return (
        Recogniser(
            "school",
            Kind.LIE,
            re.compile(rf"(?i:(?<![\w-]){school}(?: {links})?[ ]?(?<=[ '’]){no_links}{_NAME})"),
            gate=first_words(schools.types),
            check=_named(rf"{school}(?: {links})?", names.is_place),
            score=0.7,
            is_on=False,
            is_shortened=True,
        ),
        Recogniser(
            "employer",
            Kind.ORG,
            re.compile(rf"(?i:{working}{any_of(work.before_names)} (?P<{FOUND}>{_NAME}))"),
            gate=gate,
            check=names.is_firm,
            score=0.7,
            is_on=False,
            is_shortened=True,
        ),
        Recogniser(
            "employer_house",
            Kind.ORG,
            re.compile(
                rf"(?i:{working}{any_of(work.before_houses)} ?(?<=[ '’])"
                rf"(?P<{FOUND}>{house}(?: {links})?[ ]?(?<=[ '’]){no_links}{_NAME}))"
            ),
            gate=gate,
            check=_named(rf"{house}(?: {links})?", names.is_place),
            score=0.72,
            is_on=False,
            is_shortened=True,
        ),
        Recogniser(
            "employer_brand",
            Kind.ORG,
            re.compile(
                rf"(?i:{working}{any_of(work.before_houses)} ?(?<=[ '’])(?P<{FOUND}>{_NAME}))"
            ),
            gate=gate,
            check=names.is_brand,
            score=0.7,
            is_on=False,
            is_shortened=True,
        ),
    )


def _named(before: str, is_name: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return what tells of a kind of house and a name whether the name is one."""
    kind = re.compile(rf"(?i:{before} ?)")

    def check(found: str) -> bool:
        match = kind.match(found)
        return bool(match and is_name(found[match.end() :]))

    return check


def _bare(word: str) -> str:
    """Return a word without what is elided before it."""
    return word.replace("’", "'").rpartition("'")[2]
