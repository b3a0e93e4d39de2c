"""The messages of a file as rows, with their identifiers.

Identifiers are those that are marked in the file, those that are found in it, or what stands in
their places after anonymising. A message that the file says to be TA or NTA has this answer.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from triage.data import MessageFile, as_text

from ..decide.corpus import CorpusPass, ScoredChunk, used_chunks
from ..decide.find import Judged, scored_identifiers
from ..decide.people import Account
from ..decide.pipeline import Triage
from ..decide.source import Chunk, whole_chunks
from ..errors import TriageError
from ..model.annotated import DECIDED_BY, FINAL_ACTION, FINAL_SPANS
from ..progress import StartProgress
from ..vocabulary import Action, Span, Spans, check_spans, parse_spans
from .exchange import Destination, Row
from .records import Answer, packed, text_digest

# The columns of spans, and those of what was decided, the first of which counts.
_MARKED = {FINAL_SPANS: (FINAL_ACTION,), "spans": ("label", "action")}
_COLUMNS = ("id", "text", FINAL_ACTION, DECIDED_BY, FINAL_SPANS)


def spans_column(file: MessageFile) -> str | None:
    """Return the column of a file in which identifiers are marked; None without any."""
    return next((column for column in _MARKED if column in file.columns), None)


def marked_rows(file: MessageFile, column: str) -> Iterator[Row]:
    """Yield the messages of a file with the identifiers that are marked in a column."""
    at = file.columns.index(column)
    decided = next((file.columns.index(n) for n in _MARKED[column] if n in file.columns), None)
    for chunk in whole_chunks(file, None):
        said = []
        for row, text, line in zip(chunk.rows, chunk.texts, chunk.lines, strict=True):
            try:
                spans = check_spans(parse_spans(row[at]) if as_text(row[at]) else (), len(text))
                said.append((spans, None if decided is None else _answer(row[decided])))
            except TriageError as error:
                raise TriageError(f"{file.name}, line {line}: {error}") from None
        yield from _rows(file, chunk, said)


def replaced_rows(file: MessageFile, spans: Iterable[Spans]) -> Iterator[Row]:
    """Yield the messages of an anonymised file with what was put in the place of identifiers."""
    said = ((marked, Answer.TA if marked else Answer.NTA) for marked in spans)
    for chunk in whole_chunks(file, None):
        yield from _rows(file, chunk, islice(said, chunk.n_rows))


@contextmanager
def found_rows(
    file: MessageFile,
    triage: Triage,
    progress: StartProgress | None = None,
    jobs: int = 1,
) -> Iterator[Iterator[Row]]:
    """Give the messages of a file with the identifiers that are found, as a corpus."""

    def find(seen: ScoredChunk) -> list[Row]:
        chunk = seen.chunk
        if "action" not in file.columns:
            actions = triage.decide_scored(seen.scored).action
        else:
            at = file.columns.index("action")
            said = [as_text(row[at]) for row in chunk.rows]
            for line, action in zip(chunk.lines, said, strict=True):
                if action not in Action.__members__:
                    problem = "its action is none of TA, NTA and EXPERT"
                    raise TriageError(f"{file.name}, line {line}: {problem}")
            actions = [*map(Action, said)]
        of_messages = scored_identifiers(seen.scored, [*map(Judged, actions)])
        spans = (tuple(Span(one.start, one.end, one.type) for one in of) for of in of_messages)
        return [*_rows(file, chunk, zip(spans, map(_answer, actions), strict=True))]

    chunks = whole_chunks(file, file.sender_position)
    account = Account.of(triage, file, file.sender_position)
    corpus = CorpusPass(
        chunks, file.lines, as_whole=triage.weighs_corpus, jobs=jobs, account=account
    )
    with used_chunks(triage, corpus, find, progress) as found:
        yield (row for rows in found for row in rows)


def _rows(
    file: MessageFile, chunk: Chunk, said: Iterable[tuple[Spans, Answer | None]]
) -> Iterator[Row]:
    columns = zip(chunk.texts, chunk.ids, said, strict=True)
    for number, (text, id_, (spans, answer)) in enumerate(columns, chunk.first + 1):
        ids = [id_] if file.id_column and id_ else []
        about = {"item": number, "digest": text_digest(text).hex(), "messages": 1, "ids": ids}
        yield Row("".join(ids), text, spans, answer, about | {"evidence": ""})


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


def write_table(to: Destination, rows: Iterable[Row]) -> int:
    """Write what was annotated as a table that other commands read; return how many rows."""

    def cells(row: Row) -> list[object]:
        if row.answer in (None, Answer.SKIP):
            return [row.id, row.text, Action.EXPERT.value, "", ""]
        return [row.id, row.text, row.answer, row.annotator or "annotator", packed(row.spans)]

    return to.table(_COLUMNS, map(cells, rows))
