"""A folder of files as an output, staged until it is whole, as `StagedFile` stages a file."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from triage.data.errors import DataError, writing
from triage.data.paths import check_takes_files, exists_already, real_path
from triage.data.staging import give_access, lock, new_name, remove_stale, sync_folder

_OWNER_ALONE = 0o700


class FolderKind(NamedTuple):
    """A kind of folder, which is recognised by one file and by the endings of all names in it."""

    mark: str
    endings: tuple[str, ...]

    def holds(self, files: list[str]) -> bool:
        """Tell whether files are those of such a folder."""
        return self.mark in files and all(file.endswith(self.endings) for file in files)


class StagedFolder:
    """A hidden folder that takes the place of its target when it is published."""

    def __init__(
        self,
        path: Path,
        kind: FolderKind,
        *,
        like: os.stat_result | None = None,
        overwrite: bool = False,
    ) -> None:
        self.name = str(path)
        self._like = like
        self._target = real_path(path)
        check_folder_target(path, kind, overwrite=overwrite)
        with writing(self.name):
            remove_stale(self._target.parent)
            self._hidden = new_name(self._target.parent)
            self._hidden.mkdir(_OWNER_ALONE)
        self._handle = _locked(self._hidden)

    def __enter__(self) -> "StagedFolder":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._hidden, ignore_errors=True)
        if self._handle is not None:
            os.close(self._handle)

    def place(self, name: str) -> Path:
        """Return where a file of the folder is until it is published."""
        path = self._hidden / name
        path.parent.mkdir(mode=_OWNER_ALONE, exist_ok=True)
        return path

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder."""
        with writing(self.name):
            self.place(name).write_bytes(content)

    def publish(self) -> None:
        """Put the finished folder in its place."""
        earlier = new_name(self._target.parent)
        with writing(self.name):
            self._give_access()
            # All at once: one after the other, tens of thousands of files would take minutes.
            with suppress(AttributeError):  # Windows
                os.sync()
            with suppress(FileNotFoundError):
                self._target.rename(earlier)
            try:
                self._hidden.rename(self._target)
            except OSError:
                with suppress(FileNotFoundError):
                    earlier.rename(self._target)
                raise
            sync_folder(self._target.parent)
        shutil.rmtree(earlier, ignore_errors=True)

    def _give_access(self) -> None:
        for path in [self._hidden, *self._hidden.rglob("*")]:
            if self._like is None:
                path.chmod(0o600)
            else:
                give_access(path, self._like)
            if path.is_dir():
                # Who may read the files may enter their folder.
                mode = path.stat().st_mode & 0o666
                path.chmod(mode | (mode & 0o444) >> 2)


def _locked(folder: Path) -> int | None:
    """Lock a folder, where the system opens folders."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows
        return None
    lock(handle)
    return handle


def check_folder_target(path: Path, kind: FolderKind, *, overwrite: bool = False) -> None:
    """Check that a folder can be written, and that none of another kind is replaced."""
    target = real_path(path)
    with writing(str(path)):
        check_takes_files(target.parent)
        if not os.path.lexists(target):
            return
        if not target.is_dir():
            raise DataError(f"cannot write {path}: it is a file, and what is written is a folder")
        held = [file.name for file in target.rglob("*") if not file.is_dir()]
    if held and not overwrite:
        raise exists_already(path)
    if held and not kind.holds(held):
        raise DataError(
            f"cannot replace {path}: it holds files of another kind; choose another folder"
        )
