"""Packs: the settings of a language, and shipped lists that are what their notes say."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.dictionaries.conftest import CATALAN
from triage.dictionaries import DictionaryError, Kind, Label, Lexicon, Role, label_messages
from triage.dictionaries.build_pack import check_sample, problems, write_new_pack
from triage.dictionaries.lexicon import load_lexicon
from triage.dictionaries.lists import read_words
from triage.dictionaries.normal import normal
from triage.dictionaries.pack import PACKS, load_pack
from triage.dictionaries.recognisers import available, shipped

CASES = cases_beside(__file__)
FRENCH = PACKS / "fr"
FOLDERS = sorted(path.parent for name in ("fr", "en") for path in PACKS.glob(f"{name}/*/note.toml"))
MEGABYTE = 1_000_000

every_list = pytest.mark.parametrize(
    "folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}"
)


def read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def pack(folder: Path, settings: str) -> str:
    (folder / "pack.toml").write_text(settings, encoding="utf-8")
    return str(folder)


def test_what_is_left_out_says_nothing(tmp_path: Path) -> None:
    read, nothing = load_pack(pack(tmp_path, "")), load_pack("none")
    assert [*map(vars, read.sections.values())] == [*map(vars, nothing.sections.values())]
    assert {one.name for one in available("none")} < {one.name for one in available("fr")} | {
        "telephone_of_country"
    }


@pytest.mark.parametrize(("settings", "problem"), CASES["wrong"])
def test_wrong_settings_are_refused_in_one_line(
    settings: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(DictionaryError) as error:
        load_pack(pack(tmp_path, settings))
    assert f"{tmp_path}/pack.toml{problem}" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("settings", "problem"), CASES["no_expression"])
def test_what_is_no_expression_no_word_or_no_rule_is_told_where_it_stands(
    settings: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(DictionaryError, match=problem):
        label_messages(["Patrice"], Lexicon([], pack(tmp_path, settings)))


def test_a_new_pack_says_nothing_but_its_name_and_rules(tmp_path: Path) -> None:
    write_new_pack(tmp_path / "ca", "ca")
    read = read_toml(tmp_path / "ca" / "pack.toml")
    said = {(section, key) for section, keys in read.items() for key in keys}
    assert said == {("pack", "name"), ("spelling", "rules")}
    assert read.keys() == read_toml(PACKS / "settings.toml").keys()
    assert "missing_accents" in load_pack(str(tmp_path / "ca")).spelling.rules


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


def test_the_pack_of_a_linguist_elides_and_finds_numbers_of_its_countries(catalan: Lexicon) -> None:
    words = label_messages(["d'Oriol, l'avui"], catalan).labels
    assert [word.text for word in words] == ["d'", "Oriol", ",", "l'", "avui"]
    words = label_messages(["truca'm al 612 34 56 78, el codi és 4512"], catalan).labels
    assert {(w.text, w.kind) for w in words} >= {("612 34 56 78", Kind.TEL), ("4512", Kind.COD)}
    assert problems(CATALAN) == []


def test_a_sample_tells_what_is_still_to_be_listed(catalan: Lexicon) -> None:
    messages = ["Hola Jordi", "quedem amb la Neus ?", "la Neus i en Pau", "petons"]
    found = check_sample(messages, catalan)
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
