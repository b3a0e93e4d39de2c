"""The features of annotated messages, as a table for other programs to learn from."""

import numpy as np
from numpy.typing import NDArray

from triage.dictionaries import label_messages, load_lexicon
from triage.dictionaries.pack import FRENCH
from triage.features.learn_words import N_FOLDS

from .annotated import AnnotatedFile
from .learn import Progress, describe, steps
from .learnt import named_features
from .store import cache_folder


def feature_table(
    annotated: AnnotatedFile,
    features: str,
    language: str = FRENCH,
    *,
    corpus_evidence: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the names and values of features, of shape (n_messages, n_features)."""
    chosen = named_features(features)
    labelled = label_messages(annotated.messages, load_lexicon(language, cache=cache_folder()))
    described = describe(
        labelled,
        annotated.labels,
        chosen,
        seed,
        spans=annotated.spans,
        senders=annotated.senders,
        step=steps(progress if chosen.weighs_words else None, 2 * N_FOLDS),
    )
    in_corpus = described.corpus_values if corpus_evidence else None
    return [*chosen.features], described.values if in_corpus is None else in_corpus
