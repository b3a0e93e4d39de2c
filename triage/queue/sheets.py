"""The sheet of a queue: CSV, XLSX and ODS that people fill in with a spreadsheet."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from triage.data import Dialect, Format, as_text, open_messages
from triage.data.errors import ColumnError

from ..errors import TriageError
from ..vocabulary import IdentifierType, Span, Spans
from .records import Answer
from .rows import Counting, Destination, FaultsAt, Row, only_answer, read_marks, read_text, spans_of

SHEET_COLUMNS = (
    *("item", "digest", "text", "messages", "ids", "seek_hide", "model", "model_score"),
    *("evidence", "suggested", "answer", "identifiers", "spans", "notes"),
)
# A spreadsheet takes a digest such as 12e45 for a number unless this stands before it.
_TEXT_SIGN = "x"
_BETWEEN, _LIKE_BETWEEN = "|", "¦"
_APOSTROPHES = "'’‘ʼ`´"
_ACCENT = "[\u0300-\u036f]"
_OF_WORD = f"[\\w{_ACCENT[1:]}"
# A sign between characters is one of an identifier, unless the type of another ends before it.
_SEPARATOR = re.compile(rf"(?i:(?<!\S)\||\|(?!\S)|(?<=\s(?:{'|'.join(IdentifierType)}))\|)")
# How characters of an identifier that a person wrote are found; the separator is replaced in it.
_FOUND_AS = {" ": r"\s+", _LIKE_BETWEEN: r"[|¦]"} | dict.fromkeys(_APOSTROPHES, f"[{_APOSTROPHES}]")


def write_sheet(to: Destination, rows: Iterable[Row]) -> int:
    separator = f" {_BETWEEN} "

    def cells(row: Row) -> list[object]:
        remarks = [
            f"{note['annotator']}{' (?)' if note['asks'] else ''}: {note['text']}".strip()
            for note in row.about.get("notes", [])
        ]
        values = row.about | {
            "digest": _TEXT_SIGN + row.digest,
            "text": row.text,
            "ids": row.id,
            "suggested": separator.join(_entries(row.text, row.suggested)),
            "answer": row.answer or "",
            "identifiers": separator.join(_entries(row.text, row.spans)),
            "spans": json.dumps(row.counted(Counting.PLAIN_BREAKS)),
            "notes": separator.join(remarks),
        }
        return [values.get(column, "") for column in SHEET_COLUMNS]

    # With a byte order mark, spreadsheets read CSV as UTF-8.
    like = Dialect(Format.CSV, bom=True)
    return to.table(SHEET_COLUMNS, map(cells, rows), like, guard_formulas=True)


def read_sheet(path: Path, _: bool, faults_at: FaultsAt) -> Iterator[Row]:
    no_column = "{} has no column '{}': is it a sheet that was exported from a queue?"
    try:
        opened = open_messages(path, text_column="text", guarded=True)
    except ColumnError as error:
        # The option that its message names does not exist for imports.
        raise TriageError(no_column.format(path, "text")) from error
    with opened as file:
        if "answer" not in file.columns:
            raise TriageError(no_column.format(file.name, "answer"))
        unit = "line" if file.format.is_text else "row"
        for chunk in file.chunks():
            for line, row, text in zip(chunk.lines, chunk.rows, chunk.texts, strict=True):
                where = f"{unit} {line}"
                with faults_at(where):
                    cells = dict(zip(file.columns, map(as_text, row), strict=True))
                    yield _row_of_cells(where, cells, read_text(text))
        for reject in file.rejects:
            with faults_at(f"{unit} {reject.line}"):
                raise TriageError(reject.reason)


def _row_of_cells(where: str, cells: dict[str, str], text: str) -> Row:
    answer = only_answer([cells["answer"]] if cells["answer"].strip() else [])
    exported = spans = Spans()
    if answer in (Answer.TA, Answer.NTA):
        try:
            marks = json.loads(cells.get("spans", "").strip() or "[]")
        except (ValueError, RecursionError) as error:
            problem = "the cell of spans is not JSON: leave that column as it is"
            raise TriageError(problem) from error
        exported = spans_of(read_marks(marks), text, Counting.PLAIN_BREAKS)
        identifiers = cells.get("identifiers")
        spans = exported if identifiers is None else _named_spans(identifiers, text, exported)
    about = {"digest": cells.get("digest", "").strip().removeprefix(_TEXT_SIGN)}
    annotator = cells.get("annotator", "").strip()
    return Row("", text, spans, answer, about, annotator, where).checked(exported)


def _entries(text: str, spans: Spans) -> dict[str, list[Span]]:
    """Return the identifiers of a text as a cell names them, each with its spans."""
    entries: dict[str, list[Span]] = {}
    for span in spans:
        word = " ".join(text[span.start : span.end].split()).replace(_BETWEEN, _LIKE_BETWEEN)
        entries.setdefault(f"{word} {span.type}".strip(), []).append(span)
    return entries


def _named_spans(cell: str, text: str, before: Spans) -> Spans:
    """Return the spans that a cell names: as they went out, or where the words stand."""
    exported, unplaced = _entries(text, before), []
    spans: list[Span] = []
    entries = [" ".join(entry.split()) for entry in _SEPARATOR.split(cell) if entry.strip()]
    for number, entry in enumerate(entries, 1):
        word, _, type_ = entry.rpartition(" ")
        if entry in exported:
            spans += exported[entry]
        elif word and type_.upper() in IdentifierType.__members__:
            unplaced.append((f"identifier {number}", word, IdentifierType(type_.upper())))
        else:
            # An invalid type may be a name without type, so the message does not show it.
            raise TriageError(
                f"identifier {number} must be a word and its type, and {_BETWEEN} before the next "
                f"({_LIKE_BETWEEN} for one in a word); types are: {', '.join(IdentifierType)}"
            )
    # The longest first, so that Jean does not match the start of Jean-Paul.
    for name, word, kind in sorted(unplaced, key=lambda entry: -len(entry[1])):
        hits = _places(word, text)
        if not hits:
            raise TriageError(
                f"{name} is not in the text as a whole word or several, nor once as a part of one: "
                "write it as it stands there, or the whole word"
            )
        free = [m for m in hits if not any(m.start() < s.end and s.start < m.end() for s in spans)]
        if not free:
            raise TriageError(f"{name} stands where another one does: take one of them out")
        spans += [Span(*m.span(), kind) for m in free]
    return tuple(sorted(set(spans)))


def _places(word: str, text: str) -> list[re.Match[str]]:
    """Return where words stand whole, in their case or else in any, or else the one part of one."""
    part = "".join(_FOUND_AS.get(char, re.escape(char)) for char in word)
    start = f"(?<!{_OF_WORD})" if re.match(_OF_WORD, word[0]) else ""
    end = f"(?!{_OF_WORD})" if re.match(_OF_WORD, word[-1]) else ""
    whole = f"{start}{part}{end}"
    parts = [*re.finditer(f"{part}(?!{_ACCENT})", text, re.IGNORECASE)]
    matches = [*re.finditer(whole, text)] or [*re.finditer(whole, text, re.IGNORECASE)]
    return matches or (parts if len(parts) == 1 else [])
