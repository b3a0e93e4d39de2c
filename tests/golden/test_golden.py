"""The results of the cases are those that were recorded; ``make golden`` runs the slow ones too."""

from pathlib import Path

import pytest

from tests.golden.record import differences, groups, results_of


@pytest.mark.parametrize("group", [one.name for one in groups() if not one.slow])
def test_results_are_those_recorded(group: str, tmp_path: Path) -> None:
    assert differences(group, results_of(group, tmp_path)) == []
