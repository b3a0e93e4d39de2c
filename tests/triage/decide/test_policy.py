"""The guarded policy: two thresholds, a bound on the leak, and what is said of it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from triage import Setup, Triage
from triage.decide.agreement import TABLE
from triage.decide.policy import (
    Policy,
    PolicyName,
    Promise,
    act,
    promise,
    promise_lines,
)
from triage.errors import TriageError
from triage.model.learnt import HeldOut
from triage.vocabulary import Action, Prediction, Verdict

Run = Callable[..., CompletedProcess[str]]
NINE = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
PROMISE = Promise(low=0.3, high=0.8, asked=0.01, leak=0.01, n_ta=500)


def held_out(ta: Sequence[float], nta: Sequence[float] = ()) -> HeldOut:
    is_ta = np.array([True] * len(ta) + [False] * len(nta), dtype=bool)
    return HeldOut(np.array([*ta, *nta], dtype=float), is_ta)


def of_any_score(ta: Sequence[float]) -> HeldOut:
    """Return TA messages beside as many NTA messages of higher scores: none is surely TA."""
    return held_out(ta, [1.0] * len(ta))


def action_of(score: float, verdict: Verdict, promised: Promise | None = PROMISE) -> Action:
    vote = Prediction.TA if score >= 0.5 else Prediction.NTA
    [action] = act(promised, [verdict], [vote], np.array([score]))
    return action


# The lower threshold


def upper_bound(n_missed: int, n: int) -> float:
    """Return the largest leak that would show so few missed messages in one of ten cases."""
    interval = binomtest(n_missed, n, alternative="less").proportion_ci(0.9, "exact")
    return float(interval.high)


@pytest.mark.parametrize(
    ("n", "max_leak", "n_missed"),
    [(22, 0.1, 0), (37, 0.1, 0), (38, 0.1, 1), (100, 0.1, 5), (1000, 0.01, 5), (9, 0.5, 2)],
)
def test_as_many_ta_messages_are_missed_as_the_bound_of_the_leak_allows(
    n: int, max_leak: float, n_missed: int
) -> None:
    scores = np.linspace(0.1, 0.9, n)
    low = promise(of_any_score(scores.tolist()), max_leak, 0.95).low
    assert (scores < low).sum() == n_missed
    assert upper_bound(n_missed, n) <= max_leak < upper_bound(n_missed + 1, n)


def test_in_nine_of_ten_cases_the_leak_is_within_the_bound() -> None:
    # Of scores drawn evenly from 0 to 1, the share below a threshold is the threshold.
    draws = np.random.default_rng(0).random((2_000, 100))
    leaks = np.array([promise(of_any_score(scores), 0.1, 0.95).low for scores in draws.tolist()])
    assert 0.02 < (leaks > 0.1).mean() < 0.1 + 0.02


def test_the_order_of_the_messages_is_of_no_account() -> None:
    forth, back = held_out(NINE, [0.15, 0.85]), held_out(NINE[::-1], [0.85, 0.15])
    assert promise(forth, 0.5, 0.9) == promise(back, 0.5, 0.9)


def test_nta_messages_are_of_no_account_for_the_leak() -> None:
    alone, among_others = of_any_score(NINE), held_out(NINE, [0.0, 0.05, *[1.0] * 9])
    assert promise(alone, 0.5, 0.95).low == promise(among_others, 0.5, 0.95).low


def test_ta_messages_of_one_score_are_released_together_or_not_at_all() -> None:
    assert promise(of_any_score(NINE), 0.5, 0.95).low == 0.3
    promised = promise(of_any_score([0.1, 0.2, 0.2, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9]), 0.5, 0.95)
    assert promised.low == 0.2
    assert action_of(0.2, Verdict.NTA, promised) is not Action.NTA


def test_the_promise_is_what_was_asked_for_where_that_can_be_kept() -> None:
    promised = promise(held_out(NINE), 0.25, 0.95)
    assert (promised.asked, promised.leak, promised.n_ta) == (0.25, 0.25, 9)
    assert promised.is_kept


def test_where_there_are_too_few_ta_messages_the_least_that_can_be_is_promised() -> None:
    promised = promise(held_out(NINE), 0.01, 0.95)
    assert (promised.low, promised.asked) == (0.1, 0.01)
    assert promised.leak == pytest.approx(upper_bound(0, 9))
    assert not promised.is_kept


@pytest.mark.parametrize(("n", "is_kept"), [(21, False), (22, True)])
def test_twenty_two_ta_messages_promise_a_leak_of_a_tenth(n: int, is_kept: bool) -> None:
    assert promise(held_out([0.5] * n), 0.1, 0.95).is_kept is is_kept


@pytest.mark.parametrize("nta", [[], [0.1, 0.9]])
def test_without_a_held_out_ta_message_nothing_can_be_promised(nta: list[float]) -> None:
    with pytest.raises(TriageError, match=r"no held-out messages .* or use --policy agreement"):
        promise(held_out([], nta), 0.1, 0.95)


# Few values, so that there are ties.
SCORES = st.floats(0, 1).map(lambda score: round(score, 2))
SHARES = st.floats(0.001, 0.999)


@given(scores=st.lists(SCORES, min_size=1), max_leak=SHARES)
def test_the_leak_of_the_held_out_messages_themselves_is_within_the_bound(
    scores: list[float], max_leak: float
) -> None:
    low = promise(held_out(scores), max_leak, 0.95).low
    assert np.mean(np.array(scores) < low) <= max_leak


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


def test_what_is_surely_ta_is_not_released_for_being_allowed_to_leak() -> None:
    promised = promise(held_out(NINE, [0.05]), 0.5, 0.95)
    assert promised.low == promised.high == 0.1
    assert action_of(0.2, Verdict.NTA, promised) is Action.TA


def test_from_the_higher_threshold_on_messages_are_ta_often_enough() -> None:
    ta, nta = [0.9, 0.8, 0.6, 0.5], [0.7, 0.4, 0.3]
    assert promise(held_out(ta, nta), 0.3, 0.75).high == 0.5
    assert promise(held_out(ta, nta), 0.3, 0.9).high == 0.8


def test_a_higher_threshold_between_messages_of_one_score_is_none() -> None:
    of_one_score = held_out([0.9, 0.7, 0.7], [0.7])
    assert promise(of_one_score, 0.3, 0.75).high == 0.7
    assert promise(of_one_score, 0.3, 0.8).high == 0.9


def test_where_messages_are_never_ta_often_enough_none_is_ta() -> None:
    promised = promise(held_out([0.8], [0.9]), 0.3, 0.95)
    assert promised.high > 1
    assert action_of(1.0, Verdict.TA, promised) is Action.EXPERT


@given(ta=st.lists(SCORES, min_size=1), nta=st.lists(SCORES), min_precision=SHARES)
def test_the_higher_threshold_is_the_lowest_that_is_precise_enough(
    ta: list[float], nta: list[float], min_precision: float
) -> None:
    found = held_out(ta, nta)
    high = promise(found, 0.1, min_precision).high
    precise = [
        score for score in found.score if found.is_ta[found.score >= score].mean() >= min_precision
    ]
    assert high == min(precise, default=2.0)


# Actions


@pytest.mark.parametrize("verdict", [Verdict.NTA, Verdict.UNTAGGED])
@pytest.mark.parametrize(
    ("score", "action"),
    [
        (0.0, Action.NTA),
        (0.2999, Action.NTA),
        (0.3, Action.EXPERT),
        (0.7999, Action.EXPERT),
        (0.8, Action.TA),
        (1.0, Action.TA),
    ],
)
def test_between_the_thresholds_the_expert_decides(
    score: float, action: Action, verdict: Verdict
) -> None:
    assert action_of(score, verdict) is action


@pytest.mark.parametrize(
    ("score", "action"), [(0.0, Action.EXPERT), (0.5, Action.EXPERT), (0.8, Action.TA)]
)
def test_a_message_in_which_seek_and_hide_is_sure_of_an_identifier_is_never_nta(
    score: float, action: Action
) -> None:
    assert action_of(score, Verdict.TA) is action


def test_without_a_promise_the_agreement_table_decides() -> None:
    verdicts, votes = zip(*TABLE, strict=True)
    assert act(None, verdicts, votes, np.zeros(len(TABLE))) == list(TABLE.values())


# What is said


def test_a_promise_that_is_kept_is_said() -> None:
    assert promise_lines(PROMISE) == [
        "Promised, with 90% confidence: a leak of at most 1.00%, for messages like those that the "
        "model was learnt from (exact binomial bound on 500 TA messages that were held out).",
        "NTA below a score of 0.3000, TA from 0.8000.",
    ]


def test_what_cannot_be_promised_is_said_first() -> None:
    first, second, _ = promise_lines(Promise(0.1, 0.8, asked=0.001, leak=1 / 501, n_ta=500))
    assert first == (
        "A leak of 0.10% cannot be promised on 500 held-out TA messages: "
        "label more, or accept what can be."
    )
    assert second.startswith("Promised, with 90% confidence: a leak of at most 0.20%,")


def test_that_no_message_is_ta_is_said() -> None:
    assert promise_lines(Promise(0.1, 2.0, 0.1, 0.1, 9))[-1] == (
        "NTA below a score of 0.1000, TA never."
    )


# What a user chooses


def test_the_agreement_table_is_the_default_and_promises_nothing(shipped: Triage) -> None:
    assert shipped.policy.name is PolicyName.AGREEMENT
    assert shipped.promise(corpus_evidence=False) is None


def test_a_policy_may_be_given_as_a_word() -> None:
    guarded = Policy(PolicyName.GUARDED)
    assert Triage.load("fr", policy="guarded").policy == guarded
    assert Setup(policy="guarded") == Setup(policy=guarded)
    assert Policy("guarded").name is PolicyName.GUARDED


def test_a_word_that_is_no_policy_is_an_error() -> None:
    with pytest.raises(TriageError, match="no policy is called 'careful'"):
        Triage.load("fr", policy="careful")


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan"), float("inf")])
def test_a_share_that_is_none_is_an_error(share: float) -> None:
    with pytest.raises(TriageError, match=r"--max-leak .* lies between 0 and 1"):
        Policy(max_leak=share)
    with pytest.raises(TriageError, match=r"--min-precision .* lies between 0 and 1"):
        Policy(min_precision=share)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--policy careful", "no policy is called 'careful': it is agreement or guarded"),
        ("--max-leak 0", "--max-leak 0 is no share: it lies between 0 and 1"),
        ("--max-leak 1", "--max-leak 1 is no share: it lies between 0 and 1"),
        ("--max-leak 1.5", "--max-leak 1.5 would be 150%: for 1.5 % write 1.5% or 0.015"),
        (
            "--max-leak nan",
            "--max-leak nan is no share: it lies between 0 and 1, such as 2% or 0.02",
        ),
        ("--min-precision 2", "--min-precision 2 would be 200%: for 2 % write 2% or 0.02"),
    ],
)
def test_a_choice_that_is_none_is_one_clear_line(
    options: str, problem: str, run: Run, csv_of: Callable[..., Path], tmp_path: Path
) -> None:
    guarded = [] if "--policy" in options else ["--policy", "guarded"]
    done = run("classify", csv_of("Coucou"), *guarded, *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"triage: {problem}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["sms.csv"]


# Through the pipeline


@pytest.fixture(scope="module")
def guarded(shipped: Triage) -> Triage:
    policy = Policy(PolicyName.GUARDED, max_leak=0.05)
    return Triage(shipped.lexicon, shipped.model, policy=policy)


MESSAGES = [
    "Coucou Patrice, ça va ?",
    "J'arrive",
    "ok",
    "tu vas chez pierre",
    "j'ai vu Xqztlu hier",
]


def test_the_guarded_policy_changes_actions_alone(shipped: Triage, guarded: Triage) -> None:
    theirs, ours = shipped.decide(MESSAGES), guarded.decide(MESSAGES)
    assert (ours.seek_hide, ours.model, ours.model_score, ours.evidence) == (
        theirs.seek_hide, theirs.model, theirs.model_score, theirs.evidence,
    )  # fmt: skip


def test_actions_follow_the_thresholds_of_the_promise(guarded: Triage) -> None:
    promised = guarded.promise(corpus_evidence=False)
    assert promised is not None
    decided = guarded.decide(MESSAGES)
    scores = np.array(decided.model_score)
    assert decided.action == act(promised, decided.seek_hide, decided.model, scores)
    assert {Action.TA, Action.NTA} <= set(decided.action)


def test_with_corpus_evidence_the_promise_is_another(guarded: Triage) -> None:
    with_it, without = (guarded.promise(corpus_evidence=way) for way in (True, False))
    assert with_it is not None
    assert without is not None
    assert with_it.n_ta == without.n_ta
    assert with_it != without


@pytest.mark.parametrize("bound", ["--max-leak", "--min-precision"])
def test_a_bound_without_the_guarded_policy_is_refused(
    bound: str, run: Run, csv_of: Callable[..., Path]
) -> None:
    done = run("classify", csv_of("ok"), bound, "0.02")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{bound} is of the guarded policy: add --policy guarded" in done.stderr
