"""Filling a queue from a triaged file: messages, their words, and how each vote saw them."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from triage.data import DataError, MessageFile, as_text
from triage.data.staging import StagedFile, publish_all
from triage.data.values import whole_characters
from triage.dictionaries import Label, LabelledMessages
from triage.dictionaries.labelling import LabelledWord
from triage.dictionaries.normal import folded
from triage.features.word_evidence import probability

from ..decide.corpus import CorpusPass, ScoredChunk, StartProgress, used_chunks
from ..decide.pipeline import COLUMNS, ScoredMessages, Triage
from ..decide.reasons import reason
from ..decide.run_record import read_record
from ..decide.seek_hide import verdicts
from ..decide.source import Chunk, Source, whole_chunks
from ..decide.word_types import likely_type
from ..errors import TriageError
from ..model.annotated import sender_position
from ..vocabulary import CERTAIN_FROM
from . import schema
from .cells import pack, placer
from .queue import Queue, chance
from .records import About, Votes, text_digest
from .writer import Entry, Filled, Form, Words, Writer

_DECIMALS = 4


def create_queue(
    path: str | Path,
    source: Source,
    triage: Triage,
    progress: StartProgress | None = None,
    double: float | None = None,
    jobs: int = 1,
) -> Filled:
    """Make a queue of a triaged file; it appears whole or not at all."""
    target = Path(path)
    schema.check_free(target)
    with StagedFile(target, private=True) as stage:
        with (
            source.open() as file,
            schema.trouble(target),
            Queue.create(stage.hidden, _about(file, source, triage, target.parent)) as queue,
            schema.writing_fast(queue.connection),
        ):
            filled = _fill(queue, file, source, triage, progress, jobs, shared=False)
            if double is not None:
                queue.double(double)
        stage.close()
        try:
            publish_all([stage])
        except DataError:
            # A queue of this name that has appeared meanwhile is never replaced.
            schema.check_free(target)
            raise
    return filled


def add_to_queue(
    queue: Queue,
    source: Source,
    triage: Triage,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Filled:
    """Add a triaged file to a queue, while others may use it."""
    with source.open() as file:
        about = _about(file, source, triage, queue.path.parent)
        if about.columns != queue.about.columns:
            raise TriageError(
                f"{file.name} has other columns than {queue.about.name}, which the queue was made "
                "from: make a queue of its own",
                "other_columns",
                file=file.name,
            )
        return _fill(queue, file, source, triage, progress, jobs, shared=True)


def _about(file: MessageFile, source: Source, triage: Triage, folder: Path) -> About:
    missing = [column for column in COLUMNS if column not in file.columns]
    if missing:
        raise TriageError(
            f"{file.name} has no column {missing[0]!r}: a queue is made of what triage classify "
            "wrote",
            "not_triaged",
            file=file.name,
        )
    run = read_record(source.path)
    sender = sender_position(file.columns, source.sender_column, file.name)
    return About(
        Path(source.path).name,
        file.columns,
        file.text_column,
        file.id_column or "",
        "" if sender is None else file.columns[sender],
        triage.model.manifest.ta_from,
        file.format.value,
        file.dialect.separator or "",
        file.dialect.line_terminator,
        file.dialect.bom,
        run.text(folder) if run else "",
    )


def _fill(
    queue: Queue,
    file: MessageFile,
    source: Source,
    triage: Triage,
    progress: StartProgress | None,
    jobs: int,
    *,
    shared: bool,
) -> Filled:
    sender = sender_position(file.columns, source.sender_column, file.name)
    filled, entries, words = Filled(), _Entries(file, sender), WordReader()
    writer = Writer(queue, filled, triage.model.manifest.ta_from, shared=shared)

    def prepared(seen: ScoredChunk) -> tuple[Chunk, list[Words], int]:
        n_other = _n_other(seen.scored.labelled, _votes(file, seen.chunk))
        return seen.chunk, words.read(seen.scored), n_other

    corpus = CorpusPass(_triaged(file, sender), file.lines, jobs=jobs)
    with (
        used_chunks(triage, corpus, prepared, progress) as used,
        _without_foreign_keys(queue),
    ):
        for chunk, of_words, n_other in used:
            writer.write(entries.of(chunk, of_words))
            filled.other_labels += n_other
        writer.finish()
    filled.items = queue.status().items
    return filled


def _triaged(file: MessageFile, sender: int | None) -> Iterator[Chunk]:
    """Yield the chunks of a file; all rows are checked before the first of them is written."""
    for chunk in whole_chunks(file, sender):
        _votes(file, chunk)
        yield chunk


@contextmanager
def _without_foreign_keys(queue: Queue) -> Iterator[None]:
    """Insert rows without a look-up for each: their numbers come from this program."""
    queue.connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        queue.connection.execute("PRAGMA foreign_keys = ON")


def _votes(file: MessageFile, chunk: Chunk) -> list[Votes]:
    """Read the decision on each message; TriageError with the line of the first invalid one."""
    at = [file.columns.index(column) for column in COLUMNS[:4]]
    found = []
    for row, line in zip(chunk.rows, chunk.lines, strict=True):
        seek_hide, model, score, action = (as_text(row[i]) for i in at)
        try:
            found.append(Votes.parse(seek_hide, model, _score(score), action))
        except ValueError:
            raise TriageError(
                f"{file.name}, line {line}: its columns {', '.join(COLUMNS[:4])} do not hold what "
                "triage classify writes; classify the messages again",
                "not_triaged",
                file=file.name,
            ) from None
    return found


def _score(cell: str) -> float:
    score = float(cell)
    if not 0 <= score <= 1:
        raise ValueError(cell)
    return score


def _n_other(labelled: LabelledMessages, votes: list[Votes]) -> int:
    """Count messages on which Seek&Hide votes otherwise here, strict or not."""
    both = zip(verdicts(labelled), verdicts(labelled, strict=True), votes, strict=True)
    return sum(vote.seek_hide not in (loose, strict) for loose, strict, vote in both)


class WordReader:
    """Reads the words of messages as the queue shows them, and remembers distinct words."""

    def __init__(self) -> None:
        self._forms: dict[tuple[str, str], Form] = {}

    def read(self, scored: ScoredMessages) -> list[Words]:
        """Return the words of each message."""
        labelled, table = scored.labelled, scored.labelled.words
        forms = [self._form(word, labelled) for word in labelled.labels]
        # Pattern-matched identifiers are suggested whatever their evidence; without weights, any
        # name.
        identifies = [
            word.kind.is_identifier or (scored.words is None and word.label is Label.DICTIONARY)
            for word in labelled.labels
        ]
        evidence: list[float | None] = [None] * len(table.form)
        if scored.words is not None:
            evidence = probability(scored.words.log_odds).round(_DECIMALS).tolist()
        found: list[Words] = [[] for _ in labelled.messages]
        columns = (column.tolist() for column in (table.message, table.start, table.form))
        for message, start, at, p in zip(*columns, evidence, strict=True):
            form, suggested = forms[at], identifies[at] or (p or 0.0) >= CERTAIN_FROM
            found[message].append((start, start + len(form.text), form, p, suggested))
        return found

    def _form(self, word: LabelledWord, labelled: LabelledMessages) -> Form:
        known = (word.text, word.kind.value)
        if known not in self._forms:
            self._forms[known] = Form(
                *known,
                folded(word.text),
                word.label.value,
                reason(word, labelled),
                likely_type(word, labelled.lexicon).value,
            )
        return self._forms[known]


class _Entries:
    """Makes entries of a file, chunk by chunk."""

    def __init__(self, file: MessageFile, sender: int | None) -> None:
        self._file = file
        self._evidence_at = file.columns.index(COLUMNS[4])
        whose = "" if sender is None else file.columns[sender]
        self._place = placer(file.columns, whose)
        self._same: Counter[bytes] = Counter()
        self._with_words: set[bytes] = set()

    def of(self, chunk: Chunk, words: Sequence[Words]) -> list[Entry]:
        """Return the entries of a chunk."""
        ids = chunk.ids if self._file.id_column else [""] * len(chunk.ids)
        votes = _votes(self._file, chunk)
        columns = zip(chunk.rows, chunk.texts, ids, chunk.senders, votes, words, strict=True)
        return [self._entry(*one) for one in columns]

    def _entry(
        self, row: list[object], text: str, id_: str, sender: str, votes: Votes, words: Words
    ) -> Entry:
        digest = text_digest(text)
        is_new = digest not in self._with_words
        self._with_words.add(digest)
        thread, sent = self._place(row)
        cells = {
            "digest": digest,
            "text": text,
            "shuffled": int(chance(digest, "order") * 2**62),
            "key": self._key(id_, sender, text),
            "id": whole_characters(id_),
            "sender": whole_characters(sender),
            "cells": pack(row),
            "seek_hide": votes.seek_hide.value,
            "model": votes.model.value,
            "score": votes.score,
            "action": votes.action.value,
            "evidence": whole_characters(as_text(row[self._evidence_at])),
            "thread": thread,
            "sent": sent,
        }
        return Entry(digest, cells, words if is_new else None)

    def _key(self, id_: str, sender: str, text: str) -> bytes:
        same = text_digest("\0".join((id_, sender, text)))
        self._same[same] += 1
        return hashlib.blake2b(same + self._same[same].to_bytes(8), digest_size=16).digest()
