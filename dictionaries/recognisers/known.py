"""The lists that tell a name from another word; each is read when a check first needs it."""

from functools import cache
from pathlib import Path

from triage.dictionaries.lexicon import ALL_LAST_NAMES, LAST_NAMES
from triage.dictionaries.lists import load_list
from triage.dictionaries.normal import each, fold
from triage.dictionaries.pack import Pack, pairs


class PackWords:
    """Tells names from other words by the lists of a pack; one that it lacks holds nothing."""

    def __init__(self, pack: Pack) -> None:
        self._folders = pack.folders
        self._saints = pairs(pack.addresses.saints)

    def _holds(self, word: str, *lists: str) -> bool:
        folded = fold(word)
        return any(folded in _entries(folder / name) for folder in self._folders for name in lists)

    def is_ordinary(self, word: str) -> bool:
        """Return whether a word is frequent, as it stands in books or in text messages."""
        return self._holds(word, "frequent_forms", "sms_forms")

    def is_common(self, word: str) -> bool:
        """Return whether a word is among the commonest, or of text messages."""
        return self._holds(word, "commonest_forms", "sms_forms")

    def is_word(self, word: str) -> bool:
        """Return whether a word is of the language, in any of its forms."""
        return self.is_ordinary(word) or self._holds(word, "inflected_forms")

    def is_town(self, name: str) -> bool:
        """Return whether a town is called so; its words may stand apart, "st" is "saint"."""
        joined = f"-{fold(name).replace(' ', '-')}-"
        for short, full in self._saints.items():
            joined = joined.replace(f"-{short}-", f"-{full}-")
        return self._holds(joined[1:-1], "cities")

    def is_first_name(self, word: str) -> bool:
        """Return whether somebody is called so."""
        return self._holds(word, "first_names", "common_first_names")

    def is_last_name(self, word: str) -> bool:
        """Return whether somebody's family is called so."""
        return self._holds(word, *LAST_NAMES, ALL_LAST_NAMES)

    def is_brand(self, word: str) -> bool:
        """Return whether a brand or a firm is called so."""
        return self._holds(word, "brands")


@cache
def known_words(pack: Pack) -> PackWords:
    """Return what the lists of a pack tell."""
    return PackWords(pack)


@cache
def _entries(path: Path) -> frozenset[str]:
    """Return the entries of a list, without accents."""
    note = path / "note.toml"
    return frozenset(each(fold, [*load_list(note).words]) if note.exists() else ())
