"""The lexicon of a language: looking words up in its lists, and the labels that follow."""

import hashlib
import marshal
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import filterfalse
from pathlib import Path
from typing import Any

import numpy as np

from .cache import cached
from .edits import with_a_letter_less
from .lists import DictionaryError, Role, WordList, load_lists, read_words
from .normal import consonants_of, each, fold
from .pack import FRENCH, load_pack, pack_folders

# The lists whose words are frequent enough for a rule to read them out of a longer word.
FREQUENT = "frequent_forms"
COMMON = frozenset({FREQUENT, "sms_forms"})
# First names of France, of which spelling rules read misspelt ones; and with them those of recent
# years and from abroad, too many to be near a word by chance alone.
KNOWN_FIRST_NAMES = ("first_names", "further_first_names")
FIRST_NAMES = (*KNOWN_FIRST_NAMES, "recent_first_names", "first_names_abroad")
LAST_NAMES = ("last_names", "further_last_names", "last_names_abroad")
# Also a list that holds too many words: it counts only beside another name.
ALL_LAST_NAMES = (*LAST_NAMES, "last_names_of_france")
PERSON_NAMES = (*FIRST_NAMES, "nicknames")
# The lists of first names that are common, and very common.
COMMON_FIRST_NAMES = ("common_first_names", "commonest_first_names")
# The title of a user's own list.
YOURS = "your list"
# To be raised with each change after which the same lists give other tables.
_TABLES_VERSION = 9
# Of forms that are looked up again and again, some 10 MB.
_MAX_KNOWN = 50_000


class Label(StrEnum):
    """The label of a word (paper, Table 1)."""

    __hash__ = str.__hash__
    DICTIONARY = "DICTIONARY"
    ANTI_DICTIONARY = "ANTI_DICTIONARY"
    AMBIGUOUS = "AMBIGUOUS"
    UNKNOWN = "UNKNOWN"


# Of a word that no list holds, an anti-dictionary alone, a dictionary alone, both.
_LABELS = (Label.UNKNOWN, Label.ANTI_DICTIONARY, Label.DICTIONARY, Label.AMBIGUOUS)


class Index:
    """The lists that hold a form, as bits: by sorted digests of forms, and by a base index."""

    def __init__(self, digests: bytes, bits: bytes, base: "Index | None" = None) -> None:
        self._digests, self._bits = memoryview(digests).cast("Q"), memoryview(bits).cast("Q")
        self._base = base

    def get(self, form: str) -> int:
        digest = _digest_of(form)
        place = bisect_left(self._digests, digest)
        is_here = place < len(self._digests) and self._digests[place] == digest
        bits = self._bits[place] if is_here else 0
        return bits | self._base.get(form) if self._base else bits


# A form that one index does not hold is looked up in the next.
@lru_cache(1024)
def _digest_of(form: str) -> int:
    """Return 64 bits of a form: of half a million forms, two are alike once in 10^8 packs."""
    form_bytes = form.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(form_bytes, digest_size=8).digest(), "little")


