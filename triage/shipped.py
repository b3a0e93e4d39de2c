"""The shipped model: fitted on first use from a training table, then kept in the user's cache.

No pickle is shipped. The table holds feature values and labels, no message.
"""

import csv
import gzip
import hashlib
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

import data
from dictionaries import Lexicon

from .errors import TriageError
from .model import (
    Model,
    is_owned,
    load_model,
    manifest_path,
    named_features,
    save_model,
    versions,
)

TABLES = Path(data.__file__).parent / "training"
PROGRAM = "sms-triage"


def table_path(language: str, features: str) -> Path:
    """Return where the training table of a pack and a feature set is."""
    return TABLES / f"{language}-{features}.csv.gz"


def write_table(
    path: Path, columns: tuple[str, ...], values: NDArray[np.float64], labels: list[str]
) -> None:
    """Write a training table; the same values give the same bytes.

    Parameters
    ----------
    path : Path
    columns : tuple of str, length n_features
    values : ndarray of float, shape (n_messages, n_features)
    labels : list of {"TA", "NTA"}, length n_messages
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, "label"])
    for row, label in zip(values.tolist(), labels, strict=True):
        writer.writerow([*(f"{value:.9g}" for value in row), label])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def read_table(path: Path) -> tuple[tuple[str, ...], NDArray[np.float64], list[str]]:
    """Read a training table.

    Returns
    -------
    columns : tuple of str, length n_features
    values : ndarray of float, shape (n_messages, n_features)
    labels : list of {"TA", "NTA"}, length n_messages
    """
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    values = np.array([row[:-1] for row in rows], dtype=float)
    return tuple(header[:-1]), values, [row[-1] for row in rows]


def cache_folder() -> Path:
    """Return where the program keeps what it can make again."""
    return user_cache_path(PROGRAM, appauthor=False)


def shipped_model(lexicon: Lexicon, features: str) -> Model:
    """Return the model that comes with the program.

    It is fitted when the cache holds none for this table, program and libraries; a cache that
    cannot be written only makes this slower.

    Raises
    ------
    TriageError
        If the program ships no model for this pack and feature set.
    """
    table = table_path(lexicon.language, features)
    if not table.exists():
        raise TriageError(
            f"there is no model for {lexicon.language!r} with the features {features!r}; "
            "train one with: triage train"
        )
    path = _cached(table)
    try:
        if is_owned(path) and is_owned(manifest_path(path)):
            return load_model(path)
    except (OSError, TriageError):
        pass  # none there yet, or damaged: it is fitted again
    model = _fit(table, lexicon, features)
    _keep(model, path)
    return model


def _cached(table: Path) -> Path:
    digest = hashlib.sha256(f"{sorted(versions().items())}".encode())
    learning = [Path(__file__).with_name(name) for name in ("training.py", "forest.py", "model.py")]
    for path in (table, *learning):
        digest.update(path.read_bytes())
    return cache_folder() / f"{table.name.split('.')[0]}-{digest.hexdigest()[:16]}.joblib"


def _fit(table: Path, lexicon: Lexicon, features: str) -> Model:
    from .learn import fit
    from .training import TrainingOptions

    columns, values, labels = read_table(table)
    chosen = named_features(features)
    if columns != chosen.features:
        raise TriageError(f"{table} is a table of other features; rebuild it with: make model")
    return fit(values, labels, chosen, lexicon, TrainingOptions())


def _keep(model: Model, path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        save_model(model, path)
        for old in path.parent.glob(f"{path.name.rpartition('-')[0]}-*.joblib"):
            if old != path:
                old.unlink()
                manifest_path(old).unlink(missing_ok=True)
    except (OSError, TriageError):
        return
