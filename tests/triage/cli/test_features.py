"""The table of features that triage features writes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.triage.cli.program import Run
from triage.dictionaries import Lexicon, label_messages
from triage.features.paper import NAMES as PATEL
from triage.features.paper import patel2013

SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"


def test_each_message_has_its_features_and_its_label(
    run: Run, tmp_path: Path, french: Lexicon
) -> None:
    done = run("features", SAMPLE, "-o", tmp_path / "table.csv", "--features", "patel2013")
    sample, table = pd.read_csv(SAMPLE, keep_default_na=False), pd.read_csv(tmp_path / "table.csv")
    assert done.stdout == f"{len(sample)} messages, 12 features: {tmp_path / 'table.csv'}\n"
    assert [*table] == [*PATEL, "class"]
    assert table["class"].tolist() == sample["label"].tolist()
    expected = patel2013(label_messages(sample["text"].tolist(), french))
    assert np.allclose(table[[*PATEL]], expected)


def test_parquet_and_arff_hold_the_same_table(run: Run, tmp_path: Path) -> None:
    arff = pytest.importorskip("scipy.io.arff")
    for ending in ("csv", "parquet", "arff"):
        path = tmp_path / f"table.{ending}"
        assert run("features", SAMPLE, "-o", path, "--features", "patel2013").returncode == 0
    expected = pd.read_csv(tmp_path / "table.csv")
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "table.parquet"), expected, check_dtype=False
    )
    rows, about = arff.loadarff(tmp_path / "table.arff")
    assert about.names() == [*PATEL, "class"]
    assert about["class"] == ("nominal", ("NTA", "TA"))
    found = pd.DataFrame(rows).assign(**{"class": [row["class"].decode() for row in rows]})
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
