"""The lexicon of a language: looking words up in its lists, and the labels that follow.

Computing the look-up tables of the French pack takes 0.8 s, reading them back from a cache half of
that. The cached file is keyed by the lists' content and holds plain data (marshal), no code.
"""

import hashlib
import marshal
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import filterfalse
from pathlib import Path
from typing import Any, Self

from triage.dictionaries import cache as files
from triage.dictionaries.edits import OneEdit
from triage.dictionaries.lists import DictionaryError, Role, WordList, load_lists, read_words
from triage.dictionaries.normal import consonants_of, fold
from triage.dictionaries.pack import FRENCH, Pack, load_pack, pack_folders

# The lists whose words are frequent enough for a rule to read them out of a longer word.
FREQUENT = "frequent_forms"
COMMON = frozenset({FREQUENT, "sms_forms"})
# First names of France, of which spelling rules read misspelt ones; and with them those of recent
# years and from abroad, too many to be near a word by chance alone.
KNOWN_FIRST_NAMES = ("first_names", "further_first_names")
FIRST_NAMES = (*KNOWN_FIRST_NAMES, "recent_first_names", "first_names_abroad")
LAST_NAMES = ("last_names", "further_last_names")
PERSON_NAMES = (*FIRST_NAMES, "nicknames")
# The lists of first names that are common, and very common.
COMMON_FIRST_NAMES = ("common_first_names", "commonest_first_names")
_SHORTEST_START = 4
# The title of a user's own list.
YOURS = "your list"
# To be raised with each change by which the same lists give other tables.
_TABLES_VERSION = 2


class Label(StrEnum):
    """The label of a word (paper, Table 1)."""

    DICTIONARY = "DICTIONARY"
    ANTI_DICTIONARY = "ANTI_DICTIONARY"
    AMBIGUOUS = "AMBIGUOUS"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Index:
    """The lists that hold a form, as bits."""

    short: dict[str, int]
    long: list[tuple[int, set[str]]]

    @classmethod
    def of(cls, lists: Iterable[tuple[int, Collection[str], Collection[str]]]) -> Self:
        """Index lists: for each its bit, its forms and its exceptions."""
        short: dict[str, int] = {}
        long: list[tuple[int, set[str]]] = []
        for bit, forms, exceptions in lists:
            held = set(forms)
            held.difference_update(exceptions)
            if len(forms) > _LONG_LIST:
                long.append((bit, held))
            else:
                for form in held:
                    short[form] = short.get(form, 0) | bit
        return cls(short, long)

    def get(self, form: str) -> int:
        """Return the bits of the lists that hold a form; 0 when none does."""
        bits = self.short.get(form, 0)
        for bit, forms in self.long:
            if form in forms:
                bits |= bit
        return bits


_LONG_LIST = 50_000


