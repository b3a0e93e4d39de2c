"""Each list that is shipped stands under a licence that the package names, and brings its text."""

import re
import tomllib
from pathlib import Path

import pytest

from triage.dictionaries.pack import PACKS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOTES = sorted(PACKS.glob("*/*/note.toml"))
TABLES = sorted(PACKS.glob("*/surrogates/LICENCES.md"))


def licences(expression: str) -> set[str]:
    return set(expression.split()) - {"AND"}


def rows(page: str) -> dict[str, set[str]]:
    """Return the licences of each name in the first column of the tables of a page."""
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    return {name: licences(row[-1]) for row in cells for name in re.findall(r"`([^`]+)`", row[0])}


@pytest.mark.parametrize(
    "note", NOTES, ids=lambda note: f"{note.parent.parent.name}/{note.parent.name}"
)
def test_the_page_of_licences_says_what_the_note_of_a_list_says(note: Path) -> None:
    about = tomllib.loads(note.read_text(encoding="utf-8"))
    french, _, english = (PACKS / "LICENCES.md").read_text(encoding="utf-8").partition("## English")
    told = rows(french if note.parent.parent.name == "fr" else english)
    if about["source"] == "written for this project":
        assert about["licence"] == "MIT"
        assert note.parent.name not in told
    else:
        assert told[note.parent.name] == licences(about["licence"])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.parent.parent.name)
def test_each_list_of_surrogates_has_a_licence(table: Path) -> None:
    files = {path.name for path in table.parent.iterdir()} - {"LICENCES.md"}
    assert rows(table.read_text(encoding="utf-8")).keys() == files


def test_the_package_names_the_licences_of_all_lists_and_brings_their_texts() -> None:
    notes = [tomllib.loads(note.read_text(encoding="utf-8"))["licence"] for note in NOTES]
    of_lists = set().union(*map(licences, notes))
    of_tables = [rows(table.read_text(encoding="utf-8")).values() for table in TABLES]
    of_surrogates = {one for table in of_tables for row in table for one in row}
    named = licences(PROJECT["license"])
    assert named == of_lists | of_surrogates | {"MIT"}
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == named
