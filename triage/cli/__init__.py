"""The command line: ``triage``."""

import os
import signal
import sys
from typing import NoReturn

# The exit codes that a shell reports of a program ended by SIGINT, and by SIGTERM.
INTERRUPTED, TERMINATED = 130, 143


def run() -> NoReturn:
    """Run the program, and end without freeing the dictionaries, which would take 0.2 s."""
    # Threads of numpy's linear algebra would start with it, and wait for work that never comes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    status = 0
    # As Ctrl-C does, it removes what is unfinished.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        from .main import main

        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    except KeyboardInterrupt:
        sys.stderr.write("triage: interrupted\n")
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    if sys.argv[1:2] == ["evaluate"]:
        # Its worker processes are shut down.
        sys.exit(status)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
