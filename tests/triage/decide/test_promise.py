"""The promise of the guarded policy: residue, leak and precision, by how names are written."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from triage.decide.policy import Measured, Promise, Thresholds, promise_lines, shares_of_ways
from triage.errors import TriageError
from triage.model.learnt import HeldOut

PROMISE = Promise(
    high=0.8,
    risk_from=0.024,
    max_residue=0.002,
    residue=Measured(0.0019, 0.0014, 0.0026),
    workload=0.1,
    n_messages=9000,
    n_ta=500,
    names_with_capitals=0.41,
    n_here=2000,
)


def held_out(ta: Sequence[float], nta: Sequence[float] = ()) -> HeldOut:
    is_ta = np.array([True] * len(ta) + [False] * len(nta), dtype=bool)
    return HeldOut(np.array([[*ta, *nta]], dtype=float), is_ta)


def covered(
    risk: Sequence[float], stands: Sequence[bool], group: Sequence[int] = (), score: float = 0.1
) -> HeldOut:
    """Return messages in which nothing is found, the first of them TA."""
    is_ta = np.arange(len(risk)) == 0
    columns = np.zeros((1, len(risk)), dtype=np.int8), np.array([risk]), np.array([stands])
    scores = np.full((1, len(risk)), score)
    return HeldOut(scores, is_ta, (1.0,), columns, np.array(group, dtype=np.int64))


# The residue


RISKS = st.integers(0, 50).map(lambda step: step / 1000)


@given(st.lists(st.tuples(RISKS, st.booleans()), min_size=2, max_size=60), st.floats(0.01, 0.9))
def test_people_read_from_the_highest_risk_below_which_the_residue_is_within_its_bound(
    messages: list[tuple[float, bool]], most: float
) -> None:
    risk, stands = (np.array(column) for column in zip(*messages, strict=True))
    promised = Thresholds(covered(risk.tolist(), stands.tolist()), 0.95).promise(most, None)
    written = stands[risk < promised.risk_from]
    assert promised.residue is not None
    assert promised.residue.share == pytest.approx(written.mean() if len(written) else 0.0)
    assert promised.is_kept is (promised.residue.share <= most)
    higher = sorted({one for one in risk.tolist() if one >= promised.risk_from})
    assert all(stands[risk <= one].mean() > most for one in higher)


def test_a_residue_that_no_reading_brings_about_is_said() -> None:
    promised = Thresholds(covered([0.0] * 10, [True] + [False] * 9), 0.95).promise(0.01, None)
    assert not promised.is_kept
    [_, said, *_] = promise_lines(promised)
    assert said == "A residue of 1.00% cannot be had by reading what is in doubt."


def test_a_model_without_marked_identifiers_bounds_the_leak() -> None:
    found = Thresholds(held_out([0.5] * 99, [0.1] * 99), 0.95)
    with pytest.raises(TriageError, match="learn from a column spans, or bound the leak"):
        found.promise(0.002, None)
    assert found.promise(None, None).max_leak == 0.02


def test_messages_of_one_sender_say_less_than_as_many_of_several() -> None:
    stands = ([True] * 4 + [False] * 36) * 5
    alone = covered([0.0] * 200, stands, group=range(200))
    alike = covered([0.0] * 200, stands, group=[i // 4 for i in range(200)])
    (one, several) = (Thresholds(of, 0.95).promise(0.5, None).residue for of in (alike, alone))
    assert one is not None
    assert several is not None
    assert one.share == several.share
    assert one.high - one.low > 1.2 * (several.high - several.low)


# The leak


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60).map(np.array), st.floats(0.001, 0.999))
def test_as_many_ta_messages_are_released_as_may_leak(steps: np.ndarray, most: float) -> None:
    scores = (steps / 20).tolist()
    # As many NTA messages of higher scores: none is surely TA.
    promised = Thresholds(held_out(scores, [1.5] * len(scores)), 0.95).promise(None, most)
    released = sum(score < promised.low for score in scores)
    assert promised.leak is not None
    assert promised.leak.share == pytest.approx(released / len(scores))
    assert released <= most * len(scores) + 1e-6
    next_ = sum(score <= promised.low for score in scores)
    assert next_ > most * len(scores) or promised.low >= promised.high


@pytest.mark.parametrize("nta", [[], [0.1, 0.9]])
def test_without_a_held_out_ta_message_nothing_can_be_promised(nta: list[float]) -> None:
    with pytest.raises(TriageError, match=r"no held-out messages .* or use --policy agreement"):
        Thresholds(held_out([], nta), 0.95)


# The precision


# Few values, so that there are ties.
SCORES = st.floats(0, 1).map(lambda score: round(score, 2))
SHARES = st.floats(0.001, 0.999)


def high(found: HeldOut, min_precision: float) -> Promise:
    return Thresholds(found, min_precision).promise(None, 0.3)


def test_from_the_higher_threshold_on_messages_are_surely_ta_often_enough() -> None:
    # 3 of 23 may be up to 30.4 % with a confidence of 95 %, none of 10 up to 25.9 %.
    ta, nta = [0.9] * 10 + [0.7] * 10, [0.8] * 3 + [0.1]
    assert high(held_out(ta, nta), 0.69).high == 0.7
    assert high(held_out(ta, nta), 0.71).high == 0.9
    assert high(held_out(ta, nta), 0.71).is_precise


def upper_bound(n_wrong: int, n: int) -> float:
    interval = binomtest(n_wrong, n, alternative="less").proportion_ci(0.95, "exact")
    return float(interval.high)


@given(ta=st.lists(SCORES, min_size=1), nta=st.lists(SCORES), min_precision=SHARES)
def test_the_higher_threshold_is_the_lowest_that_is_surely_or_else_precise_enough(
    ta: list[float], nta: list[float], min_precision: float
) -> None:
    found = held_out(ta, nta)
    promised = high(found, min_precision)
    [scores] = found.score
    above = {score: found.is_ta[scores >= score] for score in scores.tolist()}
    precise = [score for score, is_ta in above.items() if is_ta.mean() >= min_precision]
    sure = [
        score
        for score in precise
        if upper_bound(int((~above[score]).sum()), len(above[score])) <= 1 - min_precision
    ]
    assert promised.high == min(sure or precise, default=2.0)
    assert promised.is_precise is bool(sure)


def test_the_workload_is_the_share_of_the_held_out_messages_that_people_read() -> None:
    found = held_out([0.6] * 30, [0.7] * 20 + [0.3] * 50)
    promised = Thresholds(found, 0.95).promise(None, 0.01)
    assert (promised.low, promised.high, promised.workload) == (0.6, 2.0, 0.5)


# How the file writes names


WRITTEN = HeldOut(
    np.array(
        [
            [0.9] * 100 + [0.5] * 100,
            [0.2] * 50 + [0.7] * 50 + [0.5] * 100,
            [0.6] * 50 + [0.8] * 50 + [0.5] * 100,
        ]
    ),
    np.array([True] * 100 + [False] * 100),
    names_with_capitals=(0.8, 0.0, 0.4),
)


def low(most: float, here: float | None) -> float:
    return Thresholds(WRITTEN, 0.5, here).promise(None, most).low


@pytest.mark.parametrize(
    ("here", "expected"), [(None, 0.9), (1.0, 0.9), (0.8, 0.9), (0.4, 0.6), (0.0, 0.2)]
)
def test_bounds_are_those_of_messages_that_write_names_alike(
    here: float | None, expected: float
) -> None:
    assert low(0.01, here) == expected


def test_between_two_ways_of_writing_both_count() -> None:
    assert low(0.01, 0.2) == 0.2
    assert low(0.3, 0.02) < low(0.3, 0.38)
    assert Thresholds(WRITTEN, 0.5, 0.2).promise(None, 0.01).names_with_capitals == 0.2


@given(here=st.floats(0, 1), ways=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_ways_of_writing_share_one_file_between_them(here: float, ways: list[float]) -> None:
    shares = shares_of_ways(ways, here)
    assert shares.sum() == pytest.approx(1)
    assert (shares > 0).sum() <= 2
    if min(ways) <= here <= max(ways):
        assert float(shares @ ways) == pytest.approx(here)


# What is said


def test_residue_precision_and_workload_are_said_first() -> None:
    assert promise_lines(PROMISE) == [
        "Residue some 0.19% (0.14% to 0.26%) of the messages written, precision of TA at least "
        "95.0%, workload of a large file some 10.0%.",
        "Measured out of fold on 9,000 messages, of which 500 are TA; in brackets what is true "
        "with 95% confidence of messages like them. Here 41% of the first names inside sentences "
        "have a capital; the bounds are those of messages written so.",
        "TA from a score of 0.8000, read from a risk of 0.024.",
    ]


def test_both_bounds_are_said() -> None:
    both = replace(PROMISE, max_leak=0.02, leak=Measured(0.019, 0.013, 0.03), low=0.3)
    first, *_, last = promise_lines(both)
    assert "of the messages written, leak some 1.90% (1.30% to 3.00%) of TA messages," in first
    assert last == "TA from a score of 0.8000, NTA below 0.3000, read from a risk of 0.024."


def test_without_a_corpus_the_lines_warn_of_names_without_capitals() -> None:
    told = promise_lines(replace(PROMISE, names_with_capitals=None))[1]
    assert told.endswith("Where names are written with fewer capitals than there, more leak.")


def test_of_few_messages_no_share_of_capitals_is_said() -> None:
    told = promise_lines(replace(PROMISE, n_here=20))[1]
    assert told.endswith("Here are 20 messages alone, which say little of each other: more of them "
                         "are read, and the share of names with capitals is a guess.")  # fmt: skip


def test_a_precision_that_cannot_be_promised_is_said() -> None:
    first, second, *_ = promise_lines(replace(PROMISE, is_precise=False))
    assert "precision of TA on the held-out messages 95.0%," in first
    assert "at least" not in first
    assert second == "That precision is measured, not promised: the held-out messages are too few."
    lines = promise_lines(replace(PROMISE, high=2.0, is_precise=False))
    assert lines[1] == "No score gives a precision of 95.0%: TA never."
    assert lines[-1] == "TA never, read from a risk of 0.024."
