"""Surrogates that are words: names of people and of brands, places, addresses, handles.

Streets and schools stay what they are; e-mail and web addresses are at the domains of RFC 2606.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial

from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ...decide.find import POSSESSIVE
from ...vocabulary import IdentifierType
from ..entity import (
    TOKEN,
    WEB_PREFIX,
    Entity,
    Spelling,
    StyleContext,
    canonical,
    is_link,
    organisations,
    short_forms,
    spelt,
)
from ..keys import Keyed, digest
from .numbers import OF_FORM, age, code, of_form, other_signs, telephone
from .pools import (
    ANY,
    CLASSES,
    Scope,
    Slot,
    Writer,
    bare_words,
    cased_like,
    first_names,
    initials,
    last_names,
    places,
    plain,
    pronounceable,
    street_names,
    words_like,
)

# In so long a name the end tells its gender.
_TELLING = 5
_OF_PARTS = frozenset({IdentifierType.PRE, IdentifierType.NOM})
_LONGEST = 30
_WORD = re.compile(r"[^\W_]+")
_MOST_STRETCHED = 30


def name_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of a name, given as `canonical` returns it; as they are, those that stay."""
    pack, kind, parts = lexicon.pack, entity.kind, _WORD.findall(reference)
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
    held = lexicon.exact.get(reference) | lexicon.folded.get(reference)
    return bool(held & lexicon.dictionary) or reference in first_names(lexicon.pack).genders


def _name_slot(pack: Pack, kind: IdentifierType, word: str, name: str, sender: str) -> Slot:
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
    first = first_names(pack)
    ending = first.endings.get(word[-2:], ANY) if len(word) >= _TELLING else ANY
    gender = first.genders.get(word) or ending
    endings = {"m": given.male, "f": given.female}.get(gender, given.male + given.female)
    # Compounds of as many parts come first.
    kinds = dict.fromkeys((gender + "-" * word.count("-"), gender, ANY))
    return Slot(purpose, word, first.pool, (*kinds,), endings)


