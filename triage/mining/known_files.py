"""The files that say what is known of a corpus before it is mined."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..decide.corpus import StartProgress
from ..decide.pipeline import Triage
from ..decide.source import Source
from ..queue import Queue
from ..queue.schema import trouble
from .answers import read_answers
from .catalogue import read_catalogue
from .good_contexts import read_contexts
from .queued import of_queue
from .session import Session
from .sources import mined, short_forms_of


@dataclass(frozen=True)
class KnownFiles:
    """What is known of a corpus before it is mined."""

    answers: Sequence[str | Path] = ()
    catalogue: str | Path | None = None
    key_table: str | None = None
    queue: Path | None = None
    contexts: Path | None = None

    def session(
        self,
        source: Source,
        triage: Triage | None,
        progress: StartProgress | None = None,
        jobs: int = 1,
    ) -> Session:
        """Read a file of messages and all that is known of it."""
        catalogue = read_catalogue(self.catalogue) if self.catalogue else []
        good = read_contexts(self.contexts) if self.contexts else []
        answers = [read_answers(path) for path in self.answers]
        if self.queue:
            with trouble(self.queue), Queue.open(self.queue) as queue:
                marked, rules = of_queue(queue)
            catalogue, answers = catalogue + marked, [rules, *answers]
        corpus, known = mined(source, triage, self.key_table, progress, jobs)
        said = {key: one for read in answers for key, one in read.items()}
        return Session(corpus, known + catalogue, said, good, short_forms_of(triage))
