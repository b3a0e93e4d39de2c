"""Classification of a Spark DataFrame, or of folders of files, with the decisions of one machine.

Two passes. In the first each partition counts its words, and Spark adds up the counts by word. What
changes no decision is left out (words used once, neighbours that tell nothing); the rest is
broadcast. For the second, rows are sent to the partition of their sender, so that what a sender
does is counted where it is used and nothing of it is shuffled. Messages never pass the driver;
frequent words do.

Needs ``pip install '.[spark]'`` and Java 17. Nothing here forks.
"""

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from triage import __version__
from triage.data import Format
from triage.data.columns import find_id, find_text
from triage.data.errors import DataError, require
from triage.data.formats import format_of_name
from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence
from triage.features.evidence_table import (
    FEWEST_BESIDE,
    FEWEST_USES,
    LEAST_PART,
    MOST_BESIDE,
    NEIGHBOUR_COLUMNS,
    WORD_COLUMNS,
    EvidenceTable,
)

from .decide.agreement import CellCounts
from .decide.evidence_file import names_of, to_arrow
from .decide.gathering import Gathering
from .decide.language import N_MESSAGES, named_or_guessed
from .decide.partition import (
    DEFAULT,
    MOST_WORDS,
    decide_senders,
    evidence_of,
    load_once,
)
from .decide.pipeline import COLUMNS, Decisions, check_columns
from .errors import TriageError
from .model.annotated import sender_of, sender_position, text_of
from .settings import Setup

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import RecordBatch
    from pyspark.sql import Column, DataFrame, SparkSession


CHUNK_ROWS = 6_000
_HIGHEST = ("highest", "second_highest")
_SUMS = tuple(name for name in (*WORD_COLUMNS, *NEIGHBOUR_COLUMNS) if name not in _HIGHEST)
_ABOUT = "about"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SharedEvidence:
    """What all messages tell of words, for every executor."""

    key: str
    broadcast: Any
    version: str
    n_messages: int
    n_words: int
    n_left_out: int
    language: str


def classify(
    df: "DataFrame",
    text: str = "text",
    sender: str | None = None,
    id: str | None = None,  # noqa: A002 (the column of that name)
    *,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
    evidence: SharedEvidence | None = None,
) -> "DataFrame":
    """Decide each message of a DataFrame with the evidence of all of them."""
    types = require("pyspark.sql.types", "spark")
    check_columns(df.columns, text)
    _check_there(df, [name for name in (sender, id) if name])
    if evidence and not setup.language:
        setup = replace(setup, language=evidence.language)
    setup = _in_language(df, text, setup)
    triage = load_once(setup)
    if triage.weighs_corpus and evidence is None:
        evidence = gather(df, text, max_evidence_words=max_evidence_words, setup=setup)
    names = df.columns
    if evidence and sender:
        df = _by_sender(df, text, sender, id)
    fields = [
        types.StructField(name, types.DoubleType() if name == "model_score" else types.StringType())
        for name in COLUMNS
    ]
    at_sender = names.index(sender) if evidence and sender else None
    decide = _Decide(names.index(text), at_sender, setup, evidence)
    # Names with dots are none for mapInArrow.
    plain = df.toDF(*map(str, range(len(names))))
    decided = plain.mapInArrow(decide, types.StructType([*plain.schema.fields, *fields]))
    return decided.toDF(*names, *COLUMNS)


def _by_sender(df: "DataFrame", text: str, sender: str, order: str | None) -> "DataFrame":
    """Move rows to the partition of their sender, in which those of a sender are together."""
    f = _functions()
    name = _column(sender).cast("string")
    known = f.when(f.trim(name) != "", f.encode(name, "UTF-8"))
    # Messages of nobody are spread, in a way that is the same when a task is run again.
    nobody = f.encode(f.hash(_column(text)).cast("string"), "UTF-8")
    moved = df.repartition(f.coalesce(known, nobody))
    return moved.sortWithinPartitions(known, *([_column(order)] if order else []))


