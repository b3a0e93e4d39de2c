"""Names of senders, known from the account of people and from signatures, and their pseudonyms."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from triage.data.errors import whole_characters
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ..decide.find import Identifier
from ..decide.people import NAMES, People, kind_of
from ..vocabulary import IdentifierType
from .entities import Entity, Spelling, StyleContext, canonical
from .keys import digest
from .styles import EntityTable, Style, pseudonym_in, spelling_of
from .words import refused

# Digits of a pseudonym of a sender.
_DIGITS = 4
# So many characters before and behind a name are read.
_REACH = 60
_LAST_LINE = re.compile(r"\S\s{0,3}\n\s{0,3}[-–—@]?\s{0,2}$")
_NOTHING = re.compile(r"(?:<3|[^\w?]){0,12}")


@cache
def _forms(pack: Pack) -> tuple[re.Pattern[str], ...]:
    """Return what introduces a name, signs off before it, and follows it where it signs or not."""
    given = pack.signatures
    return (
        # Where a message or a sentence begins, perhaps behind a greeting.
        re.compile(
            rf"(?:^|[.!?,;:\n])\s{{0,3}}(?:(?:{given.greetings})(?: [^\W\d_]{{1,15}}){{0,2}},?"
            rf"\s{{1,2}})?(?:{given.introductions})\s{{0,2}}[:,]?\s{{0,2}}$"
        ),
        re.compile(
            rf"(?<![^\W_])(?:{given.farewells})(?: [^\W\d_]{{1,12}}){{0,4}}\s{{0,2}}"
            r"[.,!;:…~–—-]{1,3}\s{0,3}$"
        ),
        re.compile(rf"\s{{1,2}}(?:{given.at_the_phone})\b"),
        re.compile(rf"\s{{0,2}}(?:\?|(?:{given.of_another})\b)"),
    )


# A name signs where it introduces itself (*Coucou, c'est Marie*, *Marie à l'appareil*), stands
# alone on the last line, or behind a farewell and a sign (*Bisous, Marie*). *Bisous Marie* is as
# often said to Marie.
def signed(text: str, found: Iterable[Identifier], pack: Pack) -> Iterator[Identifier]:
    """Yield the names of persons with which a message is signed; of *Marie Dupont*, the first."""
    introduces, signs_off, at_the_phone, of_another = _forms(pack)
    runs: list[list[Identifier]] = []
    for one in found:
        if runs and one.start <= runs[-1][-1].end + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    for run in runs:
        if run[0].type not in NAMES:
            continue
        before = fold(text[max(0, run[0].start - _REACH) : run[0].start])
        behind = fold(text[run[-1].end : run[-1].end + _REACH])
        if introduces.search(before):
            signs = not of_another.match(behind)
        else:
            is_end = len(behind) < _REACH and _NOTHING.fullmatch(behind) is not None
            signs = is_end and bool(_LAST_LINE.search(before) or signs_off.search(before))
        if signs or at_the_phone.match(behind):
            yield run[0]


# A name that signs one message may be quoted, or that of a friend who wrote it.
_FEWEST = 2


def own_names(signatures: Mapping[Spelling, int], context: StyleContext) -> dict[str, Entity]:
    signing, found = (defaultdict[str, Counter[Entity]](Counter) for _ in range(2))
    for counts, several in ((signing, signatures), (found, context.spellings)):
        for spelling, n in several.items():
            if spelling.sender:
                counts[spelling.sender][context.entity(spelling)] += n
    own = {}
    for sender, names in signing.items():
        [(name, n)] = names.most_common(1)
        if n >= _FEWEST and 2 * n > max(names.total(), found[sender][name]):
            own[sender] = name
    shared = Counter(own.values())
    return {sender: name for sender, name in own.items() if shared[name] == 1}


def with_people(
    context: StyleContext, people: People | None, senders: Iterable[str]
) -> StyleContext:
    """Return a context that knows whose name a spelling is, and the names that stand nowhere."""
    if not people:
        return context
    bearers: dict[tuple[IdentifierType | None, str], set[str]] = defaultdict(set)
    for one in people.spellings():
        for key in _keys(one.text, one.type, context.lexicon):
            bearers[key].add(one.entity)
    names = {Spelling(text, type_) for _, type_, text, _ in people.spellings() if type_ in NAMES}
    if context.per_sender:
        names = {one for sender in senders for one in _names_of(people, sender, sender)}
    further = sorted(names - context.spellings.keys(), key=str)
    spellings, persons = {**context.spellings, **dict.fromkeys(further, 0)}, {}
    for spelling in spellings:
        keys = _keys(spelling.text, spelling.type, context.lexicon)
        several = next((bearers[key] for key in keys if key in bearers), ())
        if len(several) == 1:
            [persons[spelling]] = several
    written = {(kind_of(one.type), one.text) for one in context.spellings}
    unseen = sorted((one for one in names if (kind_of(one.type), one.text) not in written), key=str)
    return replace(context, spellings=spellings, persons=persons, unseen=unseen)


def _names_of(people: People, sender: str, scope: str) -> list[Spelling]:
    cell = people.cell(sender)
    names = cell.names if cell else ()
    return [Spelling(text, type_, scope) for type_, text in names if type_ in NAMES]


def _keys(
    text: str, type_: IdentifierType, lexicon: Lexicon
) -> list[tuple[IdentifierType | None, str]]:
    """Return by what a spelling is known, the surest first; of names, whatever their type."""
    if type_ not in NAMES:
        return [(type_, canonical(text, type_, lexicon))]
    kinds = dict.fromkeys((type_, IdentifierType.PRE))
    forms = [fold(text), *(canonical(text, kind, lexicon) for kind in kinds)]
    return [(None, form) for form in forms]


def pseudonyms_of(
    senders: Collection[str],
    key: bytes,
    style: Style,
    people: People | None = None,
    table: EntityTable | None = None,
    *,
    per_sender: bool = False,
) -> tuple[dict[str, str], str]:
    """Return the pseudonym of each sender, and a warning.

    It is that of their name where people or a table tell it, else S0001, S0002 and on, by rank of
    their keyed hashes.
    """
    confirmed, warning = _confirmed(table, style, senders)
    own = _tied(people, style, senders, per_sender=per_sender) | confirmed
    ranked = sorted({*senders} - {""}, key=lambda sender: digest(key, "sender", sender))
    width = max(_DIGITS, len(str(len(ranked))))
    taken = {name.strip().casefold() for name in (*ranked, *own.values())}
    letter = "S"
    while any(f"{letter}{n:0{width}}".casefold() in taken for n in range(1, len(ranked) + 1)):
        letter += "S"
    return {sender: f"{letter}{n:0{width}}" for n, sender in enumerate(ranked, 1)} | own, warning


def _tied(
    people: People | None, style: Style, senders: Collection[str], *, per_sender: bool
) -> dict[str, str]:
    """Return the pseudonyms of senders who are people of the account, as in the messages.

    Styles without pseudonyms tie nobody, nor does a person who is several senders.
    """
    if not people:
        return {}
    cells = {one: cell for one in senders if (cell := people.cell(one))}
    written: dict[str, set[frozenset[str]]] = defaultdict(set)
    for sender, cell in cells.items():
        if cell.is_whole:
            written[cell.entity].add(frozenset(fold(sender).split()))
    own: dict[str, str] = {}
    bearers: dict[str, set[str]] = defaultdict(set)
    for sender, cell in cells.items():
        names = _names_of(people, sender, sender if per_sender else "")
        # A person may have said that a name is to stay.
        shown = [pseudonym_in(new) if (new := style(one)) != one.text else "" for one in names]
        if shown and all(shown) and not (cell.is_whole and len(written[cell.entity]) > 1):
            own[sender] = " ".join(dict.fromkeys(shown))
            bearers[fold(own[sender])].add(cell.entity)
    taken = {fold(sender.strip()) for sender in senders} | {
        text for text, several in bearers.items() if len(several) > 1
    }
    return {sender: text for sender, text in own.items() if fold(text) not in taken}


def _confirmed(
    table: EntityTable | None, style: Style, senders: Collection[str]
) -> tuple[dict[str, str], str]:
    """Return the pseudonyms of senders whose names a table confirms, and a warning."""
    entries = [entry for entry in table.entries if entry.confirmed] if table else []
    known = {whole_characters(sender): sender for sender in sorted(senders)}
    own, entities = dict[str, str](), dict[str, str]()
    for entry in entries:
        sender = known.get(whole_characters(entry.name_of))
        shown = pseudonym_in(style(spelling_of(entry))) if sender else ""
        if sender and shown:
            own.setdefault(sender, shown)
            if entities.setdefault(sender, entry.entity) != entry.entity:
                raise refused("names_of_one_sender.two")
    pseudonyms = {fold(shown) for shown in own.values()}
    if len(pseudonyms) < len(own):
        raise refused("names_of_one_sender.shared")
    if pseudonyms & {fold(sender.strip()) for sender in senders}:
        raise refused("names_of_one_sender.taken")
    n = len({entry.name_of for entry in entries}) - len(own)
    ties = "name ties" if n == 1 else "names tie"
    why = "the file has no such sender, or the style gives no pseudonym"
    return own, f"{n:,} confirmed {ties} nobody: {why}" if n else ""
