"""Errors that a user can remove, and the translation of those of the system into them."""

import errno
import gzip
import json
import os
import shlex
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import currentframe
from pathlib import Path

# Errors of a disk that has no room left.
FULL = (errno.ENOSPC, errno.EDQUOT)
# The environment variable that names a file for the error that ends a command.
PROBLEM_FILE = "TRIAGE_PROBLEM"


class UserError(ValueError):
    """An error that its user can remove; its line is English and says what to do."""

    def __init__(self, line: str, key: str = "", /, **values: object) -> None:
        super().__init__(line)
        self.key = key
        self.values: Mapping[str, str] = {name: str(value) for name, value in values.items()}

    def rename(self, hidden: object, name: str) -> None:
        """Speak by the name that the user knows of what has another one here, such as a path."""
        self.args = (str(self).replace(str(hidden), name),)
        self.values = {of: one.replace(str(hidden), name) for of, one in self.values.items()}


class TriageError(UserError):
    """A request cannot be met; the message is one line and says what to do."""


class DataError(UserError):
    """A file cannot be read or written, for a reason that its user can remove."""


def refusals(lines: Mapping[str, str]) -> Callable[..., TriageError]:
    """Return a function that gives an error by its name, whose part before a point pages know."""

    def refused(which: str, /, **values: object) -> TriageError:
        return TriageError(lines[which].format(**values), which.rpartition(".")[0], **values)

    return refused


def some_of(names: Sequence[str], most: int = 10) -> str:
    """Return names in a line; of many, the first and how many more there are.

    >>> some_of(["1", "2", "3"], 2)
    '1, 2 and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def as_typed(*words: object) -> str:
    r"""Return a command, or words of it, in characters that can be printed and pasted.

    >>> print(as_typed("triage", "deux mots.csv", "\udce9t\udce9.csv"))
    triage 'deux mots.csv' $'\351t\351.csv'
    """
    typed = []
    for word in map(str, words):
        quoted = (
            chr(c) if 32 <= c < 127 and c not in b"'\\" else f"\\{c:03o}" for c in os.fsencode(word)
        )
        typed.append(shlex.quote(word) if word.isprintable() else f"$'{''.join(quoted)}'")
    return " ".join(typed)


def reason_of(error: OSError) -> str:
    """Return the reason that the system gives, without the path that Python adds."""
    if error.errno == errno.EBADF:
        return "it is closed"
    if error.errno in FULL:
        return f"{error.strerror}: make room on the disk"
    return error.strerror or str(error) or type(error).__name__


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise errors of the system while `name` is read as `DataError`."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        line = f"{name} is not a whole gzip file (damaged or cut short): compress it again"
        raise DataError(line, "damaged", file=name) from error
    except OSError as error:
        raise _cannot("read", name, error) from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Raise errors of the system while `name` is written as `DataError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot("write", name, error) from error


def warn(line: str) -> None:
    """Warn in a line, if there is one, where the user's own program called this package."""
    if not line:
        return
    frame, level, outermost = currentframe(), 0, 0
    while frame:
        level += 1
        if f"{frame.f_globals.get('__name__')}.".startswith("triage."):
            outermost = level
        frame = frame.f_back
    warnings.warn(line, stacklevel=outermost + 1)


def _cannot(verb: str, name: str, error: OSError) -> DataError:
    reason, folder = reason_of(error), Path(name).parent
    if error.errno == errno.ENOENT and verb == "write" and not folder.exists():
        reason = f"{reason}: make the folder {folder} first"
    return DataError(f"cannot {verb} {name}: {reason}", f"cannot_{verb}", file=name, reason=reason)


def write_problem(path: Path, error: UserError) -> None:
    """Write an error to a file, for a program that has started this one."""
    content = {"line": str(error), "key": error.key, "values": error.values}
    path.write_text(json.dumps(content), encoding="utf-8")


def read_problem(path: Path) -> UserError | None:
    """Return the error in a file; None where there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return UserError(content["line"], content["key"], **content["values"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
