"""Modules are loaded when they are needed: a start waits for no others."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.triage.cli.program import Write

HEAVY = ["numpy", "pandas", "scipy", "sklearn", "imblearn", "joblib", "matplotlib", "pyarrow"]


def loaded_by(program: str) -> set[str]:
    """Return which of the heavy libraries a program has loaded when it ends."""
    end = f"\nprint('loaded', *sorted({set(HEAVY)} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + program + end],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split()[1:])


def running(*arguments: str | Path) -> str:
    """Return a program that runs a command in its own process."""
    return (
        "from triage.cli.main import main\n"
        f"sys.argv = ['triage', *{list(map(str, arguments))}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end"
    )


def test_importing_the_library_loads_nothing_heavy() -> None:
    assert loaded_by("import triage") == set()


def test_the_library_offers_its_pipeline() -> None:
    program = "import triage\nassert triage.Triage.__name__ == 'Triage'\nassert triage.__version__"
    assert loaded_by(program) <= {"numpy"}


def test_a_name_that_the_library_has_not_is_an_error() -> None:
    import triage

    with pytest.raises(AttributeError, match="no attribute 'Absent'"):
        triage.Absent  # noqa: B018


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["queue", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_by(running(*arguments)) == set()


@pytest.mark.slow
@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize("command", ["classify", "explain"])
def test_deciding_does_not_wait_for_what_learns(command: str, csv_of: Write) -> None:
    argument = csv_of("Coucou Patrice") if command == "classify" else "Coucou Patrice"
    assert loaded_by(running(command, argument)) <= {"numpy"}
