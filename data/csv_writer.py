"""CSV and TSV files, written as UTF-8."""

from collections import Counter
from collections.abc import Sequence
from typing import IO

from triage.data.errors import DataError
from triage.data.formats import Dialect, Format
from triage.data.formula import SIGNS, guard, is_formula
from triage.data.values import as_text, whole_characters

_BYTE_ORDER_MARK = "\ufeff"
_QUOTE = '"'


class CsvWriter:
    """Writes rows as lines of separated cells, in the dialect of the input where it is alike.

    The csv module of Python 3.11 leaves a lone carriage return unquoted, so that no reader would
    take it for part of a message; this writer quotes it, and is faster.
    """

    def __init__(
        self, file: IO[bytes], columns: Sequence[str], dialect: Dialect, *, guard_formulas: bool
    ) -> None:
        self.formulas: Counter[str] = Counter()
        self._file = file
        self._columns = columns
        self._counts_formulas = not guard_formulas
        self._separator = _separator(dialect)
        self._terminator = dialect.line_terminator
        self._texts = _guarded if guard_formulas else _plain
        if dialect.bom:
            file.write(_BYTE_ORDER_MARK.encode())
        self.write([columns], 0)

    def write(self, rows: Sequence[Sequence[object]], first: int) -> None:
        """Write rows, of which the first is number `first` of the output."""
        if self._counts_formulas:
            self._count_formulas(rows)
        lines = [self._line(row) for row in rows]
        # The empty last line gives the one before its terminator.
        page = self._terminator.join([*lines, ""])
        try:
            self._file.write(page.encode())
        except UnicodeEncodeError as error:
            raise _unencodable(lines, first) from error

    def finish(self) -> None:
        """Do nothing: a CSV file just ends."""

    def _count_formulas(self, rows: Sequence[Sequence[object]]) -> None:
        for column, cells in zip(self._columns, zip(*rows, strict=True), strict=False):
            # The first look is spelt out: a call for each cell takes as long as all the rest.
            begin_so = [c for c in cells if isinstance(c, str) and c[:1] in SIGNS]
            found = sum(map(is_formula, begin_so))
            if found:
                self.formulas[column] += found

    def _line(self, row: Sequence[object]) -> str:
        cells, separator = self._texts(row), self._separator
        line = separator.join(cells)
        if line and line.count(separator) < len(cells) and not _breaks(line):
            return line
        return separator.join([_quoted(cell, separator) for cell in cells]) or '""'


def _separator(dialect: Dialect) -> str:
    return "\t" if dialect.format is Format.TSV else dialect.separator or ","


def _plain(row: Sequence[object]) -> list[str]:
    return [cell if type(cell) is str else as_text(cell) for cell in row]


def _guarded(row: Sequence[object]) -> list[str]:
    # Numbers are no formulas: only what came as text can be one.
    return [guard(cell) if isinstance(cell, str) else as_text(cell) for cell in row]


def _breaks(text: str) -> bool:
    return _QUOTE in text or "\n" in text or "\r" in text


def _quoted(cell: str, separator: str) -> str:
    # Spelt out, because a call of `_breaks` for each cell takes as long as all the rest.
    if separator in cell or _QUOTE in cell or "\n" in cell or "\r" in cell:
        return f'"{cell.replace(_QUOTE, _QUOTE * 2)}"'
    return cell


def _unencodable(lines: Sequence[str], first: int) -> DataError:
    number = next(n for n, line in enumerate(lines, first) if line != whole_characters(line))
    return DataError(
        f"row {number} holds half of a character, which CSV can't hold: write JSON Lines"
    )
