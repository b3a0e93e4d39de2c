"""``triage check`` shares the rows of a file among processes: the result is that of one."""

import csv
import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.triage.cli.program import Run
from triage.anonymise.check import read_chunk
from triage.decide.corpus import ScoredChunk
from triage.decide.people import People

COLUMNS = ("id", "text", "note")
# Rows 2 and 6 hold what was replaced in row 1, and row 5 a number in another column.
BEFORE = (
    ("1", "Coucou Patrice", "ok"),
    ("2", "ah patrice !", "ok"),
    ("3", "rien ce soir", "ok"),
    ("4", "Slt Karim", "ok"),
    ("5", "oui", "06 39 98 12 34"),
    ("6", "et Patrisse alors", "ok"),
    ("7", "bisous", "ok"),
)
REPLACED = {"1": "Coucou <PRE_7>", "4": "Slt <PRE_5>"}


@pytest.fixture
def check(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Check messages in chunks of two rows."""
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", 2)
    anonymised = [(id_, REPLACED.get(id_, text), note) for id_, text, note in BEFORE]
    for name, rows in (("sms.csv", BEFORE), ("anon.csv", anonymised)):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *rows])

    def checked(*options: str) -> CompletedProcess[str]:
        return run("check", tmp_path / "anon.csv", "--against", tmp_path / "sms.csv", *options)

    return checked


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Let something happen in the worker that reads messages first."""

    def happens(what: Callable[[], None]) -> None:
        here = os.getpid()

        def looking(people: People | None, at: int, seen: ScoredChunk) -> object:
            if os.getpid() != here:
                what()
            return read_chunk(people, at, seen)

        monkeypatch.setattr("triage.anonymise.check.read_chunk", looking)

    return happens


@pytest.mark.parametrize("jobs", ["2", "3"])
def test_any_number_of_processes_finds_the_same(jobs: str, check: Run) -> None:
    told = check("--json", "--show", "--jobs", "1")
    assert {f'"row": {row},' in told.stdout for row in (2, 5, 6)} == {True}
    assert check("--json", "--show", "--jobs", jobs).stdout == told.stdout


def test_a_worker_searches_messages_beside_the_first_process(
    check: Run, elsewhere: Callable[..., None], tmp_path: Path
) -> None:
    def note() -> None:
        (tmp_path / f"{os.getpid()}.pid").touch()

    elsewhere(note)
    check("--jobs", "2")
    assert len([*tmp_path.glob("*.pid")]) == 1


def test_a_worker_that_is_killed_is_one_clear_line(
    check: Run, elsewhere: Callable[..., None]
) -> None:
    elsewhere(lambda: os.kill(os.getpid(), signal.SIGKILL))
    done = check("--jobs", "2")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "was killed, perhaps for want of memory" in done.stderr
    assert multiprocessing.active_children() == []
