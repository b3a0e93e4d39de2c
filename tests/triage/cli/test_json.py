"""Each command prints with ``--json`` what its golden file in ``json/`` holds.

A file that is missing is written, and the test fails once, so that it is read.
"""

import json
import re
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run, Write, commands
from tests.triage.conftest import SAMPLE
from triage.queue import Queue, WordRule

CASES = cases_beside(__file__)

GOLDEN = Path(__file__).parent / "json"
MESSAGES = (
    "Coucou Patrice, appelle moi au 06 39 98 12 34",
    "j'arrive dans 5 minutes",
    "vois avec Namrata stp",
    "on mange chez Xqztlu ce soir ?",
)
# In the order in which a corpus goes through them; each finds what those before have written.
STORY = CASES["story"]


@pytest.fixture
def folder(csv_of: Write) -> None:
    csv_of(*MESSAGES)
    Path("sample_fr.csv").symlink_to(SAMPLE)


def shape(value: object) -> object:
    """Return a result without what the lists and the model of a version decide: its numbers."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        shapes = [shape(one) for one in value]
        return [one for i, one in enumerate(shapes) if one not in shapes[:i]][:3]
    if isinstance(value, bool) or value is None:
        return value
    return (
        type(value).__name__ if isinstance(value, int | float) else re.sub(r"\d", "0", str(value))
    )


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_each_command_prints_what_its_golden_file_holds(run: Run) -> None:
    printed = {}
    for command, arguments in STORY.items():
        if command == "queue apply":
            with Queue.open(Path("work.queue")) as queue:
                queue.decide_word("anna", "Namrata", WordRule.ALWAYS)
                queue.decide_word("anna", "Xqztlu", WordRule.NEVER)
        done = run(*command.split(), *arguments.split(), "--json")
        assert done.returncode in (0, 1), done.stderr
        printed[command] = shape(json.loads(done.stdout))
    golden = {command: GOLDEN / f"{command.replace(' ', '-')}.json" for command in printed}
    missing = [command for command, path in golden.items() if not path.exists()]
    for command in missing:
        text = json.dumps(printed[command], ensure_ascii=False, indent=1) + "\n"
        golden[command].write_text(text, encoding="utf-8")
    assert not missing, "golden files were missing and are written: read them, and run again"
    for command, path in golden.items():
        assert printed[command] == json.loads(path.read_text(encoding="utf-8")), command


def test_every_command_with_the_option_is_tested() -> None:
    with_option = {
        path
        for path, command in commands()
        if any("--json" in option.opts for option in command.params)
    }
    assert with_option == {*STORY}
