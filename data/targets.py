"""Where outputs may go, checked before any work: over no input, and over nothing unasked."""

import errno
import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from triage.data.errors import DataError, writing
from triage.data.source import STANDARD_STREAM

_Path = str | Path


def check_targets(
    outputs: Iterable[_Path | None], inputs: Iterable[_Path | None], *, overwrite: bool = False
) -> None:
    """Check that outputs can be written and that each is a file of its own.

    Parameters
    ----------
    outputs : iterable of str, Path or None
        All that may be written; ``"-"`` is standard output, and None is nothing.
    inputs : iterable of str, Path or None
        All that is read, lists and models included. None of them is ever replaced.
    overwrite : bool, default False
        Whether outputs that exist may be replaced.

    Raises
    ------
    DataError
        An output is an input, also through a link; two outputs are one file; an output exists
        and may not be replaced, or its folder takes no file.

    Examples
    --------
    >>> check_targets(["sms.csv"], ["./sms.csv"], overwrite=True)
    Traceback (most recent call last):
    triage.data.errors.DataError: sms.csv is the input itself: choose another output
    """
    targets = [path for path in outputs if path is not None]
    for one, other in combinations(targets, 2):
        if is_same_file(one, other):
            raise DataError(f"two outputs would be written to {one}: choose another name for one")
    read = [path for path in inputs if path is not None]
    for target in targets:
        if str(target) != STANDARD_STREAM:
            check_is_no_input(target, read)
            check_target(target, overwrite=overwrite)


def check_folder(
    folder: Path, names: Iterable[str], inputs: Iterable[_Path], *, overwrite: bool = False
) -> None:
    """Check that files can be written to a folder, which is made if it is missing.

    Parameters
    ----------
    folder : Path
    names : iterable of str
        Of the files.
    inputs : iterable of str or Path
    overwrite : bool, default False
        Whether files that exist may be replaced.

    Raises
    ------
    DataError
        As for `check_targets`.
    """
    if folder.is_dir():
        check_targets([folder / name for name in names], inputs, overwrite=overwrite)
        return
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    with writing(str(folder)):
        _check_folder(there)


def check_is_no_input(output: _Path, inputs: Iterable[_Path]) -> None:
    """Check that an output is none of the files that are read, through whatever links.

    Raises
    ------
    DataError
        It is.
    """
    if any(str(path) != STANDARD_STREAM and is_same_file(output, path) for path in inputs):
        raise DataError(f"{output} is the input itself: choose another output")


def check_target(path: _Path, *, overwrite: bool = False) -> None:
    """Check that an output can be written.

    Raises
    ------
    DataError
        It exists and may not be replaced, is no file, or its folder takes no file.
    """
    target = real_path(path)
    with writing(str(path)):
        _check_folder(target.parent)
        if target.is_dir():
            raise DataError(f"cannot write {path}: it is a directory")
        if not os.path.lexists(target):
            return
        if not target.is_file():
            raise DataError(f"cannot write {path}: it is no ordinary file (- is standard output)")
    if not overwrite:
        raise exists_already(path)


def exists_already(path: _Path) -> DataError:
    """Return the error of an output that exists and may not be replaced."""
    return DataError(
        f"{path} exists already: add --overwrite to replace it, or choose another output"
    )


def is_same_file(one: _Path, other: _Path) -> bool:
    """Return whether two paths lead to one file, or would if it were there."""
    if real_path(one) == real_path(other):
        return True
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def real_path(path: _Path) -> Path:
    """Return where a path leads; links that lead in a circle lead nowhere, and are no error."""
    return Path(os.path.realpath(path))


def _check_folder(folder: Path) -> None:
    # The dot makes a file in the place of the folder an error.
    os.stat(f"{folder}/.")  # noqa: PTH116 (Path drops the dot)
    effective = os.access in os.supports_effective_ids
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
