"""The shipped model: fitted on first use from a training table, then kept in the user's cache.

The tables hold feature values, labels, held-out scores and weights, and no message. ``make model``
computes them again from annotated messages::

    python -m triage.model.shipped annotated.csv fr
"""

import csv
import gzip
import hashlib
import io
import sys
import tomllib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from triage import data
from triage.data import DataError
from triage.dictionaries import Lexicon, cache, label_messages, load_lexicon
from triage.dictionaries.pack import FRENCH, NO_LANGUAGE
from triage.features import FeatureSet, feature_set
from triage.features.feature_names import is_lexical
from triage.features.second_stage import COLUMNS, WordTrees
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights

from ..errors import TriageError
from .annotated import read_annotated
from .learnt import Model, versions
from .store import FORMAT_VERSION, cache_folder, load_model, save_model

if TYPE_CHECKING:
    from triage.features.learn_words import Start

    from .learn import TrainingTable

TABLES = Path(data.__file__).parent / "training"
# To be raised with each change after which the same tables give another model.
LEARNING_VERSION = 6

_SHIPPED = ("evidence", "patel2013")
_HELD_OUT, _IN_CORPUS, _INTERCEPT = "held out", "corpus: ", "(intercept)"
_WITH_CAPITALS = _IN_CORPUS + _HELD_OUT + ", names with capitals "
_LEARNT_FROM = "weight learnt from "
_NODES = ("tree", "column", "threshold", "right", "left", "value")


def build_tables(path: str, folder: Path = TABLES, language: str = FRENCH) -> None:
    """Compute and write the tables of the shipped models from annotated messages."""
    from .learn import training_table
    from .training import TrainingOptions

    annotated = read_annotated(path)
    words, start = label_messages(annotated.messages, load_lexicon(language)), start_of(language)
    for name in _SHIPPED:
        features = feature_set(name)
        table = training_table(words, annotated, features, TrainingOptions(), start)
        write_tables(folder, language, features, table)


def start_of(language: str) -> "Start":
    """Return what learning in a language takes over from French."""
    from triage.features.learn_words import Start, translated

    given = _start_file(table_path(language, "evidence"))
    if not given:
        # What is learnt without a language must hold in any.
        return Start(lexical=language != NO_LANGUAGE)
    counterparts = {word: text.split() for word, text in given["counterparts"].items()}
    french = table_path(FRENCH, "evidence")
    trees = WordTrees(
        _weights(french, "spelling"), _read_trees(_beside(french, "trees")), given["trees_weight"]
    )
    return Start(translated(_weights(french, "words"), counterparts), trees)


def _start_file(table: Path) -> dict[str, Any]:
    path = _start_path(table)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _start_path(table: Path) -> Path:
    return table.with_name(f"{table.name.partition('-')[0]}-start.toml")


def table_path(language: str, features: str) -> Path:
    """Return the path of the training table of a pack and a feature set."""
    return TABLES / f"{language}-{features}.csv.gz"


def write_tables(folder: Path, language: str, features: FeatureSet, table: "TrainingTable") -> None:
    """Write a training table and, beside it, what was learnt of words, if they are weighed."""
    folder.mkdir(parents=True, exist_ok=True)
    [alone], [held_out] = table.alone.values, table.alone.held_out
    columns = dict(zip(features.features, alone.T, strict=True)) | {_HELD_OUT: held_out}
    if table.in_corpus:
        values = table.in_corpus.values[0]
        for i in np.flatnonzero((values != alone).any(axis=0)).tolist():
            columns[_IN_CORPUS + features.features[i]] = values[:, i]
        shares = table.in_corpus.names_with_capitals
        for share, score in zip(shares, table.in_corpus.held_out, strict=True):
            # Without lists of names all shares are the same: the messages as written count.
            columns.setdefault(_WITH_CAPITALS + _cell(share), score)
    cells = zip(*(map(_cell, column.tolist()) for column in columns.values()), strict=True)
    rows = [[*row, label] for row, label in zip(cells, table.labels, strict=True)]
    path = folder / f"{language}-{features.name}.csv.gz"
    _write_csv(path, [*columns, "label"], rows)
    if table.words:
        _write_weights(_beside(path, "words"), table.words, table.words_from)
    if table.corpus:
        _write_weights(_beside(path, "spelling"), table.corpus.spelling, "lists")
        _write_csv(_beside(path, "trees"), _NODES, _nodes(table.corpus.forest))


