"""Three checks of replacements before anything is replaced (Reffay, Blondel, Giguet 2012, step 6).

What says only of which type and how long an identifier was is no pseudonym, and stands for many.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from triage.dictionaries.lists import words_of
from triage.dictionaries.normal import fold

from .entity import LINKS, kind_of
from .table import Entry

# A tag with a code (<PRE_7_k3>) is as good a pseudonym as its code.
_TAG = re.compile(r"<[A-Z]{3}(?:_[A-Z]{3}){0,3}_[0-9]{1,12}(?:_(?P<code>[0-9A-Za-z]{1,12}))?>")
_MASK = re.compile("x*")
_SEPARATORS = re.compile(r"[\W_]+")
_EXAMPLES = 5
_OF_NAMES = words_of("PRE NOM SUR LIE MAR")


class Check(StrEnum):
    """What is checked."""

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
    """What a check found.

    Parameters
    ----------
    check : Check
    n : int
        How many cases there are.
    examples : tuple of str
        Of a few; they hold real names only where that was asked for.
    """

    check: Check
    n: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        one, several, what = _SAYS[self.check]
        return f"{self.n:,} {one if self.n == 1 else several} {what}: {'; '.join(self.examples)}"


def check(
    entries: Iterable[Entry],
    corpus_words: Collection[str],
    *,
    per_sender: bool = False,
    show: bool = False,
) -> list[Finding]:
    """Return what is incoherent about replacements: of each check that found something, a finding.

    Parameters
    ----------
    entries : iterable of Entry
    corpus_words : collection of str
        Folded words that occur anywhere in the corpus.
    per_sender : bool, default False
        Whether replacements are consistent within a sender only.
    show : bool, default False
        Whether examples may hold real names.

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> from triage.vocabulary import IdentifierType
    >>> lea = Entry("Léa", "lea", IdentifierType.PRE, 2, True, "Zoé")
    >>> eva = Entry("Eva", "eva", IdentifierType.PRE, 1, True, "Zoé")
    >>> print(*check([lea, eva], {"lea", "eva", "coucou"}))
    1 pseudonym stands for two different entities: 'Zoé' for 2
    """
    entries = list(entries)
    found = (
        shared_pseudonyms(entries, per_sender=per_sender, show=show),
        pseudonyms_in_corpus(entries, corpus_words),
        replaced_in_two_ways(entries, per_sender=per_sender, show=show),
    )
    return [one for one in found if one]


def shared_pseudonyms(
    entries: Sequence[Entry], *, per_sender: bool = False, show: bool = False
) -> Finding | None:
    """Return which pseudonyms stand for two different entities, None where there are none."""
    entities: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    written: dict[tuple[str, str], str] = {}
    for scope, entry in _by_scope(entries, per_sender=per_sender):
        if entry.replace and (pseudonym := _pseudonym(entry.replacement)):
            entities[scope, pseudonym].add((kind_of(entry.type), entry.entity))
            written.setdefault((scope, pseudonym), entry.replacement)
    cases = {written[key]: found for key, found in entities.items() if len(found) > 1}
    return _finding(
        Check.SHARED,
        (
            f"{text!r} for {_names(found) if show else len(found)}"
            for text, found in sorted(cases.items())
        ),
    )


def _names(entities: Iterable[tuple[str, str]]) -> str:
    return " and ".join(f"{name} ({kind})" for kind, name in sorted(entities))


def pseudonyms_in_corpus(entries: Sequence[Entry], corpus_words: Collection[str]) -> Finding | None:
    """Return which pseudonyms occur in the corpus already, None where there are none."""
    words = corpus_words if isinstance(corpus_words, set | frozenset) else set(corpus_words)
    found = {
        entry.replacement
        for entry in entries
        if entry.replace and _pseudonym(entry.replacement) and not words.isdisjoint(_words(entry))
    }
    return _finding(Check.IN_CORPUS, map(repr, sorted(found)))


def _words(entry: Entry) -> set[str]:
    """Return what of a replacement may not occur: the whole, and of a name each of its words."""
    text = fold(entry.replacement)
    is_name = entry.type in _OF_NAMES and not _TAG.fullmatch(entry.replacement)
    parts = set(_SEPARATORS.split(text)) - LINKS - {""} if is_name else set()
    return parts | {text}


def replaced_in_two_ways(
    entries: Sequence[Entry], *, per_sender: bool = False, show: bool = False
) -> Finding | None:
    """Return which spellings are replaced in two ways, None where there are none.

    One that is replaced here and kept there is among them.
    """
    ways: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for scope, entry in _by_scope(entries, per_sender=per_sender):
        if not entry.replace:
            ways[scope, entry.spelling][""] = _KEPT
        elif pseudonym := _pseudonym(entry.replacement):
            ways[scope, entry.spelling].setdefault(pseudonym, repr(entry.replacement))
    cases = {key: sorted(found.values()) for key, found in ways.items() if len(found) > 1}
    return _finding(
        Check.TWO_WAYS,
        (
            f"{repr(spelling) + ' ' if show else ''}by {' and '.join(found)}"
            for (_, spelling), found in sorted(cases.items())
        ),
    )


_KEPT = "itself"


def _by_scope(entries: Iterable[Entry], *, per_sender: bool) -> Iterator[tuple[str, Entry]]:
    """Yield entries with the scope in which they must agree with others."""
    return ((entry.sender if per_sender else "", entry) for entry in entries)


def _pseudonym(replacement: str) -> str:
    """Return what tells a replacement from those of other entities; empty where nothing does."""
    tag = _TAG.fullmatch(replacement)
    if tag:
        return f"<{tag['code']}>" if tag["code"] else ""
    return "" if _MASK.fullmatch(replacement) else fold(replacement)


def _finding(check: Check, examples: Iterable[str]) -> Finding | None:
    found = list(examples)
    return Finding(check, len(found), tuple(found[:_EXAMPLES])) if found else None
