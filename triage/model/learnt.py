"""The learnt model: trees, weights of words and a manifest, its file, and the shipped ones.

The file is a zip of ``manifest.json``, ``weights.json`` (the weights of words) and ``….npy`` arrays
(trees and out-of-fold scores), read without running anything in it. The same model gives the same
bytes. The shipped models hold no message; ``make model`` learns them again (`tools.model`).
"""

import hashlib
import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage import data
from triage.dictionaries import Lexicon
from triage.dictionaries.pack import FRENCH
from triage.features import FeatureSet, feature_set
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights, is_lexical

from ..errors import TriageError
from ..safe import check_is_ordinary, write_file
from ..vocabulary import Prediction

# A message is TA from this score on. One half would weigh a leak and a false alarm alike; this was
# chosen on the first 4,000 messages of 88milSMS (grouped by sender), where the agreement table then
# gives a leak of some 9 % and a workload of some 4 %, instead of 11 % and 1 %.
TA_FROM = 0.37
# With word evidence, chosen in the same way: leak and workload some 2 %.
TA_FROM_EVIDENCE = 0.38
# The share of the strongest word in a score; chosen in the same way, from 0.01 to 0.9.
_SHARE_OF_STRONGEST = 0.9
# The lowest probability of a word, and its distance from 1.
_MIN_PROBABILITY = 1e-6
MODELS = Path(data.__file__).parent / "models"
# To be raised with each change after which older files cannot be read.
FORMAT_VERSION = 5

_MANIFEST, _WEIGHTS = "manifest.json", "weights.json"
# The voters without and with corpus evidence, and the trees of words in their corpus, as the
# fields of `WordTrees`.
_ALONE, _IN_CORPUS, _WORD_TREES = "alone", "in_corpus", ("written", "robust")
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
_MAX_BYTES = 2**28
# Of the values of trees of words; thousands of such add up exactly.
_MAX_VALUE = 2**31
# What reading damaged bytes raises.
_READ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
_DAMAGE = (*_READ_ERRORS, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

Covered = tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_]]
_Arrays = dict[str, NDArray[Any]]
_Members = dict[str, bytes]


@dataclass(frozen=True)
class Manifest:
    features: str
    columns: tuple[str, ...]
    language: str
    dictionaries: str
    n_ta: int
    n_nta: int
    undersampling: str
    seed: int
    ta_from: float
    versions: dict[str, str]
    words_from: str = ""


@dataclass(frozen=True)
class HeldOut:
    """The training messages out of fold, from which a policy sets its thresholds.

    Scores have a row for the messages as written, then for each way of rewriting them; so have what
    is found, the risk, and which messages keep an identifier, the columns of `covered`. Where no
    words are weighed or none were marked, nothing is covered. Messages of one sender are of one
    group.
    """

    score: NDArray[np.float64]
    is_ta: NDArray[np.bool_]
    names_with_capitals: tuple[float, ...] = (1.0,)
    covered: Covered | None = None
    group: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True)