def gather(
    df: "DataFrame",
    text: str = "text",
    *,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
) -> SharedEvidence:
    """Gather what all messages tell of words, and broadcast it; arguments as for `classify`."""
    f, t = _functions(), require("pyspark.sql.types", "spark")
    _check_there(df, [text])
    setup = _in_language(df, text, setup)
    triage = load_once(setup)
    if not triage.weighs_corpus:
        raise TriageError("nothing can be gathered: the model does not weigh words")
    if not hasattr(df.sparkSession, "sparkContext"):
        raise TriageError("Spark Connect has no broadcasts: use a session of its own")
    partial = df.select(_column(text).alias("text")).mapInArrow(
        _Gather(setup),
        t.StructType(
            [t.StructField("kind", t.StringType()), t.StructField("word", t.BinaryType())]
            + [t.StructField(name, t.LongType()) for name in (*_SUMS, *_HIGHEST)]
        ),
    )
    both = f.flatten(f.collect_list(f.array(*_HIGHEST)))
    added = (
        partial.groupBy("kind", "word")
        .agg(*(f.sum(name).alias(name) for name in _SUMS), f.sort_array(both, asc=False).alias("h"))
        .select("kind", "word", *_SUMS, *(f.get("h", f.lit(i)).alias(_HIGHEST[i]) for i in (0, 1)))
        .persist()
    )
    words = added.where((f.col("kind") == "word") & (f.col("n") >= FEWEST_USES))
    neighbours = added.where((f.col("kind") == "neighbour") & (_tells("before") | _tells("behind")))
    with _clear_errors():
        try:
            about = added.where(f.col("kind") == _ABOUT).select("word", "n").collect()
            n_words, n_beside = words.count(), f.col("n_before") + f.col("n_behind")
            table = _evidence_table(
                _most_frequent(words, n_words, f.col("n"), max_evidence_words),
                _most_frequent(neighbours, neighbours.count(), n_beside, max_evidence_words),
            )
        finally:
            added.unpersist()
    version = _version(setup)
    if {bytes(row.word).decode() for row in about} - {version}:
        raise TriageError(
            "the executors have another version, model or lists than the driver: install the same "
            "everywhere"
        )
    n_left_out = n_words - len(table.words)
    if n_left_out:
        _log.warning(
            "%d of %d words used more than once count as used once: more than max_evidence_words",
            n_left_out,
            n_words,
        )
    n_messages = sum(int(row.n) for row in about)
    broadcast = df.sparkSession.sparkContext.broadcast(table)
    return SharedEvidence(
        uuid4().hex,
        broadcast,
        version,
        n_messages,
        len(table.words),
        n_left_out,
        triage.lexicon.language,
    )


def _in_language(df: "DataFrame", text: str, setup: Setup) -> Setup:
    """Return a setup with the language of the first messages, which an executor guesses."""
    if setup.language:
        return setup
    with _clear_errors():
        first = df.select(_column(text).alias("text")).limit(N_MESSAGES).coalesce(1)
        told = first.mapInArrow(_tell_language, "language string, note string").collect()
    language, note = told[0] if told else (FRENCH, "")
    if note:
        _log.warning("%s", note)
    return replace(setup, language=language)


