"""From two votes and a score to an action: the paper's table, or a policy with a promise.

``agreement`` is the paper's Table 2. ``guarded`` keeps residue, leak and precision within bounds by
thresholds on score and risk, chosen on messages that were held out; the risk of a message is the
probability that it keeps an identifier (`coverage`). Names without capitals are found less surely,
so that thresholds depend on how the file writes names. The bound on precision is that of Clopper
and Pearson (Biometrika 26, 1934).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from triage.data.chats import are_of_nobody
from triage.dictionaries import Kind, Label, LabelledMessages, LabelledWord, Lexicon
from triage.dictionaries.labelling import PLACE as BY_PLACE
from triage.dictionaries.lexicon import PERSON_NAMES
from triage.dictionaries.normal import fold
from triage.features.messages import noisy_or
from triage.features.word_evidence import ScoredWords
from triage.reports.measures import most_successes, share_by_group

from ..errors import TriageError
from ..model.learnt import Covered, HeldOut
from ..settings import Ambiguous, Policy
from ..vocabulary import CERTAIN_FROM, SUSPECT_FROM, Action, Prediction, Verdict
from . import find

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
# The risk of a message is rounded to steps of one in a thousand.
STEPS = 1000
# Web addresses and long numbers may be everybody's; other identifiers of form tell of somebody.
_OF_FORM, _IN_DOUBT, _YOURS, _UNREAD, _MAY_BE_NAME, _MAY_OWN = 1, 2, 3, 4, 5, 6
# Rules that read some last names as words: *quemener* as *que mener*.
_GUESSES = ("concatenation", "two_words", "misspelling", "parts")
# *lolo34*, *k-mille*.
_LIKE_A_NAME = re.compile(r"[^\W\d_]+(?:[\d-][\w-]*)?")
_INITIALS = re.compile("[A-Z]{2}|[a-z]{2}")
# Writings without capitals, such as those of Chinese and Arabic, lie behind it: nothing was learnt
# of their words, so that they are read where no list holds them.
_LAST_CASED = "\u058f"


class Finds(IntEnum):
    """The surest find of a message."""

    NOTHING = 0
    IN_DOUBT = 1
    SURE = 2


class Coverage(NamedTuple):
    """The surest find of each message, a number of `Finds`, and its risk."""

    found: NDArray[np.int8]
    risk: _Floats


def coverage(labelled: LabelledMessages, scored: ScoredWords) -> Coverage:
    """Return the surest finds, and the risk: the probability that more stays than is found."""
    words, evidence = labelled.words, find.evidence_of(labelled, scored)
    kind = labelled.of_form(_kind_by(labelled.lexicon)).take(words.form)
    is_replaced = (evidence >= CERTAIN_FROM) | ((kind > 0) & (kind < _YOURS))
    # What is on the user's own list is not released because the model doubts it.
    stays = np.where((kind == _YOURS) & ~is_replaced, 1.0, np.where(is_replaced, 0.0, evidence))
    stays[(kind == _UNREAD) & ~is_replaced] = CERTAIN_FROM
    near = find.Neighbours(labelled)
    for code, reads_so in ((_MAY_BE_NAME, near.stands_as_name), (_MAY_OWN, near.stands_as_owner)):
        may_be = np.flatnonzero((kind == code) & (evidence < SUSPECT_FROM)).tolist()
        stays[[i for i in may_be if reads_so(i)]] = CERTAIN_FROM
    stays[near.first_names(evidence)] = 0.0
    of_nobody = np.array(are_of_nobody(labelled.messages), dtype=np.bool_)
    stays[of_nobody.take(words.message)] = 0.0
    is_found = is_replaced | (kind == _YOURS)
    found = np.zeros(words.n_messages, dtype=np.int8)
    found[words.message[is_found]] = Finds.IN_DOUBT
    found[words.message[kind == _OF_FORM]] = Finds.SURE
    finder = find.Addressed(labelled)
    candidates = np.flatnonzero((found == Finds.NOTHING) & finder.may_be).tolist()
    found[[i for i in candidates if finder.addresses(i) or finder.streets(i)]] = Finds.IN_DOUBT
    found[of_nobody] = Finds.NOTHING
    # Last names beside a name are replaced with it.
    has_name = (found > 0).take(words.message)
    for first, last, _ in near.last_names(np.where(has_name, evidence, 0.0)):
        stays[first : last + 1] = 0.0
    return Coverage(found, np.rint(noisy_or(words, stays) * STEPS) / STEPS)


@cache
def _kind_by(lexicon: Lexicon) -> Callable[[LabelledWord], int]:
    names, written_forms = lexicon.bits(*PERSON_NAMES), lexicon.bits("inflected_forms")
    clitics, settings = lexicon.pack.spelling.clitics, lexicon.pack.signatures
    no_names, possessive = settings.no_names, settings.possessive

    def kind(word: LabelledWord) -> int:
        if word.kind.is_identifier:
            return _IN_DOUBT if word.kind is Kind.URL else _OF_FORM
        if find.long_number(word) is not None or word.rule == BY_PLACE:
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
        may_be = is_name or is_guess or word.label in (Label.DICTIONARY, Label.UNKNOWN)
        is_new = word.text.isupper() or word.label is Label.UNKNOWN
        if _INITIALS.fullmatch(word.text) and is_new and not word.lists & written_forms:
            return _MAY_BE_NAME if word.text.lower() not in no_names else 0
        if is_long and may_be and _LIKE_A_NAME.fullmatch(word.text):
            return _MAY_BE_NAME
        if not (possessive and word.text.endswith(possessive)):
            return 0
        stem = fold(word.text.removesuffix(possessive))
        return _MAY_OWN if lexicon.lists_of(stem) & names else 0

    return kind


def standing(
    scored: find.ScoredMessages, marked: Sequence[Sequence[tuple[int, int, str]]]
) -> NDArray[np.bool_]:
    """Return the messages that keep a marked identifier once certain ones are replaced."""
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
    """Return finds, risk and marks that stay, for learning (`triage.model.learn.Cover`)."""
    stands = standing(find.ScoredMessages(labelled, senders, words), marked)
    return *coverage(labelled, words), stands


Cell = tuple[str, str, str]
"""A verdict of Seek&Hide, a vote of the model and an action."""
TABLE = {
    (Verdict.TA, Prediction.TA): Action.TA,
    (Verdict.TA, Prediction.NTA): Action.EXPERT,
    (Verdict.NTA, Prediction.TA): Action.EXPERT,
    (Verdict.NTA, Prediction.NTA): Action.NTA,
    (Verdict.UNTAGGED, Prediction.TA): Action.TA,
    (Verdict.UNTAGGED, Prediction.NTA): Action.NTA,
}
PLACE = {action: place for place, action in enumerate(Action)}
CONFIDENCE = 0.95
_NEVER = 2.0
RESIDUES = (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.01)
LEAKS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
# Seconds that a person takes for a message, where it was not measured.
SECONDS_PER_MESSAGE = 6.0
_SCORES = 10_000
# In fewer messages most words stand once.
_SMALL = 1_000
# Shares of messages add up to whole numbers but for rounding.
_ROUNDING = 1e-6
_BORROWED = (
    "Nothing is promised: the weights were learnt from messages in another language. Learn others "
    "with triage train, and measure them with triage evaluate."
)


@dataclass(frozen=True)
class Measured:
    """A share of the held-out messages, with its interval of 95 %."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Promise:
    """Thresholds and what they promise.

    A message is TA from the score `high` on. People read those whose risk is `risk_from` or more,
    and those whose score is `low` or more but under `high`.
    """

    high: float
    low: float = _NEVER
    risk_from: float = _NEVER
    min_precision: float = 0.95
    is_precise: bool = True
    max_residue: float | None = None
    residue: Measured | None = None
    max_leak: float | None = None
    leak: Measured | None = None
    workload: float = 0.0
    n_messages: int = 0
    n_ta: int = 0
    names_with_capitals: float | None = None
    n_here: int | None = None
    # The model was learnt from messages in another language.
    is_borrowed: bool = False

    @property
    def is_kept(self) -> bool:
        """Return whether the residue that was asked for can be had."""
        return not self.residue or self.residue.share <= (self.max_residue or 0.0)


