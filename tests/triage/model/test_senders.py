"""Messages of which the sender is not known: nobody has sent them, and not one person all."""

from pathlib import Path

import pandas as pd
import pytest

from triage import Triage
from triage.data import create_output
from triage.decide.source import Source

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


@pytest.mark.parametrize("name", ["sms.csv", "sms.jsonl", "sms.xlsx", "sms.parquet"])
def test_cells_without_sender_are_not_known(name: str, tmp_path: Path) -> None:
    with create_output(tmp_path / name, ["text", "sender"]) as output:
        output.write([["Coucou", None], ["Ok", "S1"], ["Oui", None]])
        output.commit()
    assert senders(tmp_path / name) == ["", "S1", ""]


def senders(path: Path) -> list[str]:
    with Source(str(path)).stream() as stream:
        return [sender for chunk in stream.chunks for sender in chunk.senders]
