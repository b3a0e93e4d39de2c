"""Recognisers of identifiers that are known by their form: a module for each family of forms.

Each module offers ``recognisers(words)``, which returns its recognisers for the words of a language
(the settings of its pack); it is listed in `MODULES`.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from triage.dictionaries.lists import DictionaryError, settings
from triage.dictionaries.recognisers import (
    affiliations,
    ages,
    birth,
    card,
    codes,
    company,
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
    streets,
    telephone,
)
from triage.dictionaries.recognisers.recogniser import Recogniser, Recognisers

__all__ = ["MODULES", "Recogniser", "Recognisers", "available", "chosen", "shipped"]

ALL = "all"
MODULES = (
    masked,
    mail,
    telephone,
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
    public,
)


@cache
def available(language: str) -> tuple[Recogniser, ...]:
    """Return all recognisers of a language, those that are off by default, too."""
    words = settings(language)
    return tuple(one for module in MODULES for one in module.recognisers(words))


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
    """Return the recognisers that are used by default, others that are asked for, and the user's.

    Parameters
    ----------
    language : str
    also : sequence of str
        Names of recognisers that are off by default, or types; ``all`` for all of them.
    own : iterable of Recogniser
        The user's; one of the same name takes the place of ours.
    files : iterable of str
        Where the user's stand.

    Raises
    ------
    DictionaryError
        If there is none of such a name or type.
    """
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
