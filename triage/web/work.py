"""The process of a step: runs a command of the program, and ends it if the server ends.

Its standard input is a pipe that the server holds open. A server that is killed closes it, too; the
command is then interrupted, and leaves nothing half-written.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

_SECONDS_TO_END = 10.0
_PROGRAM, _FIGURES = "triage", "triage.web.keeping"


def main(arguments: Sequence[str], step: str) -> int:
    """Run a command until standard input is closed; return its code."""
    code = _run(_PROGRAM, *arguments)
    if not code:
        _run(_FIGURES, step)
    return code


def _run(module: str, *arguments: str) -> int:
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as running:  # noqa: S603 (ourselves)
        threading.Thread(target=_interrupt_at_end, args=(running,), daemon=True).start()
        return running.wait()


def _interrupt_at_end(running: "subprocess.Popen[bytes]") -> None:
    # Without a buffer, whose lock would abort the interpreter when it ends.
    while os.read(sys.stdin.fileno(), 1):
        pass
    running.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
    try:
        running.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        running.kill()


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2]))
