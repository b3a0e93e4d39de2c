r"""Our own sheet, CSV or XLSX, for people who work in a spreadsheet.

Identifiers are cells such as ``Patrice PRE | 06 39 98 12 34 TEL``. Line breaks, which spreadsheets
write in their own way, are normalised: ``\r\n`` and ``\r`` become ``\n``.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from triage.data import ColumnError, Dialect, Format, as_text, open_messages

from ...errors import TriageError
from ...vocabulary import IdentifierType, Span, Spans
from ..records import Answer, packed
from .rows import (
    Destination,
    Row,
    RowErrors,
    only_answer,
    read_marks,
    read_text,
    spans_of,
    spans_of_answer,
)

COLUMNS = (
    *("item", "digest", "text", "messages", "ids", "seek_hide", "model", "model_score"),
    *("evidence", "suggested", "answer", "identifiers", "spans", "notes"),
)
# A spreadsheet takes a digest such as 12e45 for a number unless this stands before it.
_TEXT_SIGN = "x"
_BREAK = re.compile("\r\n?")
_BETWEEN, _LIKE_BETWEEN = "|", "¦"
_APOSTROPHES = "'’‘ʼ`´"
_OF_WORD = "[\\w\u0300-\u036f]"
# How characters of an identifier that a person wrote are found; the separator is replaced in it.
_FOUND_AS = {" ": r"\s+", _LIKE_BETWEEN: r"[|¦]"} | dict.fromkeys(_APOSTROPHES, f"[{_APOSTROPHES}]")


def write_sheet(to: Destination, rows: Iterable[Row]) -> int:
    """Write items as rows; return how many. DataError if the format cannot hold a text."""
    # With a byte order mark, spreadsheets read CSV as UTF-8.
    like = Dialect(Format.CSV, bom=True)
    return to.table(COLUMNS, map(_cells, rows), like, guard_formulas=True)


def _cells(row: Row) -> list[object]:
    notes: object = row.about.get("notes")
    remarks = [
        f"{note['annotator']}{' (?)' if note['asks'] else ''}: {note['text']}".strip()
        for note in (notes if isinstance(notes, list) else [])
    ]
    suggested = spans_of(read_marks(row.about.get("suggested", [])), row.text)
    cells = row.metadata | {
        "digest": _TEXT_SIGN + row.digest,
        "text": row.text,
        "ids": row.id,
        "suggested": f" {_BETWEEN} ".join(_entries(row.text, suggested)),
        "answer": row.answer or "",
        "identifiers": f" {_BETWEEN} ".join(_entries(row.text, row.spans)),
        "spans": packed(_moved(row.spans, row.text, plain_breaks(row.text))),
        "notes": f" {_BETWEEN} ".join(remarks),
    }
    return [cells.get(column, "") for column in COLUMNS]


def read_sheet(path: Path, errors: RowErrors, _: bool) -> Iterator[Row]:
    """Yield the rows of a sheet; TriageError if it has no column of texts or of answers."""
    lacking = "{} has no column '{}': is it a sheet that was exported from a queue?"
    try:
        opened = open_messages(path, text_column="text", guarded=True)
    except ColumnError as error:
        # The option that its message names does not exist for imports.
        raise TriageError(lacking.format(path, "text")) from error
    with opened as file:
        if "answer" not in file.columns:
            raise TriageError(lacking.format(file.name, "answer"))
        called = "line" if file.format.is_text else "row"
        for chunk in file.chunks():
            for line, row, text in zip(chunk.lines, chunk.rows, chunk.texts, strict=True):
                cells = dict(zip(file.columns, map(as_text, row), strict=True))
                with errors.of(f"{called} {line}"):
                    yield _of_cells(f"{called} {line}", cells, read_text(text))
        for reject in file.rejects:
            errors.add(f"{called} {reject.line}", reject.reason)


def _of_cells(where: str, cells: dict[str, str], text: str) -> Row:
    plain = plain_breaks(text)
    answer = only_answer([cells["answer"]] if cells["answer"].strip() else [])
    exported = spans = Spans()
    if answer in (Answer.TA, Answer.NTA):
        written = cells.get("spans", "")
        try:
            found = json.loads(written) if written.strip() else []
        except (ValueError, RecursionError) as error:
            problem = "the cell of spans is not JSON: leave that column as it is"
            raise TriageError(problem) from error
        exported = spans_of(read_marks(found), plain)
        named = cells.get("identifiers")
        spans = exported if named is None else _named_spans(named, plain, exported)
    spans = _moved(spans_of_answer(answer, spans, exported), plain, text)
    digest = cells.get("digest", "").strip().removeprefix(_TEXT_SIGN)
    annotator = cells.get("annotator", "").strip()
    return Row("", text, spans, answer, {"digest": digest}, annotator, where)


def plain_breaks(text: str) -> str:
    return _BREAK.sub("\n", text)


def _moved(spans: Spans, text: str, other: str) -> Spans:
    """Convert spans of a text to those of one that differs from it in line breaks alone."""
    places = _plain_positions(text)
    first = {plain: at for at, plain in reversed([*enumerate(_plain_positions(other))])}
    return tuple(Span(first[places[s.start]], first[places[s.end]], s.type) for s in spans)


def _plain_positions(text: str) -> list[int]:
    """Return where each position of a text stands once its breaks are normalised."""
    positions, at = [], 0
    for position, char in enumerate(text):
        positions.append(at)
        at += not (char == "\r" and text[position + 1 : position + 2] == "\n")
    return [*positions, at]


def fitted(row: Row, text: str) -> Row:
    r"""Return a row with the text of its item, where the two differ in line breaks alone."""
    if row.text == text:
        return row
    if plain_breaks(row.text) != plain_breaks(text):
        raise TriageError(
            f"{row.where}: the text is not that of the item any more; "
            "export again, and leave the column of texts as it is"
        )
    return replace(row, text=text, spans=_moved(row.spans, row.text, text))


def _entries(text: str, spans: Spans) -> dict[str, list[Span]]:
    """Return the identifiers of a text as a cell names them, each with its spans."""
    found: dict[str, list[Span]] = {}
    for span in spans:
        word = " ".join(text[span.start : span.end].split()).replace(_BETWEEN, _LIKE_BETWEEN)
        found.setdefault(f"{word} {span.type}".strip(), []).append(span)
    return found


def _named_spans(cell: str, text: str, before: Spans) -> Spans:
    known = _entries(text, before)
    entries = [" ".join(entry.split()) for entry in cell.split(_BETWEEN) if entry.strip()]
    found = [span for entry in entries for span in known.get(entry, [])]
    new = []
    for number, entry in enumerate(entries, 1):
        word, _, type_ = entry.rpartition(" ")
        # An invalid type may be a name without type, so the message does not show it.
        if entry not in known and not (word and type_.upper() in IdentifierType.__members__):
            raise TriageError(
                f"identifier {number} must be a word and its type, and {_BETWEEN} before the next; "
                f"types are: {', '.join(IdentifierType)}"
            )
        if entry not in known:
            new.append((number, word, IdentifierType(type_.upper())))
    # The longest first, so that Jean does not match the start of Jean-Paul.
    for number, word, kind in sorted(new, key=lambda entry: -len(entry[1])):
        found += _spans_of_word(word, number, kind, text, found)
    return tuple(sorted(set(found)))


def _spans_of_word(
    word: str, number: int, type_: IdentifierType, text: str, taken: list[Span]
) -> list[Span]:
    start = f"(?<!{_OF_WORD})" if re.match(_OF_WORD, word[0]) else ""
    end = f"(?!{_OF_WORD})" if re.match(_OF_WORD, word[-1]) else ""
    pattern = start + "".join(_FOUND_AS.get(char, re.escape(char)) for char in word) + end
    # As it is written, or else without regard to case.
    matches = [*re.finditer(pattern, text)] or [*re.finditer(pattern, text, re.IGNORECASE)]
    spans = [Span(*match.span(), type_) for match in matches]
    if not spans:
        raise TriageError(f"identifier {number} is not in the text: write it as it stands there")
    free = [s for s in spans if not any(s.start < t.end and t.start < s.end for t in taken)]
    if not free:
        raise TriageError(
            f"identifier {number} stands where another one does: take one of them out"
        )
    return free
