"""Libraries that only some formats need, imported when such a file is met."""

from importlib import import_module
from types import ModuleType

from triage.data.errors import DataError


def require(module: str, extra: str) -> ModuleType:
    """Import `module`, which the optional dependencies `extra` bring.

    Raises
    ------
    DataError
        The module isn't installed; the message holds the command that installs it.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise DataError(f"{package} is not installed: pip install 'sms-triage[{extra}]'") from error
