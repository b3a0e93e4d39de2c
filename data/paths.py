"""Paths of outputs: their default names, and checks that they replace nothing unasked."""

import errno
import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from triage.data.errors import DataError, writing
from triage.data.formats import WRITERS, format_of_extension, may_be_lines
from triage.data.table import Format

STANDARD_STREAM = "-"
# TEI has no place for the columns that are added.
_TABLES = WRITERS.keys() - {Format.TEI}
_Path: TypeAlias = str | Path


def default_output(path: _Path) -> Path:
    """Return the output's path for an input: beside it, in its format, or else CSV."""
    path = Path(path)
    if str(path) == STANDARD_STREAM:
        return path
    base, extensions = _split(path)
    if format_of_extension(path) not in _TABLES or may_be_lines(path):
        extensions = ".csv"
    return path.with_name(f"{base}.triage{extensions}")


def rejects_path(output: _Path) -> Path:
    """Return the path for the rejects of an output: beside it, always CSV."""
    output = Path(output)
    if str(output) == STANDARD_STREAM:
        return Path("rejects.csv")
    return output.with_name(f"{_split(output)[0]}.rejects.csv")


def run_path(output: _Path) -> Path | None:
    """Return the path for the record of how an output came about: beside it; None for a stream."""
    path = Path(output)
    if str(output) == STANDARD_STREAM or not path.name:
        return None
    # Outputs of one name in several formats have records of their own.
    return path.with_name(f"{path.name.removesuffix('.csv')}.run.json")


def _split(path: Path) -> tuple[str, str]:
    """Return a file's name without its extensions, and these: ``.gz`` comes after another."""
    inner = Path(path.stem) if path.suffix.lower() == ".gz" else path
    return inner.stem, path.name.removeprefix(inner.stem)


def check_targets(
    outputs: Iterable[_Path | None], inputs: Iterable[_Path | None], *, overwrite: bool = False
) -> None:
    """Check that outputs can be written and that each is a file of its own."""
    targets = [path for path in outputs if path is not None]
    for one, other in combinations(targets, 2):
        if _is_same_file(one, other):
            raise DataError(f"two outputs would be written to {one}: choose another name for one")
    read = [path for path in inputs if path is not None]
    for target in targets:
        if str(target) != STANDARD_STREAM:
            check_is_no_input(target, read)
            check_target(target, overwrite=overwrite)


def check_folder(
    folder: Path, names: Iterable[str], inputs: Iterable[_Path], *, overwrite: bool = False
) -> None:
    """Check as `check_targets` does that files can be written to a folder, which may be missing."""
    if folder.is_dir():
        check_targets([folder / name for name in names], inputs, overwrite=overwrite)
        return
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    with writing(str(folder)):
        check_takes_files(there)


def check_is_no_input(output: _Path, inputs: Iterable[_Path]) -> None:
    """Raise `DataError` if an output is one of the inputs, through whatever links."""
    if any(str(path) != STANDARD_STREAM and _is_same_file(output, path) for path in inputs):
        raise DataError(f"{output} is the input itself: choose another output")


def check_target(path: _Path, *, overwrite: bool = False) -> None:
    """Raise `DataError` if an output exists unasked or is no file, or its folder takes no file."""
    target = real_path(path)
    with writing(str(path)):
        check_takes_files(target.parent)
        if target.is_dir():
            raise DataError(f"cannot write {path}: it is a directory", "is_folder", file=path)
        if not os.path.lexists(target):
            return
        if not target.is_file():
            raise DataError(
                f"cannot write {path}: it is no ordinary file (- is standard output)",
                "no_ordinary_file",
                file=path,
            )
    if not overwrite:
        raise exists_already(path)


def exists_already(path: _Path) -> DataError:
    """Return the error of an output that exists and may not be replaced."""
    return DataError(
        f"{path} exists already: add --overwrite to replace it, or choose another output",
        "exists",
        file=path,
    )


def real_path(path: _Path) -> Path:
    """Return the path that links lead to; circular links are no error."""
    return Path(os.path.realpath(path))


def _is_same_file(one: _Path, other: _Path) -> bool:
    """Return whether two paths lead to one file, or would if it existed."""
    if real_path(one) == real_path(other):
        return True
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def check_takes_files(folder: Path) -> None:
    """Raise an OSError if files cannot be made in a folder."""
    # The dot makes a file in the place of the folder an error.
    os.stat(f"{folder}/.")  # noqa: PTH116 (Path drops the dot)
    effective = os.access in os.supports_effective_ids
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