def actions(seek_hide: Iterable[Verdict], model: Iterable[Prediction]) -> list[Action]:
    """Return the action for each message by the agreement table."""
    return [TABLE[votes] for votes in zip(seek_hide, model, strict=True)]


def act(
    promise: Promise | None,
    seek_hide: Sequence[Verdict],
    model: Sequence[Prediction],
    score: _Floats,
    by_form: _Mask,
    covered: Coverage | None = None,
) -> list[Action]:
    """Return the action for each message; `by_form`: it holds an identifier of form."""
    if promise is not None:
        all_actions = [*Action]
        return [all_actions[one] for one in guarded(promise, score, by_form, covered).tolist()]
    # Seek&Hide says TA of such a message, but in its strict reading it may say nothing.
    votes = zip(actions(seek_hide, model), by_form.tolist(), strict=True)
    return [Action.EXPERT if form and one is Action.NTA else one for one, form in votes]


def guarded(
    promise: Promise, score: _Floats, by_form: _Mask, covered: Coverage | None
) -> NDArray[np.int64]:
    """Return the guarded policy's action for each message, as its place in `Action`."""
    is_ta = score >= promise.high
    if covered is None:
        asks = ~is_ta & (by_form | (score >= promise.low))
    else:
        # Score and finds must say the same, but for forms that are sure.
        is_ta |= covered.found == Finds.SURE
        asks = (is_ta != (covered.found > 0)) | (covered.risk >= promise.risk_from)
        asks |= ~is_ta & (score >= promise.low)
    return np.select([asks, is_ta], [PLACE[Action.EXPERT], PLACE[Action.TA]], PLACE[Action.NTA])


