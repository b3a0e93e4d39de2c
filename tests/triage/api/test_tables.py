"""Tables and columns of other libraries go in as those of pandas do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import triage

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


def in_pandas(table: Any) -> pd.DataFrame:  # noqa: ANN401
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_any_kind_is_decided_alike(table: Any) -> None:  # noqa: ANN401
    expected, found = triage.classify(ROWS), in_pandas(triage.classify(table))
    decided = ["seek_hide", "model", "model_score", "action", "evidence"]
    assert [*found] == [*expected]
    pd.testing.assert_frame_equal(found[decided], expected[decided], check_dtype=False)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("use", [triage.identifiers, triage.mine])
def test_identifiers_and_candidates_are_found_alike(
    use: Callable[..., Any],
    table: Any,  # noqa: ANN401
) -> None:
    found = in_pandas(use(table))
    pd.testing.assert_frame_equal(found, use(ROWS), check_dtype=False)


TYPED = pl.DataFrame(
    {"n": [1, None], "text": ["Coucou Patrice", "ok"]},
    schema={"n": pl.Int16, "text": pl.String},
)


@pytest.mark.parametrize(
    ("table", "kind"),
    [(TYPED, pl.DataFrame), (TYPED.lazy(), pl.LazyFrame), (TYPED.to_arrow(), pa.Table)],
)
def test_a_table_comes_back_as_it_came_in(table: Any, kind: type) -> None:  # noqa: ANN401
    found = triage.classify(table, policy="agreement")
    anonymised = triage.anonymise(found)
    assert [type(found), type(anonymised)] == [kind, kind]
    columns = _collected(found)
    assert columns.schema["n"] == pl.Int16
    assert columns.schema["text"] == pl.String
    assert columns["n"].to_list() == [1, None]
    assert _collected(anonymised)["text"].to_list() == ["Coucou <PRE>", "ok"]


def _collected(table: Any) -> pl.DataFrame:  # noqa: ANN401
    return pl.DataFrame(table.collect() if isinstance(table, pl.LazyFrame) else table)


def test_what_a_table_tells_beside_its_rows_is_kept() -> None:
    assert triage.classify(TYPED).attrs["language"] == "fr"
    metadata = triage.classify(TYPED.to_arrow()).schema.metadata
    assert json.loads(metadata[b"triage"])["language"] == "fr"


def test_numbers_stay_numbers_in_parquet(tmp_path: Path) -> None:
    TYPED.write_parquet(tmp_path / "sms.parquet")
    found = triage.classify(tmp_path / "sms.parquet", policy="agreement")
    assert found["n"].iloc[0] == 1
    assert found["model_score"].dtype == "float64"


@pytest.mark.parametrize("kind", [pl.Series, pa.array, pd.Series])
def test_a_column_of_any_kind_is_decided_alike(kind: Any) -> None:  # noqa: ANN401
    column = kind(["Coucou Patrice", None])
    assert in_pandas(triage.classify(column))["action"].tolist() == ["TA", "NTA"]
