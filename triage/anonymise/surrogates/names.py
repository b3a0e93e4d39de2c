"""Surrogates that are words: names of people and of brands, places; and how they are written."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import zip_longest
from string import ascii_uppercase

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ...vocabulary import IdentifierType
from ..entity import POSSESSIVE, Entity, short_forms
from .pools import Listed, Pool, first_names, kind_of_origin, last_names, origin_of, places
from .scope import Scope, Slot, Writer

_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
_LONGEST, _LONGEST_PET_NAME = 30, 7
_WORD = re.compile(r"[^\W_]+")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}$")
_MOST_STRETCHED = 30
# Of a name cut short.
_SHORTEST = 3
_UNISEX = "u"


def name_slots(
    lexicon: Lexicon, entity: Entity, reference: str, *, nickname: bool
) -> Iterator[Slot | str]:
    """Yield the words of a name, given as `canonical` returns it; as they are, those that stay."""
    parts = _WORD.findall(reference)
    whole = (entity.kind.value, entity.name, entity.sender)
    pack = lexicon.pack
    listed, links = first_names(pack).pool.ring_of, pack.entities.links
    is_one = len(parts) < 2 or links.issuperset(parts) or entity.kind not in _OF_PARTS
    if is_one or (entity.kind is IdentifierType.PRE and reference in listed):
        yield _slot(pack, entity.kind, whole, reference, nickname=nickname)
        return
    is_compound = is_known(lexicon, reference)
    for i, part in enumerate(parts):
        # Before the last word of a full name, first names are such.
        is_first = i < len(parts) - 1 and bool(first_names(pack).gender(part))
        kind = IdentifierType.PRE if is_first and not is_compound else entity.kind
        yield (
            part
            if part in links
            else _slot(pack, kind, (kind.value, part, entity.sender), part, nickname=nickname)
        )


def is_known(lexicon: Lexicon, reference: str) -> bool:
    """Return whether a name is in a list, such as a compound (Jean-Luc): a full name is not."""
    held = lexicon.exact.get(reference) | lexicon.folded.get(reference)
    return bool(held & lexicon.dictionary) or bool(first_names(lexicon.pack).gender(reference))


def name(
    scope: Scope, entity: Entity, reference: str, variants: Sequence[str], *, nickname: bool
) -> Writer:
    """Return what writes the surrogate of a name, given as `canonical` returns it."""
    slots = name_slots(scope.lexicon, entity, reference, nickname=nickname)
    words = [slot if isinstance(slot, str) else scope.word(slot) for slot in slots]
    if len(words) == 1 and "-" in words[0]:
        words = words[0].split("-")
    joiner = "-" if is_known(scope.lexicon, reference) else " "
    short = _short_forms_of(scope, words, reference, variants)
    accented = first_names(scope.lexicon.pack).written.get(reference, "")
    return _NameWriter(words, joiner, reference, short, accented)


def _slot(
    pack: Pack,
    kind: IdentifierType,
    purpose: tuple[str, ...],
    word: str,
    *,
    nickname: bool = False,
) -> Slot:
    slot, given = partial(Slot, purpose, word[:_LONGEST]), pack.surrogates
    if len(word) == 1 and kind in _OF_PARTS:
        return slot(initials())
    if kind is IdentifierType.LIE:
        return slot(places(pack).pool, places(pack).classes(word), given.town)
    if kind is IdentifierType.NOM:
        return slot(last_names(pack), (*_of_origin(pack, word, ""), ""), given.last_name)
    if kind is IdentifierType.MAR:
        return slot(endings=given.brand)
    if nickname and not first_names(pack).gender(word):
        return Slot(purpose, word[:_LONGEST_PET_NAME], endings=given.nickname)
    gender = first_names(pack).likely_gender(word)
    endings = {"m": given.male, "f": given.female}.get(gender, given.male + given.female)
    kinds = (*_of_origin(pack, word, gender or _UNISEX), *dict.fromkeys((gender, "")))
    return slot(first_names(pack).pool, kinds, endings)


def _of_origin(pack: Pack, word: str, kind: str) -> tuple[str, ...]:
    """Return the kind of names of the origin of a word, if that is known."""
    origin = origin_of(pack, word)
    return (kind_of_origin(origin, kind),) if origin else ()


def person_slot(scope: Scope, word: str, sender: str) -> Slot | None:
    """Return the slot of a word that is a person's name, in a list or in the messages."""
    pack = scope.lexicon.pack
    name = short_forms(pack).get(fold(word), fold(word))
    for kind in (IdentifierType.PRE, IdentifierType.NOM):
        slot = _slot(pack, kind, (kind.value, name, sender), name)
        if slot.is_listed or scope.holds(slot):
            return slot
    return None