class Thresholds:
    """Held-out messages, in the ways of writing between which a file lies."""

    def __init__(
        self, held_out: HeldOut, min_precision: float, names_with_capitals: float | None = None
    ) -> None:
        self._n_ta, n = int(held_out.is_ta.sum()), len(held_out.is_ta)
        if not self._n_ta:
            raise TriageError(
                "the model has no held-out messages to promise anything on: it was learnt from too "
                "few; train it on more, or use --policy agreement"
            )
        self.measures_residue = held_out.covered is not None
        ways = _shares_of_ways(np.array(held_out.names_with_capitals), names_with_capitals)
        used, none = np.flatnonzero(ways), np.zeros((len(ways), n))
        # The likeliest first; each counts by the share of its way of writing.
        score = held_out.score[used].ravel()
        order = np.argsort(-score, kind="stable")
        group = held_out.group if len(held_out.group) else np.arange(n)
        found, risk, stands = held_out.covered or (none.astype(np.int8), none, none > 0)
        self._score, self._share = score[order], np.repeat(ways[used], n)[order]
        self._is_ta = np.tile(held_out.is_ta, len(used))[order]
        self._group = np.tile(group, len(used))[order]
        covered = Coverage(found[used].ravel()[order], risk[used].ravel()[order])
        self._covered = covered if self.measures_residue else None
        self._stands, self._has_form = stands[used].ravel()[order], np.zeros(len(order), np.bool_)
        high, is_precise = self._precise_from(min_precision)
        # Without bounds on residue and leak.
        promise = Promise(high, min_precision=min_precision, is_precise=is_precise)
        promise = replace(promise, n_messages=n, n_ta=self._n_ta)
        self._none = replace(promise, names_with_capitals=names_with_capitals)
        self._actions = guarded(self._none, self._score, self._has_form, self._covered)

    def _precise_from(self, min_precision: float) -> tuple[float, bool]:
        """Return the lowest score from which on messages are TA often enough, and if surely so."""
        n, bound = np.cumsum(self._share), 1 - min_precision
        wrong = np.cumsum(self._share * ~self._is_ta)
        # Messages of one score stand or fall together.
        is_last = np.append(self._score[1:] != self._score[:-1], True)[: len(n)]
        enough = np.flatnonzero(is_last & (wrong <= bound * n + _ROUNDING))
        for row in enough[::-1].tolist():
            trials = int(n[row] + _ROUNDING)
            # So few wrong ones put their share under the bound.
            if wrong[row] <= most_successes(trials, bound, CONFIDENCE) + _ROUNDING:
                return float(self._score[row]), True
        return (float(self._score[enough[-1]]) if len(enough) else _NEVER), False

    def promise(self, max_residue: float | None = None, max_leak: float | None = None) -> Promise:
        """Choose the thresholds of least workload that keep residue and leak within bounds."""
        if max_residue is None and max_leak is None:
            max_residue = Policy.usual_residue if self.measures_residue else None
            max_leak = None if self.measures_residue else Policy.usual_leak
        chosen = {} if max_residue is None else self._with_residue(max_residue)
        if max_leak is not None:
            # No more TA messages lie below the score than are allowed.
            is_open = self._actions == PLACE[Action.NTA]
            released = self._is_ta & is_open
            score, share = self._score[released][::-1], np.cumsum(self._share[released][::-1])
            place = int(np.searchsorted(share, max_leak * self._n_ta + _ROUNDING, side="right"))
            low = float(score[place]) if place < len(score) else self._none.high
            leak = self._measured(is_open & (self._score < low), self._is_ta)
            chosen |= {"max_leak": max_leak, "low": low, "leak": leak}
        promise = replace(self._none, **chosen)
        actions = guarded(promise, self._score, self._has_form, self._covered)
        reads = self._share[actions == PLACE[Action.EXPERT]]
        return replace(promise, workload=float(reads.sum() / self._share.sum()))

    def _with_residue(self, maximum: float) -> dict[str, Any]:
        """Return the highest risk below which no more messages keep an identifier than allowed."""
        if self._covered is None:
            raise TriageError(
                "the residue of this model was not measured: it was learnt without marked "
                "identifiers; learn from a column spans, or bound the leak with --max-leak"
            )
        is_open = self._actions != PLACE[Action.EXPERT]
        step = np.rint(self._covered.risk * STEPS).astype(np.int64)
        share, stands = self._share[is_open], self._stands[is_open]
        written = np.cumsum(np.bincount(step[is_open], share, STEPS + 1))
        kept = np.cumsum(np.bincount(step[is_open], share * stands, STEPS + 1))
        fits = np.flatnonzero(kept <= maximum * written + _ROUNDING)
        last_step = int(fits[-1]) if len(fits) else 0
        residue = self._measured(self._stands, is_open & (step <= last_step))
        return {"max_residue": maximum, "risk_from": (last_step + 1) / STEPS, "residue": residue}

    def _measured(self, happens: _Mask, among: _Mask) -> Measured:
        interval = share_by_group(happens[among], self._share[among], self._group[among])
        return Measured(interval.estimate, *interval.ends)


