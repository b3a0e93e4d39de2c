"""Measure what is found in each message and the risk that an identifier stays, for policies."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from triage.data.chats import are_of_nobody
from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, Lexicon
from triage.dictionaries.labelling import PLACE
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.dictionaries.normal import fold
from triage.features.word_evidence import ScoredWords, probability

from ..model.learnt import Covered
from ..settings import Ambiguous
from ..vocabulary import CERTAIN_FROM, SUSPECT_FROM, Action
from . import find

_Floats = NDArray[np.float64]
# The risk of a message is rounded to steps of one in a thousand.
STEPS = 1000
_SURE = 1 - 1e-9
# Web addresses and long numbers may be everybody's; other identifiers of form tell of somebody.
_OF_FORM, _IN_DOUBT, _YOURS, _UNREAD, _MAY_BE_NAME, _MAY_OWN = 1, 2, 3, 4, 5, 6
# Rules that read some last names as words: *quemener* as *que mener*.
_GUESSES = ("concatenation", "two_words", "misspelling", "parts")
# *lolo34*, *k-mille*.
_LIKE_A_NAME = re.compile(r"[^\W\d_]+(?:[\d-][\w-]*)?")
_INITIALS = re.compile("[A-Z]{2}|[a-z]{2}")
_NO_WORDS = (Label.DICTIONARY, Label.UNKNOWN)
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
    kind = labelled.of_form(_kind_by(labelled.lexicon)).take(words.form)
    is_replaced = (evidence >= CERTAIN_FROM) | ((kind > 0) & (kind < _YOURS))
    # What is on the user's own list is not released because the model doubts it.
    stays = np.where((kind == _YOURS) & ~is_replaced, 1.0, np.where(is_replaced, 0.0, evidence))
    stays[(kind == _UNREAD) & ~is_replaced] = CERTAIN_FROM
    near = find.Neighbours(labelled)
    for its, stands in ((_MAY_BE_NAME, near.stands_as_name), (_MAY_OWN, near.owns)):
        may_be = np.flatnonzero((kind == its) & (evidence < SUSPECT_FROM)).tolist()
        stays[[at for at in may_be if stands(at)]] = CERTAIN_FROM
    of_nobody = np.array(are_of_nobody(labelled.messages), dtype=np.bool_)
    stays[of_nobody.take(words.message)] = 0.0
    is_found = is_replaced | (kind == _YOURS)
    found = np.zeros(words.n_messages, dtype=np.int8)
    found[words.message[is_found]] = Finds.IN_DOUBT
    found[words.message[kind == _OF_FORM]] = Finds.SURE
    told = find.Addressed(labelled)
    asked = np.flatnonzero((found == Finds.NOTHING) & told.may_be).tolist()
    found[[at for at in asked if told.addresses(at) or told.names_street(at)]] = Finds.IN_DOUBT
    found[of_nobody] = Finds.NOTHING
    risk = _risk(stays, labelled)
    # Last names beside a name are replaced with it; most messages hold none.
    with_name = ((found > 0) & (risk > 0)).take(words.message)
    beside = near.last_names(np.where(with_name, evidence, 0.0))
    for one in beside:
        stays[one.first : one.last + 1] = 0.0
    return Coverage(found, _risk(stays, labelled) if beside else risk)


def _risk(stays: _Floats, labelled: LabelledMessages) -> _Floats:
    words = labelled.words
    none = np.bincount(words.message, np.log1p(-np.minimum(stays, _SURE)), words.n_messages)
    risk: _Floats = np.rint((1 - np.exp(none)) * STEPS) / STEPS
    return risk


@cache
def _kind_by(lexicon: Lexicon) -> Callable[[LabelledWord], int]:
    names, written_forms = lexicon.bits(*PERSON_NAMES), lexicon.bits("inflected_forms")
    clitics, given = lexicon.pack.spelling.clitics, lexicon.pack.signatures
    no_names, possessive = given.no_names, given.possessive

    def kind(word: LabelledWord) -> int:
        if word.kind.is_identifier:
            return _IN_DOUBT if word.kind is Kind.URL else _OF_FORM
        if find.long_number(word) is not None or word.rule == PLACE:
            return _IN_DOUBT
        is_written_apart = word.text[0] > _LAST_CASED and word.text.lower() == word.text.upper()
        if is_written_apart and word.kind is Kind.WORD and not word.lists:
            return _UNREAD
        if word.label is Label.DICTIONARY and word.lists & lexicon.yours:
            return _YOURS
        is_long = word.kind is Kind.WORD and len(word.text) >= find.SHORTEST_NAME
        is_name = word.label is Label.AMBIGUOUS and word.lists & names
        # *Peux-tu* is a verb.
        is_guess = word.rule in _GUESSES and word.text.rpartition("-")[2] not in clitics
        may_be = is_name or is_guess or word.label in _NO_WORDS
        is_new = word.text.isupper() or word.label is Label.UNKNOWN
        if _INITIALS.fullmatch(word.text) and is_new and not word.lists & written_forms:
            return _MAY_BE_NAME if word.text.lower() not in no_names else 0
        if is_long and may_be and _LIKE_A_NAME.fullmatch(word.text):
            return _MAY_BE_NAME
        if not (possessive and word.text.endswith(possessive)):
            return 0
        stem = fold(word.text.removesuffix(possessive))
        return _MAY_OWN if (lexicon.exact.get(stem) | lexicon.folded.get(stem)) & names else 0

    return kind


def standing(
    scored: find.ScoredMessages, marked: Sequence[Sequence[tuple[int, int, str]]]
) -> NDArray[np.bool_]:
    """Return which messages keep a marked identifier, where what is certain is replaced."""
    # Nothing is to be found in messages without marks.
    judged = [find.Judged(Action.NTA, by_people=not spans) for spans in marked]
    stands = [
        any(span[0] < span[1] and not find.is_touched(span, one.identifiers) for span in spans)
        for spans, one in zip(marked, find.find(scored, judged, Ambiguous.KEEP), strict=True)
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
    return there.found, there.risk, standing(find.ScoredMessages(labelled, senders, words), marked)
