"""The word lists of a language pack, and looking a word up in them.

A list is a folder: ``items.txt`` (an entry a line, what follows a tab is a gloss for readers),
``exceptions.txt`` (entries taken off again, with a reason after a tab) and ``note.toml``.
"""

import hashlib
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse
from pathlib import Path
from typing import Any, Self

from triage.dictionaries import compiled
from triage.dictionaries.compiled import LazyWords
from triage.dictionaries.edits import OneEdit
from triage.dictionaries.errors import DictionaryError
from triage.dictionaries.labels import Label, Role
from triage.dictionaries.normal import fold, normal

PACKS = Path(__file__).parent
# The lists whose words are frequent enough for a rule to read them out of a longer word.
FREQUENT = "frequent_forms"
COMMON = frozenset({FREQUENT, "sms_forms"})
FIRST_NAMES = frozenset({"first_names", "further_first_names"})
_SHORTEST_START = 4
# The title of a user's own list.
YOURS = "your list"


@dataclass(frozen=True)
class WordList:
    """A named list of words and where it comes from.

    Parameters
    ----------
    name : str
        Name of its folder, as reasons show it.
    role : Role
        What the list says of its words.
    words : tuple of str
        Normalised words (`triage.dictionaries.normal.normal`).
    exceptions : frozenset of str
        Normalised words that are taken off.
    title, source, version, licence, made : str
        What its note says.
    """

    name: str
    role: Role
    words: Sequence[str]
    exceptions: frozenset[str] = frozenset()
    title: str = ""
    source: str = ""
    version: str = ""
    licence: str = ""
    made: str = ""

    @cached_property
    def entries(self) -> frozenset[str]:
        """The words less the exceptions."""
        return frozenset(self.words) - self.exceptions


class Index:
    """Where forms stand: the lists that hold a form, as bits.

    Long lists stay sets, short ones are merged into one table: a corpus asks for some 50,000
    forms, and merging a list of 320,000 would take longer than asking it.

    Parameters
    ----------
    lists : iterable of (int, sequence of str, collection of str)
        For each list its bit, its forms and its exceptions.
    """

    def __init__(self, lists: Iterable[tuple[int, Sequence[str], Collection[str]]]) -> None:
        self._short: dict[str, int] = {}
        self._long: list[tuple[int, set[str]]] = []
        for bit, forms, exceptions in lists:
            if len(forms) > _LONG_LIST:
                held = set(forms)
                held.difference_update(exceptions)
                self._long.append((bit, held))
            else:
                for form in set(forms).difference(exceptions):
                    self._short[form] = self._short.get(form, 0) | bit

    @classmethod
    def restored(cls, short: dict[str, int], long: list[tuple[int, set[str]]]) -> Self:
        """Return an index of what `tables` of another gave."""
        index = cls(())
        index._short, index._long = short, long
        return index

    @property
    def tables(self) -> tuple[dict[str, int], list[tuple[int, set[str]]]]:
        """The index as plain data."""
        return self._short, self._long

    def get(self, form: str) -> int:
        """Return the bits of the lists that hold a form; 0 when none does.

        Parameters
        ----------
        form : str
            Written as the index writes its forms.

        Returns
        -------
        int
        """
        bits = self._short.get(form, 0)
        for bit, forms in self._long:
            if form in forms:
                bits |= bit
        return bits


_LONG_LIST = 50_000


