"""Quality: a person reads a random sample, and what follows from it for the whole corpus.

Two samples: of the messages that nothing was done to (how many of them hold an identifier: the
leak), and of those that were said to hold one (how many do: the precision of TA).
"""

import json
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from triage.reports.measures import clopper_pearson, fewest_trials, upper_bound

from ..anonymise.sample import draw
from ..errors import TriageError
from ..safe import write_file
from ..vocabulary import Action
from .figures import Figure, content_of, version_of
from .importing import texts_of
from .project import Project

_FILE = "quality.json"
# Bounds on the share of released messages that a person may ask for.
BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
_SEED = 0


class Stratum(StrEnum):
    RELEASED = "released"
    TAGGED = "tagged"


_ACTION = {Stratum.RELEASED: Action.NTA, Stratum.TAGGED: Action.TA}
# So many tagged messages tell the precision within about six points.
_TAGGED = 200


@dataclass(frozen=True)
class Sample:
    bound: float
    rows: Mapping[Stratum, tuple[int, ...]]
    sizes: Mapping[Stratum, int]
    answers: Mapping[int, bool]
    decisions: str = ""

    @property
    def left(self) -> int:
        """The number of messages that are still to be read."""
        return sum(row not in self.answers for rows in self.rows.values() for row in rows)

    @property
    def next(self) -> tuple[Stratum, int] | None:
        """The row that is to be read next, with its stratum; None at the end."""
        left = (
            (stratum, row)
            for stratum in Stratum
            for row in self.rows[stratum]
            if row not in self.answers
        )
        return next(left, None)

    def counts(self, stratum: Stratum) -> tuple[int, int]:
        """Return how many messages of a stratum hold an identifier, and how many were read."""
        said = [self.answers[row] for row in self.rows[stratum] if row in self.answers]
        return sum(said), len(said)


@dataclass(frozen=True)
class Measured:
    found: int
    read: int
    of: int
    share_at_most: float
    leak: float | None
    leak_at_most: float | None
    right: int
    tagged: int
    precision: tuple[float, float] | None

    @property
    def left_in(self) -> int:
        """Estimated number of released messages that hold an identifier, by the sample."""
        return round(self.of * self.found / self.read) if self.read else 0

    @property
    def left_in_at_most(self) -> int:
        """Upper bound of that number with 95 % confidence."""
        return math.floor(self.of * self.share_at_most)


def size_for(bound: float) -> int:
    """Return how many released messages exclude a share, if none of them holds an identifier."""
    return fewest_trials(bound)


def begin(project: Project, bound: float) -> Sample:
    if not project.final.exists():
        raise TriageError("the decisions are not written yet: take them over first", "no_decisions")
    texts, actions = _decided(project)
    rows, sizes = {}, {}
    for stratum, n in ((Stratum.RELEASED, size_for(bound)), (Stratum.TAGGED, _TAGGED)):
        members = [i + 1 for i, action in enumerate(actions) if action == _ACTION[stratum]]
        drawn = draw([texts[row - 1] for row in members], n, _SEED)
        rows[stratum] = tuple(members[one.row - 1] for one in drawn)
        sizes[stratum] = len(members)
    sample = Sample(bound, rows, sizes, {}, content_of(project.final))
    keep(project, sample)
    _TEXTS.keep(project.folder, *_of_texts(project, sample))
    return sample


def _decided(project: Project) -> tuple[list[str], list[str]]:
    """Return the messages and their actions."""
    texts: list[str] = []
    actions: list[str] = []
    with project.open(project.final) as file:
        at = file.columns.index("final_action")
        for chunk in file.chunks():
            texts += chunk.texts
            actions += (str(row[at]) for row in chunk.rows)
    return texts, actions


def text_of(project: Project, sample: Sample, row: int) -> str:
    texts = _TEXTS.of(project.folder, *_of_texts(project, sample))
    return texts[_rows_of(sample).index(row)]


def _of_texts(project: Project, sample: Sample) -> tuple[Hashable, ...]:
    """Return what the messages of a sample are of."""
    return version_of(project.final), project.settings.reading, _rows_of(sample)


def _rows_of(sample: Sample) -> tuple[int, ...]:
    return tuple(row for rows in sample.rows.values() for row in rows)


_TEXTS: Figure[tuple[str, ...]] = Figure("sample", texts_of, tuple)


def read(project: Project) -> Sample | None:
    """Return the sample of a project; None before one was drawn."""
    path = project.folder / _FILE
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Sample(
            content["bound"],
            {stratum: tuple(content["rows"][stratum]) for stratum in Stratum},
            {stratum: content["sizes"][stratum] for stratum in Stratum},
            {int(row): bool(said) for row, said in content["answers"].items()},
            content["decisions"],
        )
    except (OSError, ValueError, TypeError, KeyError):
        raise TriageError(
            f"{path} is no sample: move it away",
            "sample_unreadable",
            file=path,
        ) from None


def keep(project: Project, sample: Sample) -> None:
    content = {
        "bound": sample.bound,
        "rows": sample.rows,
        "sizes": sample.sizes,
        "answers": sample.answers,
        "decisions": sample.decisions,
    }
    path = project.folder / _FILE
    write_file(path, (json.dumps(content) + "\n").encode(), private=True, overwrite=True)


def is_outdated(project: Project, sample: Sample) -> bool:
    """Tell whether messages were decided otherwise since a sample was drawn."""
    return not project.final.exists() or content_of(project.final) != sample.decisions


def answered(sample: Sample, row: int, holds: bool | None) -> Sample:
    if all(row not in rows for rows in sample.rows.values()):
        raise TriageError("no message of this row is in the sample", "not_in_sample")
    others = {known: said for known, said in sample.answers.items() if known != row}
    return replace(sample, answers=others if holds is None else others | {row: holds})


def measured(sample: Sample) -> Measured:
    found, n_read = sample.counts(Stratum.RELEASED)
    right, tagged = sample.counts(Stratum.TAGGED)
    of, n_ta = sample.sizes[Stratum.RELEASED], sample.sizes[Stratum.TAGGED]
    at_most = upper_bound(found, n_read) if n_read else 1.0
    true_ta = n_ta * right / tagged if tagged else None

    def leak(share: float) -> float | None:
        missed = share * of
        return missed / (missed + true_ta) if true_ta else None

    interval = clopper_pearson(right, tagged) if tagged else None
    return Measured(
        *(found, n_read, of, at_most),
        leak(found / n_read) if n_read else None,
        leak(at_most) if n_read else None,
        *(right, tagged),
        (interval.low, interval.high) if interval else None,
    )
