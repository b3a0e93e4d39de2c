"""The styles in which identifiers and senders are replaced, and the table of people.

The table says what each spelling stands for, and what replaces it. A person may change every cell
but the spelling: bring two spellings together by giving them one entity, keep a spelling, name
another replacement or clear it, so that the style fills it in. Rows of one sender are for the scope
of a sender. The table holds real names: only its owner may read it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from statistics import median_low
from typing import Any, NamedTuple

from triage.data.errors import whole_characters
from triage.data.output import private_table
from triage.dictionaries import Lexicon
from triage.dictionaries.lexicon import ALL_LAST_NAMES, FIRST_NAMES, PERSON_NAMES
from triage.dictionaries.normal import fold, normal
from triage.dictionaries.pack import Pack

from ..decide.find import Identifier, around
from ..decide.people import NAMES, TABLE_COLUMNS, Entry, People, kind_of
from ..safe import Staged, publish_all
from ..settings import StyleName
from ..vocabulary import TAG, IdentifierType, Quantity
from . import surrogates
from .entities import NAME_LISTS, Entity, Spelling, StyleContext, canonical
from .keys import Keyed, digest
from .plan import Plan
from .surrogates import Slot, bare, bare_words, name_slots, surrogate_writers
from .words import refused

Style = Callable[[Spelling], str]
"""Returns the replacement of a spelling, one of those that the style was made for."""

# Small letters and digits without those that are easily misread. A code begins with a letter, so
# that nobody takes it for a number of the paper's dictionary. It is so long that two of a million
# entities have one code in less than one corpus of a thousand.
_DIGITS, _LETTERS, _LENGTH = "0123456789", "abcdefghjkmnpqrstvwxyz", 10
_PERSONS = dict.fromkeys((IdentifierType.PRE, IdentifierType.SUR), PERSON_NAMES)
_LISTS = NAME_LISTS | _PERSONS | {IdentifierType.NOM: ALL_LAST_NAMES}
_Key = tuple[IdentifierType | None, str]
_OfTexts = Iterable[tuple[str, list[str]]]
# So many characters before and behind a name are read.
_REACH = 60
_LAST_LINE = re.compile(r"\S\s{0,3}\n\s{0,3}[-–—@]?\s{0,2}$")
_NOTHING = re.compile(r"(?:<3|[^\w?]){0,12}")
# A name that signs one message may be quoted, or that of a friend who wrote it.
_MIN_SIGNED = 2


def make_style(plan: Plan, context: StyleContext) -> Style:
    """Make the style of the spellings of a context: for those of each type its own."""
    lengths = plan.treatment.lengths
    coded, invented = (
        {one: context.entity(one) for one in context.spellings if plan.style_of(one.type) is name}
        for name in (StyleName.CONSISTENT, StyleName.SURROGATE)
    )
    bearers: dict[Spelling, tuple[str, ...]] = {**coded}
    for one in coded.keys() & context.persons.keys():
        bearers[one] = "person", context.persons[one], coded[one].sender
    codes = _codes(context.key, bearers.values())
    writers = surrogate_writers(context, invented) if invented else {}
    numbered = _numbered(context.lexicon) if StyleName.PAPER in plan.used_styles else tag

    def style(spelling: Spelling) -> str:
        match plan.style_of(spelling.type):
            case StyleName.MASK:
                return "x" * (len(spelling.text) if lengths else 3)
            case StyleName.PAPER:
                return numbered(spelling)
            case StyleName.CONSISTENT:
                return tag(spelling, codes[bearers[spelling]], lengths=lengths)
            case StyleName.SURROGATE:
                return writers[invented[spelling]](spelling.text)
        return tag(spelling, lengths=lengths)

    return style


def tag(spelling: Spelling, code: str = "", *, lengths: bool = True) -> str:
    """Return a tag of a type, perhaps with a length in characters (as published) and a code."""
    length = str(len(spelling.text)) if lengths else ""
    return f"<{'_'.join(filter(None, (spelling.type.value, length, code)))}>"


def _numbered(lexicon: Lexicon) -> Style:
    """Make the style of the paper (section 3.1): tags of first names hold their entry's number."""
    exact, folded = dict[str, int](), dict[str, int]()
    lists = [words for name in FIRST_NAMES for words in lexicon.lists if words.name == name]
    # Exceptions too: a number is the line of a list.
    for number, name in enumerate((name for words in lists for name in words.words), 1):
        exact.setdefault(normal(name), number)
        folded.setdefault(fold(name), number)

    def style(spelling: Spelling) -> str:
        text, number = spelling.text, None
        if spelling.type is IdentifierType.PRE:
            number = exact.get(normal(text)) or folded.get(fold(text))
            number = number or folded.get(canonical(text, spelling.type, lexicon))
        return tag(spelling, str(number or ""))

    return style


