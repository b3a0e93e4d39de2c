"""Invented identifiers: they stand for a name, a place, a number, an address.

A surrogate is the same for all spellings of an entity in its scope (the corpus, or a sender), and
no other entity's there. It is no identifier that is replaced anywhere in the corpus; a number, a
code or a made-up word is no word of the corpus at all (ages aside: every corpus holds most numbers
of two digits). It follows from the key and the identifiers of the corpus, not from their order. It
keeps what makes a text read on: gender, first sound, frequency and length of a name, the size of a
town, the form of a number, but so that the number is nobody's. It is written like its identifier:
capitals, accents, stretched letters, signs. Streets and schools stay what they are.
"""

import csv
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import count
from math import gcd
from string import ascii_uppercase, digits
from typing import NamedTuple

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold, without_runs
from triage.dictionaries.pack import Pack

from ..decide.find import POSSESSIVE
from ..vocabulary import IdentifierType
from . import entities, forms
from .entities import TOKEN, WORD, Entity, Spelling, StyleContext
from .forms import Writer, age, cased_like, of_form, other_signs, telephone, words_like
from .keys import Keyed, digest

# The folder of a pack that holds the names and places.
FOLDER = "surrogates"

# Classes of towns, and how many inhabitants each has at least.
CLASSES = {"city": 100_000, "town": 20_000, "small town": 5_000, "village": 2_000}
ABROAD, COUNTRY = "abroad", "country"
ANY = ""
_SHORTEST_DRAWN = 3
# Names with an ending, and their share of one gender, from which on the ending tells it.
_MIN_OF_ENDING, _MIN_SHARE = 8, 0.85
_SOUND = re.compile("(?P<h>h)|(?P<vowel>[aeiouœæ]|y(?![aeiou]))")
Listed = tuple[str, str, bool]
"""A word, its kind, and whether it is common."""
Alike = tuple[str, str, bool | None, range]
"""A class of words: kind, sound, whether they are common (None: some are), and lengths."""
_Make = Callable[[Keyed, int], str]
"""Makes a code of keyed choices, one that differs each time it is tried."""
# Shorter words that are made up are mostly words.
_SHORTEST_WORD, _LONGEST_WORD = 5, 30
_CONSONANTS, _VOWELS = "bcdfgjlmnprstv", "aeiou"
# So often a word or an address is tried before a longer one is.
_TRIES = 30
# In so long a name the end tells its gender.
_TELLING = 5
_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
# Also of a name in front of another word, as in *zoedupont*.
_SHORTEST_NAME, _LONGEST_NAME, _MAX_STRETCHED = 4, 30, 30
_POSTCODE, _DEPARTMENT = 5, 2
# So many letters beside a digit are of a code: BN3 2AB. No British postcode ends in these.
_OF_CODE, _IN_NO_POSTCODE = 2, "CIKMOV"
# They are kept for examples (RFC 2606).
DOMAINS = ("example.com", "example.net", "example.org")
_RUN = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_NO_NAME = "a" * 6
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """Return a text's letters and digits, without case and accents."""
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 16)
def bare(word: str) -> str:
    """Return a word so that its stretched forms are one with it."""
    return without_runs(plain(word))


def bare_words(texts: Iterable[str]) -> set[str]:
    """Return texts and the words in them, each so that its stretched forms are one with it."""
    return {bare(word) for text in texts for word in (text, *TOKEN.findall(text))} - {""}


def sound(word: str) -> str:
    """Return the first sound of a word: ``vowel``, ``h`` (elided or not), or ``consonant``."""
    match = _SOUND.match(fold(word))
    return match.lastgroup or "consonant" if match else "consonant"


