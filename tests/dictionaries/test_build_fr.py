"""The build writes the entries of a list, and leaves most of its note as it is."""

import tomllib
from pathlib import Path

import pytest

from triage.dictionaries import build_fr

NOTE = """
title = "Names"
role = "dictionary"
source = "Faker \\"fr_FR\\""
version = "Faker 1.2.3 (a table 1.2); 7.0"
licence = "MIT"
made = "Of one word: é."
entries = 9
normalised = true
"""


def test_a_note_gets_the_number_of_entries_and_the_versions_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    (folder / "note.toml").write_text(NOTE, encoding="utf-8")
    monkeypatch.setattr(build_fr, "PACK", tmp_path)
    monkeypatch.setattr("importlib.metadata.version", {"Faker": "40.1"}.__getitem__)
    build_fr.write_list("names", ["Zoé", "L’Éléa", "zoé"])
    assert (folder / "items.txt").read_text(encoding="utf-8") == "l'éléa\nzoé\n"
    note = tomllib.loads((folder / "note.toml").read_text(encoding="utf-8"))
    version = "Faker 40.1 (a table 1.2); 7.0"
    assert note == tomllib.loads(NOTE) | {"entries": 2, "version": version}
