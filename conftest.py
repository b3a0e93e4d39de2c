"""All tests keep what they compute in one cache, apart from the user's own."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from triage.dictionaries import Lexicon

# A test passes every time or never; `make fuzz` explores. A busy machine is slow, which is no
# failure, and fixtures are made so that examples may share them.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=20,
    suppress_health_check=list(HealthCheck),
)
settings.register_profile(
    "explore", settings.get_profile("repeatable"), derandomize=False, max_examples=1_000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_configure() -> None:
    """Let no process of a run compile a module that another one has compiled, nor collect often.

    Programs that tests start are those of this folder, wherever they run.
    """
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    gc.set_threshold(200_000, 50, 50)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives as long as the process: modules and tests."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Make a folder that all processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache(shared_folder: Path) -> Iterator[Path]:
    """Keep the compiled lists, made once, out of the user's own cache."""
    folder = shared_folder / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        with FileLock(shared_folder / "lock"):
            if not folder.exists():
                _fill()
        yield folder


@pytest.fixture(scope="session")
def french(cache: Path) -> "Lexicon":  # noqa: ARG001
    """Load the French pack as the program does."""
    from triage.dictionaries import load_lexicon

    return load_lexicon("fr")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _fill() -> None:
    """Compute the tables of the lists, which each process that needs them would else compute."""
    from triage import Triage

    Triage.load("fr")
