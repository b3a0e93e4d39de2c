"""Progress of a command in a file, for a program that has started it."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import NamedTuple

from .safe import write_file

# The environment variable that names the file.
PROGRESS_FILE = "TRIAGE_PROGRESS"

# What long work calls after each part, with its size; and first, with the size of all parts if that
# is known and its name, to get it.
AddProgress = Callable[[int], None]
StartProgress = Callable[[int | None, str], AddProgress]


class Progress(NamedTuple):
    """Messages seen in a part of the work, and all of them; None where that is unknown."""

    done: int
    of: int | None
    part: int = 1


def reporting(path: Path) -> StartProgress:
    """Return a start of progress that is kept in a file."""
    parts = count(1)

    def start(rows: int | None, _: str) -> AddProgress:
        state = Progress(0, rows, next(parts))

        def add(n: int) -> None:
            nonlocal state
            state = state._replace(done=state.done + n)
            write_file(path, json.dumps(state._asdict()).encode(), private=True, overwrite=True)

        add(0)
        return add

    return start


def read_progress(path: Path) -> Progress | None:
    """Return the progress in a file; None where there is none."""
    try:
        return Progress(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
