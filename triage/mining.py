"""Mining: spellings that may still be names, asked of a person in rounds.

A spelling has the probability of its likeliest place (`grading`). Of a triaged file the identifiers
that `triage anonymise` would find count as replaced; an anonymised file shows them as tags.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from triage.data import Chunk, MessageFile
from triage.data.errors import whole_characters
from triage.data.output import private_table
from triage.dictionaries.pack import Pack, load_pack
from triage.dictionaries.phrases import phrase_key
from triage.reports.page import printable

from .anonymise.grading import (
    NO_NAME,
    TYPES,
    Clue,
    Corpus,
    Floats,
    Grades,
    Ints,
    KnownSpelling,
    WordAnswer,
    distinct,
    evidence_of,
    known_people,
    read_corpus,
    without_particles,
)
from .anonymise.plan import Plan, plan_text
from .anonymise.run import judged_rows
from .anonymise.sought import FileMessages, read_messages, sought_in_key_table
from .decide.engine import used_chunks
from .decide.find import ScoredMessages, around, find
from .decide.language import guess_language
from .decide.people import Account, read_people, type_in
from .decide.pipeline import Triage
from .decide.source import Source, read_rows
from .model.annotated import FINAL_ACTION
from .progress import StartProgress
from .queue import Answer, Queue
from .safe import Staged, check_folder, check_targets, publish_all, staged
from .settings import Ambiguous
from .vocabulary import Action, IdentifierType, Span, Spans

_WIDTH = 40
# The likelihood from which on a spelling is worth a question.
BOUND = 0.02
# Names that are an edit apart are mostly two names.
_SAME_ENTITY = frozenset({Clue.STRETCHED, Clue.GLUED, Clue.HANDLE})
# Answers are counted in bands of likelihood with these limits; the mean likelihood of a band counts
# as so many answers more.
_BANDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_PRIOR = 10.0
# How often a name that is still to be found stands, as long as no answer tells.
_USUAL_PLACES = 1.5
_IDENTIFIES = (WordAnswer.ALWAYS, WordAnswer.HERE)
_ByKey = Mapping[str, KnownSpelling]
_NONE: _ByKey = MappingProxyType({})


class Line(NamedTuple):
    """A place of a spelling: the row of its message, from 1, where it starts, and its context."""

    row: int
    start: int
    before: str
    text: str
    behind: str


def line_of(text: str, row: int, start: int, end: int, width: int = _WIDTH) -> Line:
    text = printable(text.replace("\n", " "))
    before, behind = around(text, start, end, width)
    return Line(row, start, before, text[start:end], behind)


def lines_of(corpus: Corpus, words: Iterable[int], width: int = _WIDTH) -> list[Line]:
    """Return the lines of words of a corpus; each context has up to `width` characters."""
    places = map(corpus.place, words)
    return [line_of(corpus.texts[row], row + 1, start, end, width) for row, start, end in places]


def known_of(texts: Sequence[str], spans: Sequence[Spans]) -> list[KnownSpelling]:
    """Return the spellings that are sure to be identifiers somewhere, and how often."""
    counts = Counter(
        (text[one.start : one.end], one.type)
        for text, marks in zip(texts, spans, strict=True)
        for one in marks
    )
    return [KnownSpelling(text, type_, replaced=n) for (text, type_), n in counts.items()]


def with_answers(known: Iterable[KnownSpelling], answers: _ByKey) -> list[KnownSpelling]:
    """Replace the known spellings that a person has answered by the answers to them."""
    unanswered = [one for one in known if one.key not in answers]
    return unanswered + [one for one in answers.values() if one.answer in _IDENTIFIES]


def marked(corpus: Corpus, known: Iterable[KnownSpelling]) -> Ints:
    """Return for each word the number of its type if it identifies somebody, else `NO_NAME`."""
    types = corpus.replaced.copy()
    # What is known of some places alone counts there, whatever else is known.
    for one in sorted(known, key=lambda one: one.answer is not WordAnswer.ALWAYS):
        if one.answer is WordAnswer.ALWAYS or one.places:
            key = phrase_key(one.spelling)
            words = corpus.words_of(*key)
            if one.answer is not WordAnswer.ALWAYS:
                places = map(corpus.place, words.tolist())
                is_here = [(at + 1, start) in one.places for at, start, _ in places]
                words = words[np.array(is_here, dtype=np.bool_)]
            for offset in range(len(key)):
                types[words + offset] = TYPES.index(one.type)
    return types


@dataclass(frozen=True)
class Candidate:
    """A spelling that may identify somebody, and the places where it stands."""

    spelling: str
    likelihood: float
    stands: int
    replaced: int
    reasons: tuple[Clue, ...]
    akin: str
    context: str
    type: IdentifierType
    entity: str
    words: tuple[int, ...] = field(repr=False)

    @property
    def key(self) -> str:
        return phrase_key(self.spelling)[0]


class Round(Grades):
    """Grade the words that still stand by the spellings known and the answers so far."""

    def __init__(
        self,
        corpus: Corpus,
        known: Sequence[KnownSpelling],
        answers: _ByKey = _NONE,
        pack: Pack | None = None,
    ) -> None:
        self.known, self.answers = known, answers
        names = distinct(with_answers(known, answers))
        types = marked(corpus, names)
        answered = {key for key, one in answers.items() if one.answer is not WordAnswer.LATER}
        super().__init__(corpus, names, types, pack, {}, answered)
        self.n_marked = int(((types != NO_NAME) & (corpus.is_word | corpus.is_tag)).sum())
        self.likelihood = np.zeros(len(corpus.forms))
        np.maximum.at(self.likelihood, corpus.form, self.probability)

    def candidates(
        self, bound: float = BOUND, excluded: Set[str] = frozenset(), limit: int | None = None
    ) -> list[Candidate]:
        """Return the candidates from a likelihood on, the likeliest first."""
        forms = self.corpus.forms
        numbers = np.flatnonzero((self.likelihood >= bound) & (self.likelihood > 0)).tolist()
        numbers = [number for number in numbers if forms[number] not in excluded]
        numbers.sort(key=lambda n: (-self.likelihood[n], -self.stands[n], forms[n]))
        candidates = []
        for number in numbers[:limit]:
            words = self.corpus.words_of(forms[number]).tolist()
            words = [word for word in words if self.standing[word]]
            likeliest = max(words, key=lambda word: float(self.probability[word]))
            spellings = Counter(map(self.corpus.written, words))
            kin, known = self.kin.get(number, []), self.akin(likeliest)
            reasons = (reason for word in (likeliest, *words) for reason in self.reasons(word))
            candidate = Candidate(
                min(spellings, key=lambda spelling: (-spellings[spelling], spelling)),
                float(self.likelihood[number]),
                len(words),
                self.known_forms[number].replaced if number in self.known_forms else 0,
                (*dict.fromkeys(reasons),),
                known.spelling if known else "",
                self.contexts.best(likeliest),
                self.type_of(words),
                kin[0][1].entity if kin and kin[0][0] in _SAME_ENTITY else "",
                tuple(words),
            )
            candidates.append(candidate)
        return candidates

    def expected_left(self) -> float:
        """Estimate how many words of identifiers still stand, from the answers so far."""
        n_bands = len(_BANDS) + 1
        asked, right, places = np.zeros((3, n_bands))
        for one in self.answers.values():
            if one.likelihood is not None and one.answer is not WordAnswer.LATER:
                band = bisect_right(_BANDS, one.likelihood)
                asked[band] += 1
                n_places = one.stands if one.answer is WordAnswer.ALWAYS else 0
                n_places = len(one.places) if one.answer is WordAnswer.HERE else n_places
                right[band] += n_places > 0
                places[band] += n_places
        likelihood = self.likelihood[self.likelihood > 0]
        bands = np.searchsorted(_BANDS, likelihood, side="right")
        n_spellings = np.bincount(bands, minlength=n_bands)
        mean = np.bincount(bands, likelihood, minlength=n_bands) / np.maximum(n_spellings, 1)
        rate = (right + _PRIOR * mean) / (asked + _PRIOR)
        n_each = (places + _USUAL_PLACES) / (right + 1)
        return float((n_spellings * rate * n_each).sum())


# After so many answers the others are weighed anew.
BATCH = 20
COLUMNS = (
    *("spelling", "answer", "type", "entity", "places"),
    *("likelihood", "stands", "replaced", "reasons", "akin", "context", "example"),
)
LINE_COLUMNS = ("spelling", "row", "start", "left", "keyword", "right")
NAMES, WORDS, PLAN = LISTS = "names.txt", "words.txt", "plan.toml"
_DIGITS = 4
_PLACE = re.compile(r"([0-9]{1,12}):([0-9]{1,12})")


@dataclass(frozen=True)
class Mining:
    """A file to be mined, what is known before, and where candidates, lists and places go."""

    source: Source
    answers: Sequence[str | Path] = ()
    catalogue: str | Path | None = None
    key_table: str | None = None
    queue: str | Path | None = None
    output: Path | None = None
    lists: Path | None = None
    concordance: Path | None = None
    overwrite: bool = False

    def check(self, also_read: Iterable[str | Path]) -> None:
        """Refuse outputs that would take the place of other files."""
        known = [one for one in (self.catalogue, self.key_table, self.queue) if one]
        inputs = [self.source.path, *also_read, *self.answers, *known]
        check_targets([self.output, self.concordance], inputs, overwrite=self.overwrite)
        if self.lists:
            check_folder(self.lists, LISTS, inputs, overwrite=self.overwrite)

    def open(
        self, triage: Triage | None, progress: StartProgress | None = None, jobs: int = 1
    ) -> Round:
        """Read the messages, and all spellings and answers that are known before."""
        people = read_people(self.catalogue) if self.catalogue else []
        always = partial(KnownSpelling, answer=WordAnswer.ALWAYS)
        given = [always(one.spelling, one.type, one.entity) for one in people]
        answers = dict[str, KnownSpelling]()
        if self.queue:
            with Queue.open(self.queue) as queue:
                decided = queue.resolved()
                text_of = {n: text for n, _, text, *_ in queue.messages()}
                items = [n for n, one in decided.items() if one.answer is Answer.TA]
                given += known_of([text_of[n] for n in items], [decided[n].spans for n in items])
                answers |= rules_of(queue)
        for path in self.answers:
            answers |= read_answers(path)
        texts, spans, evidence, known = _read_messages(self.source, triage, progress, jobs)
        known = known_of(texts, spans) + known
        if self.key_table is not None:
            sought = sought_in_key_table(self.key_table, FileMessages(self.source.path, texts))
            known += sought.known
            spans = [(*marks, *sought.put_in.get(row, ())) for row, marks in enumerate(spans)]
        pack, corpus = triage.lexicon.pack if triage else None, read_corpus(texts, spans, evidence)
        for path in self.answers:
            read_answers(path, corpus)
        known = without_particles(known, pack) if pack else known
        return Round(corpus, known + given, answers, pack)

    def write(self, session: Round, candidates: Iterable[Candidate] = ()) -> None:
        """Write what is named, all or nothing."""
        listed = dict(_lists(session)) if self.lists else {}
        with ExitStack() as stack:
            outputs = self._outputs(session, candidates, listed)
            publish_all([stack.enter_context(one) for one in outputs])
        if self.lists and self.overwrite:
            # What an earlier round listed may be answered otherwise now.
            for name in {*LISTS} - {*listed}:
                (self.lists / name).unlink(missing_ok=True)

    def _outputs(
        self, session: Round, candidates: Iterable[Candidate], listed: Mapping[str, str]
    ) -> Iterator[AbstractContextManager[Staged]]:
        overwrite = self.overwrite
        if self.lists:
            self.lists.mkdir(parents=True, exist_ok=True)
            for name, text in listed.items():
                path = self.lists / name
                yield staged(path, text.encode(), private=True, overwrite=overwrite)
        if self.concordance:
            places = ((one.spelling, lines_of(session.corpus, one.words)) for one in candidates)
            lines = ([spelling, *line] for spelling, found in places for line in found)
            yield private_table(self.concordance, LINE_COLUMNS, lines, overwrite=overwrite)
        if self.output:
            rows = candidate_rows(session, candidates)
            yield private_table(self.output, COLUMNS, rows, overwrite=overwrite)


def _read_messages(
    source: Source, triage: Triage | None, progress: StartProgress | None, jobs: int
) -> tuple[list[str], list[Spans], list[Floats] | None, list[KnownSpelling]]:
    """Read messages, their sure identifiers, the evidence of their words, and their people."""
    with source.open() as file:
        if triage is None:
            texts = read_messages(file).texts
            return texts, [()] * len(texts), None, []
        account = Account.of(triage, file)
        look = partial(_read_chunk, file)
        with used_chunks(triage, file, look, progress, account=account, jobs=jobs) as used:
            parts = [*used]
    texts = [text for one, _, _ in parts for text in one]
    spans = [marks for _, one, _ in parts for marks in one]
    known = known_people(account.people if account else None)
    return texts, spans, [evidence for *_, evidence in parts], known


def _read_chunk(
    file: MessageFile, chunk: Chunk, scored: ScoredMessages
) -> tuple[list[str], list[Spans], Floats]:
    spans: list[Spans] = [()] * len(chunk.texts)
    if {FINAL_ACTION, "action"} & {*file.columns}:
        findings = find(scored, [*judged_rows(file, chunk)], Ambiguous.HOLD)
        spans = [tuple(Span(i.start, i.end, i.type) for i in one.identifiers) for one in findings]
    return chunk.texts, spans, evidence_of(scored, chunk.first)


def rules_of(queue: Queue) -> dict[str, KnownSpelling]:
    answers = (
        KnownSpelling(word, IdentifierType(type_ or IdentifierType.PRE), answer=WordAnswer(rule))
        for word, (rule, type_) in queue.word_rules().items()
    )
    return {one.key: one for one in answers}


class MinedQueue:
    """The messages of a queue, read once, and rounds of mining from the decisions on them."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        rows = [(item, text, action) for item, _, text, action, _ in queue.messages()]
        self.items = [item for item, _, _ in rows]
        self._is_sure = [action == Action.TA for *_, action in rows]
        texts = [text for _, text, _ in rows]
        self._pack = load_pack(guess_language(texts)[0])
        evidence = np.array(queue.run("evidence"), dtype=np.float64).reshape(-1, 3).T
        self.corpus = read_corpus(texts, evidence=[evidence])

    def round(self) -> Round:
        resolved, suggested = self._queue.resolved(), self._queue.suggestions()
        spans: list[Spans] = []
        for item, is_sure in zip(self.items, self._is_sure, strict=True):
            decided = resolved.get(item)
            spans.append(decided.spans if decided else suggested(item) if is_sure else ())
        self.corpus = self.corpus.with_replaced(spans)
        known = known_of(self.corpus.texts, spans)
        return Round(self.corpus, known, rules_of(self._queue), self._pack)


