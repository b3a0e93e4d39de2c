"""The table of people and other entities: what each spelling stands for, and what replaces it.

A person may change every cell but the spelling: bring two spellings together by giving them one
entity, keep a spelling, name another replacement or clear it, so that the style fills it in. Rows
of one sender are for the scope of a sender. The table holds real names: only its owner may read it.

Three checks of its replacements are made before anything is replaced (Reffay, Blondel, Giguet 2012,
step 6). What says only of which type or how long an identifier was is no pseudonym, and stands for
many.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from triage.data import Dialect, Format, create_output
from triage.data.errors import whole_characters
from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack, load_pack

from ..decide.people import COLUMNS, Entry, apart_by_type, kind_of, read_people
from ..errors import TriageError
from ..vocabulary import TAG, IdentifierType
from .entity import Entity, Spelling
from .styles import Style, StyleContext, Styles, make_styles
from .surrogates.pools import bare, bare_words, is_drawn

__all__ = ["COLUMNS", "EntityTable", "Entry", "build_table", "read_table", "write_table"]


class EntityTable:
    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._found: dict[tuple[str, IdentifierType | None, str], Entry] = {}
        for entry in self.entries:
            for type_ in (entry.type, None):
                key = (whole_characters(entry.spelling), type_, whole_characters(entry.sender))
                self._found.setdefault(key, entry)

    def _entry_of(self, spelling: Spelling) -> Entry | None:
        """Return the entry of a spelling, None where the table has none."""
        text = whole_characters(spelling.text)
        keys = (
            (text, type_, sender)
            for sender in (whole_characters(spelling.sender), "")
            for type_ in (spelling.type, None)
        )
        return next(filter(None, map(self._found.get, keys)), None)

    def replacement_of(self, spelling: Spelling) -> str | None:
        """Return the replacement of a spelling, itself where it is to stay; None: not said."""
        entry = self._entry_of(spelling)
        if entry is None:
            return None
        return (entry.replacement or None) if entry.replace else spelling.text

    def style(self, styles: Styles, context: StyleContext) -> tuple[Style, "EntityTable"]:
        """Make a style that follows the table, and where it says nothing, that of the type."""
        if not context.per_sender and any(entry.sender for entry in self.entries):
            raise TriageError(
                "the table of people has rows of one sender, but a name stands for one entity in "
                "the whole file: add --plan per-sender=true, or clear the column sender",
                "names_of_senders",
            )
        written = {Spelling(one.spelling, one.type, one.sender): one for one in self.entries}
        spellings = [*context.spellings, *written]
        found = {one: entry.entity for one in spellings if (entry := self._entry_of(one))}
        kinds: dict[str, set[IdentifierType]] = defaultdict(set)
        for entry in self.entries:
            kinds[entry.entity].add(kind_of(entry.type))
        persons = {one: entity for one, entity in found.items() if len(kinds[entity]) > 1}
        chosen = {one: entry.replacement for one, entry in written.items() if entry.replace}
        other = make_styles(
            styles,
            replace(
                context,
                spellings=spellings,
                entities=found,
                persons={**context.persons, **persons},
                chosen={one: text for one, text in chosen.items() if text},
            ),
        )
        table = EntityTable(
            replace(entry, replacement=entry.replacement or other(one)) if entry.replace else entry
            for entry in self.entries
            for one in [Spelling(entry.spelling, entry.type, entry.sender)]
        )

        def style(spelling: Spelling) -> str:
            said = table.replacement_of(spelling)
            return other(spelling) if said is None else said

        return style, table


def build_table(
    spellings: Mapping[Spelling, int],
    style: Style,
    context: StyleContext,
    own: Mapping[str, Entity] | None = None,
) -> EntityTable:
    """Make the table of a corpus: by type and entity, the most frequent spelling of each first.

    Names of the account that stand nowhere are there, too. `own` are the entities that seem to be
    the names of senders: the first row of each says so.
    """
    counts: Counter[Spelling] = Counter()
    known: dict[Spelling, Spelling] = {}
    for spelling in [*spellings, *context.unseen]:
        one = spelling if context.per_sender else replace(spelling, sender="")
        counts[one] += spellings.get(spelling, 0)
        known.setdefault(one, spelling)
    rows: list[tuple[Entry, Entity]] = []
    for one, count in counts.items():
        entity, text = context.entity(known[one]), style(known[one])
        name = context.persons.get(known[one], entity.name)
        rows.append((Entry(one.text, name, one.type, count, True, text, one.sender), entity))
    types, left = [*IdentifierType], {entity: sender for sender, entity in (own or {}).items()}

    def order(row: tuple[Entry, Entity]) -> tuple[int, str, str, int, str]:
        entry = row[0]
        return types.index(entry.type), entry.entity, entry.sender, -entry.count, entry.spelling

    entries = (
        replace(entry, name_of=left.pop(entity, "")) for entry, entity in sorted(rows, key=order)
    )
    return EntityTable(apart_by_type(entries, {*context.persons.values()}))


def write_table(path: str | Path, table: EntityTable, *, overwrite: bool = False) -> None:
    """Write a table to a file that only its owner may read, in any format of tables."""
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    with create_output(
        path, COLUMNS, like=like, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        output.write(entry.cells() for entry in table.entries)
        output.commit()


def read_table(path: str | Path) -> EntityTable:
    """Read a table that a person may have changed."""
    return EntityTable(read_people(path))


_EXAMPLES = 5
_OF_NAMES = frozenset({"PRE", "NOM", "SUR", "LIE", "MAR"})


class Check(StrEnum):
    SHARED = "shared"
    IN_CORPUS = "in corpus"
    TWO_WAYS = "two ways"


_SAYS = {
    Check.SHARED: ("pseudonym stands", "pseudonyms stand", "for two different entities"),
    Check.IN_CORPUS: ("pseudonym occurs", "pseudonyms occur", "in the corpus already"),
    Check.TWO_WAYS: ("spelling is replaced", "spellings are replaced", "in two ways"),
}


@dataclass(frozen=True)
class Finding:
    """Cases that a check found, with a few examples; real names only where they were asked for."""

    check: Check
    n: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        one, several, what = _SAYS[self.check]
        return f"{self.n:,} {one if self.n == 1 else several} {what}: {'; '.join(self.examples)}"


def checked_style(
    spellings: Mapping[Spelling, int],
    styles: Styles,
    context: StyleContext,
    table: EntityTable | None = None,
    *,
    show: bool = False,
) -> tuple[Style, list[Finding]]:
    """Make the styles of a corpus, and check its pseudonyms; tags and masks are shared by many."""
    if table is not None:
        style, table = table.style(styles, context)
    else:
        style = make_styles(styles, context)
        if not styles.needs_key:
            return style, []
        table = build_table(spellings, style, context)
    unseen = {*context.unseen}
    entries = [
        one for one in table.entries if Spelling(one.spelling, one.type, one.sender) not in unseen
    ]
    pack, words = context.lexicon.pack, context.corpus_words
    return style, check(
        entries, words, spellings, per_sender=context.per_sender, show=show, pack=pack
    )


def check(
    entries: Sequence[Entry],
    corpus_words: Set[str],
    spellings: Iterable[Spelling] = (),
    *,
    per_sender: bool = False,
    show: bool = False,
    pack: Pack | None = None,
) -> list[Finding]:
    """Return a finding of each check that finds replacements incoherent."""
    # By scope and pseudonym its entities and how it is written, by scope and spelling its ways.
    entities: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    written: dict[tuple[str, str], str] = {}
    ways: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for entry in entries:
        scope, pseudonym = entry.sender if per_sender else "", _pseudonym(entry)
        if not entry.replace:
            ways[scope, entry.spelling][""] = "itself"
        elif pseudonym:
            ways[scope, entry.spelling].setdefault(pseudonym, repr(entry.replacement))
            entities[scope, pseudonym].setdefault(entry.entity, kind_of(entry.type))
            written.setdefault((scope, pseudonym), entry.replacement)
    shared = {written[key]: found for key, found in entities.items() if len(found) > 1}
    found = {
        Check.SHARED: [
            f"{text!r} for {_names(shared[text]) if show else len(shared[text])}"
            for text in sorted(shared)
        ],
        Check.IN_CORPUS: _in_corpus(entries, corpus_words, spellings, pack or load_pack()),
        Check.TWO_WAYS: [
            f"{repr(spelling) + ' ' if show else ''}by {' and '.join(sorted(several.values()))}"
            for (_, spelling), several in ((key, ways[key]) for key in sorted(ways))
            if len(several) > 1
        ],
    }
    return [
        Finding(kind, len(examples), tuple(examples[:_EXAMPLES]))
        for kind, examples in found.items()
        if examples
    ]


def _names(entities: Mapping[str, str]) -> str:
    return " and ".join(f"{name} ({kind})" for name, kind in sorted(entities.items()))


def _in_corpus(
    entries: Iterable[Entry], corpus_words: Set[str], spellings: Iterable[Spelling], pack: Pack
) -> list[str]:
    """Return the pseudonyms that occur in the corpus already."""
    replaced = bare_words(spelling.text for spelling in spellings)
    found = {
        entry.replacement
        for entry in entries
        if entry.replace and _pseudonym(entry)
        if (entry.type in _OF_NAMES and bare(entry.replacement) in replaced)
        or (fold(entry.replacement) in corpus_words and not is_drawn(entry.replacement, pack))
    }
    return [*map(repr, sorted(found))]


def _pseudonym(entry: Entry) -> str:
    """Return what distinguishes a replacement from those of other entities; empty without."""
    if tag := re.fullmatch(TAG, entry.replacement):
        # A tag with a code (<PRE_k3>) is as good a pseudonym as its code.
        return f"<{tag['code']}>" if tag["code"] else ""
    # An age stands for all who are as old.
    is_none = entry.type is IdentifierType.AGE or not entry.replacement.strip("x")
    return "" if is_none else fold(entry.replacement)
