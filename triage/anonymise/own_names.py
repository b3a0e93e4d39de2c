"""Whose names are whose: people of the account, and senders, who sign or have a name confirmed."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from triage.data.errors import whole_characters
from triage.dictionaries import Lexicon
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack

from ..decide.people import NAMES, People, kind_of
from ..errors import TriageError
from ..model.find import Identifier
from ..vocabulary import TAG, IdentifierType
from .entity import Entity, Spelling, canonical
from .styles import Style, StyleContext
from .table import EntityTable

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
    run: list[Identifier] = []
    for one in [*found, None]:
        if run and (one is None or one.start > run[-1].end + 1):
            before = fold(text[max(0, run[0].start - _REACH) : run[0].start])
            behind = fold(text[run[-1].end : run[-1].end + _REACH])
            if run[0].type in NAMES and _is_signed(before, behind, pack):
                yield run[0]
            run = []
        if one:
            run.append(one)


def _is_signed(before: str, behind: str, pack: Pack) -> bool:
    introduces, signs_off, at_the_phone, of_another = _forms(pack)
    if at_the_phone.match(behind):
        return True
    if introduces.search(before):
        return not of_another.match(behind)
    is_last = len(behind) < _REACH and _NOTHING.fullmatch(behind)
    return bool(is_last and (_LAST_LINE.search(before) or signs_off.search(before)))


# A name that signs one message may be quoted, or that of a friend who wrote it.
_FEWEST = 2


def own_names(
    signatures: Mapping[Spelling, int], spellings: Mapping[Spelling, int], context: StyleContext
) -> dict[str, Entity]:
    """Return the entity that seems to be each sender's own name."""
    signing, found = (defaultdict[str, Counter[Entity]](Counter) for _ in range(2))
    for counts, several in ((signing, signatures), (found, spellings)):
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
    context: StyleContext,
    people: People | None,
    found: Iterable[Spelling],
    senders: Iterable[str],
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
        cells = ((sender, people.cell(sender)) for sender in senders)
        names = {
            Spelling(text, type_, sender)
            for sender, cell in cells
            for type_, text in (cell.names if cell else ())
            if type_ in NAMES
        }
    spellings = [*context.spellings, *sorted(names - {*context.spellings}, key=str)]
    persons = {}
    for spelling in spellings:
        keys = _keys(spelling.text, spelling.type, context.lexicon)
        several = next((bearers[key] for key in keys if key in bearers), ())
        if len(several) == 1:
            [persons[spelling]] = several
    written = {(kind_of(one.type), one.text) for one in found}
    unseen = [one for one in names if (kind_of(one.type), one.text) not in written]
    unseen.sort(key=str)
    return replace(context, spellings=spellings, persons=persons, unseen=unseen)


def _keys(
    text: str, type_: IdentifierType, lexicon: Lexicon
) -> list[tuple[IdentifierType | None, str]]:
    """Return by what a spelling is known, the surest first; of names, whatever their type."""
    if type_ not in NAMES:
        return [(type_, canonical(text, type_, lexicon))]
    kinds = dict.fromkeys((type_, IdentifierType.PRE))
    forms = [fold(text), *(canonical(text, kind, lexicon) for kind in kinds)]
    return [(None, form) for form in forms]


def tied_senders(
    people: People | None, style: Style, senders: Collection[str], *, per_sender: bool
) -> dict[str, str]:
    """Return the pseudonyms of senders who are people of the account, as in the messages.

    Styles without pseudonyms tie nobody, nor does a person who is several senders.
    """
    cells = {one: cell for one in senders if people and (cell := people.cell(one))}
    written: dict[str, set[frozenset[str]]] = defaultdict(set)
    for sender, cell in cells.items():
        if cell.is_whole:
            written[cell.entity].add(frozenset(fold(sender).split()))
    own: dict[str, str] = {}
    for sender, cell in cells.items():
        scope = sender if per_sender else ""
        names = [Spelling(text, type_, scope) for type_, text in cell.names if type_ in NAMES]
        # A person may have said that a name is to stay.
        shown = [_shown(new) if (new := style(one)) != one.text else "" for one in names]
        if shown and all(shown) and not (cell.is_whole and len(written[cell.entity]) > 1):
            own[sender] = " ".join(dict.fromkeys(shown))
    bearers: dict[str, set[str]] = defaultdict(set)
    for sender, text in own.items():
        bearers[fold(text)].add(cells[sender].entity)
    taken = {fold(sender.strip()) for sender in senders}
    taken |= {text for text, several in bearers.items() if len(several) > 1}
    return {sender: text for sender, text in own.items() if fold(text) not in taken}


def confirmed_names(
    table: EntityTable | None, style: Style, senders: Collection[str]
) -> tuple[dict[str, str], str]:
    """Return the pseudonyms of senders whose names a table confirms, and a warning."""
    entries = [entry for entry in table.entries if entry.confirmed] if table else []
    known = {whole_characters(sender): sender for sender in sorted(senders)}
    entities: dict[str, set[str]] = defaultdict(set)
    own: dict[str, str] = {}
    for entry in entries:
        sender = known.get(whole_characters(entry.name_of))
        shown = _shown(style(Spelling(entry.spelling, entry.type, entry.sender))) if sender else ""
        if sender and shown:
            own.setdefault(sender, shown)
            entities[sender].add(entry.entity)
    pseudonyms = {fold(shown) for shown in own.values()}
    problem = ""
    if any(len(several) > 1 for several in entities.values()):
        problem = "two names of one sender: give them one entity, or confirm one of them"
    elif len(pseudonyms) < len(own):
        problem = "one name for two senders: confirm it for one, or add --plan per-sender=true"
    elif pseudonyms & {fold(sender.strip()) for sender in senders}:
        problem = "a name whose pseudonym is a sender of the file: give another replacement"
    if problem:
        line = f"the table of people confirms {problem}"
        raise TriageError(line, "names_of_one_sender")
    n = len({entry.name_of for entry in entries}) - len(own)
    ties = "name ties" if n == 1 else "names tie"
    why = "the file has no such sender, or the style gives no pseudonym"
    return own, f"{n:,} confirmed {ties} nobody: {why}" if n else ""


def _shown(replacement: str) -> str:
    tag = re.fullmatch(TAG, replacement)
    if tag:
        # The numbers of the paper's style are those of a public dictionary; codes begin otherwise.
        code = tag["code"] or ""
        return code if code[:1].isalpha() else ""
    return "" if set(replacement) <= {"x"} else replacement
