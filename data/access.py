"""Who may read an output: nobody who could not read its input."""

import os
from pathlib import Path

_PERMISSIONS = 0o666
_OWNER = 0o600


def give_access(path: Path, like: os.stat_result | None) -> None:
    """Let others read a new file as far as they may read another one, and the umask lets them.

    The file gets the group of the other one, too. Where that cannot be done, the group and all
    others get what both might do with the other file.

    Parameters
    ----------
    path : Path
    like : os.stat_result, optional
        Of the other file; by default the file is as readable as new files are.

    Raises
    ------
    OSError
        The file system refuses.
    """
    mode = _PERMISSIONS if like is None else like.st_mode & _PERMISSIONS
    if like is not None and not _has_group(path, like.st_gid):
        both = mode & (mode >> 3) & 0o006
        mode = mode & _OWNER | both << 3 | both
    path.chmod(mode & ~_umask())


def _has_group(path: Path, group: int) -> bool:
    """Return whether a file has a group, which it is given if it may be."""
    if path.stat().st_gid == group:
        return True
    try:
        os.chown(path, -1, group)
    except OSError:
        return False
    return True


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
