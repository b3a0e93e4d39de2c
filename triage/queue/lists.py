"""The corpus's own lists, as files that `triage classify` takes."""

from collections.abc import Sequence
from pathlib import Path

from triage.data.staging import write_file

from ..errors import TriageError


def check_list(path: Path, words: Sequence[str]) -> None:
    """Raise an error where there is no list to write.

    Raises
    ------
    TriageError
        If the list is empty.
    """
    if not words:
        raise TriageError(f"there is no word to write to {path}: none was decided")


def write_list(path: Path, words: Sequence[str], *, overwrite: bool = False) -> None:
    r"""Write a list of words, a word a line, to a file that only its owner may read.

    Parameters
    ----------
    overwrite : bool, default False
        Whether a file that is there is replaced.

    Raises
    ------
    DataError
        If the file cannot be written, or is there and may not be replaced.
    TriageError
        If the list is empty.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "names.txt"
    >>> write_list(path, ["namrata"])
    >>> path.read_text(encoding="utf-8")
    'namrata\n'
    """
    check_list(path, words)
    text = "".join(f"{word}\n" for word in words)
    write_file(path, text.encode(), private=True, overwrite=overwrite)
