"""Fixtures of this room: a triaged file, the command on it, and its refusals."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Refused, Run

# A word of messages that no error, report or list may hold.
MARKER = "zyxsecret"


def each(cases: dict[str, list[Any]]) -> list[tuple[str, Any]]:
    """Return the cases of a table one by one, each behind its key."""
    return [(key, case) for key, several in cases.items() for case in several]


@pytest.fixture
def triaged(request: pytest.FixtureRequest, own_folder: Path) -> Path:
    """The messages of the cases of a module as a file."""
    path = Path("sms.triage.csv")
    path.write_text(cases_beside(request.module.__file__)["triaged"])
    return path


@pytest.fixture
def anonymise(run: Run, triaged: Path) -> Run:
    return lambda *options: run("anonymise", triaged, "-o", Path("anon.csv"), *options)


@pytest.fixture
def done(run: Run) -> Run:
    """Run a command that must end well and warn of nothing."""

    def run_well(*arguments: str | Path) -> CompletedProcess[str]:
        ended = run(*arguments)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended

    return run_well


@pytest.fixture
def refused(refused: Refused) -> Refused:
    """Run a command that must end with one clear line, in which no message stands, and no file."""

    def told(*arguments: str | Path, stdin: bytes = b"") -> str:
        before = {*Path().iterdir()}
        line = refused(*arguments, stdin=stdin)
        assert MARKER not in line
        assert {*Path().iterdir()} == before
        return line

    return told


@pytest.fixture
def not_anonymised(refused: Refused, triaged: Path) -> Refused:
    """Be refused to anonymise that file; return the one line of the error."""
    return lambda *options: refused("anonymise", triaged, "-o", Path("anon.csv"), *options)
