"""Surrogates that are words: names of people and of brands, places."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

from triage.dictionaries import Lexicon

from ...vocabulary import IdentifierType
from ..entity import LINKS, Entity
from ..keyed import Keyed
from . import syllables
from .pools import Pool, first_names, last_names, places
from .taken import Taken
from .writing import written_like

Writer = Callable[[str], str]
"""Writes a surrogate as its identifier is written."""

_NO_POOL = Pool("none", {})
_CLASSES_OF_GENDER = {
    "m": ("m common", "m"),
    "f": ("f common", "f"),
    "u": ("u common", "u", " common", ""),
    "": (" common", ""),
}
_ENDINGS_OF_GENDER = {"m": syllables.MALE, "f": syllables.FEMALE}
_LONGEST = {IdentifierType.LIE: 13}
_LONGEST_WORD = 30
# So often a word of a length is tried before a longer one is.
_TRIES = 30


@dataclass(frozen=True)
class Slot:
    """A word to be invented.

    Parameters
    ----------
    purpose : tuple of str
        What it is for: one purpose, one word.
    length : int
        About so long.
    pool : Pool
        To draw it from.
    classes : tuple of str
        Of the pool, the best one first.
    endings : tuple of str
        Of a word that is made up where the pool is used up.
    """

    purpose: tuple[str, ...]
    length: int
    pool: Pool = _NO_POOL
    classes: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = syllables.PLAIN


class Words:
    """Invents words for a scope, none twice.

    Parameters
    ----------
    key : bytes
    lexicon : Lexicon
        A word that is made up is in none of its lists.
    taken : Taken
    """

    def __init__(self, key: bytes, lexicon: Lexicon, taken: Taken) -> None:
        self._key = key
        self._lexicon = lexicon
        self._taken = taken
        self._made: dict[tuple[str, ...], str] = {}
        self._used_up: set[str] = set()

    def word(self, slot: Slot) -> str:
        """Return the word of a slot, the same one whenever it is asked for."""
        if slot.purpose not in self._made:
            self._made[slot.purpose] = self._drawn(slot) or self._made_up(slot)
        return self._made[slot.purpose]

    def _drawn(self, slot: Slot) -> str:
        """Draw a word from the pool; none of about this length is left: return nothing."""
        for name, words in slot.pool.near(slot.classes, slot.length):
            if name in self._used_up:
                continue
            start = Keyed(self._key, "surrogate", name, *slot.purpose).below(len(words))
            for word in words[start:] + words[:start]:
                if self._taken.take(word):
                    return word
            self._used_up.add(name)
        return ""

    def _made_up(self, slot: Slot) -> str:
        keyed = Keyed(self._key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(slot.length, 1), _LONGEST_WORD) + attempt // _TRIES
            word = syllables.invented(keyed, length, slot.endings)
            listed = self._lexicon.exact.get(word) or self._lexicon.folded.get(word)
            if not listed and self._taken.take(word):
                break
        return word

    def write(self, entity: Entity, reference: str, *, nickname: bool) -> Writer:
        """Return what writes the surrogate of a name.

        Parameters
        ----------
        entity : Entity
        reference : str
            The name as `triage.anonymise.entity.canonical` returns it.
        nickname : bool
            Whether it is a pet name wherever it stands.
        """
        slots = list(_slots(entity, reference, nickname=nickname, known=self._is_name))
        words = [slot if isinstance(slot, str) else self.word(slot) for slot in slots]
        joiner = "-" if self._is_name(reference) else " "
        return partial(written_like, words, joiner=joiner)

    def _is_name(self, name: str) -> bool:
        held = self._lexicon.exact.get(name) | self._lexicon.folded.get(name)
        return bool(held & self._lexicon.dictionary) or bool(first_names().gender(name))


def _slots(
    entity: Entity, reference: str, *, nickname: bool, known: Callable[[str], bool]
) -> Iterator[Slot | str]:
    """Yield the words that a name has, and as they are those that stay."""
    parts = [part for part in re.split(r"[\W_]+", reference) if part]
    whole = (entity.kind.value, entity.name, entity.sender)
    if len(parts) < 2 or LINKS.issuperset(parts) or entity.kind not in _OF_PARTS:
        yield _slot(entity.kind, whole, reference, nickname=nickname)
    elif known(reference):
        # A compound (Jean-Luc) is one name, and its gender is that of the whole.
        for i, part in enumerate(parts):
            yield _slot(entity.kind, (*whole, str(i)), part, gender=_gender(reference, parts[0]))
    else:
        for i, part in enumerate(parts):
            kind = _kind_of_part(entity.kind, part, last=i == len(parts) - 1)
            purpose = (kind.value, part, entity.sender)
            yield part if part in LINKS else _slot(kind, purpose, part, nickname=nickname)


_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})


def _kind_of_part(kind: IdentifierType, part: str, *, last: bool) -> IdentifierType:
    """Return what a word of a full name is: before the last one first names are such."""
    is_first = not last and bool(first_names().gender(part))
    return IdentifierType.PRE if is_first else kind


def _gender(*names: str) -> str:
    return next(filter(None, map(first_names().gender, names)), "")


def _slot(
    kind: IdentifierType,
    purpose: tuple[str, ...],
    name: str,
    *,
    nickname: bool = False,
    gender: str | None = None,
) -> Slot:
    length = min(len(name), _LONGEST.get(kind, _LONGEST_WORD))
    if kind is IdentifierType.LIE:
        classes = places().classes(name)
        return Slot(purpose, length, places().pool, classes, syllables.TOWN)
    if kind is IdentifierType.NOM:
        return Slot(purpose, length, last_names(), endings=syllables.LAST_NAME)
    if kind is IdentifierType.MAR:
        return Slot(purpose, length, endings=syllables.BRAND)
    gender = _gender(name) if gender is None else gender
    if nickname and not gender:
        return Slot(purpose, length, endings=syllables.NICKNAME)
    classes = _CLASSES_OF_GENDER[gender]
    endings = _ENDINGS_OF_GENDER.get(gender, syllables.MALE + syllables.FEMALE)
    return Slot(purpose, length, first_names().pool, classes, endings)