def read_answers(path: str | Path, corpus: Corpus | None = None) -> dict[str, KnownSpelling]:
    """Read answers by their keys; rows without one are left out."""
    rows = read_rows(path, ("spelling", "answer"), partial(_answered, corpus=corpus))
    return {one.key: one for one in rows if one}


def _answered(cells: Mapping[str, str], corpus: Corpus | None) -> KnownSpelling | None:
    answer = cells["answer"].lower()
    if not answer:
        return None
    if answer not in [*WordAnswer]:
        raise ValueError(f"the answer is none of {', '.join(WordAnswer)}")
    if not phrase_key(cells["spelling"]):
        raise ValueError("it has no spelling; write it, or remove the row")
    places = frozenset((int(row), int(at)) for row, at in _PLACE.findall(cells.get("places", "")))
    if answer == WordAnswer.HERE and not places:
        raise ValueError("of an answer 'here' the places are needed, such as 12:0 for row:start")
    if answer == WordAnswer.HERE and corpus:
        words = map(corpus.place, corpus.words_of(*phrase_key(cells["spelling"])).tolist())
        if wrong := places - {(at + 1, start) for at, start, _ in words}:
            place = ":".join(map(str, min(wrong)))
            raise ValueError(f"its spelling is not at {place} (row:start): mend or remove it")
    return KnownSpelling(
        cells["spelling"],
        type_in(cells.get("type") or IdentifierType.PRE),
        cells.get("entity", ""),
        answer=WordAnswer(answer),
        places=places,
        likelihood=_number(cells, "likelihood", 1),
        stands=int(_number(cells, "stands", 10**12) or 0),
    )