def initial_slot(letter: str, sender: str) -> Slot:
    """Return the slot of an initial."""
    return Slot((IdentifierType.PRE.value, fold(letter), sender), fold(letter), initials())


@cache
def initials() -> Pool:
    """Return the letters that initials are drawn from, vowels for vowels."""
    return Pool("initials", [Listed(letter, "") for letter in ascii_uppercase])


@cache
def _shortened(pack: Pack) -> dict[str, list[str]]:
    """Return the short forms of each name that has any."""
    forms: dict[str, list[str]] = defaultdict(list)
    for short, full in short_forms(pack).items():
        if short != full:
            forms[full].append(short)
    return dict(forms)


def _short_forms_of(
    scope: Scope, words: Sequence[str], reference: str, variants: Sequence[str]
) -> dict[str, str]:
    """Return what stands for the short forms that a name is written in: those of its surrogate."""
    shortened = _shortened(scope.lexicon.pack)
    forms = sorted(shortened.get(reference, ()))
    whole = "-".join(words)
    known = sorted(shortened.get(fold(whole), ()))
    written = {fold(text) for text in variants}
    found = {}
    for form, other in zip_longest(forms, known[: len(forms)], fillvalue=""):
        if form in written:
            short = other or whole[: max(len(form), _SHORTEST)]
            found[form] = short if scope.take(short) else whole
    return found


def cased_like(word: str, written: str) -> str:
    """Return a word in capitals, with a capital or without one, as another is written."""
    if written.isupper() and sum(map(str.isalpha, written)) > 1:
        return word.upper()
    if written[:1].islower():
        return word.lower()
    return word[:1].upper() + word[1:].lower()


@dataclass(frozen=True)
class _NameWriter:
    """Writes words in the case, accents, stretching and separators of an identifier."""

    words: Sequence[str]
    joiner: str
    reference: str
    short: dict[str, str]
    accented: str = ""

    def __call__(self, written: str) -> str:
        written = unicodedata.normalize("NFC", written)
        possessive = POSSESSIVE.search(written)
        if possessive:
            return self._of_name(written[: possessive.start()]) + possessive[0]
        return self._of_name(written)

    def _of_name(self, written: str) -> str:
        words = self.words
        if fold(written) in self.short:
            words = [self.short[fold(written)]]
        elif self._is_initials(written):
            words = [word[0] for word in words]
            if len(_WORD.findall(written)) == 1:
                words = ["".join(words)]
        if self._lacks_accents(written):
            words = [*map(without_accents, words)]
        return written_like(words, written, self.joiner)

    def _is_initials(self, written: str) -> bool:
        """Return whether the initials of the name are written."""
        parts = _WORD.findall(self.reference)
        letters = "".join(part[0] for part in parts)
        is_short = len(letters) < len(self.reference) and len(parts) == len(self.words)
        return is_short and "".join(_WORD.findall(fold(written))) == letters

    def _lacks_accents(self, written: str) -> bool:
        return not self.accented.isascii() and written.isascii()


def without_accents(word: str) -> str:
    """Return a word without its accents, its capitals kept."""
    letters = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in letters if not unicodedata.combining(c)))


def written_like(words: Sequence[str], written: str, joiner: str = "-") -> str:
    """Return words in the case, stretching and separators of an identifier."""
    written = unicodedata.normalize("NFC", written)
    parts = _WORD.findall(written)
    if len(parts) != len(words):
        start = "".join(parts) or written
        return joiner.join(cased_like(word, start) for word in words)
    left = iter(words)
    return _WORD.sub(lambda part: _word_like(next(left), part[0]), written)


def _word_like(word: str, part: str) -> str:
    stretch = _STRETCH.search(fold(part))
    if stretch and word[-1:].isalpha():
        word += word[-1] * min(len(stretch[0]) - 1, _MOST_STRETCHED)
    return cased_like(word, part)
