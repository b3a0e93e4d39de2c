"""Schools and employers: a word for the kind of house, or for working, and a name."""

import re
from collections.abc import Callable
from typing import Any

from triage.dictionaries.kinds import Kind
from triage.dictionaries.recognisers.known import (
    is_brand,
    is_common,
    is_first_name,
    is_french,
    is_ordinary,
    is_town,
)
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of

_WORD = r"[^\W\d_](?:['’&-]?\w){1,30}"
# Shorter words that no list holds are abbreviations of chats.
_SHORTEST_UNKNOWN = 5
_NAME = rf"{_WORD}(?: {_WORD}){{0,3}}"


def recognisers(words: dict[str, dict[str, Any]]) -> tuple[Recogniser, ...]:
    """Return the recognisers of schools and of employers, which are off unless asked for.

    A name has capitals, is on a list, or is no French word.
    """
    schools, work = words["schools"], words["employers"]
    links = any_of(schools["links"])
    no_links = rf"(?!{links}(?!\w))"
    school = rf"{any_of(schools['types'])}(?: {any_of(schools['kinds'])})?"
    house = any_of(work["houses"])
    filler = rf"(?:[ ,]{{1,2}}(?!{any_of(work['stops'])}(?!\w))[\w'’]{{1,20}}){{0,5}}?[ ,]{{1,2}}"
    working = rf"(?<!\w){any_of(work['triggers'])}(?!\w){filler}"
    gate = any_of(trigger.partition(" ")[0] for trigger in work["triggers"])
    titles = frozenset(schools["titles"].split())
    firms = frozenset(work["firms"].split())

    def is_place(name: str) -> bool:
        return _is_place(name, titles)

    return (
        Recogniser(
            "school",
            Kind.LIE,
            re.compile(rf"(?i:(?<![\w-]){school}(?: {links})?[ ]?(?<=[ '’]){no_links}{_NAME})"),
            gate=any_of(schools["types"]),
            check=_named(rf"{school}(?: {links})?", is_place),
            score=0.7,
            examples=("je suis au lycée Jules Guesde", "iut de beziers"),
            counterexamples=("au lycée demain", "fac de droit"),
            is_on=False,
            is_shortened=True,
        ),
        Recogniser(
            "employer",
            Kind.ORG,
            re.compile(rf"(?i:{working}{any_of(work['before_names'])} (?P<{FOUND}>{_NAME}))"),
            gate=gate,
            check=lambda name: _is_firm(name, firms),
            score=0.7,
            examples=("je bosse chez Decathlon",),
            counterexamples=("je bosse chez moi",),
            is_on=False,
            is_shortened=True,
        ),
        Recogniser(
            "employer_house",
            Kind.ORG,
            re.compile(
                rf"(?i:{working}{any_of(work['before_houses'])} ?(?<=[ '’])"
                rf"(?P<{FOUND}>{house}(?: {links})?[ ]?(?<=[ '’]){no_links}{_NAME}))"
            ),
            gate=gate,
            check=_named(rf"{house}(?: {links})?", is_place),
            score=0.72,
            examples=("je travaille à la mairie de Béziers",),
            counterexamples=("je travaille à la mairie demain",),
            is_on=False,
            is_shortened=True,
        ),
        Recogniser(
            "employer_brand",
            Kind.ORG,
            re.compile(
                rf"(?i:{working}{any_of(work['before_houses'])} ?(?<=[ '’])(?P<{FOUND}>{_NAME}))"
            ),
            gate=gate,
            check=lambda name: is_brand(name.replace(" ", "-")) or name.lower() in firms,
            score=0.7,
            examples=("je taf au mcdo",),
            counterexamples=("je taf au chaud",),
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


_LINKS = frozenset(["de", "du", "des", "la", "le", "les"])


def _is_place(name: str, titles: frozenset[str]) -> bool:
    """Tell of the words behind a kind of house whether they name it: "joffre", "jean moulin"."""
    words = name.split(" ")
    *first, last = words
    if not name:
        return False
    if first and first[-1].lower() in titles:
        return last.lower() not in titles
    is_capital = all(word[0].isupper() or word in _LINKS for word in words)
    if is_town(name) and (is_capital or not is_ordinary(name)):
        return True
    if first and all(map(is_first_name, first)):
        return not is_common(last)
    if is_capital:
        return not is_common(_bare(last))
    is_long = len(last) >= _SHORTEST_UNKNOWN
    return not (first or is_french(_bare(last)) or is_first_name(last)) and is_long


def _is_firm(name: str, firms: frozenset[str]) -> bool:
    words = name.split(" ")
    if is_brand(name.replace(" ", "-")) or name.lower() in firms:
        return True
    if (is_first_name(words[0]) and len(words) == 1) or is_town(name):
        return False
    if all(word[0].isupper() for word in words):
        return not all(map(is_ordinary, words))
    is_long = len(name) >= _SHORTEST_UNKNOWN
    return len(words) == 1 and is_long and not is_french(_bare(name))


def _bare(word: str) -> str:
    """Return a word without what is elided before it."""
    return word.replace("’", "'").rpartition("'")[2]
