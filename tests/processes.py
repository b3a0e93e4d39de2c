"""Programs that are run in a process of their own."""

import os
import subprocess
from pathlib import Path


def done_by(
    *command: str | Path, folder: Path | None = None, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end in a folder, with further variables."""
    variables = os.environ | environment
    return subprocess.run(
        command, input=stdin, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def printed_by(*command: str | Path, folder: Path | None = None, **environment: str) -> str:
    """Return what a program prints that must succeed."""
    done = done_by(*command, folder=folder, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
