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
from triage import Triage
from triage.dictionaries import Lexicon, load_lexicon
from triage.errors import TriageError
from triage.features import FeatureSet, feature_set
from triage.features.feature_names import is_lexical
from triage.features.forest import Forest, Tree
from triage.features.second_stage import WordTrees
from triage.features.word_evidence import WordWeights
from triage.model.learn import TrainingTable
from triage.model.learnt import Model
from triage.model.shipped import (
    build_tables,
    is_of_language,
    read_tables,
    shipped_model,
    start_of,
    table_path,
    write_tables,
)
from triage.model.store import load_model, save_model
from triage.model.training import TrainingOptions, Undersampling

COUNTED = feature_set("patel2013")
WEIGHED = feature_set("evidence")


def small_table(features: FeatureSet, values: NDArray[np.float64]) -> TrainingTable:
    """Return a table in which the first feature tells the label."""
    labels = ["TA" if row[0] > 5 else "NTA" for row in values]
    held_out = values[:, 0] / 10
    if not features.weighs_words:
        return TrainingTable(labels, values, held_out)
    words = WordWeights(-4.5, {"DICTIONARY first name": 3.25, "+1 ,": -0.5})
    split = Tree(
        np.array([3, 0, 0]),
        np.array([0.1, 0.0, 0.0]),
        np.array([2, 1, 1, 1, 2, 2]),
        1,
        np.array([0.0, -30_000.0, 45_678.0]),
    )
    spelling = WordWeights(-0.5, {" z": 0.75, "ina ": -0.25})
    corpus = WordTrees(spelling, Forest((split, split)))
    in_corpus = values.copy()
    in_corpus[:, 0] += 1
    return TrainingTable(
        labels,
        values,
        held_out,
        words,
        corpus,
        in_corpus,
        held_out / 2,
        (held_out / 3, held_out / 4),
        (0.75, 0.0, 0.5),
        "spans",
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
    """Ask for the shipped model."""
    return lambda: shipped_model(french, "patel2013")


def cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "sms-triage").glob("*.model"))


def scores(model: Model) -> list[float]:
    values = np.random.default_rng(1).integers(0, 9, (100, len(COUNTED.features))).astype(float)
    found: list[float] = model.voter.forest.score(values).tolist()
    return found


def test_the_first_use_keeps_the_model_for_its_owner_alone(
    model: Callable[[], Model], tmp_path: Path
) -> None:
    model()
    [kept] = cached(tmp_path)
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


def plant(tmp_path: Path) -> Path:
    """Put a model that scores otherwise in the place of the kept one."""
    [kept] = cached(tmp_path)
    model = load_model(kept)
    one_tree = replace(model.voter, forest=Forest(model.voter.forest.trees[:1]))
    save_model(replace(model, voter=one_tree), kept, overwrite=True)
    return kept


