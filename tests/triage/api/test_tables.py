"""Tables and columns of other libraries go in as those of pandas do."""

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


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_any_kind_is_decided_alike(table: Any) -> None:  # noqa: ANN401
    expected, found = triage.classify(ROWS), triage.classify(table)
    decided = ["seek_hide", "model", "model_score", "action", "evidence"]
    assert [*found] == [*expected]
    pd.testing.assert_frame_equal(found[decided], expected[decided])


@pytest.mark.parametrize("table", TABLES)
def test_identifiers_and_candidates_are_found_alike(table: Any) -> None:  # noqa: ANN401
    pd.testing.assert_frame_equal(triage.identifiers(table), triage.identifiers(ROWS))
    pd.testing.assert_frame_equal(triage.mine(table), triage.mine(ROWS))


def test_a_decided_table_of_polars_is_anonymised_and_checked() -> None:
    decided = pl.from_pandas(triage.classify(ROWS, policy="agreement"))
    found = triage.anonymise(decided, hold="none", ambiguous="mask")
    assert found["text"].iloc[0] == "Coucou <PRE>, ça va?"
    assert triage.check(pl.from_pandas(found), decided).attrs["clean"]


@pytest.mark.parametrize("kind", [pl.Series, pa.array, pd.Series])
def test_a_column_of_any_kind_is_decided_alike(kind: Any) -> None:  # noqa: ANN401
    column = kind(["Coucou Patrice", None])
    assert triage.classify(column)["action"].tolist() == ["TA", "NTA"]