class Lexicon:
    """Word lists, ready to be searched."""

    def __init__(self, lists: Iterable[WordList], language: str = "") -> None:
        self.lists = tuple(lists)
        self.language = language
        self.bit = {words.name: 1 << i for i, words in enumerate(self.lists)}
        if len(self.bit) < len(self.lists):
            counts = Counter(words.name for words in self.lists)
            twice = ", ".join(name for name, n in counts.items() if n > 1)
            raise DictionaryError(f"two word lists have one name: {twice}")
        # A bit of no list: a sound is no name, and no list holds it.
        self.sound = 1 << len(self.lists)
        self.dictionary = self._bits(Role.DICTIONARY)
        self.anti_dictionary = self._bits(Role.ANTI_DICTIONARY) | self.sound
        self.yours = sum(self.bit[words.name] for words in self.lists if words.title == YOURS)
        self._labels: dict[int, Label] = {}
        self.common = sum(self.bit.get(name, 0) for name in COMMON)

    @cached_property
    def pack(self) -> Pack:
        """The settings of the language; of lists without one, those of French."""
        return load_pack(self.language or FRENCH)

    def _bits(self, role: Role) -> int:
        return sum(self.bit[words.name] for words in self.lists if words.role is role)

    @cached_property
    def exact(self) -> Index:
        """Forms as the lists write them."""
        return Index.of((self.bit[w.name], w.words, w.exceptions) for w in self.lists)

    @cached_property
    def folded(self) -> Index:
        """Accented forms, written without their accents."""
        return Index.of(
            (self.bit[w.name], _without_accents(w.words), _without_accents(w.exceptions))
            for w in self.lists
        )

    @cached_property
    def near(self) -> OneEdit:
        """Index of the frequent forms one edit from a word, without accents."""
        frequent = (words.words for words in self.lists if words.name == FREQUENT)
        return OneEdit(fold("\n".join(next(frequent, ()))).split("\n"))

    @cached_property
    def by_consonants(self) -> dict[str, list[str]]:
        """Consonants → the frequent forms that have them, the shortest first."""
        found: dict[str, list[str]] = {}
        frequent = (words.words for words in self.lists if words.name == FREQUENT)
        for form in sorted(next(frequent, ()), key=lambda form: (len(form), form)):
            found.setdefault(consonants_of(fold(form)), []).append(fold(form))
        return found

    @cached_property
    def name_starts(self) -> dict[str, int]:
        """Beginnings of first names, four letters and more → bits of the names' lists."""
        starts: dict[str, int] = {}
        for name, bit in self._first_names():
            for end in range(_SHORTEST_START, len(name)):
                starts[name[:end]] = starts.get(name[:end], 0) | bit
        return starts

    @cached_property
    def names_by_letters(self) -> dict[str, list[tuple[str, int]]]:
        """Sorted letters → the first names of these letters, with the bits of their lists."""
        names: dict[str, list[tuple[str, int]]] = {}
        for name, bit in self._first_names():
            names.setdefault("".join(sorted(name)), []).append((name, bit))
        return names

    @property
    def tables(self) -> tuple[Any, ...]:
        """All that is computed from the lists, as plain data."""
        indexes = ((index.short, index.long) for index in (self.exact, self.folded))
        names = self.name_starts, self.names_by_letters
        return (*indexes, self.near.filed, *names, self.fingerprint)

    def restore(self, tables: Any) -> None:  # noqa: ANN401 (plain data, checked by unpacking it)
        """Take over the `tables` of a lexicon of the same lists."""
        exact, folded, filed, name_starts, names_by_letters, fingerprint = tables
        indexes = Index(*exact), Index(*folded)
        self.exact, self.folded = indexes
        self.near = OneEdit.restored(filed)
        self.name_starts, self.names_by_letters = name_starts, names_by_letters
        self.fingerprint = fingerprint

    def _first_names(self) -> Iterator[tuple[str, int]]:
        for words in self.lists:
            if words.name in KNOWN_FIRST_NAMES:
                yield from ((fold(name), self.bit[words.name]) for name in sorted(words.entries))

    def label(self, bits: int) -> Label:
        """Return the label of a word that the lists of these bits hold (paper, Table 1)."""
        label = self._labels.get(bits)
        if label is None:
            counting = bits & self.yours or bits
            in_anti = counting & self.anti_dictionary
            if counting & self.dictionary:
                label = Label.AMBIGUOUS if in_anti else Label.DICTIONARY
            else:
                label = Label.ANTI_DICTIONARY if in_anti else Label.UNKNOWN
            self._labels[bits] = label
        return label

    def names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the lists of these bits, in the order of the lexicon."""
        return tuple(words.name for words in self.lists if bits & self.bit[words.name])

    def deciding(self, bits: int) -> int:
        """Return of these bits those of lists that a label can come from."""
        return bits & (self.dictionary | self.anti_dictionary)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the lists' names, roles, words and exceptions."""
        digest = hashlib.sha256()
        for words in self.lists:
            for part in ([words.name, words.role], words.words, sorted(words.exceptions)):
                digest.update("\n".join(part).encode() + b"\0")
        return digest.hexdigest()

    def with_lists(self, lists: Iterable[WordList]) -> "Lexicon":
        """Return a new lexicon that holds these lists too."""
        return Lexicon((*self.lists, *lists), self.language)


def _without_accents(words: Collection[str]) -> Collection[str]:
    """Return the accented ones of these words without their accents."""
    accented = list(filterfalse(str.isascii, words))
    return fold("\n".join(accented)).split("\n") if accented else ()


def load_lexicon(language: str = FRENCH, cache: Path | None = None) -> Lexicon:
    """Load the pack of a language, or of several (`triage.dictionaries.pack.load_pack`)."""
    folders = pack_folders(language)
    lexicon = Lexicon(load_lists(folders), language)
    if cache is not None and folders:
        _restore_or_keep(lexicon, _cache_file(folders, cache))
    return lexicon


def _restore_or_keep(lexicon: Lexicon, path: Path) -> None:
    content = files.recall(path)
    try:
        if content is not None:
            lexicon.restore(marshal.loads(content))  # noqa: S302 (see `triage.dictionaries.cache`)
            return
    except (EOFError, ValueError, TypeError):
        pass  # damaged: made again
    files.keep(marshal.dumps(lexicon.tables), path)
    files.forget_old(path.parent, "*.lexicon")


def _cache_file(packs: Sequence[Path], folder: Path) -> Path:
    """Return the path of the tables of packs: another for any other content."""
    made_by = f"{_TABLES_VERSION}\0{sys.version}\0{marshal.version}"
    digest = hashlib.sha256(made_by.encode())
    for pack in packs:
        for note in sorted(pack.glob("*/note.toml")):
            for path in sorted(note.parent.iterdir()):
                digest.update(f"\0{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    name = "-".join(pack.resolve().name for pack in packs)
    return folder / f"{name}-{digest.hexdigest()[:16]}.lexicon"


def user_list(path: Path, role: Role) -> WordList:
    r"""Read a user's own list, named after its file (see `read_words`)."""
    return WordList(path.stem, role, read_words(path), title=YOURS, source=str(path))
