"""Fixtures of this room: a cache of their own, the command line, a known model."""

import functools
import gc
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import typer.main

from tests.cases import cases_beside
from tests.processes import done_by
from tests.triage.cli.program import one_line
from triage import Triage, data
from triage.cli.main import main
from triage.data import Chunk, MessageFile
from triage.decide.policy import covered
from triage.dictionaries import Lexicon, load_lexicon
from triage.features import FeatureSet
from triage.model.annotated import AnnotatedMessages
from triage.model.learn import UndersampledBaggedTrees, learn, trees_for
from triage.model.learnt import Model, save_model, shipped_model

SAMPLE = Path(data.__file__).parent / "sample_fr.csv"


@pytest.fixture(scope="session", autouse=True)
def load_once(french: Lexicon) -> Iterator[None]:
    """Spare each command in this process the loading of what never changes."""

    def load(language: str = "fr", **options: Any) -> Lexicon:
        return french if language == "fr" else load_lexicon(language, **options)

    with pytest.MonkeyPatch.context() as patch:
        for module in ("decide.pipeline", "model.learn", "dictionaries"):
            patch.setattr(f"triage.{module}.load_lexicon", load)
        patch.setattr("triage.decide.pipeline.shipped_model", functools.cache(shipped_model))
        # Typer makes the whole command line anew for each call, which a program runs once.
        patch.setattr("typer.main.get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def thinned(french: Lexicon) -> Lexicon:
    """Every twentieth word of the French lists: what is learnt of lists is learnt sooner."""
    return Lexicon(replace(one, words=sorted(one.words)[::20]) for one in french.lists)


@pytest.fixture(scope="session")
def shipped() -> Triage:
    """The pipeline as it is shipped."""
    return Triage.load("fr")


@pytest.fixture(scope="session")
def triaged_sample(load_once: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as ``triage classify`` decides it, with its record beside it; to be read only."""
    path = tmp_path_factory.mktemp("triaged") / "sms.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["triage", "classify", str(SAMPLE), "-o", str(path), "-q"])
        with suppress(SystemExit):
            main()
    return path


@pytest.fixture(scope="session")
def english_messages() -> list[str]:
    """Invented messages, whose words tell that they are English."""
    messages: list[str] = cases_beside(__file__, "english.toml")["messages"]
    return messages


def _few(features: FeatureSet, undersampling: str, seed: int) -> UndersampledBaggedTrees:
    trees: UndersampledBaggedTrees = trees_for(features, undersampling, seed).set_params(n_trees=5)
    return trees


@pytest.fixture(scope="module")
def few_trees() -> Iterator[pytest.MonkeyPatch]:
    """Learn few trees, in one thread, within a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("triage.model.learn.trees_for", _few)
        yield patch


LONG = "0 1 2 3 4 5 6 7 8 9"


@pytest.fixture(scope="session")
def numbers_are_ta() -> Model:
    """A model that has learnt that rows of numbers are TA and single words NTA."""
    messages, labels = ["ok", "Zoé", "pierre", *[LONG] * 3], ["NTA"] * 3 + ["TA"] * 3
    return learn(AnnotatedMessages(messages * 10, labels * 10), features="patel2013", cover=covered)


@pytest.fixture(scope="session")
def model_path(numbers_are_ta: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as a file."""
    path = tmp_path_factory.mktemp("models") / "numbers"
    save_model(numbers_are_ta, path)
    return path


@pytest.fixture
def run(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Callable[..., CompletedProcess[str]]]:
    """Run ``triage`` in this process, as on a machine of one core: what it printed, and its code.

    It runs in a folder of its own.
    Forking a process as large as that of the tests is slow, and from Python 3.12 on a warning.
    """
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    thresholds = gc.get_threshold()

    def run_main(*arguments: str | Path, stdin: bytes = b"") -> CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["triage", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsysbinary.readouterr()
        code = end.value.code or 0
        assert isinstance(code, int)
        return CompletedProcess(sys.argv, code, out.decode(), err.decode())

    yield run_main
    gc.set_threshold(*thresholds)


@pytest.fixture
def refused(run: Callable[..., CompletedProcess[str]]) -> Callable[..., str]:
    """Run a command that must end with one clear line and exit code 2; return the line."""
    return lambda *arguments, stdin=b"": one_line(run(*arguments, stdin=stdin))


@pytest.fixture
def shell(own_folder: Path) -> Callable[..., CompletedProcess[str]]:
    """Run a shell command, in a folder of its own, in which ``triage`` is the program."""

    function = f'triage() {{ "{sys.executable}" -m triage "$@"; }}\n'
    return lambda command: done_by("bash", "-c", function + command, folder=own_folder)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the name of a file each time that it is read."""
    names: list[str] = []
    chunks = MessageFile.chunks

    def noting(file: MessageFile, **how: bool) -> Iterator[Chunk]:
        names.append(Path(file.name).name)
        return chunks(file, **how)

    monkeypatch.setattr(MessageFile, "chunks", noting)
    return names
