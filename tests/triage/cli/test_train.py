"""``triage train`` and ``triage features``: a model, and the table that it learns from."""

from pathlib import Path

import pytest

from tests.triage.cli.program import Run
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
