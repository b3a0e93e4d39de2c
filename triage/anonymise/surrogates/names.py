"""Surrogates that are words: names of people and of brands, places; and how they are written."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ...vocabulary import IdentifierType
from ..entity import POSSESSIVE, Entity, short_forms
from .pools import ANY, Scope, Slot, Writer, compound, first_names, initials, last_names, places

_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
_LONGEST = 30
_WORD = re.compile(r"[^\W_]+")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}$")
_MOST_STRETCHED = 30


def name_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of a name, given as `canonical` returns it; as they are, those that stay."""
    pack, kind, parts = lexicon.pack, entity.kind, _WORD.findall(reference)
    links, first = pack.entities.links, first_names(pack)
    is_one = len(parts) < 2 or links.issuperset(parts) or kind not in _OF_PARTS
    if is_one or (kind is IdentifierType.PRE and reference in first.pool):
        yield _slot(pack, kind, reference, entity.name, entity.sender)
        return
    is_compound = is_known(lexicon, reference)
    for i, part in enumerate(parts):
        # Before the last word of a full name, first names are such.
        is_first = i < len(parts) - 1 and first.gender(part) and not is_compound
        kind = IdentifierType.PRE if is_first else entity.kind
        yield part if part in links else _slot(pack, kind, part, part, entity.sender)


def is_known(lexicon: Lexicon, reference: str) -> bool:
    """Return whether a name is in a list, such as a compound (Jean-Luc): a full name is not."""
    held = lexicon.exact.get(reference) | lexicon.folded.get(reference)
    return bool(held & lexicon.dictionary) or bool(first_names(lexicon.pack).gender(reference))


def _slot(pack: Pack, kind: IdentifierType, word: str, name: str, sender: str) -> Slot:
    """Return the slot of a word of the name of a person, a place or a brand."""
    purpose, word, given = (kind.value, name, sender), word[:_LONGEST], pack.surrogates
    match kind:
        case IdentifierType.LIE:
            return Slot(purpose, word, places(pack).pool, places(pack).classes(word), given.town)
        case IdentifierType.MAR:
            return Slot(purpose, word, endings=given.brand)
        case _ if len(word) == 1:
            return Slot(purpose, word, initials())
        case IdentifierType.NOM:
            return Slot(purpose, word, last_names(pack), endings=given.last_name)
    gender = first_names(pack).likely_gender(word)
    endings = {"m": given.male, "f": given.female}.get(gender, given.male + given.female)
    kinds = dict.fromkeys((compound(gender, word), gender, ANY))
    return Slot(purpose, word, first_names(pack).pool, (*kinds,), endings)


def person_slot(scope: Scope, word: str, sender: str) -> Slot | None:
    """Return the slot of a word that is a person's name, in a list or in the messages."""
    pack = scope.lexicon.pack
    name = short_forms(pack).get(fold(word), fold(word))
    for kind in (IdentifierType.PRE, IdentifierType.NOM):
        slot = _slot(pack, kind, name, name, sender)
        if name in slot.pool or scope.holds(slot):
            return slot
    return None


def name(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a name, given as `canonical` returns it."""
    words = scope.words(name_slots(scope.lexicon, entity, reference))
    if len(words) == 1:
        words = words[0].split("-")
    joiner = "-" if is_known(scope.lexicon, reference) else " "
    accented = first_names(scope.lexicon.pack).written.get(reference, "")
    return _NameWriter(words, joiner, reference, not accented.isascii())


def cased_like(word: str, written: str) -> str:
    """Return a word in capitals, with a capital or without one, as another is written."""
    if written.isupper() and sum(map(str.isalpha, written)) > 1:
        return word.upper()
    if written[:1].islower():
        return word.lower()
    return word[:1].upper() + word[1:].lower()


def words_like(
    words: Sequence[str],
    parts: re.Pattern[str],
    written: str,
    like: Callable[[str, str], str] = cased_like,
) -> str:
    """Return an identifier with other words in place of its parts; empty if they do not pair."""
    if len(parts.findall(written)) != len(words):
        return ""
    left = iter(words)
    return parts.sub(lambda part: like(next(left), part[0]), written)


@dataclass(frozen=True)
class _NameWriter:
    """Writes words in the case, accents, stretching and separators of an identifier."""

    words: Sequence[str]
    joiner: str
    reference: str
    has_accents: bool

    def __call__(self, written: str) -> str:
        written = unicodedata.normalize("NFC", written)
        possessive = POSSESSIVE.search(written)
        ending = possessive[0] if possessive else ""
        return self._of_name(written.removesuffix(ending)) + ending

    def _of_name(self, written: str) -> str:
        words, parts = self.words, _WORD.findall(written)
        if self._is_initials(parts):
            words = [word[0] for word in words]
            words = words if len(parts) > 1 else ["".join(words)]
        if self.has_accents and written.isascii():
            words = [*map(_without_accents, words)]
        start = "".join(parts) or written
        return words_like(words, _WORD, written, _word_like) or self.joiner.join(
            cased_like(word, start) for word in words
        )

    def _is_initials(self, written: Sequence[str]) -> bool:
        parts = _WORD.findall(self.reference)
        letters = "".join(part[0] for part in parts)
        is_short = len(letters) < len(self.reference) and len(parts) == len(self.words)
        return is_short and fold("".join(written)) == letters


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in letters if not unicodedata.combining(c)))


def _word_like(word: str, part: str) -> str:
    stretch = _STRETCH.search(fold(part))
    if stretch and word[-1:].isalpha():
        word += word[-1] * min(len(stretch[0]) - 1, _MOST_STRETCHED)
    return cased_like(word, part)
