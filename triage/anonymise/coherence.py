"""Three checks of replacements before anything is replaced (Reffay, Blondel, Giguet 2012, step 6).

What says only of which type and how long an identifier was is no pseudonym, and stands for many.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack, load_pack

from ..vocabulary import IdentifierType
from .entity import Spelling, kind_of
from .styles import Style, StyleContext, Styles, make_styles
from .surrogates.pools import is_drawn
from .surrogates.scope import Neighbours
from .table import EntityTable, Entry, build_table

# A tag with a code (<PRE_7_k3>) is as good a pseudonym as its code.
TAG = re.compile(r"<[A-Z]{3}(?:_[A-Z]{3}){0,3}_[0-9]{1,12}(?:_(?P<code>[0-9A-Za-z]{1,12}))?>")
_MASK = re.compile("x*")
_EXAMPLES = 5
_OF_NAMES = frozenset({"PRE", "NOM", "SUR", "LIE", "MAR"})


class Check(StrEnum):
    """The three checks."""

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
    return style, check(
        table.entries,
        context.corpus_words,
        spellings,
        per_sender=context.per_sender,
        show=show,
        pack=context.lexicon.pack,
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
    found = {
        Check.SHARED: _shared(entries, per_sender=per_sender, show=show),
        Check.IN_CORPUS: _in_corpus(entries, corpus_words, [*spellings], pack or load_pack()),
        Check.TWO_WAYS: _two_ways(entries, per_sender=per_sender, show=show),
    }
    return [
        Finding(kind, len(examples), tuple(examples[:_EXAMPLES]))
        for kind, examples in found.items()
        if examples
    ]


def _shared(entries: Sequence[Entry], *, per_sender: bool, show: bool) -> list[str]:
    """Return examples of pseudonyms that stand for two different entities."""
    entities: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    written: dict[tuple[str, str], str] = {}
    for entry in entries:
        scope = entry.sender if per_sender else ""
        if entry.replace and (pseudonym := _pseudonym(entry)):
            entities[scope, pseudonym].add((kind_of(entry.type), entry.entity))
            written.setdefault((scope, pseudonym), entry.replacement)
    cases = {written[key]: found for key, found in entities.items() if len(found) > 1}
    return [
        f"{text!r} for {_names(found) if show else len(found)}"
        for text, found in sorted(cases.items())
    ]


def _names(entities: Iterable[tuple[str, str]]) -> str:
    return " and ".join(f"{name} ({kind})" for kind, name in sorted(entities))


def _in_corpus(
    entries: Sequence[Entry], corpus_words: Set[str], spellings: Iterable[Spelling], pack: Pack
) -> list[str]:
    """Return the pseudonyms that occur in the corpus already."""
    neighbours = Neighbours(spellings)
    senders = _senders(entries, spellings)
    found = set()
    for entry in entries:
        if not entry.replace or not _pseudonym(entry):
            continue
        who = senders[kind_of(entry.type), entry.entity, entry.sender]
        is_beside = (
            entry.type in _OF_NAMES and len(who) == 1 and neighbours.have(entry.replacement, *who)
        )
        is_word = fold(entry.replacement) in corpus_words and not is_drawn(entry.replacement, pack)
        if is_beside or is_word:
            found.add(entry.replacement)
    return [*map(repr, sorted(found))]


def _senders(
    entries: Iterable[Entry], spellings: Iterable[Spelling]
) -> dict[tuple[str, str, str], set[str]]:
    """Return the senders who write a spelling of each entity."""
    writing: dict[tuple[str, IdentifierType], set[str]] = defaultdict(set)
    for one in spellings:
        writing[one.text, one.type].add(one.sender)
    senders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for entry in entries:
        everybody = writing[entry.spelling, entry.type]
        who = {entry.sender} if entry.sender else everybody
        senders[kind_of(entry.type), entry.entity, entry.sender] |= who
    return senders


def _two_ways(entries: Sequence[Entry], *, per_sender: bool, show: bool) -> list[str]:
    """Return examples of spellings replaced in two ways, or replaced here and kept there."""
    ways: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for entry in entries:
        scope = entry.sender if per_sender else ""
        if not entry.replace:
            ways[scope, entry.spelling][""] = "itself"
        elif pseudonym := _pseudonym(entry):
            ways[scope, entry.spelling].setdefault(pseudonym, repr(entry.replacement))
    cases = {key: sorted(found.values()) for key, found in ways.items() if len(found) > 1}
    return [
        f"{repr(spelling) + ' ' if show else ''}by {' and '.join(found)}"
        for (_, spelling), found in sorted(cases.items())
    ]


def _pseudonym(entry: Entry) -> str:
    """Return what distinguishes a replacement from those of other entities; empty without."""
    tag = TAG.fullmatch(entry.replacement)
    if tag:
        return f"<{tag['code']}>" if tag["code"] else ""
    # An age stands for all who are as old.
    is_none = entry.type is IdentifierType.AGE or _MASK.fullmatch(entry.replacement)
    return "" if is_none else fold(entry.replacement)