def name(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes a name in the case, accents, stretching and signs of another, or short."""
    surrogate = scope.words(name_slots(scope.lexicon, entity, reference))
    if len(surrogate) == 1:
        surrogate = surrogate[0].split("-")
    joiner = "-" if _is_known(scope.lexicon, reference) else " "
    is_ascii = first_names(scope.lexicon.pack).written.get(reference, "").isascii()
    parts = _WORD.findall(reference)
    letters = "".join(part[0] for part in parts)
    has_initials = len(letters) < len(reference) and len(parts) == len(surrogate)

    def write(written: str) -> str:
        written, words = unicodedata.normalize("NFC", written), surrogate
        ending = possessive[0] if (possessive := POSSESSIVE.search(written)) else ""
        written = written.removesuffix(ending)
        parts = _WORD.findall(written)
        if has_initials and fold("".join(parts)) == letters:
            words = [word[0] for word in words]
            words = words if len(parts) > 1 else ["".join(words)]
        if not is_ascii and written.isascii():
            split = (unicodedata.normalize("NFD", word) for word in words)
            words = ["".join(c for c in one if not unicodedata.combining(c)) for one in split]
        start = "".join(parts) or written
        otherwise = joiner.join(cased_like(word, start) for word in words)
        return words_like(words, _WORD, otherwise, written, _stretched_like) + ending

    return write


def _stretched_like(word: str, part: str) -> str:
    stretch = re.search(r"([^\W\d_])\1{2,}$", fold(part))
    if stretch and word[-1:].isalpha():
        word += word[-1] * min(len(stretch[0]) - 1, _MOST_STRETCHED)
    return cased_like(word, part)


_POSTCODE, _DEPARTMENT = 5, 2
# So many letters beside a digit are of a code: BN3 2AB. No British postcode ends in these.
_OF_CODE, _IN_NO_POSTCODE = 2, "CIKMOV"
# So often an address is tried before a longer one is.
_TRIES = 30
# They are kept for examples (RFC 2606).
DOMAINS = ("example.com", "example.net", "example.org")
_RUN = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_NO_NAME = "a" * 6
# Of a name in front of another word, as in *zoedupont*.
_SHORTEST_NAME, _LONGEST_NAME = 4, 30
_SHORTEST_PATH, _SEGMENT, _LONGEST_PATH = 3, 12, 120


def place_slots(lexicon: Lexicon, entity: Entity, reference: str) -> Iterator[Slot | str]:
    """Yield the words of an address or an organisation; as they are, those that stay.

    Letters of a code, as of a British postcode, are yielded as capitals.
    """
    pack, tokens = lexicon.pack, TOKEN.findall(reference)
    is_name = _names_of(pack, entity.kind)
    for i, token in enumerate(tokens):
        beside = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
        if is_name(token) and len(token) == _OF_CODE and any(map(str.isdigit, beside)):
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
    """Return what tells names from words that stay: what a street or an organisation is."""
    of_streets, others = pack.addresses.kept, pack.entities.links | organisations(pack)
    kept: Set[str] = of_streets if kind in (IdentifierType.ADR, IdentifierType.CPO) else others
    return lambda token: not (token.isdigit() or token in kept or len(token) == 1)


def named_place(scope: Scope, entity: Entity, reference: str) -> Writer:
    pack = scope.lexicon.pack
    slots = [*place_slots(scope.lexicon, entity, reference)]
    words = scope.words(slots)
    # A word alone is taken as such.
    if len(slots) > 1 or words == slots:
        postcodes = places(pack).postcodes
        town = next((postcodes[word] for word in reversed(words) if word in postcodes), "")
        words = scope.code(("address", *entity), partial(_numbered, words, town)).split()
    is_name = _names_of(pack, entity.kind)

    def like(word: str, token: str) -> str:
        return cased_like(word, token) if is_name(word) or word.isdigit() else token

    return partial(words_like, words, TOKEN, " ".join(words), like=like)


def _numbered(words: Sequence[str], postcode: str, keyed: Keyed, attempt: int) -> str:
    """Return an address with other numbers; a postcode is that of the town while it is free."""

    def other(number: str) -> str:
        if number.isupper():
            return "".join(keyed.of(_IN_NO_POSTCODE) for _ in number)
        digits = "".join(keyed.of("0123456789" if i else "123456789") for i in range(len(number)))
        if len(number) != _POSTCODE or not postcode:
            return digits
        return postcode[:_DEPARTMENT] + digits[_DEPARTMENT:] if attempt else postcode

    longer = ["1"] * (attempt // _TRIES)
    every = (*words, *longer)
    return " ".join(other(one) if one.isdigit() or one.isupper() else one for one in every)


def _place_slot(pack: Pack, entity: Entity, tokens: Sequence[str], i: int) -> Slot:
    """Return the slot of a name in an address: a town behind the postcode, else a street."""
    name, before = tokens[i], tokens[i - 1] if i else ""
    in_organisation = not organisations(pack).isdisjoint(tokens)
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
    """Return what writes the surrogate of a handle: that of a name, a word, other digits."""
    runs = TOKEN.findall(reference)
    if not any(map(str.isalpha, runs)):
        return code(scope, entity, reference)
    if len(runs) == 1:
        # A name alone would be that of the person.
        found = [scope.word(Slot(tuple(entity), runs[0]))]
    else:
        found = scope.code(("handle", *entity), _maker(scope, entity, runs, " ")).split()
    return partial(words_like, found, TOKEN, "".join(found))


def _maker(
    scope: Scope, entity: Entity, runs: Sequence[str], joiner: str
) -> Callable[[Keyed, int], str]:
    """Return what makes a handle or an e-mail address: other words and digits, the same signs."""
    words = [_word_of(scope, entity, run) if run[0].isalnum() else run for run in runs]

    def make(keyed: Keyed, attempt: int) -> str:
        pairs = zip(words, runs, strict=True)
        made = joiner.join(word or other_signs(keyed, run) for word, run in pairs)
        # Behind a name that has no digits, some tell two apart.
        return made + (other_signs(keyed, "0" * (attempt // _TRIES)) if attempt else "")

    return make


def _word_of(scope: Scope, entity: Entity, run: str) -> str:
    """Return what stands for a word of a handle or an e-mail address; empty for a number."""
    if run.isdigit():
        return ""
    slots, left = list[Slot](), run
    # A name may stand in front of another word.
    for length in range(min(len(run), _LONGEST_NAME), _SHORTEST_NAME - 1, -1):
        if slot := _person_slot(scope, run[:length], entity.sender):
            slots, left = [slot], run[length:]
            break
    if left:
        slots.append(_person_slot(scope, left, entity.sender) or Slot((*entity, left), left))
    return "".join(plain(scope.word(slot)) for slot in slots)


def _person_slot(scope: Scope, word: str, sender: str) -> Slot | None:
    """Return the slot of a word that is a person's name, in a list or in the messages."""
    pack = scope.lexicon.pack
    name = short_forms(pack).get(fold(word), fold(word))
    for kind in (IdentifierType.PRE, IdentifierType.NOM):
        slot = _name_slot(pack, kind, name, name, sender)
        if name in slot.pool or scope.holds(slot):
            return slot
    return None


def mail_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of an e-mail address: that of the names in it."""
    local = reference.partition("@")[0]
    runs = _RUN.findall(local if any(map(str.isalnum, local)) else _NO_NAME)
    make = _maker(scope, entity, runs, "")
    address = scope.code(
        ("mail", *entity),
        lambda keyed, attempt: f"{make(keyed, attempt)}@{DOMAINS[keyed.below(len(DOMAINS))]}",
    )

    def write(written: str) -> str:
        spelt_at, spelt_dot, *_ = spelt(scope.lexicon.pack)
        new, at = address, spelt_at.search(written)
        if at and "@" not in written:
            local, _, domain = address.partition("@")
            dot = spelt_dot.search(written, at.end())
            new = local + at[0] + domain.replace(".", dot[0] if dot else ".")
        return new.upper() if written.isupper() else new

    return write


def web_address(scope: Scope, entity: Entity, reference: str) -> Writer:
    """Return what writes the surrogate of a web address, about as long as the real one."""
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
        prefix = WEB_PREFIX.match(written.strip())
        return (prefix[0] if prefix else "") + (address.upper() if written.isupper() else address)

    return write


_Maker = Callable[[Scope, Entity, str], Writer]
"""Makes what writes the surrogate of an entity, given the longest of its canonical names."""
_WRITERS: dict[IdentifierType, _Maker] = {
    **dict.fromkeys(OF_FORM, of_form),
    **dict.fromkeys((IdentifierType.ADR, IdentifierType.CPO, IdentifierType.ORG), named_place),
    **dict.fromkeys((IdentifierType.COD, IdentifierType.LNK, IdentifierType.NUM), code),
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
    context: StyleContext, entities: Mapping[Spelling, Entity]
) -> dict[Entity, Writer]:
    """Return what writes the surrogate of each entity as each of its spellings is written."""
    key, lexicon = context.key, context.lexicon
    spellings: dict[Entity, list[Spelling]] = defaultdict(list)
    for spelling, entity in entities.items():
        spellings[entity].append(spelling)
    references: dict[Entity, str] = {}
    slots: dict[Entity, list[Slot]] = {}
    makers: dict[Entity, _Maker] = {}
    for entity, several in spellings.items():
        names = {canonical(one.text, one.type, lexicon) for one in several}
        references[entity] = longest = min(names, key=lambda name: (-len(name), name))
        makers[entity] = maker = _maker_of(lexicon.pack, entity, longest)
        words = _SLOTS[maker](lexicon, entity, longest) if maker in _SLOTS else ()
        slots[entity] = [one for one in words if isinstance(one, Slot)]
    texts = {*(one.text for one in context.spellings), *references.values()}
    corpus, hidden = {plain(word) for word in (*context.corpus_words, *texts)}, bare_words(texts)
    written = {entity: [one.text for one in several] for entity, several in spellings.items()}
    scopes = {one.sender: Scope(key, lexicon, corpus, hidden, written) for one in references}
    for spelling, text in context.chosen.items():
        if found := entities.get(spelling):
            # A name that is spelt in full has it in all spellings.
            is_full = fold(spelling.text) == references[found] and text.isalpha()
            is_whole = is_full and len(slots[found]) == 1
            scopes[found.sender].give(text, slots[found][0] if is_whole else None)

    def turn(one: tuple[str, Slot]) -> tuple[object, ...]:
        # Neither the corpus nor the alphabet says who chooses first.
        slot = one[1]
        return digest(key, "order", *slot.purpose), slot.name, slot.kinds, slot.endings

    every = [(entity.sender, slot) for entity, several in slots.items() for slot in several]
    for sender, slot in sorted(every, key=turn):
        scopes[sender].word(slot)
    return {
        entity: makers[entity](scopes[entity.sender], entity, references[entity])
        for entity in sorted(references, key=lambda entity: digest(key, "order", *entity))
    }


def _maker_of(pack: Pack, entity: Entity, reference: str) -> _Maker:
    first, kind = TOKEN.findall(reference)[:1], entity.kind
    if kind is IdentifierType.LIE and not organisations(pack).isdisjoint(first):
        return named_place
    if kind in (IdentifierType.LNK, IdentifierType.GPS) and is_link(reference):
        return web_address
    return _WRITERS.get(kind, name)
