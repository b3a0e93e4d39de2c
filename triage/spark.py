"""Classification of a Spark DataFrame, or of folders of files, with the decisions of one machine.

Two passes. In the first each partition gathers its words, and Spark adds up the counts by word.
What changes no decision is left out (words used once, neighbours that tell nothing); the rest is
broadcast. For the second, rows are grouped so that a sender's are together, and what a sender does
is counted where it is used. Messages never pass the driver; frequent words do.

Needs ``pip install '.[spark]'`` and Java 17. Nothing here forks.
"""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from triage import __version__
from triage.data import Format
from triage.data.columns import find_id, find_text
from triage.data.errors import require
from triage.data.read import format_of_name
from triage.dictionaries.pack import FRENCH
from triage.features.evidence_table import (
    FEWEST_BESIDE,
    FEWEST_USES,
    LEAST_PART,
    MOST_BESIDE,
    NEIGHBOUR_COLUMNS,
    WORD_COLUMNS,
    EvidenceTable,
)

from .decide.evidence import Evidence
from .decide.language import N_MESSAGES, named_or_guessed
from .decide.partition import DEFAULT, MOST_WORDS, decide_senders, load_once, ready_evidence
from .decide.pipeline import COLUMNS, check_columns
from .decide.pipeline import gather as gather_words
from .decide.policy import CellCounts
from .errors import DataError, TriageError
from .model.annotated import sender_of, sender_position, text_of
from .model.find import ScoredMessages
from .settings import Reading, Setup

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import RecordBatch
    from pyspark.sql import Column, DataFrame, SparkSession

    from triage.features.corpus_evidence import CorpusEvidence

