"""Learn the shipped models from annotated messages.

Run by ``make model``; the models are committed, and hold no message::

    python -m tools.model annotated.csv fr
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import label_messages, load_lexicon
from triage.dictionaries.pack import FRENCH, NO_LANGUAGE
from triage.features import feature_set
from triage.model.annotated import AnnotatedMessages, read_annotated
from triage.model.learn import Examples, TrainingTable, fit, training_table
from triage.model.shipped import MODELS, model_path
from triage.model.store import save_model
from triage.model.training import TrainingOptions

_FEATURES = ("evidence", "patel2013")


def build_models(paths: Sequence[str], folder: Path = MODELS, language: str = FRENCH) -> None:
    """Learn and write the shipped models of a language from annotated messages."""
    annotated, lexicon = _together([*map(read_annotated, paths)]), load_lexicon(language)
    words, options = label_messages(annotated.messages, lexicon), TrainingOptions()
    # What is learnt without a language must hold in any.
    lexical = language != NO_LANGUAGE
    for name in _FEATURES:
        features = feature_set(name)
        table = training_table(words, annotated, features, options, lexical=lexical)
        model = fit(_rounded(table), features, lexicon, options)
        save_model(model, folder / model_path(language, name).name, overwrite=True)


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


def _rounded(table: TrainingTable) -> TrainingTable:
    """Return a table of four digits, so that the last ones of a machine change no tree."""
    in_corpus, words = table.in_corpus and _examples(table.in_corpus), table.words
    if words:
        weights = {name: _of_four(weight) for name, weight in words.weights.items()}
        words = replace(words, intercept=_of_four(words.intercept), weights=weights)
    return replace(table, alone=_examples(table.alone), in_corpus=in_corpus, words=words)


def _examples(examples: Examples) -> Examples:
    shares = [*map(_of_four, examples.names_with_capitals)]
    # Without lists of names all shares are the same: the messages as written count.
    ways = [i for i, share in enumerate(shares) if share not in shares[:i]]
    return Examples(
        (_array(examples.values[0]),),
        tuple(shares[i] for i in ways),
        tuple(_array(examples.held_out[i]) for i in ways),
        tuple(examples.covered[i] for i in ways if examples.covered),
    )


def _array(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([*map(_of_four, values.ravel().tolist())]).reshape(values.shape)


def _of_four(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    *files, of_language = sys.argv[1:]
    build_models(files, language=of_language)
