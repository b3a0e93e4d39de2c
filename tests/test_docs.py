"""The documents name and link only what is there, and show what is printed."""

import doctest
import inspect
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import triage
import triage.api
from tests.notebook import NOTEBOOK
from tests.processes import printed_by
from tests.readme import DOCUMENTS, README, rendered
from tests.triage.cli.program import commands
from triage.dictionaries import Role, load_lexicon

ROOT = README.parent
NAMES = [*sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")), "README.md"]
_ROOMS = ("triage", "dictionaries", "data", "reports", "features", "tests", "docs")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_paths_of_the_design_exist() -> None:
    quoted = re.findall(r"`([\w./-]+)`", text_of("docs/design.md"))
    paths = {path for path in quoted if path.startswith(tuple(f"{room}/" for room in _ROOMS))}
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", [*NAMES, "docs/python.ipynb"])
def test_links_of_documents_exist(name: str) -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text_of(name))]
    local = {link for link in links if link and "://" not in link}
    assert [
        link for link in sorted(local) if not (ROOT / name).parent.joinpath(link).exists()
    ] == []


@pytest.mark.parametrize("name", NAMES)
def test_options_of_documents_are_those_of_their_commands(name: str) -> None:
    known = {
        path: {"--help"}.union(*(of.opts + of.secondary_opts for of in command.params))
        for path, command in commands()
    }
    text = text_of(name)
    blocks = re.findall(r"```(?:sh|console|bash)\n(.*?)```", text, re.DOTALL)
    quoted = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    wrong = []
    for line in (*quoted, *(line.split(" #")[0] for block in blocks for line in block.split("\n"))):
        found = re.match(r"(?:\$ )?triage ((?:queue |pack )?[a-z]+)", line)
        if found and found[1] not in ("queue", "pack"):
            assert found[1] in known, line
            options: set[str] | None = known[found[1]]
        else:
            # That of spark-submit.
            every = {"--archives"}.union(*known.values())
            options = every if line.startswith("--") else None
        named = re.findall(r"(?<!\S)--[a-z][a-z-]*", line)
        wrong += [line for one in named if options is not None and one not in options]
    assert wrong == []


def test_the_table_of_languages_counts_their_lists_and_entries() -> None:
    table = text_of("docs/guide/languages.md").partition("## The packs that are shipped")[2]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in table.partition("\n## ")[0].splitlines()
    ]
    told = {row[0]: row[1:] for row in rows if row}
    lists = [load_lexicon(name.strip("`")).lists for name in told[""]]
    assert [str(len(one)) for one in lists] == told["lists"]
    for row, role in (
        ("entries: names", Role.DICTIONARY),
        ("entries: words that name nobody", Role.ANTI_DICTIONARY),
    ):
        counts = [sum(len(one.entries) for one in of if one.role is role) for of in lists]
        assert [f"{count:,}" for count in counts] == told[row]


@pytest.mark.parametrize("name", triage.__all__)
def test_the_public_interface_is_documented(name: str) -> None:
    # `triage.anonymise` is the package as well.
    offered = getattr(triage.api, name, None) or getattr(triage, name)
    methods = vars(offered).items() if inspect.isclass(offered) else ()
    undocumented = [
        of for of, one in methods if inspect.isfunction(one) and not inspect.getdoc(one)
    ]
    assert [of for of in undocumented if not of.startswith("_")] == []
    told = inspect.getdoc(offered) or ""
    assert told.splitlines()[0].endswith(".")
    assert not inspect.signature(offered).parameters or "Parameters\n----------\n" in told


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_outputs_are_those_of_the_commands_above_them(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert "$ triage" in text
    assert rendered(text) == text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "docs/reference/python.md"])
def test_python_examples_give_what_they_show(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert results.attempted >= 3
    assert results.failed == 0


@pytest.mark.slow
def test_the_outputs_of_the_notebook_are_what_its_cells_give() -> None:
    printed = printed_by(sys.executable, "-m", "tests.notebook", "--print", folder=ROOT)
    assert printed == NOTEBOOK.read_text(encoding="utf-8"), "run make notebook"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_a_program_in_javascript_gets_its_answers(tmp_path: Path) -> None:
    [program] = re.findall(r"```js\n(.*?)```", text_of("docs/reference/programs.md"), re.DOTALL)
    command = tmp_path / "triage"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m triage "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    printed = printed_by("node", "--input-type=module", "-e", program, PATH=path)
    assert printed.split() == re.findall(r"// (\w+)", program) == ["TA", "NTA"]