_HIGHEST = ("highest", "second_highest")
_SUMS = tuple(name for name in (*WORD_COLUMNS, *NEIGHBOUR_COLUMNS) if name not in _HIGHEST)
_ABOUT = "about"
# How many messages are decided together, on average.
_GROUP = 20_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SharedEvidence:
    """Counts of words over all messages, for every executor."""

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
    f, types = _functions(), require("pyspark.sql.types", "spark")
    check_columns(df.columns, text)
    _check_there(df, [name for name in (sender, id) if name])
    if evidence and not setup.language:
        setup = replace(setup, language=evidence.language)
    setup = _in_language(df, text, setup)
    if load_once(setup).weighs_corpus and evidence is None:
        evidence = gather(df, text, max_evidence_words=max_evidence_words, setup=setup)
    names = df.columns
    at_sender, at_id = (names.index(name) if name else None for name in (sender, id))
    decide = _Decide(names.index(text), at_sender if evidence else None, at_id, setup, evidence)
    # Names with dots are none for mapInArrow.
    plain = df.toDF(*map(str, range(len(names))))
    schema = types.StructType([*plain.schema.fields])
    for name in COLUMNS:
        schema.add(name, "double" if name == "model_score" else "string")
    if evidence and sender:
        who = f.col(str(at_sender)).cast("string")
        # Messages of nobody are spread, in a way that is the same when a task is run again.
        key = f.when(f.trim(who) != "", who).otherwise(f.col(str(names.index(text))))
        n_groups = max(1, evidence.n_messages // _GROUP)
        grouped = plain.groupBy(f.pmod(f.xxhash64(key), f.lit(n_groups)))
        # A function of one argument gets no key; Spark counts `self`, too.
        whole = grouped.applyInArrow(lambda rows: decide.table(rows), schema)  # noqa: PLW0108
        return whole.toDF(*names, *COLUMNS)
    return plain.mapInArrow(decide.batches, schema).toDF(*names, *COLUMNS)


def gather(
    df: "DataFrame",
    text: str = "text",
    *,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
) -> SharedEvidence:
    """Gather what all messages tell of words, and broadcast it; arguments as for `classify`."""
    f = _functions()
    _check_there(df, [text])
    setup = _in_language(df, text, setup)
    triage = load_once(setup)
    if not triage.weighs_corpus:
        raise TriageError("nothing can be gathered: the model does not weigh words")
    if not hasattr(df.sparkSession, "sparkContext"):
        raise TriageError("Spark Connect has no broadcasts: use a session of its own")
    counts = [f"{name} long" for name in (*_SUMS, *_HIGHEST)]
    schema = ", ".join(["kind string", "word binary", *counts])
    rows = df.select(_column(text)).mapInArrow(_Gather(setup), schema)
    both = f.sort_array(f.flatten(f.collect_list(f.array(*_HIGHEST))), asc=False)
    added = (
        rows.groupBy("kind", "word")
        .agg(*(f.sum(name).alias(name) for name in _SUMS), both.alias("h"))
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
    broadcast = df.sparkSession.sparkContext.broadcast(Evidence(table, triage.weights))
    return SharedEvidence(
        uuid4().hex,
        broadcast,
        version,
        sum(int(row.n) for row in about),
        len(table.words),
        n_left_out,
        triage.lexicon.language,
    )


def _in_language(df: "DataFrame", text: str, setup: Setup) -> Setup:
    """Return a setup with the language of the first messages, which an executor guesses."""
    if setup.language:
        return setup
    with _clear_errors():
        first = df.select(_column(text)).limit(N_MESSAGES).coalesce(1)
        told = first.mapInArrow(_tell_language, "language string, note string").collect()
    language, note = told[0] if told else (FRENCH, "")
    if note:
        _log.warning("%s", note)
    return replace(setup, language=language)


def _tell_language(batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
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
            [name.decode("utf-8", "surrogatepass") for name in rows["word"].to_pylist()],
        )
        for rows, names in ((words, WORD_COLUMNS), (neighbours, NEIGHBOUR_COLUMNS))
    )
    nothing = np.zeros((0, 4), dtype=np.int64)
    return EvidenceTable(word, of_words, neighbour, of_neighbours, [], nothing, nothing)


@dataclass(frozen=True)
class _Gather:
    """Gathers the words of a partition, in an executor."""

    setup: Setup

    def __call__(self, batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
        pa, triage, n_messages = require("pyarrow", "spark"), load_once(self.setup), 0

        def scored() -> "Iterator[ScoredMessages]":
            nonlocal n_messages
            for batch in batches:
                texts = [text_of(cell) for cell in batch.column(0).to_pylist()]
                n_messages += len(texts)
                yield triage.score(triage.labeller.label(texts), [""] * len(texts))

        table = gather_words(scored()).table()
        fields = [("kind", pa.string()), ("word", pa.binary())]
        schema = pa.schema(fields + [(name, pa.int64()) for name in (*_SUMS, *_HIGHEST)])
        about = np.array([[n_messages]])
        for kind, names, columns, counts in (
            ("word", table.words, WORD_COLUMNS, table.of_words),
            ("neighbour", table.neighbours, NEIGHBOUR_COLUMNS, table.of_neighbours),
            (_ABOUT, [_version(self.setup)], ("n",), about),
        ):
            known = dict(zip(columns, counts.T, strict=True))
            known |= {"kind": [kind] * len(names)}
            known |= {"word": [name.encode("utf-8", "surrogatepass") for name in names]}
            nothing = [None] * len(names)
            arrays = [pa.array(known.get(field.name, nothing), field.type) for field in schema]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


@dataclass(frozen=True)
class _Decide:
    """Decides messages in an executor."""

    text: int
    sender: int | None
    id: int | None
    setup: Setup
    evidence: SharedEvidence | None

    def batches(self, batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
        """Decide the messages of a partition, of which the senders are not asked for."""
        pa = require("pyarrow", "spark")
        for batch in batches:
            yield from self.table(pa.Table.from_batches([batch])).to_batches()

    def table(self, rows: "pa.Table") -> "pa.Table":
        """Decide all messages of some senders."""
        pa = require("pyarrow", "spark")
        if self.id is not None and not pa.types.is_nested(rows.schema.field(self.id).type):
            rows = rows.sort_by(str(self.id))
        texts = [text_of(cell) for cell in rows[self.text].to_pylist()]
        senders = [""] * len(texts)
        if self.sender is not None:
            senders = [sender_of(cell) for cell in rows[self.sender].to_pylist()]
        decided = decide_senders(load_once(self.setup), texts, senders, self._words())
        columns = [*zip(*decided.rows(), strict=True)] or [()] * len(COLUMNS)
        like = rows.schema.field(self.text).type
        string = like if pa.types.is_large_string(like) else pa.string()
        for name, cells in zip(COLUMNS, columns, strict=True):
            kind = pa.float64() if name == "model_score" else string
            rows = rows.append_column(name, pa.array(cells, kind))
        return rows.combine_chunks()

    def _words(self) -> "CorpusEvidence | None":
        if self.evidence is None:
            return None
        if self.evidence.version != _version(self.setup):
            raise TriageError("this executor has another version, model or lists than the driver")
        broadcast = self.evidence.broadcast
        return ready_evidence(self.evidence.key, lambda: broadcast.value)


def _version(setup: Setup) -> str:
    """Return what must be the same in the driver and in all executors."""
    return f"{__version__} {load_once(setup).weights}"


@dataclass(frozen=True)
class FolderOutcome:
    """Counts of classifying folders of files."""

    rows_written: int
    rows_rejected: int
    rejects: str
    counts: CellCounts
    n_words: int
    n_left_out: int
    language: str


def classify_folder(
    engine: "SparkSession | None",
    sources: Sequence[str],
    out: str,
    *,
    reading: Reading | None = None,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
    overwrite: bool = False,
) -> FolderOutcome:
    """Classify all messages of some files, which the executors read and write."""
    spark, reading = engine or session(), reading or Reading()
    kind = _format_of(spark, sources)
    df, bad = _read(spark, kind, sources)
    names = df.columns
    text = names[find_text(names, reading.text_column, sources[0])]
    at_id = find_id(names, reading.id_column, sources[0])
    at_sender = sender_position(names, reading.sender_column, sources[0])
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
