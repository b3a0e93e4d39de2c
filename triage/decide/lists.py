"""The dictionaries of a language together with the user's own lists."""

from collections.abc import Sequence
from pathlib import Path

from triage.dictionaries import Lexicon, Role, load_lexicon, user_list
from triage.dictionaries.recognisers import Recognisers, chosen
from triage.dictionaries.recognisers.user import load

from ..errors import TriageError
from ..model.store import cache_folder


def load_lists(
    language: str, names: Sequence[str | Path] = (), words: Sequence[str | Path] = ()
) -> Lexicon:
    """Load the dictionaries of a language together with the user's lists."""
    return with_user_lists(load_lexicon(language, cache=cache_folder()), names, words)


def load_recognisers(
    language: str, files: Sequence[str | Path] = (), find: Sequence[str] = ()
) -> Recognisers:
    """Load the recognisers of a language, those that are asked for, and the user's own."""
    own = [one for path in files for one in load(path, language)]
    return chosen(language, find, own, map(str, files))


def with_user_lists(
    pack: Lexicon, names: Sequence[str | Path], words: Sequence[str | Path]
) -> Lexicon:
    """Return a pack with the user's lists of names and of words."""
    lists = [user_list(Path(path), Role.DICTIONARY) for path in names]
    lists += [user_list(Path(path), Role.ANTI_DICTIONARY) for path in words]
    taken = {known.name for known in pack.lists}
    for own in lists:
        if own.name in taken:
            raise TriageError(f"two lists are called {own.name!r}: rename the file {own.source}")
        taken.add(own.name)
    return pack.with_lists(lists) if lists else pack
