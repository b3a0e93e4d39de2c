"""Tables and columns of other libraries go in as those of pandas do."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import triage
from triage.api.tables import whole
from triage.errors import TriageError

ROWS = pd.DataFrame(
    {
        "sender": ["ana", "bob", "ana", None],
        "text": ["Coucou Patrice, ça va?", None, "vois avec Namrata stp", "Namrata arrive"],
    }
)
TABLES = [
    pytest.param(pl.from_pandas(ROWS), id="Polars"),
    pytest.param(pa.Table.from_pandas(ROWS), id="Arrow"),
    pytest.param(pa.RecordBatch.from_pandas(ROWS), id="Arrow batch"),
    pytest.param(ROWS.astype("string[pyarrow]"), id="pandas with Arrow"),
    pytest.param(ROWS.astype("string[python]"), id="pandas strings"),
    pytest.param(ROWS.astype("category"), id="pandas categories"),
]


def in_pandas(table: Any) -> pd.DataFrame:
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("use", [triage.classify, triage.identifiers, triage.mine])
def test_a_table_of_any_kind_is_read_alike(use: Callable[..., Any], table: Any) -> None:
    expected, found = (one.astype(object).fillna("") for one in (use(ROWS), in_pandas(use(table))))
    pd.testing.assert_frame_equal(found, expected)


TYPED = pl.DataFrame(
    {"n": [1, None], "text": ["Coucou Patrice", "ok"]}, schema={"n": pl.Int16, "text": pl.String}
)


@pytest.mark.parametrize(
    ("table", "kind"),
    [(TYPED, pl.DataFrame), (TYPED.lazy(), pl.LazyFrame), (TYPED.to_arrow(), pa.Table)],
)
def test_a_table_comes_back_as_it_came_in(table: Any, kind: type) -> None:
    found = triage.classify(table, policy="agreement")
    anonymised = triage.anonymise(found)
    assert [type(found), type(anonymised)] == [kind, kind]
    columns = _collected(found)
    assert columns.schema["n"] == pl.Int16
    assert columns.schema["text"] == pl.String
    assert columns["n"].to_list() == [1, None]
    assert _collected(anonymised)["text"].to_list() == ["Coucou <PRE>", "ok"]


LARGE = 2**60 + 1
EACH = pl.DataFrame(
    {
        "text": ["Coucou Patrice", "ok", "mon num 06 39 98 12 34"],
        "id": [LARGE, None, 3],
        "lists": [[1], None, [2]],
        "flags": [True, None, False],
        "parts": [{"a": 1}, {"a": 2}, None],
        "sent_at": [1588327200000, None, 1588327200000],
    },
    schema_overrides={"id": pl.Int64, "lists": pl.List(pl.Int16)},
)
PANDAS = pd.DataFrame(
    {
        "text": EACH["text"].to_list(),
        "id": pd.array([LARGE, None, 3], dtype="Int64"),
        "lists": pd.Series([np.array([1, 2]), None, np.array([3])], dtype=object),
        "flags": pd.array([True, None, False], dtype="boolean"),
        "parts": pd.Series([LARGE, None, 3], dtype=object),
        "sent_at": [1588327200000.0, None, 1588327200000.0],
    }
)


@pytest.mark.parametrize("table", [EACH, EACH.lazy(), EACH.to_arrow(), PANDAS])
def test_what_only_passes_through_is_as_it_was(table: Any) -> None:
    kept = ["lists", "flags", "parts"]
    anonymised = triage.anonymise(triage.classify(table), keep=kept, hold="none", dates="day")
    given, found = whole(table), whole(anonymised)
    pd.testing.assert_frame_equal(found[["id", *kept]], given[["id", *kept]])
    assert found["text"].tolist() == ["Coucou <PRE>", "ok", "mon num <TEL>"]
    assert found["sent_at"].fillna("").tolist() == ["2020-05-01", "", "2020-05-01"]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_number_as_a_message_is_its_digits(kind: Any) -> None:
    found = in_pandas(triage.classify(kind({"text": [639981234, None]})))
    assert found["evidence"].iloc[0].startswith("«639981234»")


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_a_list_is_no_message(kind: Any) -> None:
    with pytest.raises(TriageError, match="message 1 is of the type list"):
        triage.classify(kind({"text": [["Patrice", "Zoé"]]}))


def test_columns_of_one_name_come_back() -> None:
    table = pa.table([["ok"], [1], [2]], names=["text", "n", "n"])
    assert triage.classify(table).column_names[:3] == ["text", "n", "n"]


@pytest.mark.parametrize("use", [triage.classify, triage.identifiers, triage.mine, triage.explain])
def test_columns_have_their_types_without_rows_too(use: Callable[..., Any]) -> None:
    table = pl.DataFrame({"text": ["Coucou Zorvane", "ok"]})
    assert dict(use(table.clear()).schema) == dict(use(table).schema)


def _collected(table: Any) -> pl.DataFrame:
    return pl.DataFrame(table.collect() if isinstance(table, pl.LazyFrame) else table)


def test_what_a_table_tells_beside_its_rows_is_kept() -> None:
    assert triage.classify(TYPED).attrs["language"] == "fr"
    metadata = triage.classify(TYPED.to_arrow()).schema.metadata
    assert json.loads(metadata[b"triage"])["language"] == "fr"
    decided = triage.classify(pa.table({"text": ["see you at the pub", "fine"]}), language="fr")
    with warnings.catch_warnings(action="error"):  # nothing guesses that it is English
        triage.anonymise(decided)
        triage.entities(decided)
        # What another program has written there tells nothing.
        for other in (b"another", b"[1]"):
            triage.anonymise(decided.replace_schema_metadata({b"triage": other}), language="fr")


def test_numbers_stay_numbers_in_parquet(tmp_path: Path) -> None:
    TYPED.write_parquet(tmp_path / "sms.parquet")
    found = triage.classify(tmp_path / "sms.parquet", policy="agreement")
    assert found["n"].iloc[0] == 1
    assert found["model_score"].dtype == "float64"


@pytest.mark.parametrize("kind", [pl.Series, pa.array, pd.Series])
def test_a_column_of_any_kind_is_decided_alike(kind: Any) -> None:
    column = kind(["Coucou Patrice", None])
    assert in_pandas(triage.classify(column))["action"].tolist() == ["TA", "NTA"]
