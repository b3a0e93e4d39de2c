"""The shipped model: fitted on first use from a training table, then kept in the user's cache.

The tables hold feature values, labels, held-out scores and weights, and no message. ``make model``
computes them again from annotated messages (`tools.model`).
"""

import csv
import gzip
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from triage import data
from triage.data import DataError
from triage.dictionaries import Lexicon, cache
from triage.dictionaries.cache import cache_folder
from triage.dictionaries.pack import FRENCH
from triage.features import FeatureSet, feature_set
from triage.features.feature_names import is_lexical
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from .learnt import Covered, Model, versions
from .store import FORMAT_VERSION, load_model, save_model

if TYPE_CHECKING:
    from .learn import TrainingTable

TABLES = Path(data.__file__).parent / "training"
# To be raised with each change after which the same tables give another model.
LEARNING_VERSION = 8

HELD_OUT, IN_CORPUS, INTERCEPT = "held out", "corpus: ", "(intercept)"
WITH_CAPITALS = IN_CORPUS + HELD_OUT + ", names with capitals "
# Columns of what was found, of the risk and of what stands, as the fields of `Covered`; senders are
# numbers.
COVERED, GROUP = ("found", "risk", "stands"), "sender"
LEARNT_FROM = "weight learnt from "
# The trees of words, as the fields of `WordTrees`.
TREES = ("written", "robust")


def table_path(language: str, features: str) -> Path:
    """Return the path of the training table of a pack and a feature set."""
    return TABLES / f"{language}-{features}.csv.gz"


def beside(table: Path, name: str) -> Path:
    """Return the path of what was learnt of words: words, spelling or one of `TREES`."""
    return table.with_name(table.name.replace(".csv.gz", f"-{name}.csv.gz"))


def read_trees(table: Path) -> WordTrees:
    """Read the trees of words beside a table."""
    written, robust = (_read_forest(beside(table, name)) for name in TREES)
    return WordTrees(read_weights(table, "spelling"), written, robust)


def _read_forest(path: Path) -> Forest:
    _, rows = _read_csv(path)
    tree, column, *cells = zip(*rows, strict=True)
    threshold, right, left, value = (np.array(column, dtype=float) for column in cells)
    return Forest(
        nodes=np.bincount(np.array(tree, dtype=int)),
        feature=np.array([*map(COLUMNS.index, column)]),
        threshold=threshold,
        children=np.column_stack([right, left]).ravel().astype(int),
        value=value,
    )


def _read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def read_tables(path: Path, features: FeatureSet) -> "TrainingTable":
    """Read a training table; raise TriageError if it is of other features."""
    from .learn import Examples, TrainingTable

    header, rows = _read_csv(path)
    named = [name for name in header if not name.startswith((IN_CORPUS, *COVERED))]
    if named != [*features.features, HELD_OUT, GROUP, "label"]:
        raise TriageError(f"{path} is a table of other features; rebuild it with: make model")
    values = np.array([row[:-1] for row in rows], dtype=float)
    column = dict(zip(header, values.T, strict=False))
    labels, held_out = [row[-1] for row in rows], (column[HELD_OUT],)
    group = column[GROUP].astype(np.int64)
    alone = np.column_stack([column[name] for name in features.features])
    if not features.weighs_words:
        return TrainingTable(labels, Examples((alone,), held_out=held_out), group=group)
    corpus = None
    if beside(path, TREES[0]).exists():
        corpus = read_trees(path)
    in_corpus = [column.get(IN_CORPUS + name, column[name]) for name in features.features]
    ways = [name for name in header if name.startswith(WITH_CAPITALS)]
    shares = tuple(float(name.removeprefix(WITH_CAPITALS)) for name in ways)
    scores = tuple(column[name] for name in ways)
    covered = [*_covered(column, [name.removeprefix(IN_CORPUS) for name in (HELD_OUT, *ways)])]
    return TrainingTable(
        labels,
        Examples((alone,), shares[:1], held_out, tuple(covered[:1])),
        Examples((np.column_stack(in_corpus),), shares, scores, tuple(covered[1:])),
        read_weights(path, "words"),
        corpus,
        _read_csv(beside(path, "words"))[0][1].removeprefix(LEARNT_FROM),
        group,
    )


def _covered(column: Mapping[str, NDArray[np.float64]], ways: Iterable[str]) -> Iterator[Covered]:
    """Yield what of the messages in each way of writing is found and stands, if that is known."""
    for way in ways:
        found, risk, stands = (column.get(f"{name} {way}") for name in COVERED)
        if found is not None and risk is not None and stands is not None:
            yield Covered(found.astype(np.int8), risk, stands != 0)


def read_weights(table: Path, name: str) -> WordWeights:
    """Read weights of words, or of spelling, beside a table."""
    _, rows = _read_csv(beside(table, name))
    weights = {feature: float(weight) for feature, weight in rows}
    return WordWeights(weights.pop(INTERCEPT), weights)


def shipped_model(lexicon: Lexicon, features: str) -> Model:
    """Return the shipped model; raise TriageError if there is none for these features."""
    own = next(filter(lambda one: table_path(one, features).exists(), _languages(lexicon)), "")
    table = table_path(own or FRENCH, features)
    if not table.exists():
        raise TriageError(
            f"there is no model for {lexicon.language!r} with the features {features!r}; "
            "train one with: triage train"
        )
    path = _cached(table, "" if own else lexicon.fingerprint)
    try:
        if cache.is_trusted(path):
            return load_model(path)
    except TriageError:
        pass  # damaged: it is fitted again
    from .learn import fit
    from .training import TrainingOptions

    chosen = feature_set(features)
    read = read_tables(table, chosen)
    if not own:
        read = _of_other_language(read, lexicon)
    model = fit(read, chosen, lexicon, TrainingOptions())
    model = replace(model, manifest=replace(model.manifest, language=own or FRENCH))
    _keep(model, path)
    return model


def _of_other_language(table: "TrainingTable", lexicon: Lexicon) -> "TrainingTable":
    """Return what is learnt of places, capitals, labels and corpora, without that of words."""
    if not (table.words and table.corpus):
        return table
    from triage.features.learn import learn_spelling

    kept = {name: weight for name, weight in table.words.weights.items() if not is_lexical(name)}
    return replace(
        table,
        words=replace(table.words, weights=kept),
        corpus=replace(table.corpus, spelling=learn_spelling(lexicon)),
    )


def is_of_language(model: Model, lexicon: Lexicon) -> bool:
    """Return whether a shipped model was learnt from messages in one of the languages."""
    return model.manifest.language in _languages(lexicon)


def _languages(lexicon: Lexicon) -> list[str]:
    return lexicon.language.split(",")


def _cached(table: Path, lists: str) -> Path:
    made_by = f"{lists}{FORMAT_VERSION} {LEARNING_VERSION} {sorted(versions().items())}"
    digest = hashlib.sha256(made_by.encode())
    of_words = (beside(table, name) for name in ("words", "spelling", *TREES))
    for path in (table, *of_words):
        digest.update(path.read_bytes() if path.exists() else b"")
    return cache_folder() / f"{table.name.split('.')[0]}-{digest.hexdigest()[:16]}.model"


def _keep(model: Model, path: Path) -> None:
    if not cache.make_folder(path.parent):
        return
    with suppress(DataError, TriageError):
        save_model(model, path, overwrite=True)
    # Earlier versions kept pickles, each with a manifest.
    for kind in ("*.model", "*.joblib", "*.joblib.json"):
        cache.forget_old(path.parent, kind)
