"""Outputs of any format: their usual names, and their writing, whole or not at all."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

from triage.data.columns import check_columns
from triage.data.objects import JsonlWriter, JsonWriter
from triage.data.read import format_of_extension, format_of_name, is_compressed, may_be_lines
from triage.data.table import Dialect, Format, Page, Reject, Writer
from triage.data.tables import ParquetWriter
from triage.data.tei import TeiWriter
from triage.data.text import WINDOWS, CsvWriter
from triage.errors import DataError, writing
from triage.safe import STANDARD_STREAM, Staged

_GZIP_LEVEL = 6
_REJECT_COLUMNS = ("line", "reason", "row")


def _xlsx_writer(file: IO[bytes], columns: Sequence[str], dialect: Dialect) -> Writer:
    from triage.data.xlsx import XlsxWriter

    return XlsxWriter(file, columns, dialect)


WRITERS: Mapping[Format, Callable[[IO[bytes], Sequence[str], Dialect], Writer]] = {
    Format.CSV: CsvWriter,
    Format.TSV: CsvWriter,
    Format.JSONL: JsonlWriter,
    Format.JSON: JsonWriter,
    Format.TEI: TeiWriter,
    Format.XLSX: _xlsx_writer,
    Format.PARQUET: ParquetWriter,
}
# TEI has no place for the columns that are added.
_TABLES = WRITERS.keys() - {Format.TEI}


def default_output(path: str | Path) -> Path:
    """Return the output's path for an input: beside it, in its format, or else XLSX or CSV."""
    path = Path(path)
    if str(path) == STANDARD_STREAM:
        return path
    base, extensions = _split(path)
    format_ = format_of_extension(path)
    if format_ is Format.ODS:
        extensions = ".xlsx"
    elif format_ not in _TABLES or may_be_lines(path):
        extensions = ".csv"
    return path.with_name(f"{base}.triage{extensions}")


def rejects_path(output: str | Path) -> Path:
    """Return the path for the rejects of an output: beside it, always CSV."""
    output = Path(output)
    if str(output) == STANDARD_STREAM:
        return Path("rejects.csv")
    return output.with_name(f"{_split(output)[0]}.rejects.csv")


def run_path(output: str | Path) -> Path | None:
    """Return the path for the record of how an output came about: beside it; None for a stream."""
    path = Path(output)
    if str(output) == STANDARD_STREAM or not path.name:
        return None
    # Outputs of one name in several formats have records of their own.
    return path.with_name(f"{path.name.removesuffix('.csv')}.run.json")


def _split(path: Path) -> tuple[str, str]:
    inner = Path(path.stem) if path.suffix.lower() == ".gz" else path
    return inner.stem, path.name.removeprefix(inner.stem)


class OutputFile(Staged):
    """An output of `create_output`: rows in, a file of some format out."""

    def __init__(
        self,
        path: str | Path,
        columns: Sequence[str],
        dialect: Dialect,
        *,
        like: str | Path | None = None,
        private: bool = False,
        overwrite: bool = False,
    ) -> None:
        super().__init__(path, like=like, private=private, overwrite=overwrite)
        self.rows_written = 0
        self._width = len(columns)
        self._ends: list[Callable[[], None]] = []
        try:
            with writing(self.name):
                file = self.file
                if self._hidden is not None and is_compressed(Path(path)):
                    # Neither the time nor the hidden file's name may show in the bytes.
                    file = cast(IO[bytes], gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0))
                    self._ends.append(file.close)
                self._writer = WRITERS[dialect.format](file, columns, dialect)
                self._ends.append(self._writer.finish)
        except BaseException:
            self.discard()
            raise

    def __exit__(self, *_: object) -> None:
        # A writer that is discarded unfinished would warn when it is collected.
        with suppress(Exception):
            self._end()
        self.discard()

    @property
    def formulas(self) -> Counter[str]:
        """The number of cells, by column, that a spreadsheet may take for formulas so far."""
        return self._writer.formulas

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        batch = list(rows)
        if any(len(row) != self._width for row in batch):
            raise ValueError(f"a row doesn't have the {self._width} cells of the header")
        self.add(Page(len(batch), batch))

    def page(self, rows: Sequence[Sequence[object]]) -> Page:
        """Return rows as `add` writes them, such as can be sent from a worker process."""
        try:
            return self._writer.page(rows, 0)
        except DataError:
            # It is raised again where the number of the row is known.
            return Page(len(rows), rows)

    def add(self, page: Page) -> None:
        first = self.rows_written + 1
        with writing(self.name):
            whole = page if page.rows is None else self._writer.page(page.rows, first)
            self._writer.add(whole, first)
        self.rows_written += page.n_rows

    def finish(self) -> None:
        """Write what comes after the last row, and bring all of it to the disk."""
        self._end()
        super().finish()

    def _end(self) -> None:
        while self._ends:
            self._ends.pop()()


def create_output(
    path: str | Path,
    columns: Sequence[str],
    *,
    like: Dialect | None = None,
    mode_from: str | Path | None = None,
    private: bool = False,
    guard_formulas: bool = False,
    bom: bool | None = None,
    overwrite: bool = False,
) -> OutputFile:
    """Create an output file of a format that is written; `commit` publishes it."""
    like = like or Dialect(Format.CSV)
    if str(path) != STANDARD_STREAM:
        format_ = format_of_name(Path(path), WRITERS)
    else:
        format_ = like.format if like.format.is_text else Format.CSV
    if not format_.is_delimited:
        check_columns(columns, str(path))
    dialect = Dialect(format_, roles=like.roles)
    if format_ is like.format:
        dialect = like
    elif format_.is_delimited and like.format.is_delimited:
        dialect = replace(like, format=format_, separator=None)
    if bom is None:
        bom = dialect.bom or dialect.encoding == WINDOWS
    dialect = replace(dialect, bom=bom, guarded=guard_formulas)
    return OutputFile(path, columns, dialect, like=mode_from, private=private, overwrite=overwrite)


@contextmanager
def rejects_output(
    path: str | Path, rejects: Sequence[Reject], *, overwrite: bool = False
) -> Iterator[OutputFile]:
    r"""Create an output of rejected rows that only its owner may read, ready to be committed."""
    with create_output(
        path, _REJECT_COLUMNS, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        for reject in rejects:
            raw = reject.raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            output.write([[reject.line, reject.reason, raw]])
        yield output
