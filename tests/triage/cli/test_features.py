"""The table of features that triage features writes."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pandas as pd
import pytest

from triage.features.evidence import NAMES as EVIDENCE
from triage.features.patel2013 import NAMES as PATEL
from triage.features.transformer import MessageFeatures

Run = Callable[..., CompletedProcess[str]]
SAMPLE = Path(__file__).parents[3] / "data" / "sample_fr.csv"


def test_each_message_has_its_features_and_its_label(run: Run, tmp_path: Path) -> None:
    done = run("features", SAMPLE, "-o", tmp_path / "table.csv", "--features", "patel2013")
    sample, table = pd.read_csv(SAMPLE, keep_default_na=False), pd.read_csv(tmp_path / "table.csv")
    assert done.stdout == f"{len(sample)} messages, 12 features: {tmp_path / 'table.csv'}\n"
    assert [*table] == [*PATEL, "class"]
    assert table["class"].tolist() == sample["label"].tolist()
    expected = MessageFeatures().fit_transform(sample["text"].tolist())
    assert np.allclose(table[[*PATEL]], expected)


def test_evidence_is_that_of_the_corpus_unless_it_is_not_wanted(run: Run, tmp_path: Path) -> None:
    tables = []
    for option in ("--corpus-evidence", "--no-corpus-evidence"):
        run("features", SAMPLE, "-o", tmp_path / f"table{option}.csv", option)
        tables.append(pd.read_csv(tmp_path / f"table{option}.csv"))
    assert all([*table] == [*EVIDENCE, "class"] for table in tables)
    assert not tables[0].equals(tables[1])


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


def test_nothing_is_replaced_unasked(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "table.arff"
    path.write_text("mine", encoding="utf-8")
    done = run("features", SAMPLE, "-o", path)
    assert done.returncode == 2
    assert "--overwrite" in done.stderr
    assert path.read_text(encoding="utf-8") == "mine"


def test_labels_that_are_none_are_one_line(run: Run, csv_of: Callable[..., Path]) -> None:
    done = run("features", csv_of("ok"), "-o", "table.csv")
    assert done.returncode == 2
    assert "no column 'label'" in done.stderr
