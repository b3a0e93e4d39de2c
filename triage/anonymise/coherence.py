"""Three checks of replacements before anything is replaced (Reffay, Blondel, Giguet 2012, step 6).

What says only of which type or how long an identifier was is no pseudonym, and stands for many.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from triage.dictionaries.normal import fold
from triage.dictionaries.pack import Pack, load_pack

from ..decide.people import Entry, kind_of
from ..vocabulary import TAG, IdentifierType
from .entity import Spelling
from .styles import Style, StyleContext, Styles, make_styles
from .surrogates.pools import bare, bare_words, is_drawn
from .table import EntityTable, build_table

# A tag with a code (<PRE_k3>) is as good a pseudonym as its code.
_TAG = re.compile(TAG)
_MASK = re.compile("x*")
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
    return style, check(
        [
            entry
            for entry in table.entries
            if Spelling(entry.spelling, entry.type, entry.sender) not in unseen
        ],
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
    scoped = [(entry.sender if per_sender else "", entry) for entry in entries]
    found = {
        Check.SHARED: _shared(scoped, show=show),
        Check.IN_CORPUS: _in_corpus(entries, corpus_words, spellings, pack or load_pack()),
        Check.TWO_WAYS: _two_ways(scoped, show=show),
    }
    return [
        Finding(kind, len(examples), tuple(examples[:_EXAMPLES]))
        for kind, examples in found.items()
        if examples
    ]


def _shared(scoped: Iterable[tuple[str, Entry]], *, show: bool) -> list[str]:
    """Return examples of pseudonyms that stand for two different entities."""
    entities: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    written: dict[tuple[str, str], str] = {}
    for scope, entry in scoped:
        if entry.replace and (pseudonym := _pseudonym(entry)):
            entities[scope, pseudonym].setdefault(entry.entity, kind_of(entry.type))
            written.setdefault((scope, pseudonym), entry.replacement)
    cases = {written[key]: found for key, found in entities.items() if len(found) > 1}
    names = {
        text: " and ".join(f"{name} ({kind})" for name, kind in sorted(found.items()))
        for text, found in cases.items()
    }
    return [f"{text!r} for {names[text] if show else len(cases[text])}" for text in sorted(cases)]


def _in_corpus(
    entries: Iterable[Entry], corpus_words: Set[str], spellings: Iterable[Spelling], pack: Pack
) -> list[str]:
    """Return the pseudonyms that occur in the corpus already."""
    replaced = bare_words(spelling.text for spelling in spellings)

    def occurs(entry: Entry) -> bool:
        if entry.type in _OF_NAMES and bare(entry.replacement) in replaced:
            return True
        return fold(entry.replacement) in corpus_words and not is_drawn(entry.replacement, pack)

    pseudonyms = (entry for entry in entries if entry.replace and _pseudonym(entry))
    return [*map(repr, sorted({entry.replacement for entry in pseudonyms if occurs(entry)}))]


def _two_ways(scoped: Iterable[tuple[str, Entry]], *, show: bool) -> list[str]:
    """Return examples of spellings replaced in two ways, or replaced here and kept there."""
    ways: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for scope, entry in scoped:
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
    tag = _TAG.fullmatch(entry.replacement)
    if tag:
        return f"<{tag['code']}>" if tag["code"] else ""
    # An age stands for all who are as old.
    is_none = entry.type is IdentifierType.AGE or _MASK.fullmatch(entry.replacement)
    return "" if is_none else fold(entry.replacement)