class Pool:
    """Words to draw for a name, of the same sound, so that elisions stay right."""

    def __init__(self, listed: Iterable[Listed]) -> None:
        self._common: dict[str, bool] = {}
        self._words: dict[tuple[str, str, bool | None, int], list[str]] = defaultdict(list)
        for word, kind, is_common in listed:
            self._common[fold(word)], begin = is_common, sound(word)
            # Compounds are left to compounds.
            for one in {kind, ANY} if word.isalpha() else {kind}:
                for frequency in (is_common, None):
                    self._words[one, begin, frequency, len(word)].append(word)

    def __contains__(self, name: str) -> bool:
        return name in self._common

    def alike(self, name: str, kinds: Iterable[str]) -> Iterator[Alike]:
        """Yield the classes of words that may stand for a name, the most alike first."""
        is_common = self._common.get(name, False)
        for kind in kinds:
            # So many letters may differ, and the word is as frequent or not; the nearest first.
            for difference, as_frequent in ((1, True), (2, True), (2, False), (30, False)):
                lengths = range(len(name) - difference, len(name) + difference + 1)
                yield kind, sound(name), is_common if as_frequent else None, lengths

    def words(self, alike: Alike) -> list[str]:
        kind, begin, is_common, lengths = alike
        lists = (self._words.get((kind, begin, is_common, length), ()) for length in lengths)
        return [word for words in lists for word in words]


NO_WORDS = Pool(())


class FirstNames(NamedTuple):
    """First names to draw from, and by folded name what is known of all that the list holds."""

    pool: Pool
    # m, f or u (both).
    genders: dict[str, str]
    written: dict[str, str]
    endings: dict[str, str]


@cache
def first_names(pack: Pack) -> FirstNames:
    """Return the first names, full and not short forms, by gender; compounds by themselves."""
    genders, written, listed = dict[str, str](), dict[str, str](), dict[str, Listed]()
    short, letters = entities.short_forms(pack), re.compile(f"[{pack.surrogates.letters}-]+")
    rows = sorted(_rows(pack, "first_names.csv"), key=lambda row: -int(row["frequency"]))
    # Of two names that could be taken for each other, the commoner one is drawn.
    for row in rows:
        name, gender, folded = row["name"], row["gender"], fold(row["name"])
        genders.setdefault(folded, gender)
        written.setdefault(folded, name)
        is_full = short.get(folded, folded) == folded
        if len(name) >= _SHORTEST_DRAWN and is_full and letters.fullmatch(name):
            # Most names of a list have its lowest frequency.
            is_common = row["frequency"] != rows[-1]["frequency"]
            titled = re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), name)
            # Names of as many parts are of one kind.
            listed.setdefault(bare(name), (titled, gender + "-" * name.count("-"), is_common))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, gender in genders.items():
        counts[name[-2:]][gender] += 1
    # Endings whose gender is clear.
    endings = {
        ending: gender
        for ending, count in counts.items()
        for gender, n in count.most_common(1)
        if n >= _MIN_OF_ENDING and n >= _MIN_SHARE * count.total()
    }
    return FirstNames(Pool(listed.values()), genders, written, endings)


@cache
def last_names(pack: Pack) -> Pool:
    """Return the last names that are no first names; for others, some that are put together."""
    given = pack.surrogates
    listed = ((row["name"], ANY, True) for row in _rows(pack, "last_names.csv"))
    made = ((stem + ending, ANY, False) for stem in given.stems for ending in given.family_endings)
    return Pool(_distinct([*listed, *made], map(bare, first_names(pack).genders)))


@cache
def street_names(pack: Pack) -> Pool:
    """Return names of streets that many towns have, by the article before them."""
    rows = _rows(pack, "street_names.csv")
    return Pool(_distinct((row["name"], row["article"], False) for row in rows))


@cache
def initials() -> Pool:
    """Return letters; where those are used up, two of them."""
    letters = [(letter, ANY, True) for letter in ascii_uppercase]
    pairs = ((one + other, ANY, False) for one in ascii_uppercase for other in "bdfgjkpvwz")
    return Pool([*letters, *pairs])


class Towns(NamedTuple):
    """Towns and countries to draw from, and what is known of all."""

    pool: Pool
    sizes: dict[str, str]
    postcodes: dict[str, str]

    def classes(self, name: str) -> tuple[str, ...]:
        """Return the classes that may stand for a place, the best one first."""
        size, sizes = self.sizes.get(name, "village"), [*CLASSES]
        return tuple(sizes[sizes.index(size) :]) if size in CLASSES else (size,)


