"""What is computed from the lists of a pack, kept in a cache and keyed by their content.

Making the look-up tables of the French pack takes 0.8 s; reading them back takes half of that.
The file holds plain data (marshal), no code, and a checksum.
"""

import hashlib
import marshal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

from triage.dictionaries import cache


class LazyWords(Sequence[str]):
    """The words of a list, read when they are asked for.

    Parameters
    ----------
    read : callable
        Returns the words.

    Examples
    --------
    >>> words = LazyWords(lambda: ["patrice", "zoé"])
    >>> len(words), words[0], list(words)
    (2, 'patrice', ['patrice', 'zoé'])
    """

    def __init__(self, read: Callable[[], list[str]]) -> None:
        self._read = read
        self._words: list[str] | None = None

    @property
    def _all(self) -> list[str]:
        if self._words is None:
            self._words = self._read()
        return self._words

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return self._all[at]


# To be raised with each change by which the same lists give other tables.
_TABLES_VERSION = 1


def cache_file(pack: Path, folder: Path) -> Path:
    """Return where the tables of a pack are kept: another file for any other content.

    Parameters
    ----------
    pack : Path
        The folder of a language.
    folder : Path
        Of the cache.
    """
    made_by = f"{_TABLES_VERSION}\0{sys.version}\0{marshal.version}"
    digest = hashlib.sha256(made_by.encode())
    for path in sorted(pack.glob("*/*")):
        if path.is_file():
            digest.update(f"\0{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    return folder / f"{pack.name}-{digest.hexdigest()[:16]}.lexicon"


def recall(path: Path) -> object | None:
    """Return the kept tables; None where there are none, or none that can be trusted."""
    content = cache.recall(path)
    try:
        return None if content is None else marshal.loads(content)  # noqa: S302 (see `cache`)
    except (EOFError, ValueError, TypeError):
        return None


def keep(tables: object, path: Path) -> None:
    """Keep tables for the next run; without a cache, do nothing."""
    cache.keep(marshal.dumps(tables), path)  # type: ignore[arg-type]
    cache.forget_old(path.parent, "*.lexicon")