class Lexicon:
    """Word lists, ready to be searched.

    Parameters
    ----------
    lists : iterable of WordList
        Their order is kept.
    language : str
        The pack's name.

    Raises
    ------
    DictionaryError
        If two lists have the same name, as a reason names the list behind a label.

    Examples
    --------
    >>> lists = [WordList("first_names", Role.DICTIONARY, ("cédric", "pierre")),
    ...          WordList("forms", Role.ANTI_DICTIONARY, ("crayon", "pierre"))]
    >>> lexicon = Lexicon(lists)
    >>> [lexicon.label(lexicon.exact.get(w)).name for w in ("cédric", "crayon", "pierre", "xyz")]
    ['DICTIONARY', 'ANTI_DICTIONARY', 'AMBIGUOUS', 'UNKNOWN']
    """

    def __init__(self, lists: Iterable[WordList], language: str = "") -> None:
        self.lists = tuple(lists)
        self.language = language
        self.bit = {words.name: 1 << i for i, words in enumerate(self.lists)}
        if len(self.bit) < len(self.lists):
            raise DictionaryError(f"two word lists have one name: {_names_held_twice(self.lists)}")
        # A bit of no list: what a rule calls a sound is no name, and stands in no list.
        self.sound = 1 << len(self.lists)
        self.dictionary = self._bits(Role.DICTIONARY)
        self.anti_dictionary = self._bits(Role.ANTI_DICTIONARY) | self.sound
        self.yours = sum(self.bit[words.name] for words in self.lists if words.title == YOURS)
        self._labels: dict[int, Label] = {}
        self.common = sum(self.bit.get(name, 0) for name in COMMON)

    def _bits(self, role: Role) -> int:
        return sum(self.bit[words.name] for words in self.lists if words.role is role)

    @cached_property
    def exact(self) -> Index:
        """Forms as the lists write them."""
        return Index((self.bit[w.name], w.words, w.exceptions) for w in self.lists)

    @cached_property
    def folded(self) -> Index:
        """Accented forms, written without their accents."""
        return Index(
            (self.bit[w.name], _without_accents(w.words), _without_accents(w.exceptions))
            for w in self.lists
        )

    @cached_property
    def near(self) -> OneEdit:
        """Finds the frequent forms that are one edit from a word without accents."""
        frequent = (words.words for words in self.lists if words.name == FREQUENT)
        return OneEdit(fold("\n".join(next(frequent, ()))).split("\n"))

    @cached_property
    def name_starts(self) -> dict[str, int]:
        """The beginnings of first names, four letters and more → bits of the names' lists."""
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
        searched = (self.exact.tables, self.folded.tables, self.near.filed)
        return (*searched, self.name_starts, self.names_by_letters, self.fingerprint)

    def restore(self, tables: Any) -> None:  # noqa: ANN401 (plain data, checked by unpacking it)
        """Take over the `tables` of a lexicon of the same lists, in the place of computing them."""
        exact, folded, filed, name_starts, names_by_letters, fingerprint = tables
        indexes = Index.restored(*exact), Index.restored(*folded)
        self.exact, self.folded = indexes
        self.near = OneEdit.restored(filed)
        self.name_starts, self.names_by_letters = name_starts, names_by_letters
        self.fingerprint = fingerprint

    def _first_names(self) -> Iterator[tuple[str, int]]:
        for words in self.lists:
            if words.name in FIRST_NAMES:
                yield from ((fold(name), self.bit[words.name]) for name in sorted(words.entries))

    def label(self, bits: int) -> Label:
        """Return the label of a word that the lists of these bits hold (paper, Table 1).

        Parameters
        ----------
        bits : int
            Lists of the role FEATURE do not count. Where a user's own list holds the word, the
            pack's lists do not count either: the user knows the corpus.

        Returns
        -------
        Label
        """
        label = self._labels.get(bits)
        if label is None:
            counting = bits & self.yours or bits
            in_dictionary, in_anti = counting & self.dictionary, counting & self.anti_dictionary
            label = self._labels[bits] = Label.of(bool(in_dictionary), bool(in_anti))
        return label

    def names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the lists of these bits, in the order of the lexicon.

        Parameters
        ----------
        bits : int

        Returns
        -------
        tuple of str
            None for a sound, which stands in no list.
        """
        return tuple(words.name for words in self.lists if bits & self.bit[words.name])

    def deciding(self, bits: int) -> int:
        """Return of these bits those of lists that a label can come from.

        Lists that only say how common a word is are left out.

        Parameters
        ----------
        bits : int

        Returns
        -------
        int
        """
        return bits & (self.dictionary | self.anti_dictionary)

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 over the lists' names, roles, words and exceptions, the same everywhere."""
        digest = hashlib.sha256()
        for words in self.lists:
            for part in ([words.name, words.role], words.words, sorted(words.exceptions)):
                digest.update("\n".join(part).encode() + b"\0")
        return digest.hexdigest()

    def with_lists(self, lists: Iterable[WordList]) -> "Lexicon":
        """Return a lexicon that holds these lists too.

        Parameters
        ----------
        lists : iterable of WordList

        Returns
        -------
        Lexicon
            A new one; this one stays as it is.

        Raises
        ------
        DictionaryError
            If a list has the name of another.

        Examples
        --------
        >>> pack = Lexicon([WordList("first_names", Role.DICTIONARY, ("cédric",))])
        >>> mine = pack.with_lists([WordList("mine", Role.DICTIONARY, ("namrata",))])
        >>> mine.names(mine.exact.get("namrata")), pack.names(pack.exact.get("namrata"))
        (('mine',), ())
        """
        return Lexicon((*self.lists, *lists), self.language)


