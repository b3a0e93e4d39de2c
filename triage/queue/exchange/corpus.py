"""The messages of a file as they are exported, with their identifiers.

Identifiers are those that are marked in the file, those that are found in it, or what stands in
their places after anonymising. A message that the file says to be TA or NTA is exported with this
answer.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from triage.data import MessageFile, as_text

from ...decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ...decide.pipeline import Triage
from ...decide.source import Chunk, whole_chunks
from ...errors import TriageError
from ...model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS, sender_position
from ...model.find import Judged, scored_identifiers
from ...progress import StartProgress
from ...vocabulary import Action, Span, Spans, check_spans, parse_spans
from ..records import Answer, packed, text_digest
from .records import Destination, Exported, Imported

# The columns of spans, and those of what was decided, the first of which counts.
_MARKED = {FINAL_SPANS: (FINAL_ACTION,), "spans": ("label", "action")}
_COLUMNS = ("id", "text", FINAL_ACTION, DECIDED_BY, FINAL_SPANS)
_ANNOTATOR = "annotator"


def spans_column(file: MessageFile) -> str | None:
    """Return the column of a file in which identifiers are marked; None without any."""
    return next((column for column in _MARKED if column in file.columns), None)


def marked_items(file: MessageFile, column: str) -> Iterator[Exported]:
    """Yield the messages of a file with the identifiers that are marked in a column."""
    at = file.columns.index(column)
    decided = [name for name in _MARKED[column] if name in file.columns]
    for item, row, line in _items(file):
        try:
            spans = check_spans(parse_spans(row[at]), len(item.text)) if as_text(row[at]) else ()
            answer = _answer(row[file.columns.index(decided[0])]) if decided else None
        except TriageError as error:
            raise TriageError(f"{file.name}, line {line}: {error}") from None
        yield replace(item, answer=answer, spans=spans, suggested=spans)


def replaced_items(file: MessageFile, spans: Iterable[Spans]) -> Iterator[Exported]:
    """Yield the messages of an anonymised file with what was put in the place of identifiers."""
    for (item, _, _), of_message in zip(_items(file), spans, strict=True):
        answer = Answer.TA if of_message else Answer.NTA
        yield replace(item, answer=answer, spans=of_message)


@contextmanager
def found_items(
    file: MessageFile,
    sender_column: str | None,
    triage: Triage,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Iterator[Iterator[Exported]]:
    """Give the messages of a file with the identifiers that are found, as a corpus."""
    sender = sender_position(file.columns, sender_column, file.name)
    corpus = CorpusPass(
        whole_chunks(file, sender), file.lines, as_whole=triage.weighs_corpus, jobs=jobs
    )
    with used_chunks(triage, corpus, _Find(triage, file), progress) as chunks:
        found = (item for chunk in chunks for item in chunk)
        yield (replace(item, item=number) for number, item in enumerate(found, 1))


@dataclass(frozen=True)
class _Find:
    """Finds the identifiers of a chunk, perhaps in a worker process."""

    triage: Triage
    file: MessageFile

    def __call__(self, seen: ScoredChunk) -> list[Exported]:
        actions = self._actions(seen)
        of_messages = scored_identifiers(seen.scored, [*map(Judged, actions)])
        made = []
        columns = zip(_of_chunk(self.file, seen.chunk), actions, of_messages, strict=True)
        for (item, _, _), action, found in columns:
            spans = tuple(Span(one.start, one.end, one.type) for one in found)
            made.append(replace(item, answer=_answer(action), spans=spans, suggested=spans))
        return made

    def _actions(self, seen: ScoredChunk) -> list[Action]:
        if "action" not in self.file.columns:
            return self.triage.decide_scored(seen.scored).action
        at = self.file.columns.index("action")
        said = [as_text(row[at]) for row in seen.chunk.rows]
        for line, action in zip(seen.chunk.lines, said, strict=True):
            if action not in Action.__members__:
                raise TriageError(
                    f"{self.file.name}, line {line}: its action is none of TA, NTA and EXPERT"
                )
        return [*map(Action, said)]


def _items(file: MessageFile) -> Iterator[tuple[Exported, list[object], int]]:
    """Yield the messages of a file without identifiers, with their rows and lines."""
    made = (one for chunk in whole_chunks(file, None) for one in _of_chunk(file, chunk))
    for number, (item, row, line) in enumerate(made, 1):
        yield replace(item, item=number), row, line


def _of_chunk(file: MessageFile, chunk: Chunk) -> Iterator[tuple[Exported, list[object], int]]:
    for row, text, id_, line in zip(chunk.rows, chunk.texts, chunk.ids, chunk.lines, strict=True):
        ids = (id_,) if file.id_column and id_ else ()
        yield Exported(0, text_digest(text).hex(), text, 1, ids), row, line


def _answer(cell: object) -> Answer | None:
    action = as_text(cell).strip()
    if action in ("", Action.EXPERT):
        return None
    if action not in (Answer.TA, Answer.NTA):
        raise TriageError("it is neither TA, NTA nor EXPERT")
    return Answer(action)


def copy_table(file: MessageFile, to: Destination) -> int:
    """Write a table as it is in the format of another name; return how many messages."""
    rows = (row for chunk in whole_chunks(file, None) for row in chunk.rows)
    return to.table(file.columns, rows, file.dialect)


def write_table(to: Destination, rows: Iterable[Imported]) -> int:
    """Write what was annotated as a table that other commands read; return how many rows."""
    return to.table(_COLUMNS, map(_cells, rows))


def _cells(row: Imported) -> list[object]:
    if row.answer in (None, Answer.SKIP):
        return [row.id, row.text, Action.EXPERT.value, "", ""]
    return [row.id, row.text, row.answer, row.annotator or _ANNOTATOR, packed(row.spans)]
