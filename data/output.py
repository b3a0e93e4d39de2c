"""Outputs of any format, which appear whole or not at all."""

import gzip
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

from triage.data.columns import check_columns
from triage.data.errors import DataError, writing
from triage.data.formats import WRITERS, is_compressed, written_format
from triage.data.paths import STANDARD_STREAM, check_is_no_input
from triage.data.staging import Stage, StagedFile, StandardOutput, publish_all
from triage.data.table import Dialect, Format, Page, Reject, TextWriter, Writer
from triage.data.text import WINDOWS

_GZIP_LEVEL = 6
_REJECT_COLUMNS = ("line", "reason", "row")


class OutputFile:
    """An output of `create_output`, which appears at its path when it is committed."""

    def __init__(self, stage: Stage, writer: Writer, width: int, packer: IO[bytes] | None) -> None:
        self.rows_written = 0
        self._stage = stage
        self._writer = writer
        self._width = width
        self._packer = packer
        self._finished = False

    def __enter__(self) -> "OutputFile":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._finished:
            # A writer that is discarded unfinished would warn when it is collected.
            with suppress(Exception):
                self._finish()
        self._stage.discard()

    @property
    def formulas(self) -> Counter[str]:
        """The number of cells, by column, that a spreadsheet may take for formulas so far."""
        return self._writer.formulas

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows, with a cell for each column."""
        batch = list(rows)
        if any(len(row) != self._width for row in batch):
            raise ValueError(f"a row doesn't have the {self._width} cells of the header")
        with writing(self._stage.name):
            self._writer.write(batch, self.rows_written + 1)
        self.rows_written += len(batch)

    def page(self, rows: Sequence[Sequence[object]]) -> Page | Sequence[Sequence[object]]:
        """Return rows as `add` writes them, such as can be sent from a worker process."""
        if isinstance(self._writer, TextWriter):
            with suppress(DataError):
                return self._writer.page(rows, 0)
        return rows

    def add(self, page: Page | Sequence[Sequence[object]]) -> None:
        """Write what `page` returned."""
        if isinstance(page, Page) and isinstance(self._writer, TextWriter):
            with writing(self._stage.name):
                self._writer.add(page)
            self.rows_written += page.n_rows
        elif not isinstance(page, Page):
            self.write(page)

    def checksum(self) -> str:
        """Finish the output, and return the SHA-256 of its bytes; nothing of standard output."""
        return self._finish().checksum()

    def commit(self) -> None:
        """Finish the output and publish it at its path; see `commit_all`."""
        commit_all([self])

    def _finish(self) -> Stage:
        if self._finished:
            return self._stage
        self._finished = True
        with writing(self._stage.name):
            self._writer.finish()
            if self._packer is not None:
                self._packer.close()
            self._stage.close()
        return self._stage


def commit_all(outputs: Iterable[OutputFile | StagedFile]) -> None:
    """Finish several outputs, and publish them only when all are on the disk."""
    publish_all([one._finish() if isinstance(one, OutputFile) else one for one in outputs])


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
    r"""Create an output file of a format that is written; `commit` publishes it."""
    if str(path) != STANDARD_STREAM:
        format_, compressed = written_format(Path(path)), is_compressed(Path(path))
    else:
        format_, compressed = like.format if like and like.format.is_text else Format.CSV, False
    if not format_.is_delimited:
        check_columns(columns, str(path))
    dialect = replace(_dialect(format_, like), guarded=guard_formulas)
    if bom is not None:
        dialect = replace(dialect, bom=bom)
    stage = _stage(path, mode_from, private=private, overwrite=overwrite)
    try:
        with writing(stage.name):
            packer = _packer(stage.file) if compressed else None
            writer = WRITERS[format_](packer or stage.file, columns, dialect)
    except BaseException:
        stage.discard()
        raise
    return OutputFile(stage, writer, len(columns), packer)


def note_output(
    path: str | Path,
    content: bytes,
    *,
    mode_from: str | Path | None = None,
    overwrite: bool = False,
) -> OutputFile:
    """Create a small output that is no table and is whole already, to be committed with others."""
    stage = _stage(path, mode_from, private=False, overwrite=overwrite)
    try:
        with writing(stage.name):
            stage.file.write(content)
    except BaseException:
        stage.discard()
        raise
    return OutputFile(stage, Writer(stage.file, (), Dialect(Format.JSONL)), 0, None)


@contextmanager
def rejects_output(
    path: str | Path, rejects: Sequence[Reject], *, overwrite: bool = False
) -> Iterator[OutputFile]:
    r"""Create an output of rejected rows that only its owner may read, ready to be committed."""
    with create_output(
        path, _REJECT_COLUMNS, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        output.write([reject.line, reject.reason, _escaped(reject.raw)] for reject in rejects)
        yield output


def _escaped(raw: str) -> str:
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _stage(
    path: str | Path, mode_from: str | Path | None, *, private: bool, overwrite: bool
) -> Stage:
    if str(path) == STANDARD_STREAM:
        return StandardOutput()
    return staged_file(path, mode_from, private=private, overwrite=overwrite)


def staged_file(
    path: str | Path,
    mode_from: str | Path | None,
    *,
    private: bool = False,
    overwrite: bool = False,
) -> StagedFile:
    """Stage a file that is no more readable than an input, see `create_output`."""
    like: os.stat_result | None = None
    if mode_from is not None and str(mode_from) != STANDARD_STREAM:
        check_is_no_input(path, [mode_from])
        with writing(str(path)):
            like = Path(mode_from).stat()
    return StagedFile(Path(path), like=like, private=private, overwrite=overwrite)


def _packer(file: IO[bytes]) -> IO[bytes]:
    # Neither the time nor the hidden file's name may show in the bytes.
    return cast(IO[bytes], gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0))


def _dialect(format_: Format, like: Dialect | None) -> Dialect:
    """Return the dialect of an output: that of the input as far as it applies to `format_`."""
    if like is not None and like.encoding == WINDOWS:
        like = replace(like, bom=True)
    if like is not None and format_ is like.format:
        return like
    if like is not None and format_.is_delimited and like.format.is_delimited:
        return Dialect(format_, bom=like.bom, line_terminator=like.line_terminator)
    return Dialect(format_)
