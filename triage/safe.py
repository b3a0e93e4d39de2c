"""The one way in which files and folders are written: whole or not at all.

What is written is made in a hidden folder beside its target, which its owner alone may enter, and
gets its name when all of it is on the disk.
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import IO, NamedTuple, Self, TypeAlias, TypedDict, Unpack, cast

from .errors import DataError, UserError, reading, writing

try:
    import fcntl
except ImportError:  # Windows, where nothing stale is removed
    fcntl = None  # type: ignore[assignment]

STANDARD_STREAM = "-"
# Errors of file systems without hard links.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_READABLE, _OWNER_ONLY, _OWNER_ENTERS = 0o666, 0o600, 0o700
_HIDDEN = re.compile(r"\.unfinished-[0-9a-f]{16,32}")
_EARLIER = "earlier"
_Path: TypeAlias = str | Path


class FolderKind(NamedTuple):
    """A kind of folder: how the path of one file in it ends, and the patterns of all paths."""

    mark: str
    patterns: tuple[str, ...]


class Options(TypedDict, total=False):
    """The ways to write a file: as readable as another, by its owner alone, in another's place."""

    like: _Path | None
    private: bool
    overwrite: bool


@contextmanager
def hidden_folder(parent: Path, called: Path | None = None) -> Iterator[Path]:
    """Give a folder of this process alone, which a later run removes if this one is killed.

    Errors call it as it is `called`, by default by the folder in which it is hidden.
    """
    remove_stale(parent)
    while True:
        path = parent / f".unfinished-{secrets.token_hex(8)}"
        path.mkdir(_OWNER_ENTERS)
        # Another run may find the folder before it is locked, and remove it.
        with suppress(FileNotFoundError):
            lock = os.open(path, os.O_RDONLY) if fcntl else None
            # Without locks on a file system nobody else can lock it either, so that it stays.
            with suppress(OSError):
                if lock is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX)
            path.stat()
            break
    try:
        yield path
    except UserError as error:
        error.rename(path, str(called or parent))
        raise
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def remove_stale(folder: Path) -> None:
    """Remove what killed runs of the same user left in a folder; live processes hold a lock."""
    stale = list[Path]()
    with suppress(OSError):
        stale += [path for path in folder.iterdir() if fcntl and _HIDDEN.fullmatch(path.name)]
    for path in stale:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with suppress(OSError), _opened(path, flags) as handle:
            if os.fstat(handle).st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # A folder that was moved away for another, which did not come.
                for earlier in path.glob(f"{_EARLIER}/*"):
                    if not os.path.lexists(folder / earlier.name):
                        earlier.rename(folder / earlier.name)
                shutil.rmtree(path)


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    handle = os.open(path, flags)
    try:
        yield handle
    finally:
        os.close(handle)


