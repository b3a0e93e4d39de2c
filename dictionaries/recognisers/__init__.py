"""Recognisers of identifiers that are known by their form: a module for each theme.

Each family is a function that returns its recognisers for the words of a language (the settings of
its pack); it is listed in `FAMILIES`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

from triage.dictionaries.lists import DictionaryError
from triage.dictionaries.pack import NEVER, Examples, Pack, load_pack
from triage.dictionaries.recognisers import (
    affiliations,
    bank,
    birth,
    codes,
    handles,
    homes,
    net,
    numbers,
    official,
    places,
    public,
    short_names,
    telephone,
)
from triage.dictionaries.recognisers.recogniser import Recogniser, Recognisers, any_of
from triage.dictionaries.recognisers.user import load

__all__ = ["FAMILIES", "Recogniser", "Recognisers", "available", "chosen", "shipped"]

ALL = "all"
FAMILIES: tuple[Callable[[Pack], Sequence[Recogniser]], ...] = (
    public.marks,
    net.addresses,
    telephone.french,
    telephone.of_countries,
    telephone.said,
    homes.streets,
    codes.codes,
    codes.passwords,
    numbers.recognisers,
    bank.accounts,
    bank.cards,
    official.social_security,
    official.plates,
    official.companies,
    bank.crypto,
    handles.recognisers,
    net.links,
    places.recognisers,
    net.machines,
    birth.births,
    birth.ages,
    homes.postcodes,
    affiliations.recognisers,
    homes.residences,
    public.names,
    short_names.recognisers,
)
# What only one country has: a pack names its countries.
_OF_FRANCE = frozenset(
    {
        telephone.french,
        official.social_security,
        official.plates,
        official.companies,
        homes.postcodes,
    }
)
OWN = "recognisers.toml"
# The gates of what the pack has no words for.
_NO_WORDS = frozenset({NEVER, any_of(())})


@cache
def available(language: str) -> tuple[Recogniser, ...]:
    """Return all recognisers of a language, those that are off by default, too."""
    pack = load_pack(language)
    is_french = "fr" in pack.pack.countries
    try:
        ours = [
            one
            for family in FAMILIES
            if is_french or family not in _OF_FRANCE
            for one in family(pack)
            if _NO_WORDS.isdisjoint((one.gate, one.near))
        ]
    except re.error:
        pack.check_expressions()
        raise
    files = (folder / OWN for folder in pack.folders)
    shown = (_with_examples(one, pack) for one in ours)
    return (*shown, *(one for file in files if file.exists() for one in load(file, language)))


def _with_examples(recogniser: Recogniser, pack: Pack) -> Recogniser:
    found, not_found = pack.examples.get(recogniser.name, Examples())
    return replace(recogniser, examples=found, counterexamples=not_found)


@cache
def shipped(language: str) -> Recognisers:
    """Return the recognisers of a language that are used by default."""
    return Recognisers(one for one in available(language) if one.is_on)


def chosen(
    language: str,
    also: Sequence[str] = (),
    own: Iterable[Recogniser] = (),
    files: Iterable[str] = (),
) -> Recognisers:
    """Return the recognisers that are used by default, those asked for, and the user's."""
    ours, mine = available(language), tuple(own)
    if not (also or mine):
        return shipped(language)
    wanted = {*also}
    known = {ALL, *(one.name for one in ours), *(one.kind.value for one in ours)}
    for name in sorted(wanted - known):
        raise DictionaryError(
            f"no recogniser is called {name!r}: there are {', '.join(sorted(known))}"
        )
    replaced = {one.name for one in mine}
    return Recognisers(
        (
            *(
                one
                for one in ours
                if one.name not in replaced
                and (one.is_on or wanted & {ALL, one.name, one.kind.value})
            ),
            *mine,
        ),
        tuple(also),
        tuple(files),
    )
