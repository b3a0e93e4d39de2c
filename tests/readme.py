"""The README's outputs, made by running the commands above them: ``make readme``."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_SESSION = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```", re.DOTALL)


def rendered(text: str) -> str:
    """Return a text with the output of each console command as it is printed now."""
    for earlier in (ROOT / "build").glob("*.queue*"):
        earlier.unlink()
    return _SESSION.sub(lambda match: _session(match["command"]), text)


def _session(command: str) -> str:
    return f"```console\n$ {command}\n{_output(command)}```"


def _output(command: str) -> str:
    (ROOT / "build").mkdir(exist_ok=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        shlex.split(command),
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    README.write_text(rendered(README.read_text(encoding="utf-8")), encoding="utf-8")
