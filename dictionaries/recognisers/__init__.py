"""Recognisers of identifiers, known by their form or by their place in a message: all are data."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from ..lists import DictionaryError
from ..pack import Examples, load_pack
from .loader import load, of_pack
from .recogniser import Recogniser
from .search import Recognisers

__all__ = ["Recogniser", "Recognisers", "available", "chosen", "shipped"]

ALL = "all"
OWN = "recognisers.toml"


@cache
def available(language: str) -> tuple[Recogniser, ...]:
    """Return all recognisers of a language, those that are off by default, too."""
    pack = load_pack(language)
    try:
        ours = of_pack(pack)
    except re.error:
        pack.check_expressions()
        raise
    files = (folder / OWN for folder in pack.folders)
    given = ((one, pack.examples.get(one.name, Examples())) for one in ours)
    shown = (replace(one, examples=of[0], counterexamples=of[1]) for one, of in given)
    return (*shown, *(one for file in files if file.exists() for one in load(file, language)))


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
    kept = [
        one
        for one in ours
        if one.name not in replaced and (one.is_on or wanted & {ALL, one.name, one.kind.value})
    ]
    return Recognisers([*kept, *mine], tuple(also), tuple(files))
