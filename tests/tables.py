"""Tables of CSV as a person reads and changes them in a spreadsheet."""

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

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