def _number(cells: Mapping[str, str], column: str, maximum: int) -> float | None:
    if not (cell := cells.get(column, "")):
        return None
    with suppress(ValueError):
        if 0 <= (number := float(cell.replace(",", "."))) <= maximum:
            return number
    raise ValueError(f"the value of {column!r} is no number from 0 to {maximum:,}")


def facts_of(session: Round, candidates: Sequence[Candidate], bound: float) -> dict[str, Any]:
    """Return the numbers of a round; words of identifiers that still stand are estimated."""
    answers = Counter(one.answer.value for one in session.answers.values() if one.answer)
    n_marked, n_left = session.n_marked, session.expected_left()
    return {
        "candidates": len(candidates),
        "bound": bound,
        "stand": sum(one.stands for one in candidates),
        "answers": dict(sorted(answers.items())),
        "identifiers": n_marked,
        "expected_left": round(n_left, 1),
        "share_left": round(n_left / (n_marked + n_left), _DIGITS) if n_marked + n_left else 0.0,
    }


def candidate_rows(session: Round, candidates: Iterable[Candidate]) -> Iterator[list[object]]:
    """Yield candidates, then the answers so far, in the order of `COLUMNS`."""
    answers = session.answers
    for candidate in candidates:
        answer = str(answers[candidate.key].answer) if candidate.key in answers else ""
        # The likeliest place.
        example = max(candidate.words, key=session.probability.__getitem__)
        (line,) = lines_of(session.corpus, [example], width=30)
        yield [
            *(candidate.spelling, answer, candidate.type.value, candidate.entity, ""),
            *(round(candidate.likelihood, _DIGITS), candidate.stands, candidate.replaced),
            *("; ".join(candidate.reasons), candidate.akin, candidate.context),
            f"{line.before}[{line.text}]{line.behind}",
        ]
    for one in answers.values():
        if one.answer is not WordAnswer.LATER:
            places = " ".join(f"{row}:{start}" for row, start in sorted(one.places))
            likelihood = "" if one.likelihood is None else round(one.likelihood, _DIGITS)
            cells = [one.spelling, str(one.answer), one.type.value, one.entity, places]
            yield [*cells, likelihood, one.stands, *[""] * 5]


def _lists(session: Round) -> Iterator[tuple[str, str]]:
    """Yield the lists of what is always, and never, an identifier; an empty one is left out."""
    answers = session.answers.values()
    spellings = with_answers(session.known, session.answers)
    always = _listed(one for one in spellings if one.answer is WordAnswer.ALWAYS)
    never = [text for text, _ in _listed(one for one in answers if one.answer is WordAnswer.NEVER)]
    if always:
        yield NAMES, "".join(f"{text}\n" for text, _ in always)
    if never:
        yield WORDS, "".join(f"{text}\n" for text in never)
    if always or never:
        by_type = sorted(always, key=lambda one: [*IdentifierType].index(one[1]))
        yield PLAN, plan_text(Plan(listed=dict(by_type) | dict.fromkeys(never)))


def _listed(spellings: Iterable[KnownSpelling]) -> list[tuple[str, IdentifierType]]:
    """Return spellings in order with their types, each once whatever its case and accents."""
    by_key = {phrase_key(one.spelling): one for one in spellings}
    return [
        (printable(whole_characters(by_key[key].spelling)), by_key[key].type)
        for key in sorted(by_key)
    ]
