"""Mining simulated on labelled messages, whose marked identifiers are the answers: ``make mine``.

A model is learnt from the first messages; on the later ones it is counted what still stands, after
so many spellings were answered::

    python -m triage.evaluation.mining labelled.csv -o folder

Weights and bounds of mining were chosen on the first messages.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from triage.dictionaries import Lexicon, label_messages
from triage.dictionaries.normal import folded
from triage.reports.document import Part, Report, Table
from triage.reports.render import report_markdown
from triage.reports.span_measures import Span as Marked

from ..anonymise.entity import PERSONS, short_forms
from ..decide.find import Ambiguous, Judged, find
from ..decide.pipeline import Triage, gather
from ..mining.candidates import BOUND, Candidate
from ..mining.corpus import NO_NAME, read_corpus
from ..mining.known import Known, Said, known_of
from ..mining.session import Session, evidence_by_start
from ..model.training import TrainingOptions
from ..vocabulary import IdentifierType, Span
from .corpus import AnnotatedCorpus, Prepared, lexicon_of, prepare
from .corpus import read_corpus as read_annotated
from .evidence_set import Learner
from .provenance import made_from
from .queue_simulation import FIRST

_SHOWN = (0, 50, 100, 200, 300, 500, 750, 1000, 1500, 2000)
_BATCH = 100
_N_NAMES = 100
_SEEDS = range(3)
_NAMES = frozenset({*PERSONS, IdentifierType.NOM})


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m triage.evaluation.mining", description=__doc__)
    parser.add_argument("labelled", help="messages with labels, senders and spans")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the report's folder")
    parser.add_argument(
        "--train-first", type=int, default=FIRST, help="learn from so many (default: %(default)s)"
    )
    given = parser.parse_args(arguments)
    corpus = read_annotated(given.labelled)
    part = simulate(corpus, given.train_first)
    source = Path(given.labelled)
    about = made_from(corpus, f"python -m triage.evaluation.mining {source.name}", source)
    report = Report("What mining finds", about, (part,))
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "README.md").write_bytes(report_markdown(report).encode())


def simulate(corpus: AnnotatedCorpus, first: int = FIRST, lexicon: Lexicon | None = None) -> Part:
    """Simulate mining on the messages behind the first ones."""
    corpus.marked("mining")
    lexicon = lexicon or lexicon_of(corpus.messages)
    prepared = prepare(corpus, lexicon, "patel2013", first, 0)
    after = [*_steps(_after_anonymising(prepared))]
    runs = [[*_steps(_from_catalogue(prepared, seed))] for seed in _SEEDS]
    n = len(corpus.messages) - first
    return Part(
        "mining",
        "Identifiers that still stand, by the number of spellings that were answered",
        (
            f"On the {n:,} messages behind the first {first:,}. A person answers the likeliest "
            f"candidate as the marks of the file say, {_BATCH} in a round, down to a likelihood of "
            f"{BOUND:g}: always where all places of a spelling are marked, never where none is, "
            "and here where some are, which opens them.",
            _table("After triage anonymise, with dictionaries and model", after),
            _table(
                f"From a catalogue of {_N_NAMES} names, with no dictionary and no model (mean of "
                f"{len(_SEEDS)} catalogues)",
                [*map(_mean, _aligned(runs))],
            ),
        ),
    )


@dataclass(frozen=True)
class _Step:
    """What stands after some answers, what is expected to, and what was opened to answer."""

    answered: float
    always: float
    places: float
    identifiers: float
    messages: float
    share: float
    expected: float


def _aligned(runs: Sequence[list[_Step]]) -> Iterator[tuple[_Step, ...]]:
    """Yield the steps of several runs after as many answers, and the last ones."""
    yield from zip(*(steps[:-1] for steps in runs), strict=False)
    yield tuple(steps[-1] for steps in runs)


def _mean(steps: Sequence[_Step]) -> _Step:
    columns = zip(*(vars(step).values() for step in steps), strict=True)
    return _Step(*(float(np.mean(column)) for column in columns))


def _table(title: str, steps: Sequence[_Step]) -> Table:
    return Table(
        title,
        {
            "spellings answered": ",.0f",
            "always or here": ",.0f",
            "places opened": ",.0f",
            "identifiers that stand": ",.0f",
            "messages with one": ",.0f",
            "share that stands": ".1%",
            "share expected": ".1%",
        },
        [tuple(vars(step).values()) for step in steps],
        note=(
            "An identifier stands if no word of it is known. The last row is where no candidate is "
            "left. Shares are of words; the share expected is what the program tells the person."
        ),
    )


class _Expert:
    """A person who answers as the marks of the messages say."""

    def __init__(self, session: Session, gold: Sequence[list[Marked]]) -> None:
        self.session = session
        self.opened = 0
        self._gold = [(message, one) for message, spans in enumerate(gold) for one in spans]
        of_message: dict[int, list[int]] = {}
        for number, (message, _) in enumerate(self._gold):
            of_message.setdefault(message, []).append(number)
        # Of each word the identifier that it is a part of.
        self._of_word = np.full(len(session.corpus.places), -1)
        for word, place in enumerate(session.corpus.places):
            for number in of_message.get(place.message, ()):
                start, end, _ = self._gold[number][1]
                if start < place.end and place.start < end:
                    self._of_word[word] = number

    def answer(self, candidate: Candidate) -> None:
        """Answer a candidate."""
        here = [word for word in candidate.words if self._of_word[word] >= 0]
        if not here:
            self.session.answer(candidate, Said.NEVER)
            return
        *_, kind = self._gold[self._of_word[here[0]]][1]
        said = Said.ALWAYS if len(here) == len(candidate.words) else Said.HERE
        self.opened += candidate.stands if said is Said.HERE else 0
        self.session.answer(candidate, said, IdentifierType(kind.split("_")[0]), here)

    def step(self) -> _Step:
        """Measure what stands."""
        types = self.session.round().types
        is_known = types != NO_NAME
        is_marked = (self._of_word >= 0) & self.session.corpus.is_word
        standing = {*range(len(self._gold))} - {*self._of_word[is_known].tolist()}
        answers = self.session.answers.values()
        return _Step(
            len(answers),
            sum(one.said is not Said.NEVER for one in answers),
            self.opened,
            len(standing),
            len({self._gold[number][0] for number in standing}),
            float((is_marked & ~is_known).sum() / max(1, is_marked.sum())),
            self.session.share_left(),
        )


def _steps(expert: _Expert) -> Iterator[_Step]:
    yield expert.step()
    shown = iter(_SHOWN[1:])
    until = next(shown)
    for candidate in expert.session.asked(_BATCH):
        expert.answer(candidate)
        if len(expert.session.answers) == until:
            yield expert.step()
            until = next(shown, 0)
    yield expert.step()


def _after_anonymising(prepared: Prepared) -> _Expert:
    """Return an expert for what the first model leaves of the later messages."""
    corpus, lexicon = prepared.corpus, prepared.labelled.lexicon
    texts = corpus.messages[prepared.later]
    model = Learner(prepared, TrainingOptions(seed=0)).model("evidence")
    triage = Triage(lexicon, model, policy="agreement")
    senders = corpus.senders[prepared.later] if corpus.senders else [""] * len(texts)
    scored = triage.score(label_messages(texts, lexicon), senders)
    weighed = triage.weigh(scored, gather([scored]))
    judged = [Judged(action) for action in triage.decide_scored(weighed).action]
    found = find(weighed, judged, Ambiguous.HOLD)
    spans = [tuple(Span(i.start, i.end, i.type) for i in one.identifiers) for one in found]
    session = Session(
        read_corpus(texts, spans, evidence_by_start(weighed)),
        known_of(texts, spans),
        short_forms=short_forms(lexicon.pack),
    )
    return _Expert(session, _gold(prepared))


def _from_catalogue(prepared: Prepared, seed: int) -> _Expert:
    """Return an expert for the later messages, of which a few names are known."""
    texts, gold = prepared.corpus.messages[prepared.later], _gold(prepared)
    names = {
        folded(text[start:end]): text[start:end]
        for text, spans in zip(texts, gold, strict=True)
        for start, end, kind in spans
        if kind in _NAMES
    }
    drawn = random.Random(seed).sample(sorted(names.values()), min(_N_NAMES, len(names)))  # noqa: S311
    known = [Known(name, IdentifierType.PRE) for name in drawn]
    return _Expert(Session(read_corpus(texts), known), gold)


def _gold(prepared: Prepared) -> list[list[Marked]]:
    return prepared.corpus.marked("mining")[prepared.later]


if __name__ == "__main__":
    main()