def test_what_another_user_has_put_there_is_not_read(
    first: Model, model: Callable[[], Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scores(load_model(plant(tmp_path))) != scores(first)
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    assert scores(model()) == scores(first)


def open_the_folder(kept: Path) -> None:
    kept.parent.chmod(0o777)


def open_the_model(kept: Path) -> None:
    kept.chmod(0o666)


def link_the_folder(kept: Path) -> None:
    moved = kept.parent.rename(kept.parent.with_name("elsewhere"))
    kept.parent.symlink_to(moved, target_is_directory=True)


def link_the_model(kept: Path) -> None:
    kept.symlink_to(kept.rename(kept.with_name("elsewhere")))


@pytest.mark.parametrize(
    "opened", [open_the_folder, open_the_model, link_the_folder, link_the_model]
)
def test_what_others_can_have_put_there_is_not_read(
    opened: Callable[[Path], None], first: Model, model: Callable[[], Model], tmp_path: Path
) -> None:
    opened(plant(tmp_path))
    assert scores(model()) == scores(first)


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


def test_another_table_is_another_model_beside_the_old_one(
    first: Model, model: Callable[[], Model], table: Path, tmp_path: Path
) -> None:
    [before] = cached(tmp_path)
    write_small_table(table.parent, seed=5)
    assert scores(model()) != scores(first)
    assert len(cached(tmp_path)) == 2
    assert before.exists()


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


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("version", ["FORMAT_VERSION", "LEARNING_VERSION"])
def test_another_version_of_what_is_kept_is_another_model(
    version: str, model: Callable[[], Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(triage.model.shipped, version, 99)
    model()
    assert len(cached(tmp_path)) == 2


@pytest.mark.usefixtures("first")
def test_another_version_of_a_library_is_another_model(
    model: Callable[[], Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [before] = cached(tmp_path)
    monkeypatch.setattr(triage.model.shipped, "versions", lambda: {"scikit-learn": "99"})
    model()
    after = cached(tmp_path)
    assert len(after) == 2
    assert before in after


def test_a_table_of_other_columns_is_an_error(model: Callable[[], Model], table: Path) -> None:
    other = FeatureSet("patel2013", ("a", "b"), COUNTED.table)
    write_small_table(table.parent, features=other)
    with pytest.raises(TriageError, match="table of other features; rebuild it with: make model"):
        model()


def test_a_language_without_weights_gets_those_that_no_word_matters_for(
    french: Lexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
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


def test_a_table_is_read_as_written_to_four_digits(tmp_path: Path) -> None:
    features = FeatureSet("two", ("a", "b"), COUNTED.table)
    values = np.array([[1.0, 0.25], [1 / 3, 1e6]])
    written = TrainingTable(["TA", "NTA"], values, np.array([0.75, np.nan]))
    write_tables(tmp_path / "below", "fr", features, written)
    read = read_tables(tmp_path / "below" / "fr-two.csv.gz", features)
    assert read.labels == ["TA", "NTA"]
    assert read.values.tolist() == [[1.0, 0.25], [0.3333, 1e6]]
    assert np.array_equal(read.held_out, [0.75, np.nan], equal_nan=True)
    assert (read.words, read.corpus, read.corpus_values) == (None, None, None)


def test_what_was_learnt_of_words_is_read_as_written(tmp_path: Path) -> None:
    values = np.array([[6.0] * len(WEIGHED.features), [0.0] * len(WEIGHED.features)])
    written = small_table(WEIGHED, values)
    write_tables(tmp_path, "fr", WEIGHED, written)
    read = read_tables(tmp_path / "fr-evidence.csv.gz", WEIGHED)
    assert read.words == written.words
    assert read.corpus
    assert written.corpus
    assert read.corpus.spelling == written.corpus.spelling
    ours, theirs = (corpus.forest.arrays() for corpus in (written.corpus, read.corpus))
    assert {name: array.tolist() for name, array in theirs.items()} == {
        name: array.tolist() for name, array in ours.items()
    }
    assert read.labels == ["TA", "NTA"]
    for name in ("values", "held_out", "corpus_values", "corpus_held_out", "rewritten_held_out"):
        assert np.allclose(getattr(read, name), getattr(written, name), rtol=1e-3), name
    assert read.names_with_capitals == written.names_with_capitals


def test_where_all_shares_of_capitals_are_the_same_the_scores_as_written_count(
    tmp_path: Path,
) -> None:
    values = np.array([[6.0] * len(WEIGHED.features), [0.0] * len(WEIGHED.features)])
    as_written, rewritten = np.array([0.9, 0.1]), np.array([0.4, 0.3])
    table = replace(
        small_table(WEIGHED, values),
        corpus_held_out=as_written,
        rewritten_held_out=(rewritten,),
        names_with_capitals=(0.8, 0.8),
    )
    write_tables(tmp_path, "fr", WEIGHED, table)
    read = read_tables(tmp_path / "fr-evidence.csv.gz", WEIGHED)
    assert read.corpus_held_out is not None
    assert read.corpus_held_out.tolist() == as_written.tolist()
    assert read.rewritten_held_out == ()


@pytest.mark.parametrize("features", [COUNTED, WEIGHED])
def test_the_same_table_has_the_same_bytes(features: FeatureSet, tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_small_table(tmp_path / name, features=features)
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "other")
    )
    assert one == other


def test_the_tables_are_computed_from_labelled_messages(tmp_path: Path, table: Path) -> None:
    messages = ["Coucou Patrice", "ok", "12 h"] * 60
    rows = zip(["TA", "NTA", "NTA"] * 60, messages, strict=True)
    lines = ["label,text", *(",".join(row) for row in rows)]
    (tmp_path / "labelled.csv").write_text("\n".join(lines), encoding="utf-8")
    build_tables(str(tmp_path / "labelled.csv"), tmp_path)
    read = read_tables(table, COUNTED)
    assert read.labels == ["TA", "NTA", "NTA"] * 60
    assert read.values[:, COUNTED.features.index("SMSLength")].tolist() == list(map(len, messages))
    assert read_tables(table_path("fr", "evidence"), WEIGHED).words is not None
    written = [gzip.decompress(path.read_bytes()) for path in tmp_path.glob("*.csv.gz")]
    assert len(written) == 5
    assert not any(b"patrice" in content.lower() for content in written)


@pytest.mark.parametrize("features", [COUNTED, WEIGHED])
def test_the_shipped_tables_hold_features_and_labels_and_no_message(features: FeatureSet) -> None:
    read = read_tables(table_path("fr", features.name), features)
    assert read.values.shape == (len(read.labels), len(features.features))
    assert set(read.labels) == {"TA", "NTA"}


def test_the_shipped_model_was_learnt_from_the_whole_table(shipped: Triage) -> None:
    labels = read_tables(table_path("fr", "evidence"), WEIGHED).labels
    about = shipped.model.manifest
    assert (about.n_ta, about.n_nta) == (labels.count("TA"), labels.count("NTA"))


def test_english_starts_from_french_and_votes_as_was_chosen_for_it() -> None:
    start = start_of("en")
    assert start is not None
    assert start.trees is not None
    assert start.words.weights["after: with"] == start.words.weights["after: wif"]
    assert not any("chez" in name for name in start.words.weights)
    model = shipped_model(load_lexicon("en"), "evidence")
    assert model.words is not None
    assert model.words.corpus is not None
    assert model.words.corpus.weight == start.trees.weight == 0.5
    assert model.manifest.ta_from == 0.35


def test_french_starts_from_nothing() -> None:
    assert start_of("fr") is None