@cache
def places(pack: Pack) -> Towns:
    """Return the places; names of people and towns without a postcode are not drawn."""
    rows = [(row["size"], row["name"]) for row in _rows(pack, "places.csv")]
    sizes = {re.sub(r"[\W_]+", "-", fold(name)): size for size, name in rows}
    rank = {size: place for place, size in enumerate(CLASSES)}
    head = re.compile(rf"([^-]{{3,}})-(?:{pack.surrogates.town_head})-")
    for name in sorted(sizes, key=lambda name: rank.get(sizes[name], len(rank))):
        # People say Palavas for Palavas-les-Flots, and mean the largest of that name.
        if match := head.match(name):
            sizes.setdefault(match[1], sizes[name])
    people = {*first_names(pack).genders, *(row["name"] for row in _rows(pack, "last_names.csv"))}
    postcodes = {row["name"]: row["postcode"] for row in _rows(pack, "postcodes.csv")}
    drawn = ((n, size, False) for size, n in rows if size not in CLASSES or n in postcodes)
    return Towns(Pool(_distinct(drawn, map(bare, people))), sizes, postcodes)


def _distinct(listed: Iterable[Listed], others: Iterable[str] = ()) -> Iterator[Listed]:
    """Yield the words that can be drawn, none twice, and none of others."""
    seen = set(others)
    for one in listed:
        word = one[0]
        if word.isalpha() and len(word) >= _SHORTEST_DRAWN and bare(word) not in seen:
            seen.add(bare(word))
            yield one


