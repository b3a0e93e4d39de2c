"""CSV, TSV and plain lines, read as a stream of any length; tables are written as UTF-8."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, cast

from triage.data.columns import check_columns, header_of, names_text, numbered
from triage.data.errors import (
    FORMULA_SIGNS,
    LONG_CELL,
    LONGEST_CELL,
    MOST_TITLES,
    as_text,
    fault,
    guard,
    is_formula,
    unguard,
    whole_characters,
)
from triage.data.table import Dialect, Format, Page, Reject, Row, Source, Table, Writer
from triage.data.text import BYTE_ORDER_MARK, UNDECODED, Lines, TextFile, open_text
from triage.errors import DataError
from triage.settings import Reading

_SEPARATORS = (",", ";", "\t", "|")
# The csv module wants a separator also where each line is one message. A lone surrogate is the
# one character that no decoded file holds.
_NO_SEPARATOR = "\ud800"
_SAMPLE = 20
_ROWS_BY_COMMA = 4
_QUOTE = '"'
_TO_GUARD = FORMULA_SIGNS | {"'"}
_NEVER_CLOSED = "quote never closed"
_FAULTS = {
    "unexpected end of data": _NEVER_CLOSED,
    "new-line character": "a carriage return outside quotes",
    "field larger": LONG_CELL,
}


def open_csv(source: Source, reading: Reading) -> Table:
    """Detect the encoding and separator of a CSV or TSV file, and read its header."""
    csv.field_size_limit(LONGEST_CELL)
    text = open_text(source, reading.encoding)
    with text.lines() as lines:
        separator = _separator(lines, source.format, reading)
    with text.lines() as lines:
        columns, n_above = _header(lines, separator, source.name, reading)
    if reading.no_header:
        columns = numbered(len(columns))
    else:
        check_columns(columns, source.name)
        n_above += 1
    if source.guarded:
        columns = tuple(map(unguard, columns))
    dialect = replace(text.dialect, separator=separator, guarded=source.guarded)
    rows = partial(_rows, text, dialect, len(columns), n_above)
    return Table(columns, dialect, text.n_lines, rows)


def open_lines(source: Source, reading: Reading) -> Table:
    """Find out the encoding of plain text, of which each line that is not blank is a message."""
    text = open_text(source, reading.encoding)
    return Table(("text",), text.dialect, text.n_lines, partial(_messages, text))


def _messages(text: TextFile) -> Iterator[Row | Reject]:
    with text.lines() as lines:
        for line in lines:
            if len(line) > LONGEST_CELL:
                problem = f"a line of more than {LONGEST_CELL:,} characters"
                yield Reject(lines.first, problem, lines.raw())
            elif text.damaged and lines.has_undecoded():
                yield Reject(lines.first, UNDECODED, lines.raw())
            elif line.strip():
                yield lines.first, [line.rstrip("\r\n")]
            lines.start()


def is_table(head: str) -> bool:
    r"""Return whether text is a table rather than lines of messages."""
    sample = [line for line in head.splitlines()[:_SAMPLE] if line.strip()]
    separator = _likeliest(sample, _SEPARATORS, None)
    if any(names_text(row, None) for row in _parsed(sample[:1], separator or _NO_SEPARATOR)):
        return True
    rows = _parsed(sample, separator) if separator else []
    least = _ROWS_BY_COMMA if separator == "," else 2
    return len(rows) >= least and len({len(row) for row in rows}) == 1


def _separator(lines: Lines, format_: Format, reading: Reading) -> str | None:
    if reading.separator is not None:
        found = "\t" if reading.separator in ("tab", "\\t") else reading.separator
        if len(found) != 1 or found in '"\r\n':
            raise DataError(
                f"--separator {reading.separator!r} is not one character: try , ; | or tab"
            )
        return found
    sample = []
    for line in islice(lines, _SAMPLE):
        if line.strip():
            sample.append(line)
        lines.start()
    candidates = ("\t",) if format_ is Format.TSV else _SEPARATORS
    return _likeliest(sample, candidates, reading.text_column)


def _likeliest(
    sample: Sequence[str], candidates: Sequence[str], text_column: str | None
) -> str | None:
    r"""Return the separator of the file that begins with `sample`; None for a single column."""
    if any(names_text(row, text_column) for row in _parsed(sample[:1], _NO_SEPARATOR)):
        return None
    ratings = {candidate: _rating(sample, candidate, text_column) for candidate in candidates}
    best = max(candidates, key=ratings.__getitem__)
    return best if ratings[best][-1] > 1 else None


def _rating(
    sample: Sequence[str], separator: str, text_column: str | None
) -> tuple[bool, bool, int, int]:
    rows = _parsed(sample, separator)
    rows = rows[header_of(rows, text_column) :]
    if not rows:
        return False, False, 0, 0
    width = len(rows[0])
    agreeing = sum(len(row) == width for row in rows[1:])
    return width > 1, names_text(rows[0], text_column), agreeing, width


def _parsed(sample: Sequence[str], separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(row for row in csv.reader(sample, delimiter=separator) if row)
    return rows


def _header(
    lines: Lines, separator: str | None, name: str, reading: Reading
) -> tuple[tuple[str, ...], int]:
    """Return the header, and how many rows are above it."""
    top = []
    for cells, problem in islice(_records(lines, separator), MOST_TITLES + 1):
        top.append((cells, problem, lines.has_undecoded()))
        if reading.no_header or names_text(cells, reading.text_column):
            break
    rows = [cells for cells, *_ in top]
    n_above = 0 if reading.no_header else header_of(rows, reading.text_column)
    cells, problem, is_undecoded = top[n_above] if top else ([], "", False)
    if problem:
        raise fault(name, "header_unreadable", f": the header can't be read: {problem}")
    if not cells:
        raise fault(name, "empty", " is empty: it has no header and no messages")
    if is_undecoded:
        line = ": the header is not UTF-8: name its encoding with --encoding"
        raise fault(name, "encoding", line)
    return tuple(cells), n_above


def _rows(text: TextFile, dialect: Dialect, width: int, n_above: int) -> Iterator[Row | Reject]:
    is_plain = not (text.damaged or dialect.guarded)
    with text.lines() as lines:
        records = _records(lines, dialect.separator)
        for _ in islice(records, n_above):
            pass
        while ahead := lines.ahead():
            if is_plain and (found := _one_a_line(ahead, dialect.separator, width)):
                yield from enumerate(found, lines.following)
                lines.pass_over()
                continue
            end = lines.following + len(ahead)
            while lines.following < end and (record := next(records, None)):
                cells, unparsed = record
                undecoded = text.damaged and lines.has_undecoded()
                if unparsed or undecoded or len(cells) != width:
                    misfit = UNDECODED if undecoded else _misfit(cells, width)
                    yield Reject(lines.first, unparsed or misfit, lines.raw())
                else:
                    yield lines.first, [*map(unguard, cells)] if dialect.guarded else cells


def _one_a_line(lines: Sequence[str], separator: str | None, width: int) -> list[list[object]]:
    """Return the rows of lines if each is one by itself; none where that is not sure."""
    try:
        found = [*csv.reader(lines, delimiter=separator or _NO_SEPARATOR, strict=True)]
    except csv.Error:
        return []
    is_sure = len(found) == len(lines) and {*map(len, found)} == {width}
    return cast("list[list[object]]", found) if is_sure else []


def _misfit(cells: list[str], width: int) -> str:
    fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
    return f"{fields} where the header has {width}"


def _records(lines: Lines, separator: str | None) -> Iterator[tuple[list[Any], str]]:
    """Yield the cells and the fault of each record; blank lines are no records."""
    reader = csv.reader(lines, delimiter=separator or _NO_SEPARATOR, strict=True)
    while True:
        lines.start()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield [], _fault_of(error, lines)
            continue
        if cells:
            yield cells, ""


def _fault_of(error: csv.Error, lines: Lines) -> str:
    """Return the fault of a record; one of several lines has a quote that is never closed."""
    if len(lines.taken) > 1:
        lines.keep_first()
        return _NEVER_CLOSED
    known = (problem for sign, problem in _FAULTS.items() if str(error).startswith(sign))
    return next(known, "text after a closing quote")


class CsvWriter(Writer):
    def begin(self) -> None:
        is_tsv = self._dialect.format is Format.TSV
        self._separator = "\t" if is_tsv else self._dialect.separator or ","
        if self._dialect.bom:
            self._file.write(BYTE_ORDER_MARK.encode())
        self.add(self.page([self._columns], 0), 0)

    def page(self, rows: Sequence[Sequence[object]], first: int) -> Page:
        """Return rows as lines of separated cells."""
        formulas = Counter[str]()
        named = zip(self._columns, zip(*rows, strict=True), strict=False)
        columns = [self._column(name, cells, formulas) for name, cells in named]
        lines = [*map(self._separator.join, zip(*columns, strict=True))] or [""] * len(rows)
        if len(columns) < 2:
            # A line without anything would be no row.
            lines = [line or '""' for line in lines]
        # The empty last line gives the one before its terminator.
        page = self._dialect.line_terminator.join([*lines, ""])
        try:
            return Page(len(lines), None, page.encode(), formulas)
        except UnicodeEncodeError as error:
            number = next(
                n for n, line in enumerate(lines, first) if line != whole_characters(line)
            )
            raise DataError(
                f"row {number} holds half of a character, which CSV can't hold: write JSON Lines",
                "half_character",
                row=number,
            ) from error

    def _column(self, name: str, cells: Sequence[object], formulas: Counter[str]) -> list[str]:
        """Return the cells of a column as text, in quotes where they need them."""
        texts = [cell if type(cell) is str else as_text(cell) for cell in cells]
        signs = _TO_GUARD if self._dialect.guarded else FORMULA_SIGNS
        if not signs.isdisjoint({text[:1] for text in {*texts}}):
            # Numbers are no formulas: only what came as text can be one.
            suspects = [(at, c) for at, c in enumerate(cells) if isinstance(c, str)]
            if self._dialect.guarded:
                for at, cell in suspects:
                    texts[at] = guard(cell)
            elif n_found := sum(is_formula(cell) for _, cell in suspects if cell[:1] in signs):
                formulas[name] += n_found
        together, separator = "".join(texts), self._separator
        if any(sign in together for sign in (separator, _QUOTE, "\n", "\r")):
            return [_quoted(text, separator) for text in texts]
        return texts


def _quoted(cell: str, separator: str) -> str:
    if separator in cell or _QUOTE in cell or "\n" in cell or "\r" in cell:
        return f'"{cell.replace(_QUOTE, _QUOTE * 2)}"'
    return cell
