"""Rounds of mining with a person: what they start from, answers, and what they give.

Of a triaged file the identifiers that `triage anonymise` would find count as replaced. An
anonymised file shows them as tags; which spellings they were, and where surrogates stand, only its
table of replacements tells. The tables of catalogue, answers and contexts are filled in by people.
All of them hold names: only their owners may read them.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from triage.data import Dialect, Format, MessageFile, OutputFile, as_text, create_output
from triage.data.errors import whole_characters
from triage.dictionaries.pack import load_pack
from triage.reports.page import printable

from ..anonymise.columns import open_table
from ..anonymise.entity import short_forms
from ..anonymise.grading import (
    BOUND,
    NO_EVIDENCE,
    Answer,
    Candidate,
    Context,
    Corpus,
    Known,
    Order,
    Round,
    Said,
    Side,
    Weighed,
    concordance,
    evidence_of,
    joined,
    key_of,
    known_of,
    read_corpus,
    replaced_spellings,
    with_answers,
    without_particles,
)
from ..anonymise.restore import read_key_table
from ..anonymise.run import judged_rows
from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.language import guess_language
from ..decide.people import Account
from ..decide.pipeline import Triage
from ..decide.source import Source, check_rejects, whole_chunks
from ..errors import TriageError
from ..model.annotated import FINAL_ACTION
from ..model.find import find
from ..progress import StartProgress
from ..queue import Answer as Decided
from ..queue import Queue, WordRule
from ..safe import Staged, staged
from ..settings import Ambiguous
from ..vocabulary import Action, IdentifierType, Span, Spans

T = TypeVar("T")
# After so many answers the others are weighed anew.
BATCH = 20
COLUMNS = (
    *("spelling", "answer", "type", "entity", "places"),
    *("likelihood", "stands", "replaced", "reasons", "akin", "context", "example"),
)
LINE_COLUMNS = ("spelling", "row", "start", "left", "keyword", "right")
CONTEXT_COLUMNS = ("side", "context", "identifiers", "words")
NAMES, WORDS, PLAN = LISTS = "names.txt", "words.txt", "plan.toml"
_DIGITS = 4
_EXAMPLE_WIDTH = 30
_PLACE = re.compile(r"([0-9]{1,12}):([0-9]{1,12})")
_BETWEEN = re.compile("[;|]")


@dataclass
class Session:
    corpus: Corpus
    known: list[Known]
    answers: dict[str, Answer] = field(default_factory=dict)
    good: list[Context] = field(default_factory=list)
    short_forms: Mapping[str, str] = field(default_factory=dict)
    bound: float = BOUND

    @cached_property
    def round(self) -> Round:
        return Round(self.corpus, self.known, self.answers, self.good, self.short_forms)


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
    good = read_rows(contexts, ("context", *CONTEXT_COLUMNS), _context) if contexts else []
    said = [read_answers(path) for path in answers]
    if queue:
        marks: list[tuple[str, IdentifierType]] = []
        with Queue.open(queue) as opened:
            for number, decided in opened.resolved().items():
                if decided.answer is Decided.TA:
                    text = opened.existing_item(number).text
                    marks += [(text[one.start : one.end], one.type) for one in decided.spans]
            said.insert(0, rules_of(opened))
        listed += replaced_spellings(marks)
    corpus, known = read_messages(source, triage, key_table, progress, jobs)
    short = short_forms(triage.lexicon.pack) if triage else {}
    every = {key: one for read in said for key, one in read.items()}
    return Session(corpus, known + listed, every, good, short)


class _Read(NamedTuple):
    """The messages of a chunk, where their identifiers are sure, and the evidence of words."""

    texts: list[str]
    spans: list[Spans]
    weighed: Weighed = NO_EVIDENCE


def read_messages(
    source: Source,
    triage: Triage | None = None,
    key_table: str | None = None,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> tuple[Corpus, list[Known]]:
    """Read what is mined, and the spellings that are known without any answer."""
    account: Account | None = None
    with source.open() as file:
        if triage:
            account = Account.of(triage, file, file.sender_position)
            chunks = whole_chunks(file, file.sender_position)
            corpus = CorpusPass(chunks, file.lines, jobs=jobs, account=account)
            with used_chunks(triage, corpus, partial(_weighed, file), progress) as used:
                read = [*used]
        else:
            read = [_Read(chunk.texts, [()] * len(chunk.texts)) for chunk in file.chunks()]
            check_rejects(file)
    texts = [text for one in read for text in one.texts]
    spans = [found for one in read for found in one.spans]
    known = known_of(texts, spans)
    if account:
        # Those that are words count where they read as names.
        everybody = account.people().spellings()
        known += [Known(one.text, one.type, one.entity, 0, not one.is_word) for one in everybody]
    if key_table is not None:
        rows = read_key_table(key_table)
        known += _replaced(rows, key_table)
        spans = _with_surrogates(texts, spans, rows)
    if triage is None:
        return read_corpus(texts, spans), known
    weighed = joined([(len(one.texts), one.weighed) for one in read])
    return read_corpus(texts, spans, weighed), without_particles(known, triage.lexicon.pack)


def _weighed(file: MessageFile, seen: ScoredChunk) -> _Read:
    """Read a scored chunk, perhaps in a worker process."""
    chunk, scored = seen
    spans: list[Spans] = [()] * len(chunk.texts)
    if {FINAL_ACTION, "action"} & {*file.columns}:
        found = find(scored, [*judged_rows(file, chunk)], Ambiguous.HOLD)
        spans = [tuple(Span(i.start, i.end, i.type) for i in one.identifiers) for one in found]
    return _Read(chunk.texts, spans, evidence_of(scored))


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
        self._short_forms = short_forms(load_pack(guess_language(texts)[0]))
        words = [
            (number, start, weight)
            for number, item in enumerate(self.items)
            for start, weight in sorted(evidence.get(item, {}).items())
        ]
        message, start, weight = np.array(words, dtype=np.float64).reshape(-1, 3).T
        known = Weighed(message.astype(np.int64), start.astype(np.int64), weight)
        self.corpus = read_corpus(texts, evidence=known)

    def round(self) -> Round:
        resolved, suggested = self._queue.resolved(), self._queue.suggestions()
        spans: list[Spans] = []
        for item, is_sure in zip(self.items, self._is_sure, strict=True):
            decided = resolved.get(item)
            spans.append(decided.spans if decided else suggested(item) if is_sure else ())
        self.corpus = self.corpus.with_replaced(spans)
        known = known_of(self.corpus.texts, spans)
        return Round(self.corpus, known, rules_of(self._queue), short_forms=self._short_forms)


def read_answers(path: str | Path) -> dict[str, Answer]:
    """Read answers by their keys; rows without one are left out."""
    found = read_rows(path, ("spelling", "answer"), _answer)
    return {one.key: one for one in found if one}


def _answer(cells: Mapping[str, str]) -> Answer | None:
    said = cells["answer"].lower()
    if not said:
        return None
    if said not in [*Said]:
        raise ValueError(f"the answer is none of {', '.join(Said)}")
    if not key_of(cells["spelling"]):
        raise ValueError("it has no spelling; write it, or remove the row")
    places = frozenset((int(row), int(at)) for row, at in _PLACE.findall(cells.get("places", "")))
    if said == Said.HERE and not places:
        raise ValueError("of an answer 'here' the places are needed, such as 12:0 for row:start")
    return Answer(
        cells["spelling"],
        Said(said),
        _type(cells.get("type", "")),
        cells.get("entity", ""),
        places,
        number_of(cells.get("likelihood", "")),
        int(number_of(cells.get("stands", "")) or 0),
    )


def read_catalogue(path: str | Path) -> list[Known]:
    r"""Read a table with the columns entity, type and spellings, which ``;`` or ``|`` separates."""
    rows = read_rows(path, ("spellings", "entity", "type"), _entity)
    return [one for row in rows for one in row]


def _entity(cells: Mapping[str, str]) -> list[Known]:
    spellings = [one.strip() for one in _BETWEEN.split(cells["spellings"]) if key_of(one)]
    if not spellings:
        raise ValueError("it has no spelling; write one, or remove the row")
    entity, type_ = cells["entity"] or spellings[0], _type(cells["type"])
    return [Known(one, type_, entity) for one in spellings]


def read_rows(
    path: str | Path, columns: Sequence[str], parse: Callable[[Mapping[str, str]], T]
) -> list[T]:
    what = f"the columns {', '.join(columns)} are needed"
    with open_table(path, columns[0], f"{path} has no column {columns[0]!r}: {what}") as file:
        missing = [column for column in columns if column not in file.columns]
        if missing:
            raise TriageError(f"{path} has no column {missing[0]!r}: {what}")
        found = []
        for chunk in file.chunks():
            for line, row in zip(chunk.lines, chunk.rows, strict=True):
                cells = (as_text(cell).strip() for cell in row)
                try:
                    found.append(parse(dict(zip(file.columns, cells, strict=True))))
                except ValueError as error:
                    raise TriageError(f"{path}, line {line}: {error}") from None
        for reject in file.rejects:
            raise TriageError(f"{path}, line {reject.line}: {reject.reason}")
    return found


def _type(cell: str) -> IdentifierType:
    """Return the type that a cell names; a first name where it names none."""
    named = cell.upper() or IdentifierType.PRE
    if named not in IdentifierType.__members__:
        raise ValueError(f"its type is none of {', '.join(IdentifierType)}")
    return IdentifierType(named)


def number_of(cell: str) -> float | None:
    """Return the number in a cell, None where it is empty."""
    try:
        number = float(cell.replace(",", ".")) if cell else None
    except ValueError:
        number = math.nan
    if number is not None and not math.isfinite(number):
        raise ValueError("one of its counts is no number")
    return number


def _context(cells: Mapping[str, str]) -> Context:
    words = tuple(cells["context"].split())
    names, total = (int(number_of(cells[name]) or 0) for name in CONTEXT_COLUMNS[2:])
    if cells["side"] not in [*Side]:
        raise ValueError(f"its side is none of {', '.join(Side)}")
    if len(words) not in (1, 2) or not 0 <= names <= total or total == 0:
        raise ValueError("it is no context of one or two words, with counts")
    return Context(Side(cells["side"]), words, names, total)


def context_rows(contexts: Iterable[Context]) -> Iterator[list[object]]:
    """Yield contexts, in the order of `CONTEXT_COLUMNS`."""
    for one in contexts:
        yield [one.side.value, whole_characters(" ".join(one.words)), one.names, one.total]


def facts_of(session: Session, found: Sequence[Candidate]) -> dict[str, Any]:
    """Return the numbers of a round; words of identifiers that still stand are estimated."""
    said = Counter(one.said.value for one in session.answers.values())
    marked, left = session.round.n_marked, session.round.expected_left()
    return {
        "candidates": len(found),
        "bound": session.bound,
        "stand": sum(one.stands for one in found),
        "answers": dict(sorted(said.items())),
        "identifiers": marked,
        "expected_left": round(left, 1),
        "share_left": round(left / (marked + left), _DIGITS) if marked + left else 0.0,
    }


def candidate_rows(session: Session, found: Iterable[Candidate]) -> Iterator[list[object]]:
    """Yield candidates, then the answers so far, in the order of `COLUMNS`."""
    answers = session.answers
    yield from (_row(session, one, answers.get(one.key)) for one in found)
    for one in answers.values():
        if one.said is not Said.LATER:
            likelihood = "" if one.likelihood is None else round(one.likelihood, _DIGITS)
            cells = [one.spelling, one.said.value, one.type.value, one.entity, one.places_cell]
            yield [*map(whole_characters, cells), likelihood, one.stands, *[""] * 5]


def _row(session: Session, one: Candidate, answer: Answer | None) -> list[object]:
    # The place that gives it away most.
    example = max(one.words, key=session.round.probability.__getitem__)
    (line,) = concordance(session.corpus, [example], width=_EXAMPLE_WIDTH)
    return [
        whole_characters(one.spelling),
        answer.said.value if answer else "",
        one.type.value,
        whole_characters(one.entity),
        "",
        round(one.likelihood, _DIGITS),
        one.stands,
        one.replaced,
        "; ".join(one.reasons),
        whole_characters(one.akin),
        whole_characters(one.context),
        whole_characters(f"{line.left}[{line.keyword}]{line.right}"),
    ]


def concordance_rows(
    corpus: Corpus, found: Iterable[Candidate], order: Order
) -> Iterator[list[object]]:
    """Yield all places of candidates, each with its context, in the order of `LINE_COLUMNS`."""
    for one in found:
        for line in concordance(corpus, one.words, order):
            cells = map(whole_characters, line[2:])
            yield [whole_characters(one.spelling), line.row, line.start, *cells]


def private_table(
    path: str | Path, columns: Sequence[str], rows: Iterable[list[object]], *, overwrite: bool
) -> OutputFile:
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    output = create_output(
        path, columns, like=like, private=True, guard_formulas=True, overwrite=overwrite
    )
    output.write(rows)
    return output


def lists_outputs(
    folder: Path, known: Iterable[Known], answers: Mapping[str, Answer], *, overwrite: bool = False
) -> list[Staged]:
    """Return the lists of what is always, and never, an identifier; an empty one is left out."""
    always = [one for one in with_answers(known, answers) if one.everywhere]
    never = _sorted(one.spelling for one in answers.values() if one.said is Said.NEVER)
    texts = {
        NAMES: "".join(f"{one}\n" for one in _sorted(one.spelling for one in always)),
        WORDS: "".join(f"{one}\n" for one in never),
        PLAN: "".join(_plan(always, never)) if always or never else "",
    }
    made = []
    for name, text in texts.items():
        if text:
            path, content = folder / name, text.encode()
            made.append(staged(path, content, private=True, overwrite=overwrite))
    return made


def _sorted(spellings: Iterable[str]) -> list[str]:
    """Return spellings in order, each once whatever its case and accents."""
    by_key = {key_of(one): printable(whole_characters(one)) for one in spellings}
    return [by_key[key] for key in sorted(by_key)]


def _plan(always: Sequence[Known], never: Sequence[str]) -> Iterator[str]:
    yield f"[lists]\nnever = {json.dumps(never, ensure_ascii=False)}\n\n[lists.always]\n"
    by_key = {key_of(one.spelling): one for one in always}
    for type_ in IdentifierType:
        listed = _sorted(one.spelling for one in by_key.values() if one.type is type_)
        if listed:
            yield f"{type_} = {json.dumps(listed, ensure_ascii=False)}\n"
