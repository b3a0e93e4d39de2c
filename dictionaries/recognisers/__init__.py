"""Recognisers of identifiers that are known by their form: a module for each family of forms.

Each module offers ``recognisers(pack)``, which returns its recognisers for the words of a language
(the settings of its pack); it is listed in `MODULES`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from triage.dictionaries.errors import DictionaryError
from triage.dictionaries.pack import Examples, Pack, load_pack
from triage.dictionaries.recognisers import (
    affiliations,
    ages,
    birth,
    card,
    codes,
    company,
    countries,
    crypto,
    handles,
    iban,
    links,
    mail,
    masked,
    network,
    nir,
    numbers,
    passwords,
    places,
    plate,
    postcodes,
    public,
    residences,
    said,
    short_names,
    streets,
    telephone,
)
from triage.dictionaries.recognisers.recogniser import Recogniser, Recognisers, any_of
from triage.dictionaries.recognisers.user import load
from triage.dictionaries.sections import NEVER

__all__ = ["MODULES", "Recogniser", "Recognisers", "available", "chosen", "shipped"]

ALL = "all"
MODULES = (
    masked,
    mail,
    telephone,
    countries,
    said,
    streets,
    codes,
    passwords,
    numbers,
    iban,
    card,
    nir,
    plate,
    company,
    crypto,
    handles,
    links,
    places,
    network,
    birth,
    ages,
    postcodes,
    affiliations,
    residences,
    public,
    short_names,
)


# What only one country has: a pack names its countries.
_OF_COUNTRY = dict.fromkeys((telephone, nir, plate, company, postcodes), "fr")
OWN = "recognisers.toml"
# The gates of what the pack has no words for.
_NO_WORDS = frozenset({NEVER, any_of(())})


@cache
def available(language: str) -> tuple[Recogniser, ...]:
    """Return all recognisers of a language, those that are off by default, too."""
    pack = load_pack(language)
    applying = [
        module for module in MODULES if _OF_COUNTRY.get(module) in (None, *pack.pack.countries)
    ]
    try:
        ours = [
            one
            for module in applying
            for one in module.recognisers(pack)
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
