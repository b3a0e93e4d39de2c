"""Play a reader of the queue and of mining: leak and residue left by the minutes that were read.

Run by ``make reports``. A model is learnt from the paper's training messages, and what it leaves of
the later ones is read: message by message in the order of the queue, or spelling by spelling as
``triage mine`` asks. The reader answers as labels and marks say; what is not read is left to the
model's vote and to what ``triage anonymise --hold none --ambiguous mask`` finds::

    python -m tests.benchmarks.reading ../shared/benchmarks reports/results/reading
"""

import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from tests.benchmarks.files import FIRST, write_page
from triage.anonymise.grading import KnownSpelling, WordAnswer, evidence_of
from triage.anonymise.grading import read_corpus as words_of
from triage.decide.find import Found, Judged, ScoredMessages, find, is_touched
from triage.decide.pipeline import Decisions, Triage
from triage.decide.policy import SECONDS_PER_MESSAGE
from triage.dictionaries import label_messages, load_lexicon
from triage.dictionaries.pack import Pack
from triage.evaluation.corpus import AnnotatedCorpus, read_corpus, weighed
from triage.mining import BATCH, Candidate, Round, known_of
from triage.model.annotated import Spans
from triage.reports.measures import Mask
from triage.reports.page import Block, Table
from triage.settings import Ambiguous
from triage.vocabulary import Action, IdentifierType, Span

_MINUTES = (5, 10, 15, 30, 60, 120, 240, 480)


@dataclass(frozen=True)
class Later:
    """The messages behind the first ones; the marked identifiers that stand, by their numbers."""

    triage: Triage
    texts: list[str]
    is_ta: Mask
    marked: list[Spans]
    scored: ScoredMessages
    decided: Decisions
    found: list[Found]
    leaks: Mask
    stands: list[set[int]]

    @classmethod
    def of(cls, corpus: AnnotatedCorpus, first: int) -> "Later":
        """Learn from the first messages, and decide the others under the guarded policy."""
        lexicon = load_lexicon("fr")
        triage = Triage(lexicon, corpus.learn(range(first), lexicon), policy="guarded")
        texts, is_ta = corpus.messages[first:], corpus.is_ta[first:]
        marked = corpus.marked("what a reader leaves")[first:]
        labelled = label_messages(texts, lexicon)
        scored = weighed(triage, labelled, corpus.senders_or_empty[first:])
        decided = triage.decide_scored(scored)
        votes = zip(decided.action, decided.model, strict=True)
        left = [Action(vote) if action is Action.EXPERT else action for action, vote in votes]
        found = find(scored, [*map(Judged, left)], Ambiguous.MASK)
        leaks = is_ta & np.array([action is Action.NTA for action in left])
        stands = [
            {k for k, span in enumerate(of) if not is_touched(span, one.identifiers)}
            for of, one in zip(marked, found, strict=True)
        ]
        return cls(triage, texts, is_ta, marked, scored, decided, found, leaks, stands)


def read_queue(later: Later) -> Iterator[float]:
    """Read the expert's messages, and yield the seconds of each; a text is read once."""
    rows: dict[str, list[int]] = {}
    score: dict[str, float] = {}
    decided = zip(later.texts, later.decided.action, later.decided.model_score, strict=True)
    for row, (text, action, value) in enumerate(decided):
        rows.setdefault(text, []).append(row)
        if action is Action.EXPERT:
            score.setdefault(text, value)
    # In the order of a queue: votes for TA and NTA alternate, the highest scores first.
    ranked = sorted(score, key=lambda text: (-score[text], -len(rows[text])))
    ta_from = later.triage.model.manifest.ta_from
    kinds = ([t for t in ranked if (score[t] >= ta_from) is votes_ta] for votes_ta in (True, False))
    for text in (t for pair in zip_longest(*kinds) for t in pair if t is not None):
        for row in rows[text]:
            later.leaks[row] = False
            # Of what is labelled NTA nothing is replaced.
            is_ta = later.is_ta[row]
            later.stands[row] = set() if is_ta else {*range(len(later.marked[row]))}
        yield SECONDS_PER_MESSAGE


