"""How far two annotators agree on the same messages."""

import numpy as np

from triage.reports.document import Column, Part, Table
from triage.reports.measures import cohen_kappa

from ..errors import TriageError
from .corpus import Corpus

_MOST_LINES = 1000


def annotators(corpus: Corpus) -> Part:
    """Compare two columns of labels.

    Raises
    ------
    TriageError
        If both annotators used one label only: kappa is undefined then.
    """
    second = corpus.second or []
    try:
        agreement = cohen_kappa(corpus.labels, second)
    except ValueError as error:
        raise TriageError(f"the two annotators' labels cannot be compared: {error}") from error
    differ = np.flatnonzero(np.array(corpus.labels) != np.array(second))
    lines = ", ".join(str(corpus.lines[i]) for i in differ[:_MOST_LINES]) or "none"
    kappa = agreement.kappa
    return Part(
        "annotators",
        "Two annotators",
        (
            Table(
                "Agreement on TA and NTA",
                (
                    Column("messages", ",d"),
                    Column("agreed", ".1%"),
                    Column("Cohen's kappa", ".3f"),
                    Column("95 % from", ".3f"),
                    Column("to", ".3f"),
                ),
                ((len(second), agreement.observed, kappa.estimate, kappa.low, kappa.high),),
            ),
            f"They differ on {len(differ):,} messages, in these lines of the file: {lines}"
            + (" …" if len(differ) > _MOST_LINES else "."),
        ),
    )
