"""Model files: names and numbers in one file, checked before they are used."""

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray

from triage import Triage
from triage.data import DataError
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.features import feature_set
from triage.features.forest import Forest, Tree
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.word_evidence import WordWeights
from triage.model.learn import learn
from triage.model.learnt import (
    TA_FROM,
    HeldOut,
    LearntWords,
    Manifest,
    Model,
    Voter,
    named_features,
    versions,
)
from triage.model.store import FORMAT_VERSION, load_model, save_model
from triage.model.training import TrainingOptions, Undersampling
from triage.safe import Staged
from triage.vocabulary import Prediction

Run = Callable[..., CompletedProcess[str]]
Members = dict[str, bytes]
WEIGHED = feature_set("evidence")


class Malicious:
    """A pickle that creates a file when somebody loads it."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.proof,)


def tree(asks: int) -> Tree:
    """Return a tree of three nodes that asks whether a column is above 2.5."""
    return Tree(
        np.array([asks, 0, 0]),
        np.array([2.5, -2.0, -2.0]),
        np.array([2, 1, 1, 1, 2, 2]),
        1,
        np.array([0.5, 0.1, 0.9]),
    )


@pytest.fixture
def weighed() -> Model:
    """A small model that has all that a model can have."""
    held_out = HeldOut(np.array([0.1, 0.75, 1 / 3]), np.array([False, True, True]))
    strongest = WEIGHED.features.index(WEIGHED.strongest)
    leaf = Tree(np.array([0]), np.array([-2.0]), np.array([0, 0]), 0, np.array([0.25]))
    alone = Voter(Forest((tree(0), leaf)), held_out, strongest)
    rewritten = np.array([0.1, 0.5, 0.25]), np.array([0.0, 0.25, 0.125])
    ways = replace(held_out, rewritten=rewritten, names_with_capitals=(0.75, 0.5, 0.0))
    in_corpus = Voter(Forest((tree(1),)), ways, strongest)
    words = WordWeights(
        -4.5, {"in first_names, été": 3.25, "after: ,": 0.1, "ends in -\ud800": 7.0}
    )
    split = tree(len(COLUMNS) - 1)
    boosted = replace(split, value=np.array([0.0, -25_000.0, 31_415.0]))
    corpus = WordTrees(WordWeights(-1.5, {" z": 0.75, "ina ": -0.25}), Forest((boosted,)))
    manifest = Manifest(
        "evidence",
        WEIGHED.features,
        "fr",
        "0" * 64,
        20,
        40,
        "per_bag",
        3,
        0.3,
        {"numpy": "2"},
        "spans",
    )
    return Model(manifest, alone, LearntWords(words, corpus, in_corpus))


@pytest.fixture
def saved(weighed: Model, tmp_path: Path) -> Path:
    path = tmp_path / "model"
    save_model(weighed, path)
    return path


def plain(found: object) -> object:
    """Return dataclasses and arrays as what can be compared."""
    if isinstance(found, np.ndarray):
        return [str(found.dtype), found.tolist()]
    if isinstance(found, tuple):
        return [plain(one) for one in found]
    if hasattr(found, "__dataclass_fields__"):
        return {name: plain(getattr(found, name)) for name in found.__dataclass_fields__}
    return found


def members(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path: Path, found: Members, how: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, content in found.items():
            archive.writestr(name, content)


def change_manifest(path: Path, **changes: object) -> None:
    found = members(path)
    found["manifest.json"] = json.dumps(json.loads(found["manifest.json"]) | changes).encode()
    pack(path, found)


def npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def refuses(path: Path, reason: str) -> None:
    with pytest.raises(TriageError, match=reason) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


# What is kept


def test_what_is_saved_is_loaded(saved: Path, weighed: Model) -> None:
    loaded = load_model(saved)
    assert plain(loaded) == plain(weighed)
    assert loaded.words
    assert weighed.words
    assert list(loaded.words.words.weights) == list(weighed.words.words.weights)


def test_what_was_learnt_is_loaded(numbers_are_ta: Model, tmp_path: Path) -> None:
    save_model(numbers_are_ta, tmp_path / "model")
    assert plain(load_model(tmp_path / "model")) == plain(numbers_are_ta)


def test_a_model_is_one_file_of_arrays_and_json(saved: Path, tmp_path: Path) -> None:
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    with np.load(saved, allow_pickle=False) as found:
        assert found["alone/threshold"].tolist() == [2.5, -2.0, -2.0, -2.0]
    assert all(name.endswith((".json", ".npy")) for name in members(saved))


def test_the_manifest_says_what_was_learnt_from_and_with(
    numbers_are_ta: Model, tmp_path: Path, french: Lexicon
) -> None:
    save_model(numbers_are_ta, tmp_path / "model")
    assert json.loads(members(tmp_path / "model")["manifest.json"]) == {
        "format_version": FORMAT_VERSION,
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


def test_the_same_model_gives_the_same_bytes(saved: Path, weighed: Model, tmp_path: Path) -> None:
    save_model(load_model(saved), tmp_path / "again")
    save_model(weighed, tmp_path / "once more")
    assert saved.read_bytes() == (tmp_path / "again").read_bytes()
    assert saved.read_bytes() == (tmp_path / "once more").read_bytes()


@pytest.mark.slow
def test_the_same_training_gives_the_same_bytes(tmp_path: Path) -> None:
    once = TrainingOptions(Undersampling.ONCE)
    for name in ("one", "other"):
        learnt = learn(["1 2 3", "ok"] * 30, ["TA", "NTA"] * 30, options=once)
        save_model(learnt, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_its_owner_alone_may_read_it(weighed: Model, tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        save_model(weighed, tmp_path / "model")
    finally:
        os.umask(mask)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o600


def test_saving_replaces_an_older_model_where_asked_and_leaves_nothing_else(
    saved: Path, weighed: Model, tmp_path: Path
) -> None:
    saved.write_bytes(b"avant")
    with pytest.raises(DataError, match="exists already"):
        save_model(weighed, saved)
    assert saved.read_bytes() == b"avant"
    save_model(weighed, saved, overwrite=True)
    assert load_model(saved).manifest.n_ta == 20
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_folder_in_the_way_is_an_error(weighed: Model, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(DataError, match=r"cannot write .* is a directory"):
        save_model(weighed, tmp_path / "model")


@pytest.mark.parametrize("name", ["absent/model", "file/model"])
def test_a_folder_that_is_none_is_an_error(name: str, weighed: Model, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"cannot write .*irectory"):
        save_model(weighed, tmp_path / name)


@pytest.mark.parametrize("exists", [True, False])
def test_a_model_appears_whole_or_not_at_all(
    exists: bool, weighed: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    if exists:
        save_model(weighed, path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}

    def fail(stage: Staged) -> None:
        raise OSError(5, f"the disk fails: {stage.name}")

    monkeypatch.setattr(Staged, "finish", fail)
    other = replace(weighed, manifest=replace(weighed.manifest, seed=7))
    with pytest.raises(DataError, match="the disk fails"):
        save_model(other, path, overwrite=True)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_a_model_that_could_not_be_read_is_not_written(
    weighed: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.model.store._MOST_BYTES", 1_000)
    with pytest.raises(TriageError, match="larger than 1,000 bytes"):
        save_model(weighed, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# What is no model


def test_a_missing_model_is_an_error(tmp_path: Path) -> None:
    refuses(tmp_path / "model", r"cannot read the model .*: No such file")


def test_a_model_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    refuses(tmp_path, r"cannot read the model .*: Is a directory")


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip", b"id,text\n1,Coucou\n"])
def test_a_file_of_something_else_is_no_model(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(content)
    refuses(
        tmp_path / "model",
        "is no model, or one of an earlier version: train it again with: triage train$",
    )


@pytest.mark.parametrize("compress", [0, 3])
def test_a_model_of_an_earlier_version_is_not_run(compress: int, tmp_path: Path, run: Run) -> None:
    old, proof = tmp_path / "model", tmp_path / "proof"
    joblib.dump(Malicious(proof), old, compress=compress)
    (tmp_path / "model.json").write_text('{"features": "evidence"}')
    done = run("explain", "coucou", "--model", old)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "one of an earlier version: train it again with: triage train" in done.stderr
    assert not proof.exists()
    joblib.load(old)
    assert proof.exists(), "the pickle would not have done anything"


def test_a_format_that_this_version_has_not_is_an_error(saved: Path) -> None:
    change_manifest(saved, format_version=FORMAT_VERSION + 1)
    refuses(saved, "of another version of this program: train it again")


def test_an_array_of_objects_is_not_unpickled(saved: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    hostile = npy(np.array([Malicious(proof)], dtype=object))
    pack(saved, members(saved) | {"alone/value.npy": hostile})
    refuses(saved, "is damaged")
    assert not proof.exists()


# What is damaged


def test_a_model_that_is_cut_short_is_damaged(saved: Path) -> None:
    content = saved.read_bytes()
    for length in range(4, len(content), 61):
        saved.write_bytes(content[:length])
        refuses(saved, "is damaged")


def test_a_changed_byte_is_refused_or_changes_nothing(saved: Path, weighed: Model) -> None:
    content, accepted = saved.read_bytes(), 0
    for at in range(4, len(content), 7):
        saved.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        with suppress(TriageError):
            assert plain(load_model(saved)) == plain(weighed)
            accepted += 1
    assert accepted < len(content) / 7 / 2


def test_a_member_that_lacks_or_is_anothers_is_damage(saved: Path) -> None:
    found = members(saved)
    for name in found:
        pack(saved, {other: content for other, content in found.items() if other != name})
        refuses(saved, "is damaged")
    pack(saved, found | {"alone/feature.npy": found["alone/threshold.npy"]})
    refuses(saved, "is damaged")
    pack(saved, found | {"alone/nodes.npy": found["in_corpus/nodes.npy"]})
    refuses(saved, "is damaged")


def int32(*numbers: int) -> bytes:
    return npy(np.array(numbers, dtype="<i4"))


def floats(*numbers: float) -> bytes:
    return npy(np.array(numbers, dtype="<f8"))


HUGE = floats(0.5).replace(b"(1,)", b"(%d,)" % 10**15).replace(b" " * 15 + b"\n", b"\n")
ARRAYS = {
    "no node": ("nodes", int32()),
    "an empty tree": ("nodes", int32(0, 4)),
    "a negative tree": ("nodes", int32(-1, 5)),
    "too many nodes": ("nodes", int32(3, 2)),
    "nodes beyond all bounds": ("nodes", int32(*[2**31 - 1] * 3)),
    "a circle": ("children", int32(0, 0, 1, 1, 2, 2, 0, 0)),
    "a leaf that leads back": ("children", int32(2, 1, 0, 0, 2, 2, 0, 0)),
    "two ways to a leaf": ("children", int32(1, 1, 1, 1, 2, 2, 0, 0)),
    "a way to another tree": ("children", int32(3, 1, 1, 1, 2, 2, 0, 0)),
    "a negative child": ("children", int32(-1, 1, 1, 1, 2, 2, 0, 0)),
    "a child beyond the end": ("children", int32(2, 1, 1, 1, 2, 2, 1, 1)),
    "half a leaf": ("children", int32(2, 1, 1, 1, 2, 2, 0, 1)),
    "children that lack": ("children", int32(2, 1, 1, 1)),
    "a column that there is not": ("feature", int32(len(WEIGHED.features), 0, 0, 0)),
    "a negative column": ("feature", int32(-1, 0, 0, 0)),
    "columns that lack": ("feature", int32(0)),
    "an infinite threshold": ("threshold", floats(np.inf, 0, 0, 0)),
    "a share above 1": ("value", floats(0.5, 1.5, 0.5, 0.5)),
    "a share that is no number": ("value", floats(0.5, np.nan, 0.5, 0.5)),
    "shares that lack": ("value", floats(0.5)),
    "a score above 1": ("held_out_score", floats(0.5, 2, 0.5)),
    "a score that is no number": ("held_out_score", floats(0.5, np.nan, 0.5)),
    "scores that lack": ("held_out_score", floats(0.5)),
    "no way of writing": ("names_with_capitals", floats()),
    "a way of writing without scores": ("names_with_capitals", floats(0.5, 0.5)),
    "a share of capitals above 1": ("names_with_capitals", floats(1.5)),
    "another type": ("value", npy(np.zeros(4, dtype="<f4"))),
    "another order of bytes": ("value", npy(np.full(4, 0.5, dtype=">f8"))),
    "another shape": ("value", npy(np.full((2, 2), 0.5))),
    "a huge shape": ("value", HUGE),
    "half a number": ("value", floats(0.5, 0.5, 0.5, 0.5)[:-4]),
    "no header": ("value", b""),
    "a nested header": ("value", b"\x93NUMPY\x01\x00" + b"(" * 20_000),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_trees_that_are_none_are_damage(kind: str, saved: Path) -> None:
    name, content = ARRAYS[kind]
    pack(saved, members(saved) | {f"alone/{name}.npy": content})
    refuses(saved, "is damaged")


OF_WORDS = {
    "a column that there is not": ("feature", int32(len(COLUMNS), 0, 0)),
    "a value that is no whole number": ("value", floats(0, 0.5, 1)),
    "a value beyond all bounds": ("value", floats(0, 1e300, 1)),
    "a value that is no number": ("value", floats(0, np.nan, 1)),
}


@pytest.mark.parametrize("kind", OF_WORDS)
def test_trees_of_words_that_are_none_are_damage(kind: str, saved: Path) -> None:
    name, content = OF_WORDS[kind]
    pack(saved, members(saved) | {f"words/{name}.npy": content})
    refuses(saved, "is damaged")


def test_a_model_may_have_no_trees_of_words(weighed: Model, tmp_path: Path) -> None:
    assert weighed.words
    without = replace(weighed, words=replace(weighed.words, corpus=None))
    save_model(without, tmp_path / "without")
    assert plain(load_model(tmp_path / "without")) == plain(without)


def test_a_tree_deeper_than_any_that_is_learnt_is_damage() -> None:
    depth = 10_001
    nodes = np.arange(2 * depth + 1)
    inner = nodes % 2 == 0
    inner[-1] = False
    children = np.where(inner[:, None], nodes[:, None] + [1, 2], nodes[:, None])
    share = np.zeros(len(nodes))
    with pytest.raises(ValueError, match="too deep"):
        Forest.from_arrays(np.array([len(nodes)]), nodes * 0, share, children.ravel(), share)


WEIGHTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no weights": dict.clear,
    "no intercept": lambda found: found["words"].pop("intercept"),
    "an intercept that is text": lambda found: found["words"].update(intercept="1"),
    "a list of weights": lambda found: found["words"].update(weights=[1.0]),
    "a weight that is text": lambda found: found["words"]["weights"].update(a="1"),
    "a weight that is no number": lambda found: found["words"]["weights"].update(a=float("nan")),
    "an infinite weight": lambda found: found["spelling"].update(intercept=float("inf")),
    "a weight beyond all numbers": lambda found: found["spelling"].update(intercept=10**400),
    "no spelling": lambda found: found.pop("spelling"),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_that_are_none_are_damage(kind: str, saved: Path) -> None:
    found = members(saved)
    weights = json.loads(found["weights.json"])
    WEIGHTS[kind](weights)
    pack(saved, found | {"weights.json": json.dumps(weights).encode()})
    refuses(saved, "is damaged")


@pytest.mark.parametrize(
    "content",
    [b"", b"no JSON", b"[]", b"7", b"{}", b"[" * 100_000, b"\xff", b'{"a": 1' + b"0" * 9_999],
)
@pytest.mark.parametrize("name", ["manifest.json", "weights.json"])
def test_json_of_something_else_is_damage(name: str, content: bytes, saved: Path) -> None:
    pack(saved, members(saved) | {name: content})
    refuses(saved, "is damaged")


@pytest.mark.parametrize(
    "changes",
    [
        {"columns": None},
        {"columns": [1]},
        {"features": ["patel2013"]},
        {"n_ta": "20"},
        {"seed": True},
        {"versions": {"numpy": 2}},
        {"ta_from": "0.5"},
        {"ta_from": 37.0},
        {"ta_from": float("nan")},
        {"unheard_of": 1},
    ],
)
def test_a_manifest_with_a_wrong_field_is_damage(changes: dict[str, Any], saved: Path) -> None:
    change_manifest(saved, **changes)
    refuses(saved, "is damaged")


def test_a_manifest_that_lacks_a_field_is_damage(saved: Path) -> None:
    found = members(saved)
    about = json.loads(found["manifest.json"])
    del about["seed"]
    pack(saved, found | {"manifest.json": json.dumps(about).encode()})
    refuses(saved, "is damaged")


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_file_packed_in_another_way_is_refused(how: int, saved: Path) -> None:
    pack(saved, members(saved), how)
    refuses(saved, "is damaged")


def bombs(found: Members) -> Iterator[Members]:
    yield found | {"alone/value.npy": b"\0" * 3_000_000}
    yield found | {f"{number}.npy": b"" for number in range(200)}
    yield found | {"of another": b"\0" * 3_000_000}


def test_a_file_that_would_unpack_to_too_much_is_refused(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.model.store._MOST_BYTES", 1_000_000)
    for bomb in bombs(members(saved)):
        pack(saved, bomb)
        assert saved.stat().st_size < 1_000_000
        refuses(saved, "is damaged")


def test_an_entry_that_holds_more_than_it_says_is_refused(saved: Path) -> None:
    found = members(saved)
    pack(saved, found | {"alone/value.npy": found["alone/value.npy"] + b"\0" * 1_000_000})
    size, said = (len(found["alone/value.npy"]) + n for n in (1_000_000, 0))
    content = saved.read_bytes()
    lie = content.replace(size.to_bytes(4, "little"), said.to_bytes(4, "little"))
    assert lie != content
    saved.write_bytes(lie)
    refuses(saved, "is damaged")


def test_features_that_the_program_has_not_are_an_error(saved: Path) -> None:
    change_manifest(saved, features="patel2031")
    with pytest.raises(TriageError, match="'patel2031'; there are: evidence, patel2013"):
        load_model(saved)


def test_other_columns_than_the_features_have_are_an_error(saved: Path) -> None:
    change_manifest(saved, columns=["un", "deux"])
    with pytest.raises(TriageError, match="other columns than 'evidence' has now"):
        Triage.load("fr", model=saved)


def test_a_message_is_ta_from_the_score_of_the_manifest_on(numbers_are_ta: Model) -> None:
    scores = np.array([0.0, 0.3699, 0.37, 1.0])
    expected = [Prediction.NTA, Prediction.NTA, Prediction.TA, Prediction.TA]
    manifest = replace(numbers_are_ta.manifest, ta_from=0.37)
    assert replace(numbers_are_ta, manifest=manifest).predict(scores) == expected
