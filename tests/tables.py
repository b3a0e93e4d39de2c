"""Files beside a corpus: tables of CSV as a spreadsheet has them, keys, all files of a folder."""

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes

from triage.anonymise.keys import KEY_BYTES
from triage.safe import staged

Row = dict[str, str]


def read_rows(path: Path) -> list[Row]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def contents(folder: Path | None = None) -> dict[str, bytes]:
    """Return the files of a folder, by default that one is in, by their paths in it."""
    above = folder or Path()
    files = (path for path in above.rglob("*") if path.is_file())
    return {path.relative_to(above).as_posix(): path.read_bytes() for path in files}


def write_key(path: Path) -> bytes:
    """Write a key file for a run to use."""
    key = token_bytes(KEY_BYTES)
    with staged(path, f"{key.hex()}\n".encode(), private=True) as file:
        file.commit()
    return key