def _asked(first: Round, answers: dict[str, KnownSpelling], pack: Pack) -> Iterator[Candidate]:
    """Yield candidates to be answered, in rounds of `BATCH`, each once."""
    asked: set[str] = set()
    while True:
        again = Round(first.corpus, first.known, answers, pack)
        new = again.candidates(excluded=asked, limit=BATCH)
        if not new:
            return
        asked.update(one.key for one in new)
        yield from new


def read_spellings(later: Later) -> Iterator[float]:
    """Answer what mining asks, and yield the seconds; unclear spellings are read place by place."""
    spans = [tuple(Span(i.start, i.end, i.type) for i in of.identifiers) for of in later.found]
    corpus = words_of(later.texts, spans, [evidence_of(later.scored)])
    pack = later.triage.lexicon.pack
    first = Round(corpus, known_of(later.texts, spans), pack=pack)
    answers: dict[str, KnownSpelling] = {}
    # Of each word the message and number of the identifier that it is a part of.
    identifier = {
        word: (message, k)
        for word, (message, begin, stop) in enumerate(map(corpus.place, range(len(corpus.form))))
        for k, (start, end, _) in enumerate(later.marked[message])
        if start < stop and begin < end
    }
    for candidate in _asked(first, answers, pack):
        here = [word for word in candidate.words if word in identifier]
        if not here:
            answers[candidate.key] = KnownSpelling(candidate.spelling, answer=WordAnswer.NEVER)
            yield SECONDS_PER_MESSAGE
            continue
        message, k = identifier[here[0]]
        type_ = IdentifierType(later.marked[message][k][2].split("_")[0])
        answer = WordAnswer.ALWAYS if len(here) == len(candidate.words) else WordAnswer.HERE
        places = frozenset((at + 1, start) for at, start, _ in map(corpus.place, here))
        answers[candidate.key] = KnownSpelling(
            candidate.spelling, type_, candidate.entity, answer=answer, places=places
        )
        for message, k in map(identifier.__getitem__, here):
            later.stands[message].discard(k)
            later.leaks[message] &= bool(later.stands[message])
        yield SECONDS_PER_MESSAGE * (1 if answer is WordAnswer.ALWAYS else candidate.stands)


READERS = {"queue": read_queue, "mine": read_spellings}


def read(name: str, later: Later) -> Table:
    """Play a reader, and tell what is left at the start, after so many minutes, and at the end."""
    seconds, left = [0.0], [(_leak(later), _residue(later))]
    for cost in READERS[name](later):
        seconds.append(seconds[-1] + cost)
        left.append((_leak(later), _residue(later)))
    reached = [60 * minute for minute in _MINUTES if 60 * minute <= seconds[-1]]
    places = [0, *(bisect_left(seconds, one) for one in reached), len(seconds) - 1]
    return Table(
        f"Leak and residue: triage {name}",
        {"minutes": ",.0f", "read": ",d", "leak": ".2%", "residue": ".2%"},
        [(seconds[n] / 60, n, *left[n]) for n in dict.fromkeys(places)],
    )


def _leak(later: Later) -> float:
    return int(later.leaks.sum()) / max(1, int(later.is_ta.sum()))


def _residue(later: Later) -> float:
    return sum(map(bool, later.stands)) / len(later.texts)


def main(folder: Path, target: Path) -> None:
    corpus = read_corpus(str(folder / "sms_fr.csv.gz"))
    blocks: list[Block] = [
        f"{len(corpus.messages) - FIRST:,} later messages; to read one takes "
        f"{SECONDS_PER_MESSAGE:g} seconds. Leak: of TA messages those that end as NTA. Residue: of "
        "all messages those that leave with an identifier no character of which is replaced, "
        "whatever their action.",
        *(read(name, Later.of(corpus, FIRST)) for name in READERS),
    ]
    write_page(target, "What a reader leaves", blocks)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
