"""Surrogates that are words: names of people and of brands, places; and how they are written."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from triage.dictionaries.normal import fold

from ...vocabulary import IdentifierType
from ..entity import LINKS, Entity
from .pools import first_names, last_names, places
from .scope import BRAND, FEMALE, LAST_NAME, MALE, NICKNAME, TOWN, Scope, Slot, Writer

_CLASSES_OF_GENDER = {
    "m": ("m common", "m"),
    "f": ("f common", "f"),
    "u": ("u common", "u", " common", ""),
    "": (" common", ""),
}
_ENDINGS_OF_GENDER = {"m": MALE, "f": FEMALE}
_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
_LONGEST, _LONGEST_TOWN = 30, 13
_WORD = re.compile(r"[^\W_]+")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}$")
_MOST_STRETCHED = 30


def name(scope: Scope, entity: Entity, reference: str, *, nickname: bool) -> Writer:
    """Return what writes the surrogate of a name, given as `canonical` returns it.

    A nickname is a pet name wherever it stands.
    """
    gender = first_names().gender
    lexicon = scope.lexicon
    held = lexicon.exact.get(reference) | lexicon.folded.get(reference)
    known = bool(held & lexicon.dictionary) or bool(gender(reference))
    slots = _slots(entity, reference, nickname=nickname, known=known, gender=gender)
    words = [slot if isinstance(slot, str) else scope.word(slot) for slot in slots]
    return partial(written_like, words, joiner="-" if known else " ")


def _slots(
    entity: Entity, reference: str, *, nickname: bool, known: bool, gender: Callable[[str], str]
) -> Iterator[Slot | str]:
    """Yield the words that a name has, and as they are those that stay."""
    parts = _WORD.findall(reference)
    whole = (entity.kind.value, entity.name, entity.sender)
    if len(parts) < 2 or LINKS.issuperset(parts) or entity.kind not in _OF_PARTS:
        yield _slot(entity.kind, whole, reference, gender(reference), nickname=nickname)
    elif known:
        # A compound (Jean-Luc) is one name, and its gender is that of the whole.
        of_all = gender(reference) or gender(parts[0])
        for i, part in enumerate(parts):
            yield _slot(entity.kind, (*whole, str(i)), part, of_all)
    else:
        for i, part in enumerate(parts):
            # Before the last word of a full name first names are such.
            is_first = i < len(parts) - 1 and bool(gender(part))
            kind = IdentifierType.PRE if is_first else entity.kind
            purpose = (kind.value, part, entity.sender)
            yield (
                part
                if part in LINKS
                else _slot(kind, purpose, part, gender(part), nickname=nickname)
            )


def _slot(
    kind: IdentifierType,
    purpose: tuple[str, ...],
    name: str,
    gender: str,
    *,
    nickname: bool = False,
) -> Slot:
    length = min(len(name), _LONGEST)
    if kind is IdentifierType.LIE:
        town = min(length, _LONGEST_TOWN)
        return Slot(purpose, town, places().pool, places().classes(name), TOWN)
    if kind is IdentifierType.NOM:
        return Slot(purpose, length, last_names(), endings=LAST_NAME)
    if kind is IdentifierType.MAR:
        return Slot(purpose, length, endings=BRAND)
    if nickname and not gender:
        return Slot(purpose, length, endings=NICKNAME)
    classes = _CLASSES_OF_GENDER[gender]
    either = MALE + FEMALE
    pool = first_names().pool
    return Slot(purpose, length, pool, classes, _ENDINGS_OF_GENDER.get(gender, either))


def cased_like(word: str, written: str) -> str:
    """Return a word in capitals, with a capital or without one, as another is written.

    Examples
    --------
    >>> [cased_like("martine", written) for written in ("PATRICE", "Patrice", "patrice", "P")]
    ['MARTINE', 'Martine', 'martine', 'Martine']
    """
    if written.isupper() and sum(map(str.isalpha, written)) > 1:
        return word.upper()
    if written[:1].islower():
        return word.lower()
    return word[:1].upper() + word[1:].lower()


def written_like(words: Sequence[str], written: str, joiner: str = "-") -> str:
    """Return words in the case, stretching and separators of an identifier.

    The joiner stands between the words where the identifier has not as many.

    Examples
    --------
    >>> written_like(["Paul", "Marc"], "JEAN LUC"), written_like(["Zoé"], "léaaaa")
    ('PAUL MARC', 'zoéééé')
    """
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
