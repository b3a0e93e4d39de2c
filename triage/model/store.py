"""A model as one file of names and numbers, which is read without running anything in it.

The file is a zip of ``manifest.json``, ``weights.json`` (the weights of words) and ``….npy`` arrays
(trees and out-of-fold scores). The same model gives the same bytes.
"""

import hashlib
import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from triage.features.forest import Forest
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from ..safe import check_is_ordinary, write_file
from .learnt import (
    HeldOut,
    LearntWords,
    Manifest,
    Model,
    Voter,
    named_features,
    strongest_column,
)

# To be raised with each change after which older files cannot be read.
FORMAT_VERSION = 3

_MANIFEST, _WEIGHTS = "manifest.json", "weights.json"
# The voters without and with corpus evidence, and the trees of words in their corpus.
_ALONE, _IN_CORPUS, _OF_WORDS = "alone", "in_corpus", "words"
_TREES = {"nodes": "<i4", "feature": "<i4", "threshold": "<f8", "children": "<i4", "value": "<f8"}
_HELD_OUT = {
    "held_out_score": "<f8",  # of all ways of writing, end to end
    "held_out_is_ta": "|u1",
    "names_with_capitals": "<f8",
}
_NPY_HEADER = 128  # bytes, for an array of one axis
_JSON_TYPES: Mapping[object, type] = {
    str: str,
    int: int,
    float: float,
    tuple[str, ...]: list,
    dict[str, str]: dict,
}

_ZIP, _ZIP_ENTRY = b"PK\x03\x04", b"PK\x01\x02"
# A model of a million messages has 30 MB.
_MOST_BYTES = 2**28
_MOST_ENTRIES = 100
# Of the values of trees of words; thousands of such add up exactly.
_LARGEST = 2**31
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def cache_folder() -> Path:
    """Return the folder of files that the program can make again."""
    return user_cache_path("sms-triage", appauthor=False)


def save_model(model: Model, path: Path, *, overwrite: bool = False) -> None:
    """Write a model atomically, readable by its owner only."""
    members = _files(model)
    if sum(map(len, members.values())) > _MOST_BYTES:
        raise TriageError(f"the model is larger than {_MOST_BYTES:,} bytes: learn from fewer")
    write_file(path, _zipped(members), private=True, overwrite=overwrite)


def fingerprint(model: Model) -> str:
    """Return the SHA-256 of all that a model holds."""
    digest = hashlib.sha256()
    for name, content in _files(model).items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _files(model: Model) -> dict[str, bytes]:
    """Return the files of which the file of a model consists, by their names."""
    members = {_MANIFEST: _json({"format_version": FORMAT_VERSION, **_fields(model.manifest)})}
    words = model.words
    if words:
        spelling = words.corpus and words.corpus.spelling
        weights: dict[str, object] = {"words": words.words, "spelling": spelling}
        if words.corpus and words.corpus.weight != 1:
            weights["trees"] = words.corpus.weight
        members[_WEIGHTS] = _json(weights)
        if words.corpus:
            members |= _trees_of(words.corpus.forest, _OF_WORDS)
        members |= _arrays_of(words.voter, _IN_CORPUS)
    return members | _arrays_of(model.voter, _ALONE)


def _json(content: object) -> bytes:
    # A copy (`asdict`) would take five times as long.
    return json.dumps(content, default=_fields).encode()


def _fields(data: Manifest | WordWeights) -> dict[str, object]:
    return {field.name: getattr(data, field.name) for field in fields(data)}


def _arrays_of(voter: Voter, name: str) -> dict[str, bytes]:
    held_out = {
        "held_out_score": np.concatenate([voter.held_out.score, *voter.held_out.rewritten]),
        "held_out_is_ta": voter.held_out.is_ta,
        "names_with_capitals": np.array(voter.held_out.names_with_capitals),
    }
    return _trees_of(voter.forest, name) | _members(held_out, _HELD_OUT, name)


def _trees_of(forest: Forest, name: str) -> dict[str, bytes]:
    return _members(forest.arrays(), _TREES, name)


def _members(
    arrays: Mapping[str, NDArray[Any]], kinds: Mapping[str, str], name: str
) -> dict[str, bytes]:
    return {_member(name, key): _npy(arrays[key].astype(kind)) for key, kind in kinds.items()}


def _member(owner: str, array: str) -> str:
    return f"{owner}/{array}.npy"


def _npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _zipped(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)  # of 1980, so that the same content has the same bytes
            info.create_system = 3  # on every system
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def load_model(path: Path) -> Model:
    """Read a model; raise TriageError if it is missing, of another version, or damaged."""
    check_is_ordinary(path)
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise TriageError(f"cannot read the model {path}: {error.strerror}") from error
    if not content.startswith(_ZIP):
        raise TriageError(
            f"{path} is no model, or one of an earlier version: train it again with: triage train"
        )
    try:
        return _model(content, path)
    except TriageError:
        raise
    except _DAMAGE as error:
        raise TriageError(
            f"the model {path} is damaged: restore it, or train it again with: triage train"
        ) from error


