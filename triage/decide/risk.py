"""What is found of a message, and the risk that an identifier stays: what policies decide by."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, Lexicon
from triage.dictionaries.addresses import KnownWords, addresses, may_begin, names_street
from triage.dictionaries.normal import folded
from triage.dictionaries.pack import Pack, any_of
from triage.features.word_evidence import ScoredWords, probability

from ..model.learnt import Covered
from ..settings import Ambiguous
from ..vocabulary import CERTAIN_FROM, SUSPECT_FROM, Action
from .find import (
    REACH,
    SHORTEST_NAME,
    Judged,
    ScoredMessages,
    find,
    is_touched,
    last_names,
    long_number,
    within,
)

_Floats = NDArray[np.float64]
# The risk of a message is rounded to steps of one in a thousand.
STEPS = 1000
_SURE = 1 - 1e-9
# Web addresses and long numbers may be everybody's; other identifiers of form tell of somebody.
_OF_FORM, _IN_DOUBT, _YOURS, _UNREAD, _MAY_BE_NAME = 1, 2, 3, 4, 5
# Writings without capitals, such as those of Chinese and Arabic, lie behind it: nothing was learnt
# of their words, so that they are read where no list holds them.
_LAST_CASED = "\u058f"


class Finds(IntEnum):
    """The surest find of a message."""

    NOTHING = 0
    IN_DOUBT = 1
    SURE = 2


@dataclass(frozen=True)
class Coverage:
    """The surest find of each message, a number of `Finds`, and its risk."""

    found: NDArray[np.int8]
    risk: _Floats


def coverage(labelled: LabelledMessages, scored: ScoredWords) -> Coverage:
    """Return what is found, and the risk: the probability that more stays than is found."""
    words, evidence = labelled.words, probability(scored.log_odds)
    kind = labelled.of_form(_kind_by(labelled.lexicon.yours))[words.form]
    is_replaced = (evidence >= CERTAIN_FROM) | ((kind > 0) & (kind < _YOURS))
    # What is on the user's own list is not released because the model doubts it.
    stays = np.where((kind == _YOURS) & ~is_replaced, 1.0, np.where(is_replaced, 0.0, evidence))
    stays[(kind == _UNREAD) & ~is_replaced] = CERTAIN_FROM
    for at in np.flatnonzero((kind == _MAY_BE_NAME) & (evidence < SUSPECT_FROM)).tolist():
        text, start = labelled.messages[words.message[at]], int(words.start[at])
        end = start + len(labelled.labels[words.form[at]].text)
        if _stands_as_name(text, start, end, labelled.lexicon.pack):
            stays[at] = CERTAIN_FROM
    is_found = is_replaced | (kind == _YOURS)
    found = np.zeros(words.n_messages, dtype=np.int8)
    found[words.message[is_found]] = Finds.IN_DOUBT
    found[words.message[kind == _OF_FORM]] = Finds.SURE
    known = KnownWords(labelled.lexicon)
    begins = labelled.of_form(_begins_address(labelled.lexicon))[words.form]
    with_street = {*words.message[begins > 1].tolist()}
    for at in np.unique(words.message[(begins > 0) & (found[words.message] == 0)]).tolist():
        text = labelled.messages[at]
        if addresses(text, known) or (at in with_street and names_street(text, known)):
            found[at] = Finds.IN_DOUBT
    risk = _risk(stays, labelled)
    # Last names beside a name are replaced with it; most messages hold none.
    asked = ((found > 0) & (risk > 0))[words.message]
    beside = last_names(labelled, np.where(asked, evidence, 0.0))
    stays[within(beside)] = 0.0
    return Coverage(found, _risk(stays, labelled) if beside else risk)


@cache
def _begins_address(lexicon: Lexicon) -> Callable[[LabelledWord], int]:
    known = KnownWords(lexicon)
    return lambda word: may_begin(word.text, known)


def _risk(stays: _Floats, labelled: LabelledMessages) -> _Floats:
    words = labelled.words
    none = np.bincount(words.message, np.log1p(-np.minimum(stays, _SURE)), words.n_messages)
    risk: _Floats = np.rint((1 - np.exp(none)) * STEPS) / STEPS
    return risk


@cache
def _kind_by(yours: int) -> Callable[[LabelledWord], int]:

    def kind(word: LabelledWord) -> int:
        if word.kind.is_identifier:
            return _IN_DOUBT if word.kind is Kind.URL else _OF_FORM
        if long_number(word) is not None:
            return _IN_DOUBT
        is_written_apart = word.text[0] > _LAST_CASED and word.text.lower() == word.text.upper()
        if is_written_apart and word.kind is Kind.WORD and not word.lists:
            return _UNREAD
        if word.label is Label.DICTIONARY and word.lists & yours:
            return _YOURS
        is_long = word.kind is Kind.WORD and len(word.text) >= SHORTEST_NAME
        may_be = word.text.isalpha() and word.label in (Label.DICTIONARY, Label.UNKNOWN)
        return _MAY_BE_NAME * (is_long and may_be)

    return kind


def _stands_as_name(text: str, start: int, end: int, pack: Pack) -> bool:
    """Return whether a word stands where names do: *chez …*, *bises, …*, *… m'a dit*."""
    (before, behind), first = _beside_names(pack), max(0, start - REACH)
    if before.search(text, first, start):
        return True
    # A word alone is rather a cry.
    rest = text[end : end + REACH] if _BEGINS.search(text, first, start) else ""
    return bool(rest.strip(" ?!.") and behind.match(folded(rest)))


_BEGINS = re.compile(r"(?:\A|[.!?\n] ?)\Z")


@cache
def _beside_names(pack: Pack) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what stands before a name, and behind one that begins a sentence."""
    given = pack.signatures
    greeting = rf"(?:\A|[.!?\n] ?)(?:{given.greetings}),? (?:{given.introductions} ?)?"
    before = rf"(?<!\w)(?:{given.farewells}|{any_of(given.announcing)})(?:,? |['’] ?)"
    return re.compile(rf"(?i)(?:{greeting}|{before})\Z"), re.compile(any_of(given.behind_names))


def standing(
    scored: ScoredMessages, marked: Sequence[Sequence[tuple[int, int, str]]]
) -> NDArray[np.bool_]:
    """Return which messages keep a marked identifier, where what is certain is replaced."""
    # Nothing is to be found in messages without marks.
    judged = [Judged(Action.NTA, by_people=not spans) for spans in marked]
    found = find(scored, judged, Ambiguous.KEEP)
    stands = [
        any(span[0] < span[1] and not is_touched(span, one.identifiers) for span in spans)
        for spans, one in zip(marked, found, strict=True)
    ]
    return np.array(stands, dtype=np.bool_)


def covered(
    labelled: LabelledMessages,
    senders: Sequence[str],
    words: ScoredWords,
    marked: Sequence[Sequence[tuple[int, int, str]]],
) -> Covered:
    """Return what learning tells policies of its messages (`triage.model.learn.Cover`)."""
    there = coverage(labelled, words)
    return there.found, there.risk, standing(ScoredMessages(labelled, senders, words), marked)
