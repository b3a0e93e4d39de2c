"""The one error of this room: what is wrong with a file, in a line, and the way out."""

import errno
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager


class DataError(ValueError):
    """A file can't be read or written, for a reason that its user can remove.

    ``str(error)`` is a single line that says what is wrong and what to do. It never holds the
    text of a message, because messages are personal data and errors end in logs.

    Examples
    --------
    >>> raise DataError("sms.csv is empty: it has no header")
    Traceback (most recent call last):
    triage.data.errors.DataError: sms.csv is empty: it has no header
    """


def reason_of(error: OSError) -> str:
    """Return why the system refused, without the path that Python adds."""
    if error.errno == errno.EBADF:
        return "it is closed"
    return error.strerror or str(error) or type(error).__name__


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn the system's errors while `name` is read into a `DataError`."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{name} is not a whole gzip file (damaged or cut short): compress it again"
        ) from error
    except OSError as error:
        raise DataError(f"cannot read {name}: {reason_of(error)}") from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turn the system's errors while `name` is written into a `DataError`.

    A closed pipe goes through: ``triage ... | head`` is no error, and only the command line
    knows how to end quietly.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"cannot write {name}: {reason_of(error)}") from error
