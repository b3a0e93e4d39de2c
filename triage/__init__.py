"""Triage of text messages: to anonymise (TA), nothing to anonymise (NTA), or an expert's look."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pipeline import Triage

__all__ = ["Triage"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load `Triage` when it is asked for, so that importing this package loads nothing heavy."""
    if name == "Triage":
        from .pipeline import Triage

        return Triage
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
