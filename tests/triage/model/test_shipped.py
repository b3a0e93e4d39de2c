"""The shipped model: fitted from its table on first use, then kept in the user's cache."""

import functools
import gzip
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import triage.model.shipped
from tools.model import build_tables, write_tables
from triage import Triage
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.features import FeatureSet, feature_set
from triage.features.feature_names import is_lexical
from triage.features.second_stage import WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights
from triage.model.learn import Examples, TrainingTable
from triage.model.learnt import Covered, Model
from triage.model.shipped import (
    TREES,
    is_of_language,
    read_tables,
    shipped_model,
    table_path,
)
from triage.model.store import load_model, save_model
from triage.model.training import TrainingOptions, Undersampling

COUNTED = feature_set("patel2013")
WEIGHED = feature_set("evidence")


def small_table(features: FeatureSet, values: NDArray[np.float64]) -> TrainingTable:
    """Return a table in which the first feature tells the label."""
    labels = ["TA" if row[0] > 5 else "NTA" for row in values]
    held_out = values[:, 0] / 10
    group = np.arange(len(labels)) % 30
    if not features.weighs_words:
        return TrainingTable(labels, Examples((values,), held_out=(held_out,)), group=group)
    words = WordWeights(-4.5, {"DICTIONARY first name": 3.25, "+1 ,": -0.5})
    trees = Forest(
        np.array([3, 1]),
        np.array([3, 0, 0, 0]),
        np.array([0.1, 0.0, 0.0, 0.0]),
        np.array([2, 1, 1, 1, 2, 2, 0, 0]),
        np.array([0.0, -30_000.0, 45_678.0, 2.0]),
    )
    corpus = WordTrees(
        WordWeights(-0.5, {" z": 0.75, "ina ": -0.25}), trees, replace(trees, value=-trees.value)
    )
    in_corpus = values.copy()
    in_corpus[:, 0] += 1
    scores = held_out / 2, held_out / 3, held_out / 4
    covered = [
        Covered((score > 0.2).astype(np.int8), score.round(3), score > 0.3)
        for score in (held_out, *scores)
    ]
    return TrainingTable(
        labels,
        Examples((values,), (0.75,), (held_out,), tuple(covered[:1])),
        Examples((in_corpus,), (0.75, 0.0, 0.5), scores, tuple(covered[1:])),
        words,
        corpus,
        "spans",
        group,
    )