def _shares_of_ways(with_capitals: _Floats, file_share: float | None) -> _Floats:
    """Return how much each way of writing counts: those two between which a file lies."""
    shares, places = np.zeros(len(with_capitals)), np.arange(len(with_capitals))
    order = places if file_share is None else np.argsort(with_capitals, kind="stable")
    place = 0.0 if file_share is None else np.interp(file_share, with_capitals[order], places)
    shares[order] = np.maximum(0.0, 1 - np.abs(places - place))
    return shares


def promise_lines(promise: Promise) -> list[str]:
    """Say a promise in words, for people: first residue, leak, precision and workload."""
    scores = f"TA from a score of {promise.high:.4f}" if promise.high <= 1 else "TA never"
    scores += f", NTA below {promise.low:.4f}" if promise.low <= 1 else ""
    scores += f", read from a risk of {promise.risk_from:.3f}" if promise.risk_from <= 1 else ""
    if promise.is_borrowed:
        return [f"{_BORROWED} {scores}."]
    has_precision = promise.is_precise or promise.high <= 1
    precision = f"{promise.min_precision:.1%}"
    bounds = [
        f"{name} some {one.share:.2%} ({one.low:.2%} to {one.high:.2%}) of {of}"
        for name, one, of in (
            ("residue", promise.residue, "the messages written"),
            ("leak", promise.leak, "TA messages"),
        )
        if one
    ]
    at_least = "at least" if promise.is_precise else "on the held-out messages"
    bounds += [f"precision of TA {at_least} {precision}"] * has_precision
    first = ", ".join([*bounds, f"workload of a large file some {promise.workload:.1%}"])
    lines = [f"{first[0].upper()}{first[1:]}."]
    if not promise.is_kept:
        maximum = f"{promise.max_residue:.2%}"
        lines.append(f"A residue of {maximum} cannot be had by reading what is in doubt.")
    if not has_precision:
        lines.append(f"No score gives a precision of {precision}: TA never.")
    elif not promise.is_precise:
        lines.append("That precision is measured, not promised: the held-out messages are too few.")
    measured = (
        f"Measured out of fold on {promise.n_messages:,} messages, of which {promise.n_ta:,} are "
        f"TA; in brackets what is true with {CONFIDENCE:.0%} confidence of messages like them."
    )
    return [*lines, f"{measured} {_capitals_line(promise)}", f"{scores}."]


