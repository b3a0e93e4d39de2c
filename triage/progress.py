"""Progress of a command in a file, for a program that has started it.

Examples
--------
>>> path = getfixture("tmp_path") / "progress.json"
>>> report = reporting(path)(66_000)
>>> report(6_000)
>>> read_progress(path)
Progress(done=6000, of=66000)
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .safe import write_file

# The environment variable that names the file.
PROGRESS_FILE = "TRIAGE_PROGRESS"

# What long work calls after each part, with its size; and first, with the size of all parts if that
# is known, to get it.
AddProgress = Callable[[int], None]
StartProgress = Callable[[int | None], AddProgress]


class Progress(NamedTuple):
    """Messages that were seen, and all of them; None where their number is unknown."""

    done: int
    of: int | None


def reporting(path: Path) -> StartProgress:
    """Return a start of progress that is kept in a file."""

    def start(rows: int | None) -> AddProgress:
        done = 0

        def add(n: int) -> None:
            nonlocal done
            done += n
            _write(path, Progress(done, rows))

        _write(path, Progress(0, rows))
        return add

    return start


def _write(path: Path, progress: Progress) -> None:
    write_file(path, json.dumps(progress._asdict()).encode(), private=True, overwrite=True)


def read_progress(path: Path) -> Progress | None:
    """Return the progress in a file; None where there is none."""
    try:
        return Progress(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
