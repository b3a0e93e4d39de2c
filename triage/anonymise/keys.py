"""Key files: what pseudonyms follow from, and who may read it.

Who has the key can try names and see whether their pseudonyms come out, so that it stays with
the corpus that was not anonymised, or is deleted.
"""

import os
import re
import secrets
from pathlib import Path

from triage.data.staging import write_file

from ..errors import TriageError

KEY_BYTES = 32
_OTHERS = 0o077
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{64}\s*")


def make_key(path: str | Path) -> bytes:
    """Make a key file that only its owner may read, and return its key.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    bytes
        32 random bytes; the file holds them as 64 hexadecimal digits.

    Raises
    ------
    DataError
        If it cannot be written.
    TriageError
        If there is such a file already: it is never replaced.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "corpus.key"
    >>> make_key(path) == read_key(path)
    True
    """
    path = Path(path)
    if path.exists():
        raise TriageError(f"{path} is there already: use it as the key, or choose another name")
    key = secrets.token_bytes(KEY_BYTES)
    write_file(path, f"{key.hex()}\n".encode("ascii"), private=True)
    return key


def read_key(path: str | Path) -> bytes:
    """Read the key of a key file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    bytes
        32 bytes.

    Raises
    ------
    TriageError
        If it cannot be read, is no key file, or others than its owner may read or change it.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(4 * KEY_BYTES)
        owned = _is_owned(path)
    except OSError as error:
        raise TriageError(f"cannot read the key file {path}: {error.strerror}") from None
    _check_access(path, mode, owned=owned)
    if not _HEXADECIMAL.fullmatch(content):
        raise TriageError(
            f"{path} is no key file: it must hold {2 * KEY_BYTES} hexadecimal digits and nothing"
            " else; --new-key makes one under a name that is not taken"
        )
    return bytes.fromhex(content.decode("ascii"))


def _is_owned(path: Path) -> bool:
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


def _check_access(path: Path, mode: int, *, owned: bool) -> None:
    # Where there are no owners (Windows), the modes say nothing.
    if not hasattr(os, "getuid"):
        return
    if not owned:
        raise TriageError(f"the key file {path} belongs to somebody else: make a key of your own")
    if mode & _OTHERS:
        raise TriageError(
            f"others may read or change the key file {path}: chmod 600 it, or, if they may have"
            " read it, make another key"
        )
