"""Rounds of mining, and what they start from: a file of messages and what is known of it, a queue.

Of a triaged file the identifiers that `triage anonymise` would find count as replaced. An
anonymised file shows them as tags; which spellings they were, and where surrogates stand, only its
table of replacements tells.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from triage.data import MessageFile, as_text
from triage.dictionaries.pack import load_pack

from ..anonymise.entity import short_forms
from ..anonymise.first_pass import judged_rows
from ..anonymise.restore import read_key_table
from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.language import guess_language
from ..decide.pipeline import Triage
from ..decide.source import Source, check_rejects, whole_chunks
from ..errors import TriageError
from ..model.annotated import FINAL_ACTION, sender_position
from ..model.find import ScoredMessages, find
from ..progress import StartProgress
from ..queue import Answer as Decided
from ..queue import Queue, WordRule
from ..queue.schema import trouble
from ..settings import Ambiguous
from ..vocabulary import Action, IdentifierType, Span, Spans
from .candidates import BOUND, Candidate, Round
from .contexts import Context, read_contexts
from .corpus import Corpus, read_corpus
from .known import Answer, Known, Said, known_of, read_answers, read_catalogue, replaced_spellings

# After so many answers the others are weighed anew.
BATCH = 20


@dataclass
class Session:
    corpus: Corpus
    known: list[Known]
    answers: dict[str, Answer] = field(default_factory=dict)
    good: list[Context] = field(default_factory=list)
    short_forms: Mapping[str, str] = field(default_factory=dict)
    bound: float = BOUND

    _last: Round | None = field(default=None, init=False, repr=False)

    def round(self) -> Round:
        if self._last is None:
            self._last = Round(self.corpus, self.known, self.answers, self.good, self.short_forms)
        return self._last

    def asked(self, batch: int = BATCH) -> Iterator[Candidate]:
        """Yield candidates to be answered, until none is above the bound; each once."""
        asked: set[str] = set()
        while new := self.round().candidates(self.bound, asked, batch):
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

    def share_left(self) -> float:
        left = self.round().expected_left()
        everything = self.round().n_marked + left
        return left / everything if everything else 0.0


def open_session(
    source: Source,
    triage: Triage | None,
    *,
    answers: Sequence[str | Path] = (),
    catalogue: str | Path | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    contexts: Path | None = None,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Session:
    """Read a file of messages and all that is known of it before it is mined."""
    listed = read_catalogue(catalogue) if catalogue else []
    good = read_contexts(contexts) if contexts else []
    said = [read_answers(path) for path in answers]
    if queue:
        with trouble(queue), Queue.open(queue) as opened:
            marks, rules = of_queue(opened)
        listed, said = listed + marks, [rules, *said]
    corpus, known = read_messages(source, triage, key_table, progress, jobs)
    short = short_forms(triage.lexicon.pack) if triage else {}
    every = {key: one for read in said for key, one in read.items()}
    return Session(corpus, known + listed, every, good, short)


# A message, where its identifiers are sure, and the evidence of its words by their starts.
_Read = tuple[str, Spans, Mapping[int, float]]


def read_messages(
    source: Source,
    triage: Triage | None = None,
    key_table: str | None = None,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> tuple[Corpus, list[Known]]:
    """Read what is mined, and the spellings that are known without any answer."""
    read: list[_Read] = []
    with source.open() as file:
        if triage:
            sender = sender_position(file.columns, source.reading.sender_column, file.name)
            corpus = CorpusPass(whole_chunks(file, sender), file.lines, jobs=jobs)
            with used_chunks(triage, corpus, partial(_weighed, file), progress) as chunks:
                read += (one for chunk in chunks for one in chunk)
        else:
            read += ((text, (), {}) for chunk in file.chunks() for text in chunk.texts)
            check_rejects(file)
    texts, spans = [text for text, _, _ in read], [spans for _, spans, _ in read]
    known = known_of(texts, spans)
    if key_table is not None:
        rows = read_key_table(key_table)
        known += _replaced(rows, key_table)
        spans = _with_surrogates(texts, spans, rows)
    return read_corpus(texts, spans, [one for _, _, one in read] if triage else None), known


def _weighed(file: MessageFile, seen: ScoredChunk) -> list[_Read]:
    """Read a scored chunk, perhaps in a worker process."""
    chunk, scored = seen
    spans: list[Spans] = [()] * len(chunk.texts)
    if {FINAL_ACTION, "action"} & {*file.columns}:
        found = find(scored, [*judged_rows(file, chunk)], Ambiguous.HOLD)
        spans = [tuple(Span(i.start, i.end, i.type) for i in one.identifiers) for one in found]
    return list(zip(chunk.texts, spans, evidence_by_start(scored), strict=True))


def evidence_by_start(scored: ScoredMessages) -> list[dict[int, float]]:
    evidence: list[dict[int, float]] = [{} for _ in scored.labelled.messages]
    words = scored.labelled.words
    places = zip(words.message.tolist(), words.start.tolist(), scored.evidence, strict=True)
    for message, start, weight in places:
        evidence[message][start] = weight or 0.0
    return evidence


def _replaced(rows: Iterable[Mapping[str, object]], name: str) -> list[Known]:
    spelled = [(as_text(row["identifier"]), as_text(row.get("type"))) for row in rows]
    if not all(type_ in IdentifierType.__members__ for _, type_ in spelled):
        raise TriageError(f"{name} is no table of triage anonymise: it lacks types of identifiers")
    return replaced_spellings((text, IdentifierType(type_)) for text, type_ in spelled)


def _with_surrogates(
    texts: Sequence[str], spans: Sequence[Spans], rows: Iterable[Mapping[str, object]]
) -> list[Spans]:
    """Add where the replacements of a table stand, in the rows that it says were written."""
    of_row: defaultdict[str, list[tuple[str, IdentifierType]]] = defaultdict(list)
    for row in rows:
        replacement, type_ = as_text(row["replacement"]), IdentifierType(as_text(row["type"]))
        of_row[as_text(row.get("written"))].append((replacement, type_))
    found = []
    for number, (text, known) in enumerate(zip(texts, spans, strict=True), 1):
        at, there = 0, [*known]
        for replacement, type_ in of_row.get(str(number), []):
            start = text.find(replacement, at) if replacement else -1
            if start >= 0:
                at = start + len(replacement)
                there.append(Span(start, at, type_))
        found.append(tuple(there))
    return found


def of_queue(queue: Queue) -> tuple[list[Known], dict[str, Answer]]:
    """Return what people decided in a queue: spellings that they marked, and rules for words."""
    marks: list[tuple[str, IdentifierType]] = []
    for number, decided in queue.resolved().items():
        if decided.answer is Decided.TA:
            text = queue.existing_item(number).text
            marks += [(text[one.start : one.end], one.type) for one in decided.spans]
    return replaced_spellings(marks), rules_of(queue)


def rules_of(queue: Queue) -> dict[str, Answer]:
    said = {WordRule.ALWAYS: Said.ALWAYS, WordRule.NEVER: Said.NEVER}
    answers = (
        Answer(word, said[rule], IdentifierType(type_ or IdentifierType.PRE))
        for word, (rule, type_) in queue.word_rules().items()
    )
    return {one.key: one for one in answers}


class MinedQueue:
    """The messages of a queue, read once, and rounds of mining from the decisions on them."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        rows, evidence = queue.texts(), queue.evidence()
        self.items = [item for item, _, _ in rows]
        self._is_sure = [action is Action.TA for action in queue.actions()]
        texts = [text for _, _, text in rows]
        self._short_forms = short_forms(load_pack(guess_language(texts).language))
        self.corpus = read_corpus(texts, evidence=[evidence.get(item, {}) for item in self.items])

    def round(self) -> Round:
        resolved, suggested = self._queue.resolved(), self._queue.suggestions()
        spans: list[Spans] = []
        for item, is_sure in zip(self.items, self._is_sure, strict=True):
            decided = resolved.get(item)
            spans.append(decided.spans if decided else suggested(item) if is_sure else ())
        self.corpus = self.corpus.with_replaced(spans)
        known = known_of(self.corpus.texts, spans)
        return Round(self.corpus, known, rules_of(self._queue), short_forms=self._short_forms)