class Lexicon:
    def __init__(
        self, lists: Iterable[WordList], language: str = "", base: "Lexicon | None" = None
    ) -> None:
        self.lists, self.language, self._base = tuple(lists), language, base
        self._stored: dict[str, bytes] = {}
        self._tables: dict[str, dict[str, Any]] = {}
        # Of lists without a language, the settings are those of French.
        self.pack = load_pack(language or FRENCH)
        self.bit = {words.name: 1 << i for i, words in enumerate(self.lists)}
        counts = Counter(words.name for words in self.lists)
        if repeated := ", ".join(name for name, n in counts.items() if n > 1):
            raise DictionaryError(f"two word lists have one name: {repeated}")
        # A bit of no list: a sound is no name, and no list holds it.
        self.sound = 1 << len(self.lists)
        names = {role: [one.name for one in self.lists if one.role is role] for role in Role}
        self.dictionary = self.bits(*names[Role.DICTIONARY])
        self.anti_dictionary = self.bits(*names[Role.ANTI_DICTIONARY]) | self.sound
        self.yours = sum(self.bit[words.name] for words in self.lists if words.title == YOURS)
        self._labels: dict[int, Label] = {}
        self.common = self.bits(*COMMON)

    def bits(self, *names: str) -> int:
        """Return the bits of some lists; a pack may lack some of them."""
        return sum({self.bit.get(name, 0) for name in names})

    @cached_property
    def exact(self) -> Index:
        """Forms as the lists write them."""
        return Index(*self._index("exact"), self._base.exact if self._base else None)

    @cached_property
    def folded(self) -> Index:
        """Accented forms, written without their accents."""
        return Index(*self._index("folded"), self._base.folded if self._base else None)

    def _index(self, name: str) -> tuple[bytes, bytes]:
        """Return an `Index` of the lists, but for those that the base has, as it is stored."""
        bits_of: dict[str, int] = {}
        for words in self.lists[len(self._base.lists) if self._base else 0 :]:
            forms, exceptions = {*words.words}, {*words.exceptions}
            if name == "folded":
                accented = ([*filterfalse(str.isascii, some)] for some in (forms, exceptions))
                forms, exceptions = ({*each(fold, some)} for some in accented)
            for form in forms - exceptions:
                bits_of[form] = bits_of.get(form, 0) | self.bit[words.name]
        n_forms = len(bits_of)
        digests = np.fromiter(map(_digest_of, bits_of), np.uint64, n_forms)
        digests, order = np.unique(digests, return_index=True)
        if len(digests) < n_forms:
            raise DictionaryError("two words of the lists have one digest: leave one of them out")
        bits = np.fromiter(bits_of.values(), np.uint64, n_forms)
        return digests.tobytes(), bits[order].tobytes()

    def table(self, name: str) -> dict[str, Any]:
        """Return one of `_tables_of`, made of the lists or as it was stored."""
        if self._base:
            return self._base.table(name)
        if name in self._stored and name not in self._tables:
            self._tables[name] = marshal.loads(self._stored[name])  # noqa: S302 (see `restore`)
        self._tables = self._tables or _tables_of(self)
        return self._tables[name]

    @property
    def tables(self) -> dict[str, Any]:
        """All that is computed from the lists, as plain data; what is rarely needed, as bytes."""
        packed = {name: marshal.dumps(table) for name, table in _tables_of(self).items()}
        indexes = {name: self._index(name) for name in ("exact", "folded")}
        return indexes | packed | {"fingerprint": self.fingerprint}

    def restore(self, tables: Any) -> None:  # noqa: ANN401 (plain data, checked by taking it apart)
        """Take over the `tables` of a lexicon of the same lists."""
        self.exact, self.folded = Index(*tables["exact"]), Index(*tables["folded"])
        self._stored = {name: one for name, one in tables.items() if isinstance(one, bytes)}
        self.fingerprint = tables["fingerprint"]

    @cached_property
    def lists_of(self) -> Callable[[str], int]:
        """Look up the bits of the lists that hold a form, or an accented one that it stands for."""
        return lru_cache(_MAX_KNOWN)(lambda form: self.exact.get(form) | self.folded.get(form))

    def label(self, bits: int) -> Label:
        """Return the label of a word that the lists of these bits hold (paper, Table 1)."""
        if bits not in self._labels:
            counting = bits & self.yours or bits
            is_name, is_word = counting & self.dictionary, counting & self.anti_dictionary
            self._labels[bits] = _LABELS[2 * bool(is_name) + bool(is_word)]
        return self._labels[bits]

    def names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the lists of these bits, in the order of the lexicon."""
        return tuple(name for name, bit in self.bit.items() if bits & bit)

    def deciding(self, bits: int) -> int:
        """Return those of these bits whose lists decide a label."""
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
        return Lexicon((*self.lists, *lists), self.language, base=self)


def _tables_of(lexicon: Lexicon) -> dict[str, dict[str, Any]]:
    """Make the tables in which spelling rules look words up now and then."""
    lists = {words.name: words for words in lexicon.lists}
    frequent: Collection[str] = lists[FREQUENT].words if FREQUENT in lists else ()
    by_consonants: dict[str, list[str]] = {}
    # The shortest first.
    for form in sorted(frequent, key=lambda form: (len(form), form)):
        by_consonants.setdefault(consonants_of(fold(form)), []).append(fold(form))
    starts: dict[str, int] = {}
    by_letters: dict[str, list[tuple[str, int]]] = {}
    bits = {name: bit for name, bit in lexicon.bit.items() if name in KNOWN_FIRST_NAMES}
    for list_name, bit in bits.items():
        for name in map(fold, sorted(lists[list_name].entries)):
            by_letters.setdefault("".join(sorted(name)), []).append((name, bit))
            for end in range(3, len(name)):
                starts[name[:end]] = starts.get(name[:end], 0) | bit
    return {
        # Frequent forms without accents, to find those that are one edit from a word.
        "near": with_a_letter_less(fold("\n".join(frequent)).split("\n")),
        "by_consonants": by_consonants,
        # The bits of the lists of first names by their beginnings, three letters and more.
        "name_starts": starts,
        "names_by_letters": by_letters,
    }


def load_lexicon(language: str = FRENCH) -> Lexicon:
    """Load the pack of a language, or of several (`triage.dictionaries.pack.load_pack`)."""
    folders, digest = pack_folders(language), hashlib.sha256()
    for note in (note for pack in folders for note in sorted(pack.glob("*/note.toml"))):
        for path in sorted(note.parent.iterdir()):
            digest.update(f"\0{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    return _loaded(language, folders, digest.hexdigest())


@lru_cache(4)
def _loaded(language: str, folders: tuple[Path, ...], digest: str) -> Lexicon:
    """Load a pack once for all who use it, as long as its files are the same."""
    lexicon = Lexicon(load_lists(folders), language)
    if folders:
        made_by = _TABLES_VERSION, sys.version, marshal.version, digest
        tables = cached("lexicon", made_by, lambda: marshal.dumps(lexicon.tables))
        lexicon.restore(marshal.loads(tables))  # noqa: S302 (see `cached`)
    return lexicon


def user_list(path: Path, role: Role) -> WordList:
    r"""Read a user's own list, named after its file (see `read_words`)."""
    return WordList(path.stem, role, read_words(path), title=YOURS, source=str(path))
