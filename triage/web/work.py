"""The process of a step: runs a command of the program, and ends it if the server ends.

The server holds its standard input open. What follows from a step is then kept for the pages.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

# The functions that work out what follows from a step.
_AFTER = {
    "queue": ("spellings.keep_likeliest",),
    "anonymise": ("replacing.held_back", "quality.bounds", "quality.sampled"),
    # No page waits for these.
    "": ("replacing.style_cards",),
}


def main(arguments: Sequence[str], step: str) -> int:
    """Run a command, if there is one, until standard input is closed; return its code."""
    # A server that a script started in the background ignores it, and so would the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = _run("triage", *arguments) if arguments else 0
    if not code and step in _AFTER:
        _run("triage.web.work", step)
    return code


def _run(module: str, *arguments: str) -> int:
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as running:  # noqa: S603 (ourselves)

        def interrupt_at_end() -> None:
            # Without a buffer, whose lock would abort the interpreter when it ends.
            while os.read(sys.stdin.fileno(), 1):
                pass
            running.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
            try:
                running.wait(10.0)
            except subprocess.TimeoutExpired:
                running.kill()

        threading.Thread(target=interrupt_at_end, daemon=True).start()
        return running.wait()


def keep_figures(folder: Path, step: str) -> None:
    """Work out the figures that follow from a step; a page tells why one cannot be."""
    from ..errors import UserError
    from .project import Project

    for module, _, name in (one.partition(".") for one in _AFTER.get(step, ())):
        try:
            getattr(import_module(f"triage.web.{module}"), name)(Project(folder))
        except (UserError, OSError):
            continue


if __name__ == "__main__":
    if len(sys.argv) == 2:
        keep_figures(Path.cwd(), sys.argv[1])
    else:
        sys.exit(main(json.loads(sys.argv[1]), sys.argv[2]))
