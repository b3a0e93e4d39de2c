"""``triage train`` and ``triage features``: a model, and the table that it learns from."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE
from triage.dictionaries import Lexicon, label_messages
from triage.features.paper import NAMES as PATEL
from triage.features.paper import patel2013
from triage.model.learnt import load_model

LONG = "0 1 2 3 4 5 6 7 8 9"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.csv"
    path.write_text("texte;label\n" + f"{LONG};TA\nok;NTA\nZoé;NTA\n" * 20, encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(run: Run, labelled: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("train", labelled, "-o", tmp_path / name, "--undersampling", "once", "--seed", seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_what_was_chosen_is_in_the_manifest(run: Run, labelled: Path, tmp_path: Path) -> None:
    chosen = ["--undersampling", "once", "--features", "patel2013-normalised", "--seed", "9"]
    run("train", labelled, "-o", tmp_path / "model", *chosen)
    about = load_model(tmp_path / "model").manifest
    assert (about.undersampling, about.features, about.seed) == ("once", "patel2013-normalised", 9)


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
