"""Each error of a file has its words, with values that are there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage.data.errors import words_of

LINES: dict[str, str] = words_of("errors")
# What makes an error, with the value that it gives without being told.
MAKERS = {"fault": {"file", "instead"}, "refusing": {"file", "error"}}


def _made() -> Iterator[tuple[str, set[str]]]:
    """Yield which error each call in the modules makes, and the values that it gives."""
    for path in sorted(Path(__file__).parents[2].glob("data/*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            maker = getattr(call.func, "id", "")
            # Calls may be made later, with what comes first already.
            first = call.args[1:] if maker == "partial" else call.args
            maker = getattr(call.args[0], "id", "") if maker == "partial" else maker
            if maker in MAKERS:
                which = first[1 if maker == "refusing" else 0]
                if isinstance(which, ast.Constant):
                    given = {str(one.arg) for one in call.keywords}
                    yield str(which.value), MAKERS[maker] | given


@pytest.mark.parametrize(("which", "given"), list(_made()))
def test_its_line_has_the_values_that_are_given(which: str, given: set[str]) -> None:
    assert {*re.findall(r"\{(\w+)", LINES[which])} <= given


def test_no_line_is_left_over() -> None:
    # Those that are named by a format or a variable.
    others = {"damaged.xlsx", "damaged.ods", "no_messages.lines", "no_messages.array"}
    others |= {"control_character", "control_character.replacement"}
    assert {*LINES} == {which for which, _ in _made()} | others
