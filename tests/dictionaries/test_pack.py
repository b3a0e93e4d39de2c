"""The settings of a language are read whole, in their types, or refused in one line."""

import tomllib
from pathlib import Path

import pytest

from tests.cases import cases_beside
from triage.dictionaries import DictionaryError, Lexicon, label_messages
from triage.dictionaries.build_pack import write_new_pack
from triage.dictionaries.pack import PACKS, load_pack
from triage.dictionaries.recognisers import available, shipped

CASES = cases_beside(__file__)

CATALAN = str(Path(__file__).parents[1] / "packs" / "ca")


def pack(folder: Path, settings: str) -> str:
    (folder / "pack.toml").write_text(settings, encoding="utf-8")
    return str(folder)


def refusal(folder: Path, settings: str) -> str:
    with pytest.raises(DictionaryError) as error:
        load_pack(pack(folder, settings))
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(f"{folder}/pack.toml")


def test_what_is_left_out_says_nothing(tmp_path: Path) -> None:
    read, nothing = load_pack(pack(tmp_path, "")), load_pack("none")
    assert [vars(one) for one in read.sections.values()] == [
        vars(one) for one in nothing.sections.values()
    ]
    assert {one.name for one in available("none")} < {one.name for one in available("fr")} | {
        "telephone_of_country"
    }


@pytest.mark.parametrize(("settings", "problem"), CASES["wrong"])
def test_wrong_settings_are_refused(settings: str, problem: str, tmp_path: Path) -> None:
    assert problem in refusal(tmp_path, settings)


@pytest.mark.parametrize(("settings", "problem"), CASES["no_expression"])
def test_what_is_no_expression_no_word_or_no_rule_is_told_where_it_stands(
    settings: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(DictionaryError, match=problem):
        label_messages(["Patrice"], Lexicon([], pack(tmp_path, settings)))


def test_a_new_pack_says_nothing_but_its_name_and_rules(tmp_path: Path) -> None:
    write_new_pack(tmp_path / "ca", "ca")
    read = tomllib.loads((tmp_path / "ca" / "pack.toml").read_text(encoding="utf-8"))
    said = {(section, key) for section, keys in read.items() for key in keys}
    assert said == {("pack", "name"), ("spelling", "rules")}
    settings = tomllib.loads((PACKS / "settings.toml").read_text(encoding="utf-8"))
    assert read.keys() == settings.keys()
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