def _model(content: bytes, path: Path) -> Model:
    if len(content) > _MOST_BYTES or content.count(_ZIP_ENTRY) > _MOST_ENTRIES:
        raise ValueError("more than a model holds")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > _MOST_BYTES:
            raise ValueError("more than a model holds")
        about = json.loads(_read(archive, _MANIFEST))
        version = about.pop("format_version")
        if version != FORMAT_VERSION:
            raise TriageError(
                f"the model {path} is of another version of this program: "
                "train it again with: triage train"
            )
        manifest = _manifest(about)
        return Model(manifest, *_learnt(archive, manifest))


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of an entry, limited to its declared size and checked by its checksum."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_DEFLATED:
        raise ValueError("an entry is not deflated")
    with archive.open(info) as member:
        return member.read(info.file_size)


def _manifest(about: dict[str, Any]) -> Manifest:
    of_type = {field.name: _JSON_TYPES[field.type] for field in fields(Manifest)}
    if {name: type(value) for name, value in about.items()} != of_type:
        raise ValueError("the manifest has other fields")
    texts = [*about["columns"], *about["versions"].values()]
    if not (0 <= about["ta_from"] <= 1 and all(isinstance(text, str) for text in texts)):
        raise ValueError("a field of the manifest has another type")
    return Manifest(**{**about, "columns": tuple(about["columns"])})


def _learnt(archive: zipfile.ZipFile, manifest: Manifest) -> tuple[Voter, LearntWords | None]:
    features = named_features(manifest.features)
    strongest = strongest_column(features)
    alone = _voter(archive, _ALONE, len(manifest.columns), strongest)
    if not features.weighs_words:
        return alone, None
    weights = json.loads(_read(archive, _WEIGHTS))
    corpus = None
    if weights["spelling"] is not None:
        forest = _forest(archive, _OF_WORDS, len(COLUMNS))
        if not all(_adds_up_exactly(tree.value) for tree in forest.trees):
            raise ValueError("a value is no whole number, or too large")
        weight = weights.get("trees", 1)
        if not 0 <= weight <= 1:
            raise ValueError("trees of words weigh more than all")
        corpus = WordTrees(_weights(weights["spelling"]), forest, weight)
    in_corpus = _voter(archive, _IN_CORPUS, len(manifest.columns), strongest)
    return alone, LearntWords(_weights(weights["words"]), corpus, in_corpus)


def _adds_up_exactly(value: NDArray[np.float64]) -> bool:
    return bool((np.abs(value) <= _LARGEST).all() and (value == np.rint(value)).all())


def _weights(found: dict[str, Any]) -> WordWeights:
    intercept, weights = found["intercept"], found["weights"]
    if not all(map(math.isfinite, (intercept, *weights.values()))):
        raise ValueError("a weight is not finite")
    return WordWeights(intercept, weights)


def _voter(archive: zipfile.ZipFile, name: str, n_columns: int, strongest: int | None) -> Voter:
    forest = _forest(archive, name, n_columns)
    if not all(((tree.value >= 0) & (tree.value <= 1)).all() for tree in forest.trees):
        raise ValueError("a share is not from 0 to 1")
    return Voter(forest, _held_out(_arrays(archive, name, _HELD_OUT)), strongest)


def _held_out(found: Mapping[str, NDArray[Any]]) -> HeldOut:
    score, is_ta = found["held_out_score"], found["held_out_is_ta"] != 0
    ways = found["names_with_capitals"]
    if not len(ways) or len(score) != len(ways) * len(is_ta):
        raise ValueError("held-out scores, labels and ways of writing do not match")
    if not all(((shares >= 0) & (shares <= 1)).all() for shares in (score, ways)):
        raise ValueError("held-out scores or shares are not from 0 to 1")
    as_written, *rewritten = score.reshape(len(ways), len(is_ta))
    return HeldOut(as_written, is_ta, tuple(rewritten), tuple(ways.tolist()))


def _forest(archive: zipfile.ZipFile, name: str, n_columns: int) -> Forest:
    found = _arrays(archive, name, _TREES)
    if not ((found["feature"] >= 0) & (found["feature"] < n_columns)).all():
        raise ValueError("a node tests a column that does not exist")
    return Forest.from_arrays(**found)


def _arrays(
    archive: zipfile.ZipFile, name: str, kinds: Mapping[str, str]
) -> dict[str, NDArray[Any]]:
    return {key: _array(_read(archive, _member(name, key)), kind) for key, kind in kinds.items()}


def _array(content: bytes, kind: str) -> NDArray[Any]:
    """Return the array of an ``.npy`` entry; its header is compared and never interpreted."""
    array = np.frombuffer(content[_NPY_HEADER:], dtype=kind)
    if content != _npy(array):
        raise ValueError("an array has another type or shape")
    return array.astype(array.dtype.newbyteorder("="))
