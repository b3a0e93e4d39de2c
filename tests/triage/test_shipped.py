"""The shipped model: fitted from its table on first use, then kept in the user's cache."""

import functools
import gzip
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import triage.shipped
from dictionaries import Lexicon
from features import feature_set
from triage import Triage
from triage.build_table import main as build_table
from triage.errors import TriageError
from triage.model import Model, manifest_path
from triage.shipped import read_table, shipped_model, table_path, write_table
from triage.training import TrainingOptions, Undersampling

COLUMNS = feature_set("patel2013").features


def write_small_table(path: Path, seed: int = 0) -> None:
    values = np.random.default_rng(seed).integers(0, 9, (200, len(COLUMNS))).astype(float)
    write_table(path, COLUMNS, values, ["TA" if row[0] > 5 else "NTA" for row in values])


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a small table in place of the shipped one, quickly fitted, and a cache of its own."""
    quick = functools.partial(TrainingOptions, Undersampling.ONCE)
    monkeypatch.setattr("triage.training.TrainingOptions", quick)
    monkeypatch.setattr(triage.shipped, "TABLES", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = table_path("fr", "patel2013")
    write_small_table(path)
    return path


@pytest.fixture(scope="module")
def once(french: Lexicon, tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """Fit the model of the small table: the model, and the cache as it is then."""
    folder = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        quick = functools.partial(TrainingOptions, Undersampling.ONCE)
        patch.setattr("triage.training.TrainingOptions", quick)
        patch.setattr(triage.shipped, "TABLES", folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        write_small_table(table_path("fr", "patel2013"))
        return shipped_model(french, "patel2013"), folder / "cache"


@pytest.fixture
def first(once: tuple[Model, Path], tmp_path: Path) -> Model:
    """Have used the shipped model before."""
    shutil.copytree(once[1], tmp_path / "cache")
    return once[0]


@pytest.fixture
def model(table: Path, french: Lexicon) -> Callable[[], Model]:  # noqa: ARG001
    """Ask for the shipped model."""
    return lambda: shipped_model(french, "patel2013")


def cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "sms-triage").glob("*.joblib"))


def scores(model: Model) -> list[float]:
    values = np.random.default_rng(1).integers(0, 9, (100, len(COLUMNS))).astype(float)
    found: list[float] = model.forest.score(values).tolist()
    return found


def test_the_first_use_keeps_the_model_for_its_owner_alone(
    model: Callable[[], Model], tmp_path: Path
) -> None:
    model()
    [kept] = cached(tmp_path)
    assert manifest_path(kept).exists()
    assert {path.stat().st_mode & 0o777 for path in kept.parent.iterdir()} == {0o600}
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_the_second_use_loads_what_the_first_has_kept(
    first: Model, model: Callable[[], Model], tmp_path: Path
) -> None:
    [kept] = cached(tmp_path)
    before = kept.stat().st_ino
    assert scores(model()) == scores(first)
    assert kept.stat().st_ino == before


@pytest.mark.parametrize("damage", [b"", b"damaged"])
def test_a_damaged_model_is_fitted_again(
    damage: bytes, first: Model, model: Callable[[], Model], tmp_path: Path
) -> None:
    [kept] = cached(tmp_path)
    whole = kept.read_bytes()
    kept.write_bytes(damage)
    assert scores(model()) == scores(first)
    assert kept.read_bytes() == whole


@pytest.mark.parametrize("damage", ["", "{}"])
def test_a_damaged_manifest_is_written_again(
    damage: str, first: Model, model: Callable[[], Model], tmp_path: Path
) -> None:
    [kept] = cached(tmp_path)
    manifest_path(kept).write_text(damage)
    assert scores(model()) == scores(first)
    assert json.loads(manifest_path(kept).read_text())["seed"] == 0


class Malicious:
    """A pickle that creates a file when somebody loads it."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.proof,)


def test_a_pickle_in_the_cache_is_not_run(
    first: Model, model: Callable[[], Model], tmp_path: Path
) -> None:
    cached(tmp_path)[0].write_bytes(pickle.dumps(Malicious(tmp_path / "proof")))
    assert scores(model()) == scores(first)
    assert not (tmp_path / "proof").exists()


