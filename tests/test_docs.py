"""The documents name and link only what is there."""

import inspect
import re
from pathlib import Path

import click
import pytest

import triage
import triage.api
from tests.triage.cli.program import commands
from triage.dictionaries import Role, load_lexicon

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md"))
_ROOMS = ("triage", "dictionaries", "data", "reports", "features", "tests", "docs")


def _paths(text: str) -> set[str]:
    """Return the paths of the project between backticks."""
    quoted = re.findall(r"`([\w./-]+)`", text)
    return {path for path in quoted if path.startswith(tuple(f"{room}/" for room in _ROOMS))}


def test_paths_of_the_design_exist() -> None:
    paths = _paths((ROOT / "docs" / "design.md").read_text(encoding="utf-8"))
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", [*DOCUMENTS, "../README.md"])
def test_links_of_documents_exist(name: str) -> None:
    document = ROOT / "docs" / name
    text = document.read_text(encoding="utf-8")
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = {link for link in links if link and "://" not in link}
    assert [link for link in sorted(local) if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("name", [*DOCUMENTS, "../README.md"])
def test_options_of_documents_are_those_of_their_commands(name: str) -> None:
    known = {path: {"--help", *_options(one)} for path, one in commands()}
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
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


def _options(command: click.Command) -> list[str]:
    return [one for of in command.params for one in (*of.opts, *of.secondary_opts)]


def test_the_table_of_languages_counts_their_lists_and_entries() -> None:
    document = (ROOT / "docs" / "guide" / "languages.md").read_text(encoding="utf-8")
    table = document.partition("## The packs that are shipped")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
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
