"""A user's recognisers come from a file, and each mistake in it is one clear line."""

import re
from pathlib import Path

import pytest

from tests.dictionaries.cases import read
from triage.dictionaries import DictionaryError, Kind
from triage.dictionaries.recognisers import Recognisers, chosen
from triage.dictionaries.recognisers.loader import load

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "reference" / "recognisers.md"
BADGE = """
[badge]
type = "NUM"
regex = 'B\\d{6}'
triggers = ["badge", "carte étudiant"]
examples = ["mon badge c'est b123456", "carte etudiant : B123456"]
counterexamples = ["B123456"]
"""


def file_of(folder: Path, content: str) -> Path:
    path = folder / "ours.toml"
    path.write_text(content, encoding="utf-8")
    return path


def found(folder: Path, content: str, message: str) -> list[str]:
    spans = Recognisers(load(file_of(folder, content))).find(message)
    return [message[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    "message",
    [
        "mon badge : B123456",
        "g perdu mon BADGE b123456 a la fac",
        "la carte etudiant c'est le B123456",
        "la carte étudiant\nB123456",
    ],
)
def test_what_stands_behind_a_trigger_is_found(tmp_path: Path, message: str) -> None:
    assert [text.upper() for text in found(tmp_path, BADGE, message)] == ["B123456"]


@pytest.mark.parametrize("message", ["B123456", "badgeuse B123456", "badge perdu", "badge B12345"])
def test_nothing_else_is_found(tmp_path: Path, message: str) -> None:
    assert found(tmp_path, BADGE, message) == []


def test_without_triggers_the_form_is_enough(tmp_path: Path) -> None:
    content = "[room]\ntype = 'LIE'\nregex = 'salle [A-F]\\d{3}'"
    assert found(tmp_path, content, "rdv Salle b204 a 10h") == ["Salle b204"]


def test_a_check_is_asked(tmp_path: Path) -> None:
    content = "[member]\ntype = 'NUM'\nregex = '\\b\\d{9}\\b'\ncheck = 'luhn'"
    assert found(tmp_path, content, "adherent 732829320 ou 732829321") == ["732829320"]


def test_one_of_the_same_name_takes_the_place_of_ours(tmp_path: Path) -> None:
    content = "[iban]\ntype = 'IBA'\nregex = 'compte \\d{3}'"
    used = chosen("fr", own=load(file_of(tmp_path, content)))
    assert [one.form.pattern for one in used.all if one.name == "iban"] == ["(?i:compte \\d{3})"]
    assert [span.kind for span in used.find("compte 123")] == [Kind.IBA]


def test_the_example_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    assert found(tmp_path, example, "carte etudiant B123456") == ["B123456"]


@pytest.mark.parametrize(("content", "says"), read("recognisers/mistakes")["mistakes"])
def test_a_mistake_is_one_line(tmp_path: Path, content: str, says: str) -> None:
    path = file_of(tmp_path, content)
    with pytest.raises(DictionaryError, match=re.escape(says)) as error:
        load(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DictionaryError, match=r"none\.toml cannot be read"):
        load(tmp_path / "none.toml")
