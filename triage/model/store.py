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

from triage.features import FeatureSet, feature_set
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from ..safe import check_is_ordinary, write_file
from .learnt import HeldOut, LearntWords, Manifest, Model, Voter

# To be raised with each change after which older files cannot be read.
FORMAT_VERSION = 5

_MANIFEST, _WEIGHTS = "manifest.json", "weights.json"
# The voters without and with corpus evidence, and the trees of words in their corpus, as the
# fields of `WordTrees`.
_ALONE, _IN_CORPUS, _OF_WORDS = "alone", "in_corpus", ("written", "robust")
_TREES = {"nodes": "<i4", "feature": "<i4", "threshold": "<f8", "children": "<i4", "value": "<f8"}
_HELD_OUT = {
    "held_out_score": "<f8",  # of all ways of writing, end to end
    "held_out_is_ta": "|u1",
    "names_with_capitals": "<f8",
    "covered_found": "|u1",  # of all ways, end to end, or of none
    "covered_risk": "<f8",
    "covered_stands": "|u1",
    "group": "<i8",
}
_NPY_HEADER = 128  # bytes, for an array of one axis
_JSON_TYPES: Mapping[object, type] = {
    **{kind: kind for kind in (str, int, float)},
    tuple[str, ...]: list,
    dict[str, str]: dict,
}

_ZIP, _ZIP_ENTRY = b"PK\x03\x04", b"PK\x01\x02"
# A model of a million messages has 30 MB.
_MOST_BYTES = 2**28
_MOST_ENTRIES = 100
# Of the values of trees of words; thousands of such add up exactly.
_LARGEST = 2**31
# What reading damaged bytes raises.
_OF_BYTES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
_DAMAGE = (*_OF_BYTES, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

_Members = dict[str, bytes]


def save_model(model: Model, path: Path, *, overwrite: bool = False) -> None:
    """Write a model atomically, readable by its owner only."""
    members = _members(model)
    if sum(map(len, members.values())) > _MOST_BYTES:
        raise TriageError(f"the model is larger than {_MOST_BYTES:,} bytes: learn from fewer")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)  # of 1980, so that the same content has the same bytes
            info.create_system = 3  # on every system
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    write_file(path, stream.getvalue(), private=True, overwrite=overwrite)


def fingerprint(model: Model) -> str:
    """Return the SHA-256 of all that a model holds."""
    digest = hashlib.sha256()
    for name, content in _members(model).items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _members(model: Model) -> _Members:
    """Return the members of the file of a model, by their names."""
    about = {_MANIFEST: {"format_version": FORMAT_VERSION, **vars(model.manifest)}}
    arrays: dict[str, NDArray[Any]] = {}
    if model.words:
        corpus = model.words.corpus
        about[_WEIGHTS] = {"words": model.words.words, "spelling": corpus and corpus.spelling}
        for name in _OF_WORDS if corpus else ():
            arrays |= _of_forest(name, getattr(corpus, name))
        arrays |= _of_voter(_IN_CORPUS, model.words.voter)
    arrays |= _of_voter(_ALONE, model.voter)
    # A copy (`asdict`) would take five times as long.
    members = {name: json.dumps(one, default=vars).encode() for name, one in about.items()}
    return members | {f"{name}.npy": _npy(array) for name, array in arrays.items()}


def _of_voter(name: str, voter: Voter) -> dict[str, NDArray[Any]]:
    found = voter.held_out
    covered = found.covered or (np.zeros(0),) * 3
    values = found.score, found.is_ta, np.array(found.names_with_capitals), *covered, found.group
    kinds = zip(_HELD_OUT.items(), values, strict=True)
    held_out = {f"{name}/{key}": array.astype(kind).ravel() for (key, kind), array in kinds}
    return _of_forest(name, voter.forest) | held_out


def _of_forest(name: str, forest: Forest) -> dict[str, NDArray[Any]]:
    return {f"{name}/{key}": getattr(forest, key).astype(kind) for key, kind in _TREES.items()}


def _npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
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
        model = _model(_members_in(content))
    except TriageError:
        raise
    except _DAMAGE as error:
        raise TriageError(
            f"the model {path} is damaged: restore it, or train it again with: triage train"
        ) from error
    if model is None:
        raise TriageError(
            f"the model {path} is of another version of this program: "
            "train it again with: triage train"
        )
    return model


