"""Rounds of mining, each with what the answers of those before have told."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..vocabulary import IdentifierType
from .answers import Answer, Said
from .candidates import BOUND, Candidate, Round
from .contexts import Context
from .corpus import Corpus
from .known import Known
from .outlook import Outlook, outlook

# After so many answers the others are weighed anew.
BATCH = 20


@dataclass
class Session:
    """The mining of a corpus by one person."""

    corpus: Corpus
    known: list[Known]
    answers: dict[str, Answer] = field(default_factory=dict)
    good: list[Context] = field(default_factory=list)
    short_forms: Mapping[str, str] = field(default_factory=dict)
    bound: float = BOUND

    _last: Round | None = field(default=None, init=False, repr=False)

    def round(self) -> Round:
        """Return a round from all that was answered."""
        if self._last is None:
            self._last = Round(self.corpus, self.known, self.answers, self.good, self.short_forms)
        return self._last

    def asked(self, batch: int = BATCH) -> Iterator[Candidate]:
        """Yield candidates to be answered, until none is above the bound; each once."""
        asked: set[str] = set()
        while True:
            new = self.round().candidates(self.bound, asked, batch)
            if not new:
                return
            asked.update(one.key for one in new)
            yield from new

    def answer(
        self,
        candidate: Candidate,
        said: Said,
        type_: IdentifierType | None = None,
        words: Iterable[int] = (),
    ) -> None:
        """Record an answer; with `Said.HERE`, `words` are those that identify somebody."""
        places = (self.corpus.places[word] for word in words)
        one = Answer(
            candidate.spelling,
            said,
            type_ or candidate.type,
            candidate.entity,
            frozenset((place.message + 1, place.start) for place in places),
            candidate.likelihood,
            candidate.stands,
        )
        self.answers[one.key] = one
        self._last = None

    def outlook(self) -> Outlook:
        """Estimate what is left."""
        return outlook(self.round(), self.answers.values())
