"""Triage of text messages: to anonymise (TA), nothing to anonymise (NTA), or an expert's look."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .decide.partition import Setup, classify_partition, gather_partition, merge_evidence
    from .decide.pipeline import Triage, shared

__all__ = [
    "Setup",
    "Triage",
    "classify_partition",
    "gather_partition",
    "merge_evidence",
    "shared",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the pipeline when it is asked for: importing this package loads nothing heavy."""
    if name in __all__:
        from .decide import partition

        found: object = getattr(partition, name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
