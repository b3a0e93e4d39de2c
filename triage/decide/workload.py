"""The number of messages to read for each bound on the leak: of a triaged file, or an estimate.

A triaged file has the score of each message, so that the actions of any other bound follow without
weighing its words again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from triage.data import MessageFile, as_text

from ..errors import TriageError
from ..model.store import fingerprint as fingerprint_of_model
from ..settings import Policy, PolicyName
from ..vocabulary import Action, Verdict
from .pipeline import Triage
from .policy import act
from .promise import Promise, promise
from .run_record import RunRecord, read_record
from .source import Source

BOUNDS = tuple(n / 200 for n in range(1, 21))
# Seconds that a person takes for a message, where it was not measured.
SECONDS_PER_MESSAGE = 6.0
_NEEDED = ("seek_hide", "model_score")


@dataclass(frozen=True)
class Workload:
    """The work that a bound on the leak leaves to people."""

    max_leak: float
    leak: float
    ta: int
    nta: int
    expert: int

    @property
    def seconds(self) -> float:
        """The time to read them, at `SECONDS_PER_MESSAGE`."""
        return self.expert * SECONDS_PER_MESSAGE


def workloads(
    triage: Triage,
    source: Source,
    bounds: Sequence[float] = BOUNDS,
    min_precision: float | None = None,
) -> list[Workload]:
    """Count the actions that a triaged file would have at other bounds on the leak."""
    record = _record(source.path, triage)
    precision = _min_precision(record) if min_precision is None else min_precision
    held_out = triage.held_out(corpus_evidence=record.corpus_evidence)
    promises = [promise(held_out, bound, precision, record.capitals) for bound in _checked(bounds)]
    with source.open() as file:
        messages = Counter(_scores(file))
    return [_counted(one, messages) for one in promises]


def estimates(
    triage: Triage,
    n_messages: int,
    bounds: Sequence[float] = BOUNDS,
    min_precision: float = Policy.min_precision,
) -> list[Workload]:
    """Estimate the same of messages that were not triaged yet."""
    held_out = triage.held_out(corpus_evidence=triage.weighs_corpus)
    n_held_out = len(held_out.score)
    found = []
    for bound in _checked(bounds):
        promised = promise(held_out, bound, min_precision)
        scores = Counter((Verdict.UNTAGGED, score) for score in held_out.score.tolist())
        of = _counted(promised, scores)
        ta, expert = (round(n * n_messages / n_held_out) for n in (of.ta, of.expert))
        found.append(replace(of, ta=ta, expert=expert, nta=n_messages - ta - expert))
    return found


def _checked(bounds: Iterable[float]) -> list[float]:
    return [Policy(PolicyName.GUARDED, max_leak=bound).max_leak for bound in bounds]


def _record(path: str, triage: Triage) -> RunRecord:
    record = read_record(path)
    if record and record.policy.get("name") == PolicyName.AGREEMENT:
        raise TriageError(f"{path} was triaged by the agreement table, which has no bound")
    if record is None or (record.corpus_evidence and record.capitals is None):
        raise TriageError(
            f"there is no record of triage classify of this version beside {path}: classify the "
            "messages again"
        )
    if record.strict:
        raise TriageError(f"{path} was triaged with --strict, of which nothing can be foretold")
    if record.model != fingerprint_of_model(triage.model):
        raise TriageError(f"{path} was triaged with another model: name that one with --model")
    return record


def _min_precision(record: RunRecord) -> float:
    said = record.policy.get("min_precision")
    return said if isinstance(said, float) else Policy.min_precision


def _scores(file: MessageFile) -> Iterator[tuple[Verdict, float]]:
    """Yield the verdict of Seek&Hide and the score of each message of a file."""
    if missing := [name for name in _NEEDED if name not in file.columns]:
        raise TriageError(
            f"{file.name} has no column {missing[0]!r}: what is counted is what triage classify "
            "wrote"
        )
    verdict, score = map(file.columns.index, _NEEDED)
    for chunk in file.chunks():
        for row, line in zip(chunk.rows, chunk.lines, strict=True):
            try:
                yield Verdict(as_text(row[verdict])), float(as_text(row[score]))
            except ValueError:
                raise TriageError(
                    f"{file.name}, line {line}: its seek_hide or model_score is none; classify the "
                    "messages again"
                ) from None


def _counted(promised: Promise, messages: Counter[tuple[Verdict, float]]) -> Workload:
    import numpy as np

    verdicts, scores = zip(*messages, strict=True) if messages else ((), ())
    # The votes of the model alone have no part in a promise.
    actions = act(promised, verdicts, (), np.array(scores, dtype=float))
    found = Counter[Action]()
    for action, n in zip(actions, messages.values(), strict=True):
        found[action] += n
    counts = (found[action] for action in (Action.TA, Action.NTA, Action.EXPERT))
    return Workload(promised.asked, promised.leak, *counts)
