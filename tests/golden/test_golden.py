"""The results of the cases are those that were recorded.

Here are the groups of what most users run; ``make golden`` holds all others to the record, too.
"""

from pathlib import Path

import pytest

from tests.golden.record import differences, results_of


@pytest.mark.parametrize("group", ["classify", "queue", "review"])
def test_results_are_those_recorded(group: str, tmp_path: Path) -> None:
    assert differences(group, results_of(group, tmp_path)) == []
