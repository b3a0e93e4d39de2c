"""A desk that is served, for a real browser."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SERVE = (
    "import sys; from pathlib import Path; from triage.desk.server import serve; "
    "serve(Path(sys.argv[1]), 'anna', port=int(sys.argv[2]), open_browser=False)"
)


@dataclass
class Served:
    """A server in a process of its own, and the address that it printed."""

    process: "subprocess.Popen[str]"
    link: str

    @property
    def address(self) -> str:
        """The address without the token."""
        return self.link.partition("/?")[0]

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serving_desk(home: Path, port: int = 0) -> Iterator[Served]:
    """Serve a folder of projects from a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(home), str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert process.stdout
    try:
        line = process.stdout.readline()
        assert line.startswith("Open http://"), line
        yield Served(process, line.split()[1])
    finally:
        process.kill()
        process.communicate()