def _members_in(content: bytes) -> _Members:
    """Return the members of an archive, limited to their sizes and checked by their checksums."""
    if len(content) > _MOST_BYTES or content.count(_ZIP_ENTRY) > _MOST_ENTRIES:
        raise ValueError("more than a model holds")
    members = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > _MOST_BYTES:
            raise ValueError("more than a model holds")
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_DEFLATED:
                raise ValueError("an entry is not deflated")
            with archive.open(info) as member:
                members[info.filename] = member.read(info.file_size)
    return members


def _model(members: _Members) -> Model | None:
    """Return the model of some members; None of another version."""
    about = json.loads(members[_MANIFEST])
    if about.pop("format_version") != FORMAT_VERSION:
        return None
    of_type = {field.name: _JSON_TYPES[field.type] for field in fields(Manifest)}
    if {name: type(value) for name, value in about.items()} != of_type:
        raise ValueError("the manifest has other fields")
    texts = [*about["columns"], *about["versions"].values()]
    if not (0 <= about["ta_from"] <= 1 and all(isinstance(text, str) for text in texts)):
        raise ValueError("a field of the manifest has another type")
    manifest = Manifest(**{**about, "columns": tuple(about["columns"])})
    features, words = feature_set(manifest.features), None
    n_columns = len(manifest.columns)
    alone = _voter(members, _ALONE, features, n_columns)
    if features.weighs_words:
        weights, corpus = json.loads(members[_WEIGHTS]), None
        if weights["spelling"] is not None:
            written, robust = (_forest(members, name, len(COLUMNS)) for name in _OF_WORDS)
            value = np.append(written.value, robust.value)
            if not (np.abs(value) <= _LARGEST).all() or (value != np.rint(value)).any():
                raise ValueError("a value is no whole number, or too large")
            corpus = WordTrees(_weights(weights["spelling"]), written, robust)
        in_corpus = _voter(members, _IN_CORPUS, features, n_columns)
        words = LearntWords(_weights(weights["words"]), corpus, in_corpus)
    return Model(manifest, alone, words)


def _weights(found: dict[str, Any]) -> WordWeights:
    intercept, weights = found["intercept"], found["weights"]
    if not all(map(math.isfinite, (intercept, *weights.values()))):
        raise ValueError("a weight is not finite")
    return WordWeights(intercept, weights)


def _voter(members: _Members, name: str, features: FeatureSet, n_columns: int) -> Voter:
    forest = _forest(members, name, n_columns)
    scores, is_ta, ways, found, risk, stands, group = _arrays(members, name, _HELD_OUT).values()
    n = len(is_ta)
    if not len(ways) or len(scores) != len(ways) * n or len(group) not in (0, n):
        raise ValueError("held-out scores, labels and ways of writing do not match")
    if {len(found), len(risk), len(stands)} not in ({0}, {len(ways) * n}):
        raise ValueError("not all messages are covered")
    shares = forest.value, scores, ways, risk
    if not all(((one >= 0) & (one <= 1)).all() for one in shares):
        raise ValueError("a share is not from 0 to 1")
    score, covered, shape = scores.reshape(len(ways), n), None, (len(ways), n)
    if len(found):
        columns = found.astype(np.int8), risk, stands != 0
        covered = columns[0].reshape(shape), columns[1].reshape(shape), columns[2].reshape(shape)
    held_out = HeldOut(score, is_ta != 0, tuple(ways.tolist()), covered, group)
    return Voter(forest, held_out, features.strongest)


def _forest(members: _Members, name: str, n_columns: int) -> Forest:
    forest = Forest(**_arrays(members, name, _TREES))
    forest.check()
    if not ((forest.feature >= 0) & (forest.feature < n_columns)).all():
        raise ValueError("a node tests a column that does not exist")
    return forest


def _arrays(members: _Members, name: str, kinds: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Read ``.npy`` entries; their headers are compared and never interpreted."""
    found = {}
    for key, kind in kinds.items():
        content = members[f"{name}/{key}.npy"]
        array = np.frombuffer(content[_NPY_HEADER:], dtype=kind)
        if content != _npy(array):
            raise ValueError("an array has another type or shape")
        found[key] = array.astype(array.dtype.newbyteorder("="))
    return found