def test_what_another_user_has_put_there_is_not_run(
    first: Model, model: Callable[[], Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [kept] = cached(tmp_path)
    kept.write_bytes(pickle.dumps(Malicious(tmp_path / "proof")))
    about = json.loads(manifest_path(kept).read_text())
    about["sha256"] = hashlib.sha256(kept.read_bytes()).hexdigest()
    manifest_path(kept).write_text(json.dumps(about))
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    assert scores(model()) == scores(first)
    assert not (tmp_path / "proof").exists()


@pytest.mark.parametrize("folder", ["file/below", "folder"])
def test_where_nothing_can_be_kept_it_is_fitted_all_the_same(
    folder: str,
    once: tuple[Model, Path],
    model: Callable[[], Model],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "sms-triage").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / folder))
    assert scores(model()) == scores(once[0])


def test_another_table_is_another_model_in_the_place_of_the_old_one(
    first: Model, model: Callable[[], Model], table: Path, tmp_path: Path
) -> None:
    [before] = cached(tmp_path)
    write_small_table(table, seed=5)
    assert scores(model()) != scores(first)
    [after] = cached(tmp_path)
    assert after != before
    assert not manifest_path(before).exists()


@pytest.mark.usefixtures("first")
def test_another_version_of_a_library_is_another_model(
    model: Callable[[], Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [before] = cached(tmp_path)
    monkeypatch.setattr(triage.shipped, "versions", lambda: {"scikit-learn": "99"})
    model()
    [after] = cached(tmp_path)
    assert after != before


def test_a_table_of_other_columns_is_an_error(model: Callable[[], Model], table: Path) -> None:
    write_table(table, ("a", "b"), np.zeros((2, 2)), ["TA", "NTA"])
    with pytest.raises(TriageError, match="table of other features; rebuild it with: make model"):
        model()


def test_a_language_without_a_model_is_an_error(french: Lexicon) -> None:
    occitan = Lexicon(french.lists, "oc")
    with pytest.raises(TriageError, match=r"no model for 'oc' .*; train one with: triage train"):
        shipped_model(occitan, "patel2013")


def test_a_table_is_read_as_written(tmp_path: Path) -> None:
    values = np.array([[1.0, 0.25], [1 / 3, 1e6]])
    write_table(tmp_path / "below" / "t.csv.gz", ("a", "b"), values, ["TA", "NTA"])
    columns, read, labels = read_table(tmp_path / "below" / "t.csv.gz")
    assert (columns, labels) == (("a", "b"), ["TA", "NTA"])
    assert np.allclose(read, values, rtol=1e-8)


def test_the_same_table_has_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.csv.gz", "other.csv.gz"):
        write_small_table(tmp_path / name)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "other.csv.gz").read_bytes()


def test_the_table_is_computed_from_labelled_messages(tmp_path: Path, table: Path) -> None:
    messages = ["Coucou Patrice", "ok", "12 h"]
    rows = zip(["TA", "NTA", "NTA"], messages, strict=True)
    lines = ["label,text", *(",".join(row) for row in rows)]
    (tmp_path / "labelled.csv").write_text("\n".join(lines), encoding="utf-8")
    build_table(str(tmp_path / "labelled.csv"))
    columns, values, labels = read_table(table)
    assert (columns, labels) == (COLUMNS, ["TA", "NTA", "NTA"])
    assert values[:, COLUMNS.index("SMSLength")].tolist() == list(map(len, messages))
    assert "Patrice" not in gzip.decompress(table.read_bytes()).decode()


def test_the_shipped_table_holds_features_and_labels_and_no_message() -> None:
    columns, values, labels = read_table(table_path("fr", "patel2013"))
    assert columns == COLUMNS
    assert values.shape == (len(labels), len(COLUMNS))
    assert set(labels) == {"TA", "NTA"}


def test_the_shipped_model_was_learnt_from_the_whole_table(shipped: Triage) -> None:
    _, _, labels = read_table(table_path("fr", "patel2013"))
    about = shipped.model.manifest
    assert (about.n_ta, about.n_nta) == (labels.count("TA"), labels.count("NTA"))