class Staged:
    """A file or a folder that is made at `place`, and appears at its path by `publish_all`.

    It is as readable as the file `like`, within the umask, or for its owner alone if `private`.
    Standard output is written at once, and nothing of it can be withdrawn.
    """

    def __init__(
        self, path: _Path, *, kind: FolderKind | None = None, **options: Unpack[Options]
    ) -> None:
        self._private = options.get("private", False)
        self._overwrite = options.get("overwrite", False)
        self._is_finished = self._is_new = False
        self._hidden: Path | None = None
        self._stack = ExitStack()
        if kind is not None:
            check_is_named(path)
        if str(path) == STANDARD_STREAM:
            self.name = "standard output"
            if sys.stdout is None:
                raise DataError("cannot write standard output: it is closed")
            sys.stdout.flush()
            raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
            self.file = cast(IO[bytes], _WholeWrites(raw))
            return
        self.name = str(path)
        # A link stays a link: the file that it leads to is written.
        self._target = real_path(path)
        check_target(path, overwrite=self._overwrite, kind=kind)
        with writing(self.name):
            self._like = None
            if (like := options.get("like")) is not None and str(like) != STANDARD_STREAM:
                check_is_no_input(path, [like])
                self._like = Path(like).stat()
            self._hidden = self._stack.enter_context(hidden_folder(self._target.parent))
            self.place = self._hidden / self._target.name
            self._earlier = self._hidden / _EARLIER / self._target.name
            if kind is not None:
                self.place.mkdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: object, __: object) -> None:
        if isinstance(error, UserError) and self._hidden is not None:
            error.rename(self.place, self.name)
        self.discard()

    @cached_property
    def file(self) -> IO[bytes]:
        """The file at `place`, opened to be written."""
        return self._stack.enter_context(self.place.open("wb"))

    def finish(self) -> None:
        """Bring all of it to the disk, with its permissions; the target is untouched."""
        if self._hidden is None or self._is_finished:
            return
        self._is_finished = True
        if "file" in self.__dict__:
            self.file.close()
        if not self.place.is_dir():
            with self.place.open("rb+") as file:
                os.fsync(file.fileno())
        elif hasattr(os, "sync"):
            # All at once: one after the other, tens of thousands of files would take minutes.
            os.sync()
        for path in [self.place, *self.place.rglob("*")]:
            mode = _OWNER_ONLY if self._private else _mode_like(path, self._like)
            # Who may read the files of a folder may enter it.
            path.chmod(mode | (mode & 0o444) >> 2 if path.is_dir() else mode)

    def commit(self) -> None:
        """Finish it, and let it appear at its path."""
        publish_all([self])

    def checksum(self) -> str:
        """Finish the file, and return its SHA-256; nothing of standard output."""
        with writing(self.name):
            self.finish()
        return checksum(self.place) if self._hidden else ""

    def appear(self) -> None:
        """Put what is finished in the place of its target, unless that may not be replaced."""
        if self._hidden is None:
            return
        place, target = self.place, self._target
        self._is_new = not os.path.lexists(target)
        if self._overwrite and not self._is_new:
            self._earlier.parent.mkdir()
            if place.is_dir():
                target.rename(self._earlier)
            else:
                with suppress(OSError):
                    self._earlier.hardlink_to(target)
        try:
            if self._overwrite or place.is_dir() or not _linked(place, target):
                place.replace(target)
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                raise _exists_already(self.name) from error
            raise
        # The name survives a power cut, where the system can do that.
        with suppress(OSError), _opened(target.parent, os.O_RDONLY) as handle:
            os.fsync(handle)

    def withdraw(self) -> None:
        """Undo `appear`, as far as the file system could keep what was there before."""
        if self._hidden is None:
            return
        with suppress(OSError):
            if (self._is_new or self._earlier.is_dir()) and not self.place.exists():
                self._target.rename(self.place)
            if self._earlier.exists():
                self._earlier.replace(self._target)

    def discard(self) -> None:
        """Remove what is hidden: all of it unless it was published, and what was there before."""
        with suppress(OSError):
            self._stack.close()


def _linked(place: Path, target: Path) -> bool:
    """Move a file by a link, which never replaces another; else reserve its name."""
    try:
        target.hardlink_to(place)
        place.unlink()
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # An empty file reserves the name against other processes.
        target.touch(_OWNER_ONLY, exist_ok=False)
        return False
    return True


def _mode_like(path: Path, like: os.stat_result | None) -> int:
    """Return the permissions of another file for a new one, which gets its group if it may."""
    mode = _READABLE if like is None else like.st_mode & _READABLE
    if like is not None and path.stat().st_gid != like.st_gid:
        try:
            os.chown(path, -1, like.st_gid)
        except OSError:
            both = mode & (mode >> 3) & 0o006
            mode = mode & _OWNER_ONLY | both << 3 | both
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mode & ~mask


