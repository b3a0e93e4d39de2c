"""Model files: trees, their manifest, and a checksum that is compared before unpickling."""

import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import joblib
import numpy as np
import pytest

from triage import Triage
from triage.data import DataError
from triage.data.staging import StagedFile
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.model.learn import learn
from triage.model.store import (
    TA_FROM,
    Model,
    load_model,
    manifest_path,
    named_features,
    save_model,
    versions,
)
from triage.model.training import TrainingOptions, Undersampling
from triage.vocabulary import Prediction

Run = Callable[..., CompletedProcess[str]]


class Malicious:
    """A pickle that creates a file when somebody loads it."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.proof,)


@pytest.fixture
def saved(numbers_are_ta: Model, tmp_path: Path) -> Path:
    path = tmp_path / "model"
    save_model(numbers_are_ta, path)
    return path


def change_manifest(path: Path, **changes: object) -> None:
    about = manifest_path(path)
    about.write_text(json.dumps(json.loads(about.read_text()) | changes))


def sign(path: Path) -> None:
    """Write the checksum of a model file into its manifest, as its maker would."""
    change_manifest(path, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def test_what_is_saved_is_loaded(saved: Path, numbers_are_ta: Model) -> None:
    loaded = load_model(saved)
    values = np.random.default_rng(0).integers(0, 20, (300, 12)).astype(float)
    assert loaded.forest.score(values).tolist() == numbers_are_ta.forest.score(values).tolist()
    assert replace(loaded.manifest, sha256="") == numbers_are_ta.manifest


def test_the_manifest_says_what_was_learnt_from_and_with(saved: Path, french: Lexicon) -> None:
    assert json.loads(manifest_path(saved).read_text()) == {
        "features": "patel2013",
        "columns": list(named_features("patel2013").features),
        "language": "fr",
        "dictionaries": french.fingerprint,
        "n_ta": 30,
        "n_nta": 30,
        "undersampling": "per_bag",
        "seed": 0,
        "ta_from": TA_FROM,
        "versions": versions(),
        "words_from": "",
        "sha256": hashlib.sha256(saved.read_bytes()).hexdigest(),
    }


def test_the_manifest_names_the_versions_of_what_learnt() -> None:
    assert list(versions()) == ["sms-triage", "scikit-learn", "imbalanced-learn", "numpy"]
    assert versions()["numpy"] == np.__version__


def test_options_and_features_are_in_the_manifest() -> None:
    options = TrainingOptions(Undersampling.ONCE, seed=8)
    about = learn(
        ["1 2 3", "ok"] * 30, ["TA", "NTA"] * 30, None, "patel2013-normalised", options
    ).manifest
    assert (about.undersampling, about.seed, about.features) == ("once", 8, "patel2013-normalised")


def test_the_manifest_stands_beside_the_model(tmp_path: Path) -> None:
    assert manifest_path(tmp_path / "my.model") == tmp_path / "my.model.json"


def test_the_same_training_gives_the_same_bytes(tmp_path: Path) -> None:
    once = TrainingOptions(Undersampling.ONCE)
    for name in ("one", "other"):
        learnt = learn(["1 2 3", "ok"] * 30, ["TA", "NTA"] * 30, options=once)
        save_model(learnt, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()


def test_its_owner_alone_may_read_it(numbers_are_ta: Model, tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        save_model(numbers_are_ta, tmp_path / "model")
    finally:
        os.umask(mask)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_saving_replaces_an_older_model_where_asked_and_leaves_nothing_else(
    saved: Path, numbers_are_ta: Model, tmp_path: Path
) -> None:
    saved.write_bytes(b"avant")
    with pytest.raises(DataError, match="exists already"):
        save_model(numbers_are_ta, saved)
    assert saved.read_bytes() == b"avant"
    save_model(numbers_are_ta, saved, overwrite=True)
    assert load_model(saved).manifest.n_ta == 30
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "model.json"]


@pytest.mark.parametrize("occupied", ["model", "model.json"])
def test_a_folder_in_the_way_leaves_nothing(
    occupied: str, numbers_are_ta: Model, tmp_path: Path
) -> None:
    (tmp_path / occupied).mkdir()
    with pytest.raises(DataError, match=r"cannot write .* is a directory"):
        save_model(numbers_are_ta, tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == [occupied]


@pytest.mark.parametrize("name", ["absent/model", "file/model"])
def test_a_folder_that_is_none_is_an_error(
    name: str, numbers_are_ta: Model, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"cannot write .*irectory"):
        save_model(numbers_are_ta, tmp_path / name)


def test_a_changed_model_is_an_error(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[len(content) // 2] ^= 1
    saved.write_bytes(content)
    with pytest.raises(TriageError, match="not the one that its manifest describes"):
        load_model(saved)


def test_a_pickle_in_place_of_the_model_is_not_run(saved: Path, tmp_path: Path, run: Run) -> None:
    proof = tmp_path / "proof"
    saved.write_bytes(pickle.dumps(Malicious(proof)))
    done = run("explain", "coucou", "--model", saved)
    assert done.returncode == 2
    assert "not the one that its manifest describes" in done.stderr
    assert not proof.exists()
    joblib.load(saved)
    assert proof.exists(), "the pickle would not have done anything"


def test_a_pickle_without_manifest_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(pickle.dumps(Malicious(tmp_path / "proof")))
    with pytest.raises(TriageError, match=r"cannot read .*model\.json, the manifest"):
        load_model(tmp_path / "model")
    assert not (tmp_path / "proof").exists()


def test_a_missing_manifest_is_an_error(saved: Path) -> None:
    manifest_path(saved).unlink()
    with pytest.raises(TriageError, match="manifest of the model: No such file"):
        load_model(saved)


def test_a_missing_model_is_an_error(saved: Path) -> None:
    saved.unlink()
    with pytest.raises(TriageError, match=r"cannot read the model .*: No such file"):
        load_model(saved)


def test_a_model_that_is_a_folder_is_an_error(saved: Path) -> None:
    saved.unlink()
    saved.mkdir()
    with pytest.raises(TriageError, match=r"cannot read the model .*: Is a directory"):
        load_model(saved)


@pytest.mark.parametrize(
    "content", [b"", b"no pickle", pickle.dumps({"a": 1}), b"\x80\x04cabsent\nName\n."]
)
def test_a_file_of_something_else_is_no_model(content: bytes, saved: Path) -> None:
    saved.write_bytes(content)
    sign(saved)
    with pytest.raises(TriageError, match="is no model of this program"):
        load_model(saved)


@pytest.mark.parametrize(
    "content", ["", "no JSON", "[]", "7", "{}", "[" * 100_000, "\N{REPLACEMENT CHARACTER}"]
)
def test_a_manifest_of_something_else_is_an_error(content: str, saved: Path) -> None:
    manifest_path(saved).write_text(content)
    with pytest.raises(TriageError, match=r"model\.json is no manifest of a model"):
        load_model(saved)


@pytest.mark.parametrize(
    "changes",
    [
        {"columns": None},
        {"features": ["patel2013"]},
        {"ta_from": "0.5"},
        {"ta_from": 37},
        {"ta_from": float("nan")},
        {"unheard_of": 1},
    ],
)
def test_a_manifest_with_a_wrong_field_is_an_error(changes: dict[str, Any], saved: Path) -> None:
    change_manifest(saved, **changes)
    with pytest.raises(TriageError, match="is no manifest of a model"):
        load_model(saved)


def test_a_manifest_that_lacks_a_field_is_an_error(saved: Path) -> None:
    about = json.loads(manifest_path(saved).read_text())
    del about["seed"]
    manifest_path(saved).write_text(json.dumps(about))
    with pytest.raises(TriageError, match="is no manifest of a model"):
        load_model(saved)


def test_a_changed_checksum_is_an_error(saved: Path) -> None:
    change_manifest(saved, sha256="0" * 64)
    with pytest.raises(TriageError, match="not the one that its manifest describes"):
        load_model(saved)


def test_features_that_the_program_has_not_are_an_error(saved: Path) -> None:
    change_manifest(saved, features="patel2031")
    with pytest.raises(TriageError, match="'patel2031'; there are: evidence, patel2013"):
        Triage.load("fr", model=saved)


def test_other_columns_than_the_features_have_are_an_error(saved: Path) -> None:
    change_manifest(saved, columns=["UpperCase"])
    with pytest.raises(TriageError, match="other columns than 'patel2013' has now"):
        Triage.load("fr", model=saved)


def test_a_message_is_ta_from_the_score_of_the_manifest_on(numbers_are_ta: Model) -> None:
    scores = np.array([0.0, 0.3699, 0.37, 1.0])
    expected = [Prediction.NTA, Prediction.NTA, Prediction.TA, Prediction.TA]
    manifest = replace(numbers_are_ta.manifest, ta_from=0.37)
    assert replace(numbers_are_ta, manifest=manifest).predict(scores) == expected


@pytest.mark.parametrize("exists", [True, False])
def test_a_model_appears_with_its_manifest_or_not_at_all(
    exists: bool, numbers_are_ta: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    if exists:
        save_model(numbers_are_ta, path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    publish = StagedFile.publish

    def fail_at_the_manifest(stage: StagedFile) -> None:
        if stage.name.endswith(".json"):
            raise OSError(5, "the disk fails")
        publish(stage)

    monkeypatch.setattr(StagedFile, "publish", fail_at_the_manifest)
    other = replace(numbers_are_ta, manifest=replace(numbers_are_ta.manifest, seed=7))
    with pytest.raises(DataError, match="the disk fails"):
        save_model(other, path, overwrite=True)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_a_kill_between_model_and_manifest_is_told(numbers_are_ta: Model, tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_model(numbers_are_ta, path)
    killed_between = (
        "import os, pickle, sys\n"
        "from triage.data.staging import StagedFile\n"
        "from triage.model.store import load_model, save_model\n"
        "publish = StagedFile.publish\n"
        "def kill(stage):\n"
        "    if stage.name.endswith('.json'):\n"
        "        os.kill(os.getpid(), 9)\n"
        "    publish(stage)\n"
        "StagedFile.publish = kill\n"
        "from dataclasses import replace\n"
        "from pathlib import Path\n"
        "model = load_model(Path(sys.argv[1]))\n"
        "voter = replace(model.learnt.voter, strongest=0)\n"
        "learnt = replace(model.learnt, voter=voter)\n"
        "save_model(replace(model, learnt=learnt), Path(sys.argv[1]), overwrite=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", killed_between, str(path)], env=environment, check=False
    )
    assert done.returncode == -9
    with pytest.raises(TriageError, match="is not the one that its manifest describes"):
        load_model(path)
    save_model(numbers_are_ta, path, overwrite=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model", "model.json"]