def _rows(pack: Pack, name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of the pack; none where it has no such names."""
    for folder in pack.folders:
        path = folder / FOLDER / name
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)


@dataclass(frozen=True)
class Slot:
    """A word to be invented: whose it is, and what it is to be like."""

    purpose: tuple[str, ...]
    name: str
    pool: Pool = NO_WORDS
    kinds: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = ("",)


@dataclass
class Scope:
    """The surrogates of a scope: no two the same, none a word or a replaced name of the corpus."""

    key: bytes
    lexicon: Lexicon
    corpus: Set[str]
    replaced: Set[str]
    written: Mapping[Entity, Sequence[str]]
    # By the purpose of a slot.
    given: dict[tuple[str, ...], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    # Pools with their classes of words that are used up.
    used_up: set[tuple[object, object]] = field(default_factory=set)

    def take(self, *codes: str) -> bool:
        """Take all ways in which a code is written if they are free; return whether they were."""
        forms = {*map(plain, codes)}
        is_free = all(forms) and forms.isdisjoint(self.taken) and forms.isdisjoint(self.corpus)
        self.taken |= forms if is_free else set()
        return is_free

    def give(self, word: str, slot: Slot | None = None) -> None:
        """Take a word, free or not, for a slot or for nobody."""
        self.taken |= {bare(word), plain(word)}
        if slot:
            self.given[slot.purpose] = word

    def word(self, slot: Slot) -> str:
        if slot.purpose not in self.given:
            for word in self._candidates(slot):
                # However stretched, it is nobody's surrogate, and no part that is replaced.
                key, is_taken = bare(word), plain(word) in self.taken
                is_replaced = not self.replaced.isdisjoint(bare_words([word]))
                if key and not (is_taken or key in self.taken or is_replaced):
                    break
            self.give(word, slot)
        return self.given[slot.purpose]

    def code(self, purpose: Sequence[str], make: _Make) -> str:
        """Return the first free one of the codes that are made of keyed choices, one each try."""
        codes = (make(Keyed(self.key, *purpose, str(n)), n) for n in count())
        return next(filter(self.take, codes))

    def _candidates(self, slot: Slot) -> Iterator[str]:
        """Yield the words that may stand for a name, the best ones first, without end."""
        keyed = Keyed(self.key, "name", *slot.purpose)
        for alike in slot.pool.alike(slot.name, slot.kinds):
            if (slot.pool, alike) not in self.used_up:
                words = slot.pool.words(alike)
                if n := len(words):
                    start, step = keyed.below(n), 1 + keyed.below(n)
                    while gcd(step, n) > 1:
                        step += 1
                    yield from (words[(start + i * step) % n] for i in range(n))
                self.used_up.add((slot.pool, alike))
        keyed = Keyed(self.key, "surrogate", *slot.purpose)
        for attempt in count():
            length = min(max(len(slot.name), _SHORTEST_WORD), _LONGEST_WORD) + attempt // _TRIES
            word = pronounceable(keyed, length, slot.endings, begins=sound(slot.name))
            if not self.lexicon.lists_of(word) and word not in self.corpus:
                yield word


def pronounceable(
    keyed: Keyed, length: int, endings: tuple[str, ...] = ("",), *, begins: str = ""
) -> str:
    """Make up a pronounceable word in small letters, with one of the endings if it has room."""
    ending = endings[keyed.below(len(endings))]
    if length < len(ending) + 2:
        ending = ""
    letters: list[str] = []
    vowel = not ending or ending[0] not in _VOWELS + "y"
    while len(letters) + len(ending) < length:
        letters.append(keyed.of(_VOWELS if vowel else _CONSONANTS))
        vowel = not vowel
    is_vowel = letters[-1] in _VOWELS if letters else ending[:1] in _VOWELS
    if begins == "h":
        letters[-1:] = ["h"] if not is_vowel else [letters[-1], "h"]
    elif begins and is_vowel is not (begins == "vowel"):
        letters.append(keyed.of(_CONSONANTS if is_vowel else _VOWELS))
    return "".join(reversed(letters)) + ending


def name_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of a name, given as `canonical` returns it; as they are, those that stay."""
    pack, kind, parts = lexicon.pack, entity.kind, WORD.findall(reference)
    links, first = pack.entities.links, first_names(pack)
    is_one = len(parts) < 2 or links.issuperset(parts) or kind not in _OF_PARTS
    if is_one or (kind is IdentifierType.PRE and reference in first.pool):
        yield _name_slot(pack, kind, reference, entity.name, entity.sender)
        return
    is_compound = _is_known(lexicon, reference)
    for i, part in enumerate(parts):
        # Before the last word of a full name, first names are such.
        is_first = i < len(parts) - 1 and first.genders.get(part) and not is_compound
        kind = IdentifierType.PRE if is_first else entity.kind
        yield part if part in links else _name_slot(pack, kind, part, part, entity.sender)


def _is_known(lexicon: Lexicon, reference: str) -> bool:
    """Return whether a name is in a list, such as a compound (Jean-Luc): a full name is not."""
    held = lexicon.lists_of(reference)
    return bool(held & lexicon.dictionary) or reference in first_names(lexicon.pack).genders


def _name_slot(pack: Pack, kind: IdentifierType, word: str, name: str, sender: str) -> Slot:
    """Return the slot of a word of the name of a person, a place or a brand."""
    purpose, word, given = (kind.value, name, sender), word[:_LONGEST_NAME], pack.surrogates
    match kind:
        case IdentifierType.LIE:
            towns = places(pack)
            return Slot(purpose, word, towns.pool, towns.classes(word), given.town)
        case IdentifierType.MAR:
            return Slot(purpose, word, endings=given.brand)
        case _ if len(word) == 1:
            return Slot(purpose, word, initials())
        case IdentifierType.NOM:
            return Slot(purpose, word, last_names(pack), endings=given.last_name)
    first = first_names(pack)
    ending = first.endings.get(word[-2:], ANY) if len(word) >= _TELLING else ANY
    gender = first.genders.get(word) or ending
    endings = {"m": given.male, "f": given.female}.get(gender, given.male + given.female)
    # Compounds of as many parts come first.
    kinds = dict.fromkeys((gender + "-" * word.count("-"), gender, ANY))
    return Slot(purpose, word, first.pool, (*kinds,), endings)


def name(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return the writer of a name in the case, accents, stretching and signs of another."""
    slots = name_slots(scope.lexicon, entity, reference)
    surrogate = [one if isinstance(one, str) else scope.word(one) for one in slots]
    if len(surrogate) == 1:
        surrogate = surrogate[0].split("-")
    joiner = "-" if _is_known(scope.lexicon, reference) else " "
    is_ascii = first_names(scope.lexicon.pack).written.get(reference, "").isascii()
    parts = WORD.findall(reference)
    letters = "".join(part[0] for part in parts)
    has_initials = len(letters) < len(reference) and len(parts) == len(surrogate)

    def write(written: str) -> str:
        written, words = unicodedata.normalize("NFC", written), surrogate
        ending = possessive[0] if (possessive := POSSESSIVE.search(written)) else ""
        written = written.removesuffix(ending)
        parts = WORD.findall(written)
        if has_initials and fold("".join(parts)) == letters:
            words = [word[0] for word in words]
            words = words if len(parts) > 1 else ["".join(words)]
        if not is_ascii and written.isascii():
            split = (unicodedata.normalize("NFD", word) for word in words)
            words = ["".join(c for c in one if not unicodedata.combining(c)) for one in split]
        start = "".join(parts) or written
        otherwise = joiner.join(cased_like(word, start) for word in words)
        return words_like(words, WORD, otherwise, written, _stretched_like) + ending

    return write


def _stretched_like(word: str, part: str) -> str:
    stretch = re.search(r"([^\W\d_])\1{2,}$", fold(part))
    if stretch and word[-1:].isalpha():
        word += word[-1] * min(len(stretch[0]) - 1, _MAX_STRETCHED)
    return cased_like(word, part)


def place_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of an address or an organisation; as they are, those that stay."""
    pack, tokens = lexicon.pack, TOKEN.findall(reference)
    is_name = _names_of(pack, entity.kind)
    for i, token in enumerate(tokens):
        beside = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
        if is_name(token) and len(token) == _OF_CODE and any(map(str.isdigit, beside)):
            # Letters of a code, as of a British postcode.
            yield token.upper()
        elif is_name(token):
            slot = _place_slot(pack, entity, tokens, i)
            yield slot if len(tokens) > 1 else replace(slot, purpose=tuple(entity))
        else:
            yield token
    if not tokens:
        yield from pack.surrogates.street_type.split()
        yield Slot(tuple(entity), reference, endings=pack.surrogates.street)


def _names_of(pack: Pack, kind: IdentifierType) -> Callable[[str], bool]:
    """Return a test for names: other words, such as kinds of streets, stay."""
    of_streets, others = pack.addresses.kept, pack.entities.links | entities.organisations(pack)
    kept: Set[str] = of_streets if kind in (IdentifierType.ADR, IdentifierType.CPO) else others
    return lambda token: not (token.isdigit() or token in kept or len(token) == 1)


def named_place(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return the writer of an address or an organisation with other names and numbers."""
    pack = scope.lexicon.pack
    slots = [*place_slots(scope.lexicon, entity, reference)]
    words = [one if isinstance(one, str) else scope.word(one) for one in slots]
    postcodes = places(pack).postcodes
    postcode = next((postcodes[word] for word in reversed(words) if word in postcodes), "")

    def numbered(keyed: Keyed, attempt: int) -> str:
        parts = []
        for word in (*words, *["1"] * (attempt // _TRIES)):
            new = word
            if word.isdigit():
                new = "".join(keyed.of(digits if i else digits[1:]) for i in range(len(word)))
            elif word.isupper():
                new = "".join(keyed.of(_IN_NO_POSTCODE) for _ in word)
            if word.isdigit() and len(word) == _POSTCODE and postcode:
                # That of the town while it is free.
                new = postcode[:_DEPARTMENT] + new[_DEPARTMENT:] if attempt else postcode
            parts.append(new)
        return " ".join(parts)

    # A word alone is taken as such.
    if len(slots) > 1 or words == slots:
        words = scope.code(("address", *entity), numbered).split()
    is_name = _names_of(pack, entity.kind)

    def like(word: str, token: str) -> str:
        return cased_like(word, token) if is_name(word) or word.isdigit() else token

    return partial(words_like, words, TOKEN, " ".join(words), like=like)


def _place_slot(pack: Pack, entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    name, before = tokens[i], tokens[i - 1] if i else ""
    in_organisation = not entities.organisations(pack).isdisjoint(tokens)
    of_organisation = in_organisation and entity.kind is not IdentifierType.ADR
    given = pack.surrogates
    if (
        entity.kind is IdentifierType.CPO
        or any(token.isdigit() and len(token) == _POSTCODE for token in tokens[:i])
        or ((of_organisation or before in given.of) and name in places(pack).sizes)
    ):
        classes = places(pack).classes(name)
        classes = classes if classes[0] in CLASSES else ("village",)
        purpose = (IdentifierType.LIE.value, name, entity.sender)
        return Slot(purpose, name, places(pack).pool, classes, given.town)
    article = before if before in given.articles else ""
    slot = partial(Slot, (IdentifierType.ADR.value, article, name, entity.sender), name)
    if article:
        return slot(street_names(pack), (article,), given.street)
    if gender := first_names(pack).genders.get(name):
        return slot(first_names(pack).pool, (gender,), given.last_name)
    if entity.kind is IdentifierType.ORG and not of_organisation:
        return slot(endings=given.brand)
    return slot(last_names(pack), endings=given.last_name)


def handle(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return the writer of the surrogate of a handle: that of a name, a word, other digits."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return of_form(scope, entity, reference)
    if len(runs) == 1:
        # A name alone would be that of the person.
        words = [scope.word(Slot(tuple(entity), runs[0]))]
    else:
        words = scope.code(("handle", *entity), _maker(scope, entity, runs, " ")).split()
    return partial(words_like, words, TOKEN, "".join(words))


def _maker(scope: Scope, entity: Entity, runs: list[str], joiner: str) -> _Make:
    """Return the maker of a handle or an e-mail address: other words and digits, the same signs."""
    words = []
    for run in runs:
        slots, left = list[Slot](), run if run[0].isalnum() and not run.isdigit() else ""
        # A name may stand in front of another word.
        for length in range(min(len(left), _LONGEST_NAME), _SHORTEST_NAME - 1, -1):
            if slot := _person_slot(scope, run[:length], entity.sender):
                slots, left = [slot], run[length:]
                break
        if left:
            slots.append(_person_slot(scope, left, entity.sender) or Slot((*entity, left), left))
        words.append("".join(plain(scope.word(slot)) for slot in slots))

    def make(keyed: Keyed, attempt: int) -> str:
        pairs = zip(words, runs, strict=True)
        signs = ((word, other_signs(keyed, run) if run.isdigit() else run) for word, run in pairs)
        made = joiner.join(word or other for word, other in signs)
        # Behind a name that has no digits, some tell two apart.
        return made + (other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else "")

    return make


def _person_slot(scope: Scope, word: str, sender: str) -> Slot | None:
    """Return the slot of a word that is a person's name, in a list or in the messages."""
    pack = scope.lexicon.pack
    name = entities.short_forms(pack).get(fold(word), fold(word))
    for kind in (IdentifierType.PRE, IdentifierType.NOM):
        slot = _name_slot(pack, kind, name, name, sender)
        if name in slot.pool or slot.purpose in scope.given:
            return slot
    return None


def mail_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return the writer of the surrogate of an e-mail address: that of the names in it."""
    local = reference.partition("@")[0]
    runs = _RUN.findall(local if any(map(str.isalnum, local)) else _NO_NAME)
    make = _maker(scope, entity, runs, "")
    address = scope.code(
        ("mail", *entity),
        lambda keyed, attempt: f"{make(keyed, attempt)}@{DOMAINS[keyed.below(len(DOMAINS))]}",
    )

    def write(written: str) -> str:
        spelt_at, spelt_dot, *_ = entities.spelt(scope.lexicon.pack)
        new, at = address, spelt_at.search(written)
        if at and "@" not in written:
            local, _, domain = address.partition("@")
            dot = spelt_dot.search(written, at.end())
            new = local + at[0] + domain.replace(".", dot[0] if dot else ".")
        return new.upper() if written.isupper() else new

    return write


def web_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return the writer of the surrogate of a web address, about as long as the real one."""
    domain = DOMAINS[Keyed(scope.key, "domain", *entity).below(len(DOMAINS))]
    length = min(max(len(reference) - len(domain) - 1, _SHORTEST_PATH), _LONGEST_PATH)
    # The first word is like no other; more are there for the length.
    path = scope.word(Slot(tuple(entity), (reference + _NO_NAME)[: min(length, _SEGMENT)]))
    keyed = Keyed(scope.key, "path", *entity)
    while len(path) < length - 1:
        path += "/" + pronounceable(keyed, min(length - len(path) - 1, _SEGMENT))
    address = f"{domain}/{path}"

    def write(written: str) -> str:
        # What the identifier begins with stays: ``https://www.`` or nothing.
        prefix = entities.WEB_PREFIX.match(written.strip())
        return (prefix[0] if prefix else "") + (address.upper() if written.isupper() else address)

    return write


_Maker = Callable[[Scope, Entity, str], Writer]
"""Makes what writes the surrogate of an entity, given the longest of its canonical names."""
_WRITERS: dict[IdentifierType, _Maker] = {
    **dict.fromkeys(forms.TYPES, of_form),
    **dict.fromkeys((IdentifierType.ADR, IdentifierType.CPO, IdentifierType.ORG), named_place),
    IdentifierType.TEL: telephone,
    IdentifierType.MEL: mail_address,
    IdentifierType.URL: web_address,
    IdentifierType.PSD: handle,
    IdentifierType.AGE: age,
}
_SLOTS: dict[_Maker, Callable[[Lexicon, Entity, str], Iterator[Slot | str]]]
_SLOTS = {named_place: place_slots, name: name_slots}
"""The words to be invented by what makes writers of names."""


def surrogate_writers(
    context: StyleContext, invented: Mapping[Spelling, Entity]
) -> dict[Entity, Writer]:
    """Return the writer of the surrogate of each entity as each of its spellings is written."""
    key, lexicon = context.key, context.lexicon
    spellings: dict[Entity, list[Spelling]] = defaultdict(list)
    for spelling, entity in invented.items():
        spellings[entity].append(spelling)
    references, slots = dict[Entity, str](), dict[Entity, list[Slot]]()
    makers: dict[Entity, _Maker] = {}
    for entity, several in spellings.items():
        names = {*map(context.canonical, several)}
        references[entity] = longest = min(names, key=lambda name: (-len(name), name))
        makers[entity] = maker = _maker_of(lexicon.pack, entity, longest)
        words = _SLOTS[maker](lexicon, entity, longest) if maker in _SLOTS else ()
        slots[entity] = [one for one in words if isinstance(one, Slot)]
    texts = {*(one.text for one in context.spellings), *references.values()}
    corpus = {plain(word) for word in (*context.corpus_words, *texts)}
    written = {entity: [one.text for one in several] for entity, several in spellings.items()}
    common = key, lexicon, corpus, bare_words(texts), written
    scopes = {one.sender: Scope(*common) for one in references}
    for spelling, text in context.chosen.items():
        if owner := invented.get(spelling):
            # A name that is spelt in full has it in all spellings.
            is_full = fold(spelling.text) == references[owner] and text.isalpha()
            is_whole = is_full and len(slots[owner]) == 1
            scopes[owner.sender].give(text, slots[owner][0] if is_whole else None)
    # Neither the corpus nor the alphabet says who chooses first.
    in_order = [
        ((digest(key, "order", *slot.purpose), slot.name, slot.kinds, slot.endings), sender, slot)
        for (_, _, sender), several in slots.items()
        for slot in several
    ]
    for _, sender, slot in sorted(in_order, key=lambda one: one[0]):
        scopes[sender].word(slot)
    return {
        entity: makers[entity](scopes[entity.sender], entity, references[entity])
        for entity in sorted(references, key=lambda entity: digest(key, "order", *entity))
    }


def _maker_of(pack: Pack, entity: Entity, reference: str) -> _Maker:
    first, kind = TOKEN.findall(reference)[:1], entity.kind
    if kind is IdentifierType.LIE and not entities.organisations(pack).isdisjoint(first):
        return named_place
    if kind in (IdentifierType.LNK, IdentifierType.GPS) and entities.is_link(reference):
        return web_address
    return _WRITERS.get(kind, name)
