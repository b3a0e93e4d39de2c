"""`DataError`, and the translation of other errors into it."""

import errno
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module, metadata
from types import ModuleType

from triage.errors import UserError


class DataError(UserError):
    """A file cannot be read or written, for a reason that its user can remove."""


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


def reason_of(error: OSError) -> str:
    """Return the reason that the system gives, without the path that Python adds."""
    if error.errno == errno.EBADF:
        return "it is closed"
    return error.strerror or str(error) or type(error).__name__


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise errors of the system while `name` is read as `DataError`."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{name} is not a whole gzip file (damaged or cut short): compress it again",
            "unreadable_gzip",
            file=name,
        ) from error
    except OSError as error:
        reason = reason_of(error)
        raise DataError(
            f"cannot read {name}: {reason}", "cannot_read", file=name, reason=reason
        ) from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Raise errors of the system while `name` is written as `DataError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = reason_of(error)
        raise DataError(
            f"cannot write {name}: {reason}", "cannot_write", file=name, reason=reason
        ) from error


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
