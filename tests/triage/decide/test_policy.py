"""The policies: what votes, scores and thresholds make of a message, and what a user chooses."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from triage import Triage
from triage.decide.policy import Promise, act
from triage.errors import TriageError
from triage.model.coverage import Coverage
from triage.model.learnt import HeldOut
from triage.settings import Policy, PolicyName
from triage.vocabulary import Action, Prediction, Verdict

Run = Callable[..., CompletedProcess[str]]
PROMISE = Promise(high=0.8, low=0.3, risk_from=0.1)


def action_of(
    score: float,
    *,
    by_form: bool = False,
    found: int | None = None,
    risk: float = 0.0,
    promised: Promise = PROMISE,
) -> Action:
    covered = (
        None if found is None else Coverage(np.array([found], dtype=np.int8), np.array([risk]))
    )
    votes = [Verdict.TA], [Prediction.TA]
    [action] = act(promised, *votes, np.array([score]), np.array([by_form]), covered)
    return action


# Actions


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
def test_between_the_thresholds_the_expert_decides(score: float, action: Action) -> None:
    assert action_of(score) is action
    assert action_of(score, found=int(action is Action.TA)) is action


@pytest.mark.parametrize(("score", "found"), [(0.0, 0), (0.0, 2), (1.0, 1)])
@pytest.mark.parametrize(("risk", "is_read"), [(0.099, False), (0.1, True), (1.0, True)])
def test_people_read_what_may_keep_an_identifier(
    score: float, found: int, risk: float, is_read: bool
) -> None:
    assert (action_of(score, found=found, risk=risk) is Action.EXPERT) is is_read


@pytest.mark.parametrize(("score", "found"), [(0.0, 1), (1.0, 0)])
def test_people_read_where_the_score_and_what_is_found_differ(score: float, found: int) -> None:
    assert action_of(score, found=found) is Action.EXPERT


@pytest.mark.parametrize(("score", "action"), [(0.0, Action.EXPERT), (0.9, Action.TA)])
def test_a_message_with_an_identifier_of_form_is_never_nta(score: float, action: Action) -> None:
    assert action_of(score, by_form=True) is action


# What a user chooses


def test_the_guarded_policy_is_the_default(shipped: Triage) -> None:
    assert shipped.policy == Policy(PolicyName.GUARDED)
    promised = shipped.promise()
    assert promised is not None
    assert promised.is_kept
    assert promised.is_precise
    assert (promised.max_residue, promised.max_leak) == (0.002, None)


def test_a_model_of_too_few_messages_decides_by_the_agreement_table_and_says_so(
    shipped: Triage,
) -> None:
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


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--policy careful", "--policy cannot be 'careful'; there are: agreement, guarded"),
        ("--max-residue 0", "--max-residue 0 is no share: it lies between 0 and 1"),
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


def test_the_policy_changes_actions_alone(shipped: Triage, guarded: Triage) -> None:
    by_table = Triage(shipped.lexicon, shipped.model, policy="agreement")
    theirs, ours = by_table.decide(MESSAGES), guarded.decide(MESSAGES)
    assert (ours.seek_hide, ours.model, ours.model_score, ours.evidence) == (
        theirs.seek_hide, theirs.model, theirs.model_score, theirs.evidence,
    )  # fmt: skip


NAMES = ("Patrice", "Nicolas", "Julie", "Camille", "Thomas")
FRAMES = ("hier j'ai vu {}", "demain je vais chez {}", "tu sais que {} arrive")


def promised_for(run: Run, source: Path, *options: str) -> dict[str, float]:
    done = run("classify", source, "--json", "--overwrite", *options)
    promised: dict[str, float] = json.loads(done.stdout)["promise"]
    return promised


def test_a_file_that_writes_names_without_capitals_is_released_more_carefully(
    run: Run, csv_of: Callable[..., Path]
) -> None:
    messages = [frame.format(name) for name in NAMES for frame in FRAMES]
    usual = promised_for(run, csv_of(*messages))
    rare = promised_for(run, csv_of(*map(str.lower, messages)))
    # Fifteen names, and eight of ten that are taken for granted.
    assert usual["names_with_capitals"] == pytest.approx(23 / 25)
    assert rare["names_with_capitals"] == pytest.approx(8 / 25)
    assert rare["risk_from"] < usual["risk_from"]
    assert rare["max_residue"] == usual["max_residue"] == 0.002
