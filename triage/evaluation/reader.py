"""A reader, played on labelled messages: leak and residue left by the minutes that were read.

A model is learnt from the first messages, and what it leaves of the later ones is read: message by
message in the order of the queue, or spelling by spelling as ``triage mine`` asks. The reader
answers as labels and marks say; what is not read is left to the model's vote and to what
``triage anonymise --hold none --ambiguous mask`` finds::

    python -m triage.evaluation.reader queue labelled.csv -o folder
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from triage.dictionaries import label_messages
from triage.reports.charts import Series, curve, save_report
from triage.reports.measures import Mask
from triage.reports.page import Cell, Figure, Part, Report, Table, part_text

from ..anonymise.entity import short_forms
from ..decide.pipeline import Decisions, Triage
from ..decide.workload import SECONDS_PER_MESSAGE
from ..errors import TriageError, UserError
from ..mining.corpus import read_corpus as words_of
from ..mining.known import Said, known_of
from ..mining.session import Session, evidence_by_start
from ..model.annotated import Spans
from ..model.find import Found, Judged, ScoredMessages, find, is_touched
from ..queue.fill import learning_order
from ..settings import Ambiguous
from ..vocabulary import Action, IdentifierType, Span
from .corpus import AnnotatedCorpus, lexicon_of, made_from, read_corpus, weighed

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
        spans, n = corpus.marked("what a reader leaves"), len(corpus.messages)
        if not 0 < first < n:
            raise TriageError(f"the first {first:,} of {n:,} messages leave none to read")
        lexicon = lexicon_of(corpus.messages)
        triage = Triage(lexicon, corpus.learn(range(first), lexicon), policy="guarded")
        texts, is_ta, marked = corpus.messages[first:], corpus.is_ta[first:], spans[first:]
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

    def row(self, seconds: float, n_read: int) -> tuple[Cell, ...]:
        """Return what is left after some reading."""
        n_left, n_standing = int(self.leaks.sum()), sum(map(bool, self.stands))
        leak = n_left / max(1, int(self.is_ta.sum()))
        return seconds / 60, n_read, n_left, leak, n_standing, n_standing / len(self.texts)


def read_queue(later: Later) -> Iterator[float]:
    """Read the expert's messages, and yield the seconds of each; a text is read once."""
    rows: dict[str, list[int]] = {}
    score: dict[str, float] = {}
    decided = zip(later.texts, later.decided.action, later.decided.model_score, strict=True)
    for row, (text, action, value) in enumerate(decided):
        rows.setdefault(text, []).append(row)
        if action is Action.EXPERT:
            score.setdefault(text, value)
    ta_from, n_messages = later.triage.model.manifest.ta_from, [len(rows[text]) for text in score]
    turns = learning_order([*score.values()], ta_from, n_messages)
    for _, text in sorted(zip(turns, score, strict=True)):
        for row in rows[text]:
            later.leaks[row] = False
            # Of what is labelled NTA nothing is replaced.
            is_ta = later.is_ta[row]
            later.stands[row] = set() if is_ta else {*range(len(later.marked[row]))}
        yield SECONDS_PER_MESSAGE


def read_spellings(later: Later) -> Iterator[float]:
    """Answer what mining asks, and yield the seconds; unclear spellings are read place by place."""
    spans = [tuple(Span(i.start, i.end, i.type) for i in of.identifiers) for of in later.found]
    corpus = words_of(later.texts, spans, evidence_by_start(later.scored))
    forms = short_forms(later.triage.lexicon.pack)
    session = Session(corpus, known_of(later.texts, spans), short_forms=forms)
    # Of each word the message and number of the identifier that it is a part of.
    identifier = {
        word: (place.message, k)
        for word, place in enumerate(corpus.places)
        for k, (start, end, _) in enumerate(later.marked[place.message])
        if start < place.end and place.start < end
    }
    for candidate in session.asked():
        here = [word for word in candidate.words if word in identifier]
        if not here:
            session.answer(candidate, Said.NEVER)
            yield SECONDS_PER_MESSAGE
            continue
        message, k = identifier[here[0]]
        type_ = IdentifierType(later.marked[message][k][2].split("_")[0])
        said = Said.ALWAYS if len(here) == len(candidate.words) else Said.HERE
        session.answer(candidate, said, type_, here)
        for message, k in map(identifier.__getitem__, here):
            later.stands[message].discard(k)
            later.leaks[message] &= bool(later.stands[message])
        yield SECONDS_PER_MESSAGE * (1 if said is Said.ALWAYS else candidate.stands)


READERS = {"queue": read_queue, "mine": read_spellings}


def reading(name: str, later: Later) -> Part:
    """Play a reader, and tell what is left by the minutes that were read."""
    rows = [later.row(0, 0)]
    seconds, n_read, minutes = 0.0, 0, [*_MINUTES]
    for cost in READERS[name](later):
        seconds, n_read = seconds + cost, n_read + 1
        while minutes and seconds >= 60 * minutes[0]:
            rows.append(later.row(seconds, n_read))
            del minutes[0]
    rows.append(later.row(seconds, n_read))
    at, leak, residue = ([float(str(row[i])) for row in rows] for i in (0, 3, 5))
    table = Table(
        "Leak and residue",
        {
            "minutes": ",.0f",
            "read": ",d",
            "TA messages released": ",d",
            "leak": ".2%",
            "messages with an identifier standing": ",d",
            "residue": ".2%",
        },
        rows,
        "Leak: of TA messages those that end as NTA. Residue: of all messages those that leave "
        "with an identifier no character of which is replaced, whatever their action.",
    )
    lines = [Series("leak", at, leak), Series("residue", at, residue)]
    figure = Figure(
        name,
        "Leak and residue left",
        f"In {at[-1]:.0f} minutes the leak goes from {leak[0]:.2%} to {leak[-1]:.2%}, the residue "
        f"from {residue[0]:.2%} to {residue[-1]:.2%}.",
        curve(lines, x_label="minutes read", percent="y"),
    )
    about = f"{len(later.texts):,} messages; to read one takes {SECONDS_PER_MESSAGE:g} seconds."
    return Part(name, f"What is left by the minutes read: triage {name}", (about, table, figure))


def main(arguments: Sequence[str] | None = None) -> None:
    """Play a reader, print what is left, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m triage.evaluation.reader")
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("labelled", type=Path, help="messages with labels, senders and spans")
    parser.add_argument("-o", "--output", type=Path, help="the report's folder")
    parser.add_argument("--train-first", type=int, default=4000, help="(default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        corpus = read_corpus(str(given.labelled))
        part = reading(given.reader, Later.of(corpus, given.train_first))
    except UserError as error:
        parser.error(str(error))
    sys.stdout.write(part_text(part) + "\n")
    if given.output:
        command = f"{parser.prog} {given.reader} {given.labelled.name}"
        about = made_from(corpus, f"{command} --train-first {given.train_first}", given.labelled)
        save_report(Report("What a reader leaves", about, (part,)), given.output, overwrite=True)


if __name__ == "__main__":
    main()
