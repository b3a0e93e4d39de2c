"""A Spark DataFrame, and folders that Spark reads and writes: the decisions of one machine."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from triage import Setup, Triage, classify_partition, gather_partition, merge_evidence, spark
from triage.data import DataError
from triage.decide.pipeline import load_once
from triage.decide.tables import COLUMNS
from triage.errors import TriageError

from .decide.test_partition import messages

CASES = cases_beside(__file__)

pyspark = pytest.importorskip("pyspark.sql", reason="needs the extra spark")
needs_java = pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")
# pyspark warns of pandas 3, and its sockets are closed late.
quiet = pytest.mark.filterwarnings("ignore")
# Of pyspark, which has types only where it is installed.
Session: TypeAlias = Any
SparkFrame: TypeAlias = Any
Marked: TypeAlias = Any
Frame = Callable[..., SparkFrame]
ALL = messages(300).reset_index(names="id")
ROWS = [
    (int(i), who if isinstance(who, str) else None, text)
    for i, who, text in ALL.itertuples(index=False)
]


def with_spark(test: Marked) -> Marked:
    return pytest.mark.slow(quiet(needs_java(test)))


@pytest.fixture(scope="module")
def session(cache: Path) -> Iterator[Any]:
    """Start Spark with two threads, each task tried four times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = pyspark.SparkSession.builder.master("local[2,4]").appName("tests")
        for name, value in CASES["session"].items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture
def frame(session: Session) -> Frame:
    def of(n_partitions: int) -> SparkFrame:
        df = session.createDataFrame(ROWS, "id long, sender string, text string")
        return df.repartition(n_partitions)

    return of


@pytest.fixture
def expected(shipped: Triage) -> pd.DataFrame:
    return shipped.classify(ALL, sender_column="sender", corpus_evidence=True)


def decisions(frame: SparkFrame) -> list[tuple[object, ...]]:
    table = frame if isinstance(frame, pd.DataFrame) else frame.toPandas()
    return sorted(map(tuple, table[["id", *COLUMNS]].to_numpy().tolist()))


@with_spark
def test_a_frame_is_decided_alike(frame: Frame, expected: pd.DataFrame, shipped: Triage) -> None:
    for n_partitions in (1, 5):
        found = spark.classify(frame(n_partitions), sender_column="sender", id_column="id")
        assert found.columns == ["id", "sender", "text", *COLUMNS]
        assert decisions(found) == decisions(expected)
    df = frame(3)
    found = spark.classify(df)
    assert decisions(found) == decisions(shipped.classify(ALL.assign(sender=None)))
    assert [row.id for row in found.collect()] == [row.id for row in df.collect()]


