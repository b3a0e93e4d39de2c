"""Hold a process at a given moment, so that a test can end it right then.

Python imports this module at the start of each process whose path holds this folder.
"""

import os
import sys
import time
from pathlib import Path


def _hold_at(moment: str, held: Path) -> None:
    event, _, named = moment.partition(":")
    process = os.getpid()

    def hook(what: str, arguments: tuple[object, ...]) -> None:
        if what != event or named not in str(arguments[0]) or held.exists():
            return
        if process == os.getpid():
            held.write_text(str(process))
            while True:
                time.sleep(0.02)

    sys.addaudithook(hook)


# The command line of a step has "triage", that of the server "-c".
if os.environ.get("TRIAGE_HOLD_IN") in sys.orig_argv:
    _hold_at(os.environ["TRIAGE_HOLD"], Path(os.environ["TRIAGE_HELD"]))
