"""Outputs of any format: their usual names, and their writing, whole or not at all."""

import codecs
import csv
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import date
from html import escape
from itertools import islice
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, NamedTuple, TypeAlias, Unpack, cast
from urllib.parse import quote

from triage.data.columns import check_columns, guess_column
from triage.data.errors import MISSING, as_json, as_text, fault, require, whole_characters, words_of
from triage.data.formats import format_of_extension, format_of_name, is_compressed, may_be_lines
from triage.data.table import Dialect, Format
from triage.data.text import FORMULA_SIGNS, OLDER, guard
from triage.data.xml_stream import attribute_xml, check_characters
from triage.errors import DataError, writing
from triage.safe import STANDARD_STREAM, Options, Staged

_ROWS_AT_ONCE = 5_000
_NUMBER = re.compile(r"[+-]\d+(?:[.,]\d+)?")
Rows: TypeAlias = Sequence[Sequence[object]]


def default_output(path: str | Path) -> Path:
    """Return the output's path for an input: beside it, in its format, or else XLSX or CSV."""
    path = Path(path)
    if str(path) == STANDARD_STREAM:
        return path
    inner = Path(path.stem) if path.suffix.lower() == ".gz" else path
    extensions, format_ = path.name.removeprefix(inner.stem), format_of_extension(path)
    if format_ is Format.ODS:
        extensions = ".xlsx"
    # TEI has no place for the columns that are added.
    elif format_ not in WRITERS or format_ is Format.TEI or may_be_lines(path):
        extensions = ".csv"
    return path.with_name(f"{inner.stem}.triage{extensions}")


def file_named(name: str | Path) -> Path:
    """Return the path of a file; DataError where it has no name, as ``.`` has none."""
    path = Path(name)
    if not path.name:
        raise DataError(f"{path} is a folder: name a file")
    return path


def beside(output: str | Path, ending: str) -> Path:
    """Return the path of what belongs to an output; that of another format has its own."""
    path = file_named(output)
    return path.with_name(f"{path.name.removesuffix('.csv')}.{ending}")


def run_path(output: str | Path) -> Path | None:
    """Return the path for the record of how an output came about: beside it; None for a stream."""
    is_file = str(output) != STANDARD_STREAM and Path(output).name
    return beside(output, "run.json") if is_file else None


class Page(NamedTuple):
    """Rows to be written: as they are, or as bytes with the numbers of cells like formulas."""

    n_rows: int
    rows: Rows | None
    content: bytes = b""
    formulas: Mapping[str, int] = {}


