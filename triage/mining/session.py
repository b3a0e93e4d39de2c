"""Rounds of mining with a person: what they start from, answers, and what they give.

Of a triaged file the identifiers that `triage anonymise` would find count as replaced. An
anonymised file shows them as tags; which spellings they were, and where surrogates stand, only its
table of replacements tells. The tables of catalogue and answers are filled in by people.
All of them hold names: only their owners may read them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from triage.data import Chunk, MessageFile
from triage.data.errors import whole_characters
from triage.dictionaries.pack import load_pack
from triage.dictionaries.phrases import phrase_key
from triage.reports.page import printable

from ..anonymise.comparison import FileMessages, sought_in_key_table
from ..anonymise.grading import (
    Corpus,
    Floats,
    Known,
    Said,
    evidence_of,
    read_corpus,
    without_particles,
)
from ..anonymise.keys import private_table
from ..anonymise.run import judged_rows
from ..decide.corpus import used_chunks
from ..decide.find import ScoredMessages, find
from ..decide.language import guess_language
from ..decide.people import Account, type_in
from ..decide.pipeline import Triage
from ..decide.source import Source, check_rejects, read_rows
from ..model.annotated import FINAL_ACTION
from ..progress import StartProgress
from ..queue import Answer, Queue, WordRule
from ..safe import Staged, publish_all, staged
from ..settings import Ambiguous
from ..vocabulary import Action, IdentifierType, Span, Spans
from .candidates import Candidate, Round, concordance, known_of, with_answers

# After so many answers the others are weighed anew.
BATCH = 20
COLUMNS = (
    *("spelling", "answer", "type", "entity", "places"),
    *("likelihood", "stands", "replaced", "reasons", "akin", "context", "example"),
)
LINE_COLUMNS = ("spelling", "row", "start", "left", "keyword", "right")
NAMES, WORDS, PLAN = LISTS = "names.txt", "words.txt", "plan.toml"
_DIGITS = 4
_MOST_PLACES = 10**12
_EXAMPLE_WIDTH = 30
_PLACE = re.compile(r"([0-9]{1,12}):([0-9]{1,12})")
_BETWEEN = re.compile("[;|]")


def open_session(
    source: Source,
    triage: Triage | None,
    *,
    answers: Sequence[str | Path] = (),
    catalogue: str | Path | None = None,
    key_table: str | None = None,
    queue: Path | None = None,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Round:
    """Read a file of messages and all that is known of it before it is mined."""
    entities = read_rows(catalogue, ("spellings", "entity", "type"), _entity) if catalogue else []
    listed = [one for entity in entities for one in entity]
    said = [read_answers(path) for path in answers]
    if queue:
        with Queue.open(queue) as opened:
            decided = opened.resolved().items()
            marked = [(n, one.spans) for n, one in decided if one.answer is Answer.TA]
            listed += known_of([opened.item(n).text for n, _ in marked], [s for _, s in marked])
            said.insert(0, rules_of(opened))
    read, known = _read_messages(source, triage, progress, jobs)
    texts = [text for one in read for text in one.texts]
    spans = [found for one in read for found in one.spans]
    known = known_of(texts, spans) + known
    if key_table is not None:
        sought = sought_in_key_table(key_table, FileMessages(source.path, texts))
        known += sought.known
        spans = [(*here, *sought.put_in.get(at, ())) for at, here in enumerate(spans)]
    every = {key: one for read in said for key, one in read.items()}
    pack = triage.lexicon.pack if triage else None
    corpus = read_corpus(texts, spans, (one.evidence for one in read) if triage else None)
    for path in answers:
        read_answers(path, corpus)
    known = without_particles(known, pack) if pack else known
    return Round(corpus, known + listed, every, pack)


class _Read(NamedTuple):
    """The messages of a chunk, where their identifiers are sure, and the evidence of words."""

    texts: list[str]
    spans: list[Spans]
    evidence: Floats


def _read_messages(
    source: Source, triage: Triage | None, progress: StartProgress | None, jobs: int
) -> tuple[list[_Read], list[Known]]:
    """Read what is mined, and the spellings of the account of people."""
    with source.open() as file:
        if triage is None:
            chunks = [
                _Read(one.texts, [()] * len(one.texts), np.empty((3, 0))) for one in file.chunks()
            ]
            check_rejects(file)
            return chunks, []
        account = Account.of(triage, file, file.sender_position)
        look = partial(_read_chunk, file)
        with used_chunks(triage, file, look, progress, account=account, jobs=jobs) as used:
            read = [*used]
    everybody = account.people.spellings() if account else []
    # Those that are words count where they read as names.
    return read, [
        Known(one.text, one.type, one.entity, said=None if one.is_word else Said.ALWAYS)
        for one in everybody
    ]


def _read_chunk(file: MessageFile, chunk: Chunk, scored: ScoredMessages) -> _Read:
    spans: list[Spans] = [()] * len(chunk.texts)
    if {FINAL_ACTION, "action"} & {*file.columns}:
        found = find(scored, [*judged_rows(file, chunk)], Ambiguous.HOLD)
        spans = [tuple(Span(i.start, i.end, i.type) for i in one.identifiers) for one in found]
    return _Read(chunk.texts, spans, evidence_of(scored, chunk.first))


def rules_of(queue: Queue) -> dict[str, Known]:
    said = {WordRule.ALWAYS: Said.ALWAYS, WordRule.NEVER: Said.NEVER}
    answers = (
        Known(word, IdentifierType(type_ or IdentifierType.PRE), said=said[rule])
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
        known = np.array(queue.run("evidence"), dtype=np.float64).reshape(-1, 3).T
        self.corpus = read_corpus(texts, evidence=[known])

    def round(self) -> Round:
        resolved, suggested = self._queue.resolved(), self._queue.suggestions()
        spans: list[Spans] = []
        for item, is_sure in zip(self.items, self._is_sure, strict=True):
            decided = resolved.get(item)
            spans.append(decided.spans if decided else suggested(item) if is_sure else ())
        self.corpus = self.corpus.with_replaced(spans)
        known = known_of(self.corpus.texts, spans)
        return Round(self.corpus, known, rules_of(self._queue), self._pack)


def read_answers(path: str | Path, corpus: Corpus | None = None) -> dict[str, Known]:
    """Read answers by their keys; rows without one are left out."""
    rows = read_rows(path, ("spelling", "answer"), partial(_answer, corpus=corpus))
    return {one.key: one for one in rows if one}


def _answer(cells: Mapping[str, str], corpus: Corpus | None) -> Known | None:
    said = cells["answer"].lower()
    if not said:
        return None
    if said not in [*Said]:
        raise ValueError(f"the answer is none of {', '.join(Said)}")
    if not phrase_key(cells["spelling"]):
        raise ValueError("it has no spelling; write it, or remove the row")
    places = frozenset((int(row), int(at)) for row, at in _PLACE.findall(cells.get("places", "")))
    if said == Said.HERE and not places:
        raise ValueError("of an answer 'here' the places are needed, such as 12:0 for row:start")
    if said == Said.HERE and corpus:
        words = map(corpus.place, corpus.words_of(*phrase_key(cells["spelling"])).tolist())
        if wrong := places - {(at + 1, start) for at, start, _ in words}:
            place = ":".join(map(str, min(wrong)))
            raise ValueError(f"its spelling is not at {place} (row:start): mend or remove it")
    return Known(
        cells["spelling"],
        type_in(cells.get("type") or IdentifierType.PRE),
        cells.get("entity", ""),
        said=Said(said),
        places=places,
        likelihood=_number(cells, "likelihood", 1),
        stands=int(_number(cells, "stands", _MOST_PLACES) or 0),
    )


def _entity(cells: Mapping[str, str]) -> list[Known]:
    r"""Return the spellings of a row of a catalogue, which ``;`` or ``|`` separates."""
    spellings = [one.strip() for one in _BETWEEN.split(cells["spellings"]) if phrase_key(one)]
    if not spellings:
        raise ValueError("it has no spelling; write one, or remove the row")
    entity, type_ = cells["entity"] or spellings[0], type_in(cells["type"] or IdentifierType.PRE)
    return [Known(one, type_, entity, said=Said.ALWAYS) for one in spellings]


def _number(cells: Mapping[str, str], column: str, most: int) -> float | None:
    if not (cell := cells.get(column, "")):
        return None
    with suppress(ValueError):
        if 0 <= (number := float(cell.replace(",", "."))) <= most:
            return number
    raise ValueError(f"the value of {column!r} is no number from 0 to {most:,}")


def facts_of(session: Round, found: Sequence[Candidate], bound: float) -> dict[str, Any]:
    """Return the numbers of a round; words of identifiers that still stand are estimated."""
    said = Counter(one.said.value for one in session.answers.values() if one.said)
    marked, left = session.n_marked, session.expected_left()
    return {
        "candidates": len(found),
        "bound": bound,
        "stand": sum(one.stands for one in found),
        "answers": dict(sorted(said.items())),
        "identifiers": marked,
        "expected_left": round(left, 1),
        "share_left": round(left / (marked + left), _DIGITS) if marked + left else 0.0,
    }


def candidate_rows(session: Round, found: Iterable[Candidate]) -> Iterator[list[object]]:
    """Yield candidates, then the answers so far, in the order of `COLUMNS`."""
    answers = session.answers
    for one in found:
        said = str(answers[one.key].said) if one.key in answers else ""
        # The place that gives it away most.
        example = max(one.words, key=session.probability.__getitem__)
        (line,) = concordance(session.corpus, [example], width=_EXAMPLE_WIDTH)
        yield [
            *(one.spelling, said, one.type.value, one.entity, ""),
            *(round(one.likelihood, _DIGITS), one.stands, one.replaced),
            *("; ".join(one.reasons), one.akin, one.context),
            f"{line.left}[{line.keyword}]{line.right}",
        ]
    for answer in answers.values():
        if answer.said is not Said.LATER:
            places = " ".join(f"{row}:{start}" for row, start in sorted(answer.places))
            likelihood = "" if answer.likelihood is None else round(answer.likelihood, _DIGITS)
            cells = [answer.spelling, str(answer.said), answer.type.value, answer.entity, places]
            yield [*cells, likelihood, answer.stands, *[""] * 5]


def _concordance_rows(session: Round, found: Iterable[Candidate]) -> Iterator[list[object]]:
    for one in found:
        yield from ([one.spelling, *line] for line in concordance(session.corpus, one.words))


def write_round(
    session: Round,
    found: Iterable[Candidate] = (),
    *,
    output: Path | None = None,
    lists: Path | None = None,
    concordance: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Write candidates, lists, and all places of the candidates: what is named, all or nothing."""

    def outputs() -> Iterator[AbstractContextManager[Staged]]:
        if lists:
            lists.mkdir(parents=True, exist_ok=True)
            for name, text in _lists(session):
                yield staged(lists / name, text.encode(), private=True, overwrite=overwrite)
        if concordance:
            rows = _concordance_rows(session, found)
            yield private_table(concordance, LINE_COLUMNS, rows, overwrite=overwrite)
        if output:
            rows = candidate_rows(session, found)
            yield private_table(output, COLUMNS, rows, overwrite=overwrite)

    with ExitStack() as stack:
        publish_all([stack.enter_context(one) for one in outputs()])


