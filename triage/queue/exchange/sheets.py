"""Our own sheet, CSV or XLSX, for people who work in a spreadsheet."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.data import (
    DataError,
    Dialect,
    Format,
    MessageFile,
    as_text,
    create_output,
    open_messages,
)

from ...errors import TriageError
from ...vocabulary import Spans
from ..records import Answer
from ..spans import packed
from .breaks import from_plain, plain_breaks, to_plain
from .faults import Faults
from .marks import read_answer, read_text, read_triples, settled, spans_of
from .offsets import Counting
from .readable import read_readable, readable
from .records import Exported, Imported

COLUMNS = (
    "item",
    "digest",
    "text",
    "messages",
    "ids",
    "seek_hide",
    "model",
    "model_score",
    "evidence",
    "suggested",
    "answer",
    "identifiers",
    "spans",
)

# Before it, a spreadsheet takes a digest such as 12e45 for a number.
_TEXT_SIGN = "x"


def write_sheet(path: Path, items: Iterable[Exported], *, overwrite: bool = False) -> int:
    """Write items as rows; return how many.

    Raises
    ------
    DataError
        If the path cannot be written, or the format cannot hold a text.
    """
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    like = Dialect(Format.CSV, bom=True)
    with create_output(
        path, COLUMNS, like=like, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        output.write(map(_cells, items))
        output.commit()
        return output.rows_written


def _cells(item: Exported) -> list[object]:
    return [
        item.item,
        _TEXT_SIGN + item.digest,
        item.text,
        item.n_messages,
        " ".join(item.ids),
        item.votes.seek_hide.value,
        item.votes.model.value,
        item.votes.score,
        item.evidence,
        readable(item.text, item.suggested),
        "" if item.answer is None else item.answer.value,
        readable(item.text, item.marked),
        packed(to_plain(item.marked, item.text)),
    ]


def read_sheet(path: Path, faults: Faults) -> Iterator[Imported]:
    """Yield the rows of a sheet.

    Parameters
    ----------
    path : Path
    faults : Faults
        Takes what is wrong with rows.

    Raises
    ------
    DataError
        If the file cannot be read.
    TriageError
        If it has no column of texts or none of answers.
    """
    with _opened(path) as file:
        if "answer" not in file.columns:
            raise TriageError(
                f"{file.name} has no column 'answer': is it a sheet that was exported from a queue?"
            )
        called = "line" if file.format.is_text else "row"
        for where, cells in _rows(file, called):
            with faults.of(where):
                yield _imported(where, cells)
        for reject in file.rejects:
            faults.add(f"{called} {reject.line}", reject.reason)


def _opened(path: Path) -> MessageFile:
    try:
        return open_messages(path, text_column="text", guarded=True)
    except DataError as error:
        # The option that it names is for other files.
        if "--text-column" not in str(error):
            raise
        raise TriageError(
            f"{path} has no column 'text': is it a sheet that was exported from a queue?"
        ) from error


def _rows(file: MessageFile, called: str) -> Iterator[tuple[str, dict[str, str]]]:
    for chunk in file.chunks():
        for line, row, text in zip(chunk.lines, chunk.rows, chunk.texts, strict=True):
            cells = dict(zip(file.columns, map(as_text, row), strict=True))
            yield f"{called} {line}", cells | {"text": text}


def _imported(where: str, cells: dict[str, str]) -> Imported:
    text = read_text(cells["text"])
    plain = plain_breaks(text)
    answer = read_answer(cells["answer"]) if cells["answer"].strip() else None
    is_final = answer in (Answer.TA, Answer.NTA)
    before = _exact(cells.get("spans", ""), plain) if is_final else ()
    spans = _named(cells, plain, before) if is_final else ()
    return Imported(
        where,
        cells.get("digest", "").strip().removeprefix(_TEXT_SIGN),
        text,
        answer,
        from_plain(settled(answer, spans, before), text),
        cells.get("annotator", "").strip(),
    )


def _exact(cell: str, text: str) -> Spans:
    if not cell.strip():
        return ()
    try:
        triples = json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise TriageError("the cell of spans is not JSON: leave that column as it is") from error
    return spans_of(read_triples(triples), text, Counting.CODE_POINTS)


def _named(cells: dict[str, str], text: str, before: Spans) -> Spans:
    """Return what the column of identifiers names; the exact spans where there is none."""
    if "identifiers" not in cells:
        return before
    return read_readable(cells["identifiers"], text, before)
