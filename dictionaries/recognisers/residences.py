"""Addresses without a number and a street: named residences, streets, doors."""

import re

from triage.dictionaries.kinds import Kind
from triage.dictionaries.pack import Pack
from triage.dictionaries.recognisers.known import known_words
from triage.dictionaries.recognisers.recogniser import FOUND, Recogniser, any_of, first_words

_UPPER = r"(?=[^\W\d_a-zà-öø-ÿ])"
# Without digits, which are of a code.
_WORD = r"[^\W\d_](?:[^\W\d_]|['’-]){1,30}+(?!\w)"


def recognisers(pack: Pack) -> tuple[Recogniser, ...]:
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
