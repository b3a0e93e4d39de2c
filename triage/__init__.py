"""Triage of text messages: to anonymise (TA), nothing to anonymise (NTA), or an expert's look."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import (
        anonymise,
        check,
        classify,
        entities,
        evaluate,
        explain,
        identifiers,
        mine,
        read,
        train,
    )
    from .api.estimators import SeekAndHide, TriageClassifier, WordEvidence
    from .decide.corpus import classify_partition, gather_partition, merge_evidence
    from .decide.pipeline import Triage, shared
    from .settings import Policy, Setup

__all__ = [
    "Policy",
    "SeekAndHide",
    "Setup",
    "Triage",
    "TriageClassifier",
    "WordEvidence",
    "anonymise",
    "check",
    "classify",
    "classify_partition",
    "entities",
    "evaluate",
    "explain",
    "gather_partition",
    "identifiers",
    "merge_evidence",
    "mine",
    "read",
    "shared",
    "train",
]
__version__ = "0.1.0"

_ROOMS = {
    **dict.fromkeys(("SeekAndHide", "TriageClassifier", "WordEvidence"), ".api.estimators"),
    **dict.fromkeys(("Triage", "shared"), ".decide.pipeline"),
    **dict.fromkeys(("classify_partition", "gather_partition", "merge_evidence"), ".decide.corpus"),
    **dict.fromkeys(("Policy", "Setup"), ".settings"),
}


def __getattr__(name: str) -> object:
    """Load a name when it is asked for: importing this package loads nothing heavy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_ROOMS.get(name, ".api"), __name__), name)
    return found


def __dir__() -> list[str]:
    """Tell what there is, for completion."""
    return [*__all__, "__version__"]


class _CallablePackage(ModuleType):
    """The package `triage.anonymise`, which is called like the function of that name."""

    def __call__(self, *arguments: object, **options: object) -> object:
        return import_module(".api", __name__).anonymise(*arguments, **options)


# An import of one of its modules makes `triage.anonymise` the package.
import_module(".anonymise", __name__).__class__ = _CallablePackage
