"""The corpus's own lists, as files that `triage classify` takes."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import TriageError

_OWNER_ONLY = 0o600


def check_list(path: Path, words: Sequence[str]) -> None:
    """Raise an error where there is no list to write, or something in its place.

    Parameters
    ----------
    path : Path
    words : sequence of str

    Raises
    ------
    TriageError
        If the list is empty, or there is such a file already.
    """
    if not words:
        raise TriageError(f"there is no word to write to {path}: none was decided")
    if path.exists():
        raise TriageError(f"{path} is there already: choose another name")


def write_list(path: Path, words: Sequence[str]) -> None:
    r"""Write a list of words, a word a line, to a file that only its owner may read.

    Parameters
    ----------
    path : Path
    words : sequence of str

    Raises
    ------
    TriageError
        If the list is empty, there is such a file already, or it cannot be written.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "names.txt"
    >>> write_list(path, ["namrata"])
    >>> path.read_text(encoding="utf-8")
    'namrata\n'
    """
    check_list(path, words)
    text = "".join(f"{word}\n" for word in words)
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise TriageError(f"{path} is there already: choose another name") from None
    except OSError as error:
        raise TriageError(f"cannot write {path}: {error.strerror}") from None
