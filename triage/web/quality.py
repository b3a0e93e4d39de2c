"""Quality: a person reads messages drawn at random, and what follows from it for the whole corpus.

Two samples: of what was left as it is (its leaks), and of what was said to be TA (its precision).
All that is drawn on one state of the decisions is one sample.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

from triage.reports.measures import clopper_pearson, fewest_trials, most_unseen, upper_bound

from ..anonymise.record import draw
from ..errors import TriageError
from ..queue import Queue, Reason, Task
from ..safe import write_file
from ..vocabulary import Action
from .project import Project, decided, decided_in

_FILE = "quality.json"
# What one tab answers or draws is not lost by what another does meanwhile.
LOCK = Lock()
# Bounds on the share of released messages that a person may ask for.
BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
# So many tagged messages tell the precision within about six points.
_TAGGED = 200
# Sums of digests are kept in so many bits.
_ALL = 2**64
# What is told before a sample is drawn.
_NO_SAMPLE: dict[str, Any] = dict.fromkeys(("sample", "measured", "above"))
_NO_SAMPLE |= {"is_outdated": False, "row": 0, "open_leaks": 0}

Stratum = StrEnum("Stratum", ["RELEASED", "TAGGED"])


@dataclass(frozen=True)
class Sample:
    """The sample drawn on one state of the decisions; answers and leaks are of all states."""

    bound: float
    state: int
    rows: Mapping[Stratum, Sequence[int]]
    sizes: Mapping[Stratum, int]
    answers: Mapping[int, bool]
    leaks: Sequence[int] = ()

    @property
    def all_rows(self) -> tuple[int, ...]:
        return tuple(row for stratum in Stratum for row in self.rows[stratum])

    @property
    def left(self) -> list[int]:
        """The rows that are still to be read, the next one first."""
        return [row for row in self.all_rows if row not in self.answers]

    def counts(self, stratum: Stratum) -> tuple[int, int]:
        """Return how many messages of a stratum hold an identifier, and how many were read."""
        answers = [self.answers[row] for row in self.rows[stratum] if row in self.answers]
        return sum(answers), len(answers)


def bounds(project: Project) -> list[tuple[float, int]]:
    """Return the bounds that a sample can show, with the messages that each asks to be read."""
    if not project.final.exists():
        return []
    n = _state_of(project)[1]
    reachable = [(bound, fewest_trials(bound)) for bound in BOUNDS if fewest_trials(bound) <= n]
    # Of fewer messages, all are read.
    return reachable or [(BOUNDS[-1], n)]


def begin(project: Project, bound: float) -> Sample:
    """Draw messages that nobody has read, beside those that were read on the same state."""
    (state, _), actions = _state_of(project), [*decided(project.final)]
    nothing: dict[Stratum, Sequence[int]] = dict.fromkeys(Stratum, ())
    earlier = read(project) or Sample(bound, state, nothing, {}, {})
    is_same = bool(earlier.sizes) and not is_outdated(project, earlier)
    rows, sizes = {}, {}
    for stratum in Stratum:
        read_rows = [row for row in earlier.rows[stratum] if is_same and row in earlier.answers]
        is_tagged = stratum is Stratum.TAGGED
        n = max(0, _TAGGED - len(read_rows)) if is_tagged else fewest_trials(bound)
        wanted = Action.TA if is_tagged else Action.NTA
        stratum_rows = [row for row, (_, action) in enumerate(actions, 1) if action == wanted]
        unread = [row for row in stratum_rows if row not in earlier.answers]
        drawn = draw([actions[row - 1][0] for row in unread], n, state)
        rows[stratum] = [*read_rows, *(unread[row - 1] for row, _ in drawn)]
        sizes[stratum] = len(stratum_rows)
    sample = Sample(bound, state, rows, sizes, earlier.answers, earlier.leaks)
    if is_same:
        # What was corrected since is of the same state.
        sample = replace(sample, state=earlier.state, sizes=earlier.sizes)
    keep(project, sample)
    # The next page shows them, and would search the whole file for them.
    drawn_rows = [actions[row - 1] for row in sample.all_rows]
    project.cached("sample", project.final, sample.all_rows).write(drawn_rows)
    return sample


def _state_of(project: Project) -> tuple[int, int]:
    """Return a sum of digests of the texts left as they are, and the number of their messages.

    One text can be taken away from the sum.
    """

    def state(final: Path) -> tuple[int, int]:
        released = [text for text, action in decided(final) if action == Action.NTA]
        return sum(map(_digest, {*released})) % _ALL, len(released)

    return project.figure("state", state, project.final)


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def rows_of(project: Project, sample: Sample) -> list[tuple[str, str]]:
    """Return the messages of a sample, and what is decided of them."""
    return project.figure("sample", decided_in, project.final, sample.all_rows)


def is_outdated(project: Project, sample: Sample) -> bool:
    """Return whether other messages than the leaks of a sample were decided since it was drawn."""
    if not project.final.exists():
        return True
    corrected = {*_corrected(project, sample).values()}
    return (sample.state - sum(map(_digest, corrected))) % _ALL != _state_of(project)[0]


def _corrected(project: Project, sample: Sample) -> dict[int, str]:
    """Return the leaks that were decided since a sample was drawn, with their texts."""
    rows = zip(sample.all_rows, rows_of(project, sample), strict=False)
    return {row: text for row, (text, act) in rows if row in sample.leaks and act != Action.NTA}


def read(project: Project) -> Sample | None:
    """Return the sample of a project; None before one was drawn."""
    path = project.folder / _FILE
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        rows, sizes = ({one: content[key][one] for one in Stratum} for key in ("rows", "sizes"))
        answers = {int(row): bool(answer) for row, answer in content["answers"].items()}
        return Sample(**content | {"rows": rows, "sizes": sizes, "answers": answers})
    except (OSError, ValueError, TypeError, KeyError):
        raise TriageError(f"{path} is no sample: move it away", "unreadable", file=path) from None


def keep(project: Project, sample: Sample) -> None:
    content = json.dumps(asdict(sample)) + "\n"
    write_file(project.folder / _FILE, content.encode(), private=True, overwrite=True)


def answered(sample: Sample, row: int, holds: bool | None) -> Sample:
    """Return a sample with an answer, or without it where it is taken back."""
    answers = {one: answer for one, answer in sample.answers.items() if one != row}
    answers |= {} if holds is None else {row: holds}
    new = [row] if holds and row in sample.rows[Stratum.RELEASED] else []
    leaks = [*(one for one in sample.leaks if one != row), *new]
    return replace(sample, answers=answers, leaks=leaks)


def sampled(project: Project) -> dict[str, Any]:
    """Return the state of a sample: the message to read next, measures, what stands against it.

    That is how many of its leaks nobody has decided since, and the share that it cannot exclude,
    with the smaller one asked for. A leak in a file that was read whole is decided by itself.
    """
    sample, open_leaks = read(project), 0
    if sample is None:
        return _NO_SAMPLE
    facts, outdated = measured(sample), is_outdated(project, sample)
    if sample.leaks and project.queue.exists():
        with Queue.open(project.queue) as queue:
            open_leaks = len(queue.unanswered([Task(Reason.LEAK, row=row) for row in sample.leaks]))
    # What it showed stands until another one is drawn.
    is_above = facts["found"] and facts["read"] < facts["of"] and facts["at_most"] > sample.bound
    current = {} if outdated else {"measured": facts, "row": next(iter(sample.left), 0)}
    current |= {"sample": sample, "is_outdated": outdated, "open_leaks": open_leaks}
    return _NO_SAMPLE | current | {"above": (facts["at_most"], sample.bound) if is_above else None}


def recorded(project: Project) -> dict[str, Any] | None:
    """Return the facts of a sample for the record of an output; None if nobody has read any."""
    sample = read(project)
    facts = measured(sample) if sample else {"read": 0}
    if sample is None or not facts["read"]:
        return None
    return {
        "of": facts["of"],
        "answered": facts["read"],
        "recognised": facts["found"],
        "at_most": round(facts["at_most"], 6),
        "corrected": len(_corrected(project, sample)),
        "is_outdated": is_outdated(project, sample),
        "left_now": _state_of(project)[1],
    }


def measured(sample: Sample) -> dict[str, Any]:
    """Return the measures of a sample; `expected` is of the messages that nobody has read."""
    found, n_read = sample.counts(Stratum.RELEASED)
    right, tagged = sample.counts(Stratum.TAGGED)
    size, n_ta = sample.sizes[Stratum.RELEASED], sample.sizes[Stratum.TAGGED]
    at_most = upper_bound(found, n_read) if n_read else 1.0
    # Of a file that was read whole, all is known.
    at_most = found / n_read if n_read and n_read >= size else at_most
    share, true_ta = found / n_read if n_read else 0.0, n_ta * right / tagged if tagged else 0.0
    leaks = [missed / (missed + true_ta) for missed in (share * size, at_most * size) if true_ta]
    counts = {"found": found, "read": n_read, "of": size, "at_most": at_most}
    return counts | {
        "expected": round((size - n_read) * share),
        "expected_at_most": most_unseen(found, n_read, size),
        "leak": leaks if n_read and leaks else None,
        "right": right,
        "tagged": tagged,
        "precision": clopper_pearson(right, tagged) if tagged else None,
    }
