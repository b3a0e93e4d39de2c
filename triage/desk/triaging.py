"""The number of messages to read: counted in the triaged file, or estimated before there is one."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

from triage.data import DataError
from triage.dictionaries.pack import FRENCH

from ..decide.pipeline import shared
from ..decide.run_record import language_of_run
from ..decide.source import Source
from ..decide.workload import BOUNDS, SECONDS_PER_MESSAGE, Workload, estimates, workloads
from ..errors import TriageError
from ..queue import Queue
from ..settings import Reading
from .figures import Figure, Version, version_of
from .importing import preview
from .project import Project, written


@dataclass(frozen=True)
class Bounds:
    """How many messages are to be read at each bound on the leak."""

    rows: tuple[Workload, ...] = ()
    is_exact: bool = False

    @property
    def most(self) -> int:
        """The largest number of messages to read."""
        return max((one.expert for one in self.rows), default=0)

    def nearest(self, max_leak: float) -> int | None:
        """Return the position of a bound, or of the next smaller one; None without any."""
        if not self.rows:
            return None
        return max(0, bisect_right([one.max_leak for one in self.rows], max_leak) - 1)


def bounds(project: Project) -> Bounds:
    """Return what each bound asks of people, of the triaged file where there is one."""
    try:
        if project.triaged.exists():
            settings = project.settings
            version = version_of(project.triaged)
            of = (version, settings.reading, settings.min_precision)
            return _BOUNDS.of(project.folder, *of)
        found = preview(project)
        return _estimated(found.language, found.n_messages) if found.n_messages else Bounds()
    except (DataError, TriageError):
        # Nothing is promised by a model that was learnt from too few messages, and other columns
        # may have been chosen since the triage.
        return Bounds()


def _counted(version: Version, reading: Reading, min_precision: float) -> Bounds:
    triage = shared(language_of_run(str(version.path)) or FRENCH)
    source = Source(str(version.path), written(reading))
    return Bounds(tuple(workloads(triage, source, BOUNDS, min_precision)), is_exact=True)


_BOUNDS = Figure(
    "bounds",
    _counted,
    lambda kept: Bounds(tuple(Workload(**one) for one in kept), is_exact=True),
    lambda bounds: [asdict(one) for one in bounds.rows],
)


@lru_cache(maxsize=8)
def _estimated(language: str, n_messages: int) -> Bounds:
    return Bounds(tuple(estimates(shared(language), n_messages)))


def counts(project: Project) -> Mapping[str, int]:
    """Return how many messages have each action; empty before the triage."""
    if not project.triaged.exists():
        return {}
    try:
        return _ACTIONS.of(project.folder, version_of(project.triaged), project.settings.reading)
    except DataError:
        return {}


def _actions(version: Version, reading: Reading) -> Mapping[str, int]:
    with Source(str(version.path), written(reading)).open() as file:
        at = file.columns.index("action")
        return Counter(str(row[at]) for chunk in file.chunks() for row in chunk.rows)


_ACTIONS: Figure[Mapping[str, int]] = Figure("actions", _actions, Counter)


def keep_figures(project: Project) -> None:
    """Keep what follows from the triaged file."""
    settings, version = project.settings, version_of(project.triaged)
    _ACTIONS.keep(project.folder, version, settings.reading)
    _BOUNDS.keep(project.folder, version, settings.reading, settings.min_precision)


@dataclass(frozen=True)
class Pace:
    """Seconds that a message takes to read, and whether they were measured."""

    seconds: float
    is_measured: bool


def pace(project: Project, person: str) -> Pace:
    """Return the pace of a person: that of their answers in the queue, where there are enough."""
    if project.queue.exists():
        with Queue.open(project.queue) as queue:
            progress = queue.progress(person)
        if progress.seconds_left and progress.open:
            return Pace(progress.seconds_left / progress.open, is_measured=True)
    return Pace(SECONDS_PER_MESSAGE, is_measured=False)
