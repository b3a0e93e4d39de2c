"""The commands as functions: a table or a file in, a table out, with their defaults.

A table is one of pandas, Polars or Arrow; what comes out is one of pandas. Where a command works
on files, a table passes through a temporary one that only its owner may read.
"""

from .anonymising import anonymise as anonymise
from .anonymising import check as check
from .anonymising import entities as entities
from .anonymising import mine as mine
from .deciding import classify as classify
from .deciding import explain as explain
from .deciding import identifiers as identifiers
from .deciding import read as read
from .learning import evaluate as evaluate
from .learning import train as train