def _codes(key: bytes, entities: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Return the code of each entity, a keyed hash (HMAC-SHA256) of it."""
    codes = {}
    for entity in set(entities):
        keyed = Keyed(key, "consistent", *entity)
        rest = (keyed.of(_LETTERS + _DIGITS) for _ in range(_LENGTH - 1))
        codes[entity] = keyed.of(_LETTERS) + "".join(rest)
    if len({*codes.values()}) < len(codes):
        raise refused("one_code")
    return codes


def anonymity_sets(
    shown: Mapping[Spelling, str], plan: Plan, lexicon: Lexicon
) -> list[dict[str, Any]]:
    """Return how many names of the lists fit what is shown: the fewest and the median by type."""

    @cache
    def lengths(*types: IdentifierType) -> Counter[int]:
        named = {name for type_ in types for name in _LISTS[type_]}
        lists = [words.entries for words in lexicon.lists if words.name in named]
        return Counter(map(len, frozenset().union(*lists)))

    def size(spelling: Spelling, shown: str) -> int:
        tag, sizes = re.fullmatch(TAG, shown), []
        if tag is None and plan.style_of(spelling.type) is not StyleName.MASK:
            # Of each word of a name as many are alike, one of which is drawn for it.
            entity = StyleContext(lexicon).entity(spelling)
            for slot in name_slots(lexicon, entity, entity.name):
                if isinstance(slot, Slot):
                    alike = map(slot.pool.words, slot.pool.alike(slot.name, slot.kinds))
                    sizes.append(next((len(words) for words in alike if words), 0))
            return min(filter(None, sizes), default=0)
        if tag and (tag["code"] or "").isdecimal():
            return 1
        fitting = lengths(spelling.type) if tag else lengths(*_LISTS)
        length = tag["length"] if tag else len(shown) if plan.treatment.lengths else None
        return fitting.total() if length is None else fitting[int(length)]

    of_type = defaultdict[IdentifierType, list[int]](list)
    once = {(one.text, one.type): (one, text) for one, text in shown.items() if one.type in _LISTS}
    for spelling, text in once.values():
        # Nobody guesses by the lists what no name of them fits.
        if sizes := size(spelling, text):
            of_type[spelling.type].append(sizes)
    return [
        {"type": type_.value, "style": plan.style_of(type_).value}
        | {"smallest": min(of_type[type_]), "median": median_low(of_type[type_])}
        for type_ in sorted(of_type)
    ]


def spelling_of(entry: Entry) -> Spelling:
    return Spelling(entry.spelling, entry.type, entry.sender)


def _rows_by_spelling(entries: Iterable[Entry]) -> Callable[[Spelling], Entry | None]:
    """Return a function that finds the row of a spelling, that of its sender and type first."""
    rows: dict[tuple[str, str, IdentifierType | None], Entry] = {}
    for entry in entries:
        text, sender = map(whole_characters, (entry.spelling, entry.sender))
        for type_ in (entry.type, None):
            rows.setdefault((text, sender, type_), entry)

    def row_of(spelling: Spelling) -> Entry | None:
        text, sender = map(whole_characters, (spelling.text, spelling.sender))
        keys = product([text], (sender, ""), (spelling.type, None))
        return next(filter(None, map(rows.get, keys)), None)

    return row_of


def style_of_table(entries: Sequence[Entry], plan: Plan, context: StyleContext) -> Style:
    """Make a style that follows a table, and where that says nothing, the style of the type."""
    if not context.per_sender and any(entry.sender for entry in entries):
        raise refused("names_of_senders.table")
    kinds: dict[str, set[IdentifierType]] = defaultdict(set)
    for one in entries:
        kinds[one.entity].add(kind_of(one.type))
    written, row_of = {spelling_of(one): one for one in entries}, _rows_by_spelling(entries)
    all_spellings = (*context.spellings, *written)
    spellings = {one: context.spellings.get(one, 0) for one in all_spellings}
    entity_of = {one: entry.entity for one in spellings if (entry := row_of(one))}
    persons = {one: entity for one, entity in entity_of.items() if len(kinds[entity]) > 1}
    chosen = {k: one.replacement for k, one in written.items() if one.replace and one.replacement}
    known = replace(context, spellings=spellings, entities=entity_of, chosen=chosen)
    usual = make_style(plan, replace(known, persons={**context.persons, **persons}))

    def style(spelling: Spelling) -> str:
        if (row := row_of(spelling)) is None:
            return usual(spelling)
        if not row.replace:
            return spelling.text
        return row.replacement or usual(spelling_of(row))

    return style


def build_table(
    style: Style, context: StyleContext, own: Mapping[str, Entity] | None = None
) -> list[Entry]:
    """Make the table of a corpus; the first row of what seems a sender's own name says so."""
    rows, variants = list[tuple[Entry, Entity]](), defaultdict[Spelling, list[Spelling]](list)
    spellings_found = (one for one, n in context.spellings.items() if n)
    for spelling in [*spellings_found, *context.unseen]:
        variants[spelling if context.per_sender else replace(spelling, sender="")].append(spelling)
    for one, several in variants.items():
        entity, text = context.entity(several[0]), style(several[0])
        name = context.persons.get(several[0], entity.name)
        n = sum(context.spellings.get(spelling, 0) for spelling in several)
        rows.append((Entry(one.text, name, one.type, n, True, text, one.sender), entity))
    types, unnamed = [*IdentifierType], {entity: sender for sender, entity in (own or {}).items()}

    def order(row: tuple[Entry, Entity]) -> tuple[int, str, str, int, str]:
        entry = row[0]
        return types.index(entry.type), entry.entity, entry.sender, -entry.count, entry.spelling

    # What bears one name, of two types, is two things unless it is a person.
    entries, first, persons = [], dict[str, IdentifierType](), {*context.persons.values()}
    for entry, entity in sorted(rows, key=order):
        kind, name = entity.kind, entry.entity
        if name not in persons and first.setdefault(name, kind) is not kind:
            name = f"{name} ({kind})"
        entries.append(replace(entry, entity=name, name_of=unnamed.pop(entity, "")))
    return entries


def write_table(
    path: str | Path,
    entries: Iterable[Entry],
    *,
    beside: Iterable[Staged] = (),
    overwrite: bool = False,
) -> None:
    """Write a table, in any format of tables, and files beside it, all for their owner only."""
    rows = (entry.cells() for entry in entries)
    with ExitStack() as stack:
        output = stack.enter_context(private_table(path, TABLE_COLUMNS, rows, overwrite=overwrite))
        publish_all([*map(stack.enter_context, beside), output])


class Incoherence(NamedTuple):
    """A line of what is incoherent in a table, and the texts by which it is found there."""

    line: str
    texts: list[str]


def checked_style(
    plan: Plan, context: StyleContext, table: Sequence[Entry] | None = None
) -> tuple[Style, list[Incoherence]]:
    """Make the styles of a corpus, and check its pseudonyms; tags and masks are shared by many."""
    if table is not None:
        style = style_of_table(table, plan, context)
        table = [
            replace(row, replacement=row.replacement or style(spelling_of(row))) for row in table
        ]
    else:
        style = make_style(plan, context)
        if not plan.keyed_styles:
            return style, []
        table = build_table(style, context)
    return style, check(table, context, show=plan.treatment.show)


# Three checks are made before anything is replaced (Reffay, Blondel, Giguet 2012, step 6).
def check(
    entries: Iterable[Entry], context: StyleContext, *, show: bool = False
) -> list[Incoherence]:
    """Return a line of each check that finds replacements incoherent, if asked with real names."""
    # By scope and pseudonym its entities and how it is written, by scope and spelling its ways.
    entities, ways = (defaultdict[tuple[str, str], dict[str, str]](dict) for _ in range(2))
    written, occurring, unseen = dict[tuple[str, str], str](), set[str](), {*context.unseen}
    names = bare_words(one.text for one, n in context.spellings.items() if n)
    for entry in entries:
        scope, text = entry.sender, entry.replacement
        if spelling_of(entry) in unseen:
            continue
        if not entry.replace:
            ways[scope, entry.spelling][""] = "itself"
        elif pseudonym := pseudonym_of(entry):
            ways[scope, entry.spelling].setdefault(pseudonym, repr(text))
            entities[scope, pseudonym].setdefault(entry.entity, kind_of(entry.type))
            written.setdefault((scope, pseudonym), text)
            occurs = fold(text) in context.corpus_words and not _is_drawn(text, context)
            if occurs or is_name(entry, names):
                occurring.add(text)
    several = sorted((written[key], key) for key, found in entities.items() if len(found) > 1)
    shared = [
        (text, [f"{name} ({kind})" for name, kind in sorted(entities[key].items())])
        for text, key in several
    ]
    in_ways = ((key[1], sorted(ways[key].values())) for key in sorted(ways) if len(ways[key]) > 1)
    return [*_incoherent(shared, sorted(occurring), in_ways, show=show)]


def pseudonym_of(entry: Entry) -> str:
    """Return the part of a replacement that no other entity in its scope has; may be empty."""
    # An age stands for all who are as old.
    is_shared = not entry.replace or entry.type is IdentifierType.AGE
    return "" if is_shared else fold(pseudonym_in(entry.replacement))


def is_name(entry: Entry, names: Container[str]) -> bool:
    """Return whether the replacement of a name is one of the names of the corpus."""
    return entry.type in _LISTS and bare(entry.replacement) in names


def _is_drawn(word: str, context: StyleContext) -> bool:
    pack = context.lexicon.pack
    towns, names = surrogates.places(pack).pool, surrogates.first_names(pack).pool
    pools = names, surrogates.last_names(pack), towns, surrogates.initials()
    return any(fold(word) in pool for pool in pools)


def _incoherent(
    shared: _OfTexts, occurring: Iterable[str], in_ways: _OfTexts, *, show: bool
) -> Iterator[Incoherence]:
    """Yield a line of what is incoherent in one way, with the first cases."""
    for form, cases in {
        "{n:# pseudonym stands|# pseudonyms stand} for two different entities": [
            (one, f"{one!r} for {' and '.join(names) if show else len(names)}")
            for one, names in shared
        ],
        "{n:# pseudonym occurs|# pseudonyms occur} in the corpus already": [
            (one, repr(one)) for one in occurring
        ],
        "{n:# spelling is replaced|# spellings are replaced} in two ways": [
            (one, f"{f'{one!r} ' if show else ''}by {' and '.join(ways)}") for one, ways in in_ways
        ],
    }.items():
        if cases:
            line = form.format(n=Quantity(len(cases)))
            shown = "; ".join(case for _, case in cases[:5])
            yield Incoherence(f"{line}: {shown}", [text for text, _ in cases])


def pseudonym_in(replacement: str) -> str:
    """Return the part of a replacement that no other entity has, such as a code; may be empty."""
    if tag := re.fullmatch(TAG, replacement):
        # The numbers of the paper's style are those of a public dictionary; codes begin otherwise.
        code = tag["code"] or ""
        return code if code[:1].isalpha() else ""
    return replacement.strip("x") and replacement


@cache
def _forms(pack: Pack) -> tuple[re.Pattern[str], ...]:
    """Return the expressions of signatures: introduction, farewell, at the phone, of another."""
    settings = pack.signatures
    return (
        # Where a message or a sentence begins, perhaps behind a greeting.
        re.compile(
            rf"(?:^|[.!?,;:\n])\s{{0,3}}(?:(?:{settings.greetings})(?: [^\W\d_]{{1,15}}){{0,2}},?"
            rf"\s{{1,2}})?(?:{settings.introductions})\s{{0,2}}[:,]?\s{{0,2}}$"
        ),
        re.compile(
            rf"(?<![^\W_])(?:{settings.farewells})(?: [^\W\d_]{{1,12}}){{0,4}}\s{{0,2}}"
            r"[.,!;:…~–—-]{1,3}\s{0,3}$"
        ),
        re.compile(rf"\s{{1,2}}(?:{settings.at_the_phone})\b"),
        re.compile(rf"\s{{0,2}}(?:\?|(?:{settings.of_another})\b)"),
    )


# A name signs where it introduces itself (*Coucou, c'est Marie*, *Marie à l'appareil*), stands
# alone on the last line, or behind a farewell and a sign (*Bisous, Marie*). *Bisous Marie* is as
# often said to Marie.
def signed(text: str, identifiers: Iterable[Identifier], pack: Pack) -> Iterator[Identifier]:
    """Yield the names of persons with which a message is signed; of *Marie Dupont*, the first."""
    introduces, signs_off, at_the_phone, of_another = _forms(pack)
    runs: list[list[Identifier]] = []
    for one in identifiers:
        if runs and one.start <= runs[-1][-1].end + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    for run in runs:
        if run[0].type not in NAMES:
            continue
        before, behind = map(fold, around(text, run[0].start, run[-1].end, _REACH))
        if introduces.search(before):
            signs = not of_another.match(behind)
        else:
            is_end = len(behind) < _REACH and _NOTHING.fullmatch(behind) is not None
            signs = is_end and bool(_LAST_LINE.search(before) or signs_off.search(before))
        if signs or at_the_phone.match(behind):
            yield run[0]


def own_names(signatures: Mapping[Spelling, int], context: StyleContext) -> dict[str, Entity]:
    signing, mentioned = (defaultdict[str, Counter[Entity]](Counter) for _ in range(2))
    for counts, counter in ((signing, signatures), (mentioned, context.spellings)):
        for spelling, n in counter.items():
            if spelling.sender:
                counts[spelling.sender][context.entity(spelling)] += n
    own = {}
    for sender, names in signing.items():
        [(name, n)] = names.most_common(1)
        if n >= _MIN_SIGNED and 2 * n > max(names.total(), mentioned[sender][name]):
            own[sender] = name
    shared = Counter(own.values())
    return {sender: name for sender, name in own.items() if shared[name] == 1}


def with_people(context: StyleContext, people: People | None, senders: set[str]) -> StyleContext:
    """Return a context that knows whose name a spelling is, and the names that stand nowhere."""
    if not people:
        return context
    bearers, names_of = defaultdict[_Key, set[str]](set), dict[_Key, str]()
    for one in people.spellings:
        for key in _keys(one.text, one.type, context.lexicon):
            bearers[key].add(one.entity)
            names_of.setdefault(key, canonical(one.text, one.type, context.lexicon))
    names = {Spelling(text, type_) for _, type_, text, _ in people.spellings if type_ in NAMES}
    if context.per_sender:
        names = {one for sender in senders for one in _names_of(people, sender, sender)}
    further = sorted(names - context.spellings.keys(), key=str)
    spellings, persons, held = {**context.spellings, **dict.fromkeys(further, 0)}, {}, {}
    for spelling in spellings:
        keys = _keys(spelling.text, spelling.type, context.lexicon)
        if spelling.type is IdentifierType.NOM:  # *les Kerbrats*, but *Nicolas* is not *Nicola*
            keys += [(of, form.removesuffix("s")) for of, form in keys[-1:]]
        # *bisousSolveig*
        keys.append((None, people.name_behind(spelling.text)))
        known = next((key for key in keys if key in bearers), None)
        if known and len(bearers[known]) == 1:
            [persons[spelling]] = bearers[known]
        if known and spelling.type in NAMES and (known[0] or known is keys[-1]):
            held[spelling] = names_of[known]
    written = {(kind_of(one.type), one.text) for one in context.spellings}
    unseen = sorted((one for one in names if (kind_of(one.type), one.text) not in written), key=str)
    return replace(context, spellings=spellings, persons=persons, unseen=unseen, held=held)


def _names_of(people: People, sender: str, scope: str) -> list[Spelling]:
    cell = people.cells.get(sender)
    names = cell.names if cell else ()
    return [Spelling(text, type_, scope) for type_, text in names if type_ in NAMES]


def _keys(text: str, type_: IdentifierType, lexicon: Lexicon) -> list[_Key]:
    """Return by what a spelling is known, the surest first; of names, whatever their type."""
    if type_ not in NAMES:
        return [(type_, canonical(text, type_, lexicon))]
    kinds = dict.fromkeys((type_, IdentifierType.PRE))
    forms = [fold(text), *(canonical(text, kind, lexicon) for kind in kinds)]
    # *solveig34*, *lebihan*
    letters = "".join(filter(str.isalpha, forms[0]))
    return [*((None, form) for form in forms), (IdentifierType.PSD, letters)]


def pseudonyms_of(
    senders: Collection[str],
    key: bytes,
    style: Style,
    people: People | None = None,
    table: Sequence[Entry] | None = None,
    *,
    per_sender: bool = False,
) -> tuple[dict[str, str], str]:
    """Return the pseudonym of each sender, S0001 and on where no name of theirs is known."""
    confirmed, warning = _confirmed(table, style, senders)
    own = _tied(people, style, senders, per_sender=per_sender) | confirmed
    ranked = sorted({*senders} - {""}, key=lambda sender: digest(key, "sender", sender))
    width = max(4, len(str(len(ranked))))
    taken = {name.strip().casefold() for name in (*ranked, *own.values())}
    letter = "S"
    while any(f"{letter}{n:0{width}}".casefold() in taken for n in range(1, len(ranked) + 1)):
        letter += "S"
    return {sender: f"{letter}{n:0{width}}" for n, sender in enumerate(ranked, 1)} | own, warning


def _tied(
    people: People | None, style: Style, senders: Collection[str], *, per_sender: bool
) -> dict[str, str]:
    """Return the pseudonyms of senders who are people of the account, as in the messages."""
    if not people:
        return {}
    cells = {one: cell for one in senders if (cell := people.cells.get(one))}
    written: dict[str, set[frozenset[str]]] = defaultdict(set)
    for sender, cell in cells.items():
        if cell.is_whole:
            written[cell.entity].add(frozenset(fold(sender).split()))
    own: dict[str, str] = {}
    bearers: dict[str, set[str]] = defaultdict(set)
    for sender, cell in cells.items():
        names = _names_of(people, sender, sender if per_sender else "")
        # A person may have said that a name is to stay.
        pseudonyms = [pseudonym_in(new) if (new := style(one)) != one.text else "" for one in names]
        if pseudonyms and all(pseudonyms) and not (cell.is_whole and len(written[cell.entity]) > 1):
            own[sender] = " ".join(dict.fromkeys(pseudonyms))
            bearers[fold(own[sender])].add(cell.entity)
    shared = {text for text, several in bearers.items() if len(several) > 1}
    taken = {fold(sender.strip()) for sender in senders} | shared
    return {sender: text for sender, text in own.items() if fold(text) not in taken}


def _confirmed(
    table: Sequence[Entry] | None, style: Style, senders: Collection[str]
) -> tuple[dict[str, str], str]:
    """Return the pseudonyms of senders whose names a table confirms, and a warning."""
    entries = [entry for entry in table if entry.confirmed] if table else []
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