@with_spark
def test_the_first_messages_tell_the_language_of_all(
    session: Session, english_messages: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    df = session.createDataFrame([*enumerate(english_messages)], "id long, text string")
    found = spark.classify(df.repartition(3)).toPandas().sort_values("id", ignore_index=True)
    expected = Triage.load("en").classify(found[["id", "text"]])
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert {*caplog.messages} == {next(one for one in caplog.messages if "as English" in one)}


@with_spark
def test_a_worker_that_is_killed_changes_nothing(
    frame: Frame, expected: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    decider, once = spark._decider, [tmp_path / "gather", tmp_path / "decide"]
    kill_gather = killed_once(once[0], spark._gathered)

    def dying(*how: Marked) -> Marked:
        decide = killed_once(once[1], decider(*how))

        def run(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            yield from decide(frames)

        return run

    monkeypatch.setattr(spark, "_gathered", kill_gather)
    monkeypatch.setattr(spark, "_decider", dying)
    found = decisions(spark.classify(frame(2), sender_column="sender", id_column="id"))
    assert [path.exists() for path in once] == [True, True]
    assert found == decisions(expected)


def killed_once(mark: Path, work: Callable[..., Iterator[Any]]) -> Marked:
    """Return work whose process is killed in its middle, the first time."""
    path, kill = str(mark), int(signal.SIGKILL)

    def run(*given: Marked) -> Iterator[Any]:
        *about, batches = given

        def watched() -> Iterator[Any]:
            for batch in batches:
                yield batch
                try:
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                os.kill(os.getpid(), kill)

        return work(*about, watched())

    return run


@with_spark
def test_a_bound_leaves_out_the_rarest(frame: Frame, caplog: pytest.LogCaptureFixture) -> None:
    gathered = merge_evidence([gather_partition(ALL, sender_column="sender")], max_words=4)
    bounded = decisions(classify_partition(ALL, gathered, sender_column="sender"))
    for n_partitions in (1, 4):
        evidence = spark.gather(frame(n_partitions), "text", "sender", max_evidence_words=4)
        assert (evidence.n_messages, len(evidence.table.words)) == (len(ROWS), 4)
        assert f"{evidence.n_left_out} of {evidence.n_left_out + 4} words" in caplog.text
        found = spark.classify(frame(3), sender_column="sender", id_column="id", evidence=evidence)
        assert decisions(found) == bounded
    found = spark.classify(frame(3), sender_column="sender", evidence=gathered)
    assert decisions(found) == bounded


@with_spark
def test_other_columns_stay_as_they_are(session: Session) -> None:
    df = session.sql(
        "SELECT 9007199254740993L AS big, CAST(NULL AS BIGINT) AS none, 1.10BD AS price, "
        "array(1, 2) AS many, timestamp_ntz'2011-09-15 07:28:55' AS at, 33612L AS `who.is`, "
        "'Coucou Patrice' AS `the text` "
        "UNION ALL SELECT 1L, 2L, NULL, NULL, NULL, NULL, NULL"
    )
    found = spark.classify(df, "the text", "who.is")
    assert found.schema[:7] == df.schema[:7]
    names = [f"`{name}`" for name in df.columns]
    assert {*map(str, found.select(*names).collect())} == {*map(str, df.collect())}
    assert {row["action"] for row in found.collect()} == {"TA", "NTA"}


@with_spark
def test_a_frame_without_rows_and_a_model_that_weighs_no_words(frame: Frame) -> None:
    assert spark.classify(frame(2).where("id < 0"), sender_column="sender").collect() == []
    plain = Setup(features="patel2013")
    found = spark.classify(frame(2), sender_column="sender", setup=plain)
    assert decisions(found) == decisions(load_once(plain).classify(ALL, corpus_evidence=False))
    with pytest.raises(TriageError, match="needs a model that weighs words"):
        spark.gather(frame(2), setup=plain)


@with_spark
def test_mistakes_are_told(frame: Frame, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TriageError, match="no DataFrame of pyspark"):
        spark.classify(ALL)
    for text, sender, order in (("txt", None, None), ("text", "who", None), ("text", None, "nr")):
        with pytest.raises(TriageError, match="no column"):
            spark.classify(frame(1), text, sender, order)
    monkeypatch.setattr(session.sparkContext, "pythonExec", "/nowhere/python")
    with pytest.raises(TriageError, match="PYSPARK_PYTHON"):
        spark.classify(frame(1))


@pytest.mark.parametrize(("report", "match"), CASES["executors_that_cannot_run_the_program"])
@quiet
def test_executors_that_cannot_run_the_program_are_said_clearly(report: str, match: str) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(TriageError, match=match) as told, spark._clear_errors():
        raise PySparkException(report)
    assert "\n" not in str(told.value)


def write(folder: Path, suffix: str) -> None:
    folder.mkdir()
    options: dict[str, dict[str, Any]] = {
        "csv": {"index": False},
        "json": {"orient": "records", "lines": True, "force_ascii": False},
        "parquet": {},
    }
    for i, part in enumerate((ALL[:100], ALL[100:])):
        path = folder / f"part{i}.{suffix.replace('json', 'jsonl')}"
        getattr(part, f"to_{suffix}")(path, **options[suffix])


def read(folder: Path) -> pd.DataFrame:
    options: dict[str, dict[str, Any]] = {
        ".csv": {"keep_default_na": False, "float_precision": "round_trip"},
        ".json": {"lines": True, "precise_float": True},
        ".parquet": {},
    }
    found: pd.DataFrame = pd.concat(
        getattr(pd, f"read_{path.suffix[1:]}")(path, **options[path.suffix])
        for path in sorted(folder.glob("part-*"))
    )
    return found


@with_spark
@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_a_folder_is_classified_by_the_executors(
    suffix: str, run: Run, session: Session, tmp_path: Path, expected: pd.DataFrame
) -> None:
    write(tmp_path / "in", suffix)
    out = tmp_path / "out"
    if suffix == "csv":
        told = run("classify", tmp_path / "in", "-o", out, "--engine", "spark").stdout
        assert told.startswith(f"{len(ALL)} rows written to {out}, 0 rejected\n")
        assert decisions(read(out)) == decisions(expected)
        return
    done = spark.classify_folder(session, [str(tmp_path / "in")], str(out))
    found = read(out)
    assert decisions(found) == decisions(expected)
    assert sorted(found["text"]) == sorted(ALL["text"])
    assert (done["rows_written"], done["rows_rejected"], done["n_left_out"]) == (len(ALL), 0, 0)
    n_ta = sum(n for (*_, action), n in done["counts"].items() if action == "TA")
    assert n_ta == (expected["action"] == "TA").sum()
    with pytest.raises(TriageError, match="exists"):
        spark.classify_folder(session, [str(tmp_path / "in")], str(out))


@with_spark
@pytest.mark.parametrize(("name", "content"), CASES["what_cannot_be_read_is_written"])
def test_bad_rows_go_apart(session: Session, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = spark.classify_folder(session, [str(tmp_path / name)], str(tmp_path / "out"))
    assert (done["rows_written"], done["rows_rejected"]) == (2, 1)
    found = read(tmp_path / "out")
    assert sorted(found["text"]) == [' Coucou "Zoé", \nça va ', "ok"]
    rejects = [*Path(done["rejects"]).glob("*.json")]
    assert sum("o" in path.read_text(encoding="utf-8") for path in rejects) == 1


@with_spark
def test_files_of_several_or_other_kinds_are_refused(session: Session, tmp_path: Path) -> None:
    write(tmp_path / "one", "csv")
    write(tmp_path / "other", "parquet")
    (tmp_path / "sms.xlsx").write_bytes(b"")
    for names, match in (
        (["one", "other"], "all files of one kind, not csv, parquet"),
        (["sms.xlsx"], "not xlsx"),
        (["none"], "no such file"),
    ):
        sources = [str(tmp_path / name) for name in names]
        with pytest.raises((DataError, TriageError), match=match):
            spark.classify_folder(session, sources, str(tmp_path / "out"))
