"""The values that a shell completes: the choices of options, looked up when they are asked for."""

from collections.abc import Callable, Iterable
from importlib import import_module

_CHOICES = {
    "ambiguous": ("..decide.find", "Ambiguous"),
    "dates": ("..anonymise.cells", "Dates"),
    "format": ("triage.data.table", "Format"),
    "format_": ("..queue.exchange", "ExchangeFormat"),
    "hold": ("..anonymise.held", "Hold"),
    "ids": ("..anonymise.columns", "Ids"),
    "policy": ("..decide.policy", "PolicyName"),
    "sender": ("..anonymise.columns", "Senders"),
    "sort": ("..mining.concordance", "Order"),
    "state": ("..queue.records", "State"),
    "style": ("..anonymise.styles", "StyleName"),
}
"""The module and the enumeration of an option, by its parameter."""

# What can be imported only with libraries that take seconds to load.
_SLOW = {
    "only": (
        *("cross-validation", "later-messages", "infogain", "tree", "seek-hide", "combined"),
        *("annotators", "comparison", "evidence", "chaining", "treatment"),
    ),
    "undersampling": ("per_bag", "once"),
}
_WORDS = _SLOW | {
    "engine": ("python", "spark"),
    "lang": ("fr", "en"),
    "language": ("fr", "none"),
}


def completer(parameter: str) -> Callable[[str], list[str]] | None:
    """Return what completes the values of an option; None where it is any text or a path."""
    if parameter in _CHOICES:
        return lambda incomplete: _beginning(_choices(*_CHOICES[parameter]), incomplete)
    if parameter in _WORDS:
        return lambda incomplete: _beginning(_WORDS[parameter], incomplete)
    if parameter in _FOUND:
        return lambda incomplete: _beginning(_FOUND[parameter](), incomplete)
    return None


def _choices(module: str, name: str) -> Iterable[str]:
    return [str(choice.value) for choice in getattr(import_module(module, __package__), name)]


def _recognisers() -> Iterable[str]:
    from triage.dictionaries.recognisers import available

    return [*(one.name for one in available("fr") if not one.is_on), "all"]


def _feature_sets() -> Iterable[str]:
    from triage.features.sets import FEATURE_SETS

    return FEATURE_SETS


_FOUND = {"find": _recognisers, "features": _feature_sets}


def _beginning(values: Iterable[str], incomplete: str) -> list[str]:
    return [value for value in values if value.startswith(incomplete)]
