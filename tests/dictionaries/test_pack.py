"""The settings of a language are read whole, in their types, or refused in one line."""

import copy
import tomllib
from pathlib import Path

import pytest

from triage.dictionaries import DictionaryError, Label, Lexicon, label_messages, load_lexicon
from triage.dictionaries.build_pack import write_new_pack
from triage.dictionaries.pack import PACKS, load_pack
from triage.dictionaries.recognisers import available, shipped

CATALAN = str(Path(__file__).parents[1] / "packs" / "ca")


def pack(folder: Path, settings: str) -> str:
    (folder / "pack.toml").write_text(settings, encoding="utf-8")
    return str(folder)


def refusal(folder: Path, settings: str) -> str:
    with pytest.raises(DictionaryError) as error:
        load_pack(pack(folder, settings))
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(f"{folder}/pack.toml")


def test_a_text_of_words_is_a_set_or_in_an_order(tmp_path: Path) -> None:
    settings = '[addresses]\nboxes = "bp\\n cs"\n[spelling]\nelided = "l d"\nphonetic = ["2=to"]'
    read = load_pack(pack(tmp_path, settings))
    assert read.addresses.boxes == {"bp", "cs"}
    assert (read.spelling.elided, read.spelling.phonetic) == (("l", "d"), ("2=to",))


def test_what_is_left_out_says_nothing(tmp_path: Path) -> None:
    read, nothing = load_pack(pack(tmp_path, "")), load_pack("none")
    assert [vars(one) for one in read.sections.values()] == [
        vars(one) for one in nothing.sections.values()
    ]
    assert {one.name for one in available("none")} < {one.name for one in available("fr")} | {
        "telephone_of_country"
    }


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("[word]", ": no section is called 'word': did you mean 'words'?"),
        ("[words]\nelide = 'x'", ", [words]: no key is called 'elide': did you mean 'elided'?"),
        ("[codes]\ntriggers = 'x'\nthen = 3", ", [codes]: then is a list of texts"),
        ("[words]\nelided = ['x']", ", [words]: elided is a text"),
        ("[addresses]\nboxes = ['x']", ", [addresses]: boxes is a text of words"),
        ("[spelling]\nmisspelt_from = 'x'", ", [spelling]: misspelt_from is a whole number"),
        ("codes = 3", ": codes is a section: write [codes]"),
        ("[codes", " cannot be read: "),
    ],
)
def test_wrong_settings_are_refused(settings: str, problem: str, tmp_path: Path) -> None:
    assert problem in refusal(tmp_path, settings)


def test_an_expression_that_is_none_is_told_where_it_stands(tmp_path: Path) -> None:
    language = pack(tmp_path, "[codes]\ntriggers = ['pin', 'code(']")
    with pytest.raises(DictionaryError, match=r"\[codes\]: triggers is no expression: missing \)"):
        available(language)


def test_said_digits_without_words_are_told_where_they_stand(tmp_path: Path) -> None:
    language = pack(tmp_path, "[telephone]\nsaid = ['1=un', 'deux']\nsaid_gate = 'deux'")
    with pytest.raises(DictionaryError, match=r"\[telephone\]: said holds deux where digits and"):
        available(language)


def test_a_rule_that_is_none_is_refused(tmp_path: Path) -> None:
    lexicon = Lexicon([], pack(tmp_path, "[spelling]\nrules = 'guesses'"))
    with pytest.raises(DictionaryError, match=r"there is no rule 'guesses'; there are: missing_"):
        label_messages(["Patrice"], lexicon)


def test_the_rules_of_a_pack_are_those_that_apply(tmp_path: Path) -> None:
    (tmp_path / "forms").mkdir()
    (tmp_path / "forms/items.txt").write_text("tomorrow\n", encoding="utf-8")
    note = (
        'title = ""\nrole = "anti-dictionary"\nsource = ""\nversion = ""\nlicence = ""\nmade = ""'
    )
    (tmp_path / "forms/note.toml").write_text(note, encoding="utf-8")
    (tmp_path / "forms").rename(tmp_path / "frequent_forms")
    language = pack(tmp_path, "[spelling]\nrules = 'phonetic'\nphonetic = '2=to'")
    stretched, by_sound = label_messages(["tomorroooow 2morrow"], load_lexicon(language)).labels
    assert (stretched.label, by_sound.label) == (Label.UNKNOWN, Label.ANTI_DICTIONARY)
    assert (by_sound.rule, by_sound.read_as) == ("phonetic", "tomorrow")


def test_a_new_pack_says_nothing_but_its_name_and_rules(tmp_path: Path) -> None:
    write_new_pack(tmp_path / "ca", "ca")
    read = tomllib.loads((tmp_path / "ca" / "pack.toml").read_text(encoding="utf-8"))
    said = {(section, key) for section, keys in read.items() for key in keys}
    assert said == {("pack", "name"), ("spelling", "rules")}
    settings = tomllib.loads((PACKS / "settings.toml").read_text(encoding="utf-8"))
    assert read.keys() == settings.keys()
    assert "missing_accents" in load_pack(str(tmp_path / "ca")).spelling.rules


def test_settings_can_be_copied() -> None:
    pack = load_pack("fr")
    assert copy.copy(pack).codes.triggers == pack.codes.triggers


def test_words_are_looked_up_in_both_languages() -> None:
    both = load_lexicon(f"fr,{CATALAN}")
    found = {w.text: w.label for w in label_messages(["Patrice Laia demain avui pau"], both).labels}
    assert found["Patrice"] is found["Laia"] is Label.DICTIONARY
    assert found["demain"] is found["avui"] is Label.ANTI_DICTIONARY


def test_a_name_of_one_language_that_is_a_word_of_the_other_is_ambiguous() -> None:
    alone, both = load_lexicon("fr"), load_lexicon(f"fr,{CATALAN}")
    labels = [label_messages(["casa Puig vull"], one).labels for one in (alone, both)]
    assert [word.label for word in labels[1]][1:] == [Label.DICTIONARY, Label.ANTI_DICTIONARY]
    (rosa,) = label_messages(["rosa"], both).labels
    assert rosa.label is Label.AMBIGUOUS


def test_digits_are_said_in_both_languages() -> None:
    find = shipped("fr,en").find
    numbers = ("zéro six trente-neuf 98 12 34", "nine double two 3 four five six seven")
    assert [[(s.start, s.end) for s in find(one)] for one in numbers] == [
        [(0, len(one))] for one in numbers
    ]


def test_elisions_and_recognisers_of_both_languages_hold() -> None:
    both = load_pack(f"fr,{CATALAN}")
    assert both.words.elided.count("|") > 1
    names = [one.name for one in available(f"fr,{CATALAN}")]
    assert len(names) == len({*names})
    assert {"telephone", "telephone_of_country"} <= {*names}
    assert both.dates.months[0] == "janv?(?:ier)?|gener"
