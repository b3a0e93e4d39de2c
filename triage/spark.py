"""Classification of a Spark DataFrame, or of folders of files, with the decisions of one machine.

Two passes. In the first each partition gathers its words, in shards by word, and each shard is
added up. What changes no decision is left out (words used once, neighbours that tell nothing); the
rest is broadcast. For the second, rows are grouped so that a sender's are together, and what a
sender does is counted where it is used. Messages never pass the driver; frequent words and names of
senders do. Needs ``pip install '.[spark]'`` and Java 17.
"""

import logging
import os
import pickle
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage import __version__
from triage.data import Format
from triage.data.columns import find_role, find_text
from triage.data.errors import require, sender_of
from triage.data.read import format_of_name
from triage.dictionaries.pack import FRENCH
from triage.features.corpus_evidence import CorpusEvidence

from .decide.corpus import (
    DEFAULT,
    MOST_WORDS,
    Evidence,
    gather_partition,
    merge_evidence,
    ready_evidence,
)
from .decide.language import N_MESSAGES, guess_language
from .decide.pipeline import COLUMNS, check_columns, check_there, load_once, people_once
from .errors import DataError, TriageError
from .model.annotated import text_of, texts_of
from .settings import Reading, Setup

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Table
    from pyspark.sql import DataFrame, SparkSession