def _write_weights(path: Path, learnt: WordWeights, learnt_from: str) -> None:
    weights = [(_INTERCEPT, learnt.intercept), *learnt.weights.items()]
    rows = [(key, _cell(weight)) for key, weight in weights]
    _write_csv(path, ["feature", _LEARNT_FROM + learnt_from], rows)


def _nodes(forest: Forest) -> Iterable[Sequence[str]]:
    """Yield the cells of the nodes of trees; a leaf is its own child."""
    tree = np.repeat(np.arange(len(forest.nodes)), forest.nodes)
    columns = forest.feature, forest.threshold, *forest.children.reshape(-1, 2).T, forest.value
    for number, feature, *cells in zip(tree, *(column.tolist() for column in columns), strict=True):
        yield [str(number), COLUMNS[feature], *map(repr, cells)]


def _read_trees(path: Path) -> Forest:
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


def _cell(value: float) -> str:
    return f"{value:.4g}"


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
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
    """Read the output of `write_tables`; raise TriageError if it is of other features."""
    from .learn import Examples, TrainingTable

    header, rows = _read_csv(path)
    named = [name for name in header if not name.startswith(_IN_CORPUS)]
    if named != [*features.features, _HELD_OUT, "label"]:
        raise TriageError(f"{path} is a table of other features; rebuild it with: make model")
    values = np.array([row[:-1] for row in rows], dtype=float)
    column = dict(zip(header, values.T, strict=False))
    labels, held_out = [row[-1] for row in rows], (column[_HELD_OUT],)
    alone = np.column_stack([column[name] for name in features.features])
    if not features.weighs_words:
        return TrainingTable(labels, Examples((alone,), held_out=held_out))
    corpus, trees = None, _beside(path, "trees")
    if trees.exists():
        weight = _start_file(path).get("trees_weight", 1.0)
        corpus = WordTrees(_weights(path, "spelling"), _read_trees(trees), weight)
    in_corpus = [column.get(_IN_CORPUS + name, column[name]) for name in features.features]
    ways = [name for name in header if name.startswith(_WITH_CAPITALS)]
    shares = tuple(float(name.removeprefix(_WITH_CAPITALS)) for name in ways)
    scores = tuple(column[name] for name in ways)
    return TrainingTable(
        labels,
        Examples((alone,), shares[:1], held_out),
        Examples((np.column_stack(in_corpus),), shares, scores),
        _weights(path, "words"),
        corpus,
        _read_csv(_beside(path, "words"))[0][1].removeprefix(_LEARNT_FROM),
    )


def _weights(table: Path, name: str) -> WordWeights:
    _, rows = _read_csv(_beside(table, name))
    weights = {feature: float(weight) for feature, weight in rows}
    return WordWeights(weights.pop(_INTERCEPT), weights)


def _beside(table: Path, name: str) -> Path:
    return table.with_name(table.name.replace(".csv.gz", f"-{name}.csv.gz"))


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
    about = replace(model.manifest, language=own or FRENCH)
    if own and chosen.weighs_words:
        about = replace(about, ta_from=_start_file(table).get("ta_from", about.ta_from))
    model = replace(model, manifest=about)
    _keep(model, path)
    return model


def _of_other_language(table: "TrainingTable", lexicon: Lexicon) -> "TrainingTable":
    """Return what is learnt of places, capitals, labels and corpora, without that of words."""
    if not (table.words and table.corpus):
        return table
    from triage.features.learn_second_stage import learn_spelling

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
    beside = (_beside(table, name) for name in ("words", "spelling", "trees"))
    for path in (table, *beside, _start_path(table)):
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


if __name__ == "__main__":
    build_tables(sys.argv[1], language=sys.argv[2] if len(sys.argv) > 2 else FRENCH)
