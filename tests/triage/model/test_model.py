"""Model files: names and numbers in one file, checked before they are used."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tests.cases import cases_beside
from tests.triage.cli.program import Run
from tests.triage.conftest import SAMPLE
from triage import Triage
from triage.data import DataError
from triage.decide.policy import covered
from triage.dictionaries import Lexicon
from triage.errors import TriageError
from triage.evaluation.corpus import read_corpus
from triage.features import feature_set
from triage.features.learn import learn_spelling
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights
from triage.model import learnt
from triage.model.learn import learn
from triage.model.learnt import HeldOut, LearntWords, Manifest, Model, Voter, load_model, save_model

pytestmark = pytest.mark.usefixtures("own_folder")
Members = dict[str, bytes]
WEIGHED = feature_set("evidence")


class Malicious:
    """A pickle that creates a file when somebody loads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("proof"),)


def forest(asks: int, *value: float) -> Forest:
    """Return a tree of three nodes that asks whether a column is above 2.5, and one of a leaf."""
    return Forest(
        np.array([3, 1]),
        np.array([asks, 0, 0, 0]),
        np.array([2.5, -2.0, -2.0, -2.0]),
        np.array([2, 1, 1, 1, 2, 2, 0, 0]),
        np.array(value),
    )


@pytest.fixture
def weighed() -> Model:
    """A small model that has all that a model can have."""
    held_out = HeldOut(np.array([[0.1, 0.75, 1 / 3]]), np.array([False, True, True]))
    alone = Voter(forest(0, 0.5, 0.1, 0.9, 0.25), held_out, WEIGHED.strongest)
    scores = np.array([[0.1, 0.75, 1 / 3], [0.1, 0.5, 0.25], [0.0, 0.25, 0.125]])
    ways = replace(held_out, score=scores, names_with_capitals=(0.75, 0.5, 0.0))
    in_corpus = Voter(forest(1, 0.5, 0.1, 0.9, 0.75), ways, WEIGHED.strongest)
    words = WordWeights(
        -4.5, {"in first_names, été": 3.25, "after: ,": 0.1, "ends in -\ud800": 7.0}
    )
    boosted = forest(len(COLUMNS) - 1, 0.0, -25_000.0, 31_415.0, 2.0)
    spelling = WordWeights(-1.5, {" z": 0.75, "ina ": -0.25})
    corpus = WordTrees(spelling, boosted, replace(boosted, value=-boosted.value))
    made_of = "fr", "0" * 64, 20, 40, "per_bag", 3, 0.3
    manifest = Manifest("evidence", WEIGHED.features, *made_of, {"numpy": "2"}, "spans")
    return Model(manifest, alone, LearntWords(words, corpus, in_corpus))


@pytest.fixture
def saved(weighed: Model, own_folder: Path) -> Path:
    save_model(weighed, own_folder / "model")
    return own_folder / "model"


def plain(found: object) -> object:
    if isinstance(found, np.ndarray):
        return [found.dtype.kind, found.tolist()]
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


@pytest.mark.parametrize("compress", [0, 3])
def test_a_model_of_an_earlier_version_is_not_run(compress: int, run: Run) -> None:
    old, proof = Path("model"), Path("proof")
    joblib.dump(Malicious(), old, compress=compress)
    Path("model.json").write_text('{"features": "evidence"}')
    done = run("explain", "coucou", "--model", old)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "one of an earlier version: train it again with: triage train" in done.stderr
    assert not proof.exists()
    joblib.load(old)
    assert proof.exists(), "the pickle would not have done anything"


def test_changed_or_missing_bytes_are_refused_or_change_none(saved: Path, weighed: Model) -> None:
    content, accepted = saved.read_bytes(), 0
    for length in range(4, len(content), 61):
        saved.write_bytes(content[:length])
        refuses(saved, "is damaged")
    for at in range(4, len(content), 7):
        saved.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        with suppress(TriageError):
            assert plain(load_model(saved)) == plain(weighed)
            accepted += 1
    assert accepted < len(content) / 7 / 2


def test_an_entry_that_holds_more_than_it_says_is_refused(saved: Path) -> None:
    found = members(saved)
    pack(saved, found | {"alone/value.npy": found["alone/value.npy"] + b"\0" * 1_000_000})
    size, said = (len(found["alone/value.npy"]) + n for n in (1_000_000, 0))
    content = saved.read_bytes()
    lie = content.replace(size.to_bytes(4, "little"), said.to_bytes(4, "little"))
    assert lie != content
    saved.write_bytes(lie)
    refuses(saved, "is damaged")


