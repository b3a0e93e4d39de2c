"""Compute the training table of the shipped model from labelled messages: ``make model``.

Only feature values, labels, held-out scores and weights are kept::

    python -m triage.model.build_table labelled.csv
"""

import sys
from pathlib import Path

from triage.dictionaries import label_messages, load_lexicon
from triage.features import FEATURE_SETS

from .labelled import read_labelled
from .learn import training_table
from .shipped import TABLES, write_tables
from .training import TrainingOptions

SHIPPED = ("evidence", "patel2013")


def main(path: str, folder: Path = TABLES, language: str = "fr") -> None:
    """Write the tables of the feature sets that a model is shipped for."""
    labelled = read_labelled(path)
    words = label_messages(labelled.messages, load_lexicon(language))
    for name in SHIPPED:
        table = training_table(
            words,
            labelled.labels,
            FEATURE_SETS[name],
            TrainingOptions(),
            spans=labelled.spans,
            senders=labelled.senders,
        )
        write_tables(folder, language, FEATURE_SETS[name], table)


if __name__ == "__main__":
    main(sys.argv[1])
