"""Compute the training table of the shipped model from labelled messages: ``make model``.

Only feature values and labels are kept::

    python -m triage.build_table labelled.csv
"""

import sys

from dictionaries import label_messages, load_lexicon
from features import FEATURE_SETS

from .labelled import read_labelled
from .pipeline import DEFAULT_FEATURES
from .shipped import table_path, write_table


def main(path: str, language: str = "fr") -> None:
    """Write the table of the default feature set."""
    labelled = read_labelled(path)
    chosen = FEATURE_SETS[DEFAULT_FEATURES]
    values = chosen.compute(label_messages(labelled.messages, load_lexicon(language)))
    write_table(table_path(language, chosen.name), chosen.features, values, labelled.labels)


if __name__ == "__main__":
    main(sys.argv[1])
