"""Triage of text messages: to anonymise (TA), nothing to anonymise (NTA), or an expert's look."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import *  # noqa: F403
    from .api.estimators import SeekAndHide as SeekAndHide
    from .api.estimators import TriageClassifier as TriageClassifier
    from .api.estimators import WordEvidence as WordEvidence
    from .decide.corpus import classify_partition as classify_partition
    from .decide.corpus import gather_partition as gather_partition
    from .decide.corpus import merge_evidence as merge_evidence
    from .decide.pipeline import Triage as Triage
    from .decide.pipeline import shared as shared
    from .settings import Policy as Policy
    from .settings import Setup as Setup

__version__ = "0.1.0"

_NAMES = {
    ".api": "anonymise check classify entities evaluate explain identifiers mine read train",
    ".api.estimators": "SeekAndHide TriageClassifier WordEvidence",
    ".decide.corpus": "classify_partition gather_partition merge_evidence",
    ".decide.pipeline": "Triage shared",
    ".settings": "Policy Setup",
}
_ROOMS = {name: room for room, names in _NAMES.items() for name in names.split()}
__all__ = list(_ROOMS)


def __getattr__(name: str) -> object:
    """Load a name when it is asked for: importing this package loads nothing heavy."""
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_ROOMS[name], __name__), name)
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