def test_what_could_not_be_read_is_not_written(
    weighed: Model, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.model.learnt._MAX_BYTES", 1_000)
    with pytest.raises(TriageError, match="larger than 1,000 bytes"):
        save_model(weighed, Path("model"))
    assert list(own_folder.iterdir()) == []


def test_what_is_saved_is_loaded_and_the_same_bytes(weighed: Model, numbers_are_ta: Model) -> None:
    assert weighed.words
    without = replace(weighed, words=replace(weighed.words, corpus=None))
    for number, model in enumerate((weighed, without, numbers_are_ta)):
        one, other = Path(f"one{number}"), Path(f"other{number}")
        save_model(model, one)
        loaded = load_model(one)
        assert plain(loaded) == plain(model)
        save_model(loaded, other)
        assert one.read_bytes() == other.read_bytes()
    loaded = load_model(Path("one0"))
    assert loaded.words
    assert list(loaded.words.words.weights) == list(weighed.words.words.weights)


def test_a_model_is_one_private_file_of_arrays_and_json(saved: Path, weighed: Model) -> None:
    assert saved.stat().st_mode & 0o777 == 0o600
    with np.load(saved, allow_pickle=False) as found:
        assert found["alone/threshold"].tolist() == [2.5, -2.0, -2.0, -2.0]
    assert all(name.endswith((".json", ".npy")) for name in members(saved))
    saved.write_bytes(b"avant")
    with pytest.raises(DataError, match="exists already"):
        save_model(weighed, saved)
    assert saved.read_bytes() == b"avant"
    save_model(weighed, saved, overwrite=True)
    assert load_model(saved).manifest.n_ta == 20
    assert [path.name for path in Path().iterdir()] == ["model"]


def test_what_is_no_model_is_an_error(saved: Path) -> None:
    for content in (b"", b"PK", b"no zip", b"id,text\n1,Coucou\n"):
        Path("other").write_bytes(content)
        refuses(Path("other"), "one of an earlier version: train it again with: triage train$")
    change_manifest(saved, format_version=learnt.FORMAT_VERSION + 1)
    refuses(saved, "of another version of this program: train it again")
    change_manifest(saved, format_version=learnt.FORMAT_VERSION, features="patel2031")
    refuses(saved, "'patel2031'; there are: evidence, patel2013")
    change_manifest(saved, features="evidence", columns=["un", "deux"])
    with pytest.raises(TriageError, match="other columns than 'evidence' has now"):
        Triage.load("fr", model=saved)


DAMAGE = cases_beside(__file__, "damage.toml")


def floats(*numbers: float) -> bytes:
    return npy(np.array(numbers, dtype="<f8"))


def arrays_that_are_none(_: Members) -> Iterator[Members]:
    for case in DAMAGE["arrays"]:
        yield {f"{case['array']}.npy": npy(np.array(case["numbers"], dtype=case["type"]))}
    for content in (
        floats(0.5).replace(b"(1,)", b"(%d,)" % 10**15).replace(b" " * 15 + b"\n", b"\n"),
        floats(0.5, 0.5, 0.5, 0.5)[:-4],
        b"",
        b"\x93NUMPY\x01\x00" + b"(" * 20_000,
        npy(np.array([Malicious()], dtype=object)),
        b"\0" * 3_000_000,
    ):
        yield {"alone/value.npy": content}


def json_that_is_none(found: Members) -> Iterator[Members]:
    for case in DAMAGE["json"]:
        name = f"{case['of']}.json"
        told, changed = json.loads(found[name]), json.loads(case["text"])
        if isinstance(changed, dict):
            parts = {key: told[key] | new for key, new in changed.items() if isinstance(new, dict)}
            changed = told | changed | (parts if case["of"] == "weights" else {})
        yield {name: json.dumps(changed).encode()}
    for name in ("manifest.json", "weights.json"):
        told = json.loads(found[name])
        for left_out in told:
            yield {name: json.dumps({key: told[key] for key in told if key != left_out}).encode()}
        for content in (b"", b"no JSON", b"[" * 100_000, b"\xff", b'{"a": 1' + b"0" * 9_999):
            yield {name: content}


def members_of_others(found: Members) -> Iterator[Members]:
    yield {"alone/feature.npy": found["alone/threshold.npy"]}
    yield {"alone/nodes.npy": found["robust/feature.npy"]}
    yield {f"{number}.npy": b"" for number in range(200)}
    yield {"of another": b"\0" * 3_000_000}


@pytest.mark.parametrize("wrong", [arrays_that_are_none, json_that_is_none, members_of_others])
def test_what_no_model_has_is_damage_and_not_run(
    wrong: Callable[[Members], Iterator[Members]], saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.model.learnt._MAX_BYTES", 1_000_000)
    found = members(saved)
    for changed in wrong(found):
        pack(saved, found | changed)
        refuses(saved, "is damaged")
    assert not Path("proof").exists()


def test_a_member_that_lacks_or_is_packed_otherwise_is_damage(saved: Path) -> None:
    found = members(saved)
    for name in found:
        pack(saved, {other: found[other] for other in found if other != name})
        refuses(saved, "is damaged")
    for how in (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        pack(saved, found, how)
        refuses(saved, "is damaged")


@pytest.mark.slow
@pytest.mark.usefixtures("few_trees")
def test_a_model_is_the_same_whatever_the_number_of_threads(
    thinned: Lexicon, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotated = read_corpus(str(SAMPLE)).only(range(150))
    assert annotated.senders
    assert annotated.spans
    for limit in (1, 2):
        # What another number of threads has learnt is not asked.
        learn_spelling.cache_clear()
        monkeypatch.setenv("XDG_CACHE_HOME", str(own_folder / f"cache {limit}"))
        with threadpool_limits(limit):
            model = learn(annotated, thinned, undersampling="once", cover=covered)
        save_model(model, Path(str(limit)))
    assert Path("1").read_bytes() == Path("2").read_bytes()
