"""The learnt model as a file: trees, what they were learnt from, and a checksum.

A model is two files: ``NAME`` (joblib, which is pickle: load only what someone you trust made)
and ``NAME.json``, its manifest. The checksum is compared before anything is unpickled.
"""

import hashlib
import io
import json
import os
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triage.data.errors import writing
from triage.data.staging import StagedFile, publish_all
from triage.features import FeatureSet, feature_set
from triage.features.corpus_evidence import CorpusWeights
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from ..vocabulary import Prediction
from .forest import Forest

# A message is TA from this score on. Half would weigh a leak and a look alike; this was chosen
# on the first 4,000 messages of 88milSMS (grouped by sender), where the table of both votes then
# leaks some 9 % of TA and sends some 4 % of messages to the expert, instead of 11 % and 1 %.
TA_FROM = 0.37
# With the evidence of words, chosen in the same way: leak some 3 %, workload below 2 %.
TA_FROM_EVIDENCE = 0.3


@dataclass(frozen=True)
class Manifest:
    """What a model was learnt from and with.

    Parameters
    ----------
    features : str
        The name of the feature set.
    columns : tuple of str
    language : str
    dictionaries : str
        Fingerprint of the lists that the features were computed with.
    n_ta, n_nta : int
        Training messages of each class.
    undersampling : str
    seed : int
    ta_from : float
        The score from which a message is TA.
    versions : dict of str to str
        Of this program and of the libraries that learnt.
    words_from : str
        What the evidence of words was learnt from: ``"spans"``, or ``"labels"`` of messages
        alone; then how many decisions of a queue it was adapted to; empty where words are not
        weighed.
    sha256 : str
        Of the model file.
    """

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
    sha256: str = ""


@dataclass(frozen=True)
class HeldOut:
    """Scores of training messages by trees that did not see their senders.

    From them a policy knows what a threshold lets through.

    Parameters
    ----------
    score : ndarray of float, shape (n_messages,)
    is_ta : ndarray of bool, shape (n_messages,)
    """

    score: NDArray[np.float64]
    is_ta: NDArray[np.bool_]


