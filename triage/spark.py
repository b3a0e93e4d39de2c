"""Classification of a Spark DataFrame, or of folders of files, with the decisions of one machine.

Two passes. In the first each partition gathers its words, in shards by word, and each shard is
added up. What changes no decision is left out (words used once, neighbours that tell nothing); the
rest is broadcast. For the second, the rows of a sender are brought together, and what a sender does
with words is counted where it is used. Messages never pass the driver; frequent words and names of
senders do. Needs ``pip install '.[spark]'`` and Java 17.
"""

import logging
import os
import pickle
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from triage.data.columns import find_role, find_text
from triage.data.errors import require
from triage.data.formats import format_of_name

from .decide import corpus
from .decide.corpus import Evidence, merge_evidence
from .decide.language import N_MESSAGES, guess_language
from .decide.pipeline import load_once
from .decide.tables import COLUMNS, check_columns, check_has_columns
from .errors import DataError, TriageError
from .model.annotated import text_of
from .settings import Reading, Setup

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# How many messages are decided together, on average; in how many parts words are added up, and
# then the most frequent ones of those parts.
_GROUP, _SHARDS = 20_000, (32, 8, 1)
_DECISIONS = ", ".join(f"{one} {'double' if one == 'model_score' else 'string'}" for one in COLUMNS)
_OWN, _CORRUPT = "sms-triage", "_corrupt_record"
_log = logging.getLogger(__name__)
_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def classify(
    df: "DataFrame",
    text_column: str = "text",
    sender_column: str | None = None,
    id_column: str | None = None,
    *,
    setup: Setup = corpus.DEFAULT,
    evidence: Evidence | None = None,
) -> "DataFrame":
    """Decide each message of a DataFrame with the evidence of all of them, that of `gather`."""
    f = require("pyspark.sql.functions", "spark")
    corpus.check_frame(df, "pyspark", text_column, sender_column)
    messages = _messages(df, text_column, sender_column)
    order = _column(df, id_column or text_column)
    setup = _in_language(df, text_column, setup)
    if load_once(setup).weighs_corpus and evidence is None:
        evidence = gather(df, text_column, sender_column, setup=setup)
    if evidence and sender_column:
        # Messages of nobody are spread, in a way that is the same when a task is run again.
        sender = messages[1]
        key = f.when(f.trim(sender) != "", sender).otherwise(order)
        df = df.repartition(evidence.n_messages // _GROUP + 1, key).sortWithinPartitions(order)
    shared = evidence and df.sparkSession.sparkContext.broadcast(evidence)
    decider = _decider(setup, shared, bool(sender_column))
    decide = f.pandas_udf(decider, _DECISIONS).asNondeterministic()
    wide = df.withColumn(_OWN, decide(f.struct(*messages)))
    return wide.select("*", f"`{_OWN}`.*").drop(_OWN)


def _decider(setup: Setup, evidence: Any, by_sender: bool) -> Any:  # noqa: ANN401 (a broadcast)
    """Return a function that decides a partition in an executor, all rows of a sender together."""

    def decide(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        all_frames = [*frames] if evidence and by_sender else []
        to_decide = iter([pd.concat(all_frames, ignore_index=True)] if all_frames else frames)
        whole = evidence.value if evidence else None
        decided = corpus.classify_partition(to_decide, whole, sender_column="sender", setup=setup)
        return (part[[*COLUMNS]] for part in decided)

    return decide


def gather(
    df: "DataFrame",
    text_column: str = "text",
    sender_column: str | None = None,
    *,
    max_evidence_words: int = corpus.MAX_WORDS,
    setup: Setup = corpus.DEFAULT,
) -> Evidence:
    """Gather what all messages tell of words, of so many words at most."""
    f, form = require("pyspark.sql.functions", "spark"), "shard long, part binary"
    messages = _messages(df, text_column, sender_column)
    setup = _in_language(df, text_column, setup)
    # That of no message has the version and the lists of the driver.
    empty = corpus.gather_partition([], setup=setup)
    if not hasattr(df.sparkSession, "sparkContext"):
        raise TriageError("Spark Connect has no broadcasts: use a session of its own")
    parts = df.select(*messages).mapInPandas(partial(_gathered, setup), form)
    for n in _SHARDS:
        shards = parts.groupBy(f.pmod("shard", f.lit(n)))
        parts = shards.applyInPandas(lambda rows: _added(max_evidence_words, rows), form)
    with _clear_errors():
        gathered = [pickle.loads(part) for _, part in parts.collect()]  # noqa: S301 (of an executor)
    whole = merge_evidence([empty, *gathered], may_repeat=True)
    if n := whole.n_left_out:
        _log.warning(_TABLES["says"]["left_out"], n, n + len(whole.table.words))
    return whole


def _gathered(setup: Setup, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Gather the words of a partition, in shards, in an executor."""
    whole = corpus.gather_partition(frames, sender_column="sender", with_pairs=False, setup=setup)
    for shard, table in enumerate(whole.table.shards(_SHARDS[0])):
        part = replace(whole, table=table, parts=() if shard else whole.parts)
        yield pd.DataFrame({"shard": [shard], "part": [pickle.dumps(part)]})


def _added(max_words: int, rows: pd.DataFrame) -> pd.DataFrame:
    """Add up what was gathered of the same words, and leave out what changes no decision."""
    whole = merge_evidence(map(pickle.loads, rows["part"]), max_words=max_words, may_repeat=True)
    return rows[:1].assign(part=[pickle.dumps(whole)])


def _messages(df: "DataFrame", text: str, sender: str | None = None) -> "tuple[Column, Column]":
    """Return the columns of messages and of who sent them, which is empty where none says it."""
    return _column(df, text).alias("text"), _column(df, sender).cast("string").alias("sender")


def _column(df: "DataFrame", name: str | None) -> "Column":
    import pyspark.sql.functions as f

    check_has_columns(df.columns, name)
    return f.col("`" + name.replace("`", "``") + "`") if name else f.lit("")


def _in_language(df: "DataFrame", text_column: str, setup: Setup) -> Setup:
    """Return a setup with the language of the first messages, which an executor guesses."""
    if setup.language:
        return setup
    import pyspark.sql.functions as f

    guess = f.udf(lambda texts: [*guess_language(map(text_of, texts), "language")], "array<string>")
    first = df.select(*_messages(df, text_column)).limit(N_MESSAGES)
    with _clear_errors():
        (((language, note),),) = first.agg(guess(f.collect_list("text"))).collect()
    if note:
        _log.warning("%s", note)
    return replace(setup, language=language)


def classify_folder(
    engine: "SparkSession | None",
    sources: Sequence[str],
    out: str,
    *,
    reading: Reading | None = None,
    max_evidence_words: int = corpus.MAX_WORDS,
    setup: Setup = corpus.DEFAULT,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Classify all messages of some files, which the executors read and write; return counts."""
    # Workers on this machine would else take whatever python3 is first in the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = require("pyspark.sql", "spark").SparkSession.builder
    spark = engine or builder.appName("sms-triage").getOrCreate()
    kind = _kind_of(spark, sources)
    df, rejected = _read(spark, kind, sources)
    names, reading = df.columns, reading or Reading()
    i = find_text(names, reading.text_column, sources[0])
    roles = ("sender", reading.sender_column), ("id", reading.id_column)
    positions = (find_role(names, *role, sources[0], i) for role in roles)
    sender, id_ = (None if one is None else names[one] for one in positions)
    check_columns(names, text := names[i])
    setup, evidence = _in_language(df, text, setup), None
    if load_once(setup).weighs_corpus:
        evidence = gather(df, text, sender, max_evidence_words=max_evidence_words, setup=setup)
    decided = classify(df, text, sender, id_, setup=setup, evidence=evidence)
    mode, rejects, n_rejected = "overwrite" if overwrite else "errorifexists", "", 0
    with _clear_errors(out):
        if rejected is not None and rejected.limit(1).collect():
            rejects = f"{out}.rejects"
            rejected.write.mode(mode).json(rejects, ignoreNullFields=False)
            n_rejected = spark.read.text(rejects).count()
        decided.write.save(out, mode=mode, **kind)
        written = _read(spark, kind, [out])[0].groupBy(*COLUMNS[:2], COLUMNS[3]).count()
        counts = Counter({tuple(cell): n for *cell, n in written.collect()})
    if evidence and counts.total() != evidence.n_messages:
        line = _TABLES["says"]["changed"]
        raise TriageError(line.format(first=evidence.n_messages, then=counts.total()))
    return {
        "rows_written": counts.total(),
        "rows_rejected": n_rejected,
        "rejects": rejects,
        "counts": counts,
        "n_words": len(evidence.table.words) if evidence else 0,
        "n_left_out": evidence.n_left_out if evidence else 0,
        "language": setup.language,
    }


def _kind_of(spark: "SparkSession", sources: Sequence[str]) -> Mapping[str, str]:
    """Return how Spark reads and writes files of the one kind that some sources are."""
    with _clear_errors():
        formats = {format_of_name(Path(name)) for name in spark.read.text([*sources]).inputFiles()}
    kind, line = ", ".join(sorted(formats)), _TABLES["says"]["kinds"]
    if kind not in _TABLES["kinds"]:
        raise DataError(line.format(files=", ".join(sources), kind=kind or "none"))
    return dict(_TABLES["kinds"][kind])


def _read(
    spark: "SparkSession", kind: Mapping[str, str], sources: Sequence[str]
) -> "tuple[DataFrame, DataFrame | None]":
    """Return the rows of files, and those that cannot be read."""
    rows = spark.read.load([*sources], **kind)
    if kind["format"] == "csv":  # which has no column for what cannot be read unless asked
        rows = spark.read.load([*sources], schema=rows.schema.add(_CORRUPT, "string"), **kind)
    if _CORRUPT not in rows.columns:
        return rows, None
    is_rejected = rows[_CORRUPT].isNotNull()
    return rows.where(~is_rejected).drop(_CORRUPT), rows.where(is_rejected)


@contextmanager
def _clear_errors(out: str = "") -> Iterator[None]:
    """Say in one line what a user can mend; what tasks report holds long tracebacks."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        values = _TABLES["says"] | {"out": out, "version": sys.version.split()[0]}
        for sign, way in _TABLES["ways"].items():
            if sign in str(error):
                raise TriageError(way.format_map(values)) from error
        raise
