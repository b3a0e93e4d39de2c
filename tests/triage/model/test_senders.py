"""Messages of which the sender is not known: nobody has sent them, and not one person all."""

from pathlib import Path

import pandas as pd
import pytest

from triage import Triage

SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"
MISSING = [None, float("nan"), pd.NA, pd.NaT, "", " "]


@pytest.fixture(scope="module")
def messages() -> list[str]:
    return pd.read_csv(SAMPLE)["text"].fillna("").tolist()


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_senders_that_are_missing_in_a_table_are_not_known(
    missing: object, messages: list[str], shipped: Triage
) -> None:
    nobody = pd.DataFrame({"text": messages})
    told = nobody.assign(sender=pd.Series([missing] * len(messages), dtype=object))
    expected = shipped.classify(nobody, corpus_evidence=True)
    found = shipped.classify(told, sender_column="sender", corpus_evidence=True)
    pd.testing.assert_frame_equal(found.drop(columns="sender"), expected)
