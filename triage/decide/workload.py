"""The number of messages to read for each bound on the residue or the leak, or an estimate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.coverage import STEPS, Coverage
from ..model.learnt import HeldOut
from ..vocabulary import Action
from .promise import Thresholds, guarded

RESIDUES = (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.01)
LEAKS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
# Seconds that a person takes for a message, where it was not measured.
SECONDS_PER_MESSAGE = 6.0
_SCORES = 10_000


@dataclass(frozen=True)
class Workload:
    """The work that a bound leaves to people: `kept` is what can be promised of it."""

    measure: str
    bound: float
    kept: float
    ta: int
    nta: int
    expert: int

    @property
    def seconds(self) -> float:
        """The time to read them, at `SECONDS_PER_MESSAGE`."""
        return self.expert * SECONDS_PER_MESSAGE


class Weighed(NamedTuple):
    """Scores and risks of messages, in whole steps, and which hold something that is found."""

    score: NDArray[np.int16]
    risk: NDArray[np.int16]
    found: NDArray[np.int8]

    @classmethod
    def of(cls, score: Sequence[float], covered: Coverage) -> "Weighed":
        """Keep what bounds depend on, of some messages."""
        steps = np.rint(np.array(score) * _SCORES).astype(np.int16)
        return cls(steps, np.rint(covered.risk * STEPS).astype(np.int16), covered.found)


def workloads(thresholds: Thresholds, weighed: Sequence[Weighed]) -> list[Workload]:
    """Count the actions that messages would have at other bounds."""
    score, risk, found = (np.concatenate(column) for column in zip(*weighed, strict=True))
    covered, none = Coverage(found, risk / STEPS), np.zeros(len(found), dtype=np.bool_)
    bounds = [("residue", bound) for bound in RESIDUES if thresholds.measures_residue]
    counted = []
    for measure, bound in [*bounds, *(("leak", bound) for bound in LEAKS)]:
        is_leak = measure == "leak"
        promised = thresholds.promise(*(None, bound) if is_leak else (bound, None))
        actions = guarded(promised, score / _SCORES, none, covered)
        n = dict(zip(Action, np.bincount(actions, minlength=len(Action)).tolist(), strict=True))
        measured = promised.leak if is_leak else promised.residue
        kept, others = measured.share if measured else 0.0, (n[Action.NTA], n[Action.EXPERT])
        counted.append(Workload(measure, bound, kept, n[Action.TA], *others))
    return counted


def estimates(held_out: HeldOut, min_precision: float, n_messages: int) -> list[Workload]:
    """Estimate the same of messages that were not triaged yet, by those that were held out."""
    if held_out.covered is None:
        return []
    found, risk, _ = held_out.covered
    weighed = Weighed.of(held_out.score[0].tolist(), Coverage(found[0], risk[0]))
    counted = workloads(Thresholds(held_out, min_precision), [weighed])
    shares = [n_messages / (one.ta + one.nta + one.expert) for one in counted]
    scaled = []
    for one, share in zip(counted, shares, strict=True):
        ta, expert = round(one.ta * share), round(one.expert * share)
        scaled.append(replace(one, ta=ta, expert=expert, nta=n_messages - ta - expert))
    return scaled