def _names_held_twice(lists: Iterable[WordList]) -> str:
    counts = Counter(words.name for words in lists)
    return ", ".join(name for name, n in counts.items() if n > 1)


def _without_accents(words: Collection[str]) -> Sequence[str]:
    """Return the accented ones of these words without their accents."""
    accented = list(filterfalse(str.isascii, words))
    return fold("\n".join(accented)).split("\n") if accented else ()


def load_lexicon(language: str = "fr", packs: Path = PACKS, cache: Path | None = None) -> Lexicon:
    """Load the pack of a language.

    Parameters
    ----------
    language : str
        The name of its folder.
    packs : Path
        Where the packs are.
    cache : Path, optional
        A folder where what is computed from the lists is kept for the next time.

    Returns
    -------
    Lexicon
        The lists in the order of their names.

    Raises
    ------
    DictionaryError
        If there is no such pack, or a list of it cannot be read.

    Examples
    --------
    >>> lexicon = load_lexicon("fr")
    >>> lexicon.names(lexicon.exact.get("anouk"))
    ('first_names',)
    """
    folder = packs / language
    notes = sorted(folder.glob("*/note.toml"))
    if not notes:
        known = ", ".join(sorted({note.parent.parent.name for note in packs.glob("*/*/note.toml")}))
        raise DictionaryError(f"no dictionaries for the language {language!r}; there are: {known}")
    lexicon = Lexicon([_load_list(note) for note in notes], language)
    if cache is not None:
        _restore_or_keep(lexicon, compiled.cache_file(folder, cache))
    return lexicon


def _restore_or_keep(lexicon: Lexicon, path: Path) -> None:
    tables = compiled.recall(path)
    try:
        if tables is not None:
            lexicon.restore(tables)
            return
    except (TypeError, ValueError):
        pass  # damaged: made again
    compiled.keep(lexicon.tables, path)


def _load_list(note_path: Path) -> WordList:
    note = _read_note(note_path)
    exceptions = note_path.with_name("exceptions.txt")
    items = note_path.with_name("items.txt")
    return WordList(
        note_path.parent.name,
        Role(note["role"]),
        # A list that the build wrote is normalised already, and long: it is read when needed.
        LazyWords(lambda: _read_text(items).splitlines())
        if note.get("normalised") and items.exists()
        else read_words(items),
        frozenset(read_words(exceptions)) if exceptions.exists() else frozenset(),
        **{key: str(note[key]) for key in _ABOUT},
    )


_ABOUT = ("title", "source", "version", "licence", "made")


def _read_note(path: Path) -> dict[str, Any]:
    try:
        note = tomllib.loads(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DictionaryError(f"cannot read the note {path}: {error}") from error
    missing = [key for key in ("role", *_ABOUT) if key not in note]
    if missing:
        raise DictionaryError(f"the note {path} lacks: {', '.join(missing)}")
    if note["role"] not in tuple(Role):
        known = ", ".join(Role)
        raise DictionaryError(f"the note {path} has no known role; there are: {known}")
    return note


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DictionaryError(f"cannot read the word list {path}: {reason}") from error


def read_words(path: Path) -> list[str]:
    """Read a list: a word a line, perhaps a gloss or a reason after a tab.

    Empty lines and lines that begin with ``#`` are passed over.

    Parameters
    ----------
    path : Path
        A file in UTF-8, with or without a byte order mark.

    Returns
    -------
    list of str
        Normalised words, in the order of the file.

    Raises
    ------
    DictionaryError
        If the file is missing, is no text, or holds no word.
    """
    cells = (line.partition("\t")[0].strip() for line in normal(_read_text(path)).splitlines())
    words = [cell for cell in cells if cell and not cell.startswith("#")]
    if not words:
        raise DictionaryError(f"the word list {path} holds no word: write one a line")
    return words


def user_list(path: Path, role: Role) -> WordList:
    r"""Read a user's own list, named after its file.

    Parameters
    ----------
    path : Path
        A text file as `read_words` reads it.
    role : Role
        What the list says of its words: `Role.DICTIONARY` for names, `Role.ANTI_DICTIONARY`
        for words that are to be let through.

    Returns
    -------
    WordList

    Raises
    ------
    DictionaryError
        As for `read_words`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "team.txt")
    ...     _ = path.write_text("# our own\nNamrata\nMélodine\tour trainee", encoding="utf-8")
    ...     mine = user_list(path, Role.DICTIONARY)
    >>> mine.name, mine.words
    ('team', ['namrata', 'mélodine'])
    """
    return WordList(path.stem, role, read_words(path), title=YOURS, source=str(path))
