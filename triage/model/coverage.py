"""Tell what is found in messages, and the risk that an identifier stands beside what is found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord
from triage.features.word_evidence import probability

from ..settings import Ambiguous
from ..vocabulary import CERTAIN_FROM, Action
from .find import Judged, ScoredMessages, find, is_touched, long_number
from .full_names import last_names, within

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

# The risk of a message is rounded to steps of one in a thousand.
STEPS = 1000
_SURE = 1 - 1e-9
# Web addresses may be everybody's; other identifiers of form tell of somebody.
_OF_FORM, _ADDRESS, _NUMBER, _YOURS = 1, 2, 3, 4


class Finds(IntEnum):
    """The surest find of a message."""

    NOTHING = 0
    IN_DOUBT = 1
    SURE = 2


@dataclass(frozen=True)
class Coverage:
    """What is found in messages, as of `Finds`, and the risk of each."""

    found: NDArray[np.int8]
    risk: _Floats


def coverage(scored: ScoredMessages) -> Coverage | None:
    """Return what is found, and the risk that more stands; None where no words are weighed.

    The risk is the probability that one of the words that stay is an identifier.
    """
    if scored.words is None:
        return None
    words, evidence = scored.labelled.words, probability(scored.words.log_odds)
    kind = scored.labelled.of_form(_kind_by(scored.labelled.lexicon.yours))[words.form]
    is_replaced = (evidence >= CERTAIN_FROM) | ((kind > 0) & (kind != _YOURS))
    # What is on the user's own list is not released because the model doubts it.
    stays = np.where((kind == _YOURS) & ~is_replaced, 1.0, np.where(is_replaced, 0.0, evidence))
    is_found = (is_replaced & (kind != _NUMBER)) | (kind == _YOURS)
    found = np.zeros(words.n_messages, dtype=np.int8)
    found[words.message[is_found]] = Finds.IN_DOUBT
    found[words.message[kind == _OF_FORM]] = Finds.SURE
    risk = _risk(stays, scored.labelled)
    # Last names beside a name are replaced with it; most messages hold none.
    asked = ((found > 0) & (risk > 0))[words.message]
    beside = last_names(scored.labelled, np.where(asked, evidence, 0.0))
    stays[within(beside)] = 0.0
    return Coverage(found, _risk(stays, scored.labelled) if beside else risk)


def _risk(stays: _Floats, labelled: LabelledMessages) -> _Floats:
    words = labelled.words
    none = np.bincount(words.message, np.log1p(-np.minimum(stays, _SURE)), words.n_messages)
    risk: _Floats = np.rint((1 - np.exp(none)) * STEPS) / STEPS
    return risk


@cache
def _kind_by(yours: int) -> Callable[[LabelledWord], int]:

    def kind(word: LabelledWord) -> int:
        if word.kind.is_identifier:
            return _ADDRESS if word.kind is Kind.URL else _OF_FORM
        if long_number(word) is not None:
            return _NUMBER
        return _YOURS * (word.label is Label.DICTIONARY and bool(word.lists & yours))

    return kind


def standing(scored: ScoredMessages, marked: Sequence[Sequence[tuple[int, int, str]]]) -> _Mask:
    """Return which messages keep a marked identifier, where what is certain is replaced."""
    # Nothing is to be found in messages without marks.
    judged = [Judged(Action.NTA, by_people=not spans) for spans in marked]
    found = find(scored, judged, Ambiguous.KEEP)
    return np.array(
        [
            any(
                start < end and not is_touched((start, end, kind), one.identifiers)
                for start, end, kind in spans
            )
            for spans, one in zip(marked, found, strict=True)
        ],
        dtype=np.bool_,
    )