# How many messages are decided together, on average; in how many parts words are added up, and
# then the most frequent ones of those parts.
_GROUP, _SHARDS = 20_000, (32, 8, 1)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SharedEvidence:
    """Counts of words over all messages, for every executor."""

    broadcast: Any
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
    f, types = (require(f"pyspark.sql.{name}", "spark") for name in ("functions", "types"))
    names = df.columns
    check_columns(names, text)
    check_there(names, sender, id)
    setup = _in_language(df, text, setup, evidence.language if evidence else None)
    if load_once(setup).weighs_corpus and evidence is None:
        evidence = gather(df, text, max_evidence_words=max_evidence_words, setup=setup)
    wanted = text, sender if evidence else None, id
    at = tuple(None if one is None else str(names.index(one)) for one in wanted)
    # Names with dots are none for mapInArrow.
    plain = df.toDF(*map(str, range(len(names))))
    schema = types.StructType([*plain.schema.fields])
    for name in COLUMNS:
        schema.add(name, "double" if name == "model_score" else "string")
    decide = partial(_decided, at, setup, evidence)
    if evidence is None or not sender:
        return plain.mapInArrow(lambda some: map(decide, some), schema).toDF(*names, *COLUMNS)
    who = f.col(str(at[1])).cast("string")
    with _clear_errors():
        found = plain.select(who).distinct().collect()
    senders = tuple(sorted(sender_of(name) for (name,) in found))
    decide = partial(decide, senders=df.sparkSession.sparkContext.broadcast(senders))
    # Messages of nobody are spread, in a way that is the same when a task is run again.
    key = f.when(f.trim(who) != "", who).otherwise(f.col(str(at[0])))
    grouped = plain.groupBy(f.pmod(f.xxhash64(key), f.lit(evidence.n_messages // _GROUP + 1)))
    # Spark asks a function for its types, and a partial one has none.
    return grouped.applyInArrow(lambda rows: decide(rows), schema).toDF(*names, *COLUMNS)  # noqa: PLW0108


def _decided(
    at: tuple[str | None, ...],
    setup: Setup,
    evidence: SharedEvidence | None,
    rows: "Table",
    senders: Any = None,  # noqa: ANN401 (a broadcast)
) -> "Table":
    """Decide messages, in an executor; `at` names the columns of texts, senders and ids."""
    pa, triage = require("pyarrow", "spark"), load_once(setup)
    text, sender, order = at
    if order and not pa.types.is_nested(rows.schema.field(order).type):
        rows = rows.sort_by(order)
    own = [*map(sender_of, rows[sender].to_pylist())] if sender else None
    scored = triage.weighed(texts_of(rows[text].to_pylist()), own)
    if evidence and scored.words:
        # All messages of some senders, of whom the evidence of words holds nothing yet.
        corpus = ready_evidence(evidence.broadcast.value, _version(setup)).without_senders()
        corpus.add(scored.words, scored.senders, only_senders=True)
        scored = triage.weigh(scored, corpus)
    people = people_once(setup, senders.value if senders else ())
    decided = triage.decide_scored(people.raised(scored) if people else scored)
    like = rows.schema.field(text).type
    for name in COLUMNS:
        kind = like if pa.types.is_large_string(like) else pa.string()
        kind = pa.float64() if name == "model_score" else kind
        rows = rows.append_column(name, pa.array(getattr(decided, name), kind))
    return rows.combine_chunks() if isinstance(rows, pa.Table) else rows


def gather(
    df: "DataFrame",
    text: str = "text",
    *,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
) -> SharedEvidence:
    """Gather what all messages tell of words, and broadcast it; arguments as for `classify`."""
    f, form = require("pyspark.sql.functions", "spark"), "shard long, part binary"
    check_there(df.columns, text)
    setup = _in_language(df, text, setup)
    load_once(setup).check_weighs_corpus("gathering evidence")
    if not hasattr(df.sparkSession, "sparkContext"):
        raise TriageError("Spark Connect has no broadcasts: use a session of its own")
    parts = _texts(df, text).mapInArrow(partial(_gathered, setup), form)
    for n in _SHARDS:
        shards = parts.groupBy(f.pmod("shard", f.lit(n)))
        parts = shards.applyInArrow(lambda rows: _added(max_evidence_words, rows), form)
    with _clear_errors():
        found = parts.collect()
    nothing = 0, 0, Evidence(CorpusEvidence().table(), _version(setup))
    n_messages, n_left_out, whole = pickle.loads(found[0].part) if found else nothing  # noqa: S301 (of an executor)
    whole.check_weights(_version(setup), "what the executors gathered")
    n_words = len(whole.table.words)
    if n_left_out:
        line = "%d of %d words used more than once count as used once: more than max_evidence_words"
        _log.warning(line, n_left_out, n_left_out + n_words)
    broadcast = df.sparkSession.sparkContext.broadcast(whole)
    return SharedEvidence(broadcast, n_messages, n_words, n_left_out, str(setup.language))


def _gathered(setup: Setup, batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
    """Gather the words of a partition, in an executor."""
    found = gather_partition((batch.to_pandas() for batch in batches), setup=setup)
    n_messages = sum(part.n_messages for part in found.parts)
    for shard, table in enumerate(found.table.shards(_SHARDS[0])):
        yield _part(shard, 0 if shard else n_messages, 0, Evidence(table, _version(setup)))


def _added(most: int, rows: "Table") -> "Table":
    """Add up what was gathered of the same words, and leave out what changes no decision."""
    n_messages, n_left_out, evidence = zip(
        *map(pickle.loads, rows["part"].to_pylist()), strict=True
    )
    whole = merge_evidence(evidence)
    table, n_more = whole.table.condensed(most)
    added = sum(n_messages), sum(n_left_out) + n_more, Evidence(table, whole.weights)
    return require("pyarrow", "spark").table(_part(rows["shard"][0].as_py(), *added))


def _part(shard: int, *told: object) -> "RecordBatch":
    cells = {"shard": shard, "part": pickle.dumps(told)}
    found: RecordBatch = require("pyarrow", "spark").RecordBatch.from_pylist([cells])
    return found


def _in_language(df: "DataFrame", text: str, setup: Setup, known: str | None = None) -> Setup:
    """Return a setup with the language of the first messages, which an executor guesses."""
    if setup.language or known:
        return replace(setup, language=setup.language or known)

    def tell(batches: "Iterator[RecordBatch]") -> "Iterator[RecordBatch]":
        texts = (text_of(cell) for batch in batches for cell in batch.column(0).to_pylist())
        told = dict(zip(("language", "note"), guess_language(texts, "language"), strict=True))
        yield require("pyarrow", "spark").RecordBatch.from_pylist([told])

    with _clear_errors():
        first = _texts(df, text).limit(N_MESSAGES).coalesce(1)
        told = first.mapInArrow(tell, "language string, note string").collect()
    language, note = told[0] if told else (FRENCH, "")
    if note:
        _log.warning("%s", note)
    return replace(setup, language=language)


def _texts(df: "DataFrame", name: str) -> "DataFrame":
    return df.select("`" + name.replace("`", "``") + "`").toDF("text")


def _version(setup: Setup) -> str:
    """Return what must be the same in the driver and in all executors."""
    return f"{__version__} {load_once(setup).weights}"


def classify_folder(
    engine: "SparkSession | None",
    sources: Sequence[str],
    out: str,
    *,
    reading: Reading | None = None,
    max_evidence_words: int = MOST_WORDS,
    setup: Setup = DEFAULT,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Classify all messages of some files, which the executors read and write; return counts."""
    # Workers on this machine would else take whatever python3 is first in the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = require("pyspark.sql", "spark").SparkSession.builder
    spark, reading = engine or builder.appName("sms-triage").getOrCreate(), reading or Reading()
    kind = _kind_of(spark, sources)
    df, bad = _read(spark, kind, sources)
    names = df.columns
    text = names[find_text(names, reading.text_column, sources[0])]
    roles = ("sender", reading.sender_column), ("id", reading.id_column)
    at = (find_role(names, *role, sources[0]) for role in roles)
    sender, id_ = (None if one is None else names[one] for one in at)
    check_columns(names, text)
    setup, evidence = _in_language(df, text, setup), None
    if load_once(setup).weighs_corpus:
        evidence = gather(df, text, max_evidence_words=max_evidence_words, setup=setup)
    decided = classify(df, text, sender, id_, setup=setup, evidence=evidence)
    mode, rejects, n_rejected = "overwrite" if overwrite else "errorifexists", "", 0
    with _clear_errors(out):
        if bad is not None and bad.limit(1).collect():
            rejects = f"{out}.rejects"
            bad.write.mode(mode).json(rejects, ignoreNullFields=False)
            n_rejected = spark.read.text(rejects).count()
        decided.write.format(kind[0]).options(**kind[1]).mode(mode).save(out)
        written = _read(spark, kind, [out])[0].groupBy(*COLUMNS[:2], COLUMNS[3]).count()
        counts = Counter({tuple(cell): n for *cell, n in written.collect()})
    if evidence and counts.total() != evidence.n_messages:
        raise TriageError(
            f"{evidence.n_messages} messages were read first and {counts.total()} then: the files "
            "changed meanwhile; classify them again"
        )
    return {
        "rows_written": counts.total(),
        "rows_rejected": n_rejected,
        "rejects": rejects,
        "counts": counts,
        "n_words": evidence.n_words if evidence else 0,
        "n_left_out": evidence.n_left_out if evidence else 0,
        "language": setup.language,
    }


_CORRUPT = "_corrupt_record"
_PERMISSIVE = {"columnNameOfCorruptRecord": _CORRUPT, "ignoreNullFields": "false"}
_CSV = _PERMISSIVE | {"header": "true", "quote": '"', "escape": '"', "encoding": "UTF-8"}
_CSV |= {"multiLine": "true", "enforceSchema": "false", "emptyValue": ""}
_CSV |= {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}
_Kind = tuple[str, dict[str, str]]
# How Spark names the kinds of files that it reads and writes, and its options.
_KINDS: dict[Format, _Kind] = {
    Format.PARQUET: ("parquet", {}),
    Format.CSV: ("csv", _CSV | {"sep": ","}),
    Format.TSV: ("csv", _CSV | {"sep": "\t"}),
    Format.JSONL: ("json", _PERMISSIVE),
}


def _kind_of(spark: "SparkSession", sources: Sequence[str]) -> _Kind:
    with _clear_errors():
        found = {format_of_name(Path(name)) for name in spark.read.text([*sources]).inputFiles()}
    shown = ", ".join(sources)
    if len(found) != 1:
        raise DataError(f"{shown}: files of several kinds" if found else f"{shown}: no files")
    (kind,) = found
    if kind not in _KINDS:
        raise DataError(f"{shown}: Spark reads Parquet, CSV, TSV and JSON Lines, not {kind.value}")
    return _KINDS[kind]


def _read(
    spark: "SparkSession", kind: _Kind, sources: Sequence[str]
) -> "tuple[DataFrame, DataFrame | None]":
    """Return the rows of files, and those that cannot be read."""
    read = spark.read.format(kind[0]).options(**kind[1])
    rows = read.load([*sources])
    if kind[0] == "csv":  # of which Spark has no column for what cannot be read unless asked
        rows = read.schema(rows.schema.add(_CORRUPT, "string")).load([*sources])
    if _CORRUPT not in rows.columns:
        return rows, None
    is_bad = rows[_CORRUPT].isNotNull()
    return rows.where(~is_bad).drop(_CORRUPT), rows.where(is_bad)


_SET_PYTHON = "set PYSPARK_PYTHON, or spark.pyspark.python, to one that is the same everywhere"
# What a user can mend, by a sign of it in what Spark reports.
_WAYS = {
    "PATH_ALREADY_EXISTS": "{out} exists: give another folder, or overwrite it",
    "PATH_NOT_FOUND": "there is no such file or folder",
    "PYTHON_VERSION_MISMATCH": "the executors run another Python than the driver, which has "
    f"{sys.version.split()[0]}: {_SET_PYTHON}",
    "Cannot run program": f"the executors find no Python: {_SET_PYTHON}",
    "gathered with different models": "the executors have different versions, models or lists: "
    "install the same everywhere",
    "No module named 'triage'": "the executors' Python has no sms-triage: send it along "
    f"(docs/guide/large.md), or {_SET_PYTHON}",
    "No module named": f"the executors' Python lacks a library of this one: {_SET_PYTHON}",
}


@contextmanager
def _clear_errors(out: str = "") -> Iterator[None]:
    """Say in one line what a user can mend; what tasks report holds long tracebacks."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        way = next((way for sign, way in _WAYS.items() if sign in str(error)), None)
        if way is None:
            raise
        raise TriageError(way.format(out=out)) from error
