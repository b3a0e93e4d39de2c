"""Documents show what their commands print."""

import doctest
from pathlib import Path

import pytest

from tests.readme import DOCUMENTS, README, rendered

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_outputs_are_those_of_the_commands_above_them(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert "$ triage" in text
    assert rendered(text) == text


@pytest.mark.parametrize("document", [README, README.parent / "docs" / "reference" / "python.md"])
def test_python_examples_give_what_they_show(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(README.parent)
    results = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert results.attempted >= 3
    assert results.failed == 0
