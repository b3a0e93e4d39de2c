"""The policies: the agreement table, the promise of the guarded one, and what users choose."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.cases import cases_beside
from tests.data.files import csv_of
from tests.tables import read_rows
from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE
from triage import Triage
from triage.decide.policy import Coverage, Measured, Promise, Thresholds, act, promise_lines
from triage.decide.record import workloads_of
from triage.errors import TriageError
from triage.model.learnt import HeldOut
from triage.settings import Policy, PolicyName
from triage.vocabulary import Action, Prediction, Verdict

CASES = cases_beside(__file__)
PROMISED = Promise(high=0.8, low=0.3, risk_from=0.1)


@pytest.mark.parametrize(("score", "by_form", "covers", "action"), CASES["guarded"])
def test_the_guarded_policy_decides_by_score_finds_and_risk(
    score: float, by_form: bool, covers: list[float], action: Action
) -> None:
    covered = None
    if covers:
        covered = Coverage(np.array(covers[:1], dtype=np.int8), np.array(covers[1:]))
    votes = [Verdict.TA], [Prediction.TA]
    assert act(PROMISED, *votes, np.array([score]), np.array([by_form]), covered) == [action]


def test_the_guarded_policy_is_the_default(shipped: Triage) -> None:
    assert shipped.policy == Policy(PolicyName.GUARDED)
    promised = shipped.promise()
    assert promised is not None
    assert promised.is_kept
    assert promised.is_precise
    assert (promised.max_residue, promised.max_leak) == (0.002, None)


def test_a_model_of_too_few_messages_decides_by_the_agreement_table(shipped: Triage) -> None:
    nothing = HeldOut(np.zeros((1, 0)), np.zeros(0, dtype=np.bool_))
    model = replace(shipped.model, voter=replace(shipped.model.voter, held_out=nothing))
    triage = Triage(shipped.lexicon, model)
    assert triage.policy.name is PolicyName.AGREEMENT
    assert "too few messages to promise much" in triage.warning
    with pytest.raises(TriageError, match="no held-out messages"):
        Triage(shipped.lexicon, model, policy="guarded").promise()
    few = HeldOut(np.linspace(0, 1, 600)[None], np.arange(600) >= 302)
    model = replace(shipped.model, voter=replace(shipped.model.voter, held_out=few))
    assert Triage(shipped.lexicon, model).policy.name is PolicyName.AGREEMENT
    assert Triage(shipped.lexicon, model, policy="guarded").policy.name is PolicyName.GUARDED


NAMES = ("Patrice", "Nicolas", "Julie", "Camille", "Thomas")
FRAMES = ("hier j'ai vu {}", "demain je vais chez {}", "tu sais que {} arrive")


def promised_for(run: Run, source: Path, *options: str) -> dict[str, float]:
    done = run("classify", source, "--json", "--overwrite", *options)
    promised: dict[str, float] = json.loads(done.stdout)["promise"]
    return promised


def test_names_without_capitals_are_released_less(run: Run) -> None:
    messages = [frame.format(name) for name in NAMES for frame in FRAMES]
    usual = promised_for(run, csv_of(*messages))
    rare = promised_for(run, csv_of(*map(str.lower, messages)))
    # Fifteen names, and eight of ten that are taken for granted.
    assert usual["names_with_capitals"] == pytest.approx(23 / 25)
    assert rare["names_with_capitals"] == pytest.approx(8 / 25)
    assert rare["risk_from"] < usual["risk_from"]
    assert rare["max_residue"] == usual["max_residue"] == 0.002


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


def covered(risk: Sequence[float], stands: Sequence[bool], group: Sequence[int] = ()) -> HeldOut:
    """Return messages in which nothing is found, the first of them TA."""
    is_ta = np.arange(len(risk)) == 0
    columns = np.zeros((1, len(risk)), dtype=np.int8), np.array([risk]), np.array([stands])
    return HeldOut(
        np.full((1, len(risk)), 0.1), is_ta, (1.0,), columns, np.array(group, dtype=np.int64)
    )


RISKS = st.integers(0, 50).map(lambda step: step / 1000)


@given(st.lists(st.tuples(RISKS, st.booleans()), min_size=2, max_size=60), st.floats(0.01, 0.9))
def test_people_read_what_keeps_the_bound(messages: list[tuple[float, bool]], most: float) -> None:
    risk, stands = (np.array(column) for column in zip(*messages, strict=True))
    promised = Thresholds(covered(risk.tolist(), stands.tolist()), 0.95).promise(most, None)
    written = stands[risk < promised.risk_from]
    assert promised.residue is not None
    assert promised.residue.share == pytest.approx(written.mean() if len(written) else 0.0)
    assert promised.is_kept is (promised.residue.share <= most)
    higher = sorted({one for one in risk.tolist() if one >= promised.risk_from})
    assert all(stands[risk <= one].mean() > most for one in higher)


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


# Few values, so that there are ties.
SCORES = st.floats(0, 1).map(lambda score: round(score, 2))
SHARES = st.floats(0.001, 0.999)


def high(found: HeldOut, min_precision: float) -> Promise:
    return Thresholds(found, min_precision).promise(None, 0.3)


def upper_bound(n_wrong: int, n: int) -> float:
    interval = binomtest(n_wrong, n, alternative="less").proportion_ci(0.95, "exact")
    return float(interval.high)


@given(ta=st.lists(SCORES, min_size=1), nta=st.lists(SCORES), min_precision=SHARES)
def test_the_threshold_is_precise(ta: list[float], nta: list[float], min_precision: float) -> None:
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
def test_bounds_are_of_messages_that_write_alike(here: float | None, expected: float) -> None:
    assert low(0.01, here) == expected


@pytest.mark.parametrize(("changed", "said"), CASES["said"])
def test_a_promise_is_said_with_residue_first(changed: dict[str, Any], said: str) -> None:
    if "leak" in changed:
        changed |= {"leak": Measured(*changed["leak"])}
    told: dict[str, Any] = {name: None if one == "" else one for name, one in changed.items()}
    assert said in "\n".join(promise_lines(replace(PROMISE, **told)))


@pytest.mark.parametrize(
    ("measure", "bound"), [("residue", 0.0005), ("residue", 0.01), ("leak", 0.01), ("leak", 0.05)]
)
def test_the_counts_are_those_of_classifying_with_that_bound(
    measure: str, bound: float, run: Run, triaged_sample: Path
) -> None:
    told = {(one.measure, one.bound): one for one in workloads_of(str(triaged_sample))}
    found, options = told[measure, bound], ["--overwrite", f"--max-{measure}", str(bound)]
    run("classify", SAMPLE, "-o", Path("asked.csv"), *options)
    asked = Counter(row["action"] for row in read_rows(Path("asked.csv")))
    assert {"TA": found.ta, "NTA": found.nta, "EXPERT": found.expert} == asked


def test_a_text_that_two_messages_have_is_read_once(run: Run) -> None:
    path = Path("twice.csv")
    header, *rows = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([header, *rows, *rows]), encoding="utf-8")
    run("classify", path, "-o", Path("out.csv"))
    told = workloads_of(str(Path("out.csv")))
    assert all(one.expert == 2 * one.texts for one in told)
    assert any(one.expert for one in told)
    # A record of before held no texts.
    record = Path("out.run.json")
    record.write_text(re.sub(r',\s*"texts": \d+', "", record.read_text()))
    assert workloads_of("out.csv") == [replace(one, texts=one.expert) for one in told]