class _WholeWrites:
    """Writes without a buffer: bytes that a full disk refuses are not tried again at exit."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._raw.write(left) :]


def publish_all(stages: Sequence[Staged]) -> None:
    """Bring outputs to the disk, then put each in its place; if one cannot be, none stays."""
    for stage in stages:
        with writing(stage.name):
            stage.finish()
    try:
        for stage in stages:
            with writing(stage.name):
                stage.appear()
    except BaseException:
        for stage in reversed(stages):
            stage.withdraw()
        raise


def staged(path: _Path, content: bytes, **options: Unpack[Options]) -> Staged:
    """Stage a small file with its whole content."""
    stage = Staged(path, **options)
    try:
        with writing(stage.name):
            stage.file.write(content)
    except BaseException:
        stage.discard()
        raise
    return stage


def write_files(contents: Mapping[Path, bytes], **options: Unpack[Options]) -> None:
    """Write small files, all of them or none."""
    with ExitStack() as stack:
        publish_all([stack.enter_context(staged(*one, **options)) for one in contents.items()])


def write_file(path: Path, content: bytes, **options: Unpack[Options]) -> None:
    """Write a small file, whole or not at all."""
    write_files({path: content}, **options)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with reading(str(path)), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_targets(
    outputs: Iterable[_Path | None],
    inputs: Iterable[_Path | None],
    *,
    records: Iterable[_Path | None] = (),
    overwrite: bool = False,
) -> None:
    """Check that outputs and the records of the first can be written, each a file of its own."""
    targets = [path for path in outputs if path is not None]
    beside = [path for path in records if path is not None]
    for one, other in combinations([*targets, *beside], 2):
        if is_same_file(one, other):
            raise DataError(f"two outputs would be written to {one}: choose another name for one")
    sources = [path for path in inputs if path is not None]
    for path in sources:
        check_is_ordinary(path)
    for target in [*targets, *beside]:
        if str(target) != STANDARD_STREAM:
            check_is_no_input(target, sources)
            is_record = target in beside and replaces_records(targets[0])
            check_target(target, overwrite=overwrite or is_record)


def replaces_records(output: _Path) -> bool:
    """Return whether an output is gone, so that the records beside it tell of nothing."""
    return not os.path.lexists(real_path(output))


def check_folder(
    folder: Path, names: Iterable[str], inputs: Iterable[_Path], *, overwrite: bool = False
) -> None:
    """Check as `check_targets` does that files can be written to a folder, which may be missing."""
    check_is_named(folder)
    with writing(str(folder)):
        existing = (parent for parent in (folder, *folder.absolute().parents) if parent.exists())
        _check_takes_files(next(existing))
    if folder.is_dir():
        check_targets([folder / name for name in names], inputs, overwrite=overwrite)


def check_is_named(path: _Path) -> None:
    """Raise `DataError` for a standard stream where a folder or a queue is wanted."""
    if str(path) == STANDARD_STREAM:
        raise DataError("- is a standard stream: name a file or a folder")


def check_is_ordinary(path: _Path) -> None:
    """Raise `DataError` for a device, a pipe or a socket: it may have no end."""
    there = Path(path)
    with reading(str(path)):
        is_special = there.exists() and not (there.is_file() or there.is_dir())
    if is_special and str(path) != STANDARD_STREAM:
        reason = "it is no ordinary file (- is standard input)"
        raise DataError(f"cannot read {path}: {reason}", "cannot_read", file=path, reason=reason)


def read_file(path: Path) -> bytes:
    """Return the content of an ordinary file; see `check_is_ordinary`."""
    check_is_ordinary(path)
    return path.read_bytes()


def check_is_no_input(output: _Path, inputs: Iterable[_Path]) -> None:
    """Raise `DataError` if an output is one of the inputs, through whatever links."""
    if any(str(path) != STANDARD_STREAM and is_same_file(output, path) for path in inputs):
        raise DataError(f"{output} is the input itself: choose another output")


def check_target(path: _Path, *, overwrite: bool = False, kind: FolderKind | None = None) -> None:
    """Raise `DataError` if an output exists unasked or is of another kind, or has no place."""
    target = real_path(path)
    with writing(str(path)):
        _check_takes_files(target.parent)
        if not os.path.lexists(target):
            return
        fits = target.is_dir() if kind else target.is_file()
        what = "a directory" if target.is_dir() else "no ordinary file (- is standard output)"
        if not fits:
            what = "a file, and what is written is a folder" if kind else what
            raise DataError(f"cannot write {path}: it is {what}", "is_folder", file=path)
        there = (one.relative_to(target) for one in target.rglob("*") if not one.is_dir())
        held = [one.as_posix() for one in there]
    if kind and not held:
        return
    if not overwrite:
        raise _exists_already(path)
    is_marked = kind and any(name.endswith(kind.mark) for name in held)
    patterns = kind.patterns if kind else ()
    is_known = all(any(fnmatchcase(one, of) for of in patterns) for one in held)
    if kind and not (is_marked and is_known):
        raise DataError(
            f"cannot replace {path}: it holds files of another kind; choose another folder"
        )


def _exists_already(path: _Path) -> DataError:
    return DataError(
        f"{path} exists already: add --overwrite to replace it, or choose another output",
        "exists",
        file=path,
    )


def real_path(path: _Path) -> Path:
    """Return the path that links lead to; circular links are no error."""
    return Path(os.path.realpath(path))


def is_same_file(one: _Path, other: _Path) -> bool:
    """Return whether two paths lead to one file, or would if it existed."""
    with suppress(OSError):  # one of them is not there, or cannot be looked at
        return Path(one).samefile(other)
    return real_path(one) == real_path(other)


def _check_takes_files(folder: Path) -> None:
    # The dot makes a file in the place of the folder an error.
    os.stat(f"{folder}/.")  # noqa: PTH116 (Path drops the dot)
    effective = os.access in os.supports_effective_ids
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
