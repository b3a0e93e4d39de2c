"""Runs the table of cases, group by group, and keeps a hash of each result in hashes.toml.

To record anew what a change of intent has changed: ``python -m tests.golden record``, and name
each changed hash with its reason. Where a hash differs, ``check --keep DIR`` keeps the results
(of two checkouts, each its own DIR) for ``diff -r``.
"""

import hashlib
import io
import itertools
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.cases import cases_beside
from tests.processes import done_by
from tests.tables import read_rows, write_rows

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HASHES = HERE / "hashes.toml"
# What holds random bytes, times, or pixels: what is made of it is hashed.
_LEFT_OUT = (".queue", ".model", ".key", ".png", ".evidence", ".queue-wal", ".queue-shm", ".zip")
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")


@dataclass(frozen=True)
class Case:
    """Commands that run one after another; what is printed (`says`) or visited is kept, too."""

    name: str
    run: tuple[str, ...]
    exit: int = 0
    says: bool = False
    visits: tuple[str, ...] = ()
    makes: bool = True


@dataclass(frozen=True)
class Group:
    """Cases that run one after another in one folder and one process."""

    name: str
    input: str
    cases: tuple[Case, ...]
    slow: bool = False


def groups() -> list[Group]:
    return [
        Group(
            name,
            found["input"],
            tuple(one for case in found["case"] for one in _filled_in(case)),
            found.get("slow", False),
        )
        for name, found in cases_beside(__file__, "cases.toml").items()
    ]


def _filled_in(case: Mapping[str, Any]) -> Iterator[Case]:
    """Make a case of each combination of what ``each`` lists for a word, or for several at once."""
    each: Mapping[str, Sequence[str]] = case.get("each", {})
    rest = {key: value for key, value in case.items() if key not in ("each", "run", "name")}
    rest["visits"] = tuple(case.get("visits", ()))
    for values in itertools.product(*each.values()):
        names, words_of = ",".join(each).split(","), ",".join(values).split(",")
        words = dict(zip(names, words_of, strict=True))
        run = tuple(command.format(**words) for command in case["run"])
        yield Case(case["name"].format(**words), run, **rest)


def recorded() -> dict[str, dict[str, str]]:
    return cases_beside(__file__, HASHES.name)


def write_hashes(hashes: Mapping[str, Mapping[str, str]]) -> None:
    lines = ["# Written by python -m tests.golden record: the SHA-256 of each result."]
    for group, results in sorted(hashes.items()):
        lines += ["", f"[{group}]", *(f'"{name}" = "{results[name]}"' for name in sorted(results))]
    HASHES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def results_of(group: str, kept: Path, jobs: int = 1) -> dict[str, str]:
    """Run a group in a process of its own, keep its results below a folder, and hash them."""
    folder = kept / group
    shutil.rmtree(folder, ignore_errors=True)
    work = kept / f".{group}"
    work.mkdir(parents=True)
    environment = {f"{name}_NUM_THREADS": "1" for name in _ONE_THREAD}
    command = sys.executable, "-m", "tests.golden", "group", group, work, folder, str(jobs)
    done = done_by(*command, folder=ROOT, COLUMNS="100", **environment)
    shutil.rmtree(work)
    if done.returncode:
        raise RuntimeError(f"group {group} failed: {done.stderr[-3000:]}")
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def differences(group: str, found: Mapping[str, str]) -> list[str]:
    """Say which results of a group are new, gone or other than recorded."""
    kept = recorded().get(group, {})
    return [
        f"{group}/{name}: {'new' if name not in kept else 'gone' if name not in found else 'other'}"
        for name in sorted(kept | dict(found))
        if kept.get(name) != found.get(name)
    ]


def run_group(name: str, folder: Path, kept: Path, jobs: int) -> None:
    """Run the cases of a group in this process, and keep what is hashed of their results."""
    from .samples import write_inputs

    group = next(one for one in groups() if one.name == name)
    write_inputs(group.input, folder)
    os.chdir(folder)
    os.cpu_count = lambda: jobs
    for case in group.cases:
        _run_case(case, folder, kept / case.name)


def _run_case(case: Case, folder: Path, kept: Path) -> None:
    from .canonical import blanked, canonical

    before, printed = _files(folder), ""
    for i, command in enumerate(case.run):
        is_last = i == len(case.run) - 1
        printed += _run(case, command, kept if is_last and case.visits else None, folder)
    made = [path for path, state in _files(folder).items() if before.get(path) != state]
    for path in made if case.makes else ():
        _keep(kept / path.relative_to(folder), canonical(path, folder, ROOT))
    if case.says:
        _keep(kept / "said.txt", blanked(printed, folder, ROOT).encode())


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in _LEFT_OUT and not path.name.startswith(".")
    }


def _keep(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _run(case: Case, command: str, pages_to: Path | None, folder: Path) -> str:
    program, *rest = arguments = shlex.split(command)
    if program in _TOOLS:
        _TOOLS[program](*rest)
        return ""
    code, out, err = _triage(arguments, case.visits if pages_to else (), pages_to, folder)
    if code not in (0, case.exit):
        raise RuntimeError(f"{case.name}: triage {command} ended with {code}: {err}{out[-1000:]}")
    return f"{out}exit code {code}\n{err}" if code else out


def _triage(
    arguments: Sequence[str], visits: Sequence[str], pages_to: Path | None, folder: Path
) -> tuple[int, str, str]:
    """Run the command line in this process."""
    from triage.cli.main import main

    from .browser import pages, served
    from .canonical import blanked

    def visit(client: Any) -> None:
        assert pages_to
        for name, text in pages(client, visits):
            _keep(pages_to / name, blanked(text, folder, ROOT).encode())

    raw = {name: io.BytesIO() for name in ("stdin", "stdout", "stderr")}
    streams: dict[str, Any] = {name: io.TextIOWrapper(one, "utf-8") for name, one in raw.items()}
    serving = served(visit, lambda: raw["stdout"].getvalue().decode()) if visits else nullcontext()
    code: object = 0
    with mock.patch.multiple(sys, argv=["triage", *arguments], **streams), serving:
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
    out, err = (raw[name].getvalue().decode() for name in ("stdout", "stderr"))
    return int(str(code)), out, err


def _fill(source: str, target: str, column: str, *values: str) -> None:
    """Write a CSV file with values in a column, one row after another, again and again."""
    rows = read_rows(Path(source))
    for row, value in zip(rows, itertools.cycle(values), strict=False):
        row[column] = value
    write_rows(Path(target), rows)


def _copy(source: str, target: str) -> None:
    shutil.copy2(source, target)


def _text(target: str, *lines: str) -> None:
    Path(target).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


_TOOLS: dict[str, Callable[..., None]] = {"FILL": _fill, "COPY": _copy, "TEXT": _text}
