"""What the guarded policy promises: bounds of leak and precision, by how names are written."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from triage.decide.promise import Promise, promise, promise_lines, shares_of_ways
from triage.errors import TriageError
from triage.model.learnt import HeldOut

# So many messages tell of the leak what one tells that was drawn by itself.
DESIGN_EFFECT = 1.5
NINE = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
PROMISE = Promise(
    low=0.3, high=0.8, asked=0.01, leak=0.01, n_ta=500, workload=0.1, names_with_capitals=0.41
)


def held_out(ta: Sequence[float], nta: Sequence[float] = ()) -> HeldOut:
    is_ta = np.array([True] * len(ta) + [False] * len(nta), dtype=bool)
    return HeldOut(np.array([*ta, *nta], dtype=float), is_ta)


def of_any_score(ta: Sequence[float]) -> HeldOut:
    """Return TA messages beside as many NTA messages of higher scores: none is surely TA."""
    return held_out(ta, [1.0] * len(ta))


# The lower threshold


def upper_bound(n_missed: int, n: int) -> float:
    """Return the largest leak that would show so few missed messages in one of twenty cases."""
    interval = binomtest(n_missed, n, alternative="less").proportion_ci(0.95, "exact")
    return float(interval.high)


@pytest.mark.parametrize(
    ("n", "max_leak", "n_missed"),
    [(44, 0.1, 0), (68, 0.1, 0), (69, 0.1, 1), (150, 0.1, 6), (1500, 0.01, 6), (14, 0.6, 3)],
)
def test_as_many_ta_messages_are_missed_as_the_bound_of_the_leak_allows(
    n: int, max_leak: float, n_missed: int
) -> None:
    scores = np.linspace(0.1, 0.9, n)
    low = promise(of_any_score(scores.tolist()), max_leak, 0.95).low
    assert (scores < low).sum() == n_missed
    drawn = int(n / DESIGN_EFFECT)
    most, more = int(n_missed / DESIGN_EFFECT), math.ceil((n_missed + 1) / DESIGN_EFFECT)
    assert upper_bound(most, drawn) <= max_leak < upper_bound(more, drawn)


def test_in_nineteen_of_twenty_cases_the_leak_is_within_the_bound() -> None:
    # Of scores drawn evenly from 0 to 1, the share below a threshold is the threshold. A third of
    # them are of senders who write each message twice: a design effect of 1.5.
    draws = np.random.default_rng(0).random((2_000, 99))
    draws = np.hstack([draws, draws[:, :33]])
    leaks = np.array([promise(of_any_score(scores), 0.1, 0.95).low for scores in draws.tolist()])
    assert 0.01 < (leaks > 0.1).mean() < 0.05 + 0.01


def test_where_there_are_too_few_ta_messages_the_least_that_can_be_is_promised() -> None:
    promised = promise(held_out(NINE), 0.01, 0.95)
    assert (promised.low, promised.asked) == (0.1, 0.01)
    assert promised.leak == pytest.approx(upper_bound(0, 6))
    assert not promised.is_kept


@pytest.mark.parametrize("nta", [[], [0.1, 0.9]])
def test_without_a_held_out_ta_message_nothing_can_be_promised(nta: list[float]) -> None:
    with pytest.raises(TriageError, match=r"no held-out messages .* or use --policy agreement"):
        promise(held_out([], nta), 0.1, 0.95)


# Few values, so that there are ties.
SCORES = st.floats(0, 1).map(lambda score: round(score, 2))
SHARES = st.floats(0.001, 0.999)


@given(scores=st.lists(SCORES, min_size=2, max_size=40), max_leak=SHARES)
def test_of_exchangeable_messages_a_new_one_leaks_within_the_promise_on_average(
    scores: list[float], max_leak: float
) -> None:
    leaks, promised = 0, Promise(0, 0, 0, 0, 0)
    for i, score in enumerate(scores):
        promised = promise(held_out(scores[:i] + scores[i + 1 :]), max_leak, 0.95)
        leaks += score < promised.low
    assert leaks / len(scores) <= promised.leak + 1e-9


# The higher threshold


def test_from_the_higher_threshold_on_messages_are_surely_ta_often_enough() -> None:
    # 3 of 23 may be up to 30.4 % with a confidence of 95 %, none of 10 up to 25.9 %.
    ta, nta = [0.9] * 10 + [0.7] * 10, [0.8] * 3 + [0.1]
    assert promise(held_out(ta, nta), 0.3, 0.69).high == 0.7
    assert promise(held_out(ta, nta), 0.3, 0.71).high == 0.9
    assert promise(held_out(ta, nta), 0.3, 0.71).is_precise


@given(ta=st.lists(SCORES, min_size=1), nta=st.lists(SCORES), min_precision=SHARES)
def test_the_higher_threshold_is_the_lowest_that_is_surely_or_else_precise_enough(
    ta: list[float], nta: list[float], min_precision: float
) -> None:
    found = held_out(ta, nta)
    promised = promise(found, 0.1, min_precision)
    above = {score: found.is_ta[found.score >= score] for score in found.score.tolist()}
    precise = [score for score, is_ta in above.items() if is_ta.mean() >= min_precision]
    sure = [
        score
        for score in precise
        if upper_bound(int((~above[score]).sum()), len(above[score])) <= 1 - min_precision
    ]
    assert promised.high == min(sure or precise, default=2.0)
    assert promised.is_precise is bool(sure)


def test_the_workload_is_the_share_of_the_held_out_messages_between_the_thresholds() -> None:
    promised = promise(held_out([0.6] * 30, [0.7] * 20 + [0.3] * 50), 0.1, 0.95)
    assert (promised.low, promised.high, promised.workload) == (0.6, 2.0, 0.5)


# How the file writes names


WRITTEN = HeldOut(
    np.array([0.9] * 100 + [0.5] * 100),
    np.array([True] * 100 + [False] * 100),
    rewritten=(
        np.array([0.2] * 50 + [0.7] * 50 + [0.5] * 100),
        np.array([0.6] * 50 + [0.8] * 50 + [0.5] * 100),
    ),
    names_with_capitals=(0.8, 0.0, 0.4),
)


@pytest.mark.parametrize(
    ("here", "low"), [(None, 0.9), (1.0, 0.9), (0.8, 0.9), (0.4, 0.6), (0.0, 0.2)]
)
def test_bounds_are_those_of_messages_that_write_names_alike(
    here: float | None, low: float
) -> None:
    assert promise(WRITTEN, 0.01, 0.5, here).low == min(low, 0.9)


def test_between_two_ways_of_writing_both_count() -> None:
    halfway = promise(WRITTEN, 0.01, 0.5, 0.2)
    assert halfway.low == 0.2
    assert halfway.names_with_capitals == 0.2
    nearly_none = promise(WRITTEN, 0.5, 0.5, 0.02)
    nearly_half = promise(WRITTEN, 0.5, 0.5, 0.38)
    assert nearly_none.low < nearly_half.low


@given(here=st.floats(0, 1), ways=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_ways_of_writing_share_one_file_between_them(here: float, ways: list[float]) -> None:
    shares = shares_of_ways(ways, here)
    assert shares.sum() == pytest.approx(1)
    assert (shares > 0).sum() <= 2
    if min(ways) <= here <= max(ways):
        assert float(shares @ ways) == pytest.approx(here)


# What is said


def test_leak_precision_and_workload_are_said_first() -> None:
    assert promise_lines(PROMISE) == [
        "Leak at most 1.00%, precision of TA at least 95.0%, workload some 10.0%.",
        "The bounds hold with 95% confidence for messages like those that the model was learnt "
        "from, of which 500 TA messages were held out. Here 41% of the first names inside "
        "sentences have a capital; the bounds are those of messages written so.",
        "NTA below a score of 0.3000, TA from 0.8000.",
    ]


def test_without_a_corpus_the_lines_warn_of_names_without_capitals() -> None:
    told = promise_lines(replace(PROMISE, names_with_capitals=None))[1]
    assert told.endswith("Where names are written with fewer capitals than there, more leak.")


def test_what_cannot_be_promised_is_said() -> None:
    promised = replace(PROMISE, asked=0.001, leak=1 / 501, is_precise=False)
    first, *others = promise_lines(promised)
    assert first.startswith("Leak at most 0.20%, precision")
    assert others[:2] == [
        "A leak of 0.10% cannot be promised on 500 held-out TA messages: "
        "label more, or accept what can be.",
        "A precision of 95.0% cannot be promised: it is that of the held-out messages.",
    ]
    lines = promise_lines(replace(PROMISE, high=2.0, is_precise=False))
    assert lines[1] == "No score gives a precision of 95.0%: TA never."
    assert lines[-1] == "NTA below a score of 0.3000, TA never."
