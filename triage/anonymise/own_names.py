"""The senders' own names: suggested by signatures, and tied to them where a person confirms it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from triage.data.values import whole_characters
from triage.dictionaries.normal import fold

from ..errors import TriageError
from .coherence import TAG
from .entity import Entity, Spelling, kind_of
from .styles import Style, StyleContext
from .table import EntityTable, Entry

# A name that signs one message may be quoted, or that of a friend who wrote it.
_FEWEST = 2


def own_names(
    signatures: Mapping[Spelling, int], spellings: Mapping[Spelling, int], context: StyleContext
) -> dict[str, Entity]:
    """Return the entity that seems to be each sender's own name."""
    signing, found = _by_sender(signatures, context), _by_sender(spellings, context)
    own = {}
    for sender, names in signing.items():
        [(name, n)] = names.most_common(1)
        if n >= _FEWEST and 2 * n > max(names.total(), found[sender][name]):
            own[sender] = name
    shared = Counter(own.values())
    return {sender: name for sender, name in own.items() if shared[name] == 1}


def _by_sender(
    spellings: Mapping[Spelling, int], context: StyleContext
) -> defaultdict[str, Counter[Entity]]:
    """Count the entities in the messages of each known sender."""
    counts: defaultdict[str, Counter[Entity]] = defaultdict(Counter)
    for spelling, n in spellings.items():
        if spelling.sender:
            counts[spelling.sender][context.entity(spelling)] += n
    return counts


def confirmed_names(
    table: EntityTable | None, style: Style, senders: Collection[str]
) -> tuple[dict[str, str], str]:
    """Return the pseudonyms of senders whose names a table confirms, and a warning."""
    entries = [entry for entry in table.entries if entry.confirmed] if table else []
    tied = own_pseudonyms(entries, style, senders)
    n = len({entry.name_of for entry in entries}) - len(tied)
    if not n:
        return tied, ""
    return tied, (
        f"{n:,} confirmed {'name ties' if n == 1 else 'names tie'} nobody: the file has no such "
        "sender, or the style gives no pseudonym"
    )


def own_pseudonyms(
    entries: Iterable[Entry], style: Style, senders: Collection[str]
) -> dict[str, str]:
    """Return the pseudonyms of the senders whose own names a person confirmed."""
    known = {whole_characters(sender): sender for sender in sorted(senders)}
    entities: dict[str, set[tuple[str, str]]] = defaultdict(set)
    own: dict[str, str] = {}
    for entry in entries:
        sender = known.get(whole_characters(entry.name_of))
        shown = _shown(style(entry.written)) if entry.confirmed and sender else ""
        if sender and shown:
            own.setdefault(sender, shown)
            entities[sender].add((kind_of(entry.type), entry.entity))
    if any(len(several) > 1 for several in entities.values()):
        raise TriageError(
            "the table of entities confirms two names of one sender: give them one entity, or "
            "confirm one of them",
            "names_of_one_sender",
        )
    _check_distinct(own.values(), senders)
    return own


def _check_distinct(own: Collection[str], senders: Iterable[str]) -> None:
    pseudonyms = {fold(shown) for shown in own}
    if len(pseudonyms) < len(own):
        raise TriageError(
            "the table of entities confirms one name for two senders: confirm it for one of them, "
            "or add --per-sender",
            "name_of_two_senders",
        )
    if pseudonyms & {fold(sender.strip()) for sender in senders}:
        raise TriageError(
            "the pseudonym of a name that the table of entities confirms is a sender of the file: "
            "give another replacement",
            "pseudonym_is_sender",
        )


def _shown(replacement: str) -> str:
    tag = TAG.fullmatch(replacement)
    if tag:
        # The numbers of the paper's style are those of a public dictionary; codes begin otherwise.
        code = tag["code"] or ""
        return code if code[:1].isalpha() else ""
    return "" if set(replacement) <= {"x"} else replacement


def suggested(table: EntityTable, own: Mapping[str, Entity]) -> EntityTable:
    """Return a table that says, in the first row of a name, of which sender it seems to be."""
    left = {entity: sender for sender, entity in own.items()}
    return EntityTable(
        replace(
            entry, name_of=left.pop(Entity(kind_of(entry.type), entry.entity, entry.sender), "")
        )
        for entry in table.entries
    )
