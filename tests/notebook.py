"""The notebook of the documentation, run anew: ``make notebook``.

Its cells are those of the file, its outputs what they give now.
"""

import ast
import json
import os
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

NOTEBOOK = Path(__file__).parent.parent / "docs" / "python.ipynb"


def run(notebook: dict[str, Any]) -> str:
    """Run the cells of a notebook, and return it with their outputs."""
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        cell["execution_count"] = number
        cell["outputs"] = _outputs("".join(cell["source"]), number, names)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _outputs(source: str, number: int, names: dict[str, object]) -> list[dict[str, Any]]:
    """Run a cell; its output is what it prints, then the value of its last expression."""
    *before, last = ast.parse(source).body
    name, values = f"cell {number}", list[object]()
    with redirect_stdout(StringIO()) as printed, patch("sys.displayhook", values.append):
        exec(compile(ast.Module(before, []), name, "exec"), names)  # noqa: S102
        exec(compile(ast.Interactive([last]), name, "single"), names)  # noqa: S102
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
    shown = {"execution_count": number, "metadata": {}, "output_type": "execute_result"}
    outputs += [{"data": _data(value), **shown} for value in values if value is not None]
    return outputs


def _data(value: object) -> dict[str, list[str]]:
    """Return a value as a notebook shows it."""
    data = {"text/plain": _lines(repr(value))}
    if html := getattr(value, "_repr_html_", None):
        data["text/html"] = _lines(html())
    return data


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    os.chdir(NOTEBOOK.parent)
    warnings.simplefilter("error")
    done = run(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(done)
    else:
        NOTEBOOK.write_text(done, encoding="utf-8")


if __name__ == "__main__":
    main()
