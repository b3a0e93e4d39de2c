"""The command line: ``triage``."""

import os
import sys
from typing import NoReturn

# The exit code that a shell reports of a program ended by SIGINT.
INTERRUPTED = 130


def run() -> NoReturn:
    """Run the program; Ctrl-C ends it in one line while it is being loaded, too."""
    # Threads of numpy's linear algebra would start with it, and wait for work that never comes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from .main import run as run_commands

        run_commands()
    except KeyboardInterrupt:
        sys.stderr.write("triage: interrupted\n")
        sys.stderr.flush()
        os._exit(INTERRUPTED)
