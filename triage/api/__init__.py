"""The commands as functions: a table or a file in, a table out, with their defaults.

A table is one of pandas, Polars or Arrow; what comes out is one of pandas. Where a command works
on files, a table passes through a temporary one that only its owner may read.
"""

from .anonymising import anonymise, check, entities, mine
from .deciding import classify, explain, identifiers, read
from .learning import evaluate, train

__all__ = [
    "anonymise",
    "check",
    "classify",
    "entities",
    "evaluate",
    "explain",
    "identifiers",
    "mine",
    "read",
    "train",
]