class Voter:
    forest: Forest
    held_out: HeldOut
    strongest: int | None = None

    def score(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return mixed_score(self.forest, values, self.strongest)


def mixed_score(
    forest: Forest, values: NDArray[np.float64], strongest: int | None
) -> NDArray[np.float64]:
    """Return the score of each message: the trees' mean, mixed with its strongest word."""
    score = forest.score(values)
    if strongest is not None:
        p = np.clip(values[:, strongest], _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
        odds = np.log(p / (1 - p)) / np.log((1 - _MIN_PROBABILITY) / _MIN_PROBABILITY)
        score = (1 - _SHARE_OF_STRONGEST) * score + _SHARE_OF_STRONGEST * (odds + 1) / 2
    return score.round(4)


@dataclass(frozen=True)
class LearntWords:
    """The two stages of word evidence, and the trees fitted on features with both."""

    words: WordWeights
    corpus: WordTrees | None
    voter: Voter


@dataclass(frozen=True)
class Model:
    manifest: Manifest
    voter: Voter
    words: LearntWords | None = None

    def predict(self, score: NDArray[np.float64]) -> list[Prediction]:
        is_ta = (score >= self.manifest.ta_from).tolist()
        return [Prediction.TA if one else Prediction.NTA for one in is_ta]


def versions() -> dict[str, str]:
    """Return the versions of this program and of the libraries with which it learns."""
    libraries = ("sms-triage", "scikit-learn", "imbalanced-learn", "numpy")
    return {name: metadata.version(name) for name in libraries}


def model_path(language: str, features: str) -> Path:
    return MODELS / f"{language}-{features}.model"


def shipped_model(lexicon: Lexicon, features: str) -> Model:
    """Return the shipped model; raise TriageError if there is none for these features."""
    languages = lexicon.language.split(",")
    language = next((one for one in languages if model_path(one, features).exists()), "")
    path = model_path(language or FRENCH, features)
    if not path.exists():
        raise TriageError(
            f"there is no model for {lexicon.language!r} with the features {features!r}; "
            "train one with: triage train"
        )
    model = load_model(path)
    if language or not (model.words and model.words.corpus):
        return model

    from triage.features.learn import learn_spelling

    # What is learnt of places, capitals, labels and corpora stays, without that of words; what
    # names are spelled like follows from the lists.
    weights = model.words.words
    kept = {name: weight for name, weight in weights.weights.items() if not is_lexical(name)}
    corpus = replace(model.words.corpus, spelling=learn_spelling(lexicon))
    words = replace(model.words, words=replace(weights, weights=kept), corpus=corpus)
    return replace(model, words=words)


def save_model(model: Model, path: Path, *, overwrite: bool = False) -> None:
    """Write a model atomically, readable by its owner only."""
    members = _members(model)
    if sum(map(len, members.values())) > _MAX_BYTES:
        raise TriageError(f"the model is larger than {_MAX_BYTES:,} bytes: learn from fewer")
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
    contents = {_MANIFEST: {"format_version": FORMAT_VERSION, **vars(model.manifest)}}
    parts: dict[str, Forest | Voter] = {_ALONE: model.voter}
    if model.words:
        corpus = model.words.corpus
        contents[_WEIGHTS] = {"words": model.words.words, "spelling": corpus and corpus.spelling}
        word_trees = {name: getattr(corpus, name) for name in _WORD_TREES if corpus}
        parts = word_trees | {_IN_CORPUS: model.words.voter} | parts
    arrays: _Arrays = {}
    for name, part in parts.items():
        forest = part.forest if isinstance(part, Voter) else part
        arrays |= {f"{name}/{key}": getattr(forest, key).astype(_TREES[key]) for key in _TREES}
        if isinstance(part, Voter):
            held_out = part.held_out
            shares = np.array(held_out.names_with_capitals)
            covered = held_out.covered or (np.zeros(0),) * 3
            values = held_out.score, held_out.is_ta, shares, *covered, held_out.group
            columns = zip(_HELD_OUT.items(), values, strict=True)
            arrays |= {f"{name}/{key}": one.astype(kind).ravel() for (key, kind), one in columns}
    # A copy (`asdict`) would take five times as long.
    members = {name: json.dumps(one, default=vars).encode() for name, one in contents.items()}
    return members | {f"{name}.npy": _npy(array) for name, array in arrays.items()}


def _npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def load_model(path: Path) -> Model:
    """Read a model; raise TriageError if it is missing, of another version, or damaged."""
    check_is_ordinary(path)
    again = "train it again with: triage train"
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise TriageError(f"cannot read the model {path}: {error.strerror}") from error
    if not content.startswith(_ZIP):
        raise TriageError(f"{path} is no model, or one of an earlier version: {again}")
    try:
        model = _model(content)
    except TriageError:
        raise
    except _DAMAGE as error:
        raise TriageError(f"the model {path} is damaged: restore it, or {again}") from error
    if model is None:
        raise TriageError(f"the model {path} is of another version of this program: {again}")
    return model


def _model(content: bytes) -> Model | None:
    """Return the model of an archive, limited in size and checked; None of another version."""
    if len(content) > _MAX_BYTES or content.count(_ZIP_ENTRY) > 100:
        raise ValueError("more than a model holds")
    members = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > _MAX_BYTES:
            raise ValueError("more than a model holds")
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_DEFLATED:
                raise ValueError("an entry is not deflated")
            with archive.open(info) as member:
                members[info.filename] = member.read(info.file_size)
    values = json.loads(members[_MANIFEST])
    if values.pop("format_version") != FORMAT_VERSION:
        return None
    types = {field.name: _JSON_TYPES[field.type] for field in fields(Manifest)}
    if {name: type(value) for name, value in values.items()} != types:
        raise ValueError("the manifest has other fields")
    texts = [*values["columns"], *values["versions"].values()]
    if not (0 <= values["ta_from"] <= 1 and all(isinstance(text, str) for text in texts)):
        raise ValueError("a field of the manifest has another type")
    manifest = Manifest(**{**values, "columns": tuple(values["columns"])})
    features, n_columns = feature_set(manifest.features), len(manifest.columns)
    alone = _voter(members, _ALONE, features, n_columns)
    words = _words(members, features, n_columns) if features.weighs_words else None
    return Model(manifest, alone, words)


def _words(members: _Members, features: FeatureSet, n_columns: int) -> LearntWords:
    contents, corpus = json.loads(members[_WEIGHTS]), None
    if contents["spelling"] is not None:
        written, robust = (_forest(members, name, len(COLUMNS)) for name in _WORD_TREES)
        value = np.append(written.value, robust.value)
        if not (np.abs(value) <= _MAX_VALUE).all() or (value != np.rint(value)).any():
            raise ValueError("a value is no whole number, or too large")
        corpus = WordTrees(_weights(contents["spelling"]), written, robust)
    voter = _voter(members, _IN_CORPUS, features, n_columns)
    return LearntWords(_weights(contents["words"]), corpus, voter)


def _weights(table: Mapping[str, Any]) -> WordWeights:
    intercept, weights = table["intercept"], table["weights"]
    if not all(map(math.isfinite, (intercept, *weights.values()))):
        raise ValueError("a weight is not finite")
    return WordWeights(intercept, weights)


def _voter(members: _Members, name: str, features: FeatureSet, n_columns: int) -> Voter:
    forest = _forest(members, name, n_columns)
    scores, is_ta, ways, found, risk, stands, group = _arrays(members, name, _HELD_OUT).values()
    shape = len(ways), len(is_ta)
    n = len(ways) * len(is_ta)
    if not len(ways) or len(scores) != n or len(group) not in (0, len(is_ta)):
        raise ValueError("held-out scores, labels and ways of writing do not match")
    if {len(found), len(risk), len(stands)} not in ({0}, {n}):
        raise ValueError("not all messages are covered")
    if not all(((one >= 0) & (one <= 1)).all() for one in (forest.value, scores, ways, risk)):
        raise ValueError("a share is not from 0 to 1")
    covered = None
    if len(found):
        risk, stands = risk.reshape(shape), stands.reshape(shape) != 0
        covered = found.reshape(shape).astype(np.int8), risk, stands
    score, shares = scores.reshape(shape), tuple(ways.tolist())
    return Voter(forest, HeldOut(score, is_ta != 0, shares, covered, group), features.strongest)


def _forest(members: _Members, name: str, n_columns: int) -> Forest:
    forest = Forest(**_arrays(members, name, _TREES))
    forest.check()
    if not ((forest.feature >= 0) & (forest.feature < n_columns)).all():
        raise ValueError("a node tests a column that does not exist")
    return forest


def _arrays(members: _Members, name: str, kinds: Mapping[str, str]) -> _Arrays:
    """Read ``.npy`` entries; their headers are compared and never interpreted."""
    arrays = {}
    for key, kind in kinds.items():
        content = members[f"{name}/{key}.npy"]
        array = np.frombuffer(content[_NPY_HEADER:], dtype=kind)
        if content != _npy(array):
            raise ValueError("an array has another type or shape")
        arrays[key] = array.astype(array.dtype.newbyteorder("="))
    return arrays
