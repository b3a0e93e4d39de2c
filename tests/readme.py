"""The outputs in documents, made by running the commands above them: ``make readme``."""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from tests.processes import printed_by

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCUMENTS = (README, *(ROOT / "docs" / "guide" / name for name in ("publishing.md", "tools.md")))
_SESSION = re.compile(r"```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)```", re.DOTALL)


def rendered(text: str) -> str:
    """Return a text with the output of each console command as it is printed now.

    They run in a folder of their own, so that none finds what an earlier run has written.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data").symlink_to(ROOT / "data")
        (Path(folder) / "build").mkdir()
        return _SESSION.sub(lambda match: _session(match["command"], folder), text)


def _session(command: str, folder: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    printed = printed_by(*shlex.split(command), folder=Path(folder), PATH=path)
    return f"```console\n$ {command}\n{printed}```"


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(rendered(document.read_text(encoding="utf-8")), encoding="utf-8")
