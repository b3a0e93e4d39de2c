"""Compute the tables from which the shipped models are fitted, from annotated messages.

Run by ``make model``; the tables are committed, and hold no message::

    python -m tools.model annotated.csv fr
"""

import csv
import gzip
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import label_messages, load_lexicon
from triage.dictionaries.pack import FRENCH, NO_LANGUAGE
from triage.features import FeatureSet, feature_set
from triage.features.second_stage import COLUMNS
from triage.features.trees import Forest
from triage.features.word_evidence import WordWeights
from triage.model.annotated import AnnotatedMessages, read_annotated
from triage.model.learn import TrainingTable, training_table
from triage.model.shipped import (
    GROUP,
    HELD_OUT,
    IN_CORPUS,
    INTERCEPT,
    LEARNT_FROM,
    TABLES,
    TREES,
    WITH_CAPITALS,
    beside,
)
from triage.model.training import TrainingOptions

_FEATURES = ("evidence", "patel2013")
_NODES = ("tree", "column", "threshold", "right", "left", "value")


def build_tables(paths: Sequence[str], folder: Path = TABLES, language: str = FRENCH) -> None:
    """Compute and write the tables of the shipped models from annotated messages."""
    annotated = _together([*map(read_annotated, paths)])
    words = label_messages(annotated.messages, load_lexicon(language))
    # What is learnt without a language must hold in any.
    lexical = language != NO_LANGUAGE
    for name in _FEATURES:
        features = feature_set(name)
        table = training_table(words, annotated, features, TrainingOptions(), lexical=lexical)
        write_tables(folder, language, features, table)


def _together(files: Sequence[AnnotatedMessages]) -> AnnotatedMessages:
    """Return the messages of several files, whose senders are the same."""
    if any(one.senders is None or one.spans is None for one in files):
        [annotated] = files
        return annotated
    return AnnotatedMessages(
        [text for one in files for text in one.messages],
        [label for one in files for label in one.labels],
        [sender for one in files for sender in one.senders or ()],
        [spans for one in files for spans in one.spans or ()],
    )


def write_tables(folder: Path, language: str, features: FeatureSet, table: TrainingTable) -> None:
    """Write a training table and, beside it, what was learnt of words, if they are weighed."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = _columns(features, table)
    cells = [[*map(_cell, column.tolist())] for column in columns.values()]
    rows = [*zip(*cells, map(str, table.group.tolist()), table.labels, strict=True)]
    path = folder / f"{language}-{features.name}.csv.gz"
    _write_csv(path, [*columns, GROUP, "label"], rows)
    if table.words:
        _write_weights(beside(path, "words"), table.words, table.words_from)
    if table.corpus:
        _write_weights(beside(path, "spelling"), table.corpus.spelling, "lists")
        for name in TREES:
            _write_csv(beside(path, name), _NODES, _nodes(getattr(table.corpus, name)))


def _columns(features: FeatureSet, table: TrainingTable) -> dict[str, NDArray[np.float64]]:
    """Return the columns of numbers of a training table, by their names."""
    [alone], [held_out] = table.alone.values, table.alone.held_out
    columns = dict(zip(features.features, alone.T, strict=True)) | {HELD_OUT: held_out}
    if not table.in_corpus:
        return columns
    values = table.in_corpus.values[0]
    for i in np.flatnonzero((values != alone).any(axis=0)).tolist():
        columns[IN_CORPUS + features.features[i]] = values[:, i]
    ways = [HELD_OUT, *(WITH_CAPITALS + _cell(s) for s in table.in_corpus.names_with_capitals)]
    # Without lists of names all shares are the same: the messages as written count.
    for way, score in zip(ways, table.alone.held_out + table.in_corpus.held_out, strict=True):
        columns.setdefault(way, score)
    # Where no identifiers are marked, nothing is known to be covered.
    for way, one in zip(ways, table.alone.covered + table.in_corpus.covered, strict=False):
        for name, of in vars(one).items():
            columns.setdefault(f"{name} {way.removeprefix(IN_CORPUS)}", of.astype(float))
    return columns


def _write_weights(path: Path, learnt: WordWeights, learnt_from: str) -> None:
    weights = [(INTERCEPT, learnt.intercept), *learnt.weights.items()]
    rows = [(key, _cell(weight)) for key, weight in weights]
    _write_csv(path, ["feature", LEARNT_FROM + learnt_from], rows)


def _nodes(forest: Forest) -> Iterable[Sequence[str]]:
    """Yield the cells of the nodes of trees; a leaf is its own child."""
    tree = np.repeat(np.arange(len(forest.nodes)), forest.nodes)
    columns = forest.feature, forest.threshold, *forest.children.reshape(-1, 2).T, forest.value
    for number, feature, *cells in zip(tree, *(column.tolist() for column in columns), strict=True):
        yield [str(number), COLUMNS[feature], *map(repr, cells)]


def _cell(value: float) -> str:
    return f"{value:.4g}"


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


if __name__ == "__main__":
    *files, of_language = sys.argv[1:]
    build_tables(files, language=of_language)