def _tell_language(batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
    """Guess the language of messages, in an executor: they do not pass the driver."""
    pa = require("pyarrow", "spark")
    texts = (text_of(cell) for batch in batches for cell in batch.column(0).to_pylist())
    language, note = named_or_guessed(None, lambda: texts)
    yield pa.RecordBatch.from_pylist([{"language": language, "note": note}])


def _most_frequent(rows: "DataFrame", n_rows: int, frequency: "Column", most: int) -> "pa.Table":
    """Return the most frequent rows; of those that are as frequent, the first by their word."""
    if n_rows > most:
        rows = rows.orderBy(frequency.desc(), "word").limit(most)
    return rows.toArrow()


def _tells(side: str) -> "Column":
    """Return the condition of `EvidenceTable.condensed` for neighbours, on one side."""
    f = _functions()
    n, names = f.col(f"n_{side}"), f.col(f"names_{side}")
    return n.between(FEWEST_BESIDE, MOST_BESIDE) & (names * LEAST_PART >= n - 1)


def _evidence_table(words: "pa.Table", neighbours: "pa.Table") -> EvidenceTable:
    (of_words, word), (of_neighbours, neighbour) = (
        (
            np.column_stack([rows[name].to_numpy() for name in names]).astype(np.int64),
            names_of(rows["word"]),
        )
        for rows, names in ((words, WORD_COLUMNS), (neighbours, NEIGHBOUR_COLUMNS))
    )
    nothing = np.zeros((0, 4), dtype=np.int64)
    return EvidenceTable(word, of_words, neighbour, of_neighbours, [], nothing, nothing)


@dataclass(frozen=True)
class _Gather:
    """Counts the words of a partition, in an executor."""

    setup: Setup

    def __call__(self, batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
        pa = require("pyarrow", "spark")
        triage, gathering, n_messages = load_once(self.setup), Gathering(with_fingerprint=False), 0
        for batch in batches:
            texts = [text_of(cell) for cell in batch.column(0).to_pylist()]
            nobody = [""] * len(texts)
            gathering.add(triage.score(triage.labeller.label(texts), nobody))
            n_messages += len(texts)
        if n_messages:
            rows = to_arrow(gathering.gathered().table)
            rows = rows.select(["kind", "word", *_SUMS, *_HIGHEST])
            about = {"kind": _ABOUT, "word": _version(self.setup).encode(), "n": n_messages}
            yield from rows.to_batches()
            yield from pa.Table.from_pylist([about], schema=rows.schema).to_batches()


@dataclass(frozen=True)
class _Decide:
    """Decides the messages of a partition, in an executor."""

    text: int
    sender: int | None
    setup: Setup
    evidence: SharedEvidence | None

    def __call__(self, batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
        pa = require("pyarrow", "spark")
        triage, words = load_once(self.setup), self._words()
        for some, senders in _whole_senders(batches, self.sender):
            rows = pa.Table.from_batches(some)
            texts = [text_of(cell) for cell in rows[self.text].to_pylist()]
            decided = decide_senders(triage, texts, senders, words)
            yield from _with_decisions(rows, decided, self.text)

    def _words(self) -> CorpusEvidence | None:
        if self.evidence is None:
            return None
        if self.evidence.version != _version(self.setup):
            raise TriageError("this executor has another version, model or lists than the driver")
        broadcast = self.evidence.broadcast
        return evidence_of(self.evidence.key, lambda: broadcast.value)


def _whole_senders(
    batches: "Iterable[RecordBatch]", sender: int | None
) -> "Iterator[tuple[list[RecordBatch], list[str]]]":
    """Cut rows that are sorted by sender into chunks that hold all messages of their senders."""
    some: list[RecordBatch] = []
    who: list[str] = []
    for batch in batches:
        if sender is None:
            yield [batch], [""] * batch.num_rows
            continue
        these = [sender_of(cell) for cell in batch[sender].to_pylist()]
        before = who[-1:]
        cut = _last_cut([*before, *these]) - len(before)
        if len(who) + len(these) < CHUNK_ROWS or cut < 0 or len(who) + cut == 0:
            cut = 0
        else:
            yield [*some, batch.slice(0, cut)], [*who, *these[:cut]]
            some, who = [], []
        some.append(batch.slice(cut))
        who += these[cut:]
    if who:
        yield some, who


def _last_cut(senders: Sequence[str]) -> int:
    """Return the last place between messages of two senders, or behind one of nobody; else 0."""
    if senders and not senders[-1]:
        return len(senders)
    return next((i for i in range(len(senders) - 1, 0, -1) if senders[i] != senders[i - 1]), 0)


def _with_decisions(rows: "pa.Table", decided: Decisions, text: int) -> "Iterator[RecordBatch]":
    pa = require("pyarrow", "spark")
    like = rows.schema.field(text).type
    string = like if pa.types.is_large_string(like) else pa.string()
    columns = [*zip(*decided.rows(), strict=True)] or [()] * len(COLUMNS)
    for name, cells in zip(COLUMNS, columns, strict=True):
        kind = pa.float64() if name == "model_score" else string
        rows = rows.append_column(name, pa.array(cells, kind))
    yield from rows.combine_chunks().to_batches()


def _version(setup: Setup) -> str:
    """Return what must be the same in the driver and in all executors."""
    return f"{__version__} {load_once(setup).weights}"


@dataclass(frozen=True)
class FolderOutcome:
    """What became of folders of files."""

    rows_written: int
    rows_rejected: int
    rejects: str
    counts: CellCounts
    n_words: int
    n_left_out: int
    language: str


@dataclass(frozen=True)
class Columns:
    """The columns of files; those that are not named are guessed as by ``triage classify``."""

    text: str | None = None
    sender: str | None = None
    id: str | None = None


def classify_folder(
    engine: "SparkSession | None",
    sources: Sequence[str],
    out: str,
    *,
    columns: Columns = Columns(),
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
    overwrite: bool = False,
) -> FolderOutcome:
    """Classify all messages of some files, which the executors read and write."""
    spark = engine or session()
    kind = _format_of(spark, sources)
    df, bad = _read(spark, kind, sources)
    names = df.columns
    text = names[find_text(names, columns.text, sources[0])]
    at_id = find_id(names, columns.id, sources[0])
    at_sender = sender_position(names, columns.sender, sources[0])
    sender = None if at_sender is None else names[at_sender]
    check_columns(names, text)
    setup = _in_language(df, text, setup)
    evidence = None
    if load_once(setup).weighs_corpus:
        evidence = gather(df, text, max_evidence_words=max_evidence_words, setup=setup)
    order = None if at_id is None else names[at_id]
    decided = classify(df, text, sender, order, setup=setup, evidence=evidence)
    with _clear_errors(out):
        mode = "overwrite" if overwrite else "errorifexists"
        rejects = f"{out}.rejects" if bad is not None and bad.limit(1).collect() else ""
        if bad is not None and rejects:
            bad.write.mode(mode).json(rejects, ignoreNullFields=False)
        _write(decided, kind, out, mode)
        cells = _read(spark, kind, [out])[0].groupBy(*COLUMNS[:2], COLUMNS[3]).count().collect()
        rows_rejected = spark.read.text(rejects).count() if rejects else 0
    counts = CellCounts()
    counts.cells.update({(row[0], row[1], row[2]): row[3] for row in cells})
    if evidence and counts.total != evidence.n_messages:
        raise TriageError(
            f"{evidence.n_messages} messages were read first and {counts.total} then: the files "
            "changed meanwhile; classify them again"
        )
    return FolderOutcome(
        counts.total,
        rows_rejected,
        rejects,
        counts,
        evidence.n_words if evidence else 0,
        evidence.n_left_out if evidence else 0,
        load_once(setup).lexicon.language,
    )


def session() -> "SparkSession":
    """Return the session that runs, or a new one as the environment configures it."""
    # Workers on this machine would else take whatever python3 is first in the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    found: SparkSession = (
        require("pyspark.sql", "spark").SparkSession.builder.appName("sms-triage").getOrCreate()
    )
    return found


_CORRUPT = "_corrupt_record"
_CSV = {"header": True, "quote": '"', "escape": '"', "encoding": "UTF-8"}


def _format_of(spark: "SparkSession", sources: Sequence[str]) -> Format:
    with _clear_errors():
        files = spark.read.text([*sources]).inputFiles()
    kinds = {format_of_name(Path(name)) for name in files}
    shown = ", ".join(sources)
    if len(kinds) != 1:
        raise DataError(f"{shown}: files of several kinds" if kinds else f"{shown}: no files")
    (kind,) = kinds
    if kind not in (Format.PARQUET, Format.CSV, Format.TSV, Format.JSONL):
        raise DataError(f"{shown}: Spark reads Parquet, CSV, TSV and JSON Lines, not {kind.value}")
    return kind


def _read(
    spark: "SparkSession", kind: Format, sources: Sequence[str]
) -> "tuple[DataFrame, DataFrame | None]":
    """Return the rows of files, and those that cannot be read."""
    read, paths, f = spark.read, [*sources], _functions()
    if kind is Format.PARQUET:
        return read.parquet(*paths), None
    read = read.options(mode="PERMISSIVE", columnNameOfCorruptRecord=_CORRUPT)
    if kind is Format.JSONL:
        rows = read.json(paths)
        if _CORRUPT not in rows.columns:
            return rows, None
    else:
        read = read.options(**_CSV, sep=_separator(kind), multiLine=True, enforceSchema=False)
        schema = read.csv(paths).schema
        rows = read.schema(schema.add(_CORRUPT, "string")).csv(paths)
    is_bad = f.col(_CORRUPT).isNotNull()
    return rows.where(~is_bad).drop(_CORRUPT), rows.where(is_bad)


def _write(rows: "DataFrame", kind: Format, out: str, mode: str) -> None:
    write = rows.write.mode(mode)
    if kind is Format.PARQUET:
        write.parquet(out)
    elif kind is Format.JSONL:
        write.json(out, ignoreNullFields=False)
    else:
        as_it_is = {"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
        write.options(**_CSV, **as_it_is, sep=_separator(kind), emptyValue="").csv(out)


def _separator(kind: Format) -> str:
    return "\t" if kind is Format.TSV else ","


@contextmanager
def _clear_errors(out: str = "") -> Iterator[None]:
    """Say in one line what a user can mend; what tasks report holds long tracebacks."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        report = str(error)
        ways = {
            "PATH_ALREADY_EXISTS": f"{out} exists: give another folder, or overwrite it",
            "PATH_NOT_FOUND": "there is no such file or folder",
            "PYTHON_VERSION_MISMATCH": "the executors run another Python than the driver, which "
            f"has {sys.version.split()[0]}: {_SET_PYTHON}",
            "Cannot run program": f"the executors find no Python: {_SET_PYTHON}",
            "No module named 'triage'": "the executors' Python has no sms-triage: send it along "
            f"(docs/scale.md), or {_SET_PYTHON}",
            "No module named": f"the executors' Python lacks a library of this one: {_SET_PYTHON}",
        }
        for sign, way in ways.items():
            if sign in report:
                raise TriageError(way) from error
        raise


_SET_PYTHON = "set PYSPARK_PYTHON, or spark.pyspark.python, to one that is the same everywhere"


def _check_there(df: "DataFrame", names: Sequence[str]) -> None:
    for name in names:
        if df.columns.count(name) != 1:
            raise TriageError(f"there is no column {name!r}, or more than one")


def _column(name: str) -> "Column":
    return _functions().col("`" + name.replace("`", "``") + "`")


def _functions() -> Any:  # noqa: ANN401 (a module of pyspark)
    return require("pyspark.sql.functions", "spark")
