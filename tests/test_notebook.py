"""The notebook of the documentation shows what its cells give."""

import subprocess
import sys
from typing import Any

import pytest

from tests.notebook import NOTEBOOK, run

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


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    cell: dict[str, Any] = {"cell_type": "code", "source": ["x = 2\n", "print(x)\n", "x + 1"]}
    run({"cells": [cell, {"cell_type": "markdown", "source": ["x"]}]})
    printed, value = cell["outputs"]
    assert printed == {"name": "stdout", "output_type": "stream", "text": ["2\n"]}
    assert value["data"] == {"text/plain": ["3"]}
