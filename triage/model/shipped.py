"""The shipped model: fitted on first use from a training table, then kept in the user's cache.

The tables hold feature values, labels, held-out scores and weights, and no message.
"""

import csv
import gzip
import hashlib
import io
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from platformdirs import user_cache_path

from triage import data
from triage.data import DataError
from triage.dictionaries import Lexicon, cache
from triage.features import FeatureSet
from triage.features.corpus_evidence import CorpusWeights
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from .learnt import Model, named_features, versions
from .store import FORMAT_VERSION, load_model, save_model

if TYPE_CHECKING:
    from .learn import TrainingTable

TABLES = Path(data.__file__).parent / "training"
PROGRAM = "sms-triage"
# To be raised with each change by which the same tables give another model.
LEARNING_VERSION = 2


def table_path(language: str, features: str) -> Path:
    """Return where the training table of a pack and a feature set is."""
    return TABLES / f"{language}-{features}.csv.gz"


def write_tables(folder: Path, language: str, features: FeatureSet, table: "TrainingTable") -> None:
    """Write a training table; the same values give the same bytes.

    Beside it, for a feature set that weighs words, the weights of word and corpus evidence.

    Parameters
    ----------
    folder : Path
    language : str
    features : FeatureSet
    table : TrainingTable
    """
    folder.mkdir(parents=True, exist_ok=True)
    columns = {name: table.values[:, i] for i, name in enumerate(features.features)}
    columns[_HELD_OUT] = table.held_out
    if table.corpus_values is not None and table.corpus_held_out is not None:
        changed = (table.corpus_values != table.values).any(axis=0)
        for i in np.flatnonzero(changed).tolist():
            columns[_IN_CORPUS + features.features[i]] = table.corpus_values[:, i]
        columns[_IN_CORPUS + _HELD_OUT] = table.corpus_held_out
    cells = zip(*(map(_cell, column.tolist()) for column in columns.values()), strict=True)
    rows = [[*row, label] for row, label in zip(cells, table.labels, strict=True)]
    _write_csv(folder / f"{language}-{features.name}.csv.gz", [*columns, "label"], rows)
    if table.words and table.corpus:
        for name, learnt in (("words", table.words), ("corpus", table.corpus)):
            weights = [(_INTERCEPT, learnt.intercept), *learnt.weights.items()]
            path = folder / f"{language}-{features.name}-{name}.csv.gz"
            header = ["feature", _LEARNT_FROM + table.words_from]
            _write_csv(path, header, [(key, _cell(w)) for key, w in weights])


_HELD_OUT, _IN_CORPUS, _INTERCEPT = "held out", "corpus: ", "(intercept)"
_LEARNT_FROM = "weight learnt from "


def _cell(value: float) -> str:
    return f"{value:.4g}"


def _write_csv(path: Path, header: list[str], rows: Iterable[Sequence[str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def _read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def read_tables(path: Path, features: FeatureSet) -> "TrainingTable":
    """Read what `write_tables` wrote.

    Raises
    ------
    TriageError
        If the table is of other features.
    """
    from .learn import TrainingTable

    header, rows = _read_csv(path)
    named = [name for name in header if not name.startswith(_IN_CORPUS)]
    if named != [*features.features, _HELD_OUT, "label"]:
        raise TriageError(f"{path} is a table of other features; rebuild it with: make model")
    values = np.array([row[:-1] for row in rows], dtype=float)
    column = {name: values[:, i] for i, name in enumerate(header[:-1])}
    alone = np.column_stack([column[name] for name in features.features])
    labels = [row[-1] for row in rows]
    if not features.weighs_words:
        return TrainingTable(labels, alone, column[_HELD_OUT])
    in_corpus = [column.get(_IN_CORPUS + name, column[name]) for name in features.features]
    return TrainingTable(
        labels,
        alone,
        column[_HELD_OUT],
        WordWeights(*_weights(path, "words")),
        CorpusWeights(*_weights(path, "corpus")),
        np.column_stack(in_corpus),
        column[_IN_CORPUS + _HELD_OUT],
        _read_csv(_beside(path, "words"))[0][1].removeprefix(_LEARNT_FROM),
    )


def _weights(table: Path, name: str) -> tuple[float, dict[str, float]]:
    _, rows = _read_csv(_beside(table, name))
    weights = {feature: float(weight) for feature, weight in rows}
    return weights.pop(_INTERCEPT), weights


def _beside(table: Path, name: str) -> Path:
    return table.with_name(table.name.replace(".csv.gz", f"-{name}.csv.gz"))


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
        if cache.is_trusted(path):
            return load_model(path)
    except TriageError:
        pass  # damaged: it is fitted again
    model = _fit(table, lexicon, features)
    _keep(model, path)
    return model


def _cached(table: Path) -> Path:
    made_by = f"{FORMAT_VERSION} {LEARNING_VERSION} {sorted(versions().items())}"
    digest = hashlib.sha256(made_by.encode())
    for path in (table, _beside(table, "words"), _beside(table, "corpus")):
        digest.update(path.read_bytes() if path.exists() else b"")
    return cache_folder() / f"{table.name.split('.')[0]}-{digest.hexdigest()[:16]}.model"


def _fit(table: Path, lexicon: Lexicon, features: str) -> Model:
    from .learn import fit
    from .training import TrainingOptions

    chosen = named_features(features)
    return fit(read_tables(table, chosen), chosen, lexicon, TrainingOptions())


def _keep(model: Model, path: Path) -> None:
    if not cache.make_folder(path.parent):
        return
    with suppress(DataError, TriageError):
        save_model(model, path, overwrite=True)
    # Earlier versions kept pickles, and a manifest beside each.
    for kind in ("*.model", "*.joblib", "*.joblib.json"):
        cache.forget_old(path.parent, kind)
