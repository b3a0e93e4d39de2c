"""Errors of files of messages."""

from collections.abc import Sequence
from importlib import import_module, metadata
from types import ModuleType

from triage.errors import DataError, reading, reason_of, writing

__all__ = [
    "ColumnError",
    "DataError",
    "how_to_install",
    "one_line",
    "reading",
    "reason_of",
    "require",
    "writing",
]


class ColumnError(DataError):
    """A file has no column of the name that is wanted, or none of a usual name."""

    def __init__(
        self, line: str, key: str = "", /, *, columns: Sequence[str] = (), **values: object
    ) -> None:
        super().__init__(line, key, **values)
        self.columns = tuple(columns)


def one_line(text: str) -> str:
    r"""Return a name out of a file as an error may show it."""
    return "".join(c if c.isprintable() else "?" for c in text)


def require(module: str, extra: str) -> ModuleType:
    """Import `module`, or raise a `DataError` that says how to install the extra it comes with."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise DataError(
            f"{package} is not installed: {how_to_install(extra)}",
            "not_installed",
            package=package,
            way=how_to_install(extra),
        ) from error


def how_to_install(extra: str) -> str:
    """Return the commands that install an extra: no registry has this distribution."""
    wheel = f"sms_triage-{metadata.version('sms-triage')}-py3-none-any.whl"
    return (
        f"pip install '.[{extra}]' in the program's folder, or "
        f"pip install '{wheel}[{extra}]' with its wheel"
    )
