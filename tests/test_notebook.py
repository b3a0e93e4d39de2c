"""The notebook of the documentation shows what its cells give."""

import subprocess
import sys

import pytest

from tests.notebook import NOTEBOOK

pytestmark = pytest.mark.slow


def test_the_outputs_are_what_the_cells_give() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.notebook", "--print"],
        cwd=NOTEBOOK.parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == NOTEBOOK.read_text(encoding="utf-8"), "run make notebook"