def write_small_table(folder: Path, seed: int = 0, features: FeatureSet = COUNTED) -> None:
    values = np.random.default_rng(seed).integers(0, 9, (200, len(features.features)))
    write_tables(folder, "fr", features, small_table(features, values.astype(float)))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a small table in place of the shipped one, quickly fitted, and a cache of its own."""
    quick = functools.partial(TrainingOptions, Undersampling.ONCE)
    monkeypatch.setattr("triage.model.training.TrainingOptions", quick)
    monkeypatch.setattr(triage.model.shipped, "TABLES", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_small_table(tmp_path)
    return table_path("fr", "patel2013")


@pytest.fixture(scope="module")
def once(french: Lexicon, tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """Fit the model of the small table: the model, and the cache as it is then."""
    folder = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        quick = functools.partial(TrainingOptions, Undersampling.ONCE)
        patch.setattr("triage.model.training.TrainingOptions", quick)
        patch.setattr(triage.model.shipped, "TABLES", folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        write_small_table(folder)
        return shipped_model(french, "patel2013"), folder / "cache"


@pytest.fixture
def first(once: tuple[Model, Path], tmp_path: Path) -> Model:
    """Have used the shipped model before."""
    shutil.copytree(once[1], tmp_path / "cache")
    return once[0]


@pytest.fixture
def model(table: Path, french: Lexicon) -> Callable[[], Model]:  # noqa: ARG001
    return lambda: shipped_model(french, "patel2013")


def cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "sms-triage").glob("*.model"))


def scores(model: Model) -> list[float]:
    values = np.random.default_rng(1).integers(0, 9, (100, len(COUNTED.features))).astype(float)
    found: list[float] = model.voter.forest.score(values).tolist()
    return found


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


def test_what_was_kept_long_ago_is_removed(
    first: Model,  # noqa: ARG001
    model: Callable[[], Model],
    table: Path,
    tmp_path: Path,
) -> None:
    [before] = cached(tmp_path)
    # Earlier versions kept two files under these names.
    old = [before, *(before.with_suffix(end) for end in (".joblib", ".joblib.json"))]
    a_year_ago = time.time() - 365 * 86_400
    for path in old:
        path.touch()
        os.utime(path, (a_year_ago, a_year_ago))
    write_small_table(table.parent, seed=5)
    model()
    [after] = cached(tmp_path)
    assert list(after.parent.iterdir()) == [after]


def test_a_table_of_other_columns_is_an_error(model: Callable[[], Model], table: Path) -> None:
    other = FeatureSet("patel2013", ("a", "b"), COUNTED.table)
    write_small_table(table.parent, features=other)
    with pytest.raises(TriageError, match="table of other features; rebuild it with: make model"):
        model()


def test_a_language_without_weights_gets_those_that_no_word_matters_for(
    french: Lexicon,
) -> None:
    ours, theirs = (
        shipped_model(Lexicon(french.lists, language), "evidence") for language in ("fr", "oc")
    )
    assert ours.words
    assert theirs.words
    assert any(map(is_lexical, ours.words.words.weights))
    assert not any(map(is_lexical, theirs.words.words.weights))
    assert theirs.manifest.language == "fr"
    assert not is_of_language(theirs, Lexicon(french.lists, "oc"))


def test_features_without_a_model_are_an_error(french: Lexicon) -> None:
    with pytest.raises(TriageError, match=r"no model for 'fr' .*; train one with: triage train"):
        shipped_model(french, "patel2013-normalised")


@pytest.mark.slow
def test_the_tables_are_computed_from_labelled_messages(tmp_path: Path, table: Path) -> None:
    messages = ["Coucou Patrice", "ok", "12 h"] * 60
    rows = zip(["TA", "NTA", "NTA"] * 60, messages, strict=True)
    lines = ["label,text", *(",".join(row) for row in rows)]
    (tmp_path / "labelled.csv").write_text("\n".join(lines), encoding="utf-8")
    build_tables([str(tmp_path / "labelled.csv")], tmp_path)
    read = read_tables(table, COUNTED)
    assert read.labels == ["TA", "NTA", "NTA"] * 60
    [values] = read.alone.values
    assert values[:, COUNTED.features.index("SMSLength")].tolist() == list(map(len, messages))
    assert read_tables(table_path("fr", "evidence"), WEIGHED).words is not None
    written = [gzip.decompress(path.read_bytes()) for path in tmp_path.glob("*.csv.gz")]
    assert len(written) == 6
    assert not any(b"patrice" in content.lower() for content in written)


def test_the_second_use_loads_what_the_first_has_kept_for_its_owner_alone(
    first: Model, model: Callable[[], Model], tmp_path: Path
) -> None:
    [kept] = cached(tmp_path)
    before = kept.stat()
    assert before.st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert scores(model()) == scores(first)
    assert kept.stat().st_ino == before.st_ino
    whole = kept.read_bytes()
    for damage in (b"", b"damaged"):
        kept.write_bytes(damage)
        assert scores(model()) == scores(first)
        assert kept.read_bytes() == whole


@pytest.mark.parametrize("opened", ["another user", "folder", "model", "linked folder", "link"])
def test_what_others_can_have_put_there_is_not_read(
    opened: str,
    first: Model,
    model: Callable[[], Model],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [kept] = cached(tmp_path)
    planted = load_model(kept)
    forest = replace(planted.voter.forest, value=planted.voter.forest.value / 2)
    halved = replace(planted.voter, forest=forest)
    save_model(replace(planted, voter=halved), kept, overwrite=True)
    assert scores(load_model(kept)) != scores(first)
    if opened == "another user":
        me = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: me + 1)
    elif opened == "link":
        kept.symlink_to(kept.rename(kept.with_name("elsewhere")))
    elif opened == "linked folder":
        moved = kept.parent.rename(kept.parent.with_name("elsewhere"))
        kept.parent.symlink_to(moved, target_is_directory=True)
    else:
        (kept.parent if opened == "folder" else kept).chmod(0o777)
    assert scores(model()) == scores(first)


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("other", ["FORMAT_VERSION", "LEARNING_VERSION", "versions", "table"])
def test_another_version_or_table_is_another_model_beside_the_old_one(
    other: str,
    model: Callable[[], Model],
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [before] = cached(tmp_path)
    if other == "table":
        write_small_table(table.parent, seed=5)
    elif other == "versions":
        monkeypatch.setattr(triage.model.shipped, other, lambda: {"scikit-learn": "99"})
    else:
        monkeypatch.setattr(triage.model.shipped, other, 99)
    model()
    assert len(cached(tmp_path)) == 2
    assert before.exists()


def test_what_was_learnt_of_words_is_read_as_written_and_the_same_bytes(tmp_path: Path) -> None:
    values = np.array([[6.0] * len(WEIGHED.features), [0.0] * len(WEIGHED.features)])
    written = small_table(WEIGHED, values)
    for name in ("one", "other"):
        write_tables(tmp_path / name, "fr", WEIGHED, written)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()
    read = read_tables(tmp_path / "one" / "fr-evidence.csv.gz", WEIGHED)
    assert (read.words, read.labels) == (written.words, ["TA", "NTA"])
    assert read.corpus
    assert written.corpus
    assert read.corpus.spelling == written.corpus.spelling
    for trees in TREES:
        ours, theirs = vars(getattr(written.corpus, trees)), vars(getattr(read.corpus, trees))
        for name, array in ours.items():
            assert np.array_equal(theirs[name], array), (trees, name)
    for ours, theirs in ((written.alone, read.alone), (written.in_corpus, read.in_corpus)):
        assert ours
        assert theirs
        assert np.allclose(theirs.values, ours.values, rtol=1e-3)
        assert np.allclose(theirs.held_out, ours.held_out, rtol=1e-3)
        assert theirs.names_with_capitals == ours.names_with_capitals


@pytest.mark.parametrize("features", [COUNTED, WEIGHED])
def test_the_shipped_model_was_learnt_from_its_whole_table(features: FeatureSet) -> None:
    read = read_tables(table_path("fr", features.name), features)
    assert read.alone.values[0].shape == (len(read.labels), len(features.features))
    about = Triage.load("fr", features=features.name).model.manifest
    assert (about.n_ta, about.n_nta) == (read.labels.count("TA"), read.labels.count("NTA"))