class OutputFile(Staged):
    """An output of `create_output`: rows in, a file of some format out.

    `formulas` counts the cells, by column, that a spreadsheet may take for formulas.
    """

    def __init__(
        self, path: str | Path, columns: Sequence[str], dialect: Dialect, **options: Unpack[Options]
    ) -> None:
        super().__init__(path, **options)
        self.rows_written, self.formulas = 0, Counter[str]()
        self._columns, self._dialect = columns, dialect
        self._ends = ExitStack()
        try:
            with writing(self.name):
                self._bytes = self.file
                if self._hidden is not None and is_compressed(Path(path)):
                    # Neither the time nor the hidden file's name may show in the bytes.
                    packed = gzip.GzipFile("", "wb", 6, self.file, mtime=0)
                    self._bytes = cast(IO[bytes], packed)
                    self._ends.callback(packed.close)
                self.begin()
                self._ends.callback(self.end)
        except BaseException:
            self.discard()
            raise

    def __exit__(self, *_: object) -> None:
        # A writer that is discarded unfinished would warn when it is collected.
        with suppress(Exception):
            self._ends.close()
        self.discard()

    def begin(self) -> None:
        """Write what comes before the first row; by default nothing."""

    def end(self) -> None:
        """Write what comes after the last row; by default nothing."""

    def encoded(self, rows: Rows) -> Page:
        """Return rows as they are put: of a text format as bytes."""
        return Page(len(rows), rows)

    def put(self, page: Page) -> None:
        """Write a page behind the `rows_written`."""
        self._bytes.write(page.content)

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        left = iter(rows)
        while batch := [*islice(left, _ROWS_AT_ONCE)]:
            if any(len(row) != len(self._columns) for row in batch):
                raise ValueError(f"a row doesn't have the {len(self._columns)} cells of the header")
            self.add(Page(len(batch), batch))

    def page(self, rows: Rows) -> Page:
        """Return rows as `add` writes them, such as can be sent from a worker process."""
        try:
            return self.encoded(rows)
        except DataError:
            # It is raised again where the number of the row is known.
            return Page(len(rows), rows)

    def add(self, page: Page) -> None:
        with writing(self.name):
            whole = page if page.rows is None else self.encoded(page.rows)
            self.formulas.update(whole.formulas)
            self.put(whole)
        self.rows_written += page.n_rows

    def finish(self) -> None:
        """Write what comes after the last row, and bring all of it to the disk."""
        self._ends.close()
        super().finish()


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet may take `cell` of a CSV file for a formula."""
    return cell[:1] in FORMULA_SIGNS and not _NUMBER.fullmatch(cell)


class _Csv(OutputFile):
    def begin(self) -> None:
        header = self.encoded([self._columns])
        self.formulas.update(header.formulas)
        self._bytes.write(codecs.BOM_UTF8 * self._dialect.bom + header.content)

    def encoded(self, rows: Rows) -> Page:
        formulas, columns, lines = Counter[str](), list[list[str]](), list[str]()
        for name, cells in zip(self._columns, zip(*rows, strict=True), strict=False):
            texts = [cell if type(cell) is str else as_text(cell) for cell in cells]
            # Numbers are no formulas: only what came as text can be one.
            if self._dialect.guarded:
                pairs = zip(texts, cells, strict=True)
                texts = [guard(text) if isinstance(cell, str) else text for text, cell in pairs]
            elif not FORMULA_SIGNS.isdisjoint({text[:1] for text in texts}):
                n_formulas = sum(isinstance(cell, str) and is_formula(cell) for cell in cells)
                formulas.update([name] * n_formulas)
            columns.append(texts)
        is_tsv, end = self._dialect.format is Format.TSV, self._dialect.line_terminator
        separator = "\t" if is_tsv else self._dialect.separator or ","
        # With this end both of its characters are quoted.
        collector = SimpleNamespace(write=lines.append)
        writer = csv.writer(collector, delimiter=separator, lineterminator="\r\n")
        writer.writerows(zip(*columns, strict=True))
        try:
            content = "".join([line[:-2] + end for line in lines]).encode()
        except UnicodeEncodeError as error:
            number = next(n for n, line in enumerate(lines, 1) if line != whole_characters(line))
            raise fault("half_character", row=self.rows_written + number) from error
        return Page(len(rows), None, content, formulas)


def line_of(values: dict[str, object]) -> bytes:
    """Return an object as a line of UTF-8, without its end and keys that are `MISSING`."""
    # JSON has no NaN; one that stood in a file of JSON has its own type.
    values = {
        key: None if type(value) is float and not isfinite(value) else value
        for key, value in values.items()
        if value is not MISSING
    }
    # The backslash form of a lone surrogate is its JSON escape.
    return as_json(values).encode("utf-8", "backslashreplace")


class _JsonLines(OutputFile):
    def encoded(self, rows: Rows) -> Page:
        end = self._dialect.line_terminator.encode()
        objects = (dict(zip(self._columns, row, strict=True)) for row in rows)
        return Page(len(rows), None, b"".join([line_of(one) + end for one in objects]))


class _Json(_JsonLines):
    def put(self, page: Page) -> None:
        if page.n_rows:
            self._bytes.write(b",\n" if self.rows_written else b"[\n")
            # Line ends are only where objects end: within them they are escaped.
            self._bytes.write(b",\n".join(page.content.splitlines()))

    def end(self) -> None:
        self._bytes.write(b"\n]\n" if self.rows_written else b"[]\n")


class _Parquet(OutputFile):
    # pyarrow has no types that a checker could read.
    _writer: Any = None

    def put(self, page: Page) -> None:
        """Write rows; a column has the type that it had in the input, or that of its first page."""
        arrow, parquet = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
        known: Any = self._writer.schema if self._writer else self._dialect.schema
        cells = list(zip(*(page.rows or ()), strict=True)) or [()] * len(self._columns)
        arrays, fields = [], []
        for name, values in zip(self._columns, cells, strict=True):
            field = known.field(name) if known is not None and name in known.names else None
            present = [None if value is MISSING else value for value in values]
            try:
                array = arrow.array(present, type=field and field.type)
            except (arrow.ArrowException, OverflowError, TypeError, UnicodeError) as error:
                raise fault("parquet_values", column=name) from error
            if arrow.types.is_null(array.type) and field is None:
                # A column without values yet has the null type, which would refuse later ones.
                array = array.cast(arrow.string())
            arrays.append(array)
            fields.append(field or arrow.field(name, array.type))
        schema = arrow.schema(fields)
        self._writer = self._writer or parquet.ParquetWriter(self._bytes, schema)
        self._writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))

    def end(self) -> None:
        if self._writer is None:
            self.put(Page(0, []))
        self._writer.close()


def arff(
    relation: str, columns: Sequence[str], rows: Iterable[Sequence[float]], classes: Sequence[str]
) -> bytes:
    """Return a table of numbers as Weka reads it, whose last attribute is the class."""
    escapes = str.maketrans({"\\": "\\\\", "'": "\\'"})
    relation, *columns = (f"'{name.translate(escapes)}'" for name in (relation, *columns))
    lines = [f"@relation {relation}", *(f"@attribute {column} numeric" for column in columns)]
    lines += [f"@attribute class {{{','.join(sorted(set(classes)))}}}", "@data"]
    for row, kind in zip(rows, classes, strict=True):
        lines.append(",".join([*map(repr, map(float, row)), kind]))
    return ("\n".join(lines) + "\n").encode()


# White space that readers of XML would change.
_UNSTABLE = re.compile(r"^\s|\s\s|[\t\r]|\s$")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_W3C_DATE = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?"
)


def tei_places(
    columns: Sequence[str], roles: Mapping[str, str]
) -> tuple[list[int | None], list[str]]:
    """Return where text, id, sender and date are, and the columns that TEI has no place for."""
    places = [
        columns.index(name) if name in columns else guess_column(columns, role)
        for role in ("text", "id", "sender", "date")
        for name in [roles.get(role)]
    ]
    return places, [name for position, name in enumerate(columns) if position not in places]


class _Tei(OutputFile):
    """Each row as a post with its id, sender and date; others have no place in TEI."""

    def begin(self) -> None:
        (text, *self._places), others = tei_places(self._columns, self._dialect.roles)
        if text is None or others:
            names = ", ".join(others)
            raise fault("tei_columns", columns=names, others=names and f", not for {names}")
        self._text, self._ids = text, set[str]()
        self._bytes.write(words_of("tei")["document"]["opening"].encode())

    def put(self, page: Page) -> None:
        for number, row in enumerate(page.rows or (), self.rows_written + 1):
            id_, sender, sent = (row[i] if i is not None else None for i in self._places)
            label, who, text = as_text(id_), as_text(sender), as_text(row[self._text])
            # A label, unless it is a name of XML that is new.
            is_name = _NAME.fullmatch(label) and label not in self._ids
            self._ids.add(label)
            date_text = sent.isoformat() if isinstance(sent, date) else as_text(sent)
            w3c_text = date_text.replace(" ", "T", 1)
            # A date in another form than that of XML is kept as it is.
            is_w3c = _W3C_DATE.fullmatch(w3c_text)
            values = {
                "xml:id" if is_name else "n": label,
                "who": who,
                "when" if is_w3c else "when-custom": w3c_text if is_w3c else date_text,
            }
            check_characters([text, *values.values()], f"row {number}")
            values["who"] = who and f"#{quote(who, safe='')}"
            xml = "".join(f' {k}="{attribute_xml(value)}"' for k, value in values.items() if value)
            space = ' xml:space="preserve"' if _UNSTABLE.search(text) else ""
            inner = escape(text, quote=False).replace("\n", "<lb/>").replace("\r", "&#13;")
            self._bytes.write(f"<post{xml}><p{space}>{inner}</p></post>\n".encode())

    def end(self) -> None:
        self._bytes.write(words_of("tei")["document"]["closing"].encode())


def _xlsx(*arguments: Any, **options: Any) -> OutputFile:  # noqa: ANN401
    # Its libraries take longer to load than most outputs take to be written.
    from triage.data.xlsx import XlsxOutput

    return XlsxOutput(*arguments, **options)


WRITERS: Mapping[Format, Callable[..., OutputFile]] = {
    Format.CSV: _Csv,
    Format.TSV: _Csv,
    Format.JSONL: _JsonLines,
    Format.JSON: _Json,
    Format.TEI: _Tei,
    Format.XLSX: _xlsx,
    Format.PARQUET: _Parquet,
}


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
    if bom and not format_.is_delimited:
        raise fault("not_of_format", option="--bom", format=format_)
    if bom is None:
        bom = dialect.bom or dialect.encoding in OLDER
    dialect = replace(dialect, bom=bom, guarded=guard_formulas)
    options: Options = {"like": mode_from, "private": private, "overwrite": overwrite}
    return WRITERS[format_](path, columns, dialect, **options)


@contextmanager
def private_table(
    path: str | Path,
    columns: Sequence[str],
    rows: Iterable[Iterable[object]],
    *,
    overwrite: bool = False,
) -> Iterator[OutputFile]:
    """Write a table of rows for its owner alone, ready to be committed."""
    options: dict[str, Any] = {"private": True, "guard_formulas": True, "overwrite": overwrite}
    # Spreadsheets take CSV for UTF-8 where it begins with a byte order mark.
    with create_output(path, columns, like=Dialect(Format.CSV, bom=True), **options) as output:
        output.write(
            [whole_characters(cell) if isinstance(cell, str) else cell for cell in row]
            for row in rows
        )
        yield output
