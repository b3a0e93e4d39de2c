"""The example of the documentation for another language runs as it stands there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parent.parent / "docs" / "reference" / "programs.md"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_a_program_in_javascript_gets_its_answers(tmp_path: Path) -> None:
    [program] = re.findall(r"```js\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    command = tmp_path / "triage"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m triage "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        env={
            **os.environ,
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(DOCUMENT.parents[1]),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == re.findall(r"// (\w+)", program) == ["TA", "NTA"]