@dataclass(frozen=True)
class Voter:
    """Trees that vote, and how they scored messages that they did not see.

    Parameters
    ----------
    forest : Forest
    held_out : HeldOut
    strongest : int, optional
        The column of the strongest word's probability, where words are weighed.
    """

    forest: Forest
    held_out: HeldOut
    strongest: int | None = None

    def score(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of each message.

        Parameters
        ----------
        values : ndarray of float, shape (n_messages, n_features)

        Returns
        -------
        ndarray of float, shape (n_messages,)
            From 0 to 1, rounded to four decimals.
        """
        return voted(self.forest, values, self.strongest)


def voted(
    forest: Forest, values: NDArray[np.float64], strongest: int | None
) -> NDArray[np.float64]:
    """Return the score of each message: what the trees say, and a little of its strongest word.

    A bag of trees learnt from a thousand messages gives many harmless ones the same score; the
    log odds of the strongest word keep those in order.

    Parameters
    ----------
    forest : Forest
    values : ndarray of float, shape (n_messages, n_features)
    strongest : int or None
        The column of the strongest word's probability.

    Returns
    -------
    ndarray of float, shape (n_messages,)
        From 0 to 1, rounded to four decimals.
    """
    score = forest.score(values)
    if strongest is not None:
        likely = np.clip(values[:, strongest], _LEAST, 1 - _LEAST)
        odds = np.log(likely / (1 - likely)) / np.log((1 - _LEAST) / _LEAST)
        score = (1 - _OF_STRONGEST) * score + _OF_STRONGEST * (odds + 1) / 2
    return score.round(_DECIMALS)


_LEAST = 1e-6
# Chosen on the first 4,000 messages of 88milSMS, grouped by sender, of 0.01 to 0.5.
_OF_STRONGEST = 0.1
_DECIMALS = 4


@dataclass(frozen=True)
class LearntWords:
    """What was learnt of words, for a feature set that weighs them.

    Parameters
    ----------
    words : WordWeights
        What a word in its place tells.
    corpus : CorpusWeights
        What the whole corpus adds to it.
    voter : Voter
        Learnt from messages whose words were weighed with corpus evidence.
    """

    words: WordWeights
    corpus: CorpusWeights
    voter: Voter


@dataclass(frozen=True)
class Learnt:
    """All that was learnt, as it stands in a model file.

    Parameters
    ----------
    voter : Voter
        For messages by themselves.
    words : LearntWords, optional
    """

    voter: Voter
    words: LearntWords | None = None


@dataclass(frozen=True)
class Model:
    """What was learnt, and from what."""

    learnt: Learnt
    manifest: Manifest

    @property
    def forest(self) -> Forest:
        """The trees that vote on messages by themselves."""
        return self.learnt.voter.forest

    def predict(self, score: NDArray[np.float64]) -> list[Prediction]:
        """Return TA for scores from the model's threshold on, else NTA.

        Parameters
        ----------
        score : ndarray of float, shape (n_messages,)

        Returns
        -------
        list of Prediction, length n_messages
        """
        return [
            Prediction.TA if value >= self.manifest.ta_from else Prediction.NTA for value in score
        ]


def manifest_path(path: Path) -> Path:
    """Return where the manifest of a model file is."""
    return path.parent / f"{path.name}.json"


def versions() -> dict[str, str]:
    """Return the versions of this program and of what it learns with."""
    return {name: metadata.version(name) for name in _VERSIONED}


_VERSIONED = ("sms-triage", "scikit-learn", "imbalanced-learn", "numpy")


def named_features(name: str) -> FeatureSet:
    """Return the feature set that a user or a manifest names.

    Raises
    ------
    TriageError
        If there is none; it lists those there are.
    """
    try:
        return feature_set(name)
    except ValueError as error:
        raise TriageError(str(error)) from error


def save_model(model: Model, path: Path, *, overwrite: bool = False) -> None:
    """Write a model and its manifest, readable by their owner only: both or none.

    Where a process is killed between the two, `load_model` tells that they are no pair.

    Parameters
    ----------
    model : Model
    path : Path
    overwrite : bool, default False
        Whether a model at the path is replaced.

    Raises
    ------
    DataError
        If they cannot be written, or are there already and may not be replaced.
    """
    import joblib

    trees = io.BytesIO()
    joblib.dump(model.learnt, trees, compress=3)
    manifest = asdict(model.manifest) | {"sha256": _sha256(trees.getvalue())}
    about = json.dumps(manifest, indent=2) + "\n"
    with ExitStack() as stack:
        files = [
            stack.enter_context(StagedFile(file, private=True, overwrite=overwrite))
            for file in (path, manifest_path(path))
        ]
        for file, content in zip(files, (trees.getvalue(), about.encode()), strict=True):
            with writing(file.name):
                file.file.write(content)
                file.close()
        publish_all(files)


def load_model(path: Path) -> Model:
    """Read a model after comparing its checksum with its manifest.

    Raises
    ------
    TriageError
        If a file is missing, is no model, or was changed.
    """
    manifest = _read_manifest(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TriageError(f"cannot read the model {path}: {error.strerror}") from error
    if _sha256(content) != manifest.sha256:
        raise TriageError(
            f"the model {path} is not the one that its manifest describes; "
            "train it again or restore both files"
        )
    return Model(_unpickled(content, path), manifest)


def _unpickled(content: bytes, path: Path) -> Learnt:
    """Unpickle the very bytes whose checksum was compared."""
    import joblib

    try:
        learnt = joblib.load(io.BytesIO(content))
    except Exception as error:  # a pickle can raise anything
        raise _no_model(path) from error
    if not isinstance(learnt, Learnt):
        raise _no_model(path)
    return learnt


def _no_model(path: Path) -> TriageError:
    return TriageError(f"{path} is no model of this program; train one with: triage train")


def _read_manifest(path: Path) -> Manifest:
    about = manifest_path(path)
    try:
        return _manifest(json.loads(about.read_text(encoding="utf-8")))
    except OSError as error:
        raise TriageError(
            f"cannot read {about}, the manifest of the model: {error.strerror}; "
            "train one with: triage train"
        ) from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise TriageError(f"{about} is no manifest of a model; train it again") from error


def _manifest(fields: dict[str, Any]) -> Manifest:
    manifest = Manifest(**{**fields, "columns": tuple(fields["columns"])})
    if not (isinstance(manifest.features, str) and 0 <= manifest.ta_from <= 1):
        raise ValueError
    return manifest


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_owned(path: Path) -> bool:
    """Tell whether a file belongs to the user, so that nobody else can have put it there.

    Raises
    ------
    OSError
        If it is not there.
    """
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()