def _capitals_line(promise: Promise) -> str:
    """Say how the messages write names, on which the bounds depend."""
    if promise.names_with_capitals is None:
        return "Where names are written with fewer capitals than there, more leak."
    if promise.n_here and promise.n_here < _SMALL:
        return (
            f"This file is small ({promise.n_here:,}), so that its messages tell little of each "
            "other: more are read, and the share of names with capitals is a guess."
        )
    return (
        f"Here {promise.names_with_capitals:.0%} of the first names inside sentences have a "
        "capital; the bounds are those of messages written so."
    )


@dataclass(frozen=True)
class Workload:
    """The work that a bound leaves to people: `kept` is what can be promised of it.

    `expert` counts the messages that they read, `texts` the distinct ones of them, each of which is
    read once.
    """

    measure: str
    bound: float
    kept: float
    ta: int
    nta: int
    expert: int
    texts: int


def workloads(
    thresholds: Thresholds, score: _Floats, covered: Coverage, text: NDArray[np.int64]
) -> list[Workload]:
    """Count the actions that messages, with hashes of their texts, would have at other bounds."""
    score, none = np.rint(score * _SCORES) / _SCORES, np.zeros(len(score), dtype=np.bool_)
    bounds = [("residue", bound) for bound in RESIDUES if thresholds.measures_residue]
    counted = []
    for measure, bound in [*bounds, *(("leak", bound) for bound in LEAKS)]:
        promise = thresholds.promise(**{f"max_{measure}": bound})
        measured: Measured | None = getattr(promise, measure)
        chosen = guarded(promise, score, none, covered)
        ta, nta, expert = np.bincount(chosen, minlength=len(Action)).tolist()
        n_texts = len(np.unique(text[chosen == PLACE[Action.EXPERT]]))
        share = measured.share if measured else 0.0
        counted.append(Workload(measure, bound, share, ta, nta, expert, n_texts))
    return counted
