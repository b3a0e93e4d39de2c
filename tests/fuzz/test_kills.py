"""A command that is killed leaves nothing half-written, and running it again mends what it left."""

import pytest

from tests.fuzz.kills import COMMANDS, run

pytestmark = pytest.mark.slow


def test_killed_commands_leave_whole_files_or_none() -> None:
    counts = run(seconds=0, seed=1)

    assert counts.get("killed", 0) + counts.get("ended before it was killed", 0) == len(COMMANDS)
