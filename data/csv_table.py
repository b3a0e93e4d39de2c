"""CSV and TSV files."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from triage.data.columns import check_columns
from triage.data.encoding import Decoding, find_decoding
from triage.data.errors import DataError
from triage.data.formats import Dialect, Format
from triage.data.formula import unguard
from triage.data.limits import LONGEST_CELL
from triage.data.separator import NO_SEPARATOR, SEPARATORS, find_separator, known_separator
from triage.data.source import Source
from triage.data.table import Options, Reject, Row
from triage.data.text_lines import Lines, line_terminator, open_lines

_SAMPLE = 20

_NEVER_CLOSED = "quote never closed"
_UNDECODED = "bytes that are not UTF-8"
_FAULTS = {
    "unexpected end of data": _NEVER_CLOSED,
    "new-line character": "a carriage return outside quotes",
    "field larger": f"a cell of more than {LONGEST_CELL:,} characters",
}


@dataclass(frozen=True)
class CsvTable:
    """A CSV or TSV file, read as a stream of any length."""

    source: Source
    decoding: Decoding
    dialect: Dialect
    columns: tuple[str, ...]
    guarded: bool

    @property
    def lines(self) -> int:
        """About how many lines there are."""
        return self.decoding.lines

    def rows(self, reject: Callable[[Reject], None]) -> Iterator[Row]:
        """Yield the rows that have as many cells as there are columns."""
        with open_lines(self.source, self.decoding, self.dialect.line_terminator) as lines:
            records = _records(lines, self.dialect.separator)
            next(records, None)  # the header
            width, damaged = len(self.columns), self.decoding.damaged
            for cells, unparsed in records:
                undecoded = damaged and lines.has_undecoded()
                if unparsed or undecoded or len(cells) != width:
                    fault = unparsed or (_UNDECODED if undecoded else _misfit(cells, width))
                    reject(Reject(lines.first, fault, lines.raw()))
                else:
                    yield lines.first, [*map(unguard, cells)] if self.guarded else cells


def open_csv(source: Source, options: Options) -> CsvTable:
    """Find out how a CSV or TSV file is written, and read its header.

    Raises
    ------
    DataError
        The encoding can't be found out, or the header can't be read.
    """
    csv.field_size_limit(LONGEST_CELL)
    decoding = find_decoding(source, options.encoding)
    terminator = line_terminator(source, decoding)
    with open_lines(source, decoding, terminator) as lines:
        separator = _separator(lines, source.format, options)
    with open_lines(source, decoding, terminator) as lines:
        columns = _header(lines, separator, source.name)
    if options.guarded:
        columns = tuple(map(unguard, columns))
    dialect = Dialect(source.format, decoding.encoding, separator, decoding.bom, terminator)
    return CsvTable(source, decoding, dialect, columns, options.guarded)


def _separator(lines: Lines, format_: Format, options: Options) -> str | None:
    if options.separator is not None:
        return known_separator(options.separator)
    candidates = ("\t",) if format_ is Format.TSV else SEPARATORS
    sample = [line for line in islice(_one_by_one(lines), _SAMPLE) if line.strip()]
    return find_separator(sample, candidates, options.text_column)


def _one_by_one(lines: Lines) -> Iterator[str]:
    for line in lines:
        yield line
        lines.start()


def _header(lines: Lines, separator: str | None, name: str) -> tuple[str, ...]:
    cells, fault = next(_records(lines, separator), ([], ""))
    if fault:
        raise DataError(f"{name}: the header can't be read: {fault}")
    if not cells:
        raise DataError(f"{name} is empty: it has no header and no messages")
    if lines.has_undecoded():
        raise DataError(f"{name}: the header is not UTF-8: name its encoding with --encoding")
    check_columns(cells, name)
    return tuple(cells)


def _records(lines: Lines, separator: str | None) -> Iterator[tuple[list[Any], str]]:
    """Yield the cells of each record and what is wrong with it; blank lines are no records."""
    reader = csv.reader(lines, delimiter=separator or NO_SEPARATOR, strict=True)
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


def _misfit(cells: list[str], width: int) -> str:
    fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
    return f"{fields} where the header has {width}"


def _fault_of(error: csv.Error, lines: Lines) -> str:
    """Say what is wrong with a record; one that ran on for lines had a quote left open.

    Reading goes on at the record's second line, so that an open quote costs one row.
    """
    if len(lines.taken) > 1:
        lines.keep_first()
        return _NEVER_CLOSED
    known = (fault for sign, fault in _FAULTS.items() if str(error).startswith(sign))
    return next(known, "text after a closing quote")
