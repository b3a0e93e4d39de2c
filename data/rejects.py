"""The rejects file: what couldn't be read, where it was, and why."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from triage.data.output import OutputFile, create_output
from triage.data.table import Reject

_COLUMNS = ("line", "reason", "row")


@contextmanager
def rejects_output(
    path: str | Path, rejects: Sequence[Reject], *, overwrite: bool = False
) -> Iterator[OutputFile]:
    """Give an output with rejected rows, to be committed together with others.

    Parameters
    ----------
    path : str or Path
        Its extension tells the format, CSV as a rule.
    rejects : sequence of Reject
    overwrite : bool, default False
        Whether a file at the path is replaced.

    Raises
    ------
    DataError
        The path can't be written.
    """
    with create_output(
        path, _COLUMNS, private=True, guard_formulas=True, overwrite=overwrite
    ) as output:
        output.write([reject.line, reject.reason, _visible(reject.raw)] for reject in rejects)
        yield output


def write_rejects(path: str | Path, rejects: Sequence[Reject], *, overwrite: bool = False) -> None:
    r"""Write rejected rows to a CSV file that only its owner may read; none, no file.

    Bytes that could not be decoded show as ``\x92``, and what a spreadsheet would run as a
    formula is made inert.

    Parameters
    ----------
    path : str or Path
    rejects : sequence of Reject
    overwrite : bool, default False
        Whether a file at the path is replaced.

    Raises
    ------
    DataError
        The path can't be written.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "sms.rejects.csv"
    >>> write_rejects(path, [Reject(7, "2 fields where the header has 3", "12,Coucou Zoé")])
    >>> path.read_text(encoding="utf-8").splitlines()
    ['line,reason,row', '7,2 fields where the header has 3,"12,Coucou Zoé"']
    """
    if rejects:
        with rejects_output(path, rejects, overwrite=overwrite) as output:
            output.commit()


def _visible(raw: str) -> str:
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
