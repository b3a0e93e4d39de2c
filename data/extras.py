"""Libraries that only some formats need, imported when such a file is met."""

from importlib import import_module, metadata
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
        raise DataError(f"{package} is not installed: {how_to_install(extra)}") from error


def how_to_install(extra: str) -> str:
    """Return the commands that install the optional dependencies `extra`.

    No registry has this distribution: it is installed from its folder or from its wheel.

    Parameters
    ----------
    extra : str

    Examples
    --------
    >>> how_to_install("review").partition(", or ")[0]
    "pip install '.[review]' in the program's folder"
    """
    wheel = f"sms_triage-{metadata.version('sms-triage')}-py3-none-any.whl"
    return (
        f"pip install '.[{extra}]' in the program's folder, or "
        f"pip install '{wheel}[{extra}]' with its wheel"
    )
