"""The rejects file: what couldn't be read, where it was, and why."""

from collections.abc import Sequence
from pathlib import Path

from triage.data.csv_writer import CsvWriter
from triage.data.errors import writing
from triage.data.formats import Dialect, Format
from triage.data.staging import StagedFile
from triage.data.table import Reject

_OWNER_ONLY = 0o600


def write_rejects(path: str | Path, rejects: Sequence[Reject]) -> None:
    r"""Write rejected rows to a CSV file that only its owner may read; none, no file.

    Bytes that could not be decoded show as ``\x92``, and what a spreadsheet would run as a
    formula is made inert.

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
    if not rejects:
        return
    stage = StagedFile(Path(path), _OWNER_ONLY)
    try:
        with writing(stage.name):
            _write(stage, rejects)
    finally:
        stage.discard()


def _write(stage: StagedFile, rejects: Sequence[Reject]) -> None:
    dialect = Dialect(Format.CSV)
    writer = CsvWriter(stage.file, ["line", "reason", "row"], dialect, guard_formulas=True)
    writer.write([[reject.line, reject.reason, _visible(reject.raw)] for reject in rejects], 1)
    stage.close()
    stage.publish()


def _visible(raw: str) -> str:
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
