"""Commands in a folder of their own, one after another: what they print, and what they leave.

A story of a ``stories.toml`` of any room names files and their ``encoding``, the commands that run
(``< FILE`` is standard input), the exit code of the last one, what it ``says`` on standard output
and ``tells`` on standard error, how many ``lines`` a refusal has if not one, what it ``hides`` from
both, what is printed as ``json``, all names in the folder that it ``leaves``, and what files hold,
lack, from which other file each is the ``same`` or ``differs``, and who may read them. Its
``environment`` has the variables behind ``TRIAGE_``, and what is ``appended`` stands in its file
before the last command runs. ``DECIDE`` and ``RULE`` among the commands are what anna does on the
pages of a queue, ``EDIT`` changes what an expression finds in a file. No command but the last may
be refused.
"""

import json
import shlex
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.tables import contents
from tests.triage.cli.program import Run, by_hand
from tests.triage.conftest import SAMPLE
from tests.triage.queue.corpora import everything

ROOMS = sorted(Path(__file__).parents[1].glob("*/stories.toml"))
STORIES = {name: story for path in ROOMS for name, story in cases_beside(str(path)).items()}
PACK = Path(__file__).parents[2] / "packs" / "ca"


def left() -> dict[str, object]:
    """Return what stands in the folder; of a queue, in which opening writes, what it holds."""
    found: dict[str, object] = {**contents()}
    for path in Path().rglob("*.queue"):
        with closing(sqlite3.connect(path)) as connection:
            found[str(path)] = everything(connection)
    return found


def done_by(run: Run, command: str) -> CompletedProcess[str]:
    words, *stdin = command.split(" < ")
    given = shlex.split(words)
    if given[0] in ("DECIDE", "RULE", "EDIT"):
        by_hand(*given)
        return CompletedProcess(given, 0, "", "")
    return run(*given, stdin=Path(*stdin).read_bytes() if stdin else b"")


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_story_ends_as_it_is_told(
    story: dict[str, Any], run: Run, model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.decide.source.CHUNK_ROWS", story.get("rows_at_once", 2_000))
    for name, content in story.get("files", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode(story.get("encoding", "utf-8")))
    for name, mode in story.get("chmod", {}).items():
        Path(name).chmod(int(mode, 8))
    for name, value in story.get("environment", {}).items():
        monkeypatch.setenv(f"TRIAGE_{name}", value)
    paths = {"sample": SAMPLE, "model": model_path, "pack": PACK}
    *first, last = (one.format(**paths) for one in story["run"])
    for command in first:
        done = done_by(run, command)
        # A publication may be prevented.
        assert done.returncode < 2, done.stderr
    for name, more in story.get("appended", {}).items():
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(more)
    before = left()
    done = done_by(run, last)
    assert done.returncode == story.get("code", 0), done.stderr
    if done.returncode == 2:
        lines = done.stderr.count("\n")
        assert (done.stdout, lines, left()) == ("", story.get("lines", 1), before)
    check_printed(story, done)
    check_left(story)


def check_printed(story: dict[str, Any], done: CompletedProcess[str]) -> None:
    for printed, parts in ((done.stdout, "says"), (done.stderr, "tells")):
        assert all(part in printed for part in story.get(parts, ())), printed
        assert story.get(parts) != [] or not printed
        assert not any(part in printed.lower() for part in story.get("hides", ()))
    told = json.loads(done.stdout) if "json" in story else {}
    assert {key: told[key] for key in story.get("json", {})} == story.get("json", {})


def check_left(story: dict[str, Any]) -> None:
    names = sorted(path.name for path in Path().iterdir())
    assert names == story.get("leaves", names)
    for name, parts in story.get("holds", {}).items():
        assert all(part in Path(name).read_bytes().decode() for part in parts), name
    for name, parts in story.get("lacks", {}).items():
        assert not any(part in Path(name).read_text(encoding="utf-8") for part in parts), name
    for name, other in story.get("same", {}).items():
        assert Path(name).read_bytes() == Path(other).read_bytes()
    for name, other in story.get("differs", {}).items():
        assert Path(name).read_bytes() != Path(other).read_bytes()
    for name, mode in story.get("modes", {}).items():
        assert f"{stat.S_IMODE(Path(name).stat().st_mode):o}" == mode