def _lists(session: Round) -> Iterator[tuple[str, str]]:
    """Yield the lists of what is always, and never, an identifier; an empty one is left out."""
    answers = session.answers.values()
    every = with_answers(session.known, session.answers)
    always = _listed(one for one in every if one.said is Said.ALWAYS)
    never = [text for text, _ in _listed(one for one in answers if one.said is Said.NEVER)]
    by_type = {one: [text for text, type_ in always if type_ is one] for one in IdentifierType}
    listed = (f"{one} = {_toml(texts)}\n" for one, texts in by_type.items() if texts)
    if always:
        yield NAMES, "".join(f"{text}\n" for text, _ in always)
    if never:
        yield WORDS, "".join(f"{text}\n" for text in never)
    if always or never:
        yield PLAN, f"[lists]\nnever = {_toml(never)}\n\n[lists.always]\n{''.join(listed)}"


def _listed(said: Iterable[Known]) -> list[tuple[str, IdentifierType]]:
    """Return spellings in order with their types, each once whatever its case and accents."""
    by_key = {phrase_key(one.spelling): one for one in said}
    return [
        (printable(whole_characters(by_key[key].spelling)), by_key[key].type)
        for key in sorted(by_key)
    ]


_toml = partial(json.dumps, ensure_ascii=False)
